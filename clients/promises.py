#!/usr/bin/env python3
"""Makes rigs whose reports say how far off they are in engines, for the engines to be held to.

    promises.py SINEW FOLDER

Skins the sample creature in many ways, a rig of it that went through FBX, and with SINEW_DATA every sequence there
without any option. FOLDER/promises.json
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
    "target-error-close": ["skin", "--target-error", "0.4"],
    "flexible": ["skin", "--kind", "flexible", "--bones", "8"],
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


def run(*words):
    subprocess.run([*map(str, words), "--quiet"], check=True)


def make(sinew, out, name, source, words):
    """Makes one rig of a folder or a file. What its report promises."""
    glb, report = out / f"{name}.glb", out / f"{name}.json"
    command, *options = words
    original, inputs = source / "anim.pc2", [source / "anim.pc2", "--rest", source / "rest.obj"]
    if source.is_file():
        original, inputs = out / f"{name}.pc2", [source]
        run(sinew, "convert", source, original)
    run(sinew, command, *inputs, "-o", glb, "--report", report, *options)
    said = json.loads(report.read_text())
    stated = {e["engine"]: e["error"]["percent"] for e in said["engines"] if e["error"]}
    return {"name": name, "glb": str(glb), "original": str(original), "fps": said["fps"], "stated": stated}


def main():
    sinew, out = sys.argv[1], Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    creature = out / "creature"
    run(sinew, "sample", "creature", "-o", creature)
    rigs = [make(sinew, out, name, creature, words) for name, words in WAYS.items()]
    run(sinew, "convert", out / "usual.glb", out / "usual.fbx")
    rigs.append(make(sinew, out, "from-fbx", out / "usual.fbx", ["skin", "--bones", "12"]))
    if data := os.environ.get("SINEW_DATA"):
        folders = sequences(Path(data))
        rigs += [make(sinew, out, folder.name, folder, ["skin"]) for folder in folders]
    (out / "promises.json").write_text(json.dumps(rigs, indent=1))


if __name__ == "__main__":
    main()
