#!/usr/bin/env python3
"""Moves motion onto rigs and sculpts a rest pose, where the right answer is known: how far off the results are.

    SINEW_DATA=FOLDER bench/transplant.py [--check] [--sinew FILE] [--keep FOLDER]

Prints Markdown, four tables:

    own       rigs of other software get their own motion: how far it is from the file's, in percent of it
    walk      a character skinned without its skeleton (baked/knight) gets a clip it never saw from the file
              it came from (rigs/Knight.glb), and is held against that clip (baked/knight-walking): accu and
              largest in percent of the diagonal, with the poses stated and with poses that Sinew finds
    readers   CMU's clips that exist as BVH and as ASF/AMC, moved onto characters that bench/characters.py
              makes: the largest distance between the two results in percent of the height
    bump      a bump on the rest pose of a horse, on patches all over it: the angle between the bump as it is
              carried and the normal of the true surface, mean over its vertices and all frames

With --check it fails where an answer is off by more than it may be. Needs numpy (pip install numpy) and the
release build; characters that cannot be made here (see bench/characters.py) are left out and named.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import characters
from common import Bars, check_arguments, data_folder, markdown, read_obj, read_pc2

OWN = [("Fox", "Walk"), ("CesiumMan", "0"), ("Knight", "Walking_A"), ("Mage", "Lie_Down"), ("RobotExpressive", "Walking")]
WALK_BONES = [25, 28, 30]
STATED = ["--align-source", "Running_A:0", "--align-rig", "0"]
CLIPS = [("02_01.bvh", "02_01.amc"), ("07_01.bvh", "07_01-walk.amc")]
PATCHES = 24
# A patch and the height of its bump, in parts of the diagonal.
RADIUS, HEIGHT = 0.06, 0.03
# At most: percent of own motion, accu and the largest distance of the walk, the distance of two readers, the mean
# angle in degrees.
PERCENT, ACCU, LARGEST, APART, ANGLE = 0.5, 1.0, 8.0, 0.1, 10.0


class Bench:
    """Calls `sinew` with files of one folder."""

    def __init__(self, binary, data, folder):
        self.binary, self.data, self.folder = binary, data, folder

    def call(self, *arguments):
        command = [str(a) for a in (self.binary, *arguments, "--quiet")]
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if run.returncode:
            sys.exit(f"{' '.join(command)}\n{run.stdout.decode().strip()}")

    def bake(self, rig):
        """The frames (S, V, 3) of a rig."""
        cache = rig.with_suffix(".pc2")
        self.call("bake", rig, "-o", cache)
        return read_pc2(cache).astype(float)

    def compare(self, truth, rig, *options):
        """The errors of a rig."""
        report = self.folder / "compared.json"
        self.call("compare", truth, rig, *options, "--report", report)
        return json.loads(report.read_text())["error"]

    def own(self, name, clip):
        """Percent by which a rig's own motion differs once it was moved onto the rig."""
        rig, again = self.data / f"rigs/{name}.glb", self.folder / f"{name}-again.glb"
        self.call("transplant", rig, "--clip", clip, "--onto", rig, "-o", again)
        return self.compare(rig, again, "--clip", clip)["percent"]

    def walk(self, bones, poses):
        """Error of the walk on a character of so many bones: accu and largest in percent of the diagonal."""
        knight, truth = self.data / "baked/knight", self.data / "baked/knight-walking"
        rig, walking = self.folder / f"knight-{bones}.glb", self.folder / f"knight-{bones}-walks.glb"
        if not rig.exists():
            options = ["--fps", "30", "--bones", bones, "--kind", "rigid"]
            self.call("skin", knight / "anim.pc2", "--rest", knight / "rest.obj", *options, "-o", rig)
        source = [self.data / "rigs/Knight.glb", "--clip", "Walking_A"]
        self.call("transplant", *source, "--onto", rig, *poses, "-o", walking)
        error = self.compare(truth / "anim.pc2", walking, "--rest", truth / "rest.obj", "--fps", "30")
        return error["accu"], error["max"]

    def readers_apart(self, character, clips):
        """The largest distance between results from two files of one motion, in percent of the height."""
        results = []
        for clip in clips:
            moved = self.folder / f"{character.stem}-{clip}.glb"
            # As it was read: planted feet begin where a file's own frames first see them stand.
            self.call("transplant", self.data / "mocap" / clip, "--onto", character, "--plant", "none", "-o", moved)
            results.append(self.bake(moved))
        frames = min(map(len, results))
        apart = np.linalg.norm(results[0][:frames] - results[1][:frames], axis=2).max()
        return 100 * apart / np.ptp(results[0][0, :, 1])

    def bumps(self):
        """Mean angles of the bumps on all patches, in degrees."""
        horse = self.data / "horse-gallop"
        rig, rest = self.folder / "horse.glb", self.folder / "rest.obj"
        rig_of = ["skin", horse / "anim.pc2", "--rest", horse / "rest.obj", "--bones", "30"]
        self.call(*rig_of, "-o", rig)
        self.call("bake", rig, "-o", rig.with_suffix(".pc2"), "--rest-out", rest)
        before, true = read_pc2(rig.with_suffix(".pc2")), read_pc2(horse / "anim.pc2").astype(float)
        shape, triangles = read_obj(rest)
        outward = normals(shape, triangles)
        diagonal = np.linalg.norm(np.ptp(shape, axis=0))
        true_normals = np.array([normals(frame, triangles) for frame in true])
        angles = []
        for centre in np.random.default_rng(1).integers(len(shape), size=PATCHES):
            away = np.linalg.norm(shape - shape[centre], axis=1) / (RADIUS * diagonal)
            height = HEIGHT * diagonal * np.maximum(0, 1 - away**2)
            # One side of a thin limb only.
            height[outward @ outward[centre] < 0.2] = 0
            bump = height > 0
            sculpted, bumped = self.folder / "sculpted.obj", self.folder / "bumped.glb"
            rewrite(rest, sculpted, shape + outward * height[:, None])
            self.call("edit", "rest", rig, "--shape", sculpted, "-o", bumped)
            moved = (self.bake(bumped) - before)[:, bump]
            along = (moved * true_normals[:, bump]).sum(axis=2) / np.linalg.norm(moved, axis=2)
            angles.append(np.degrees(np.arccos(np.clip(along, -1, 1))).mean())
        return np.array(angles)


def normals(positions, triangles):
    """Unit normals of the vertices, larger triangles counting more."""
    a, b, c = (positions[triangles[:, k]] for k in range(3))
    flat, sum_ = np.cross(b - a, c - a), np.zeros_like(positions)
    for k in range(3):
        np.add.at(sum_, triangles[:, k], flat)
    return sum_ / np.maximum(np.linalg.norm(sum_, axis=1, keepdims=True), 1e-30)


def rewrite(source, target, positions):
    """The same OBJ file with other positions."""
    rows = iter(positions)
    with open(source) as lines, open(target, "w") as out:
        for line in lines:
            out.write("v {:.9g} {:.9g} {:.9g}\n".format(*next(rows)) if line.startswith("v ") else line)


def make_characters(data, folder):
    """The characters that can be made here."""
    for name, make in [("geno", characters.geno), ("human", characters.human)]:
        try:
            make(data, folder / f"{name}.glb")
            yield folder / f"{name}.glb"
        except (ImportError, FileNotFoundError) as why:
            print(f"skip {name}: {why}", file=sys.stderr)


def main():
    arguments, data, bars = check_arguments(__doc__), data_folder(), Bars()
    held = bars.held
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(arguments.sinew, data, folder)
        own = [[name, clip, held(f"own motion of {name}", bench.own(name, clip), PERCENT)] for name, clip in OWN]
        print(markdown(["own: rig", "clip", "percent"], own))
        rows = []
        for bones in WALK_BONES:
            accu, largest = bench.walk(bones, STATED)
            stated = held(f"walk, {bones} bones, accu", accu, ACCU)
            stated_largest = held(f"walk, {bones} bones, largest", largest, LARGEST)
            accu, largest = bench.walk(bones, [])
            found = held(f"walk, {bones} bones, poses found, accu", accu, ACCU)
            found_largest = held(f"walk, {bones} bones, poses found, largest", largest, LARGEST)
            rows.append([str(bones), stated, stated_largest, found, found_largest])
        print(markdown(["walk: bones", "accu", "largest", "accu, poses found", "largest, poses found"], rows))
        rows = []
        for character in make_characters(data, folder):
            for clips in CLIPS:
                apart = bench.readers_apart(character, clips)
                rows.append([character.stem, *clips, held(f"{character.stem} {clips[0]}", apart, APART)])
        print(markdown(["readers: onto", "one", "other", "apart"], rows))
        angles = bench.bumps()
        row = [str(len(angles)), held("bump, mean angle", angles.mean(), ANGLE)]
        row += [f"{angles.max():.3g}", str((angles > ANGLE).sum())]
        print(markdown(["bump: patches", "mean angle", "largest mean of a patch", f"patches over {ANGLE:g}"], [row]))
    bars.finish(f"transplants and edits: {len(OWN)} rigs, {len(WALK_BONES)} walks, readers, bumps", arguments.check)


if __name__ == "__main__":
    main()
