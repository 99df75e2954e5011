#!/usr/bin/env python3
"""Times how rigs that hardly touch are found to touch, beside boxes fitted to every frame.

    SINEW_DATA=FOLDER bench/collide.py [--check] [--sinew FILE] [--keep FOLDER]

FOLDER holds a folder for each sequence, with rest.obj and anim.pc2. Rigs are put side by side, or one behind the
other, as near as it takes for some pairs of triangles to touch in a frame, in the mean over all frames. Prints
Markdown: the shift, pairs that touch in a frame, in the mean and at most, and milliseconds a frame both ways (`sinew
collide --against refit`, which also says whether both find the same). Then each rig and itself.

With --check it fails where contacts differ, or where it is less than ten times faster for up to FEW pairs in a frame,
or less than twice within one rig. With --keep it leaves the rigs and takes those it finds. Needs numpy and the release
build (cargo build --release).
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from common import Bars, check_arguments, data_folder, markdown, read_obj, skin

# Sequence and bones.
RIGS = {"horse-gallop": 30, "dance": 21, "elephant-gallop": 25}
# Two rigs and the axis that the second is shifted along.
SCENES = [
    ("horse-gallop", "horse-gallop", 0),
    ("horse-gallop", "horse-gallop", 2),
    ("dance", "dance", 0),
    ("dance", "dance", 2),
    ("elephant-gallop", "elephant-gallop", 0),
    ("horse-gallop", "dance", 0),
    ("elephant-gallop", "horse-gallop", 2),
]
# Pairs of triangles in a frame that are asked for, and up to how many the bar holds.
PAIRS = [1, 5, 20, 50]
FEW = 20
# How many times faster, at least, between rigs and within one.
FASTER, FASTER_WITHIN = 10, 2
# How exactly the shift is found, as a share of it.
FINE = 2e-4


class Bench:
    """Calls `sinew collide` with rigs of one folder."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder

    def rig(self, name):
        """A rig's file, made if it is not there."""
        file = self.folder / f"{name}.glb"
        if not file.exists():
            skin(self.binary, data_folder() / name, "--bones", RIGS[name], output=file)
        return file

    def call(self, *arguments):
        """Runs a command. Its report."""
        report = self.folder / "contacts.json"
        command = [self.binary, "collide", *arguments, "-o", report, "--quiet"]
        run = subprocess.run([str(a) for a in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if run.returncode:
            sys.exit(f"{' '.join(map(str, command))}\n{run.stdout.decode().strip()}")
        return json.loads(report.read_text())

    def scene(self, one, other, axis, shift, *options):
        offset = ",".join(f"{shift if k == axis else 0:.6f}" for k in range(3))
        return self.call(self.rig(one), self.rig(other), "--offset", offset, *options)


def pairs(report):
    """Pairs that touch in a frame: in the mean, and at most."""
    counts = [len(frame["contacts"]) for frame in report["frames"]]
    return sum(counts) / len(counts), max(counts)


def shift_for(bench, scene, wanted, known):
    """A shift at which about so many pairs touch. `known` has the pairs of shifts that were tried."""
    while True:
        near = max(shift for shift, found in known.items() if found > wanted)
        far = min(shift for shift, found in known.items() if found <= wanted and shift > near)
        if far - near < FINE * far:
            return far
        middle = (near + far) / 2
        known[middle] = pairs(bench.scene(*scene, middle))[0]


def ends(scene):
    """A shift at which rigs are surely in each other, and one at which they are apart."""
    sides = [np.ptp(read_obj(data_folder() / name / "rest.obj")[0][:, scene[2]]) for name in scene[:2]]
    return {0.2 * sum(sides): np.inf, 1.5 * sum(sides): 0}


def row(bars, name, shift, report, faster):
    """A line of the table; where `faster` is None, without a bar."""
    mean, most = pairs(report)
    times = report["against_refit"]
    ratio = times["plain_seconds"] / times["seconds"]
    bars.held(f"{name}: frames with other contacts", times["differing"], 0)
    if faster:
        bars.held(f"{name}: time as a share of refitting", 1 / ratio, 1 / faster)
    each = [f"{1000 * times[way] / times['frames']:.3g}" for way in ("plain_seconds", "seconds")]
    return [name, shift, f"{mean:.3g}", str(most), *each, f"{ratio:.3g}"]


def main():
    options = check_arguments(__doc__)
    bars, rows = Bars(), []
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        bench = Bench(options.sinew, folder)
        for scene in SCENES:
            name, known = f"{scene[0]}, {scene[1]}", ends(scene)
            for wanted in PAIRS:
                shift = shift_for(bench, scene, wanted, known)
                report = bench.scene(*scene, shift, "--against", "refit")
                few = 0 < pairs(report)[0] <= FEW
                text = f"{'xyz'[scene[2]]} {shift:.4g}"
                rows.append(row(bars, name, text, report, FASTER if few else None))
                print(" ".join(rows[-1]), file=sys.stderr)
        for name in RIGS:
            report = bench.call(bench.rig(name), "--self", "--against", "refit")
            rows.append(row(bars, name, "itself", report, FASTER_WITHIN))
    print(markdown(["rigs", "shift", "pairs", "most", "refit, ms", "trees, ms", "times faster"], rows))
    bars.finish("all is found, and fast enough where little touches", options.check)


if __name__ == "__main__":
    main()
