#!/usr/bin/env python3
"""Two characters to move motion capture onto, as GLB files: from an FBX file and from MakeHuman's own files.

    SINEW_DATA=FOLDER bench/characters.py OUTPUT_FOLDER

Writes geno.glb (rigs/geno/Geno.fbx through Blender: 75 joints) and human.glb (the MakeHuman body with the rig
whose joints are named as in CMU's files: 31 joints). Both stand in their bind pose, without animation. Needs
numpy and, for the FBX file, Blender's Python module (pip install bpy).
"""

import json
import struct
import sys
from pathlib import Path

import numpy as np

from common import data_folder

INFLUENCES = 4
FLOAT, SHORT, INT = 5126, 5123, 5125


def geno(data, output):
    """Geno.fbx as Blender reads it."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.fbx(filepath=str(data / "rigs/geno/Geno.fbx"))
    bpy.ops.export_scene.gltf(filepath=str(output), export_animations=False)


def body(data):
    """Positions (V, 3) of the whole file and the faces of every group in it."""
    positions, groups, group = [], {}, None
    for line in open(data / "human/3dobjs/base.obj"):
        word, *rest = line.split() or [""]
        if word == "v":
            positions.append([float(x) for x in rest[:3]])
        elif word == "g":
            group = rest[0]
        elif word == "f":
            groups.setdefault(group, []).append([int(c.split("/")[0]) - 1 for c in rest])
    return np.array(positions), groups


def joints(data, positions, groups):
    """Names, parents (None for the root) and places of the joints, parents first."""
    rig = json.loads((data / "human/cmu_mb/rig.cmu_mb.json").read_text())

    def place(end):
        """A joint sits in the middle of a small cube of the mesh, or where the file says."""
        if end["strategy"] == "CUBE":
            return positions[sorted({v for face in groups[end["cube_name"]] for v in face})].mean(axis=0)
        x, y, z = end["default_position"]
        return np.array([10 * x, 10 * z, -10 * y])

    names = [name for name in rig if not rig[name]["parent"]]
    for name in names:
        names += [child for child in rig if rig[child]["parent"] == name]
    parents = [names.index(rig[name]["parent"]) if rig[name]["parent"] else None for name in names]
    return names, parents, np.array([place(rig[name]["head"]) for name in names])


def influences(data, names, vertices):
    """The strongest joints of each vertex (V, 4) and their weights, which sum to one."""
    table = json.loads((data / "human/cmu_mb/weights.cmu_mb.json").read_text())["weights"]
    index = {vertex: at for at, vertex in enumerate(vertices)}
    dense = np.zeros((len(vertices), len(names)), np.float32)
    for joint, name in enumerate(names):
        for vertex, weight in table.get(name, []):
            if vertex in index:
                dense[index[vertex], joint] = weight
    dense[dense.sum(axis=1) == 0, 0] = 1
    strongest = np.argsort(-dense, axis=1)[:, :INFLUENCES]
    weights = np.take_along_axis(dense, strongest, axis=1)
    strongest[weights == 0] = 0
    return strongest.astype(np.uint16), weights / weights.sum(axis=1, keepdims=True)


class Buffer:
    """The binary part of a GLB file and what describes it."""

    def __init__(self):
        self.bytes, self.views, self.accessors = b"", [], []

    def add(self, values, component, kind, **more):
        """An accessor of `values`. Its index."""
        self.views.append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": values.nbytes})
        view = len(self.views) - 1
        accessor = {"bufferView": view, "componentType": component, "count": len(values), "type": kind}
        self.accessors.append({**accessor, **more})
        self.bytes += values.tobytes() + bytes(-values.nbytes % 4)
        return len(self.accessors) - 1


def muscle(data, name, count):
    """Displacements (V, 3) of one of MakeHuman's shapes."""
    offsets = np.zeros((count, 3), np.float32)
    for line in open(data / f"human/targets/armslegs/{name}.target"):
        if line.strip() and not line.startswith("#"):
            vertex, *offset = line.split()
            offsets[int(vertex)] = [float(x) for x in offset]
    return offsets


def human(data, output, shapes=()):
    """The body with the joints and weights of the rig named as CMU names them; `shapes` become morph targets."""
    positions, groups = body(data)
    names, parents, places = joints(data, positions, groups)
    triangles = [[f[0], b, c] for f in groups["body"] for b, c in zip(f[1:], f[2:])]
    vertices, corners = np.unique(triangles, return_inverse=True)
    strongest, weights = influences(data, names, vertices)
    ground = [0, positions[vertices, 1].min(), 0]
    skin, places = (positions[vertices] - ground).astype(np.float32), places - ground

    nodes = [{"name": "human", "mesh": 0, "skin": 0}]
    for joint, (name, parent) in enumerate(zip(names, parents)):
        offset = places[joint] - (0 if parent is None else places[parent])
        children = [1 + child for child, above in enumerate(parents) if above == joint]
        node = {"name": name, "translation": offset.tolist()}
        nodes.append({**node, "children": children} if children else node)
    unbind = np.tile(np.eye(4, dtype=np.float32), (len(names), 1, 1))
    # Matrices are stored by columns.
    unbind[:, 3, :3] = -places

    buffer = Buffer()
    box = {"min": skin.min(axis=0).tolist(), "max": skin.max(axis=0).tolist()}
    attributes = {
        "POSITION": buffer.add(skin, FLOAT, "VEC3", **box),
        "JOINTS_0": buffer.add(strongest, SHORT, "VEC4"),
        "WEIGHTS_0": buffer.add(weights, FLOAT, "VEC4"),
    }
    primitive = {"attributes": attributes}
    if shapes:
        offsets = [muscle(data, name, len(positions))[vertices] for name in shapes]
        boxes = [{"min": o.min(axis=0).tolist(), "max": o.max(axis=0).tolist()} for o in offsets]
        primitive["targets"] = [
            {"POSITION": buffer.add(o, FLOAT, "VEC3", **box)} for o, box in zip(offsets, boxes)
        ]
    primitive["indices"] = buffer.add(corners.ravel().astype(np.uint32), INT, "SCALAR")
    bind = buffer.add(unbind, FLOAT, "MAT4")
    scene = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": nodes,
        "meshes": [{"primitives": [primitive], "extras": {"targetNames": [*shapes]}}],
        "skins": [{"joints": [*range(1, len(nodes))], "inverseBindMatrices": bind, "skeleton": 1}],
        "buffers": [{"byteLength": len(buffer.bytes)}],
        "bufferViews": buffer.views,
        "accessors": buffer.accessors,
    }
    text = json.dumps(scene).encode()
    text += b" " * (-len(text) % 4)
    header = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(buffer.bytes))
    chunks = struct.pack("<I4s", len(text), b"JSON") + text
    chunks += struct.pack("<I4s", len(buffer.bytes), b"BIN\0") + buffer.bytes
    output.write_bytes(header + chunks)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    data, output = data_folder(), Path(sys.argv[1])
    output.mkdir(parents=True, exist_ok=True)
    human(data, output / "human.glb")
    geno(data, output / "geno.glb")


if __name__ == "__main__":
    main()
