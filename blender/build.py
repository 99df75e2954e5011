#!/usr/bin/env python3
"""Builds the extension: build.py [--blender-ext FILE] [--output FOLDER] WHEEL...

Puts the wheels of `sinew-rig`, as they are, beside the add-on and names them in its manifest, then has Blender's own tool build and
validate it. That tool, blender_ext.py, is part of Blender and of the package `bpy`, where it is found if it is not named.
"""

import argparse
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def tool():
    """Blender's tool, beside the `bpy` of this Python."""
    found = importlib.util.find_spec("bpy")
    scripts = Path(found.origin).parent.glob("**/addons_core/bl_pkg/cli/blender_ext.py") if found else ()
    path = next(iter(scripts), None)
    if path is None:
        sys.exit("blender_ext.py is not found: name it with --blender-ext")
    return path


#: What wheels say of their platform, and Blender.
PLATFORMS = {
    "manylinux_[0-9_]*x86_64": ["linux-x64"],
    "manylinux_[0-9_]*aarch64": ["linux-arm64"],
    "win_amd64": ["windows-x64"],
    "win_arm64": ["windows-arm64"],
    "macosx_[0-9_]*arm64": ["macos-arm64"],
    "macosx_[0-9_]*x86_64": ["macos-x64"],
    "macosx_[0-9_]*universal2": ["macos-arm64", "macos-x64"],
}


def platforms(wheels):
    """What the wheels run on, in Blender's words."""
    found = []
    for wheel in wheels:
        last = wheel.stem.rpartition("-")[2]
        known = [names for pattern, names in PLATFORMS.items() if any(re.fullmatch(pattern, part) for part in last.split("."))]
        if not known:
            sys.exit(f"{wheel.name} is for no platform that Blender runs on")
        found += [name for names in known for name in names]
    return sorted(set(found))


def listed(words):
    """A list as TOML writes it."""
    return "[\n" + "".join(f'    "{word}",\n' for word in words) + "]"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheels", nargs="+", type=Path)
    parser.add_argument("--blender-ext", type=Path)
    parser.add_argument("--output", type=Path, default=HERE / "dist")
    args = parser.parse_args()
    ext = args.blender_ext or tool()
    args.output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "sinew"
        shutil.copytree(HERE / "sinew", source, ignore=shutil.ignore_patterns("__pycache__"))
        (source / "wheels").mkdir()
        for wheel in args.wheels:
            shutil.copy(wheel, source / "wheels")
        manifest = source / "blender_manifest.toml"
        names = [f"./wheels/{wheel.name}" for wheel in args.wheels]
        told = f"wheels = {listed(names)}\nplatforms = {listed(platforms(args.wheels))}"
        manifest.write_text(manifest.read_text().replace("wheels = []", told))
        for command in (["build", "--source-dir", source, "--output-dir", args.output], ["validate", source]):
            subprocess.run([sys.executable, ext, *map(str, command)], check=True)
    for made in sorted(args.output.glob("*.zip")):
        subprocess.run([sys.executable, ext, "validate", made], check=True)
        print(made)


if __name__ == "__main__":
    main()
