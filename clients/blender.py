#!/usr/bin/env python3
"""Compares what Blender shows of a GLB file with what Sinew says it holds.

    blender.py RIG.glb RIG.pc2 [RIG2.glb RIG2.pc2 ...] [--clip NAME] [--fps 24] [--frames 12]

Imports each file with Blender's own importer, plays some frames and compares every evaluated vertex with the
point cache that `sinew bake` made of it. With --clip the first clip is played, then that one: nothing of the
first may be left behind. One line per file; fails above 0.1 percent of the diagonal. Needs
bpy 4.5.4 and numpy, on Python 3.11.
"""

import argparse
import logging
import struct
import sys
from pathlib import Path

import bpy
import numpy as np

LARGEST = 0.1  # percent of the diagonal
SOURCE_VERTEX = "_SOURCE_VERTEX"


def read_pc2(path):
    data = Path(path).read_bytes()
    _, _, vertices, _, _, frames = struct.unpack_from("<12siiffi", data)
    return np.frombuffer(data, "<f4", 3 * vertices * frames, 32).reshape(frames, vertices, 3)


def load(path, fps):
    """Imports a file into an empty scene. Its mesh objects."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    render = bpy.context.scene.render
    render.fps, render.fps_base = round(fps), round(fps) / fps
    # The importer would draw bones as a mesh of its own.
    bpy.ops.import_scene.gltf(filepath=str(path), disable_bone_shape=True)
    return [o for o in bpy.context.scene.objects if o.type == "MESH"]


def animated():
    """Animation data of everything that moves: armatures and shape keys."""
    things = [*bpy.data.objects, *bpy.data.shape_keys]
    return [t.animation_data for t in things if t.animation_data]


def switch(clip):
    """Makes all that moves play another clip. The importer keeps each on a track of its name."""
    found = False
    for data in animated():
        for track in data.nla_tracks:
            if track.name == clip:
                data.action, data.action_slot = track.strips[0].action, track.strips[0].action_slot
                found = True
    if not found:
        raise ValueError(f"Blender has no clip {clip}")


def source_vertices(objects):
    """For each of Blender's vertices the rig's. Files whose vertices were split say so themselves."""
    numbers = []
    for o in objects:
        attribute = o.data.attributes.get(SOURCE_VERTEX)
        if attribute:
            values = np.empty(len(o.data.vertices), np.float32)
            attribute.data.foreach_get("value", values)
            numbers.append(values.astype(int))
        elif len(objects) == 1:
            numbers.append(np.arange(len(o.data.vertices)))
        else:
            raise ValueError(f"{o.name} does not say which vertices of the rig it has")
    return np.concatenate(numbers)


def shown(objects, frame):
    """All vertices as Blender shows them in a frame, in glTF's axes."""
    bpy.context.scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    out = []
    for o in objects:
        evaluated = o.evaluated_get(graph)
        points = np.empty(3 * len(evaluated.data.vertices), np.float32)
        evaluated.data.vertices.foreach_get("co", points)
        world = np.array(evaluated.matrix_world)
        points = points.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
        # Blender's Z is up, glTF's Y.
        out.append(points[:, [0, 2, 1]] * [1, 1, -1])
    return np.concatenate(out)


def deviation(glb, cache, fps, count, clip):
    """Largest distance in percent of the diagonal, and the number of frames compared."""
    baked = read_pc2(cache)
    objects = load(glb, fps)
    source = source_vertices(objects)
    if source.max() >= baked.shape[1] or len(np.unique(source)) < baked.shape[1]:
        raise ValueError(f"Blender shows {len(np.unique(source))} of {baked.shape[1]} vertices")
    diagonal = np.linalg.norm(np.ptp(baked[0], axis=0))
    if clip:
        bpy.context.scene.frame_set(bpy.context.scene.frame_end)
        switch(clip)
    frames = np.unique(np.linspace(0, len(baked) - 1, count).round().astype(int))
    worst = max(np.linalg.norm(shown(objects, int(f)) - baked[f][source], axis=1).max() for f in frames)
    return 100 * worst / diagonal, len(frames)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="RIG.glb RIG.pc2")
    parser.add_argument("--clip", help="the clip to play, when it is not the first")
    parser.add_argument("--fps", type=float, default=24.0)
    parser.add_argument("--frames", type=int, default=12, help="how many frames to compare")
    options = parser.parse_args()
    if len(options.files) % 2:
        parser.error("every GLB file needs its point cache")
    # The importer logs every step.
    logging.disable(logging.WARNING)
    failed = False
    for glb, cache in zip(options.files[::2], options.files[1::2]):
        try:
            percent, frames = deviation(glb, cache, options.fps, options.frames, options.clip)
            good, text = percent < LARGEST, f"off by {percent:.5f} % of the diagonal in {frames} frames"
        except (ValueError, RuntimeError) as error:
            good, text = False, str(error).strip()
        clip = f", clip {options.clip}" if options.clip else ""
        print(f"{'ok  ' if good else 'FAIL'} blender {glb.name}{clip}: {text}", flush=True)
        failed |= not good
    sys.exit(int(failed))


if __name__ == "__main__":
    main()
