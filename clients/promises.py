#!/usr/bin/env python3
"""Makes rigs whose reports say how far off they are in engines, for the engines to be held to.

    promises.py SINEW FOLDER

Skins the sample creature in ten ways, and with SINEW_DATA every sequence there without any option. FOLDER/promises.json
lists each rig's file, the animation it was made of, its rate, and what its report states for each engine, in percent of
the motion. `browser.mjs ENGINE --promises` and `blender.py --promises` play all frames and compare.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

# What the creature is made into: the command and its options.
WAYS = {
    "usual": ["skin"],
    "rigid": ["skin", "--kind", "rigid"],
    "target-error": ["skin", "--target-error", "1.5"],
    "rank-4": ["skin", "--rank", "4"],
    "rank-12": ["skin", "--rank", "12"],
    "influences-8": ["skin", "--influences", "8"],
    "influences-12": ["skin", "--influences", "12"],
    "compact": ["skin", "--compact", "--rank", "4"],
    "sma": ["skin", "--method", "sma"],
    "skeleton": ["skeleton"],
}


def sequences(folder):
    """Folders with an animation and its mesh, two levels down at most."""
    found = [*folder.glob("*/anim.pc2"), *folder.glob("*/*/anim.pc2")]
    return sorted(path.parent for path in found if (path.parent / "rest.obj").exists())


def make(sinew, out, name, source, words):
    """Makes one rig. What its report promises."""
    glb, report = out / f"{name}.glb", out / f"{name}.json"
    command, *options = words
    files = [source / "anim.pc2", "--rest", source / "rest.obj", "-o", glb, "--report", report]
    subprocess.run([str(w) for w in [sinew, command, *files, *options, "--quiet"]], check=True)
    said = json.loads(report.read_text())
    stated = {e["engine"]: e["error"]["percent"] for e in said["engines"] if e["error"]}
    original = str(source / "anim.pc2")
    return {"name": name, "glb": str(glb), "original": original, "fps": said["fps"], "stated": stated}


def main():
    sinew, out = sys.argv[1], Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    creature = out / "creature"
    subprocess.run([sinew, "sample", "creature", "-o", str(creature), "--quiet"], check=True)
    rigs = [make(sinew, out, name, creature, words) for name, words in WAYS.items()]
    if data := os.environ.get("SINEW_DATA"):
        folders = sequences(Path(data))
        rigs += [make(sinew, out, folder.name, folder, ["skin"]) for folder in folders]
    (out / "promises.json").write_text(json.dumps(rigs, indent=1))


if __name__ == "__main__":
    main()
