#!/usr/bin/env python3
"""Makes a list of small jobs to try a farm with: crops and time windows of an animation, some of them one file under two names.

    farm/jobs.py SINEW FOLDER COUNT [VERTICES]

SINEW is the command; meshes have so many VERTICES at most, 1500 without. In FOLDER come rest meshes, in/*.pc2 and jobs.jsonl, a job to skin each of these to out/*.glb. The
animation is the built-in creature, or with SINEW_DATA the sequences there (folders with rest.obj and anim.pc2).
"""

from __future__ import annotations

import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import List, Tuple

#: Frames of a window: enough for bones to be found.
FRAMES = 6
#: The first so many vertices of a mesh, unless said otherwise.
CROP = 1500
#: Every so many-th file is another name of the one before.
EQUAL = 10
HEAD = struct.Struct("<12siiffi")


def sequences(sinew: str, folder: Path) -> List[Tuple[Path, Path]]:
    """Caches and their rest meshes."""
    data = os.environ.get("SINEW_DATA")
    if data:
        found = [(cache, cache.with_name("rest.obj")) for cache in sorted(Path(data).glob("*/anim.pc2"))]
        return [(cache, rest) for cache, rest in found if rest.exists()]
    made = folder / "creature"
    command = [sinew, "sample", "creature", "--frames", "48", "--detail", "0.6", "--quiet", "-o", str(made)]
    subprocess.run(command, check=True)
    return [(made / "anim.pc2", made / "rest.obj")]


def window(cache: Path, first: int, crop: int, to: Path) -> None:
    """Some frames of the first vertices of a cache, which begin anew where it ends."""
    with cache.open("rb") as file:
        sign, version, points, start, rate, frames = HEAD.unpack(file.read(HEAD.size))
        kept = min(points, crop)
        with to.open("wb") as out:
            out.write(HEAD.pack(sign, version, kept, start, rate, FRAMES))
            for frame in range(first, first + FRAMES):
                file.seek(HEAD.size + 12 * points * (frame % frames))
                out.write(file.read(12 * kept))


def part_of(rest: Path, crop: int, to: Path) -> None:
    """The first vertices of a mesh and the faces that have no others."""
    points, lines = 0, []
    for line in rest.read_text().splitlines():
        kind, *words = line.split() or [""]
        if kind == "v":
            points += 1
            if points <= crop:
                lines.append(line)
        elif kind == "f":
            corners = [word.split("/")[0] for word in words]
            if all(int(corner) <= crop for corner in corners):
                lines.append("f " + " ".join(corners))
    to.write_text("\n".join(lines) + "\n")


def main() -> None:
    sinew, folder, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    crop = int(sys.argv[4]) if len(sys.argv) > 4 else CROP
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "in").mkdir(parents=True)
    found = sequences(sinew, folder)
    rests = []
    for i, (_, rest) in enumerate(found):
        rests.append(f"rest-{i}.obj")
        part_of(rest, crop, folder / rests[-1])
    jobs = []
    for i in range(count):
        cache = folder / "in" / f"{i:05}.pc2"
        # Another name needs the same sequence.
        of = (i - 1 if i % EQUAL == EQUAL - 1 else i) % len(found)
        if i % EQUAL == EQUAL - 1:
            os.link(cache.with_name(f"{i - 1:05}.pc2"), cache)
        else:
            window(found[of][0], i // len(found), crop, cache)
        source = {"inputs": [f"in/{cache.name}"], "rest": rests[of]}
        # What is equal in all but its number of bones is another job.
        fit = {"bones": 4 + i // 48 % 5, "effort": "quick"}
        jobs.append({"job": "skin", "source": source, "fit": fit, "output": f"out/{cache.stem}.glb"})
    (folder / "jobs.jsonl").write_text("".join(json.dumps(job) + "\n" for job in jobs))


if __name__ == "__main__":
    main()
