#!/usr/bin/env python3
"""Skeletons of the sequences: how close the joints are to the true ones, how close the skin is, and the time.

    SINEW_DATA=FOLDER bench/skeleton.py [--sequences NAME ...] [--repeat N] [--json FILE]

Prints Markdown: one table of animations that were made with a skeleton, which truth.json beside them holds,
and one of animations without a known one. Needs numpy (pip install numpy) and the release build (cargo build
--release).

    visible   true joints that swing by more than 20° and move more than 0.3 % of the skin; the motion shows
              no others
    jacc      mean distance of the visible joints to the joint that was found nearest to each, over all
              frames, in percent of the longest side of the first frame's box (de Aguiar et al. 2008)
    found     share of the visible joints that have such a joint within 5 percent
    stretch   largest change of a bone's length over the frames, in percent of its mean length
    accu      mean distance of the vertices, as Sinew reports it
    seconds   of the whole process
    skins     the same as a multiple of a rigid skin of 20 bones, made beside it

Joints are read from the written GLB file, not from the report. With --repeat the least of several times
counts.
"""

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

from common import data_folder, default_binary, markdown, read_pc2, sinew
from joints import read_joints

KNOWN = ["baked/cesium-man", "baked/fox", "baked/knight", "baked/knight-walking"]
UNKNOWN = ["horse-gallop", "dance", "elephant-gallop", "chicken-crossing", "elastic-cow", "horse-collapse"]
# True joints that turn by less, or move less of the skin, cannot be seen in the motion.
VISIBLE_SWING = 20.0
VISIBLE_SHARE = 0.003
# A true joint is found when one is this near to it, in percent of the longest side.
NEAR = 5.0
# The skin that times are held against.
SKIN = ["--kind", "rigid", "--bones", "20"]


def visible_joints(truth):
    """Paths (J, S, 3) of the true joints that the motion shows."""
    seen = [
        joint["positions"]
        for joint in truth["joints"]
        if joint["swing_degrees"] > VISIBLE_SWING and joint["share"] > VISIBLE_SHARE
    ]
    return np.array(seen, float)


def joint_errors(true, found, box):
    """For each true path (J, S, 3) the mean distance to the nearest found one, in percent of the box."""
    apart = np.array([np.linalg.norm(found - path, axis=2).mean(axis=1).min() for path in true])
    return 100 * apart / box


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
        true = visible_joints(json.loads(truth.read_text()))
        apart = joint_errors(true, skeleton.paths, np.ptp(frames[0], axis=0).max())
        measures |= {"visible": len(true), "jacc": apart.mean(), "found": (apart <= NEAR).mean()}
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
    found = f"{r['found']:.2f}"
    joints = [str(r["joints"]), str(r["visible"]), f"{r['jacc']:.2f}", found]
    return [name, *joints, f"{r['stretch']:.4f}", f"{r['accu']:.2f}", *times(r)]


def unknown_row(name, r):
    return [name, str(r["joints"]), f"{r['accu']:.2f}", f"{r['percent']:.2f}", *times(r)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = KNOWN + UNKNOWN
    parser.add_argument("--sequences", nargs="+", choices=names, default=names, metavar="NAME")
    parser.add_argument("--repeat", type=int, default=1, metavar="N")
    parser.add_argument("--json", type=Path, metavar="FILE", help="all numbers, for programs")
    parser.add_argument("--sinew", type=Path, default=default_binary(), help="the binary")
    options = parser.parse_args()
    data = data_folder()
    results = {}
    for name in options.sequences:
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
        header = ["sequence", "joints", "visible", "jacc, %", "found", "stretch, %", "accu, %"]
        header += ["seconds", "skins"]
        print(markdown(header, [known_row(name.split("/")[-1], r) for name, r in known.items()]))
    unknown = {name: r for name, r in results.items() if "jacc" not in r}
    if unknown:
        header = ["sequence", "joints", "accu, %", "error, %", "seconds", "skins"]
        print(markdown(header, [unknown_row(name, r) for name, r in unknown.items()]))


if __name__ == "__main__":
    main()
