"""Characters: skeletons found, motion moved over, rigs of others exported."""

import math

# First, as it says where Blender has its folder.
from lab import activate, arm, check, clear, exported, grid, percent, played, told
import bpy
import numpy as np
from mathutils import Euler


def on_characters(folder):
    clear(24)
    tube, armature = arm("Arm", {"upper": 0.3, "lower": 1.0})
    bpy.context.scene.sinew.joints = 2
    wanted = played(tube)
    activate(tube)
    done = bpy.ops.sinew.skeleton()
    body = bpy.context.object
    found = percent(played(body), wanted)
    told = body["sinew"]["percent"]
    check("skeleton found", done == {"FINISHED"} and abs(found - told) <= 0.001 * told + 1e-3 and found < 5, f"{found:.3f} % off, {told:.3f} % says the report")
    check("skeleton found: joints hang in a tree", [b.parent is not None for b in body.parent.data.bones] == [False, True])
    exported("character", body, folder)

    other, moving = arm("Other", {"upper": -0.6, "lower": 0.5})
    moving.location.x = 5
    scene = bpy.context.scene
    scene.sinew.source = moving
    activate(tube)
    done = bpy.ops.sinew.transplant()
    turns = []
    for frame in range(1, 25):
        scene.frame_set(frame)
        turns.append([[b.matrix.to_quaternion().copy() for b in a.pose.bones] for a in (armature, moving)])
    apart = max(math.degrees(a.rotation_difference(b).angle) for ours, theirs in turns for a, b in zip(ours, theirs))
    check("motion of another armature", done == {"FINISHED"} and apart < 3, f"bones turn within {apart:.2f}° of those")

    import sinew_rig

    path = folder / "walk.bvh"
    creature = sinew_rig.creature(24, detail=0.6)
    sinew_rig.skeleton(creature, bvh=path)
    scene.sinew.motion = str(path)
    activate(tube)
    try:
        done = bpy.ops.sinew.transplant()
    except RuntimeError as error:
        # A walk has other joints than an arm: refused by a sentence, or done.
        done = {"CANCELLED"} if "Error: " in str(error) else {str(error)}
    check("motion of a file", done <= {"FINISHED", "CANCELLED"}, str(done))

    # The motion of the character itself at twice the rate of the scene lasts half of its frames here.
    own = sinew_rig.open_rig(exported_motion(tube, folder))
    arrays = own.rest, own.faces, own.weights, own.transforms
    fast = sinew_rig.Rig.from_arrays(
        *arrays, bones=own.bones, names=own.names, parents=own.parents, centers=own.centers, fps=48
    )
    fast.save(folder / "fast.glb")
    scene.sinew.motion = str(folder / "fast.glb")
    activate(tube)
    done = bpy.ops.sinew.transplant()
    first, last = armature.animation_data.action.frame_range
    wanted = (own.frame_count - 1) / 2
    check("motion of another rate is as fast", done == {"FINISHED"} and abs(last - first - wanted) < 1e-3, f"frames {first:g} to {last:g}")


def exported_motion(tube, folder):
    """The file of a character as it moves."""
    path = folder / "own.glb"
    activate(tube)
    bpy.ops.sinew.export(filepath=str(path))
    return path


def exported_as_shown(folder):
    """An export says what it leaves out of what Blender shows, and how far it is off therefore."""

    def preserve(tube, armature):
        tube.modifiers["Armature"].use_deform_preserve_volume = True

    def bendy(tube, armature):
        armature.data.bones["lower"].bbone_segments = 8
        armature.pose.bones["lower"].bbone_curveinx = 0.5

    def displaced(tube, armature):
        tube.modifiers.new("Bumps", "DISPLACE").strength = 0.2

    def smooth(tube, armature):
        tube.modifiers.new("Smoother", "SUBSURF")

    def masked(tube, armature):
        tube.vertex_groups.new(name="half").add(list(range(40)), 1.0, "REPLACE")
        tube.modifiers["Armature"].vertex_group = "half"

    def moved(tube, armature):
        for frame in (1, 24):
            tube.location.x = frame
            tube.keyframe_insert("location", frame=frame)

    def off(tube, armature):
        tube.modifiers["Armature"].show_viewport = False

    def hat(tube, armature):
        other = grid(4, "Hat")
        other.vertex_groups.new(name="lower").add(list(range(16)), 1.0, "REPLACE")
        other.modifiers.new("Armature", "ARMATURE").object = armature

    def shaped(tube, armature):
        tube.shape_key_add(name="Basis")
        for name in ("up", "half up", "further"):
            key = tube.shape_key_add(name=name)
            key.value = 1
            for point in key.data:
                point.co.y += 0.3 if name != "further" else 0.6
        keys = tube.data.shape_keys.key_blocks
        keys["half up"].vertex_group, keys["further"].relative_key = "upper", keys["up"]

    for change, word in (
        (None, ""),
        (shaped, ""),
        (preserve, "Preserve Volume"),
        (bendy, "bendy bones (lower)"),
        (displaced, "the modifier Bumps"),
        (smooth, "the modifier Smoother"),
        (masked, "the vertex group half"),
        (moved, "motion of the object"),
        (off, "is off"),
        (hat, "moves Hat too"),
    ):
        clear(24)
        tube, armature = arm("Arm", {"upper": 0.3, "lower": 1.0})
        if change:
            change(tube, armature)
        activate(tube)
        said = told("export", filepath=str(folder / "shown.glb"))
        name = change.__name__ if change else "plain"
        check(f"exported as shown, {name}", word in said if word else said.count("|") == 0 and "kB" in said, said)
    clear(12)
    sheet = grid(8)
    sheet.modifiers.new("Wave", "WAVE").height = 0.3
    bpy.context.scene.sinew.corrections = 2
    activate(sheet)
    bpy.ops.sinew.skin()
    said = told("export", filepath=str(folder / "shown.glb"))
    check("exported as shown, Sinew's own", "Blender shows" not in said, said)


def bones_called_so(folder):
    """A bone of someone else whose name ends like those that Sinew makes."""
    import sinew_rig

    clear(12)
    tube, armature = arm("Arm", {"upper": 0.3, "lower": 1.0})
    armature.data.bones["lower"].name = "lower_stretch"
    activate(tube)
    bpy.ops.sinew.export(filepath=str(folder / "called.glb"))
    rig = sinew_rig.open_rig(folder / "called.glb")
    check("a bone called _stretch keeps its place", rig.has_skeleton and rig.parents.tolist() == [-1, 0], str(rig))


def transplanted():
    """The motion that a character had has no part in what is transplanted, and is kept."""
    found = []
    for before in ("nothing", "XYZ", "ZXY", "QUATERNION", "AXIS_ANGLE", "NLA", "scaled"):
        scene = clear(24)
        tube, armature = arm("Arm", {"upper": 0.3, "lower": 1.0} if before != "nothing" else {})
        mode = before if before not in ("nothing", "NLA", "scaled") else "XYZ"
        kept_in = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(mode, "rotation_euler")
        for bone in armature.pose.bones:
            bone.rotation_mode = mode
            if before != "nothing":
                for frame in range(1, 25):
                    turn = Euler((0.8 * math.sin(frame / 5), 0.2, 0.1 * frame)).to_quaternion()
                    if mode == "AXIS_ANGLE":
                        axis, angle = turn.to_axis_angle()
                        bone.rotation_axis_angle = angle, *axis
                    else:
                        setattr(bone, kept_in, turn if mode == "QUATERNION" else turn.to_euler(mode))
                    bone.keyframe_insert(kept_in, frame=frame)
            if before == "scaled":
                bone.scale = (1.2, 1.2, 1.2)
                bone.keyframe_insert("scale", frame=1)
        if before == "nothing":
            wanted_old = None
        else:
            for frame in (1, 24):
                armature.location.x = frame / 4
                armature.keyframe_insert("location", frame=frame)
            armature.animation_data.action.name = "Before"
            wanted_old = played(tube)
        old = armature.animation_data.action if armature.animation_data else None
        slot = getattr(armature.animation_data, "action_slot", None)
        if before == "NLA":
            armature.animation_data.nla_tracks.new().strips.new("Before", 1, old)
            armature.animation_data.action = None
        _, source = arm("Other", {"upper": -0.6, "lower": 0.5})
        scene.sinew.source = source
        scene.frame_set(12)
        activate(tube)
        said = told("transplant")
        poses = []
        for frame in range(1, 25):
            scene.frame_set(frame)
            poses.append([np.array(bone.matrix) for bone in armature.pose.bones])
        found.append(np.array(poses))
        same = np.abs(found[-1] - found[0]).max()
        check(f"transplanted onto {before}: the same motion", "24 frames" in said and same < 1e-4, f"{same:.2g} off. {said}")
        modes = {bone.rotation_mode for bone in armature.pose.bones}
        check(f"transplanted onto {before}: rotation modes are kept", modes == {mode}, str(modes))
        if old is None:
            continue
        moves = []
        for frame in (1, 24):
            scene.frame_set(frame)
            moves.append(armature.location.x)
        check(f"transplanted onto {before}: the object moves as it did", np.allclose(moves, [0.25, 6]), str(moves))
        if before == "NLA":
            continue
        armature.animation_data.action = old
        if slot is not None:
            armature.animation_data.action_slot = old.slots[0]
        for bone in armature.pose.bones:
            # It has no keys of this, and Blender leaves what was there.
            bone.location = 0, 0, 0
        again = np.abs(played(tube) - wanted_old).max()
        check(f"transplanted onto {before}: the action before is kept and plays", old.use_fake_user and again < 1e-5, f"{again:.2g} off")
    clear(24)
    tube, armature = arm("Arm", {"upper": 0.3, "lower": 1.0})
    armature.pose.bones["lower"].constraints.new("LIMIT_ROTATION").use_limit_x = True
    _, bpy.context.scene.sinew.source = arm("Other", {"upper": -0.6, "lower": 0.5})
    activate(tube)
    said = told("transplant")
    check("transplanted: constraints are named", "onstraints of lower still act" in said, said)


def scales_in_the_way(folder):
    """Whose scale it is that joints cannot have is said."""
    path = str(folder / "scaled.glb")
    for whose in ("object", "parent", "bone"):
        clear(24)
        tube, armature = arm("Arm", {"upper": 0.3, "lower": 1.0})
        if whose == "object":
            armature.scale = 1, 3, 1
        elif whose == "parent":
            stage = bpy.data.objects.new("Stage", None)
            bpy.context.collection.objects.link(stage)
            armature.parent, stage.scale = stage, (2, 1, 1)
            armature.rotation_euler = 0.5, 0.3, 0
        else:
            bone = armature.pose.bones["lower"]
            for frame, size in ((5, 1), (12, 1.5)):
                bone.scale = 1, size, 1
                bone.keyframe_insert("scale", frame=frame)
        activate(tube)
        said = told("export", filepath=path)
        word = {"object": "object Arm is scaled", "parent": "object Stage is scaled", "bone": "bone lower is scaled in frame 6"}[whose]
        check(f"uneven scale of the {whose} is named", word in said and "Ctrl-A" in said, said)


def said_by_the_way(folder):
    """What an artist may not have meant is said."""
    import sinew_rig

    scene = clear(24)
    tube, armature = arm("Arm", {"upper": 0.3, "lower": 1.0})
    _, source = arm("Other", {"upper": -0.6, "lower": 0.5})
    scene.sinew.source = source
    scene.frame_end = 10
    activate(tube)
    said = told("transplant")
    check("a source that goes on after the scene", "goes on to frame 24" in said, said)
    path = folder / "long.bvh"
    sinew_rig.skeleton(sinew_rig.creature(24, detail=0.6), bvh=path)
    scene.sinew.motion = str(path)
    activate(tube)
    said = told("transplant")
    check("a file wins over an armature, and is longer than the scene", "not of Other" in said and "goes on to frame" in said, said)

    clear(12)
    sheets = [grid(8, name) for name in ("First", "Second")]
    for sheet in sheets:
        sheet.modifiers.new("Wave", "WAVE").height = 0.3
    painted = sheets[0].data.color_attributes.new("Paint", "BYTE_COLOR", "CORNER")
    sheets[0].data.color_attributes.active_color = painted
    activate(*sheets)
    said = told("skin")
    check("of several objects the active one", "nly the active object First" in said, said)
    active = bpy.context.object.data.color_attributes.active_color.name
    check("painted colors stay active", active == "Paint" and "Sinew Error" in bpy.context.object.data.color_attributes, active)
