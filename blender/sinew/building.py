# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs become meshes with armatures."""

import numpy as np

import bpy
from mathutils import Quaternion

from .space import TO_BLENDER, TO_SINEW, double, quaternions, scales_to_blender, to_blender, turns_to_blender

#: What a bone is called that stretches for the one within it, and the custom property that tells it from bones of others that
#: happen to be called so.
STRETCH = "_stretch"
STRETCHES = "sinew_stretches"
#: The custom property in which armatures and meshes keep what Sinew said of them.
KEPT = "sinew"


def build(context, sampled, rig, hang_in=None):
    """Makes a mesh of the sampled one with an armature of the rig. Returns both objects; what is kept of the rig is left to who
    measures them."""
    name = sampled.name
    armature = bpy.data.objects.new(f"{name} Rig", bpy.data.armatures.new(f"{name} Rig"))
    mesh, sampled.mesh = sampled.mesh, None
    mesh.name = f"{name} Skinned"
    body = bpy.data.objects.new(f"{name} Skinned", mesh)
    collection = hang_in or context.collection
    for thing in (armature, body):
        collection.objects.link(thing)
    armature.matrix_world = sampled.place
    armature.data.display_type = "STICK"
    armature.show_in_front = True
    body.parent = armature
    _shape(body, rig)
    names = _bones(context, armature, rig)
    _weights(body, rig, names)
    modifier = body.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    modifier.use_bone_envelopes = False
    first = sampled.frames[0]
    _animate(armature, rig, names, first)
    _correct(body, rig, first)
    select(context, body)
    return body, armature


def discard(body, armature):
    """Takes away what was built."""
    data = [thing.animation_data for thing in (armature, body.data.shape_keys) if thing is not None]
    actions = [one.action for one in data if one is not None and one.action is not None]
    mesh, bones = body.data, armature.data
    for thing in (body, armature):
        bpy.data.objects.remove(thing)
    bpy.data.meshes.remove(mesh)
    bpy.data.armatures.remove(bones)
    for action in actions:
        bpy.data.actions.remove(action)


def kept(rig, error=None):
    """What is kept of a rig's report with the objects, for the panel and for programs. What was measured besides counts for more
    than the error that the rig itself has."""
    error = error or rig.report.get("error") or {}
    told = {"bones": rig.bone_count, "skeleton": rig.has_skeleton}
    for name in ("percent", "mean", "max", "max_frame", "max_vertex"):
        if error.get(name) is not None:
            told[name] = error[name]
    seconds = rig.report.get("seconds") or {}
    if seconds.get("total") is not None:
        told["seconds"] = seconds["total"]
    return told


def select(context, thing):
    """Makes an object the only one that is selected, and active."""
    for other in context.view_layer.objects:
        other.select_set(False)
    thing.select_set(True)
    context.view_layer.objects.active = thing


def _shape(body, rig):
    rest = to_blender(rig.rest)
    body.data.vertices.foreach_set("co", np.ascontiguousarray(rest, np.float32).ravel())
    body.data.update()


def _bones(context, armature, rig):
    """Makes the bones. Returns the names that they got."""
    select(context, armature)
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        # As joint_frames has them.
        centers = to_blender(rig.centers.astype(np.float32).astype(np.float64))
        size = float(np.linalg.norm(np.ptp(rig.rest, axis=0))) or 1.0
        edit = armature.data.edit_bones
        if rig.has_skeleton:
            made = _joints(edit, rig, centers, size)
        else:
            made = _loose(edit, rig, centers, size)
        names = [bone.name for bone in made]
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
    return names


def _loose(edit, rig, centers, size):
    rigid = rig.rigid
    made = []
    for bone, (name, center) in enumerate(zip(rig.names, centers)):
        tail = center + [0, 0.04 * size, 0]
        outer = None
        if not rigid[bone]:
            outer = edit.new(name + STRETCH)
            outer.head, outer.tail, outer.use_deform = center, tail, False
            outer[STRETCHES] = True
        joint = edit.new(name)
        joint.head, joint.tail, joint.parent = center, tail, outer
        made.append(joint)
    return made


def _joints(edit, rig, centers, size):
    parents = rig.parents.tolist()
    children = [[] for _ in parents]
    for joint, parent in enumerate(parents):
        if parent >= 0:
            children[parent].append(joint)
    made = []
    for joint, name in enumerate(rig.names):
        bone = edit.new(name)
        bone.head = centers[joint]
        far = [child for child in children[joint] if np.linalg.norm(centers[child] - centers[joint]) > 1e-3 * size]
        if far:
            tail = np.mean([centers[child] for child in far], axis=0)
        else:
            parent = parents[joint]
            way = centers[joint] - centers[parent] if parent >= 0 else np.array([0, 0, 1.0])
            length = np.linalg.norm(way)
            way = way / length if length > 1e-6 * size else np.array([0, 0, 1.0])
            tail = centers[joint] + 0.04 * size * way
        if np.linalg.norm(tail - centers[joint]) < 1e-3 * size:
            tail = centers[joint] + [0, 0, 0.04 * size]
        bone.tail = tail
        made.append(bone)
    for joint, parent in enumerate(parents):
        if parent >= 0:
            made[joint].parent = made[parent]
    return made


def _weights(body, rig, names):
    for name in names:
        old = body.vertex_groups.get(name)
        if old is not None:
            body.vertex_groups.remove(old)
    groups = [body.vertex_groups.new(name=name) for name in names]
    bones, weights = rig.bones, rig.weights
    for vertex, (of, shares) in enumerate(zip(bones.tolist(), weights.tolist())):
        for bone, share in zip(of, shares):
            if share > 0:
                # Entries may name a bone twice.
                groups[bone].add([vertex], share, "ADD")


def animate_in(armature, rig, names, first, place, step=1.0):
    """Gives an armature that stands at a place the motion of a rig that was read in the world, as a new action. A frame of the rig
    lasts so many of the scene: a capture of 120 a second is as fast in a scene of 24, with keys between frames.

    Bones are keyed in their own rotation modes, so that the action before still plays, which is kept. Its curves of everything
    else, such as the object's, go on in the new one.
    """
    back = np.linalg.inv(place)
    # The same motion as the armature sees it.
    turned = TO_BLENDER @ rig.transforms @ TO_SINEW
    curves = Curves(armature, f"{armature.name} Action", "OBJECT", without={path for name in names for path in paths(name)})
    data = armature.animation_data
    # Strips of the NLA go on below; they must not be added.
    data.action_blend_type, data.action_influence = "REPLACE", 1.0
    _move(armature, back @ turned @ place, names, first, curves, every=True, step=step)


#: What moves a bone, as its curves call it: rotations by the bone's mode.
ROTATIONS = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
EULER = "rotation_euler"


def paths(name):
    """The paths of all curves that may move a bone."""
    return [path_of(name) + what for what in ("location", "scale", EULER, *ROTATIONS.values())]


def path_of(name):
    """The path of a bone, to which what moves is added."""
    return f'pose.bones["{bpy.utils.escape_identifier(name)}"].'


def turns_in(mode, turns):
    """Quaternions over frames in a bone's rotation mode."""
    if mode == "QUATERNION":
        return turns
    made, last = [], None
    for turn in map(Quaternion, turns.tolist()):
        if mode == "AXIS_ANGLE":
            axis, angle = turn.to_axis_angle()
            made.append((angle, *axis))
        else:
            # Angles go on from those before, and do not jump by a turn.
            last = turn.to_euler(mode, last) if last is not None else turn.to_euler(mode)
            made.append(tuple(last))
    return np.array(made)


def _animate(armature, rig, names, first):
    if rig.has_skeleton:
        _move(armature, TO_BLENDER @ rig.transforms @ TO_SINEW, names, first, _curves(armature))
    else:
        _move_loose(armature, rig, names, first)


def _curves(armature):
    for bone in armature.pose.bones:
        bone.rotation_mode = "QUATERNION"
    return Curves(armature, f"{armature.name} Action", "OBJECT")


def _move_loose(armature, rig, names, first):
    """Moves bones that hang on nothing, with a second one around each that stretches."""
    curves, frames = _curves(armature), first + np.arange(rig.frame_count)
    motion = rig.joint_frames()
    centers = rig.centers.astype(np.float32).astype(np.float64)
    # Bones stand along the axes of the armature.
    shifts = to_blender(motion.translations - centers)
    turns, inner = turns_to_blender(motion.rotations), turns_to_blender(motion.inner)
    scales = scales_to_blender(motion.scales)
    for bone, name in enumerate(names):
        outer = name + STRETCH if name + STRETCH in armature.data.bones else name
        curves.of_bone(outer, frames, shifts[:, bone], turns[:, bone], scales[:, bone])
        if outer != name:
            curves.of_bone(name, frames, None, inner[:, bone], None)


def _move(armature, transforms, names, first, curves, every=False, step=1.0):
    """Moves bones as matrices say that take the armature at rest to each frame. With every, scales are keyed that stay 1, as
    bones may have others from before."""
    frames = first + step * np.arange(len(transforms))
    stands = {bone.name: double(bone.matrix_local) for bone in armature.data.bones}
    poses = {name: transforms[:, bone] @ stands[name] for bone, name in enumerate(names)}
    for name in names:
        parent = armature.data.bones[name].parent
        stand, pose = stands[name], poses[name]
        if parent is not None and parent.name in poses:
            stand = np.linalg.inv(stands[parent.name]) @ stand
            pose = np.linalg.inv(poses[parent.name]) @ pose
        basis = np.linalg.inv(stand) @ pose
        scales = np.linalg.norm(basis[:, :3, :3], axis=1)
        straight = basis[:, :3, :3] / scales[:, None, :]
        plain = np.abs(scales - 1).max() < 1e-5
        mode = armature.pose.bones[name].rotation_mode
        curves.of_bone(name, frames, basis[:, :3, 3], quaternions(straight), None if plain else scales, mode)
        if plain and every:
            curves.of_bone(name, frames[:1], None, None, np.ones((1, 3)))


def _correct(body, rig, first):
    shapes, coefficients = rig.shapes, rig.coefficients
    if not len(shapes):
        return
    body.shape_key_add(name="Basis", from_mix=False)
    rest = to_blender(rig.rest)
    frames = first + np.arange(rig.frame_count)
    made = []
    for number, shape in enumerate(shapes):
        # Sliders go from -1 to 1.
        most = float(np.abs(coefficients[:, number]).max()) or 1.0
        key = body.shape_key_add(name=f"correction_{number}", from_mix=False)
        key.slider_min, key.slider_max = -1.0, 1.0
        key.data.foreach_set("co", np.ascontiguousarray(rest + most * to_blender(shape), np.float32).ravel())
        made.append((key.name, coefficients[:, number] / most))
    keys = body.data.shape_keys
    curves = Curves(keys, f"{body.name} Corrections", "KEY")
    for name, values in made:
        curves.one(f'key_blocks["{bpy.utils.escape_identifier(name)}"].value', 0, frames, values)


class Curves:
    """The curves of a new action of something that moves, whatever Blender keeps them in."""

    def __init__(self, thing, name, kind, without=None):
        """With paths that it goes without, the action starts as a copy of that before."""
        data = thing.animation_data_create()
        old, slot_before = data.action, getattr(data, "action_slot", None)
        if old is not None:
            # Actions that nobody uses are not saved.
            old.use_fake_user = True
        if old is not None and without is not None:
            action = old.copy()
            action.name, action.use_fake_user = name, False
        else:
            action = bpy.data.actions.new(name)
        slot_before = slot_before.identifier if slot_before is not None else None
        data.action = action
        self.curves = None
        if hasattr(action, "layers"):
            # Since 4.4 an action has slots; since 5.0 nothing else.
            slot = action.slots.get(slot_before) if slot_before else data.action_slot
            for other in list(action.slots):
                if other != slot:
                    action.slots.remove(other)
            if slot is None:
                slot = action.slots.new(id_type=kind, name=thing.name)
            data.action_slot = slot
            layer = action.layers[0] if action.layers else action.layers.new("Layer")
            strip = layer.strips[0] if layer.strips else layer.strips.new(type="KEYFRAME")
            self.curves = strip.channelbag(slot, ensure=True).fcurves
        else:
            self.curves = action.fcurves
        for curve in list(self.curves):
            if curve.data_path in (without or ()):
                self.curves.remove(curve)

    def one(self, path, index, frames, values, group=""):
        """Keys of one number, straight in between; none where it never changes from what bones have at rest."""
        curve = self.curves.new(path, index=index)
        curve.keyframe_points.add(len(frames))
        curve.keyframe_points.foreach_set("co", np.stack([frames, values], -1).astype(np.float32).ravel())
        linear = bpy.types.Keyframe.bl_rna.properties["interpolation"].enum_items["LINEAR"].value
        curve.keyframe_points.foreach_set("interpolation", np.full(len(frames), linear, np.int32))
        curve.update()

    def of_bone(self, name, frames, shifts, turns, scales, mode="QUATERNION"):
        """Keys of a bone, whose quaternions are written in its rotation mode."""
        path = path_of(name)
        turns = turns_in(mode, turns) if turns is not None else None
        for what, values in (("location", shifts), (ROTATIONS.get(mode, EULER), turns), ("scale", scales)):
            if values is not None:
                for index in range(values.shape[1]):
                    self.one(path + what, index, frames, values[:, index])


def color(mesh, name, distances):
    """Shows how far vertices are off as a colour attribute, from blue over green to red at the farthest."""
    active = mesh.color_attributes.active_color
    own = active.name if active is not None and active.name != name else None
    old = mesh.color_attributes.get(name)
    if old is not None:
        mesh.color_attributes.remove(old)
    layer = mesh.color_attributes.new(name, "FLOAT_COLOR", "POINT")
    share = distances / (distances.max() or 1.0)
    ramp = np.array([[0.0, 0.1, 0.8], [0.0, 0.7, 0.3], [0.9, 0.8, 0.0], [0.9, 0.0, 0.0]])
    colors = np.ones((len(share), 4), np.float32)
    for channel in range(3):
        colors[:, channel] = np.interp(share, np.linspace(0, 1, len(ramp)), ramp[:, channel])
    layer.data.foreach_set("color", colors.ravel())
    # What an artist painted stays what is shown and exported.
    mesh.color_attributes.active_color = mesh.color_attributes[own] if own is not None else layer
