#!/usr/bin/env python3
"""Reads, converts and compares folders of files that others made, and prints how that went.

    bench/corpus.py FOLDER... [--sinew BINARY] [--only TEXT] [--jobs N] [--report FILE.json]

Point it at checkouts of public test files, such as

    github.com/ufbx/ufbx-data or ufbx's own data/    FBX beside OBJ files that the programs themselves exported
    github.com/KhronosGroup/glTF-Sample-Assets       plain, embedded, quantised and compressed forms of one model
    github.com/KhronosGroup/glTF-Asset-Generator     one feature a file
    github.com/PixarAnimationStudios/OpenUSD         pxr/usd/**/testenv, with baselines
    github.com/alembic/alembic                       archives of its tests

Without a folder it takes SINEW_CORPUS, and says so where that is not set. Every file of a format that Sinew reads is
described (`sinew info`) and converted to poses (`sinew convert`). What comes out is compared with the best there is:

    FBX       NAME.obj or NAME_FRAME.obj beside NAME_VERSION_ascii.fbx or _binary.fbx: some frame has to hold its points
    glTF      the same model in a sibling folder (glTF, glTF-Binary, glTF-Draco, glTF-Meshopt, ...): the same points
    USD       NAME.baked.usda beside NAME.usda or in its folder baseline: the same points at the same frames
    all       otherwise a round trip: written as another format and read again, the poses are the same

A table follows: files, read, refused, wrong, and the slowest. Exits with 1 on a crash, on no answer within 2 seconds for
every 10 MB, and on a wrong result; a refusal is none of these, and is listed with its reason. Needs numpy and scipy.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from common import default_binary, read_pc2

# Endings of files that are looked at, by format.
FORMATS = {
    "FBX": {"fbx"},
    "glTF": {"glb", "gltf"},
    "USD": {"usd", "usda", "usdc", "usdz"},
    "Alembic": {"abc"},
    "meshes": {"obj", "ply", "stl"},
    "caches": {"pc2", "mdd", "mc", "mcx", "npy", "npz"},
    "motion": {"bvh", "asf", "amc"},
    "Sinew": {"sinew"},
}
SECONDS = 2.0  # for every SIZE bytes of a file or less
SIZE = 10e6
PATIENCE = 5  # times as long is waited before a process is ended; its time counts all the same
CLOSE = 2e-3  # of the size: as near as points of another program have to be
COMPRESSED = 1e-2  # of the size: numbers of compressed files are coarse
SAME = 1e-4  # of the size: as near as points have to be after a round trip
FRAMES = 8  # compared at most, where frames belong to each other
# Units and turns of the axes in which files of other programs may differ.
UNITS = (1, 0.01, 100, 0.1, 10, 0.001, 1000, 2.54, 30.48, 0.0254, 0.3048)
TURNS = [np.array(m) for m in ([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, 1], [0, -1, 0]], [[1, 0, 0], [0, 0, -1], [0, 1, 0]])]
# Words in names of OBJ files that show something else than the points of a mesh that moves.
OTHER_THINGS = re.compile("subsurf|subdiv|crease|line_point|fail|lod")


class Refused(Exception):
    """A sentence and exit code 2."""


class Broken(Exception):
    """A crash, or no answer."""


class Judge:
    """Runs Sinew on one file, and remembers how long it took."""

    def __init__(self, binary, path, scratch):
        self.binary, self.path, self.scratch = binary, path, scratch
        self.seconds = 0.0

    def limit(self):
        return SECONDS * max(1.0, folder_size(self.path) / SIZE)

    def run(self, *words):
        """Runs a command. Ends with Refused or Broken where there is no result."""
        limit = self.limit()
        code, took, said = timed([self.binary, *words, "--quiet"], PATIENCE * limit, self.scratch / "said.txt")
        self.seconds = max(self.seconds, took)
        if code is None or took > limit:
            raise Broken(f"{words[0]}: {'no answer in ' if code is None else ''}{took:.1f} s, more than {limit:.1f} s")
        if code == 2:
            raise Refused(reason(said))
        if code:
            raise Broken(f"{words[0]} ended with {code}: {last_line(said)}")

    def poses(self, path=None, clips=True):
        """All poses of a file (S, V, 3). Clips of several lengths may have no one rate, so that the first is taken."""
        out = self.scratch / "poses.pc2"
        path = path or self.path
        try:
            self.run("convert", path, out, *(["--clip", "all"] if clips else []))
        except Refused:
            if not clips:
                raise
            self.run("convert", path, out)
        return read_pc2(out)


def timed(command, patience, said):
    """Runs a command. What it ended with (None where it had to be ended), its seconds, and what it said.

    The seconds are those of the clock, or of all processors where these are fewer: a machine with other work is slow.
    """
    begun = time.perf_counter()
    with open(said, "wb") as err:
        process = subprocess.Popen([str(w) for w in command], stdout=subprocess.DEVNULL, stderr=err)
    ended = False
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        clock = time.perf_counter() - begun
        if pid:
            break
        if clock > patience and not ended:
            process.kill()
            ended = True
        time.sleep(0.002)
    process.returncode = os.waitstatus_to_exitcode(status)
    took = clock if ended else min(clock, usage.ru_utime + usage.ru_stime)
    return None if ended else process.returncode, took, said.read_text(errors="replace")


def folder_size(path):
    """Bytes of a file with what it may refer to: buffers and textures beside a glTF file."""
    if path.suffix == ".gltf":
        return sum(p.stat().st_size for p in path.parent.iterdir() if p.is_file())
    return path.stat().st_size


def last_line(text):
    return (text.strip().splitlines() or [""])[-1]


def reason(text):
    """Why a file is refused, without its name and its own numbers, so that equal ones can be counted."""
    said = last_line(text).removeprefix("error: ")
    said = re.sub(r"^.*?\.\w{2,5}: ", "", said)
    # Numbers of their own, not digits of words such as HDF5.
    return re.sub(r"\b\d+(\.\d+)*\b", "N", said)


def obj_points(path):
    """Positions of a mesh."""
    lines = (line.split() for line in open(path, errors="replace") if re.match(r"v\s", line))
    return np.array([[float(x) for x in words[1:4]] for words in lines])


def size_of(points):
    return np.linalg.norm(np.ptp(points, axis=0)) or 1.0


def nearest(points, wanted):
    """The largest distance from a wanted point to the nearest there is, as a part of the size."""
    return cKDTree(points).query(wanted)[0].max() / size_of(wanted)


def best_frame(poses, wanted, good, turns=TURNS):
    """The least of nearest() over all frames, units and turns of the axes."""
    size, best = size_of(wanted), np.inf
    low, high = wanted.min(0), wanted.max(0)
    for unit in UNITS:
        for turn in turns:
            for pose in poses:
                points = unit * pose @ turn.T
                if (points.min(0) - low > 0.02 * size).any() or (high - points.max(0) > 0.02 * size).any():
                    continue
                best = min(best, nearest(points, wanted))
                if best < good:
                    return best
    return best


def apart(poses, others, unit=True):
    """How far two animations are from each other as sets of points, in both directions, frame by frame. A unit may differ."""
    if len(poses) != len(others):
        return f"{len(poses)} frames and {len(others)}"
    frames = np.unique(np.linspace(0, len(poses) - 1, FRAMES).round().astype(int))
    size = size_of(poses[0])
    ratio = size_of(others[0]) / size
    scale = min(UNITS, key=lambda u: abs(np.log(max(ratio, 1e-12) * u))) if unit else 1
    return max(max(nearest(scale * others[f], poses[f]), nearest(poses[f], scale * others[f])) for f in frames)


def told(distance, most, beside):
    """What is wrong with a distance, if anything."""
    if isinstance(distance, str):
        return f"{distance} in {beside}"
    return None if distance <= most else f"{100 * distance:.2f} % from {beside}"


def fbx_references(path):
    """OBJ files of the same scene as its own program saw it."""
    match = re.fullmatch(r"(.+)_\d{4}_(?:binary|ascii)", path.stem)
    if not match:
        return []
    base = re.escape(match[1])
    names = re.compile(rf"{base}(_\d+)?(_obj|_mat|_0_obj)?\.obj")
    found = [p for p in path.parent.glob("*.obj") if names.fullmatch(p.name) and not OTHER_THINGS.search(p.name)]
    # NAME_5.obj is frame 5 of NAME, unless there is an FBX file called NAME_5.
    taken = {re.sub(r"_\d{4}_(binary|ascii)$", "", p.stem) for p in path.parent.glob("*.fbx")}
    return sorted(p for p in found if re.sub(r"(_obj|_mat|_0_obj)?$", "", p.stem) in (match[1],) or p.stem not in taken)


def gltf_reference(path):
    """The same model, plain: of glTF-Sample-Assets' layout, where forms of a model are in sibling folders."""
    if not re.fullmatch(r"glTF(-[\w-]+)?", path.parent.name) or path.parent.name == "glTF":
        return None
    model = path.parent.parent
    plain = [model / "glTF" / f"{path.stem}.gltf", model / f"{path.stem}.glb", model / "glTF-Binary" / f"{path.stem}.glb"]
    return next((p for p in plain if p.exists() and p != path), None)


def usd_reference(path):
    """What OpenUSD made of the same file with its skin baked."""
    baked = f"{path.stem}.baked{path.suffix}"
    beside = [path.with_name(baked), path.parent / "baseline" / baked, path.parent / "baseline" / path.name]
    return next((p for p in beside if p.exists() and "skel" in str(p).lower()), None)


def check_fbx(judge, poses, references):
    for reference in references:
        points = obj_points(reference)
        if len(points) == 0:
            continue
        stated = re.search(r"ufbx:tolerance=([\d.]+)", reference.read_text(errors="replace")[:2000])
        most = max(CLOSE, 0.1 * float(stated[1]) if stated else 0.0)
        wrong = told(best_frame(poses, points, most / 4), most, reference.name)
        if wrong:
            return wrong
    return None


def check_round_trip(judge, poses, is_rig):
    """Written as another file and read again, the poses are the same."""
    again = judge.scratch / ("again.glb" if is_rig else "again.npz")
    if len(poses) == 1 and not is_rig:
        again = judge.scratch / "again.ply"
    try:
        judge.run("convert", judge.path, again, *(["--clip", "all"] if is_rig else []))
    except Refused:
        if not is_rig:
            raise
        judge.run("convert", judge.path, again)
    return told(apart(poses, judge.poses(again, clips=is_rig)), SAME, f"itself after a round trip by {again.suffix}")


def check_motion(judge):
    """Joints without a mesh: what was written once stays as it is."""
    once, twice = judge.scratch / "once.bvh", judge.scratch / "twice.bvh"
    judge.run("convert", judge.path, once)
    judge.run("convert", once, twice)
    numbers = [[float(x) for x in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", p.read_text())] for p in (once, twice)]
    same = len(numbers[0]) == len(numbers[1]) and np.allclose(*numbers, rtol=1e-4, atol=1e-3)
    return None if same else "BVH differs after a round trip"


def check(judge):
    """What is wrong with a file, if anything, and what it was compared with."""
    report = judge.scratch / "info.json"
    judge.run("info", judge.path, "--report", report)
    known = json.loads(report.read_text())
    if judge.path.suffix in (".bvh", ".amc"):
        return check_motion(judge), "round trip"
    if judge.path.suffix == ".asf" or "vertices" in known and not known["vertices"]:
        return None, "described"
    poses = judge.poses()
    if references := fbx_references(judge.path):
        return check_fbx(judge, poses, references), "OBJ"
    if reference := gltf_reference(judge.path):
        return told(apart(poses, judge.poses(reference)), COMPRESSED, reference.name), "plain form"
    if reference := usd_reference(judge.path):
        return told(apart(poses, judge.poses(reference), unit=False), SAME, reference.name), "baseline"
    return check_round_trip(judge, poses, "bones" in known and bool(known["bones"])), "round trip"


def judged(binary, path):
    """One file, as a row of the report."""
    row = {"file": str(path), "outcome": "read", "why": None, "by": None, "seconds": 0.0}
    with tempfile.TemporaryDirectory() as scratch:
        judge = Judge(binary, path, Path(scratch))
        try:
            row["why"], row["by"] = check(judge)
            row["outcome"] = "wrong" if row["why"] else "read"
        except Refused as refused:
            row["outcome"], row["why"] = "refused", str(refused)
        except Broken as broken:
            row["outcome"], row["why"] = "broken", str(broken)
        row["seconds"] = judge.seconds
    return row


def files_of(folder, only):
    """Files to look at, by format."""
    endings = {ending: name for name, all_ in FORMATS.items() for ending in all_}
    for path in sorted(folder.rglob("*")):
        name = endings.get(path.suffix[1:].lower())
        if name and path.is_file() and only in str(path) and ".git" not in path.parts:
            yield name, path


def table(rows):
    """One line for each folder and format."""
    print(f"{'folder':<24} {'format':<9} {'files':>6} {'read':>6} {'refused':>8} {'wrong':>6} {'broken':>7}  slowest")
    groups = collections.defaultdict(list)
    for row in rows:
        groups[row["folder"], row["format"]].append(row)
    everything = [*groups.items(), (("all", ""), rows)]
    for (folder, name), of in everything:
        count = collections.Counter(row["outcome"] for row in of)
        slowest = max(of, key=lambda row: row["seconds"])
        slow = f"{slowest['seconds']:.2f} s {Path(slowest['file']).name}"
        numbers = f"{len(of):>6} {count['read']:>6} {count['refused']:>8} {count['wrong']:>6} {count['broken']:>7}"
        print(f"{folder:<24} {name:<9} {numbers}  {slow}")


def listed(rows):
    """Why files were refused, how often; and all that are wrong or broken."""
    reasons = collections.Counter(row["why"] for row in rows if row["outcome"] == "refused")
    for why, count in reasons.most_common():
        print(f"refused {count:>4}  {why}")
    bad = [row for row in rows if row["outcome"] in ("wrong", "broken")]
    for row in bad:
        print(f"{row['outcome']:<8}      {row['file']}: {row['why']}")
    return bool(bad)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    parser.add_argument("--sinew", type=Path, default=default_binary())
    parser.add_argument("--only", default="", metavar="TEXT", help="only files whose path has it")
    parser.add_argument("--jobs", type=int, default=1, help="files at a time; with more, times count for less")
    parser.add_argument("--report", type=Path, metavar="FILE.json", help="every file with its outcome")
    options = parser.parse_args()
    folders = options.folders or [Path(f) for f in [os.environ.get("SINEW_CORPUS")] if f]
    if not folders:
        print("There is no folder, and SINEW_CORPUS is not set: it names a folder of public test files.")
        return
    rows = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for folder in folders:
            if not folder.is_dir():
                sys.exit(f"{folder} is no folder")
            of = [(name, path) for name, path in files_of(folder, options.only)]
            found = pool.map(lambda pair: judged(options.sinew, pair[1]), of)
            for (name, path), row in zip(of, found):
                inside = path.relative_to(folder).parts
                label = folder.resolve().name + (f"/{inside[0]}" if len(inside) > 1 else "")
                rows.append({"folder": label, "format": name, **row})
    if not rows:
        sys.exit("the folders hold no file of a format that Sinew reads")
    table(rows)
    failed = listed(rows)
    if options.report:
        options.report.write_text(json.dumps(rows, indent=1))
    sys.exit(failed)


if __name__ == "__main__":
    main()
