#!/usr/bin/env python3
"""Poses characters by their own clips and looks whether hands and feet are where their joints take them.

    SINEW_DATA=FOLDER bench/follow.py [--check] [--sinew FILE] [--keep FOLDER]

`sinew deform setup` and `pose` with the clips of CesiumMan, Fox, RiggedFigure and RobotExpressive, held against
`sinew bake`, linear blending by the weights of the file. Prints a row for each clip, in percent of the diagonal:

    ends      the largest distance, over all frames, of a sole or palm from where linear blending has it: the mean
              over its vertices, those that follow one joint alone; of RobotExpressive, whose body is made of
              loose pieces, of a piece
    farthest  likewise of a vertex of one

With --check it fails where an end is beyond its bar. Needs numpy.
"""

import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from common import Bars, check_arguments, data_folder, markdown, read_obj, read_pc2

CLIPS = {
    "CesiumMan": ["0"],
    "Fox": ["Run", "Walk", "Survey"],
    "RiggedFigure": ["0"],
    "RobotExpressive": ["Walking", "Running", "Jump", "Sitting", "Punch", "Death"],
}
ENDS = {
    "CesiumMan": [
        "leg_joint_L_3",
        "leg_joint_R_3",
        "leg_joint_L_5",
        "leg_joint_R_5",
        "Skeleton_arm_joint_L__2_",
        "Skeleton_arm_joint_R__3_",
    ],
    "Fox": ["b_LeftFoot02_018", "b_RightFoot02_022", "b_LeftHand_011", "b_RightHand_08"],
    "RiggedFigure": ["leg_joint_L_5", "leg_joint_R_5", "arm_joint_L_3", "arm_joint_R_3"],
}
KINDS = {5121: "u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}
# Percent of the diagonal.
MOST = 0.5


def weights(path):
    """Places of a file's vertices (V, 3), and of each its weights by the names of joints."""
    data = path.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    scene, binary = json.loads(data[20 : 20 + length]), data[28 + length :]

    def values(number):
        accessor = scene["accessors"][number]
        view, kind = scene["bufferViews"][accessor["bufferView"]], np.dtype(KINDS[accessor["componentType"]])
        width = WIDTHS[accessor["type"]]
        begin, stride = view.get("byteOffset", 0) + accessor.get("byteOffset", 0), view.get("byteStride", width * kind.itemsize)
        return np.ndarray((accessor["count"], width), kind, binary, begin, (stride, kind.itemsize)).astype(float)

    places, named = [], []
    for node in (node for node in scene["nodes"] if "skin" in node):
        names = [scene["nodes"][joint].get("name", "") for joint in scene["skins"][node["skin"]]["joints"]]
        for primitive in scene["meshes"][node["mesh"]]["primitives"]:
            attributes = primitive["attributes"]
            places.append(values(attributes["POSITION"]))
            joints, shares = values(attributes["JOINTS_0"]).astype(int), values(attributes["WEIGHTS_0"])
            named += [{names[j]: s for j, s in zip(*both) if s > 0} for both in zip(joints, shares)]
    return np.concatenate(places), named


def parts(path, ends, rest, triangles):
    """Vertices of each sole and palm, or of each loose piece."""
    if ends:
        places, named = weights(path)
        nearest = ((rest[:, None] - places[None]) ** 2).sum(axis=2).argmin(axis=1)
        shares = np.array([[named[v].get(end, 0) for end in ends] for v in nearest])
        return [np.flatnonzero(s >= 0.9 * s.max()) for s in shares.T]
    first = {}
    piece = np.array([first.setdefault(tuple(np.round(p, 6)), v) for v, p in enumerate(rest)])
    while True:
        least = piece.copy()
        for corner in triangles.T:
            np.minimum.at(least, piece[corner], piece[triangles].min(axis=1))
        if (least[piece] == piece).all():
            return [np.flatnonzero(piece == number) for number in np.unique(piece)]
        piece = least[piece]


def main():
    arguments, data, bars, rows = check_arguments(__doc__), data_folder(), Bars(), []

    def call(*words):
        command = [str(word) for word in (arguments.sinew, *words, "--quiet")]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if run.returncode:
            sys.exit(f"{' '.join(command)}\n{run.stdout.decode().strip()}")

    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for name, clips in CLIPS.items():
            file, character = data / f"rigs/{name}.glb", folder / f"{name}.deform"
            call("deform", "setup", file, "-o", character)
            for clip in clips:
                posed, blended, mesh = (folder / f"{name}-{clip}{end}" for end in (".pc2", "-linear.pc2", ".obj"))
                call("deform", "pose", character, "--pose", file, "--clip", clip, "-o", posed)
                call("bake", file, "--clip", clip, "-o", blended, "--rest-out", mesh)
                truth, found = read_pc2(blended).astype(float), read_pc2(posed).astype(float)
                off = 100 * np.linalg.norm(found - truth, axis=2) / np.linalg.norm(np.ptp(truth[0], axis=0))
                own = parts(file, ENDS.get(name), *read_obj(mesh))
                mean = bars.held(f"{name} {clip}", max(off[:, part].mean(axis=1).max() for part in own), MOST)
                rows.append([f"{name} {clip}", mean, f"{max(off[:, part].max() for part in own):.3g}"])
    print(markdown(["posed by its own clip", "ends, %", "farthest, %"], rows))
    bars.finish("hands and feet follow their joints", arguments.check)


if __name__ == "__main__":
    main()
