#!/usr/bin/env python3
"""Shows that time and memory grow about linearly with triangles and with frames, and with bones.

    [SINEW_DATA=FOLDER] bench/scaling.py [--sequence horse-gallop] [--repeat 3]
    [SINEW_DATA=FOLDER] bench/scaling.py --growth 100 200 400 [--kind rigid] [--sequence samba] [--beside SINEW]

The sequence is skinned with about 1, 2 and 4 times the triangles (pairs of triangles are halved at the
middle of the edge between them) and with 1, 2 and 4 times the frames (repeated). Without SINEW_DATA the
built-in creature is taken. Of several runs the fastest counts. Prints Markdown.

With --growth the sequence is skinned as it is with so many bones each; seconds are those of the processor in all threads
together, which other programs disturb less. --beside tells the same of another build of the program.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from common import default_binary, markdown, read_obj, read_pc2, skin, write_sequence

STAGES = ["read", "segment", "bones", "weights", "corrections", "write"]


def halve(rest, triangles, frames):
    """Halves pairs of triangles, longest common edge first, so that no vertex lies within an edge.

    A few triangles are left without a partner, so the count not quite doubles.
    """
    edges = np.concatenate([triangles[:, [i, (i + 1) % 3]] for i in range(3)])
    owner = np.tile(np.arange(len(triangles)), 3)
    low_high = np.sort(edges, axis=1)
    order = np.lexsort((low_high[:, 1], low_high[:, 0]))
    first, second = order[:-1], order[1:]
    shared = (low_high[first] == low_high[second]).all(axis=1)
    first, second = first[shared], second[shared]
    lengths = np.linalg.norm(rest[low_high[first, 0]] - rest[low_high[first, 1]], axis=1)

    free = np.ones(len(triangles), bool)
    middles, halves = [], []
    for k in np.argsort(-lengths, kind="stable"):
        pair = owner[first[k]], owner[second[k]]
        if pair[0] == pair[1] or not (free[pair[0]] and free[pair[1]]):
            continue
        middle = len(rest) + len(middles)
        middles.append(low_high[first[k]])
        for triangle in pair:
            free[triangle] = False
            halves += split(triangles[triangle], middles[-1], middle)
    a, b = np.array(middles).T
    rest = np.concatenate([rest, (rest[a] + rest[b]) / 2])
    frames = np.concatenate([frames, (frames[:, a] + frames[:, b]) / 2], axis=1)
    return rest, np.concatenate([triangles[free], halves]), frames


def split(triangle, edge, middle):
    """The two halves of a triangle cut from the middle of an edge to the opposite corner."""
    at = next(i for i in range(3) if triangle[i] not in edge)
    apex, b, c = np.roll(triangle, -at)
    return [[apex, b, middle], [apex, middle, c]]


def fastest(binary, folder, options):
    with tempfile.TemporaryDirectory() as scratch:
        asked = ["--bones", options.bones, "--rank", options.rank]
        runs = [skin(binary, folder, *asked, output=Path(scratch) / "rig.glb") for _ in range(options.repeat)]
    return min(runs, key=lambda run: run["wall"])


def row(label, run, base):
    size = run["triangles"] * run["frames"] / (base["triangles"] * base["frames"])
    allowed = 2 * run["bytes"]["input"] + 200_000_000
    return [
        label,
        str(run["triangles"]),
        str(run["frames"]),
        *(f"{run['seconds'][stage]:.2f}" for stage in STAGES),
        f"{run['wall']:.2f}",
        f"{size:.2f}",
        f"{run['wall'] / base['wall']:.2f}",
        f"{run['peak_memory'] / 1e6:.0f} of {allowed / 1e6:.0f} MB",
    ]


def source(options, scratch):
    """The sequence's folder."""
    if "SINEW_DATA" in os.environ:
        return Path(os.environ["SINEW_DATA"]) / options.sequence
    print("SINEW_DATA is not set: the built-in creature is taken.", file=sys.stderr)
    folder = scratch / "creature"
    subprocess.run([options.sinew, "sample", "creature", "-o", folder, "--quiet"], check=True)
    return folder


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def growth(folder, options):
    """A row for each number of bones: seconds and what they are of those of the first, and the error."""
    binaries = [options.sinew] + ([options.beside] if options.beside else [])
    rows, first = [], None
    for bones in options.growth:
        cells, seconds = [str(bones)], []
        for binary in binaries:
            before = processor_seconds()
            run = skin(binary, folder, "--bones", bones, "--kind", options.kind)
            seconds.append(processor_seconds() - before)
            cells += [f"{seconds[-1]:.1f}", "", f"{run['error']['percent']:.4f}"]
        first = first or seconds
        for i, (now, then) in enumerate(zip(seconds, first)):
            cells[2 + 3 * i] = f"{now / then:.2f}"
        rows.append(cells)
    return ["bones"] + ["seconds", "of the first", "error, %"] * len(binaries), rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sequence", default="horse-gallop")
    parser.add_argument("--bones", type=int, default=30)
    parser.add_argument("--rank", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--growth", type=int, nargs="+", metavar="BONES")
    parser.add_argument("--kind", choices=["rigid", "flexible"], default="flexible", help="of bones that grow")
    parser.add_argument("--beside", type=Path, metavar="SINEW", help="another build of the program")
    parser.add_argument("--sinew", type=Path, default=default_binary(), help="the binary")
    options = parser.parse_args()
    if not options.sinew.exists():
        sys.exit(f"{options.sinew} does not exist: run cargo build --release")

    header = ["", "triangles", "frames", *STAGES, "total", "size", "time", "peak memory"]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        folder = source(options, scratch)
        if options.growth:
            print(markdown(*growth(folder, options)))
            return
        rest, triangles = read_obj(folder / "rest.obj")
        frames = read_pc2(folder / "anim.pc2")
        finer = halve(rest, triangles, frames)
        variants = {
            "as it is": (rest, triangles, frames),
            "halved once": finer,
            "halved twice": halve(*finer),
            "frames twice": (rest, triangles, np.concatenate([frames] * 2)),
            "frames four times": (rest, triangles, np.concatenate([frames] * 4)),
        }
        rows, base = [], None
        for label, sequence in variants.items():
            write_sequence(scratch / "sequence", *sequence)
            run = fastest(options.sinew, scratch / "sequence", options)
            base = base or run
            rows.append(row(label, run, base))
    print(f"{folder.name}, {options.bones} bones, rank {options.rank}, seconds per stage; size and time "
          "relative to the first row:\n")
    print(markdown(header, rows))


if __name__ == "__main__":
    main()
