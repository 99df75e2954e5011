#!/usr/bin/env python3
"""Installs the extension from its file into the Blender of this Python's `bpy`, and tries all of its operators.

    check.py EXTENSION.zip [FUNCTION...]

Each result is played by Blender, whose evaluated vertices are held to the original's: as far off as the report says, within 0.1 %
of the error. One line a check; fails when one does. Needs `bpy` and nothing else: settings and extensions go to a folder for
temporary files.
"""

import sys
import tempfile
from pathlib import Path

# First, as it says where Blender has its folder.
from lab import FAILED, check, install
import bpy
import characters
import skinning
import window

PARTS = (skinning, characters, window)


def main():
    install(Path(sys.argv[1]).resolve())
    print(f"Blender {bpy.app.version_string}")
    if sys.argv[2:]:
        with tempfile.TemporaryDirectory() as scratch:
            for name in sys.argv[2:]:
                function = next(getattr(part, name) for part in PARTS if hasattr(part, name))
                function(*[Path(scratch)][: function.__code__.co_argcount])
        sys.exit(len(FAILED))
    window.registered()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        skinning.on_shape_keys(folder)
        skinning.on_cloth()
        skinning.on_alembic(folder)
        characters.on_characters(folder)
        skinning.on_caches(folder)
        characters.exported_as_shown(folder)
        skinning.mirrored(folder)
        characters.bones_called_so(folder)
        skinning.on_materials(folder)
        characters.scales_in_the_way(folder)
        characters.said_by_the_way(folder)
    skinning.on_geometry_nodes()
    characters.transplanted()
    skinning.on_simulations_elsewhere()
    skinning.on_other_things()
    skinning.refused()
    skinning.not_evaluated()
    skinning.other_faces()
    skinning.nothing_moves()
    window.in_a_window()
    window.undone()
    window.cancelled()
    bpy.ops.preferences.addon_disable(module="bl_ext.user_default.sinew")
    check("turned off again", not hasattr(bpy.types.Scene, "sinew"))
    if FAILED:
        sys.exit(f"{len(FAILED)} failed: " + ", ".join(FAILED))


if __name__ == "__main__":
    main()
