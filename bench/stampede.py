#!/usr/bin/env python3
"""Levels of detail, baked light and crowds, measured on real sequences.

    SINEW_DATA=FOLDER bench/stampede.py [--check] [--sinew FILE] [--keep FOLDER]

Prints Markdown, three tables:

    levels    the horse with 30 bones simplified to 2,100 triangles: mean distance over all frames from the nearest
              points of the full animation in percent of its longest side, largest in percent of the diagonal
    light     horse and dance, ambient occlusion in eight shapes: mean and largest error in percent of the range,
              and how many times smaller it is than four bytes of colour for every vertex in every frame
    crowd     a few horses on whatever GPU there is, or a software one: largest difference of a vertex from the CPU
              as a share of the diagonal, by both routes; frames a second here are those of the adapter it names

With --check it fails where a figure is beyond its bar. Needs numpy (pip install numpy) and the release build
(cargo build --release).
"""

import contextlib
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from common import Bars, check_arguments, data_folder, markdown, skin

RIGS = {"horse-gallop": 30, "dance": 21}
TRIANGLES = 2100
# Mean distance in percent; mean error in percent of the range; how many times smaller; share of the diagonal.
ACCU, LIGHT, SMALLER, GPU = 0.3, 2.0, 15.0, 1e-5


def call(binary, folder, *arguments, may_fail=False):
    """Runs a command. Its report, or none where it fails and may."""
    report = folder / "report.json"
    command = [str(a) for a in [binary, *arguments, "--report", report, "--quiet"]]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if run.returncode == 0:
        return json.loads(report.read_text())
    if may_fail:
        print(run.stdout.decode().strip(), "\n")
        return None
    sys.exit(f"{' '.join(command)}\n{run.stdout.decode().strip()}")


def levels(binary, folder, rig, bars):
    report = call(binary, folder, "lod", rig, "--triangles", TRIANGLES, "-o", folder / "lods.glb")
    rows = []
    for level in report["levels"][1:]:
        accu = bars.held("level, mean distance", level["accu"], ACCU)
        rows.append([f"{level['triangles']} triangles", accu, f"{level['max']:.2f}", str(report["frames"])])
    return markdown(["levels", "mean", "largest", "frames"], rows)


def light(binary, folder, rigs, bars):
    rows = []
    for name, rig in rigs.items():
        report = call(binary, folder, "light", rig, "--rank", 8, "-o", folder / f"{name}-lit.glb")
        mean = bars.held(f"light of {name}, mean error", report["error_mean"], LIGHT)
        smaller = report["bytes_of_colours"] / report["bytes"]
        bars.held(f"light of {name}, share of the colours", 1 / smaller, 1 / SMALLER)
        rows.append([name, mean, f"{report['error_largest']:.1f}", f"{smaller:.1f} ×", f"{report['seconds']:.1f}"])
    return markdown(["light", "mean", "largest", "smaller", "seconds"], rows)


def crowd(binary, folder, rig, bars):
    rows = []
    for route in ["compute", "draw"]:
        options = ["--count", 64, "--size", "640x360", "--route", route, "--bench", "-o", folder / f"{route}.png"]
        report = call(binary, folder, "crowd", rig, *options, may_fail=True)
        if report:
            off = bars.held(f"crowd by {route}, largest difference", report["largest_difference"], GPU)
            rows.append([f"{report['route']}, {report['adapter']}", off, f"{report['fps']:.0f}"])
    return markdown(["crowd", "difference", "frames a second"], rows)


def main():
    arguments = check_arguments(__doc__)
    data, bars, binary = data_folder(), Bars(), arguments.sinew
    with contextlib.ExitStack() as stack:
        folder = arguments.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        rigs = {name: folder / f"{name}.glb" for name in RIGS}
        for name, rig in rigs.items():
            skin(binary, data / name, "--bones", str(RIGS[name]), output=rig)
        print(levels(binary, folder, rigs["horse-gallop"], bars))
        print(light(binary, folder, rigs, bars))
        print(crowd(binary, folder, rigs["horse-gallop"], bars))
    bars.finish("levels, light and crowds", arguments.check)


main()
