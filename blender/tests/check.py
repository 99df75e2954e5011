#!/usr/bin/env python3
"""Installs the extension from its file into the Blender of this Python's `bpy`, and tries all of its operators.

    check.py EXTENSION.zip [FUNCTION...]

Each result is played by Blender, whose evaluated vertices are held to the original's: as far off as the report says, within 0.1 %
of the error. One line a check; fails when one does. Needs `bpy` and nothing else: settings and extensions go to a folder for
temporary files.
"""

import logging
import math
import os
import sys
import tempfile
import time
from pathlib import Path

ROOM = tempfile.TemporaryDirectory()
os.environ["BLENDER_USER_RESOURCES"] = ROOM.name
logging.disable(logging.WARNING)

import bpy  # noqa: E402: Blender looks for its folder when it is loaded.
import numpy as np  # noqa: E402
from mathutils import Euler  # noqa: E402

FAILED = []


def check(name, good, text=""):
    """Tells of a check."""
    print(f"{'ok  ' if good else 'FAIL'} {name}{': ' if text else ''}{text}", flush=True)
    if not good:
        FAILED.append(name)


def install(path):
    """Installs and turns on the extension."""
    bpy.ops.preferences.addon_enable(module="bl_pkg")
    done = bpy.ops.extensions.package_install_files(
        filepath=str(path), repo="user_default", enable_on_install=True, overwrite=True
    )
    check("installed from the file", done == {"FINISHED"} and "bl_ext.user_default.sinew" in bpy.context.preferences.addons)


def clear(frames=None):
    """An empty scene."""
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    for kind in (bpy.data.meshes, bpy.data.armatures, bpy.data.actions, bpy.data.materials):
        for one in list(kind):
            kind.remove(one)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = 24, 1.0
    scene.frame_start, scene.frame_end = 1, frames or 48
    scene.frame_set(1)
    for name, value in (("goal", "BONES"), ("bones", 12), ("corrections", 0), ("kind", "flexible"), ("hide", True), ("motion", "")):
        setattr(scene.sinew, name, value)
    return scene


def activate(thing, *others):
    """Selects objects, the first as the active one."""
    for one in bpy.context.view_layer.objects:
        one.select_set(one in (thing, *others))
    bpy.context.view_layer.objects.active = thing


def grid(side, name="Sheet"):
    """A flat sheet with UVs and a material."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=side - 1, y_subdivisions=side - 1, size=2, calc_uvs=True)
    sheet = bpy.context.object
    sheet.name = name
    material = bpy.data.materials.new("Linen")
    sheet.data.materials.append(material)
    return sheet


def played(thing):
    """World positions in every frame of the scene, as Blender evaluates them."""
    scene = bpy.context.scene
    out = []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
        flat = np.empty(3 * len(evaluated.data.vertices), np.float32)
        evaluated.data.vertices.foreach_get("co", flat)
        world = np.array(evaluated.matrix_world)
        out.append(flat.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3])
    return np.array(out)


def percent(found, wanted):
    """Distance in percent of the motion."""
    return 100 * np.linalg.norm(found - wanted) / np.linalg.norm(wanted - wanted.mean(axis=0))


def results():
    """Meshes that the extension made."""
    return [thing for thing in bpy.data.objects if thing.type == "MESH" and "sinew" in thing]


def skinned(name, thing, most, **options):
    """Skins an object and holds what Blender plays to it. Returns the result and the seconds it took."""
    scene = bpy.context.scene
    for option, value in options.items():
        setattr(scene.sinew, option, value)
    wanted = played(thing)
    # Shapes, and not only where they are.
    bent = np.ptp(wanted - wanted.mean(axis=1, keepdims=True), axis=0).max()
    activate(thing)
    begun = time.perf_counter()
    done = bpy.ops.sinew.skin()
    seconds = time.perf_counter() - begun
    body = bpy.context.object
    told = body["sinew"]["percent"]
    found = percent(played(body), wanted)
    # The error itself is what bones cannot show; what Blender adds to it is a thousandth of it, and the rounding of its floats.
    close = abs(found - told) <= 0.001 * told + 1e-3
    check(
        f"{name}: skinned",
        done == {"FINISHED"} and close and told < most and bent > 0.1,
        f"{found:.4f} % off as Blender plays it, {told:.4f} % says the report, {seconds:.1f} s",
    )
    return body, seconds


def kept(name, original, body):
    """Looks are untouched."""
    ways = [
        [slot.material.name if slot.material else None for slot in thing.material_slots] for thing in (original, body)
    ]
    uvs = []
    for thing in (original, body):
        layer = thing.data.uv_layers.active
        flat = np.empty(2 * len(thing.data.loops), np.float32)
        layer.data.foreach_get("uv", flat)
        uvs.append(flat)
    check(f"{name}: materials and UVs as they were", ways[0] == ways[1] and np.array_equal(*uvs))
    check(f"{name}: the original is hidden, with its modifiers", original.hide_get() and not original.hide_viewport)
    check(f"{name}: errors are colors", "Sinew Error" in body.data.color_attributes)


def on_shape_keys(folder):
    clear(30)
    sheet = grid(16)
    sheet.location, sheet.rotation_euler, sheet.scale = (3, 1, 2), (0.3, 0.2, 1), (1, 2, 0.5)
    sheet.shape_key_add(name="Basis")
    for number, height in enumerate((0.4, -0.3)):
        key = sheet.shape_key_add(name=f"wave {number}")
        for vertex, point in zip(sheet.data.vertices, key.data):
            point.co.z = height * math.sin(3 * vertex.co.x + number * vertex.co.y)
        for frame in range(1, 31):
            key.value = 0.5 + 0.5 * math.sin(frame / (4 + number))
            key.keyframe_insert("value", frame=frame)
    body, _ = skinned("shape keys", sheet, 8, bones=10)
    kept("shape keys", sheet, body)
    check("shape keys: groups are the bones", [g.name for g in body.vertex_groups] == [b.name for b in body.parent.data.bones if b.use_deform])
    sheet.hide_set(False)
    body, _ = skinned("shape keys, rigid", sheet, 30, kind="rigid", bones=10)
    check("shape keys, rigid: a bone each", len(body.parent.data.bones) == 10)
    sheet.hide_set(False)
    body, _ = skinned("shape keys, corrections", sheet, 5, bones=4, kind="flexible", corrections=3)
    check("shape keys, corrections: shape keys with an action", len(body.data.shape_keys.key_blocks) == 4)
    sheet.hide_set(False)
    body, _ = skinned("shape keys, for an error", sheet, 2, goal="ERROR", error=2.0)
    exported("shape keys", body, folder)
    sheet.hide_set(False)
    activate(body, sheet)
    done = bpy.ops.sinew.compare()
    expected = percent(played(body), played(sheet))
    check("compared", done == {"FINISHED"} and abs(body["sinew"]["percent"] - expected) < 0.01 * expected + 1e-3, f"{expected:.3f} %")


def exported(name, body, folder):
    """Writes every format and reads it back by Sinew."""
    import sinew_rig

    wanted = played(body)
    for ending in ("glb", "fbx", "usda", "usdz", "sinew"):
        path = folder / f"{name}.{ending}"
        activate(body)
        done = bpy.ops.sinew.export(filepath=str(path))
        poses = sinew_rig.open_rig(path).bake()
        poses = np.stack([poses[..., 0], -poses[..., 2], poses[..., 1]], -1)
        if poses.shape == wanted.shape:
            off = np.abs(poses - wanted).max()
        else:
            # Vertices of files may be split: each of them is one of the mesh in the first frame, and goes on with it.
            at = [np.linalg.norm(wanted[0] - point, axis=1).argmin() for point in poses[0]]
            off = np.abs(poses - wanted[:, at]).max()
        check(f"{name}: exported as {ending}", done == {"FINISHED"} and off < 2e-3, f"{off:.2g} off at most")


def on_cloth():
    """A cloth that Blender itself simulates: 2,500 vertices, 120 frames, 30 bones."""
    clear(120)
    # Two corners are held; the rest swings down onto a ball, and folds around that.
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, location=(0.2, -0.6, -0.8))
    bpy.context.object.modifiers.new("Collision", "COLLISION")
    sheet = grid(50, "Cloth")
    sheet.vertex_groups.new(name="pins").add([0, 49], 1.0, "REPLACE")
    cloth = sheet.modifiers.new("Cloth", "CLOTH")
    cloth.settings.vertex_group_mass = "pins"
    cloth.settings.quality = 5
    cloth.point_cache.frame_end = 120
    body, seconds = skinned("cloth", sheet, 1.5, bones=30)
    kept("cloth", sheet, body)
    check("cloth: 30 bones on 2,500 vertices and 120 frames in 5 s", seconds < 5, f"{seconds:.2f} s")
    check("cloth: the original still simulates", sheet.modifiers[0].show_viewport)


def on_alembic(folder):
    clear(24)
    sheet = grid(20, "Flag")
    wave = sheet.modifiers.new("Wave", "WAVE")
    wave.height, wave.width, wave.narrowness = 0.3, 0.8, 2
    path = folder / "flag.abc"
    activate(sheet)
    # Without a window no job may run beside.
    bpy.ops.wm.alembic_export(filepath=str(path), start=1, end=24, selected=True, as_background_job=False)
    clear(24)
    bpy.ops.wm.alembic_import(filepath=str(path), as_background_job=False)
    flag = next(thing for thing in bpy.data.objects if thing.type == "MESH")
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 24
    skinned("Alembic", flag, 25, bones=24)


def arm(name, bends):
    """A tube of two joints that bends, on an armature of its own."""
    bones = bpy.data.armatures.new(name)
    armature = bpy.data.objects.new(name, bones)
    bpy.context.collection.objects.link(armature)
    activate(armature)
    bpy.ops.object.mode_set(mode="EDIT")
    upper, lower = bones.edit_bones.new("upper"), bones.edit_bones.new("lower")
    upper.head, upper.tail = (0, 0, 0), (0, 0, 2)
    lower.head, lower.tail, lower.parent = (0, 0, 2), (0, 0, 4), upper
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.mesh.primitive_cylinder_add(vertices=12, radius=0.3, depth=4, location=(0, 0, 2))
    tube = bpy.context.object
    tube.name = f"{name} skin"
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    import bmesh

    made = bmesh.new()
    made.from_mesh(tube.data)
    along = [edge for edge in made.edges if abs(edge.verts[0].co.z - edge.verts[1].co.z) > 1]
    bmesh.ops.subdivide_edges(made, edges=along, cuts=15, use_grid_fill=True)
    made.to_mesh(tube.data)
    made.free()
    for bone, group in ((0, "upper"), (1, "lower")):
        made = tube.vertex_groups.new(name=group)
        for vertex in tube.data.vertices:
            share = min(max(2.5 - (vertex.co.z + 2), 0), 1)
            made.add([vertex.index], share if bone == 0 else 1 - share, "REPLACE")
    tube.parent = armature
    tube.modifiers.new("Armature", "ARMATURE").object = armature
    for bone, angle in bends.items():
        pose = armature.pose.bones[bone]
        pose.rotation_mode = "XYZ"
        for frame in range(1, 25):
            pose.rotation_euler.x = angle * math.sin(frame / 5)
            pose.keyframe_insert("rotation_euler", index=0, frame=frame)
    return tube, armature


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


def on_geometry_nodes():
    """Nodes lift points by a sine of the time."""
    clear(16)
    sheet = grid(12)
    nodes = bpy.data.node_groups.new("Lift", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        nodes.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    new = nodes.nodes.new
    into, out, put = new("NodeGroupInput"), new("NodeGroupOutput"), new("GeometryNodeSetPosition")
    clock, place, add, wave, up = (
        new("GeometryNodeInputSceneTime"),
        new("GeometryNodeInputPosition"),
        new("ShaderNodeVectorMath"),
        new("ShaderNodeVectorMath"),
        new("ShaderNodeCombineXYZ"),
    )
    add.operation, wave.operation = "ADD", "SINE"
    apart = new("ShaderNodeSeparateXYZ")
    link = nodes.links.new
    link(place.outputs[0], add.inputs[0])
    link(clock.outputs["Seconds"], add.inputs[1])
    link(add.outputs[0], wave.inputs[0])
    link(wave.outputs[0], apart.inputs[0])
    link(apart.outputs[0], up.inputs["Z"])
    link(up.outputs[0], put.inputs["Offset"])
    link(into.outputs[0], put.inputs["Geometry"])
    link(put.outputs[0], out.inputs[0])
    sheet.modifiers.new("Nodes", "NODES").node_group = nodes
    skinned("geometry nodes", sheet, 10, bones=10)


def on_caches(folder):
    """A mesh cache that Sinew wrote, and a soft body."""
    import sinew_rig

    clear(20)
    sheet = grid(14)
    flat = np.array([vertex.co for vertex in sheet.data.vertices], np.float32)
    moved = np.repeat(flat[None], 20, axis=0)
    moved[..., 2] = 0.3 * np.sin(3 * flat[:, 0] + np.arange(20)[:, None] / 3)
    faces = [list(face.vertices) for face in sheet.data.polygons]
    sinew_rig.Animation(moved, faces).save(folder / "sheet.pc2")
    cache = sheet.modifiers.new("Cache", "MESH_CACHE")
    cache.cache_format, cache.filepath, cache.frame_start = "PC2", str(folder / "sheet.pc2"), 1
    skinned("mesh cache", sheet, 10, bones=10)
    clear(20)
    sheet = grid(10)
    sheet.vertex_groups.new(name="held").add(list(range(10)), 1.0, "REPLACE")
    soft = sheet.modifiers.new("Soft", "SOFT_BODY")
    soft.settings.vertex_group_goal = "held"
    soft.settings.goal_min = 0.0
    skinned("soft body", sheet, 10, bones=5)


def following(kind):
    """A sheet that follows a simulated cloth, in a scene that begins long after the simulation."""
    scene = clear(40)
    scene.frame_start = 20
    cloth = grid(14, "Cloth")
    cloth.vertex_groups.new(name="pins").add([0, 13], 1.0, "REPLACE")
    cloth.modifiers.new("Cloth", "CLOTH").settings.vertex_group_mass = "pins"
    sheet = grid(6, "Sheet")
    sheet.scale, sheet.location.z = (0.8, 0.8, 0.8), 0.05
    bpy.context.view_layer.update()
    if kind == "SURFACE_DEFORM":
        sheet.modifiers.new("Follow", kind).target = cloth
        activate(sheet)
        bpy.ops.object.surfacedeform_bind(modifier="Follow")
    elif kind == "SHRINKWRAP":
        sheet.modifiers.new("Follow", kind).target = cloth
    else:
        sheet.parent, sheet.parent_type, sheet.parent_vertices = cloth, "VERTEX_3", (100, 101, 115)
    return sheet


def falling(kind):
    """A cube that falls as a rigid body, from before the scene begins."""
    scene = clear(40)
    scene.frame_start = 20
    bpy.ops.mesh.primitive_cube_add(location=(0, 0, 5))
    cube = bpy.context.object
    bpy.ops.rigidbody.world_add()
    bpy.ops.rigidbody.object_add()
    scene.rigidbody_world.point_cache.frame_start = 1
    return cube


def on_simulations_elsewhere():
    """What follows a simulation is played from where that begins, though the scene begins later."""
    for make, kind in (
        (following, "SURFACE_DEFORM"),
        (following, "SHRINKWRAP"),
        (following, "VERTEX_3"),
        (falling, "rigid body"),
    ):
        thing, scene = make(kind), bpy.context.scene
        scene.frame_start = 1
        wanted = played(thing)[19:]
        if scene.rigidbody_world:
            bpy.ops.rigidbody.world_remove()
        # The same again, not played yet.
        thing = make(kind)
        scene.frame_set(20)
        activate(thing)
        bpy.ops.sinew.skin()
        off = percent(played(bpy.context.object), wanted)
        check(f"a simulation elsewhere, {kind}", off < 1, f"{off:.4f} % off")
        if scene.rigidbody_world:
            bpy.ops.rigidbody.world_remove()


def on_other_things():
    """Curves and modifiers that add vertices deform too, and armatures."""
    clear(24)
    tube, _ = arm("Arm", {"upper": 0.3, "lower": 1.0})
    skinned("another armature", tube, 10, bones=2, kind="rigid")
    clear(12)
    sheet = grid(10)
    sheet.modifiers.new("Subdivision", "SUBSURF").levels = 1
    wave = sheet.modifiers.new("Wave", "WAVE")
    wave.height = 0.2
    for frame in (1, 12):
        sheet.location.x = 0.1 * frame
        sheet.keyframe_insert("location", frame=frame)
    skinned("modifiers that add vertices, on an object that moves", sheet, 40, bones=10)
    clear(12)
    bpy.ops.curve.primitive_bezier_circle_add()
    curve = bpy.context.object
    curve.data.bevel_depth = 0.2
    for frame, depth in ((1, 0.1), (12, 0.4)):
        curve.data.bevel_depth = depth
        curve.data.keyframe_insert("bevel_depth", frame=frame)
    activate(curve)
    done = bpy.ops.sinew.skin()
    check("a curve", done == {"FINISHED"} and bpy.context.object["sinew"]["percent"] < 10)


def refused():
    """What cannot be is said."""
    clear(12)
    sheet = grid(6)
    mask = sheet.modifiers.new("Mask", "DECIMATE")
    for frame, ratio in ((1, 1.0), (12, 0.4)):
        mask.ratio = ratio
        mask.keyframe_insert("ratio", frame=frame)
    activate(sheet)
    meshes = len(bpy.data.meshes)
    try:
        bpy.ops.sinew.skin()
        said = ""
    except RuntimeError as error:
        said = str(error)
    check("faces that change are refused", "same faces in every frame" in said, said.strip())
    check("nothing is left behind", len(bpy.data.meshes) == meshes and bpy.context.scene.frame_current == 1)
    activate(sheet)
    check("no export without an armature", not bpy.ops.sinew.export.poll())


def told(kind, **given):
    """Runs the work of an operator, and returns all that it reports."""
    from bl_ext.user_default.sinew import operators

    made = getattr(operators, f"SINEW_OT_{kind}")
    parts = {name: value for name, value in vars(made).items() if name in ("steps", "find")}
    said = []
    one = type("Told", (made.__bases__[0],), {**parts, "report": lambda self, kind, text: said.append(text)})()
    for name, value in given.items():
        setattr(one, name, value)
    one.execute(bpy.context)
    return " | ".join(said)


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


def not_evaluated():
    """What Blender does not evaluate is refused, not taken for something that stands still."""
    for how in ("object", "collection"):
        clear(12)
        sheet = grid(8)
        sheet.modifiers.new("Wave", "WAVE").height = 0.3
        if how == "object":
            sheet.hide_viewport = True
        else:
            away = bpy.data.collections.new("Away")
            bpy.context.scene.collection.children.link(away)
            away.objects.link(sheet)
            for one in list(sheet.users_collection):
                if one != away:
                    one.objects.unlink(sheet)
            away.hide_viewport = True
        bpy.context.view_layer.objects.active = sheet
        if bpy.context.object != sheet:
            check(f"disabled in viewports, {how}: cannot be active", True)
        else:
            said = told("skin")
            check(f"disabled in viewports, {how}: refused", "disabled in viewports" in said and not results(), said)


def outwards(thing):
    """The normals of an object's faces in the world, as Blender shows them."""
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    turn = evaluated.matrix_world.to_3x3().inverted().transposed()
    return np.array([(turn @ face.normal).normalized() for face in evaluated.data.polygons])


def mirrored(folder):
    """Faces of mirrored objects point where they did."""
    import sinew_rig

    clear(12)
    sheet = grid(8)
    sheet.modifiers.new("Wave", "WAVE").height = 0.05
    sheet.scale.x = -1
    bpy.context.scene.frame_set(3)
    activate(sheet)
    wanted = outwards(sheet)
    bpy.ops.sinew.skin()
    body = bpy.context.object
    check("mirrored: skinned, faces point as before", ((outwards(body) * wanted).sum(axis=1) > 0.9).all())

    clear(24)
    tube, armature = arm("Arm", {"upper": 0.3, "lower": 1.0})
    armature.scale.x = -1
    bpy.context.scene.frame_set(1)
    activate(tube)
    wanted, path = outwards(tube), folder / "mirrored.sinew"
    said = told("export", filepath=str(path))
    rig = sinew_rig.open_rig(path)
    points, starts = rig.pose(0), rig._held.face_starts
    corners = [rig._held.corners[a : a + 3] for a in starts[:-1]]
    found = np.array([np.cross(points[b] - points[a], points[c] - points[a]) for a, b, c in corners])
    found = np.stack([found[:, 0], -found[:, 2], found[:, 1]], -1)
    check("mirrored: exported, faces point as before", "Blender shows" not in said and ((found * wanted).sum(axis=1) > 0).all(), said)


def other_faces():
    """Nodes that switch to other faces, of as many vertices and corners."""
    clear(10)
    sheet = grid(3)
    nodes = bpy.data.node_groups.new("Switch", "GeometryNodeTree")
    nodes.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    new, link = nodes.nodes.new, nodes.links.new
    out, switch, clock, later = (
        new("NodeGroupOutput"),
        new("GeometryNodeSwitch"),
        new("GeometryNodeInputSceneTime"),
        new("FunctionNodeCompare"),
    )
    switch.input_type = "GEOMETRY"
    later.data_type, later.operation, later.inputs[1].default_value = "FLOAT", "GREATER_THAN", 5
    for number, (x, y) in enumerate(((4, 9), (9, 4))):
        made = new("GeometryNodeMeshGrid")
        made.inputs["Vertices X"].default_value, made.inputs["Vertices Y"].default_value = x, y
        link(made.outputs[0], switch.inputs[1 + number])
    link(clock.outputs["Frame"], later.inputs[0])
    link(later.outputs[0], switch.inputs[0])
    link(switch.outputs[0], out.inputs[0])
    sheet.modifiers.new("Nodes", "NODES").node_group = nodes
    activate(sheet)
    said = told("skin")
    check("other faces of equal counts are refused", "has other faces in frame 6" in said and not results(), said)


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


def on_materials(folder):
    """Materials of objects, opacity, and what cannot be written."""
    import json
    import struct

    clear(12)
    sheet = grid(8)
    sheet.modifiers.new("Wave", "WAVE").height = 0.3
    silk = bpy.data.materials.new("Silk")
    sheet.material_slots[0].link = "OBJECT"
    sheet.material_slots[0].material = silk
    silk.use_nodes = True
    inputs = silk.node_tree.nodes["Principled BSDF"].inputs
    inputs["Alpha"].default_value, inputs["Emission Strength"].default_value = 0.25, 5
    green = silk.node_tree.nodes.new("ShaderNodeRGB")
    green.outputs[0].default_value = (0, 0.5, 0, 1)
    silk.node_tree.links.new(green.outputs[0], inputs["Base Color"])
    activate(sheet)
    bpy.ops.sinew.skin()
    body = bpy.context.object
    check("materials: that of the object", [slot.material for slot in body.material_slots] == [silk])
    path = folder / "look.glb"
    said = told("export", filepath=str(path))
    data = path.read_bytes()
    look = json.loads(data[20 : 20 + struct.unpack_from("<I", data, 12)[0]])["materials"][0]
    color = look["pbrMetallicRoughness"]["baseColorFactor"]
    check("materials: color of a node, and opacity", np.allclose(color, [0, 0.5, 0, 0.25], atol=1e-3), str(look))
    check("materials: emission is said to be lost", "he emission of the material Silk" in said, said)
    bricks = silk.node_tree.nodes.new("ShaderNodeTexBrick")
    silk.node_tree.links.new(bricks.outputs[0], inputs["Base Color"])
    said = told("export", filepath=str(path))
    check("materials: colors of nodes are said to be lost", "odes make the Base Color of the material Silk" in said, said)


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


def nothing_moves():
    """Where bones have nothing to do, nothing is made or hidden."""
    for name, frames, word in (("still", 12, "does not move"), ("one frame", 1, "only frame 1")):
        clear(frames)
        sheet = grid(8)
        if name != "still":
            sheet.modifiers.new("Wave", "WAVE").height = 0.3
        activate(sheet)
        meshes, said = len(bpy.data.meshes), told("skin")
        left = len(bpy.data.meshes) == meshes and not sheet.hide_get()
        check(f"nothing to do for bones, {name}: refused", word in said and left, said)


class Quiet:
    """A part of a window that takes what it is told."""

    def __getattr__(self, name):
        return lambda *given, **named: None


class Windowed:
    """The context as if there were a window."""

    window_manager = workspace = window = Quiet()

    def __getattr__(self, name):
        return getattr(bpy.context, name)


class Event:
    """A turn of a timer, or a key."""

    def __init__(self, kind):
        self.type, self.value = kind, "PRESS"


def in_a_window():
    """The way through timers, with a window that is none: what it does to a scene, and what Escape leaves."""
    from bl_ext.user_default.sinew import operators

    class Driven(operators.Finds):
        TURN = 0.0
        find = operators.SINEW_OT_skin.find

        def report(self, kind, text):
            self.said = kind, text

    clear(40)
    sheet = grid(12)
    sheet.modifiers.new("Wave", "WAVE").height = 0.3
    activate(sheet)
    # Before it begins, while frames are read, while bones are found.
    for stop_at in (None, 1, 20, 42):
        activate(sheet)
        before = len(bpy.data.objects), len(bpy.data.meshes)
        driven, context, turns = Driven(), Windowed(), 0
        state = driven.begin(context)
        while state == {"RUNNING_MODAL"}:
            turns += 1
            state = driven.modal(context, Event("ESC" if turns == stop_at else "TIMER"))
        after = len(bpy.data.objects), len(bpy.data.meshes)
        if stop_at is None:
            check("in turns of a timer", state == {"FINISHED"} and turns > 42 and after[0] == before[0] + 2, f"{turns} turns")
            sheet.hide_set(False)
        else:
            well = state == {"CANCELLED"} and after == before and bpy.context.scene.frame_current == 1
            check(f"Escape after {stop_at} turns leaves all as it was", well)


def undone():
    """One step back takes all of it away."""
    clear(12)
    sheet = grid(12)
    sheet.modifiers.new("Wave", "WAVE").height = 0.3
    activate(sheet)
    bpy.ops.ed.undo_push(message="before")
    names = sorted(thing.name for thing in bpy.data.objects)
    bpy.ops.sinew.skin()
    more = len(bpy.data.objects)
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    back = sorted(thing.name for thing in bpy.data.objects)
    hidden = bpy.data.objects["Sheet"].hide_get()
    check("undone", more == len(names) + 2 and back == names and not hidden)


def cancelled():
    """Work on a thread ends soon after nobody waits for it."""
    import sinew_rig
    from bl_ext.user_default.sinew.running import Stopped, beside

    creature = sinew_rig.creature(60, detail=2)
    ended = []

    def call(listen):
        try:
            return sinew_rig.skin(creature, bones=60, progress=listen)
        except Stopped:
            ended.append(True)
            raise

    steps = beside(call)
    for stage, share in steps:
        if share > 0:
            break
    begun = time.perf_counter()
    steps.close()
    waited = time.perf_counter() - begun
    check("cancelled within half a second", bool(ended) and waited < 0.5, f"{waited:.2f} s")


def registered():
    """Panels and operators as an artist would meet them; nobody looked at them in a window."""
    for name in ("skin", "skeleton", "transplant", "compare", "export"):
        made = getattr(bpy.ops.sinew, name).get_rna_type()
        check(f"operator {name}", bool(made.description) and made.name[:1].isupper(), f"{made.name}. {made.description}")
    for name in ("skin", "skeleton", "result"):
        made = getattr(bpy.types, f"SINEW_PT_{name}", None)
        check(f"panel {name}", made is not None and made.bl_category == "Sinew" and made.bl_region_type == "UI")
    for name, about in bpy.context.scene.sinew.bl_rna.properties.items():
        if name not in ("rna_type", "name"):
            check(f"option {name}", bool(about.description) and about.name[:1].isupper())


def main():
    install(Path(sys.argv[1]).resolve())
    print(f"Blender {bpy.app.version_string}")
    if sys.argv[2:]:
        with tempfile.TemporaryDirectory() as scratch:
            for name in sys.argv[2:]:
                function = globals()[name]
                function(*[Path(scratch)][: function.__code__.co_argcount])
        sys.exit(len(FAILED))
    registered()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        on_shape_keys(folder)
        on_cloth()
        on_alembic(folder)
        on_characters(folder)
        on_caches(folder)
        exported_as_shown(folder)
        mirrored(folder)
        bones_called_so(folder)
        on_materials(folder)
        scales_in_the_way(folder)
        said_by_the_way(folder)
    on_geometry_nodes()
    transplanted()
    on_simulations_elsewhere()
    on_other_things()
    refused()
    not_evaluated()
    other_faces()
    nothing_moves()
    in_a_window()
    undone()
    cancelled()
    bpy.ops.preferences.addon_disable(module="bl_ext.user_default.sinew")
    check("turned off again", not hasattr(bpy.types.Scene, "sinew"))
    if FAILED:
        sys.exit(f"{len(FAILED)} failed: " + ", ".join(FAILED))


if __name__ == "__main__":
    main()
