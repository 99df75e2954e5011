#!/usr/bin/env python3
"""Checks Sinew's Alembic files in Blender, and its reader on files that Blender wrote.

    alembic.py SINEW WORK_FOLDER

Converts the sample creature to Alembic, imports that with Blender's own importer and compares every vertex of
every frame with what went in. With SINEW_DATA set, the archives in formats/ are read and compared with the rigs that
Blender made them from, played at the same times. One line per check; fails when one does.

Needs bpy 4.5.4 and numpy, on Python 3.11.
"""

import argparse
import os
import sys
from pathlib import Path

import bpy
import numpy as np

from common import Checks, empty_scene, farthest, mesh_objects, read_pc2, shown, sinew, switch

LARGEST = 1e-4  # of the diagonal
FPS = 24.0
# Archives, the rigs they show and their clips.
DATA = [("Fox_Run", "Fox", "Run"), ("CesiumMan", "CesiumMan", None)]


def load(path):
    """Imports an archive into an empty scene. Its mesh objects."""
    empty_scene(FPS)
    bpy.ops.wm.alembic_import(filepath=str(path), as_background_job=False)
    return mesh_objects()


def in_blender(archive, cache, parts):
    """Whether Blender shows an archive as a point cache has it, in all frames, and in words. Blender has objects in an
    order of its own: `parts` names them in that of the cache."""
    poses = read_pc2(cache)
    objects = sorted(load(archive), key=lambda o: parts.index(o.name))
    if shown(objects, 0).shape != poses[0].shape:
        raise ValueError(f"Blender shows {len(shown(objects, 0))} vertices of {poses.shape[1]}")
    worst = farthest(np.array([shown(objects, frame) for frame in range(len(poses))]), poses)
    layers = sum(len(o.data.uv_layers) for o in objects)
    text = f"{len(poses)} frames of {len(objects)} objects off by {worst:.1e} of the diagonal, {layers} UV maps"
    return worst < LARGEST, text


def played(rig, clip, frames):
    """All vertices of a GLB file in some frames, as Blender plays a clip of it."""
    empty_scene(FPS)
    bpy.ops.import_scene.gltf(filepath=str(rig), disable_bone_shape=True)
    if clip:
        switch(clip)
    objects = mesh_objects()
    return np.array([shown(objects, frame) for frame in range(frames)])


def against_rig(archive, rig, clip):
    """Whether an archive is as the rig it was made from, played at the same times, and in words. Blender puts frame 0
    at time 0 and keeps the vertices of a GLB file in their order, with y up as there. Between keys that are far apart
    it turns bones along another path than glTF demands, so that it has to be the judge."""
    poses = read_pc2(archive)
    worst = farthest(poses, played(rig, clip, len(poses)))
    text = f"{poses.shape[1]} vertices in {len(poses)} frames off by {worst:.1e} of the diagonal"
    return worst < LARGEST, text


def written(tool, work):
    sinew(tool, "sample", "creature", "-o", work / "creature")
    cache, rest, archive = work / "creature/anim.pc2", work / "creature/rest.obj", work / "creature.abc"
    sinew(tool, "convert", cache, archive, "--rest", rest)
    parts = [line[2:].strip() for line in rest.read_text().splitlines() if line.startswith("o ")]
    return in_blender(archive, cache, parts)


def read_back(tool, work, archive, rig, clip):
    data = Path(os.environ["SINEW_DATA"])
    cache = work / f"{archive}.pc2"
    sinew(tool, "convert", data / f"formats/{archive}.abc", cache)
    return against_rig(cache, data / f"rigs/{rig}.glb", clip)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sinew", type=Path)
    parser.add_argument("work", type=Path)
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    checks = Checks()
    checks.run("alembic creature.abc in Blender", lambda: written(options.sinew, options.work))
    if os.environ.get("SINEW_DATA"):
        for archive, rig, clip in DATA:
            compare = lambda: read_back(options.sinew, options.work, archive, rig, clip)
            checks.run(f"alembic {archive}.abc against {rig}.glb", compare)
    sys.exit(checks.failed)


if __name__ == "__main__":
    main()
