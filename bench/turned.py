#!/usr/bin/env python3
"""Whether a skeleton stays the same when the animation is turned, scaled or renumbered.

    SINEW_DATA=FOLDER bench/turned.py [--sequences NAME ...] [--cases N]

FOLDER holds a folder for each sequence, with rest.obj and anim.pc2. Each case turns the sequence about a random
axis, makes it up to a hundred times larger or smaller, and puts its vertices and triangles in another order, every
third case one of these alone. Exits with 1 where a tree differs: other joints, or one that hangs on another.
Needs numpy and a release build.
"""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

from common import data_folder, default_binary, read_obj, read_pc2, sinew, write_sequence
from joints import read_joints

SEQUENCES = ["horse-gallop", "dance", "baked/cesium-man", "baked/fox", "baked/knight"]
FPS = 24


def changed(rest, triangles, frames, seed):
    """A sequence in another guise, the matrix that led there, and what was done."""
    random = np.random.default_rng(seed)
    what = ["turned", "scaled", "renumbered"][seed // 3 % 3] if seed % 3 == 2 else "all"
    matrix, order, faces = np.eye(3), np.arange(len(rest)), np.arange(len(triangles))
    if what in ("all", "turned"):
        matrix, _ = np.linalg.qr(random.normal(size=(3, 3)))
        matrix *= np.sign(np.linalg.det(matrix))
    if what in ("all", "scaled"):
        matrix = matrix * 10 ** random.uniform(-2, 2)
    if what in ("all", "renumbered"):
        order, faces = random.permutation(order), random.permutation(faces)
    triangles = np.argsort(order)[triangles[faces]]
    return ((rest @ matrix.T)[order], triangles, (frames @ matrix.T)[:, order]), matrix, what


def skeleton(binary, folder, sequence):
    """The joints that Sinew finds."""
    write_sequence(folder, *sequence)
    out = folder / "out.glb"
    sinew(binary, "skeleton", folder, "--fps", FPS, output=out)
    return read_joints(out, np.arange(len(sequence[2])) / FPS)


def same_tree(one, other, matrix):
    """Whether two skeletons are alike, and how far joints are off at most, in percent of the skeleton's size."""
    back = other.paths @ np.linalg.inv(matrix).T
    size = np.ptp(one.paths[:, 0], axis=0).max()
    off = np.linalg.norm(one.paths[:, None] - back[None], axis=3).mean(2)
    match = off.argmin(1)
    alike = len(one.names) == len(other.names) == len(set(match)) and all(
        other.parents[match[k]] == (None if parent is None else match[parent])
        for k, parent in enumerate(one.parents)
    )
    return alike, 100 * off.min(1).max() / size


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sequences", nargs="+", default=SEQUENCES, metavar="NAME")
    parser.add_argument("--cases", type=int, default=6, metavar="N")
    parser.add_argument("--sinew", type=Path, default=default_binary(), help="the binary")
    options = parser.parse_args()
    differ = 0
    for name in options.sequences:
        folder = data_folder() / name
        sequence = (*read_obj(folder / "rest.obj"), read_pc2(folder / "anim.pc2").astype(float))
        with tempfile.TemporaryDirectory() as scratch:
            usual = skeleton(options.sinew, Path(scratch), sequence)
            for seed in range(options.cases):
                other, matrix, what = changed(*sequence, seed)
                found = skeleton(options.sinew, Path(scratch), other)
                alike, off = same_tree(usual, found, matrix)
                differ += not alike
                tree = "same tree" if alike else "ANOTHER TREE"
                print(f"{name}: {what}: {tree}, {len(found.names)} joints, {off:.2f} % apart", flush=True)
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
