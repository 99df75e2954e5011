#!/usr/bin/env python3
"""What it costs to call Sinew from Python: bytes, seconds and memory beside those of the command and the library.

    bench/python.py [--frames N] [--repeat N] [--gigabytes G] [--json FILE]

Needs the package `sinew-rig` (pip install ./python), whose command is the one that is compared with. Three measures:

- The same job gives the same bytes as the command: for `skin`, `skeleton`, `transplant`, `edit` and `lod`.
- A call takes so much longer than the work of the library inside it, which the report counts: what is spent on arrays, on
  the job as data, on threads and on progress. At most 5 %.
- An array of so many gigabytes goes in, and memory grows by much less: while the animation is made, while it is played
  through, and while a rig is fitted to it.

Fails when one does not hold.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import sinew_rig as sinew

#: Percent that a call may take above the work inside it.
MOST = 5.0


def sheet(frames, side):
    """A sheet that waves, made frame by frame: positions and quads."""
    x, y = np.meshgrid(np.linspace(0, 1, side, dtype=np.float32), np.linspace(0, 1, side, dtype=np.float32))
    positions = np.empty((frames, side * side, 3), np.float32)
    for frame, pose in enumerate(positions):
        height = 0.15 * np.sin(6 * x + frame / 5) * np.cos(5 * y - frame / 7)
        pose[:] = np.stack([x, height, y], -1).reshape(-1, 3)
    corner = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).ravel()
    return positions, np.stack([corner, corner + side, corner + side + 1, corner + 1], -1)


def command(*arguments):
    """Runs the command of the package."""
    called = [sys.executable, "-m", "sinew_rig", "--quiet", *map(str, arguments)]
    done = subprocess.run(called, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, arguments))}\n{done.stderr.strip()}")


def same_bytes(folder):
    """Which jobs gave the same bytes in both doors."""
    walk, rest = folder / "walk.npz", folder / "rest.sinew"
    creature = sinew.creature(24, detail=0.6)
    creature.save(walk)
    same = {}

    def compared(job, ending, arguments, call):
        here, there = folder / "here" / f"{job}.{ending}", folder / "there" / f"{job}.{ending}"
        here.parent.mkdir(exist_ok=True)
        there.parent.mkdir(exist_ok=True)
        command(job, *arguments, "-o", there)
        call().save(here)
        same[f"{job}, {ending}"] = here.read_bytes() == there.read_bytes()

    opened = sinew.open(walk)
    for ending in ("glb", "fbx", "usda", "usdz", "sinew"):
        compared("skin", ending, [walk, "--bones", 20], lambda: sinew.skin(opened, bones=20))
    command("skeleton", walk, "-o", rest, "--bvh", folder / "walk.bvh")
    compared("skeleton", "glb", [walk], lambda: sinew.skeleton(opened))
    compared("transplant", "glb", [folder / "walk.bvh", "--onto", rest], lambda: sinew.transplant(folder / "walk.bvh", rest))
    bone = sinew.open_rig(rest).names[3]
    turn = {"bone": bone, "axis": [0, 0, 1], "angle": 20, "frame": 5}
    arguments = ["rotate", rest, "--bone", bone, "--axis", "0,0,1", "--angle", 20, "--frame", 5]
    compared("edit", "glb", arguments, lambda: sinew.edit(rest, rotate=turn))
    # Levels in memory are called "rig" inside, as the file of a command by its name.
    levels = sinew.lod(rest, levels=[{"share": 0.5}])
    command("lod", rest, "--triangles", "50%", "-o", folder / "rig.glb")
    same["lod, glb"] = levels.to_bytes() == (folder / "rig.glb").read_bytes()
    return same


def overhead(frames, repeat):
    """Percent that calls take above the work inside them, of a short job and a long one."""
    costs = {}
    for name, count, side, bones in [("small", 24, 20, 8), ("usual", frames, 50, 30)]:
        positions, faces = sheet(count, side)
        above, works = [], []
        for _ in range(repeat):
            start = time.perf_counter()
            rig = sinew.skin(sinew.Animation(positions, faces), bones=bones, progress=lambda stage, share: None)
            wall = time.perf_counter() - start
            work = rig.report["seconds"]["total"]
            above.append(wall - work)
            works.append(work)
        # The least of several: what is above it is others' work on the machine.
        costs[name] = {"seconds": statistics.median(works), "percent": 100 * min(above) / statistics.median(works)}
    return costs


MEMORY = """
import json, sys
sys.path.insert(0, {here!r})
import numpy as np
import sinew_rig as sinew
from python import peak, sheet
side = 300
frames = int({gigabytes} * 1e9 / (12 * side * side))
positions, faces = sheet(frames, side)
told = {{"gigabytes": positions.nbytes / 1e9, "before": peak()}}
animation = sinew.Animation(positions, faces)
told["made"] = peak()
assert np.shares_memory(animation.positions, positions)
sinew.compare(animation, animation)
told["compared"] = peak()
rig = sinew.skin(animation, bones=10)
told["skinned"] = peak()
told["seconds"] = rig.report["seconds"]["total"]
print(json.dumps(told))
"""


def peak():
    """The most memory that this process had, in gigabytes."""
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024 / 1e9


def memory(gigabytes):
    """The most memory before and after each step, in a process of its own."""
    code = MEMORY.format(here=str(Path(__file__).parent), gigabytes=gigabytes)
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", type=int, default=120, help="of the usual job")
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--gigabytes", type=float, default=4.0, help="0 leaves this measure out")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    failed = []
    with tempfile.TemporaryDirectory() as scratch:
        same = same_bytes(Path(scratch))
    for job, holds in same.items():
        print(f"{job}: {'the same bytes' if holds else 'OTHER BYTES'}")
        failed += [] if holds else [job]
    costs = overhead(args.frames, args.repeat)
    for name, cost in costs.items():
        print(f"{name} job, {cost['seconds']:.3f} s: the call takes {cost['percent']:.2f} % more")
    if costs["usual"]["percent"] > MOST:
        failed.append("overhead")
    told = {"same": same, "overhead": costs}
    if args.gigabytes:
        told["memory"] = grown = memory(args.gigabytes)
        for step in ("made", "compared", "skinned"):
            more = grown[step] - grown["before"]
            print(f"{grown['gigabytes']:.2f} GB in: {more:.3f} GB more once {step}")
            if more > 0.1 * grown["gigabytes"]:
                failed.append(step)
        print(f"skinned in {grown['seconds']:.0f} s")
    if args.json:
        args.json.write_text(json.dumps(told, indent=2))
    if failed:
        sys.exit("does not hold: " + ", ".join(failed))


if __name__ == "__main__":
    main()
