"""What all checks share: a Blender with settings of its own, scenes, and how far results are off."""

import logging
import math
import os
import tempfile
import time

ROOM = tempfile.TemporaryDirectory()
os.environ["BLENDER_USER_RESOURCES"] = ROOM.name
logging.disable(logging.WARNING)

import bpy  # noqa: E402: Blender looks for its folder when it is loaded.
import numpy as np  # noqa: E402

FAILED = []
#: Percent of the motion that are nothing but rounding.
ROUNDING = 1e-6


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
        # Of single precision since Blender 5.0, were it not for this.
        world = np.array(evaluated.matrix_world, np.float64)
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
    # However small the error is, down to the rounding of the floats that positions are.
    close = abs(found - told) <= 0.001 * told + ROUNDING
    check(
        f"{name}: skinned",
        done == {"FINISHED"} and close and told < most and bent > 0.1,
        f"{found:.6f} % off as Blender plays it, {told:.6f} % says the report, {seconds:.1f} s",
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
