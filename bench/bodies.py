#!/usr/bin/env python3
"""Bakes rigs into mesh animations with a known skeleton, to find skeletons in.

    SINEW_DATA=FOLDER bench/bodies.py OUTPUT_FOLDER [NAME ...]

For each body a folder with rest.obj and anim.pc2, as a scan would bring them (vertices at one place are one), and
truth.json: the rig's joints, how far each swings against the nearest above it that moves skin, the share of the skin
that it moves and where it is in every frame. `bench/skeleton.py` holds skeletons against it. Rigs are played by
Blender's Python module (pip install bpy), motion capture is moved onto bodies without clips by `sinew transplant`.

Bodies with `-scanned` behind their names are as a scan of somebody in loose clothes brings them: with noise in every
frame, a surface that slides over the limbs, and a skirt from the waist to the knees that lags behind. They are made only
when they are asked for by name.
"""

import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import bpy
import numpy as np

import characters
from common import data_folder, default_binary

FPS = 30
# What is held of all that lies in the hands of a rig.
HELD = {"knight-armed": ["1H_Sword", "Round_Shield"]}
# Bodies: file and clips (of RiggedFigure its only one, which moves two joints), or a character and motion capture.
BODIES = {
    "robot": ("rigs/RobotExpressive.glb", ["Dance", "Walking", "Punch", "Jump", "Sitting"]),
    "figure": ("rigs/RiggedFigure.glb", None),
    "figure-walking": ("rigs/RiggedFigure.glb", "07_01"),
    "figure-dancing": ("rigs/RiggedFigure.glb", "05_02"),
    "knight-armed": ("rigs/Knight.glb", ["Running_A", "1H_Melee_Attack_Slice_Diagonal", "Block", "Sit_Floor_Down"]),
    "mage": ("rigs/Mage.glb", ["Running_A", "Spellcast_Long", "Sit_Floor_Down", "1H_Melee_Attack_Chop"]),
    "mage-fighting": ("rigs/Mage.glb", ["Walking_B", "Dodge_Left", "Unarmed_Melee_Attack_Punch_A", "Jump_Full_Long"]),
    "knight-fighting": ("rigs/Knight.glb", ["Walking_Backwards", "2H_Melee_Attack_Spin", "Block_Hit", "Lie_Down"]),
    "geno-walking": ("geno", "02_03"),
    "geno-dancing": ("geno", "05_02"),
    "human-walking": ("human", "07_01"),
    "human-dancing": ("human", "05_02"),
}
SCANNED = "-scanned"
# Of a scan, in shares of the longest side: noise, how far the surface slides, how wide the clothes are.
NOISE, SLIDE, WIDE = 0.001, 0.004, 0.02
# Clothes follow the mean of so many frames, from and to these heights of a standing body.
LAG, WAIST, HEM = 5, 0.58, 0.3


def moved(kind, clip, data, binary, scratch):
    """A character of characters.py, or a rig of a file, that moves as a clip of motion capture."""
    still, out = scratch / "still.glb", scratch / "moves.glb"
    if "/" in kind:
        still = data / kind
    else:
        getattr(characters, kind)(data, still)
    source = data / f"mocap/{clip}.bvh"
    subprocess.run(
        [str(a) for a in (binary, "transplant", source, "--onto", still, "--fps", FPS, "-o", out, "--quiet")], check=True
    )
    return out


def quaternions(matrices):
    return np.array([list(m.to_quaternion()) for m in matrices])


def swing(turns):
    """The largest angle between any two of some turns (S, 4), in degrees."""
    cosines = np.abs(turns @ turns.T).clip(0, 1)
    return float(np.degrees(2 * np.arccos(cosines.min())))


def shown(o, held):
    """Whether a mesh is part of the body: of what lies in its hands only what it holds is."""
    return bool(o.find_armature()) or (o.parent_type == "BONE" and ("handslot" not in o.parent_bone or o.name in held))


def play(file, clips, held):
    """Points (S, V, 3), triangles and joints of a rig over its clips."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=str(file), disable_bone_shape=True)
    scene = bpy.context.scene
    scene.render.fps = FPS
    armature = next(o for o in scene.objects if o.type == "ARMATURE")
    meshes = [o for o in scene.objects if o.type == "MESH" and shown(o, held)]
    own = [armature.animation_data.action] if clips is None else []
    found = own or [next(a for a in bpy.data.actions if a.name == c or a.name.startswith(c + "_")) for c in clips]
    points, worlds = [], []
    for action in found:
        for track in armature.animation_data.nla_tracks:
            track.mute = True
        armature.animation_data.action = action
        if hasattr(action, "slots") and action.slots:
            armature.animation_data.action_slot = action.slots[0]
        first, last = action.frame_range
        for frame in range(int(np.ceil(first)), int(last) + 1):
            scene.frame_set(frame)
            graph = bpy.context.evaluated_depsgraph_get()
            whole = []
            for o in meshes:
                now = o.evaluated_get(graph)
                mesh = now.to_mesh()
                co = np.empty(3 * len(mesh.vertices))
                mesh.vertices.foreach_get("co", co)
                m = np.array(now.matrix_world)
                whole.append(co.reshape(-1, 3) @ m[:3, :3].T + m[:3, 3])
                now.to_mesh_clear()
            points.append(np.concatenate(whole))
            worlds.append([armature.matrix_world @ b.matrix for b in armature.pose.bones])
    triangles, weights, at = [], {}, 0
    for o in meshes:
        o.data.calc_loop_triangles()
        triangles += [[at + v for v in t.vertices] for t in o.data.loop_triangles]
        names = [g.name for g in o.vertex_groups]
        for v in o.data.vertices:
            of = [(names[g.group], g.weight) for g in v.groups] if names else [(o.parent_bone, 1.0)]
            total = sum(w for _, w in of) or 1.0
            for name, w in of:
                weights[name] = weights.get(name, 0.0) + w / total
        at += len(o.data.vertices)
    return np.array(points), np.array(triangles), joints(armature, worlds, weights, at)


def joints(armature, worlds, weights, vertices):
    bones = list(armature.pose.bones)
    number = {b.name: k for k, b in enumerate(bones)}
    turns = [quaternions([frame[k] for frame in worlds]) for k in range(len(bones))]
    out = []
    for k, bone in enumerate(bones):
        above = bone.parent
        while above and weights.get(above.name, 0.0) <= 0.0:
            above = above.parent
        angle = 0.0
        if above:
            apart = [worlds[t][number[above.name]].inverted() @ worlds[t][k] for t in range(len(worlds))]
            angle = swing(quaternions(apart))
        out.append({
            "name": bone.name,
            "parent": number[bone.parent.name] if bone.parent else None,
            "swing_degrees": round(angle, 2),
            "share": round(weights.get(bone.name, 0.0) / vertices, 5),
            "positions": [[round(float(x), 6) for x in upright(np.array(frame[k].translation))] for frame in worlds],
        })
    return out


def upright(points):
    """Blender has z up; files have y up."""
    return np.stack([points[..., 0], points[..., 2], -points[..., 1]], axis=-1)


def welded(points, triangles):
    """Vertices that are at one place in every tenth frame are one."""
    keys = np.round(points[::10].transpose(1, 0, 2).reshape(points.shape[1], -1) / np.ptp(points[0]) * 1e5).astype(np.int64)
    _, first, new = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    triangles = new.reshape(-1)[triangles]
    kept = (triangles[:, 0] != triangles[:, 1]) & (triangles[:, 1] != triangles[:, 2]) & (triangles[:, 0] != triangles[:, 2])
    return points[:, first], triangles[kept]


def normals(points, triangles):
    """Unit normals (V, 3) of one frame."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    sums = np.zeros_like(points)
    for k in range(3):
        np.add.at(sums, triangles[:, k], np.cross(b - a, c - a))
    return sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)


def scanned(points, triangles):
    """The same body in loose clothes, as a scan brings it."""
    random = np.random.default_rng(1)
    rest, side = points[0], np.ptp(points[0], axis=0).max()
    height = (rest[:, 1] - rest[:, 1].min()) / np.ptp(rest[:, 1])
    # Arms hang beside the skirt, they are not in it.
    inside = np.abs(rest[:, 0] - np.median(rest[:, 0])) < 0.2 * side
    worn = np.clip((height - HEM) / 0.05, 0, 1) * np.clip((WAIST - height) / 0.05, 0, 1) * inside
    out = np.empty_like(points)
    for t, frame in enumerate(points):
        first = max(0, t - LAG + 1)
        middle = points[first : t + 1].mean(axis=1, keepdims=True)
        late = (points[first : t + 1] - middle).mean(axis=0) + frame.mean(axis=0)
        up = normals(frame, triangles)
        along = np.cross(up, [np.sin(0.21 * t), np.cos(0.17 * t), np.sin(0.13 * t + 1)])
        folds = 1 + 0.5 * np.sin(40 * np.arctan2(rest[:, 2], rest[:, 0]) + 0.3 * t)
        out[t] = frame + worn[:, None] * (late - frame + up * (WIDE * side * folds)[:, None])
        out[t] += along * SLIDE * side * np.sin(6 * height + 0.2 * t)[:, None]
    return out + random.normal(size=out.shape) * NOISE * side


def write(folder, points, triangles, truth):
    folder.mkdir(parents=True, exist_ok=True)
    rest = "".join(f"v {x:.7g} {y:.7g} {z:.7g}\n" for x, y, z in points[0])
    rest += "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in triangles)
    (folder / "rest.obj").write_text(rest)
    header = struct.pack("<12siiffi", b"POINTCACHE2\0", 1, points.shape[1], 0.0, 1.0, len(points))
    (folder / "anim.pc2").write_bytes(header + points.astype("<f4").tobytes())
    (folder / "truth.json").write_text(json.dumps({"fps": FPS, "joints": truth}))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    data, binary, output = data_folder(), default_binary(), Path(sys.argv[1])
    for name in sys.argv[2:] or BODIES:
        file, clips = BODIES[name.removesuffix(SCANNED)]
        with tempfile.TemporaryDirectory() as scratch:
            own = not isinstance(clips, str)
            path = data / file if own else moved(file, clips, data, binary, Path(scratch))
            points, triangles, truth = play(path, clips if own else None, HELD.get(name.removesuffix(SCANNED), []))
        points, triangles = welded(upright(points), triangles)
        if name.endswith(SCANNED):
            points = scanned(points, triangles)
        write(output / name, points, triangles, truth)
        print(f"{name}: {points.shape[1]} vertices, {len(points)} frames, {len(truth)} joints")


if __name__ == "__main__":
    main()
