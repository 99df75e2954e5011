#!/usr/bin/env python3
"""Skins the sequences of $SINEW_DATA, finds skeletons in some, and holds the errors against their bars.

    SINEW_DATA=FOLDER real_data.py SINEW OUTPUT_FOLDER

Leaves NAME-RUN.glb in the output folder for other clients. One line per run; fails when an error is above its
bar, when the file does not play as the report says, when memory is above its promise, when threads change the
result, or when the error rises from round to round; of skeletons also when joints are not where they truly
are, bones change their length, or the time is out of proportion. bench/skeleton.py says what is measured. Needs
numpy.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "bench"))
from skeleton import frame_rate, measure  # noqa: E402

# Sequence: bones; then at most so many percent, for method best with rigid and with flexible bones.
BEST = {
    "horse-gallop": (30, 2.1, 1.1),
    "elephant-gallop": (25, 2.7, 1.55),
    "chicken-crossing": (22, 0.27, 0.155),
    "elastic-cow": (18, 1.1, 0.60),
    "horse-collapse": (20, 2.85, 1.75),
    "dance": (21, 0.50, 0.20),
}
BEST_RUNS = {
    "best-rigid": ["--kind", "rigid"],
    "best-flexible": ["--kind", "flexible"],
}
# The same for "Skinning Mesh Animations": rigid NNLS, flexible NNLS, flexible TSVD, flexible NNLS at rank 10.
SMA = {
    "horse-gallop": (30, 8.90, 4.53, 3.62, 0.53),
    "elephant-gallop": (25, 12.5, 6.22, 4.80, 0.85),
    "chicken-crossing": (22, 0.84, 0.45, 0.39, 0.14),
    "elastic-cow": (18, 3.27, 3.18, 3.09, 2.02),
    "horse-collapse": (6, 44.1, 30.3, 28.1, 0.74),
    "dance": (21, 1.34, 0.77, 0.65, 0.18),
}
SMA_RUNS = {
    "rigid": ["--method", "sma", "--kind", "rigid"],
    "flexible": ["--method", "sma"],
    "tsvd": ["--method", "sma", "--weights", "tsvd"],
    "rank10": ["--method", "sma", "--rank", "10"],
}
# Largest vertex error in percent of the diagonal. The chicken has 41 pieces; one that is left behind shows here.
LARGEST = {("chicken-crossing", "flexible"): 8.0, ("chicken-crossing", "best-flexible"): 8.0}
# Skeletons: at most, for each measure, but of `found` at least. `skins` is the time as a multiple of a skin's.
SKELETONS = {
    "baked/cesium-man": {"jacc": 3.0, "found": 0.80, "accu": 0.45},
    "baked/fox": {"jacc": 3.5, "found": 0.75, "accu": 0.45},
    "baked/knight": {"jacc": 2.5, "found": 0.80, "accu": 0.45},
    "horse-gallop": {"accu": 0.40, "skins": 6.0},
    "dance": {"accu": 0.45},
}
# Bones keep their length, in percent of it.
STRETCH = 0.01
# Joints for each that the motion shows.
JOINTS_PER_VISIBLE = 1.4
# Runs that are repeated with one thread.
REPEATED = {"flexible", "best-rigid", "best-flexible"}


def call(binary, *arguments):
    """Runs a command of `sinew`. Its report."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        command = [binary, *arguments, "--report", report, "--quiet"]
        # Comparisons print their result even when asked to be quiet.
        subprocess.run([str(c) for c in command], check=True, stdout=subprocess.DEVNULL)
        return json.loads(report.read_text())


def rises(rounds):
    """Whether the error rises between two rounds of the same part of the work, smoothing aside."""
    pairs = zip(rounds, rounds[1:])
    return any(
        a["part"] == b["part"] != "smoothing" and b["percent"] > a["percent"] * (1 + 1e-9) for a, b in pairs
    )


def problems(name, run, bones, report, bar, compared):
    """What is wrong with a run, as sentences."""
    percent = report["error"]["percent"]
    if percent > bar:
        yield f"above {bar}"
    if report["bones"] != bones:
        yield f"{report['bones']} bones instead of {bones}"
    if report["error"]["max"] > LARGEST.get((name, run), 100.0):
        yield f"a vertex is off by {report['error']['max']:.1f} % of the diagonal"
    if report["peak_memory"] > 2 * report["bytes"]["input"] + 200_000_000:
        yield f"took {report['peak_memory'] / 1e6:.0f} MB"
    if compared and abs(compared["error"]["percent"] - percent) > 1e-3 * percent + 1e-4:
        yield f"the file plays with {compared['error']['percent']:.4f} %"
    if rises(report["rounds"]):
        yield "the error rises between rounds"


def check(binary, folder, output, run, options, bones, bar):
    """Makes one run and says how it went. Whether it was good."""
    name = folder.name
    skin = ["skin", folder / "anim.pc2", "--rest", folder / "rest.obj", "--bones", str(bones), *options]
    file, compared = output / f"{name}-{run}.glb", None
    if run == "tsvd":
        # GLB files hold no negative weights.
        report = call(binary, *skin)
    else:
        report = call(binary, *skin, "-o", file)
        compared = call(binary, "compare", folder / "anim.pc2", file, "--rest", folder / "rest.obj")
    found = list(problems(name, run, bones, report, bar, compared))
    if run in REPEATED:
        # Of the same name, because the clip is named after the file.
        alone = output / "one-thread" / file.name
        alone.parent.mkdir(exist_ok=True)
        call(binary, *skin, "-o", alone, "--threads", "1")
        if alone.read_bytes() != file.read_bytes():
            found.append("one thread gives another file")
    error = report["error"]
    print(
        f"{'FAIL' if found else 'ok  '} data {name} {run}: {error['percent']:.3f} % (bar {bar}), "
        f"largest {error['max']:.2f} %, {report['seconds']['total']:.1f} s"
        + "".join(f"; {text}" for text in found),
        flush=True,
    )
    return not found


def skeleton_problems(bars, result):
    """What is wrong with a skeleton, as sentences."""
    if result["roots"] != 1:
        yield f"{result['roots']} roots"
    if result["stretch"] > STRETCH:
        yield f"a bone stretches by {result['stretch']:.4f} %"
    if result["joints"] > JOINTS_PER_VISIBLE * result.get("visible", result["joints"]):
        yield f"{result['joints']} joints where {result['visible']} are visible"
    for name, bar in bars.items():
        off = result[name] < bar if name == "found" else result[name] > bar
        if off:
            yield f"{name} is {result[name]:.3g}, the bar is {bar}"


def check_skeleton(binary, folder, output, bars):
    """Finds the skeleton of a sequence and says how good it is. Whether it was good enough."""
    file = output / f"{folder.name}-skeleton.glb"
    result = measure(binary, folder, file)
    result["skins"] = result["seconds"] / result["skin_seconds"]
    found = list(skeleton_problems(bars, result))
    frames = ["--fps", str(frame_rate(folder))]
    source = [folder / "anim.pc2", "--rest", folder / "rest.obj", *frames]
    compared = call(binary, "compare", source[0], file, *source[1:])["error"]["accu"]
    if abs(compared - result["accu"]) > 1e-3 * result["accu"] + 1e-4:
        found.append(f"the file plays with accu {compared:.4f}")
    alone = output / "one-thread" / file.name
    alone.parent.mkdir(exist_ok=True)
    call(binary, "skeleton", *source, "-o", alone, "--threads", "1")
    if alone.read_bytes() != file.read_bytes():
        found.append("one thread gives another file")
    true = f", jacc {result['jacc']:.2f} %, found {result['found']:.2f}" if "jacc" in result else ""
    print(
        f"{'FAIL' if found else 'ok  '} data {folder.name} skeleton: {result['joints']} joints{true}, "
        f"accu {result['accu']:.3f} %, {result['seconds']:.1f} s ({result['skins']:.1f} skins)"
        + "".join(f"; {text}" for text in found),
        flush=True,
    )
    return not found


def main():
    if "SINEW_DATA" not in os.environ:
        print("SINEW_DATA is not set: nothing was checked against real data.")
        return
    binary, output, data = Path(sys.argv[1]), Path(sys.argv[2]), Path(os.environ["SINEW_DATA"])
    output.mkdir(parents=True, exist_ok=True)
    good = True
    for table, runs in [(BEST, BEST_RUNS), (SMA, SMA_RUNS)]:
        for name, (bones, *bars) in table.items():
            for (run, options), bar in zip(runs.items(), bars):
                good &= check(binary, data / name, output, run, options, bones, bar)
    for name, bars in SKELETONS.items():
        if (data / name).is_dir():
            good &= check_skeleton(binary, data / name, output, bars)
        else:
            print(f"skip data {name} skeleton: it is not in {data}")
    sys.exit(int(not good))


if __name__ == "__main__":
    main()
