#!/usr/bin/env python3
"""Scenes that are hard to read, written by Blender in every format and played by Sinew.

    scenes.py SINEW [--only TEXT] [--keep FOLDER]

Each scene is made with Blender, written as GLB, FBX (in several axes and units), USD and Alembic, and every vertex that
Sinew finds in every frame is compared with what Blender shows of the scene. Where Blender's own way out and in changes
the scene, what it shows of its own file counts. One line per file; fails above 1e-4 of the diagonal.

Needs bpy 4.5.4, usd-core, numpy and scipy, on Python 3.11.
"""

import argparse
import math
import subprocess
import sys
import tempfile
from pathlib import Path

import bpy
import numpy as np
from pxr import Gf, Usd, UsdGeom, Vt
from scipy.spatial import cKDTree

from common import Checks, diagonal, empty_scene, mesh_objects, read_pc2, shown, sinew

LARGEST = 1e-4  # of the diagonal
FRAMES = range(6)
FPS = 24


# What scenes are made of.


def add(name, data, at=(0, 0, 0), turn=(0, 0, 0), scale=(1, 1, 1), parent=None, bone=None):
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    thing.location, thing.rotation_euler, thing.scale = at, turn, scale
    thing.parent = parent
    if bone:
        thing.parent_type, thing.parent_bone = "BONE", bone
    return thing


def lump(name, levels=7, materials=1):
    """A column that is not like its mirror image, with three UV sets."""
    corners = np.array([[-0.3, -0.2], [0.25, -0.25], [0.2, 0.3], [-0.1, 0.22]])
    heights = np.linspace(0, 2, levels)
    points = np.array([[x * (1 + 0.2 * z), y + 0.05 * z * z, z] for z in heights for x, y in corners])
    ring = lambda level: [4 * level + i for i in range(4)]
    quads = [[a, b, b + 4, a + 4] for l in range(levels - 1) for a, b in zip(ring(l), ring(l)[1:] + ring(l)[:1])]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], quads + [ring(0)[::-1], ring(levels - 1)])
    for number in range(3):
        layer = mesh.uv_layers.new(name=f"uv{number}")
        for loop in mesh.loops:
            x, y, z = points[loop.vertex_index]
            layer.uv[loop.index].vector = (x + number * z, y + 0.3 * z)
    for number in range(materials):
        mesh.materials.append(bpy.data.materials.new(f"{name}{number}"))
    for face in mesh.polygons:
        face.material_index = face.index % materials
    return mesh


def key(thing, path, values):
    """Keys in all frames."""
    for frame, value in zip(FRAMES, values):
        setattr(thing, path, value)
        thing.keyframe_insert(path, frame=frame)


def armature(name="Rig", **place):
    """Three bones in a row, the first of which has a leaf beside."""
    rig = add(name, bpy.data.armatures.new(name), **place)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    ends = {"low": ((0, 0, 0), (0, 0.1, 0.8), None), "middle": ((0, 0.1, 0.8), (0.1, 0, 1.5), "low"),
            "high": ((0.1, 0, 1.5), (0.1, 0, 2), "middle"), "leaf": ((0.5, 0, 0.4), (0.9, 0, 0.4), "low")}
    for bone, (head, tail, parent) in ends.items():
        new = rig.data.edit_bones.new(bone)
        new.head, new.tail, new.roll = head, tail, 0.4
        new.parent = rig.data.edit_bones[parent] if parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def bend(rig, amount=0.2):
    for number, name in enumerate(["low", "middle", "high"]):
        bone = rig.pose.bones[name]
        bone.rotation_mode = "QUATERNION" if number else "XYZ"
        for frame in FRAMES:
            if number:
                half = 0.5 * amount * frame * (1 + 0.3 * number)
                bone.rotation_quaternion = (math.cos(half), math.sin(half), 0, 0)
                bone.keyframe_insert("rotation_quaternion", frame=frame)
            else:
                bone.rotation_euler = (0, 0.1 * frame, 0.05 * frame)
                bone.keyframe_insert("rotation_euler", frame=frame)
    return rig


def bind(thing, rig, groups=("low", "middle", "high")):
    heights = np.array([v.co.z for v in thing.data.vertices])
    for number, name in enumerate(groups):
        group = thing.vertex_groups.new(name=name)
        weights = np.exp(-4 * (heights - 0.4 - 0.7 * number) ** 2)
        for vertex, weight in enumerate(weights):
            group.add([vertex], float(weight), "REPLACE")
    thing.parent = rig
    thing.modifiers.new("Armature", "ARMATURE").object = rig
    return thing


def shapes(thing):
    """Two shapes that come and go."""
    thing.shape_key_add(name="Basis")
    for number, name in enumerate(["fat", "long"]):
        shape = thing.shape_key_add(name=name)
        for vertex, point in zip(thing.data.vertices, shape.data):
            x, y, z = vertex.co
            point.co = (x * 1.8, y * 1.5, z) if number == 0 else (x, y, z * 1.4 + 0.1)
        for frame in FRAMES:
            shape.value = 0.15 * frame if number == 0 else 1 - 0.2 * frame
            shape.keyframe_insert("value", frame=frame)


# The scenes.


def plain():
    thing = add("Body", lump("Body", materials=3), (1, 2, 0), (0.3, 0.2, 0.1))
    key(thing, "location", [(1 + 0.1 * f, 2, 0.05 * f * f) for f in FRAMES])
    key(thing, "rotation_euler", [(0.3, 0.2 * f, 0.1) for f in FRAMES])


def skinned_under_parent():
    top = add("Top", None, (1, -2, 0.5), (0.2, 0.5, 0.9), (1.5, 1.5, 1.5))
    rig = bend(armature(at=(0.2, 0.1, 0), turn=(0, 0, 0.7), parent=top))
    bind(add("Body", lump("Body"), (0.1, 0, 0.05), (0, 0, 0.1)), rig)


def moving_armature():
    rig = bend(armature())
    key(rig, "location", [(0.3 * f, 0, 0.1 * f) for f in FRAMES])
    key(rig, "scale", [(1 + 0.1 * f,) * 3 for f in FRAMES])
    bind(add("Body", lump("Body")), rig)


def scaled_armature():
    rig = bend(armature(scale=(0.01, 0.01, 0.01), turn=(math.pi / 2, 0, 0)))
    bind(add("Body", lump("Body")), rig)


def stretching_bones():
    rig = bend(armature())
    key(rig.pose.bones["middle"], "scale", [(1, 1 + 0.1 * f, 1 - 0.05 * f) for f in FRAMES])
    bind(add("Body", lump("Body")), rig)


def instances():
    mesh = lump("Shared")
    one = add("One", mesh, (-1, 0, 0))
    key(one, "rotation_euler", [(0.1 * f, 0, 0.3 * f) for f in FRAMES])
    add("Two", mesh, (1, 0, 0), (0.5, 0, 0), (1.3, 0.7, 1))
    add("Three", mesh, (0, 1, 2), (0, 1.5, 0), parent=one)


def shaped():
    shapes(add("Body", lump("Body"), (0.5, 0, 0)))


def shaped_and_skinned():
    rig = bend(armature())
    thing = bind(add("Body", lump("Body", materials=2)), rig)
    shapes(thing)


def mirrored():
    top = add("Top", None, (0, 0, 0), (0.1, 0, 0.4), (-1, 1, 1))
    thing = add("Body", lump("Body"), (1, 0, 0), (0.2, 0.4, 0), parent=top)
    key(thing, "rotation_euler", [(0.2, 0.4 + 0.1 * f, 0) for f in FRAMES])


def mirrored_and_skinned():
    top = add("Top", None, (0, 0, 0), (0.1, 0, 0.4), (-1, 1, 1))
    bind(add("Body", lump("Body")), bend(armature(parent=top)))


def uneven_chain():
    top = add("Top", None, (0, 0, 0), (0.1, 0.2, 0.4), (1, 2, 0.5))
    middle = add("Middle", None, (0.3, 0, 0), (0.5, 0, 0.6), (1.5, 1, 1), top)
    thing = add("Body", lump("Body"), (1, 0, 0), (0.2, 0.4, 0), parent=middle)
    key(thing, "rotation_euler", [(0.2, 0.4 + 0.1 * f, 0.2 * f) for f in FRAMES])
    key(middle, "rotation_euler", [(0.5 + 0.1 * f, 0, 0.6) for f in FRAMES])


def on_bones():
    rig = bend(armature(turn=(0, 0, 0.4)))
    add("Sword", lump("Sword", 3), (0.1, 0.2, 0), (0.3, 0, 0), (0.5, 0.5, 0.5), rig, "high")
    add("Shield", lump("Shield", 3), (0, 0, 0.1), (0, 0.6, 0), (0.4, 0.4, 0.4), rig, "leaf")
    bind(add("Body", lump("Body")), rig)


def on_cameras():
    rig = bend(armature(turn=(0, 0, 0.4)))
    camera = add("Eye", bpy.data.cameras.new("Eye"), (0, 0.2, 0), (1, 0, 0), parent=rig, bone="high")
    add("Lens", lump("Lens", 2), (0, 0, 0.2), (0, 0, 0), (0.1, 0.1, 0.1), camera)
    light = add("Lamp", bpy.data.lights.new("Lamp", "SPOT"), (0.2, 0.2, 0), (1, 0.3, 0), parent=rig, bone="middle")
    add("Shade", lump("Shade", 2), (0, 0, 0.2), (0.1, 0, 0), (0.1, 0.1, 0.1), light)
    bind(add("Body", lump("Body")), rig)


def two_meshes_two_rigs():
    for number in range(2):
        rig = bend(armature(f"Rig{number}", at=(2 * number, 0, 0), turn=(0, 0, number)), 0.2 - 0.3 * number)
        bind(add(f"Body{number}", lump(f"Body{number}", 5 + number)), rig)


def in_centimetres():
    bpy.context.scene.unit_settings.scale_length = 0.01
    top = add("Top", None, (100, -200, 50), (0.2, 0.5, 0.9), (100, 100, 100))
    bind(add("Body", lump("Body")), bend(armature(parent=top)))


def many_weights():
    rig = bend(armature())
    bind(add("Body", lump("Body", 12)), rig, ("low", "middle", "high", "leaf"))


def several_actions():
    rig = bend(armature())
    bind(add("Body", lump("Body")), rig)
    first = rig.animation_data.action
    first.name = "bow"
    rig.animation_data.action = None
    bend(rig, -0.3)
    rig.animation_data.action.name = "lean"
    first.use_fake_user = True
    rig.animation_data.action = first
    rig.animation_data.action_slot = first.slots[0]


def hidden_and_empty():
    plain()
    hidden = add("Hidden", lump("Hidden"), (5, 0, 0))
    hidden.hide_render = False
    add("Nothing", bpy.data.meshes.new("Nothing"))


def pivot_and_delta():
    thing = add("Body", lump("Body"), (1, 0, 0))
    thing.delta_location, thing.delta_rotation_euler, thing.delta_scale = (0.5, 0, 1), (0.3, 0, 0.2), (1, 1.5, 1)
    thing.rotation_mode = "ZYX"
    key(thing, "rotation_euler", [(0.2 * f, 0.3 * f, -0.25 * f) for f in FRAMES])


def subdivided():
    thing = add("Body", lump("Body"))
    thing.modifiers.new("Smooth", "SUBSURF").levels = 1
    key(thing, "location", [(0.1 * f, 0, 0) for f in FRAMES])


def ngons():
    angle = [2 * math.pi * i / 11 for i in range(11)]
    points = [((1 + 0.5 * (i % 2)) * math.cos(a), (1 + 0.5 * (i % 2)) * math.sin(a), 0) for i, a in enumerate(angle)]
    points += [(x, y, 0.5) for x, y, _ in points]
    sides = [[i, (i + 1) % 11, 11 + (i + 1) % 11, 11 + i] for i in range(11)]
    mesh = bpy.data.meshes.new("Star")
    mesh.from_pydata(points, [], [list(range(11))[::-1], list(range(11, 22)), *sides])
    thing = add("Star", mesh)
    key(thing, "scale", [(1 + 0.1 * f, 1, 1 - 0.1 * f) for f in FRAMES])


SCENES = [plain, skinned_under_parent, moving_armature, scaled_armature, stretching_bones, instances, shaped,
          shaped_and_skinned, mirrored, mirrored_and_skinned, uneven_chain, on_bones, on_cameras, two_meshes_two_rigs, in_centimetres,
          many_weights, several_actions, hidden_and_empty, pivot_and_delta, subdivided, ngons]


# Files.


def glb(path):
    bpy.ops.export_scene.gltf(filepath=str(path), export_animation_mode="SCENE",
                              export_anim_scene_split_object=False)


def gltf_of_actions(path):
    bpy.ops.export_scene.gltf(filepath=str(path), export_animation_mode="ACTIVE_ACTIONS", export_optimize_animation_size=True)


def fbx(**options):
    usual = dict(bake_anim_use_all_actions=False, bake_anim_use_nla_strips=False, bake_anim_simplify_factor=0.0)
    return lambda path: bpy.ops.export_scene.fbx(filepath=str(path), **{**usual, **options})


def usd(path):
    bpy.ops.wm.usd_export(filepath=str(path), export_animation=True, export_armatures=True, convert_world_material=False)


def alembic(path):
    bpy.ops.wm.alembic_export(filepath=str(path), start=FRAMES[0], end=FRAMES[-1], as_background_job=False)


def alembic_instances(path):
    bpy.ops.wm.alembic_export(filepath=str(path), start=FRAMES[0], end=FRAMES[-1], as_background_job=False,
                              use_instancing=True, flatten=False, face_sets=True, subdiv_schema=True)


WAYS = {
    "scene.glb": glb,
    "active.glb": gltf_of_actions,
    "usual.fbx": fbx(),
    "z-up.fbx": fbx(axis_up="Z", axis_forward="Y", add_leaf_bones=False),
    "x-forward.fbx": fbx(axis_up="Y", axis_forward="X", apply_scale_options="FBX_SCALE_ALL", primary_bone_axis="X",
                         secondary_bone_axis="Y"),
    "baked-axes.fbx": fbx(bake_space_transform=True, apply_scale_options="FBX_SCALE_UNITS"),
    "usdc": usd,
    "plain.abc": alembic,
    "instances.abc": alembic_instances,
}


def imported(path):
    empty_scene(FPS)
    if path.suffix == ".fbx":
        bpy.ops.import_scene.fbx(filepath=str(path), anim_offset=0.0)
    elif path.suffix == ".glb":
        bpy.ops.import_scene.gltf(filepath=str(path), disable_bone_shape=True)
    elif path.suffix == ".abc":
        bpy.ops.wm.alembic_import(filepath=str(path), as_background_job=False)
    else:
        bpy.ops.wm.usd_import(filepath=str(path))
    return poses()


def poses():
    """All vertices of faces, as Blender shows them in all frames."""
    things = [o for o in mesh_objects() if len(o.data.polygons)]
    return np.array([shown(things, frame) for frame in FRAMES])


def off(ours, wanted):
    """The largest distance between paths of vertices that belong together, as a part of the diagonal. Vertices may be
    split, and in any order."""
    if len(ours) == 1:
        ours = np.repeat(ours, len(wanted), axis=0)
    if len(ours) != len(wanted):
        raise ValueError(f"{len(ours)} frames, not {len(wanted)}")
    paths = [np.swapaxes(p, 0, 1).reshape(p.shape[1], -1) for p in (ours, wanted)]
    farthest = 0.0
    for a, b in (paths, paths[::-1]):
        _, nearest = cKDTree(b).query(a)
        farthest = max(farthest, np.linalg.norm((a - b[nearest]).reshape(len(a), -1, 3), axis=2).max())
    return farthest / diagonal(wanted[0])


def check(binary, path, wanted):
    out = path.with_suffix(path.suffix + ".glb.pc2")
    done = subprocess.run([str(binary), "convert", str(path), str(out), "--quiet"], capture_output=True, text=True)
    if done.returncode:
        raise ValueError(done.stderr.strip())
    ours = read_pc2(out).astype(float)
    metres = 0.01 if path.suffix == ".fbx" else 1.0
    tried = {}
    for unit in dict.fromkeys([metres, 1.0, 0.01]):
        try:
            tried[unit] = off(unit * ours, wanted)
        except ValueError as error:
            return False, str(error)
    worst = min(tried.values())
    if worst <= LARGEST:
        return True, f"off by {worst:.1e}"
    again = imported(path)
    own = min(off(unit * ours, again) for unit in tried)
    return own <= LARGEST, f"off by {worst:.1e}; of what Blender reads back, {own:.1e}; that is off by {off(again, wanted):.1e}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sinew", type=Path)
    parser.add_argument("--only", default="", help="scenes and files whose name holds this")
    parser.add_argument("--keep", type=Path, help="a folder for the files")
    options = parser.parse_args()
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        folder = options.keep or Path(folder)
        folder.mkdir(exist_ok=True)
        for scene in SCENES:
            for end, write in WAYS.items():
                name = f"{scene.__name__}-{end}".replace("-usdc", ".usdc")
                if options.only not in name:
                    continue
                empty_scene(FPS)
                bpy.context.scene.frame_start, bpy.context.scene.frame_end = FRAMES[0], FRAMES[-1]
                scene()
                bpy.context.scene.frame_set(0)
                wanted = poses()
                bpy.context.scene.frame_set(0)
                try:
                    write(folder / name)
                except RuntimeError as error:
                    print("skip", name, "Blender does not write it:", error)
                    continue
                checks.run(name, lambda: check(options.sinew, folder / name, wanted))
    sys.exit(checks.failed)


if __name__ == "__main__":
    main()
