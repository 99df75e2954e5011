"""The rig that --target-error finds beside the smallest of a grid over bones, influences, rank and kind.

    SINEW_DATA=folder python bench/grid.py --target 1.0 --sequences horse-gallop

The grid is what one would try by hand: every rig is fitted and written, and the smallest file that keeps the error
is the one to beat. Sizes are those of the written files, errors those that Sinew reports. The whole grid can be
written as JSON.
"""

import argparse
import itertools
import json
import tempfile
from pathlib import Path

from common import data_folder, default_binary, markdown, skin

SEQUENCES = ["horse-gallop", "elastic-cow", "chicken-crossing", "dance"]
KINDS = ["rigid", "flexible"]


def facts(report, options):
    keep = {"percent": report["error"]["percent"], "bytes": report["bytes"]["output"], "wall": report["wall"]}
    return {**options, **keep}


def fit(binary, folder, output, bones, influences, rank, kind):
    options = {"bones": bones, "influences": influences, "rank": rank, "kind": kind}
    words = [w for name, value in options.items() for w in (f"--{name}", value)]
    return facts(skin(binary, folder, *words, output=output), options)


def search(binary, folder, output, target):
    report = skin(binary, folder, "--target-error", target, output=output)
    chosen = next(c for c in report["choices"] if c["chosen"])
    options = {name: chosen[name] for name in ["bones", "influences", "rank", "kind"]}
    return {**facts(report, options), "tried": len(report["choices"])}


def row(who, rig, smallest):
    shape = [who, str(rig["bones"]), rig["kind"], str(rig["influences"]), str(rig["rank"])]
    ratio = f"{rig['bytes'] / smallest:.3f}"
    return [*shape, f"{rig['percent']:.3f}", f"{rig['bytes'] / 1000:.1f}", ratio, f"{rig['wall']:.1f}"]


def compare(name, options):
    folder = data_folder() / name
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(scratch) / "rig.glb"
        found = search(options.sinew, folder, output, options.target)
        axes = itertools.product(options.bones, options.influences, options.rank, KINDS)
        grid = [fit(options.sinew, folder, output, *rig) for rig in axes]
    kept = sorted((r for r in grid if r["percent"] <= options.target), key=lambda r: r["bytes"])
    print(f"{name}: at most {options.target} %, {len(grid)} rigs in the grid, {found['tried']} in the search\n")
    smallest = kept[0]["bytes"] if kept else found["bytes"]
    rows = [row("--target-error", found, smallest)]
    rows += [row(f"grid, number {i + 1}", rig, smallest) for i, rig in enumerate(kept[: options.show])]
    header = ["rig", "bones", "kind", "influences", "rank", "error, %", "kB", "to the smallest", "seconds"]
    print(markdown(header, rows))
    return {"found": found, "grid": grid}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sequences", nargs="+", choices=SEQUENCES, default=SEQUENCES, metavar="NAME")
    parser.add_argument("--target", type=float, default=1.0, metavar="PERCENT")
    bones = [6, 8, 10, 12, 16, 20, 24, 28, 30, 32, 34, 36, 38, 40, 44]
    parser.add_argument("--bones", type=int, nargs="+", default=bones, metavar="N")
    parser.add_argument("--influences", type=int, nargs="+", default=[2, 4, 8], metavar="K")
    parser.add_argument("--rank", type=int, nargs="+", default=[0, 1, 2, 4], metavar="R")
    parser.add_argument("--show", type=int, default=5, metavar="N", help="rigs of the grid to show")
    parser.add_argument("--json", type=Path, metavar="FILE", help="all numbers, for programs")
    parser.add_argument("--sinew", type=Path, default=default_binary(), help="the binary")
    options = parser.parse_args()
    results = {}
    for name in options.sequences:
        results[name] = compare(name, options)
        if options.json:
            options.json.write_text(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
