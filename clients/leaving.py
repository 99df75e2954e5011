#!/usr/bin/env python3
"""Joints that leave their places and shapes beyond their sliders: Blender plays what Sinew writes of them.

    leaving.py SINEW

Makes a GLB file in which hips go up and down above a root joint, exactly where Blender ends the root's bone, and one of a
face whose shapes are shown by weights from -1.5 to 1.5. The command converts each to FBX, USD and GLB, the first also moved
by --clip where its first take stands still, and what comes out is imported by Blender and compared with what the command
bakes. One line per file; fails above 0.1 percent of the diagonal.

Needs bpy 4.5.4, numpy and scipy, on Python 3.11.
"""

import json
import math
import struct
import sys
import tempfile
from pathlib import Path

import bpy
import numpy as np
from scipy.spatial import cKDTree

from common import LARGEST, Checks, diagonal, empty_scene, mesh_objects, read_pc2, shown, sinew

FRAMES, FPS = 13, 24


class Glb:
    """A file under construction."""

    def __init__(self):
        self.views, self.accessors, self.bytes = [], [], b""

    def add(self, values, kind, number=5126):
        values = np.asarray(values, {5126: "<f4", 5125: "<u4", 5121: "u1"}[number])
        data = values.tobytes()
        self.views.append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)})
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[kind]
        accessor = {"bufferView": len(self.views) - 1, "componentType": number, "type": kind}
        accessor["count"] = values.size // width
        if kind in ("SCALAR", "VEC3") and number == 5126:
            flat = values.reshape(-1, width)
            accessor |= {"min": flat.min(0).tolist(), "max": flat.max(0).tolist()}
        self.accessors.append(accessor)
        self.bytes += data + b"\0" * (-len(data) % 4)
        return len(self.accessors) - 1

    def save(self, path, **rest):
        scene = {"asset": {"version": "2.0"}, "scene": 0, "bufferViews": self.views, "accessors": self.accessors}
        scene |= {"buffers": [{"byteLength": len(self.bytes)}], **rest}
        text = json.dumps(scene).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
        chunks += struct.pack("<II", len(self.bytes), 0x4E4942) + self.bytes
        path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)


def body():
    """A column with a square section: points with y up, and triangles."""
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 0.2
    points = np.array([[x, y, z] for y in np.linspace(0, 2, 9) for x, z in corners])
    sides = [[4 * l + i, 4 * l + (i + 1) % 4] for l in range(8) for i in range(4)]
    return points, np.array([t for a, b in sides for t in ([a, a + 4, b], [b, a + 4, b + 4])])


def times(glb):
    return glb.add(np.arange(FRAMES) / FPS, "SCALAR")


def wave(size):
    return [size * math.sin(2 * math.pi * f / (FRAMES - 1)) for f in range(FRAMES)]


def hips(path):
    """A root that stands still, hips that shift one metre above it, and a chest that turns."""
    points, triangles = body()
    glb, count = Glb(), len(points)
    joint = np.digitize(points[:, 1], [0.6, 1.3])
    joints = np.pad(joint[:, None], ((0, 0), (0, 3)))
    weights = np.tile([1, 0, 0, 0], (count, 1))
    attributes = {"POSITION": glb.add(points, "VEC3"), "JOINTS_0": glb.add(joints, "VEC4", 5121)}
    attributes["WEIGHTS_0"] = glb.add(weights, "VEC4")
    primitive = {"attributes": attributes, "indices": glb.add(triangles.ravel(), "SCALAR", 5125)}
    places = [[0, 0, 0], [0, 1, 0], [0, 1.5, 0]]
    binds = []
    for place in places:
        bind = np.eye(4)
        bind[3, :3] = np.negative(place)
        binds.append(bind)
    skin = {"joints": [0, 1, 2], "inverseBindMatrices": glb.add(np.array(binds), "MAT4")}
    nodes = [
        {"name": "root", "children": [1]},
        {"name": "hips", "translation": [0, 1, 0], "children": [2]},
        {"name": "chest", "translation": [0, 0.5, 0]},
        {"name": "body", "mesh": 0, "skin": 0},
    ]
    clock = times(glb)
    sway = glb.add([[x, 1 + 0.5 * x, 0] for x in wave(1)], "VEC3")
    turns = glb.add([[0, 0, math.sin(x), math.cos(x)] for x in wave(0.4)], "VEC4")
    still = glb.add([[0, 1, 0]] * FRAMES, "VEC3")
    channel = lambda sampler, node, what: {"sampler": sampler, "target": {"node": node, "path": what}}
    sampler = lambda output: {"input": clock, "output": output}
    clips = [
        {"name": "Take 001", "samplers": [sampler(still)], "channels": [channel(0, 1, "translation")]},
        {
            "name": "Sway",
            "samplers": [sampler(sway), sampler(turns)],
            "channels": [channel(0, 1, "translation"), channel(1, 2, "rotation")],
        },
    ]
    glb.save(path, meshes=[{"primitives": [primitive]}], skins=[skin], nodes=nodes, scenes=[{"nodes": [0, 3]}],
             animations=clips)


def face(path):
    """Two shapes with weights of either sign and beyond one."""
    points, triangles = body()
    glb = Glb()
    grow, push = np.zeros_like(points), np.zeros_like(points)
    grow[:, 1] = np.where(points[:, 1] > 1.4, 0.2, 0)
    push[:, 2] = np.where(points[:, 1] > 1, 0.3, 0)
    targets = [{"POSITION": glb.add(shape, "VEC3")} for shape in (grow, push)]
    primitive = {"attributes": {"POSITION": glb.add(points, "VEC3")}, "targets": targets}
    primitive["indices"] = glb.add(triangles.ravel(), "SCALAR", 5125)
    weights = glb.add(np.array([wave(1.5), wave(0.5)]).T, "SCALAR")
    clip = {
        "name": "Talk",
        "samplers": [{"input": times(glb), "output": weights}],
        "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
    }
    mesh = {"primitives": [primitive], "weights": [0, 0], "extras": {"targetNames": ["grow", "push"]}}
    glb.save(path, meshes=[mesh], nodes=[{"name": "face", "mesh": 0}], scenes=[{"nodes": [0]}], animations=[clip])


def load(path):
    empty_scene(FPS)
    if path.suffix == ".fbx":
        bpy.ops.import_scene.fbx(filepath=str(path), anim_offset=0.0)
    elif path.suffix == ".glb":
        bpy.ops.import_scene.gltf(filepath=str(path))
    else:
        bpy.ops.wm.usd_import(filepath=str(path))
    # Bones are drawn by shapes of their own.
    return [thing for thing in mesh_objects() if not thing.name.startswith("Icosphere")]


def deviation(path, wanted):
    """Whether every vertex is where one should be, and in words."""
    objects = load(path)
    off = max(cKDTree(wanted[frame]).query(shown(objects, frame))[0].max() for frame in range(FRAMES))
    percent = 100 * off / diagonal(wanted[0])
    return percent < LARGEST, f"off by {percent:.5f} % of the diagonal in {FRAMES} frames"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    binary, checks = sys.argv[1], Checks()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for make in (hips, face):
            source = folder / f"{make.__name__}.glb"
            make(source)
            sinew(binary, "bake", source, "-o", source.with_suffix(".pc2"))
            wanted = read_pc2(source.with_suffix(".pc2"))
            # Where one take is played, the one that moves; and that alone.
            ways = [(ending, []) for ending in ("usda", "glb", "fbx")]
            if make is hips:
                ways = [("usda", []), *((ending, ["--clip", "Sway"]) for ending in ("glb", "fbx"))]
            for ending, options in ways:
                written = folder / f"{make.__name__}_out.{ending}"
                sinew(binary, "convert", source, written, *options)
                checks.run(f"blender {written.name}", lambda: deviation(written, wanted))
    sys.exit(checks.failed)


if __name__ == "__main__":
    main()
