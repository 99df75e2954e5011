#!/usr/bin/env python3
"""Makes the tables of docs/benchmarks/paper.md: Sinew beside the paper's Table 1 and beside Dem Bones, run in the same go.

    SINEW_DATA=FOLDER bench/table.py [--sequences NAME ...] [--skip-dem-bones] [--json FILE]

Every sequence is skinned with as many bones as the paper has, with rigid and flexible bones, NNLS and TSVD
weights, ranks 0 and 10; once more with nothing asked for; and by Dem Bones with as many bones and four
influences. Prints Markdown. Needs numpy and py-dem-bones (pip install numpy py-dem-bones) and the release
build (cargo build --release).

Errors of Sinew are those it reports; `sinew compare` recomputes them from the written file. Seconds are
wall-clock: Sinew's for the whole process from reading to writing, Dem Bones' for its solver alone.
"""

import argparse
import json
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from common import data_folder, default_binary, markdown, read_obj, read_pc2, skin

PAIRS = [("rigid", "nnls"), ("rigid", "tsvd"), ("flexible", "nnls"), ("flexible", "tsvd")]
RANKS = [0, 10]


@dataclass
class Paper:
    """A row of Table 1 of "Skinning Mesh Animations" (James and Twigg 2005)."""

    bones: int
    near_rigid: float
    # By rank, then in the order of PAIRS; None where the paper has none.
    percent: dict


PAPER = {
    "horse-gallop": Paper(30, 0.84, {0: [8.90, 8.10, 4.53, 3.62], 10: [1.38, 1.46, 0.53, 0.59]}),
    "elephant-gallop": Paper(25, 0.85, {0: [12.5, 10.6, 6.22, 4.80], 10: [1.78, 2.81, 0.85, 1.01]}),
    "chicken-crossing": Paper(22, 0.83, {0: [0.84, 0.69, 0.45, 0.39], 10: [0.17, 0.20, 0.14, 0.57]}),
    "elastic-cow": Paper(18, 0.41, {0: [3.27, 2.82, 3.18, 3.09], 10: [1.55, 1.54, 2.02, 1.94]}),
    "horse-collapse": Paper(6, 0.13, {0: [44.1, 41.7, 30.3, 28.1], 10: [0.88, 15.3, 0.74, None]}),
    "dance": Paper(21, 0.93, {0: [1.34, 1.21, 0.77, 0.65], 10: [0.29, 0.29, 0.18, 0.17]}),
}


def run_sinew(binary, folder, bones):
    """Reports of all pairs and ranks, and of a run with nothing asked for."""
    runs = {}
    with tempfile.TemporaryDirectory() as scratch:
        for rank in RANKS:
            for kind, weights in PAIRS:
                # Weights below zero cannot be stored in a GLB file: those runs only report.
                output = Path(scratch) / "rig.glb" if weights == "nnls" else None
                options = ["--method", "sma", "--bones", bones, "--kind", kind, "--weights", weights, "--rank", rank]
                runs[f"{kind}+{weights}+{rank}"] = skin(binary, folder, *options, output=output)
        runs["default"] = skin(binary, folder, "--method", "sma", output=Path(scratch) / "rig.glb")
    return runs


def run_dem_bones(folder, bones):
    """Error and time of Dem Bones with four influences."""
    import py_dem_bones

    rest, triangles = read_obj(folder / "rest.obj")
    frames = read_pc2(folder / "anim.pc2").astype(np.float64)
    start = time.perf_counter()
    result = py_dem_bones.solve_skinning(rest, frames, bones, faces=triangles.tolist(), max_influences=4)
    seconds = time.perf_counter() - start
    # weights (B, V); transforms (S, B, 4, 4) take the rest pose to each frame, column vectors.
    played = np.stack([blend(result.weights, t, rest) for t in result.transforms])
    off = frames - played
    diagonal = np.linalg.norm(np.ptp(rest, axis=0))
    return {
        "bones": len(result.weights),
        "percent": 100 * np.linalg.norm(off) / np.linalg.norm(frames - frames.mean(0)),
        "max": 100 * np.linalg.norm(off, axis=2).max() / diagonal,
        "seconds": seconds,
    }


def blend(weights, transforms, rest):
    """Linear blend skinning of one frame."""
    of_bones = np.einsum("bij,vj->bvi", transforms[:, :3, :3], rest) + transforms[:, None, :3, 3]
    return np.einsum("bv,bvi->vi", weights, of_bones)


def error_table(results, rank):
    header = ["sequence", "bones"] + [f"{kind} {weights.upper()}" for kind, weights in PAIRS]
    header += ["Dem Bones"] * (rank == 0)
    rows = []
    for name, r in results.items():
        row = [name, str(PAPER[name].bones)]
        for (kind, weights), paper in zip(PAIRS, PAPER[name].percent[rank]):
            percent = r["sinew"][f"{kind}+{weights}+{rank}"]["error"]["percent"]
            row.append(f"{percent:.2f} ({paper:.3g})" if paper else f"{percent:.2f} (none)")
        if rank == 0:
            row.append(f"{r['dem_bones']['percent']:.2f}" if r["dem_bones"] else "not run")
        rows.append(row)
    return markdown(header, rows)


def cost_table(results):
    header = ["sequence", "largest vertex error", "Dem Bones", "seconds", "Dem Bones", "faster", "peak memory"]
    rows = []
    for name, r in results.items():
        ours, theirs = r["sinew"]["flexible+nnls+0"], r["dem_bones"]
        row = [name, f"{ours['error']['max']:.1f} %", f"{theirs['max']:.1f} %" if theirs else "not run"]
        row.append(f"{ours['wall']:.2f}")
        row += [f"{theirs['seconds']:.1f}", f"{theirs['seconds'] / ours['wall']:.1f} ×"] if theirs else ["", ""]
        rows.append(row + [f"{ours['peak_memory'] / 1e6:.0f} MB"])
    return markdown(header, rows)


def tolerance_table(results):
    header = ["sequence", "bones (paper)", "near-rigid fraction (paper)", "error", "seconds"]
    rows = []
    for name, r in results.items():
        run, paper = r["sinew"]["default"], PAPER[name]
        bones = f"{run['bones']} ({paper.bones})"
        fraction = f"{run['near_rigid_fraction']:.2f} ({paper.near_rigid:.2f})"
        rows.append([name, bones, fraction, f"{run['error']['percent']:.2f}", f"{run['wall']:.2f}"])
    return markdown(header, rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sequences", nargs="+", choices=PAPER, default=list(PAPER), metavar="NAME")
    parser.add_argument("--skip-dem-bones", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE", help="all numbers, for programs")
    parser.add_argument("--sinew", type=Path, default=default_binary(), help="the binary")
    options = parser.parse_args()
    data = data_folder()
    if not options.sinew.exists():
        sys.exit(f"{options.sinew} does not exist: run cargo build --release")

    results = {}
    for name in options.sequences:
        folder, bones = data / name, PAPER[name].bones
        print(name, file=sys.stderr)
        results[name] = {
            "sinew": run_sinew(options.sinew, folder, bones),
            "dem_bones": None if options.skip_dem_bones else run_dem_bones(folder, bones),
        }
        if options.json:
            options.json.write_text(json.dumps(results, indent=1))

    print("Error in percent of the motion, without corrections (the paper's in brackets):\n")
    print(error_table(results, 0))
    print("With ten correction shapes:\n")
    print(error_table(results, 10))
    print("Flexible bones, NNLS weights, no corrections; vertex errors in percent of the diagonal:\n")
    print(cost_table(results))
    print("With nothing asked for (ε = 0.05):\n")
    print(tolerance_table(results))


if __name__ == "__main__":
    main()
