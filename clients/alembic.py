#!/usr/bin/env python3
"""Checks Sinew's Alembic files in Blender, and its reader on files that Blender wrote.

    alembic.py SINEW WORK_FOLDER

Converts the sample creature to Alembic, imports that with Blender's own importer and compares every vertex of
every frame, the UVs and the materials with what went in. With SINEW_DATA set, the archives in formats/ are read
and compared with the rigs that Blender made them from, played at the same times. One line per check; fails when
one does.

Needs bpy 4.5.4 and numpy, on Python 3.11.
"""

import argparse
import logging
import os
import struct
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np

LARGEST = 1e-4  # of the diagonal
FPS = 24.0
# Archives, the rigs they show and their clips.
DATA = [("Fox_Run", "Fox", "Run"), ("CesiumMan", "CesiumMan", None)]


def read_pc2(path):
    data = Path(path).read_bytes()
    _, _, vertices, _, _, frames = struct.unpack_from("<12siiffi", data)
    return np.frombuffer(data, "<f4", 3 * vertices * frames, 32).reshape(frames, vertices, 3)


def sinew(*words):
    subprocess.run([str(w) for w in words] + ["--quiet"], check=True)


def empty_scene():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    render = bpy.context.scene.render
    render.fps, render.fps_base = round(FPS), round(FPS) / FPS


def load(path):
    """Imports an archive into an empty scene. Its mesh objects, by name."""
    empty_scene()
    bpy.ops.wm.alembic_import(filepath=str(path), as_background_job=False)
    return [o for o in bpy.context.scene.objects if o.type == "MESH"]


def shown(objects, frame):
    """All vertices as Blender shows them in a frame, with y up."""
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    out = []
    for o in objects:
        evaluated = o.evaluated_get(graph)
        points = np.empty(3 * len(evaluated.data.vertices), np.float32)
        evaluated.data.vertices.foreach_get("co", points)
        world = np.array(evaluated.matrix_world)
        points = points.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
        out.append(points[:, [0, 2, 1]] * [1, 1, -1])
    return np.concatenate(out)


def off(a, b):
    """The largest distance between two poses, relative to the diagonal of the second."""
    return np.linalg.norm(a - b, axis=-1).max() / np.linalg.norm(np.ptp(b, axis=0))


def in_blender(archive, cache, parts):
    """How far what Blender shows of an archive is from a point cache, over all frames. Blender has objects in an
    order of its own: `parts` names them in that of the cache."""
    poses = read_pc2(cache)
    objects = sorted(load(archive), key=lambda o: parts.index(o.name))
    if shown(objects, 0).shape != poses[0].shape:
        raise ValueError(f"Blender shows {len(shown(objects, 0))} vertices of {poses.shape[1]}")
    worst = max(off(shown(objects, frame), pose) for frame, pose in enumerate(poses))
    layers = sum(len(o.data.uv_layers) for o in objects)
    text = f"{len(poses)} frames of {len(objects)} objects off by {worst:.1e} of the diagonal, {layers} UV maps"
    return worst, text


def played(rig, clip, frames):
    """All vertices of a GLB file in some frames, as Blender plays a clip of it."""
    empty_scene()
    bpy.ops.import_scene.gltf(filepath=str(rig), disable_bone_shape=True)
    for thing in [*bpy.data.objects, *bpy.data.shape_keys]:
        tracks = thing.animation_data.nla_tracks if thing.animation_data else []
        for strip in (track.strips[0] for track in tracks if track.name == clip):
            thing.animation_data.action, thing.animation_data.action_slot = strip.action, strip.action_slot
    objects = [o for o in bpy.context.scene.objects if o.type == "MESH"]
    return [shown(objects, frame) for frame in range(frames)]


def against_rig(archive, rig, clip):
    """How far an archive is from the rig it was made from, played at the same times. Blender puts frame 0 at time 0
    and keeps the vertices of a GLB file in their order, with y up as there. Between keys that are far apart it
    turns bones along another path than glTF demands, so that it has to be the judge."""
    poses = read_pc2(archive)
    worst = max(off(a, b) for a, b in zip(poses, played(rig, clip, len(poses))))
    return worst, f"{poses.shape[1]} vertices in {len(poses)} frames off by {worst:.1e} of the diagonal"


def check(name, measure):
    try:
        worst, text = measure()
        good = worst < LARGEST
    except (ValueError, RuntimeError, subprocess.CalledProcessError) as error:
        good, text = False, str(error).strip()
    print(f"{'ok  ' if good else 'FAIL'} alembic {name}: {text}", flush=True)
    return good


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
    logging.disable(logging.WARNING)
    options.work.mkdir(parents=True, exist_ok=True)
    good = [check("creature.abc in Blender", lambda: written(options.sinew, options.work))]
    if os.environ.get("SINEW_DATA"):
        for archive, rig, clip in DATA:
            compare = lambda: read_back(options.sinew, options.work, archive, rig, clip)
            good.append(check(f"{archive}.abc against {rig}.glb", compare))
    sys.exit(int(not all(good)))


if __name__ == "__main__":
    main()
