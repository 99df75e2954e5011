#!/usr/bin/env python3
"""Compares what Blender shows of an FBX file with what Sinew says it holds.

    fbx.py RIG.fbx RIG.pc2 [RIG2.fbx RIG2.pc2 ...] [--clip NAME [--fps FPS]] [--frames 12]

Imports each file with Blender's own importer, plays some frames and compares every evaluated vertex with the
point cache that `sinew bake` made of the rig. The scene is played at the rate of the file. With --clip that one is
played instead of the first; --fps is its rate where it is not that of the file. One line per file; fails above
0.1 percent of the diagonal.

Needs bpy 4.5.4 and numpy, on Python 3.11.
"""

import argparse
import sys
from pathlib import Path

import bpy
import numpy as np
from io_scene_fbx import parse_fbx

from common import LARGEST, Checks, animated, empty_scene, farthest, read_pc2, shown, some_frames


def load(path):
    """Imports a file into an empty scene. Its mesh objects, in the order of the file."""
    empty_scene()
    bpy.ops.import_scene.fbx(filepath=str(path), anim_offset=0.0)
    return [bpy.data.objects[name] for name in mesh_names(path)]


def mesh_names(path):
    """Names of the nodes with meshes. Blender keeps its objects by name."""
    root, _ = parse_fbx.parse(str(path))
    objects = next(e for e in root.elems if e.id == b"Objects")
    models = (e.props for e in objects.elems if e.id == b"Model")
    return [name.split(b"\0")[0].decode() for _, name, kind in models if kind == b"Mesh"]


def play(clip):
    """Makes all that moves play a clip. Blender calls actions `object|clip|layer`."""
    names = [action.name for action in bpy.data.actions]
    for data in animated():
        owner = data.id_data.name
        fitting = [a for a in bpy.data.actions if clip in a.name.split("|") and a.name.startswith(f"{owner}|")]
        if fitting:
            data.action = fitting[0]
            data.action_slot = fitting[0].slots[0]
    if not any(clip in name.split("|") for name in names):
        raise ValueError(f"Blender has no clip {clip}, only {', '.join(names)}")


def deviation(fbx, cache, count, clip, fps):
    """Whether every vertex is where it should be, and in words."""
    baked = read_pc2(cache)
    objects = load(fbx)
    vertices = sum(len(o.data.vertices) for o in objects)
    if vertices != baked.shape[1]:
        raise ValueError(f"Blender shows {vertices} of {baked.shape[1]} vertices")
    if clip:
        play(clip)
    frames = some_frames(len(baked), count)
    render = bpy.context.scene.render
    step = render.fps / render.fps_base / fps if fps else 1.0
    percent = 100 * farthest(np.array([shown(objects, step * f) for f in frames]), baked[frames])
    return percent < LARGEST, f"off by {percent:.5f} % of the diagonal in {len(frames)} frames"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="RIG.fbx RIG.pc2")
    parser.add_argument("--clip", help="the clip to play, when it is not the first")
    parser.add_argument("--fps", type=float, help="frames per second of the clip, when not those of the file")
    parser.add_argument("--frames", type=int, default=12, help="how many frames to compare")
    options = parser.parse_args()
    if len(options.files) % 2:
        parser.error("every FBX file needs its point cache")
    checks, clip = Checks(), f", clip {options.clip}" if options.clip else ""
    for fbx, cache in zip(options.files[::2], options.files[1::2]):
        check = lambda: deviation(fbx, cache, options.frames, options.clip, options.fps)
        checks.run(f"blender {fbx.name}{clip}", check)
    sys.exit(checks.failed)


if __name__ == "__main__":
    main()
