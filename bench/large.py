#!/usr/bin/env python3
"""Caches that are larger than the working set: seconds to look into them, memory to skin them.

    [SINEW_DATA=FOLDER] bench/large.py [--check] [--sinew FILE] [--keep FOLDER] [--size 4] [--memory 1]

Makes a PC2 and an Alembic cache of SIZE GB each: the built-in creature's walk over and over, every time somewhere else.
Prints seconds of `sinew info` (the best of three), then seconds, error and peak memory of `sinew skin --memory`, in GB,
whose bar is twice the working set. With SINEW_DATA, sequences are skinned whole and again from half of their frames,
and the errors are held against each other. Needs numpy, twice the size on the disk and the release build.
"""

import argparse
import contextlib
import json
import os
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from common import Bars, default_binary, markdown, read_pc2

# Bones, and the working set as a share of all frames that leaves room for half of them: what a fit takes beside frames
# grows with the vertices.
SEQUENCES = {
    "horse-gallop": (30, 0.5),
    "elephant-gallop": (25, 0.92),
    "dance": (21, 0.5),
    "chicken-crossing": (22, 0.5),
}
DETAIL, CYCLE = "4", 24


def run(*command):
    """Runs a command. Seconds and peak memory in bytes."""
    start = time.perf_counter()
    process = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    said = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(map(str, command))}\n{said.strip()}")
    return time.perf_counter() - start, usage.ru_maxrss * 1024


def walk_on(binary, folder, size):
    """Writes the walk, longer than any: rest.obj and anim.pc2 of about `size` bytes."""
    run(binary, "sample", "creature", "--frames", CYCLE, "--detail", DETAIL, "-o", folder, "--quiet")
    cycle = read_pc2(folder / "anim.pc2").copy()
    vertices = cycle.shape[1]
    frames = int(size / (12 * vertices))
    with open(folder / "anim.pc2", "wb") as out:
        out.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, vertices, 0.0, 1.0, frames))
        for frame in range(frames):
            # On a wide circle, so that no two frames are alike.
            angle = 0.002 * frame
            c, s = np.cos(angle), np.sin(angle)
            pose = cycle[frame % CYCLE] @ np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]], dtype="f4")
            out.write((pose + np.array([3 * s, 0, 3 * c], dtype="f4")).astype("<f4").tobytes())
    return frames


def skin(binary, *options, folder):
    report = folder / "report.json"
    seconds, peak = run(binary, "skin", *options, "--quiet", "--report", report)
    return seconds, peak, json.loads(report.read_text())


def large(binary, folder, size, memory, bars):
    """Rows of the two caches."""
    frames = walk_on(binary, folder, size)
    rest, caches = folder / "rest.obj", {"PC2": folder / "anim.pc2", "Alembic": folder / "anim.abc"}
    run(binary, "convert", caches["PC2"], caches["Alembic"], "--rest", rest, "--quiet")
    for name, cache in caches.items():
        with_rest = ["--rest", rest] if name == "PC2" else []
        info = min(run(binary, "info", cache)[0] for _ in range(3))
        options = [cache, *with_rest, "--bones", "30", "--rank", "4", "--memory", int(memory)]
        seconds, peak, report = skin(binary, *options, "-o", folder / "rig.glb", folder=folder)
        learnt = report["learnt_from"]["frames"]
        yield [
            name,
            f"{cache.stat().st_size / 1e9:.2f}",
            bars.held(f"{name}: seconds of info", info, 0.2),
            f"{frames:,}",
            f"{learnt:,}",
            f"{report['error']['percent']:.3f}",
            f"{seconds:.0f}",
            bars.held(f"{name}: peak memory over the working set", peak / memory, 2.0),
            f"{peak / 1e9:.2f}",
        ]


def sequences(binary, data, folder, bars):
    """Errors of fits to all frames and to half of them."""
    for name, (bones, share) in SEQUENCES.items():
        cache, rest = data / name / "anim.pc2", data / name / "rest.obj"
        frames, vertices = read_pc2(cache).shape[:2]
        for kind in ["flexible", "rigid"]:
            options = [cache, "--rest", rest, "--bones", bones, "--kind", kind]
            whole = skin(binary, *options, folder=folder)[2]["error"]["percent"]
            memory = int(share * 12 * vertices * frames)
            part = skin(binary, *options, "--memory", memory, folder=folder)[2]
            error, learnt = part["error"]["percent"], part["learnt_from"]["frames"]
            over = bars.held(f"{name}, {kind}: error over that of the whole", error / whole, 1.1)
            yield [f"{name}, {kind}", str(frames), str(learnt), f"{whole:.3f}", f"{error:.3f}", over]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sinew", type=Path, default=default_binary())
    parser.add_argument("--check", action="store_true", help="fail where a figure is beyond its bar")
    parser.add_argument("--keep", type=Path, help="leave the files here")
    parser.add_argument("--size", type=float, default=4.0, help="of each cache, in GB")
    parser.add_argument("--memory", type=float, default=1.0, help="the working set, in GB")
    arguments = parser.parse_args()
    bars = Bars()
    with contextlib.ExitStack() as stack:
        folder = arguments.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        if "SINEW_DATA" in os.environ:
            header = ["sequence", "frames", "learnt from", "whole, %", "from half, %", "ratio"]
            rows = sequences(arguments.sinew, Path(os.environ["SINEW_DATA"]), folder, bars)
            print(markdown(header, list(rows)))
        header = ["cache", "GB", "info, s", "frames", "learnt from", "error, %", "skin, s", "peak / set", "peak, GB"]
        rows = large(arguments.sinew, folder, arguments.size * 1e9, arguments.memory * 1e9, bars)
        print(markdown(header, list(rows)))
    bars.finish("caches larger than the working set are within their bars", arguments.check)


if __name__ == "__main__":
    main()
