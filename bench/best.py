#!/usr/bin/env python3
"""Sinew's default method beside Dem Bones: error and time with as many bones and influences.

    SINEW_DATA=FOLDER bench/best.py [--sequences NAME ...] [--repeat N] [--skip-dem-bones] [--json FILE]

Prints Markdown. Needs numpy and py-dem-bones (pip install numpy py-dem-bones) and the release build (cargo build
--release).

Errors of Sinew are those it reports; `sinew compare` recomputes them from the written file. Seconds are
wall-clock: Sinew's for the whole process from reading the cache to writing the GLB file, Dem Bones' for its solver
alone. With --repeat the least of several runs counts, for both.
"""

import argparse
import json
import tempfile
from pathlib import Path

from common import data_folder, default_binary, markdown, skin
from table import run_dem_bones

BONES = {
    "horse-gallop": 30,
    "elephant-gallop": 25,
    "chicken-crossing": 22,
    "dance": 21,
    "elastic-cow": 18,
    "horse-collapse": 20,
}


def best_of(times, run):
    """The quickest of several runs; they give the same result."""
    return min((run() for _ in range(times)), key=lambda r: r.get("wall", r.get("seconds")))


def measure(binary, folder, bones, repeat, dem_bones):
    result = {}
    with tempfile.TemporaryDirectory() as scratch:
        for kind in ["rigid", "flexible"]:
            options = ["--bones", bones, "--kind", kind, "--influences", 4]
            output = Path(scratch) / "rig.glb"
            result[kind] = best_of(repeat, lambda: skin(binary, folder, *options, output=output))
    if dem_bones:
        result["dem_bones"] = best_of(repeat, lambda: run_dem_bones(folder, bones))
    return result


def row(name, result):
    rigid, flexible, theirs = result["rigid"], result["flexible"], result.get("dem_bones")
    cells = [name, str(BONES[name])]
    cells.append(f"{theirs['percent']:.2f}" if theirs else "not run")
    cells += [f"{r['error']['percent']:.3f}" for r in (rigid, flexible)]
    cells.append(f"{theirs['seconds']:.2f}" if theirs else "not run")
    for r in (rigid, flexible):
        faster = f" ({theirs['seconds'] / r['wall']:.1f} ×)" if theirs else ""
        cells.append(f"{r['wall']:.2f}{faster}")
    cells += [f"{r['error']['max']:.1f}" for r in (rigid, flexible)]
    return cells


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sequences", nargs="+", choices=BONES, default=list(BONES), metavar="NAME")
    parser.add_argument("--repeat", type=int, default=1, metavar="N")
    parser.add_argument("--skip-dem-bones", action="store_true")
    parser.add_argument("--json", type=Path, metavar="FILE", help="all numbers, for programs")
    parser.add_argument("--sinew", type=Path, default=default_binary(), help="the binary")
    options = parser.parse_args()
    data = data_folder()
    results = {}
    for name in options.sequences:
        results[name] = measure(
            options.sinew, data / name, BONES[name], options.repeat, not options.skip_dem_bones
        )
        if options.json:
            options.json.write_text(json.dumps(results, indent=1))
    header = ["sequence", "bones", "Dem Bones, %", "rigid, %", "flexible, %"]
    header += ["Dem Bones, s", "rigid, s", "flexible, s", "largest, rigid", "largest, flexible"]
    print(markdown(header, [row(name, result) for name, result in results.items()]))


if __name__ == "__main__":
    main()
