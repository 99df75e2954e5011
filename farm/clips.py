#!/usr/bin/env python3
"""Many clips of one character on one skin, held against a joint fit of some of them.

    SINEW_DATA=FOLDER farm/clips.py SINEW [--clips N] [--bones N] [--joint N] [--memory SIZE] [--folder FOLDER]

Plays all clips of a public rig (SINEW_DATA/rigs/Knight.glb) and motion capture that is put onto it (SINEW_DATA/mocap) and cuts
N windows of them, each a point cache and a line of jobs.jsonl. Gives all of them one skin (sinew batch --shared-skin), in as many
parts as told one after the other; fits one rig to some of the clips in memory (sinew skin); and compares errors on those. Says time,
memory of all processes at once, and bytes. Fails above 1.1 times the error or above the memory.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import List, Tuple

from measure import batch

#: Frames of a window.
FRAMES = 24
HEAD = struct.Struct("<12siiffi")
#: The error may be so many times that of the joint fit.
WORSE = 1.1


def run(sinew: str, *words: object) -> None:
    subprocess.run([sinew, *map(str, words), "--quiet"], check=True)


def played(sinew: str, data: Path, folder: Path) -> List[Path]:
    """Everything that the character does, as point caches, and its mesh in rest.obj."""
    rig = data / "rigs/Knight.glb"
    report = subprocess.run([sinew, "info", rig, "--report", "-", "--quiet"], capture_output=True, check=True).stdout
    caches = []
    for clip in range(len(json.loads(report)["clips"])):
        caches.append(folder / f"clip-{clip:02}.pc2")
        run(sinew, "bake", rig, "--clip", clip, "--fps", 30, "-o", caches[-1], "--rest-out", folder / "rest.obj")
    for motion in sorted((data / "mocap").glob("*.bvh")):
        moved = folder / f"{motion.stem}.glb"
        caches.append(folder / f"{motion.stem}.pc2")
        run(sinew, "transplant", motion, "--onto", rig, "--fps", 30, "-o", moved)
        run(sinew, "bake", moved, "-o", caches[-1])
    return caches


def windows(caches: List[Path], count: int, folder: Path) -> int:
    """Cuts so many windows, evenly over all that is played; a clip that is shorter is gone through again. Gives the vertices."""
    heads = [HEAD.unpack(cache.read_bytes()[: HEAD.size]) for cache in caches]
    starts: List[Tuple[int, int]] = [(i, t) for i, head in enumerate(heads) for t in range(max(1, head[5] - FRAMES + 1))]
    for number in range(count):
        i, first = starts[number * len(starts) // count]
        sign, version, points, start, rate, frames = heads[i]
        with caches[i].open("rb") as file, (folder / f"{number:04}.pc2").open("wb") as out:
            out.write(HEAD.pack(sign, version, points, start, rate, FRAMES))
            for frame in range(first, first + FRAMES):
                file.seek(HEAD.size + 12 * points * (frame % frames))
                out.write(file.read(12 * points))
    return heads[0][2]


def together(errors: List[float]) -> float:
    """What errors of clips that are equally long come to."""
    return math.sqrt(sum(error * error for error in errors) / len(errors))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sinew", help="the command")
    parser.add_argument("--clips", type=int, default=1000, help="so many clips")
    parser.add_argument("--bones", type=int, default=40, help="so many bones")
    parser.add_argument("--joint", type=int, default=50, help="so many of them are fitted together in memory")
    parser.add_argument("--memory", type=int, default=300, help="megabytes that the batch may take")
    parser.add_argument("--parts", type=int, default=1, help="so many parts of the list, one after the other")
    parser.add_argument("--folder", type=Path, help="where to work; without, a folder that goes away")
    args = parser.parse_args()
    sinew, data = str(Path(args.sinew).resolve()), os.environ.get("SINEW_DATA")
    if not data:
        print("not tried: SINEW_DATA names no folder")
        return 0
    folder = (args.folder or Path(tempfile.mkdtemp(prefix="sinew-clips-"))).resolve()
    for name in ["played", "in", "reports"]:
        (folder / name).mkdir(parents=True, exist_ok=True)
    vertices = windows(played(sinew, Path(data), folder / "played"), args.clips, folder / "in")
    source = {"rest": "played/rest.obj"}
    fit = {"bones": args.bones}

    def job(number: int) -> str:
        inputs, name = [f"in/{number:04}.pc2"], f"{number:04}"
        files = {"output": f"out/{name}.glb", "report": f"reports/{name}.json"}
        return json.dumps({"job": "skin", "source": {"inputs": inputs, **source}, "fit": fit, **files})

    (folder / "jobs.jsonl").write_text("".join(job(number) + "\n" for number in range(args.clips)))
    options = ["--shared-skin", "--no-pictures", "--memory", f"{args.memory}MB"]
    runs = [
        batch(sinew, folder, *options, *(["--shard", f"{part}/{args.parts}"] if args.parts > 1 else []))
        for part in range(1, args.parts + 1)
    ]
    held = max(run.together for run in runs)
    seconds, used = sum(run.seconds for run in runs), sum(run.used for run in runs)
    poses = 12 * vertices * FRAMES * args.clips
    sums = sum(path.stat().st_size for path in (folder / "jobs.batch/shared").glob("sums-*"))
    print(f"{args.clips} clips of {vertices} vertices, {poses / 1e6:.0f} MB of poses: {seconds:.1f} s, {used:.1f} s of the processor; ", end="")
    print(f"{held / 1e6:.0f} MB held by all processes at once, of {args.memory} MB; sums of {sums / 1e6:.1f} MB", flush=True)

    chosen = [number * args.clips // args.joint for number in range(args.joint)]
    joint = folder / "joint.json"
    inputs = [folder / f"in/{number:04}.pc2" for number in chosen]
    begun = time.monotonic()
    run(sinew, "skin", *inputs, "--rest", folder / source["rest"], "--bones", args.bones, "-o", folder / "joint.glb", "--report", joint)
    seconds = time.monotonic() - begun
    # Distances in one unit for all clips, so that those that hardly move count for no more than they are.
    alone = together([clip["error"]["rms"] for clip in json.loads(joint.read_text())["clips"]])
    errors = [json.loads((folder / f"reports/{number:04}.json").read_text())["error"]["rms"] for number in range(args.clips)]
    shared = together([errors[number] for number in chosen])
    print(f"on {args.joint} of them: joint fit {alone:.4f} ({seconds:.1f} s), shared skin {shared:.4f}, {shared / alone:.3f} times; ", end="")
    print(f"on all {together(errors):.4f}, at worst {max(errors):.4f}")
    return 0 if shared <= WORSE * alone and held <= args.memory * 1_000_000 else 1


if __name__ == "__main__":
    sys.exit(main())
