#!/usr/bin/env python3
"""Skeletons of the sequences: how close the joints are to the true ones, how close the skin is, and the time.

    SINEW_DATA=FOLDER bench/skeleton.py [--sequences NAME ...] [--bodies FOLDER] [--repeat N] [--json FILE]

Prints Markdown: one table of animations that were made with a skeleton, which truth.json beside them holds,
and one of animations without a known one. Needs numpy (pip install numpy) and the release build (cargo build
--release).

    visible   true joints that swing by more than 20° and move more than 0.3 % of the skin; the motion shows
              no others
    jacc      mean distance of the visible joints to the joint that was found nearest to each, over all
              frames, in percent of the longest side of the first frame's box (de Aguiar et al. 2008)
    found     share of the visible joints that have such a joint within 5 percent
    tree, extra, sides, root
              whether the tree is right, and both sides of it alike: see trees.py
    stretch   largest change of a bone's length over the frames, in percent of its mean length
    accu      mean distance of the vertices, as Sinew reports it
    seconds   of the whole process
    skins     the same as a multiple of a rigid skin of 20 bones, made beside it

With --bodies the bodies in FOLDER, as bench/bodies.py makes them, are judged instead of the sequences. Joints are
read from the written GLB file, not from the report. With --repeat the least of several times counts.
"""

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

from common import data_folder, default_binary, markdown, read_pc2, sinew
from joints import read_joints
from trees import NEAR, apart, judge_tree

KNOWN = ["baked/cesium-man", "baked/fox", "baked/knight", "baked/knight-walking"]
UNKNOWN = ["horse-gallop", "dance", "samba", "elephant-gallop", "chicken-crossing", "elastic-cow", "horse-collapse"]
# True joints that turn by less, or move less of the skin, cannot be seen in the motion.
VISIBLE_SWING = 20.0
VISIBLE_SHARE = 0.003
# The skin that times are held against.
SKIN = ["--kind", "rigid", "--bones", "20"]


def visible_joints(truth):
    """Numbers of the true joints that the motion shows."""
    joints = enumerate(truth["joints"])
    return [k for k, j in joints if j["swing_degrees"] > VISIBLE_SWING and j["share"] > VISIBLE_SHARE]


def stretch(paths, parents):
    """The largest change of a bone's length, in percent of its mean length."""
    worst = 0.0
    for path, parent in zip(paths, parents):
        if parent is not None:
            lengths = np.linalg.norm(path - paths[parent], axis=1)
            if lengths.mean() > 0:
                worst = max(worst, 100 * np.ptp(lengths) / lengths.mean())
    return worst


def judge(glb, folder, fps):
    """Measures of a skeleton file; those against the truth where it is known."""
    frames = read_pc2(folder / "anim.pc2")
    skeleton = read_joints(glb, np.arange(len(frames)) / fps)
    measures = {
        "joints": len(skeleton.parents),
        "roots": sum(parent is None for parent in skeleton.parents),
        "stretch": stretch(skeleton.paths, skeleton.parents),
    }
    truth = folder / "truth.json"
    if truth.exists():
        truth = json.loads(truth.read_text())
        visible, box = visible_joints(truth), np.ptp(frames[0], axis=0).max()
        true = np.array([truth["joints"][k]["positions"] for k in visible], float)
        off = apart(true, skeleton.paths, box).min(axis=1)
        measures |= {"visible": len(true), "jacc": off.mean(), "found": (off <= NEAR).mean()}
        measures |= judge_tree(truth["joints"], visible, skeleton.paths, skeleton.parents, box)
    return measures


def frame_rate(folder):
    """Frames per second of a sequence: of its truth, else what Sinew takes for caches, which do not say."""
    truth = folder / "truth.json"
    return json.loads(truth.read_text())["fps"] if truth.exists() else 24.0


def measure(binary, folder, output, repeat=1):
    """Writes a skeleton of a sequence. All measures of it."""
    fps = frame_rate(folder)

    def quickest(command, output, *options):
        runs = (sinew(binary, command, folder, *options, output=output) for _ in range(repeat))
        return min(runs, key=lambda run: run["wall"])

    with tempfile.TemporaryDirectory() as scratch:
        beside = quickest("skin", Path(scratch) / "skin.glb", *SKIN)
    report = quickest("skeleton", output, "--fps", fps)
    return {
        **judge(output, folder, fps),
        "accu": report["error"]["accu"],
        "percent": report["error"]["percent"],
        "seconds": report["wall"],
        "skin_seconds": beside["wall"],
    }


def times(result):
    return [f"{result['seconds']:.2f}", f"{result['seconds'] / result['skin_seconds']:.1f} ×"]


def known_row(name, r):
    def number(what, digits):
        return "–" if r[what] is None else f"{r[what]:.{digits}f}"

    joints = [str(r["joints"]), str(r["visible"]), number("jacc", 2), number("found", 2)]
    tree = [number("tree", 2), number("extra", 2), number("sides", 2), number("root", 1)]
    return [name, *joints, *tree, f"{r['stretch']:.4f}", f"{r['accu']:.2f}", *times(r)]


def unknown_row(name, r):
    return [name, str(r["joints"]), f"{r['accu']:.2f}", f"{r['percent']:.2f}", *times(r)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = KNOWN + UNKNOWN
    parser.add_argument("--sequences", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--repeat", type=int, default=1, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE", help="all numbers, for programs")
    parser.add_argument("--sinew", type=Path, default=default_binary(), help="the binary")
    parser.add_argument("--bodies", type=Path, metavar="FOLDER", help="judge those in it instead")
    options = parser.parse_args()
    data = options.bodies or data_folder()
    sequences = sorted(f.parent.name for f in data.glob("*/truth.json")) if options.bodies else options.sequences
    results = {}
    for name in sequences:
        if not (data / name / "anim.pc2").exists():
            print(f"{name} is not in {data}; left out")
            continue
        with tempfile.TemporaryDirectory() as scratch:
            output = Path(scratch) / "character.glb"
            results[name] = measure(options.sinew, data / name, output, options.repeat)
        if options.json:
            options.json.write_text(json.dumps(results, indent=1))
    known = {name: r for name, r in results.items() if "jacc" in r}
    if known:
        header = ["sequence", "joints", "visible", "jacc, %", "found", "tree", "extra", "sides", "root, %"]
        header += ["stretch, %", "accu, %"]
        header += ["seconds", "skins"]
        print(markdown(header, [known_row(name.split("/")[-1], r) for name, r in known.items()]))
    unknown = {name: r for name, r in results.items() if "jacc" not in r}
    if unknown:
        header = ["sequence", "joints", "accu, %", "error, %", "seconds", "skins"]
        print(markdown(header, [unknown_row(name, r) for name, r in unknown.items()]))


if __name__ == "__main__":
    main()
