"""Reads where the joints of a skinned GLB file are over time."""

import json
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

CHUNK_JSON, CHUNK_BIN = 0x4E4F534A, 0x004E4942
FLOAT = 5126
WIDTH = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}


@dataclass
class Joints:
    names: list
    # Number of each joint's parent in the same lists, or None.
    parents: list
    # Places (J, S, 3).
    paths: np.ndarray


def read_joints(path, times):
    """The joints of a file's skin at some times of its first clip, in seconds."""
    document, data = chunks(Path(path))
    nodes, clip = document["nodes"], document["animations"][0]
    above = {child: node for node, at in enumerate(nodes) for child in at.get("children", [])}
    tracks = {}
    for channel in clip["channels"]:
        target, sampler = channel["target"], clip["samplers"][channel["sampler"]]
        if target["path"] in ("translation", "rotation", "scale"):
            keys = [floats(document, data, sampler[side]) for side in ("input", "output")]
            smooth = sampler.get("interpolation", "LINEAR")
            tracks[target["node"], target["path"]] = played(*keys, times, smooth, target["path"])
    worlds = {}

    def world(node):
        """Transforms (S, 4, 4) of a node, all nodes above it included."""
        if node not in worlds:
            own = local(nodes[node], node, tracks, len(times))
            worlds[node] = world(above[node]) @ own if node in above else own
        return worlds[node]

    skin = document["skins"][0]["joints"]
    place = {node: joint for joint, node in enumerate(skin)}
    return Joints(
        names=[nodes[node].get("name", "") for node in skin],
        parents=[place.get(above.get(node)) for node in skin],
        paths=np.array([world(node)[:, :3, 3] for node in skin]),
    )


def chunks(path):
    """The document and the binary chunk."""
    data = path.read_bytes()
    magic, _, length = struct.unpack_from("<4sII", data)
    if magic != b"glTF":
        raise ValueError(f"{path} is not a GLB file")
    at, found = 12, {}
    while at < length:
        size, kind = struct.unpack_from("<II", data, at)
        found[kind] = data[at + 8 : at + 8 + size]
        at += 8 + size
    return json.loads(found[CHUNK_JSON]), found.get(CHUNK_BIN, b"")


def floats(document, data, number):
    """An accessor of floats (N, width)."""
    accessor = document["accessors"][number]
    if accessor["componentType"] != FLOAT or "sparse" in accessor:
        raise ValueError("keys are read as plain floats; write the file without --compact")
    view = document["bufferViews"][accessor["bufferView"]]
    width = WIDTH[accessor["type"]]
    start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    if view.get("byteStride", 4 * width) != 4 * width:
        raise ValueError("keys are not packed")
    return np.frombuffer(data, "<f4", accessor["count"] * width, start).reshape(-1, width).astype(float)


def played(keys, values, times, interpolation, path):
    """Values of a track at some times."""
    keys = keys[:, 0]
    if interpolation == "CUBICSPLINE":
        raise ValueError("tracks with tangents are not read")
    after = np.clip(np.searchsorted(keys, times, side="right"), 1, max(len(keys) - 1, 1))
    before, after = after - 1, np.minimum(after, len(keys) - 1)
    gap = np.where(after > before, keys[after] - keys[before], 1.0)
    share = np.clip((times - keys[before]) / gap, 0.0, 1.0)[:, None]
    if interpolation == "STEP":
        share = np.floor(share)
    start, end = values[before], values[after]
    if path != "rotation":
        return start + share * (end - start)
    # On the shorter way between two turns; keys are so close that the chord does for the arc.
    end = np.where((start * end).sum(axis=1, keepdims=True) < 0, -end, end)
    mixed = start + share * (end - start)
    return mixed / np.linalg.norm(mixed, axis=1, keepdims=True)


def local(node, number, tracks, count):
    """Transforms (S, 4, 4) of a node against the one above it."""
    if "matrix" in node:
        return np.tile(np.array(node["matrix"], float).reshape(4, 4).T, (count, 1, 1))

    def track(path, rest):
        fixed = np.tile(np.array(node.get(path, rest), float), (count, 1))
        return tracks.get((number, path), fixed)

    out = np.zeros((count, 4, 4))
    out[:, :3, :3] = turns(track("rotation", [0, 0, 0, 1])) * track("scale", [1, 1, 1])[:, None, :]
    out[:, :3, 3] = track("translation", [0, 0, 0])
    out[:, 3, 3] = 1
    return out


def turns(quaternions):
    """Matrices (S, 3, 3) of unit quaternions x, y, z, w: v + 2 w (u × v) + 2 u × (u × v)."""
    u, w = quaternions[:, :3], quaternions[:, 3, None, None]
    cross = np.zeros((len(u), 3, 3))
    cross[:, [2, 0, 1], [1, 2, 0]] = u[:, [0, 1, 2]]
    cross[:, [1, 2, 0], [2, 0, 1]] = -u[:, [0, 1, 2]]
    return np.eye(3) + 2 * w * cross + 2 * cross @ cross
