"""What the checks with Blender and OpenUSD share: point caches, what Blender shows, and how results are told.

Needs bpy 4.5.4 and numpy, on Python 3.11.
"""

import logging
import math
import struct
import subprocess
from pathlib import Path

import bpy
import numpy as np

LARGEST = 0.1  # percent of the diagonal

# Importers log every step.
logging.disable(logging.WARNING)


def read_pc2(path):
    """Frames (S, V, 3)."""
    data = Path(path).read_bytes()
    _, _, vertices, _, _, frames = struct.unpack_from("<12siiffi", data)
    return np.frombuffer(data, "<f4", 3 * vertices * frames, 32).reshape(frames, vertices, 3)


def sinew(binary, *words):
    """Runs a command of `sinew`."""
    subprocess.run([str(w) for w in [binary, *words, "--quiet"]], check=True, stderr=subprocess.DEVNULL)


def diagonal(points):
    return np.linalg.norm(np.ptp(points, axis=0))


def farthest(poses, wanted):
    """The largest distance between the same vertices of a pose or of several, as a part of the diagonal of the first
    that is wanted."""
    first = wanted.reshape(-1, *wanted.shape[-2:])[0]
    return np.linalg.norm(poses - wanted, axis=-1).max() / diagonal(first)


def some_frames(frames, count):
    """So many of all frames at most, the first and the last among them."""
    return np.unique(np.linspace(0, frames - 1, count).round().astype(int)).tolist()


def empty_scene(fps=None):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if fps:
        render = bpy.context.scene.render
        render.fps, render.fps_base = round(fps), round(fps) / fps


def mesh_objects():
    return [o for o in bpy.context.scene.objects if o.type == "MESH"]


def animated():
    """Animation data of everything that moves: armatures and shape keys."""
    things = [*bpy.data.objects, *bpy.data.shape_keys]
    return [t.animation_data for t in things if t.animation_data]


def switch(clip):
    """Makes all that moves play another clip. The importer of glTF keeps each on a track of its name."""
    found = False
    for data in animated():
        for track in data.nla_tracks:
            if track.name == clip:
                data.action, data.action_slot = track.strips[0].action, track.strips[0].action_slot
                found = True
    if not found:
        raise ValueError(f"Blender has no clip {clip}")


def shown(objects, frame):
    """All vertices as Blender shows them in a frame, with y up."""
    bpy.context.scene.frame_set(math.floor(frame), subframe=frame % 1)
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


class Checks:
    """Tells of each check in one line and keeps whether any failed."""

    def __init__(self):
        self.failed = False

    def run(self, name, measure):
        """`measure` says whether all is well, and in words."""
        try:
            good, text = measure()
        except (KeyError, ValueError, RuntimeError, subprocess.CalledProcessError) as error:
            good, text = False, str(error).strip()
        self.failed |= not good
        print(f"{'ok  ' if good else 'FAIL'} {name}: {text}", flush=True)

    def within(self, name, value, bar, unit):
        self.run(name, lambda: (value <= bar, f"{value:.3g} {unit} (at most {bar:g})"))
