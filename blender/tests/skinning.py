"""What deforms becomes bones: objects of all kinds, and those that cannot be."""

import math

# First, as it says where Blender has its folder.
from lab import activate, arm, check, clear, exported, grid, kept, percent, played, results, skinned, told
import bpy
import numpy as np


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
