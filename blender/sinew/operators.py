# SPDX-License-Identifier: GPL-3.0-or-later
"""What the panel's buttons do. All run without a window too, at once."""

import math
import warnings
from pathlib import Path

import numpy as np

import bpy
from bpy.props import StringProperty
from bpy_extras.io_utils import ExportHelper

from . import building, options, reading, sampling
from .running import Runs, beside
from .space import TO_BLENDER, TO_SINEW, double

#: Kinds of objects that have a surface.
SOLID = {"MESH", "CURVE", "SURFACE", "FONT", "META"}
#: The colour attribute of errors.
COLORS = "Sinew Error"


def solid(thing):
    """Whether an object has a surface."""
    return thing is not None and thing.type in SOLID


def must_move(sampled):
    """Refuses what bones would have nothing to do for."""
    first, last = sampled.frames[0], sampled.frames[-1]
    if first == last:
        raise ValueError(f"the scene has only frame {first}: set its end to that of the motion")
    if not (sampled.positions != sampled.positions[0]).any():
        raise ValueError(f"{sampled.name} does not move in frames {first} to {last} of the scene")


def animation_of(context, sampled):
    """What was sampled as Sinew has it."""
    import sinew_rig

    scene = context.scene
    return sinew_rig.Animation(
        sampled.positions,
        sampled.faces(),
        fps=sampling.rate(scene),
        metres_per_unit=scene.unit_settings.scale_length or 1.0,
        name=sampled.name,
    )


class Finds(Runs):
    """What operators share that make a rig of an object."""

    @classmethod
    def poll(cls, context):
        if not solid(context.object):
            cls.poll_message_set("Select an object that deforms")
            return False
        return context.mode == "OBJECT"

    def find(self, animation, wanted, listen):
        """The rig."""
        raise NotImplementedError

    def steps(self, context):
        wanted, thing = options.of(context), context.object
        others = [other for other in context.selected_objects if solid(other) and other != thing]
        (sampled,) = yield from named("reading frames", sampling.sample(context, [thing]))
        try:
            must_move(sampled)
            animation = animation_of(context, sampled)
            # Properties belong to the thread of the window.
            chosen = {name: getattr(wanted, name) for name in type(wanted).__annotations__ if name != "source"}
            rig = yield from beside(lambda listen: self.find(animation, chosen, listen))
            collection = thing.users_collection[0] if thing.users_collection else context.collection
            _own_materials(thing, sampled.mesh)
            body, armature = building.build(context, sampled, rig, collection)
        finally:
            sampled.drop()
        try:
            error, distance = yield from self.measure(context, sampled, body, armature, animation)
        except BaseException:
            # Whoever cancels wants none of it.
            building.discard(body, armature)
            building.select(context, thing)
            raise
        armature[building.KEPT] = body[building.KEPT] = building.kept(rig, error)
        if chosen["colors"]:
            building.color(body.data, COLORS, distance)
        if chosen["hide"]:
            thing.hide_set(True)
            thing.hide_render = True
        if others:
            self.tell([f"only the active object {thing.name} was taken, of {len(others) + 1} that are selected"])
        self.tell(rig.report.get("warnings") or [])
        self.report({"INFO"}, f"{body.name}: {rig.bone_count} bones, {error['percent']:.3g} % off")

    def measure(self, context, sampled, body, armature, animation):
        """How far off a result is as Blender plays it, which adds its single precision to the rig's own error, and how far each vertex
        is at most."""
        import sinew_rig

        positions = yield from named("playing the result", sampling.alone(sampled, body, armature))
        played = sinew_rig.Animation(positions, sampling.faces_from(*sampled.corners), fps=sampling.rate(context.scene))
        report = yield from beside(lambda listen: sinew_rig.compare(animation, played, progress=listen))
        return report["error"], np.linalg.norm(positions - sampled.positions, axis=2).max(axis=0)


def _own_materials(thing, mesh):
    """Puts materials that belong to an object, and not to its data, onto a mesh that was made of it."""
    for number, slot in enumerate(thing.material_slots):
        if slot.link == "OBJECT" and number < len(mesh.materials) and mesh.materials[number] == thing.data.materials[number]:
            mesh.materials[number] = slot.material


def named(name, steps):
    """Steps of one stage."""
    while True:
        try:
            share = next(steps)
        except StopIteration as end:
            return end.value
        try:
            yield name, share
        except GeneratorExit:
            steps.close()
            raise


class SINEW_OT_skin(Finds, bpy.types.Operator):
    """Turn whatever deforms the active object into an armature, over the frames of the scene. The original stays as it is"""

    bl_idname = "sinew.skin"
    bl_label = "Skin to Bones"
    bl_options = {"REGISTER", "UNDO"}

    def find(self, animation, wanted, listen):
        import sinew_rig

        given = {"kind": wanted["kind"], "influences": wanted["influences"]}
        if wanted["goal"] == "ERROR":
            given["goal"] = {"error": wanted["error"]}
        else:
            given.update(bones=wanted["bones"], rank=wanted["corrections"] or None)
        return sinew_rig.skin(animation, progress=listen, **given)


class SINEW_OT_skeleton(Finds, bpy.types.Operator):
    """Find the skeleton in the motion of the active object: joints in a tree, and weights"""

    bl_idname = "sinew.skeleton"
    bl_label = "Find Skeleton"
    bl_options = {"REGISTER", "UNDO"}

    def find(self, animation, wanted, listen):
        import sinew_rig

        return sinew_rig.skeleton(
            animation, joints=wanted["joints"] or None, influences=wanted["influences"], progress=listen
        )


def target_of(thing):
    """The armature and the mesh that an object is or belongs to."""
    if thing is None:
        return None, None
    armature = thing if thing.type == "ARMATURE" else reading.armature_of(thing)
    if armature is None or thing.type == "MESH":
        return armature, thing
    return armature, next(iter(reading.bodies_of(armature)), None)


def taken(scene, wanted, armature, moved):
    """Says what of a motion was taken, where that may not be what was meant."""
    said = []
    if wanted.motion:
        if wanted.source not in (None, armature):
            said.append(f"the motion is that of the file, and not of {wanted.source.name}: clear the file to take that")
        step = sampling.rate(scene) / moved.fps
        last = math.ceil(scene.frame_start + step * (moved.frame_count - 1) - 1e-3)
        if last > scene.frame_end:
            said.append(f"the motion goes on to frame {last}, and the scene ends at {scene.frame_end}")
    else:
        data = wanted.source.animation_data
        last = int(data.action.frame_range[1]) if data is not None and data.action is not None else scene.frame_end
        if last > scene.frame_end:
            said.append(
                f"the motion of {wanted.source.name} goes on to frame {last}; only that up to the scene's end at {scene.frame_end} was taken"
            )
    return said


def unstretched(error, scene, *pairs):
    """The error of a rig, or one that says whose scale is in its way: joints only turn."""
    if "stretches" not in str(error):
        return error
    for armature, rig in pairs:
        told = reading.scaled(armature, rig, scene.frame_start)
        if told is not None:
            return ValueError(told)
    return error


def constrained(armature, names):
    """Says which bones have constraints that go on."""
    held = [
        name
        for name in names
        if any(not one.mute and one.influence > 0 for one in armature.pose.bones[name].constraints)
    ]
    if not held:
        return []
    return [f"constraints of {', '.join(held)} still act on top of the motion: turn them off to see it as it was moved"]


class OnRig(Runs):
    """What operators share that work on a mesh with an armature."""

    @classmethod
    def poll(cls, context):
        if None in target_of(context.object):
            cls.poll_message_set("Select a mesh that an armature moves, or its armature")
            return False
        return context.mode == "OBJECT"


class SINEW_OT_transplant(OnRig, bpy.types.Operator):
    """Move the motion of another armature, or of a file, onto the active character, as a new action"""

    bl_idname = "sinew.transplant"
    bl_label = "Transplant Motion"
    bl_options = {"REGISTER", "UNDO"}

    def steps(self, context):
        import sinew_rig

        wanted = options.of(context)
        armature, body = target_of(context.object)
        if armature.animation_data is not None and armature.animation_data.use_tweak_mode:
            raise ValueError(f"{armature.name} is in the tweak mode of the NLA editor: leave it first (Tab)")
        # Whatever its bones do now is replaced, and has no part in the result.
        onto, place = reading.still(context, armature, body)
        if wanted.motion:
            source = bpy.path.abspath(wanted.motion)
        elif wanted.source is None or wanted.source == armature:
            raise ValueError("choose another armature, or a file, whose motion is taken")
        else:
            source, _ = yield from named("reading the motion", reading.read(context, wanted.source))
        plant = "feet" if wanted.plant else "none"
        try:
            moved = yield from beside(lambda listen: sinew_rig.transplant(source, onto, plant=plant, progress=listen))
        except sinew_rig.SinewError as error:
            pairs = [(armature, onto)] + ([] if wanted.motion else [(wanted.source, source)])
            raise unstretched(error, context.scene, *pairs)
        names = onto.names
        if moved.names != names:
            added = ", ".join(moved.names[len(names) :])
            raise ValueError(f"bones of {armature.name} would have to be split ({added}): make its skeleton with Find Skeleton")
        # What was read stands in the world, and bones in their armature.
        step = sampling.rate(context.scene) / moved.fps
        building.animate_in(armature, moved, names, context.scene.frame_start, place, step)
        armature[building.KEPT] = building.kept(moved)
        self.tell(constrained(armature, names))
        self.tell(taken(context.scene, wanted, armature, moved))
        self.tell(moved.report.get("warnings") or [])
        rates = "" if abs(step - 1) < 1e-6 else f", {moved.fps:g} a second; keys stand {step:.3g} frames apart, so that it is as fast here"
        self.report({"INFO"}, f"{armature.name}: {moved.frame_count} frames of motion{rates}")


class SINEW_OT_compare(Runs, bpy.types.Operator):
    """Measure how far the active object is from the other selected one, in every frame, and show it as colors"""

    bl_idname = "sinew.compare"
    bl_label = "Compare"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        if not solid(context.object) or len([t for t in context.selected_objects if solid(t)]) != 2:
            cls.poll_message_set("Select two objects with as many vertices")
            return False
        return context.mode == "OBJECT"

    def steps(self, context):
        import sinew_rig

        active = context.object
        other = next(t for t in context.selected_objects if solid(t) and t != active)
        both = yield from named("reading frames", sampling.sample(context, [other, active]))
        original, copy = both
        try:
            if original.positions.shape != copy.positions.shape:
                counts = [made.positions.shape[1] for made in both]
                raise ValueError(f"{other.name} has {counts[0]} vertices and {active.name} has {counts[1]}")
            # Both in the place of the first.
            at = np.linalg.inv(double(original.place)) @ double(copy.place)
            at = TO_SINEW @ at @ TO_BLENDER
            copy.positions = (copy.positions @ at[:3, :3].T + at[:3, 3]).astype(np.float32)
            pair = animation_of(context, original), animation_of(context, copy)
            report = yield from beside(lambda listen: sinew_rig.compare(*pair, progress=listen))
            distance = np.linalg.norm(copy.positions - original.positions, axis=2).max(axis=0)
        finally:
            for made in both:
                made.drop()
        error = report["error"]
        told = {"compared": other.name}
        told.update({name: error[name] for name in ("percent", "mean", "max", "max_frame", "max_vertex") if error.get(name) is not None})
        active[building.KEPT] = told
        if active.type == "MESH" and len(active.data.vertices) == len(distance):
            building.color(active.data, COLORS, distance)
        self.report({"INFO"}, f"{active.name} is {error['percent']:.3g} % off {other.name}")


class SINEW_OT_export(OnRig, bpy.types.Operator, ExportHelper):
    """Write the active character by Sinew, which keeps stretching bones and corrections in formats that engines read"""

    bl_idname = "sinew.export"
    bl_label = "Export by Sinew"
    bl_options = {"REGISTER"}

    filename_ext = ".glb"
    check_extension = None
    filter_glob: StringProperty(default="*.glb;*.fbx;*.usda;*.usdz;*.sinew", options={"HIDDEN"})

    def invoke(self, context, event):
        # The file is chosen first.
        return ExportHelper.invoke(self, context, event)

    def steps(self, context):
        import sinew_rig

        armature, body = target_of(context.object)
        rig, lost = yield from named("reading", reading.read(context, armature, body))
        lost += yield from named("comparing", reading.hold_to(context, armature, body, rig))
        others = [thing.name for thing in reading.bodies_of(armature) if thing != body]
        if others:
            lost.append(f"only the mesh {body.name} is written: {armature.name} moves {', '.join(others)} too; join them (Ctrl-J)")
        path = Path(bpy.path.abspath(self.filepath))
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            try:
                size = rig.save(path)
            except sinew_rig.SinewError as error:
                raise unstretched(error, context.scene, (armature, rig))
        self.tell(list(dict.fromkeys([*lost, *(str(one.message) for one in said)])))
        self.report({"INFO"}, f"{path.name}: {size / 1000:.0f} kB")


CLASSES = (SINEW_OT_skin, SINEW_OT_skeleton, SINEW_OT_transplant, SINEW_OT_compare, SINEW_OT_export)


def register():
    for made in CLASSES:
        bpy.utils.register_class(made)


def unregister():
    for made in reversed(CLASSES):
        bpy.utils.unregister_class(made)
