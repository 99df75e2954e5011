#!/usr/bin/env python3
"""Compares what Blender shows of a GLB file with what Sinew says it holds.

    blender.py RIG.glb RIG.pc2 [RIG2.glb RIG2.pc2 ...] [--clip NAME] [--fps 24] [--frames 12]
    blender.py CHARACTER.glb --skeleton REPORT.json
    blender.py --promises FILE.json

Imports each file with Blender's own importer, plays some frames and compares every evaluated vertex with the
point cache that `sinew bake` made of it. With --clip the first clip is played, then that one: nothing of the
first may be left behind. One line per file; fails above 0.1 percent of the diagonal.

With --promises all frames are played and compared with the animation that each rig was made of: fails where the error
is not within 0.01 percent of what its report says of Blender (promises.py writes the list).

With --skeleton the file has to be one armature whose bones have the parents that the report of `sinew
skeleton` says and point at their child where they have only one, and it has to be one that can be posed: a
joint within it is turned, and what hangs on it has to follow, and nothing else.

Needs bpy 4.5.4 and numpy, on Python 3.11.
"""

import argparse
import json
import math
import sys
from pathlib import Path

import bpy
import numpy as np
from mathutils import Quaternion

from common import LARGEST, Checks, diagonal, empty_scene, mesh_objects, read_pc2, shown, some_frames, switch

ASTRAY = 0.1  # degrees
PROMISED = 0.01  # percent of the motion
SOURCE_VERTEX = "_SOURCE_VERTEX"


def load(path, fps):
    """Imports a file into an empty scene. Its mesh objects, as far as they are seen: levels of detail are not."""
    empty_scene(fps)
    # The importer would draw bones as a mesh of its own.
    bpy.ops.import_scene.gltf(filepath=str(path), disable_bone_shape=True)
    return [o for o in mesh_objects() if o.visible_get()]


def source_vertices(objects):
    """For each of Blender's vertices the rig's. Files whose vertices were split say so themselves."""
    numbers = []
    for o in objects:
        attribute = o.data.attributes.get(SOURCE_VERTEX)
        if attribute:
            # Beside attributes of four numbers it has four as well, of which the first counts.
            wide = attribute.data_type == "FLOAT_COLOR"
            values = np.empty(len(o.data.vertices) * (4 if wide else 1), np.float32)
            attribute.data.foreach_get("color" if wide else "value", values)
            numbers.append(values[:: 4 if wide else 1].astype(int))
        elif len(objects) == 1:
            numbers.append(np.arange(len(o.data.vertices)))
        else:
            raise ValueError(f"{o.name} does not say which vertices of the rig it has")
    return np.concatenate(numbers)


def deviation(glb, cache, fps, count, clip):
    """Whether every vertex is where it should be, and in words."""
    baked = read_pc2(cache)
    objects = load(glb, fps)
    source = source_vertices(objects)
    if source.max() >= baked.shape[1] or len(np.unique(source)) < baked.shape[1]:
        raise ValueError(f"Blender shows {len(np.unique(source))} of {baked.shape[1]} vertices")
    if clip:
        bpy.context.scene.frame_set(bpy.context.scene.frame_end)
        switch(clip)
    frames = some_frames(len(baked), count)
    poses = np.array([shown(objects, f) for f in frames])
    percent = 100 * np.linalg.norm(poses - baked[frames][:, source], axis=2).max() / diagonal(baked[0])
    return percent < LARGEST, f"off by {percent:.5f} % of the diagonal in {len(frames)} frames"


def promise(glb, original, fps, stated):
    """Whether a rig is as far off its animation as its report says of Blender, and in words."""
    frames = read_pc2(original).astype(np.float64)
    objects = load(glb, fps)
    # One copy of each vertex.
    _, first = np.unique(source_vertices(objects), return_index=True)
    if len(first) != frames.shape[1]:
        raise ValueError(f"Blender shows {len(first)} of {frames.shape[1]} vertices")
    off = sum(((shown(objects, f)[first] - frame) ** 2).sum() for f, frame in enumerate(frames))
    percent = 100 * math.sqrt(off / ((frames - frames.mean(axis=0)) ** 2).sum())
    text = f"{percent:.5f} % of the motion off in {len(frames)} frames; promised {stated:.5f} %"
    return abs(percent - stated) <= PROMISED, text


def armature_of(joints):
    """The one armature of the scene, with the parents that the joints have."""
    found = [o for o in bpy.context.scene.objects if o.type == "ARMATURE"]
    if len(found) != 1:
        raise ValueError(f"Blender shows {len(found)} armatures")
    bones = found[0].data.bones
    if len(bones) != len(joints):
        raise ValueError(f"Blender shows {len(bones)} bones of {len(joints)} joints")
    for joint in joints:
        parent = None if joint["parent"] is None else joints[joint["parent"]]["name"]
        above = bones[joint["name"]].parent
        above = above.name if above else None
        if above != parent:
            raise ValueError(f"{joint['name']} hangs on {above}, not on {parent}")
    for bone in bones:
        if len(bone.children) == 1 and astray(bone) > ASTRAY:
            raise ValueError(f"{bone.name} points {astray(bone):.1f} degrees past {bone.children[0].name}")
    return found[0]


def astray(bone):
    """Degrees between where a bone points and where its only child is."""
    head = bone.head_local
    return math.degrees((bone.tail_local - head).angle(bone.children[0].head_local - head, 0))


def inner_joint(joints):
    """A joint that hangs on another and has others hanging on it, as elbows and knees do; else the last."""
    parents = {joint["parent"] for joint in joints}
    inner = (i for i, joint in enumerate(joints) if joint["parent"] is not None and i in parents)
    return next(inner, len(joints) - 1)


def below(joints, top):
    """The joints that hang on one, near or far. Parents come before children."""
    found = set()
    for number, joint in enumerate(joints):
        if joint["parent"] == top or joint["parent"] in found:
            found.add(number)
    return found


def places(armature, joints):
    bpy.context.view_layer.update()
    return np.array([armature.pose.bones[joint["name"]].matrix.translation for joint in joints])


def posed(glb, joints, fps):
    """Turns a joint. Its name, and how far the surface went, in percent of the diagonal."""
    objects = load(glb, fps)
    armature = armature_of(joints)
    bpy.context.scene.frame_set(0)
    # What a hand does is not to be undone by the clip.
    for data in bpy.data.objects:
        data.animation_data_clear()
    top = inner_joint(joints)
    follow = sorted(below(joints, top))
    stay = [i for i in range(len(joints)) if i not in follow]
    before, surface = places(armature, joints), shown(objects, 0)
    bone = armature.pose.bones[joints[top]["name"]]
    bone.rotation_mode = "QUATERNION"
    bone.rotation_quaternion = bone.rotation_quaternion @ Quaternion((1, 0, 0), math.radians(40))
    after = places(armature, joints)
    size = diagonal(surface)
    gone = 100 * np.linalg.norm(after - before, axis=1) / size
    if gone[stay].max() > LARGEST:
        raise ValueError(f"turning {bone.name} moves joints that do not hang on it")
    arms = np.linalg.norm([before[follow] - before[top], after[follow] - after[top]], axis=2)
    if follow and 100 * np.ptp(arms, axis=0).max() / size > LARGEST:
        raise ValueError(f"turning {bone.name} changes lengths")
    moved = 100 * np.linalg.norm(shown(objects, 0) - surface, axis=1).max() / size
    if moved < LARGEST:
        raise ValueError(f"turning {bone.name} leaves the surface where it is")
    return bone.name, moved


def check_skeleton(glb, report, fps):
    """Whether an armature is as the report says and can be posed, and in words."""
    joints = json.loads(report.read_text())["skeleton"]
    name, moved = posed(glb, joints, fps)
    return True, f"{len(joints)} joints; {name} was turned and moved the surface by {moved:.1f} %"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, metavar="RIG.glb RIG.pc2")
    parser.add_argument("--clip", help="the clip to play, when it is not the first")
    parser.add_argument("--fps", type=float, default=24.0)
    parser.add_argument("--frames", type=int, default=12, help="how many frames to compare")
    parser.add_argument("--skeleton", type=Path, metavar="REPORT.json", help="pose the file instead")
    parser.add_argument("--promises", type=Path, metavar="FILE.json", help="hold reports to what they say")
    options = parser.parse_args()
    checks = Checks()
    if options.promises:
        for rig in json.loads(options.promises.read_text()):
            check = lambda: promise(rig["glb"], rig["original"], rig["fps"], rig["stated"]["Blender"])
            checks.run(f"blender {rig['name']}", check)
        sys.exit(checks.failed)
    if options.skeleton:
        for glb in options.files:
            check = lambda: check_skeleton(glb, options.skeleton, options.fps)
            checks.run(f"blender {glb.name}, posed", check)
        sys.exit(checks.failed)
    if len(options.files) % 2 or not options.files:
        parser.error("every GLB file needs its point cache")
    clip = f", clip {options.clip}" if options.clip else ""
    for glb, cache in zip(options.files[::2], options.files[1::2]):
        check = lambda: deviation(glb, cache, options.fps, options.frames, options.clip)
        checks.run(f"blender {glb.name}{clip}", check)
    sys.exit(checks.failed)


if __name__ == "__main__":
    main()
