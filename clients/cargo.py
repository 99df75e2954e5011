#!/usr/bin/env python3
"""What hangs on a body and lies on it, through every pair of formats: Blender and OpenUSD look for it.

    cargo.py SINEW

Makes a scene with Blender that holds UV sets, colours, attributes of several widths, two materials, empties, cameras and
lights in the scene and on a bone, and a joint that nothing follows, and writes it as GLB, FBX and USD. The command
converts each into every format, by way of `.sinew` too, and what comes out is imported by Blender and compared with
the scene as it was made: places in two frames, what hangs on what, lenses, lights, names, and all values on corners.
USD files are opened by OpenUSD as well. What Blender loses on its own way out of a format and into it again it is not
asked for. What a format cannot hold has to be in the command's list of what is lost. GLB files are opened several
times, as the importer's order changes from run to run.

One line per way; fails where anything is missing or another. Needs usd-core, bpy 4.5.4 and numpy, on Python 3.11.
"""

import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import bpy
import numpy as np
from mathutils import Vector
from pxr import Gf, Usd, UsdGeom, UsdLux, UsdSkel

from common import Checks, empty_scene

FORMATS = ["glb", "fbx", "usda"]
FRAMES = [0, 5]
THINGS = ["set", "shelf", "socket", "view", "plan", "eye", "bulb", "sun", "torch", "panel"]
LIGHTS = {"SphereLight": "POINT", "DistantLight": "SUN", "RectLight": "AREA"}
UV_SETS = ["UVMap", "lightmap", "third"]
CLOSE = 2e-4  # of places, of numbers relative to themselves
COLOUR_STEP = 1.0 / 255  # Blender reads colours of GLB files into bytes, as screens show them
SEEDS = range(4)


# The scene.


def column(name, low, high, levels, material_count, attributes):
    """A column with a square section, with all that a mesh can have; numbers of its own only with `attributes`."""
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * 0.2
    points = np.array([[x, y, z] for z in np.linspace(low, high, levels) for x, y in corners])
    ring = lambda level: [4 * level + i for i in range(4)]
    quads = [[a, b, b + 4, a + 4] for l in range(levels - 1) for a, b in zip(ring(l), ring(l)[1:] + ring(l)[:1])]
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(points, [], quads)
    for number in range(material_count):
        mesh.materials.append(bpy.data.materials.new(f"{name}_{number}"))
    for number, face in enumerate(mesh.polygons):
        face.material_index = number % material_count
    place = lambda loop: mesh.vertices[mesh.loops[loop].vertex_index].co
    for number, uvs in enumerate(UV_SETS):
        layer = mesh.uv_layers.new(name=uvs)
        for loop in range(len(mesh.loops)):
            x, y, z = place(loop)
            layer.uv[loop].vector = (0.5 + x * (1 + number), 0.1 * number + 0.2 * z + 0.3 * y)
    paint = mesh.color_attributes.new("Col", "FLOAT_COLOR", "CORNER")
    for loop in range(len(mesh.loops)):
        x, y, z = place(loop)
        paint.data[loop].color = (0.5 + x, 0.05 + z / 4, 0.5 - y, 1.0)
    if attributes:
        heat = mesh.attributes.new("_heat", "FLOAT", "POINT")
        heat.data.foreach_set("value", points[:, 2] * 3)
    if attributes and material_count > 1:
        flow = mesh.attributes.new("_flow", "FLOAT_VECTOR", "POINT")
        flow.data.foreach_set("vector", (points * [1, -2, 3]).ravel())
        pair = mesh.attributes.new("_pair", "FLOAT2", "POINT")
        pair.data.foreach_set("vector", (points[:, :2] + 4).ravel())
    return add(name, mesh), points


def add(name, data, at=(0, 0, 0), turn=(0, 0, 0), parent=None, bone=None):
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    thing.location, thing.rotation_euler = at, turn
    if parent:
        thing.parent = parent
    if bone:
        thing.parent_type, thing.parent_bone = "BONE", bone
    return thing


def make(attributes=True):
    empty_scene(24)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FRAMES
    scene.render.resolution_x, scene.render.resolution_y = 1500, 1000
    hero = add("Hero", bpy.data.armatures.new("HeroBones"))
    bpy.context.view_layer.objects.active = hero
    bpy.ops.object.mode_set(mode="EDIT")
    above = None
    for name, low, high in [("root", 0, 1), ("arm", 1, 2), ("hand_end", 2, 2.4)]:
        bone = hero.data.edit_bones.new(name)
        bone.head, bone.tail, bone.parent = (0, 0, low), (0, 0, high), above
        above = bone
    bpy.ops.object.mode_set(mode="POSE")
    arm = hero.pose.bones["arm"]
    arm.rotation_mode = "XYZ"
    for frame in range(FRAMES[0], FRAMES[1] + 1):
        arm.rotation_euler.x = 0.15 * frame
        arm.keyframe_insert("rotation_euler", frame=frame)
    bpy.ops.object.mode_set(mode="OBJECT")
    for name, low, high, levels, count in [("Body", 0, 2, 9, 2), ("Hat", 2.1, 2.3, 3, 1)]:
        thing, points = column(name, low, high, levels, count, attributes)
        upper = np.clip(2 * points[:, 2] - 1.5, 0, 1)
        for bone, weights in [("root", 1 - upper), ("arm", upper)]:
            group = thing.vertex_groups.new(name=bone)
            for vertex, weight in enumerate(weights):
                group.add([vertex], float(weight), "REPLACE")
        thing.parent = hero
        thing.modifiers.new("Armature", "ARMATURE").object = hero
    stage = add("set", None, (3, 1, 0.5), (0, 0, 0.4))
    add("shelf", None, (0, 0, 1), (0.3, 0, 0), stage)
    add("socket", None, (0.1, -0.2, 0.3), (0.2, 0.5, 0), hero, "arm")
    wide = bpy.data.cameras.new("view")
    wide.lens, wide.sensor_width, wide.clip_start, wide.clip_end = 40, 36, 0.25, 80
    add("view", wide, (4, -4, 2), (1.2, 0, 0.8), stage)
    flat = bpy.data.cameras.new("plan")
    flat.type, flat.ortho_scale, flat.clip_start, flat.clip_end = "ORTHO", 3, 0.5, 40
    add("plan", flat, (0, 0, 9), (0, 0.1, 0))
    eye = bpy.data.cameras.new("eye")
    eye.lens = 24
    add("eye", eye, (0, 0.3, 0.1), (1.0, 0.4, 0), hero, "arm")
    for name, kind, energy, more in [("bulb", "POINT", 60, {}), ("sun", "SUN", 3, {}),
                                     ("torch", "SPOT", 90, dict(spot_size=0.9, spot_blend=0.25)),
                                     ("panel", "AREA", 25, dict(shape="RECTANGLE", size=2, size_y=0.5))]:
        light = bpy.data.lights.new(name, kind)
        light.energy, light.color = energy, (1.0, 0.5, 0.25)
        for key, value in more.items():
            setattr(light, key, value)
        on_bone = name == "torch"
        add(name, light, (1, 0.2, 2), (0.5, 0.2, 0.1), hero if on_bone else None, "arm" if on_bone else None)
    bpy.context.view_layer.update()


def write(path):
    file = str(path)
    if path.suffix == ".glb":
        bpy.ops.export_scene.gltf(filepath=file, export_attributes=True, export_cameras=True, export_lights=True,
                                  export_vertex_color="ACTIVE", export_all_vertex_colors=True)
    elif path.suffix == ".fbx":
        bpy.ops.export_scene.fbx(filepath=file, add_leaf_bones=False,
                                 bake_anim_use_all_actions=False, bake_anim_use_nla_strips=False)
    else:
        bpy.ops.wm.usd_export(filepath=file, export_animation=True, export_armatures=True,
                              convert_world_material=False)


# What Blender sees.


def read(path):
    empty_scene(24)
    if path.suffix == ".fbx":
        bpy.ops.import_scene.fbx(filepath=str(path), anim_offset=0.0)
    elif path.suffix == ".glb":
        bpy.ops.import_scene.gltf(filepath=str(path), disable_bone_shape=True)
    else:
        bpy.ops.wm.usd_import(filepath=str(path), import_materials=True)
    bpy.context.scene.render.resolution_x, bpy.context.scene.render.resolution_y = 1500, 1000


def corners(thing):
    """For each corner a key that stands for it in any file: where its vertex is in the scene, in centimetres. Faces may have
    been cut into triangles, so that all values are the same around a vertex."""
    places = [thing.matrix_world @ vertex.co for vertex in thing.data.vertices]
    return [tuple(round(100 * x) for x in places[loop.vertex_index]) for loop in thing.data.loops]


def uv_set(name, number):
    """Which set this is: some formats sort them by name, some only number them."""
    known = {"st": 0, **{name: number for number, name in enumerate(UV_SETS)}}
    digits = "".join(c for c in name if c.isdigit())
    return known.get(name, int(digits) if digits else number)


def on_corners(thing):
    """Layers of a mesh: for each the values at its corners."""
    keys, mesh = corners(thing), thing.data
    layers = {}
    for number, layer in enumerate(mesh.uv_layers):
        layers[f"UV set {uv_set(layer.name, number)}"] = dict(zip(keys, (tuple(uv.vector) for uv in layer.uv)))
    own = [a.name for a in mesh.color_attributes if not a.name.startswith("_")]
    for number, name in enumerate(own):
        colour = mesh.color_attributes[name]
        values = [tuple(c.color)[:3] for c in colour.data]
        if colour.domain == "POINT":
            values = [values[loop.vertex_index] for loop in mesh.loops]
        layers[f"colour {number}"] = dict(zip(keys, values))
    for attribute in mesh.attributes:
        name = attribute.name.strip("_").lower()
        if name in ("heat", "flow", "pair") and attribute.domain in ("POINT", "CORNER"):
            first = attribute.data[0]
            part = next(p for p in ("value", "vector", "color") if hasattr(first, p))
            of = lambda x: tuple(x) if part != "value" else (x,)
            values = [of(getattr(d, part)) for d in attribute.data]
            if attribute.domain == "POINT":
                values = [values[loop.vertex_index] for loop in mesh.loops]
            width = {"heat": 1, "pair": 2, "flow": 3}[name]
            layers[f"attribute {name}"] = dict(zip(keys, (v[:width] for v in values)))
    return layers


def scene_facts():
    """All that there is, by name: what it is as numbers or words."""
    facts = {}
    scene = bpy.context.scene
    for thing in scene.objects:
        name = thing.name
        if thing.type == "ARMATURE":
            facts["armature's name"] = name
            for bone in thing.data.bones:
                facts[f"joint {bone.name}'s parent"] = bone.parent.name if bone.parent else ""
        if thing.type == "MESH" and not name.startswith("Icosphere"):
            for layer, values in on_corners(thing).items():
                facts[f"{name}, {layer}"] = values
        if name in THINGS:
            facts[f"{name}'s parent"] = thing.parent_bone or above_of(thing)
            facts[f"{name}'s kind"] = thing.type
            if thing.type == "CAMERA":
                facts.update(lens(name, thing, scene))
            if thing.type == "LIGHT":
                facts.update(shine(name, thing.data))
    for frame in FRAMES:
        scene.frame_set(frame)
        for thing in scene.objects:
            key = f"{thing.name}'s place"
            if f"{thing.name}'s kind" in facts:
                world = thing.matrix_world
                where = [*world.translation]
                # What it looks at and what is up, whatever its scale.
                ways = [*world.col[2][:3], *world.col[1][:3]] if thing.type in ("CAMERA", "LIGHT") else []
                unit = [x / np.linalg.norm(ways[3 * (i // 3) : 3 * (i // 3) + 3]) for i, x in enumerate(ways)]
                facts[f"{key} in frame {frame}"] = (*where, *unit)
    return facts


def above_of(thing):
    """The name of what a thing hangs on. The topmost prim of a USD file, which is named after the file, is nothing."""
    top = thing.parent is None or (thing.parent.parent is None and "_to_" in thing.parent.name)
    return "" if top else thing.parent.name


def lens(name, thing, scene):
    camera = thing.data
    if camera.type == "ORTHO":
        frame = [Vector(c) for c in camera.view_frame(scene=scene)]
        size = (frame[0] - frame[1]).length
    else:
        frame = camera.view_frame(scene=scene)
        size = 2 * math.atan(max(abs(c.y) for c in frame) / abs(frame[0].z))
    return {f"{name}'s lens": camera.type, f"{name}'s size": (size,),
            f"{name}'s range": (camera.clip_start, camera.clip_end)}


def shine(name, light):
    facts = {f"{name}'s shape": light.type, f"{name}'s power": (light.energy * 2**light.exposure,),
             f"{name}'s colour": tuple(light.color)}
    if light.type == "SPOT":
        facts[f"{name}'s cone"] = (light.spot_size, light.spot_blend)
    if light.type == "AREA":
        facts[f"{name}'s sides"] = (light.size, light.size_y)
    return facts


# What OpenUSD sees.


def in_openusd(path):
    """The same facts, in metres with z up, as far as OpenUSD has them."""
    stage = Usd.Stage.Open(str(path))
    metres = UsdGeom.GetStageMetersPerUnit(stage)
    turned = UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.y
    upright = lambda v: (v[0], -v[2], v[1]) if turned else tuple(v)
    place = lambda matrix: tuple(metres * x for x in upright(matrix.ExtractTranslation()))
    facts = {}
    for prim in stage.Traverse():
        name, kind = prim.GetName(), prim.GetTypeName()
        if kind == "Skeleton":
            facts["armature's name"] = name
            joints = list(UsdSkel.Skeleton(prim).GetJointsAttr().Get())
            topology = UsdSkel.Topology(joints)
            last = lambda number: joints[number].split("/")[-1]
            for number in range(len(joints)):
                above = topology.GetParent(number)
                facts[f"joint {last(number)}'s parent"] = last(above) if above >= 0 else ""
        if name in THINGS:
            facts[f"{name}'s parent"] = prim.GetParent().GetName() if prim.GetParent().GetParent().GetParent() else ""
            for frame in FRAMES:
                world = UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(frame)
                facts[f"{name}'s place in frame {frame}"] = place(world)
        if kind == "Camera":
            camera = UsdGeom.Camera(prim).GetCamera(FRAMES[0])
            flat = camera.projection == Gf.Camera.Orthographic
            height = metres * camera.verticalAperture * Gf.Camera.APERTURE_UNIT
            angle = math.radians(camera.GetFieldOfView(Gf.Camera.FOVVertical))
            facts[f"{name}'s lens"] = "ORTHO" if flat else "PERSP"
            facts[f"{name}'s size"] = (height if flat else angle,)
            facts[f"{name}'s range"] = (metres * camera.clippingRange.min, metres * camera.clippingRange.max)
        if kind in LIGHTS:
            light = UsdLux.LightAPI(prim)
            cone = UsdLux.ShapingAPI(prim).GetShapingConeAngleAttr()
            facts[f"{name}'s shape"] = "SPOT" if cone and cone.HasAuthoredValue() else LIGHTS[kind]
            facts[f"{name}'s colour"] = tuple(light.GetColorAttr().Get())
            if facts[f"{name}'s shape"] == "SPOT":
                half = math.radians(cone.Get())
                facts[f"{name}'s cone"] = (2 * half, UsdLux.ShapingAPI(prim).GetShapingConeSoftnessAttr().Get())
        if kind == "Mesh":
            facts.update(primvars(prim, lambda point: tuple(metres * x for x in upright(point))))
    return facts


def primvars(prim, place):
    """Layers of a mesh: values by where their vertex is."""
    mesh, facts = UsdGeom.Mesh(prim), {}
    body = "Body" if "Body" in str(prim.GetPath()) else "Hat"
    corners = list(mesh.GetFaceVertexIndicesAttr().Get())
    places = [tuple(round(100 * x) for x in place(point)) for point in mesh.GetPointsAttr().Get()]
    keys = [places[vertex] for vertex in corners]
    for number, primvar in enumerate(UsdGeom.PrimvarsAPI(prim).GetPrimvarsWithValues()):
        name = primvar.GetPrimvarName()
        plain = name.strip("_").lower()
        kind = str(primvar.GetTypeName())
        if kind == "texCoord2f[]":
            title = f"{body}, UV set {uv_set(name, number)}"
        elif plain in ("heat", "flow", "pair"):
            title = f"{body}, attribute {plain}"
        elif kind in ("color3f[]", "color4f[]"):
            title = f"{body}, colour 0"
        else:
            continue
        values = [tuple(v)[:3] if hasattr(v, "__len__") else (v,) for v in primvar.ComputeFlattened()]
        if primvar.GetInterpolation() == UsdGeom.Tokens.vertex:
            values = [values[vertex] for vertex in corners]
        facts[title] = dict(zip(keys, values))
    return facts


def differences(found, wanted):
    """Facts that are not as they should be."""
    return {key: (found.get(key), value) for key, value in wanted.items() if not same(key, found.get(key), value)}


def same(key, found, wanted):
    if isinstance(wanted, dict):
        tolerance = 2.5 * COLOUR_STEP if "colour" in key else CLOSE
        near = lambda a, b: len(a) == len(b) and all(abs(x - y) <= tolerance for x, y in zip(a, b))
        return found is not None and found.keys() == wanted.keys() and all(near(found[k], v) for k, v in wanted.items())
    if isinstance(wanted, tuple):
        if found is None or len(found) != len(wanted):
            return False
        return all(abs(a - b) <= CLOSE * max(1, abs(b)) for a, b in zip(found, wanted))
    return found == wanted


def said(value):
    if isinstance(value, dict):
        return f"{len(value)} corners such as {next(iter(value.values()), None)}"
    if isinstance(value, tuple):
        return "(" + ", ".join(f"{x:.4g}" for x in value) + ")"
    return str(value)


# The command.


def convert(binary, source, target):
    """Converts a file. What the command says."""
    done = subprocess.run([str(binary), "convert", str(source), str(target)], capture_output=True, text=True, check=True)
    return done.stderr + done.stdout


def main():
    binary, checks = Path(sys.argv[1]).resolve(), Checks()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(os.environ.get("CARGO_KEEP", folder))
        make()
        wanted = scene_facts()
        own = {}
        for end in FORMATS:
            make()
            write(folder / f"made.{end}")
            # It does not read its own attributes of several widths.
            make(attributes=end != "glb")
            write(folder / f"own.{end}")
            read(folder / f"own.{end}")
            lost = differences(scene_facts(), wanted)
            own[end] = {key for key in lost if end != "glb" or "attribute" not in key}
        for source in FORMATS:
            for way, words in ways(binary, folder, source).items():
                end = way.suffix[1:]
                checks.run(f"{way.name} in Blender", lambda: judge(way, wanted, own[source] | own[end]))
                checks.run(f"{way.name}, said", lambda: has_said(source, end, words))
                if end == "usda":
                    # Of flat cameras Blender misreads what USD files say, and writes none.
                    excused = own[source] if source == "usda" else own[source] - {"plan's size"}
                    checks.run(f"{way.name} in OpenUSD", lambda: judge_in_openusd(way, wanted, excused))
                if end == "glb":
                    checks.run(f"{way.name} again", lambda: opened_again(way))
    sys.exit(checks.failed)


def judge(path, wanted, excused):
    """Whether all is in a file as it should be, and in words."""
    try:
        read(path)
    except RuntimeError as error:
        raise ValueError("Blender does not open it: " + " ".join(str(error).split()[-40:])) from error
    return told(differences(scene_facts(), wanted), wanted, excused)


def told(wrong, wanted, excused):
    left = {key: pair for key, pair in wrong.items() if key not in excused}
    text = "; ".join(f"{key}: {said(a)}, not {said(b)}" for key, (a, b) in left.items())
    if os.environ.get("CARGO_SAY"):
        for key in sorted(excused & wrong.keys()):
            print(f"     without {key}: {said(wrong[key][0])}, not {said(wrong[key][1])}")
    return not left, text or f"{len(wanted.keys() - excused)} facts"


def judge_in_openusd(path, wanted, excused):
    """The same by OpenUSD, which has what things hang on but not those that hang on bones, and no numbers of Blender's."""
    facts = in_openusd(path)
    power = lambda key: "power" in key or "kind" in key or "sides" in key
    on_bones = {f"{name}'s parent" for name in ("socket", "eye", "torch")}
    wanted = {key: value for key, value in wanted.items() if not power(key) and key not in on_bones}
    # Ways are Blender's.
    wanted = {key: value[:3] if "place" in key else value for key, value in wanted.items()}
    return told(differences(facts, wanted), wanted, excused)


def has_said(source, end, words):
    """Whether what a format cannot hold is listed, and in words."""
    wanted = []
    if end == "fbx" and source != "fbx":
        wanted += ["3 attributes of vertices", "heat", "flow", "pair"]
    if end == "fbx" and source == "usda":
        wanted.append("panel")
    if end == "glb" and source != "glb":
        wanted.append("panel")
    missing = [word for word in wanted if word not in words.lower()]
    return not missing, f"not said: {', '.join(missing)}" if missing else f"{len(wanted)} words"


def opened_again(path):
    """Whether Blender opens a file in whatever order it has the names of attributes."""
    code = "import sys, bpy; bpy.ops.wm.read_factory_settings(use_empty=True); bpy.ops.import_scene.gltf(filepath=sys.argv[1])"
    run = lambda seed: subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True,
                                      env={**os.environ, "PYTHONHASHSEED": str(seed)})
    failed = [seed for seed in SEEDS if run(seed).returncode]
    return not failed, f"order {failed[0]} fails" if failed else f"{len(SEEDS)} orders"


def ways(binary, folder, source):
    """Files made of one source, and what the command said of each."""
    out = {}
    between = folder / f"{source}.sinew"
    convert(binary, folder / f"made.{source}", between)
    for end in FORMATS:
        for name, of in [("straight", folder / f"made.{source}"), ("by-sinew", between)]:
            path = folder / f"{source}-to-{end}-{name}.{end}"
            out[path] = convert(binary, of, path)
    return out


if __name__ == "__main__":
    main()
