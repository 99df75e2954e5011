# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes with armatures become rigs."""

import numpy as np

import bpy

from .building import STRETCHES
from .sampling import corners_of, faces_from, frame_kept, must_be_on, play, rate, sample, scene_frames
from .space import TO_BLENDER, TO_SINEW, double, to_sinew


#: How far a file may be from what Blender shows, in percent of the motion, before that is said.
FAITHFUL = 0.01


def armature_of(body):
    """The armature that moves a mesh, if one does."""
    for modifier in body.modifiers:
        if modifier.type == "ARMATURE" and modifier.object is not None:
            return modifier.object
    return None


def bodies_of(armature):
    """The meshes that an armature moves."""
    around = armature.users_scene[0].objects if armature.users_scene else ()
    return [thing for thing in around if thing.type == "MESH" and armature_of(thing) == armature]


def bones_of(armature):
    """The bones that count, parents first, and the parent of each among them: those that deform, and what they hang on.

    Bones that stretch have others within them; of such armatures every bone counts on its own.
    """
    bones = list(armature.data.bones)
    if any(bone.get(STRETCHES) for bone in bones):
        return [bone for bone in bones if bone.use_deform], None
    wanted = set()
    for bone in bones:
        if bone.use_deform:
            wanted.update([bone.name, *(parent.name for parent in bone.parent_recursive)])
    ordered = []

    def hang(bone):
        if bone.name in wanted:
            ordered.append(bone)
        for child in bone.children:
            hang(child)

    for bone in bones:
        if bone.parent is None:
            hang(bone)
    places = {bone.name: place for place, bone in enumerate(ordered)}
    return ordered, [places[bone.parent.name] if bone.parent else -1 for bone in ordered]


def still(context, armature, body):
    """A rig that stands in its rest pose where it is in the scene's first frame, whatever moves its bones, and that place."""
    bones, parents = _bones(armature)
    scene = context.scene
    with frame_kept(scene):
        scene.frame_set(scene.frame_start)
        graph = context.evaluated_depsgraph_get()
        place = double(armature.evaluated_get(graph).matrix_world)
        at = double(body.evaluated_get(graph).matrix_world)
    transforms = np.tile(np.eye(4), (1, len(bones), 1, 1))
    return _rig(context, armature, body, bones, parents, transforms, place, at), place


def _bones(armature):
    bones, parents = bones_of(armature)
    if not bones:
        raise ValueError(f"{armature.name} has no bones that deform")
    return bones, parents


def read(context, armature, body=None):
    """Reads a rig in every frame of the scene. A generator that yields the share that is done and returns the rig, and what it
    could not take along. Without a body, every bone has a triangle of its own."""
    scene = context.scene
    bones, parents = _bones(armature)
    frames = scene_frames(scene)
    for thing in (armature, body):
        if thing is not None:
            must_be_on(context, thing)
    keys = _keys(body)
    transforms = np.empty((len(frames), len(bones), 4, 4))
    coefficients = np.empty((len(frames), len(keys)), np.float32)
    stands = [np.linalg.inv(double(bone.matrix_local)) for bone in bones]
    with frame_kept(scene):
        for played in play(context):
            if played is None:
                yield 0.0
                continue
            number, _ = played
            graph = context.evaluated_depsgraph_get()
            evaluated = armature.evaluated_get(graph)
            world = double(evaluated.matrix_world)
            for place, bone in enumerate(bones):
                transforms[number, place] = world @ double(evaluated.pose.bones[bone.name].matrix) @ stands[place]
            if keys:
                # Values that are animated are written back to what was evaluated.
                coefficients[number] = [key.value for key in keys]
            yield (number + 1) / len(frames)
    # The rest pose is that of the armature as it stands now, in the world.
    place = double(armature.matrix_world)
    transforms = TO_SINEW @ transforms @ np.linalg.inv(place) @ TO_BLENDER
    given, lost = {}, []
    if keys:
        given.update(shapes=np.array([_shape(key, body) for key in keys], np.float32), coefficients=coefficients)
    if body is not None:
        given.update(_looks(body, lost))
    at = double(body.matrix_world) if body is not None else None
    return _rig(context, armature, body, bones, parents, transforms, place, at, **given), lost


def _rig(context, armature, body, bones, parents, transforms, place, at, **given):
    """The rig of an armature at a place, and of a mesh at another."""
    import sinew_rig

    heads = np.array([place @ [*bone.head_local, 1] for bone in bones])[:, :3]
    given.update(
        names=[bone.name for bone in bones],
        parents=parents if parents is not None else None,
        centers=to_sinew(heads),
        fps=rate(context.scene),
        metres_per_unit=context.scene.unit_settings.scale_length or 1.0,
    )
    rest, faces, weights = _triangles(bones, place) if body is None else _body(body, bones, at)
    return sinew_rig.Rig.from_arrays(to_sinew(rest), faces, weights, transforms, **given)


def scaled(armature, rig, first):
    """Says whose scale makes joints of a rig stretch, if any do."""
    if not rig.has_skeleton:
        return None
    lengths = np.linalg.svd(rig.transforms[..., :3, :3], compute_uv=False)
    frames, joints = np.nonzero(np.abs(lengths - 1).max(axis=-1) > 1e-4)
    if not len(frames):
        return None
    thing = armature
    while thing is not None:
        # Of mirrored objects the size counts.
        sizes = [abs(size) for size in thing.scale]
        if max(sizes) - min(sizes) > 1e-4 * max(sizes):
            return f"the object {thing.name} is scaled unevenly, and joints only turn: apply its scale (Ctrl-A)"
        thing = thing.parent
    # Joints come after what they hang on.
    joint = joints.min()
    frame = first + frames[joints == joint].min()
    return (
        f"the bone {rig.names[joint]} is scaled in frame {frame}, or the object {armature.name} changes its scale, and joints only turn: "
        "clear that scale and its keys (Alt-S), or apply the object's (Ctrl-A)"
    )


def _keys(body):
    if body is None or body.data.shape_keys is None:
        return []
    keys = body.data.shape_keys
    return [key for key in keys.key_blocks if key != keys.reference_key and not key.mute]


def _points(data, world):
    """Points of a mesh or shape key, in the world of a matrix."""
    flat = np.empty(3 * len(data), np.float32)
    data.foreach_get("co", flat)
    return flat.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]


def _shape(key, body):
    """What a shape key adds where it acts in full."""
    world = double(body.matrix_world)
    added = to_sinew(_points(key.data, world) - _points(key.relative_key.data, world))
    group = body.vertex_groups.get(key.vertex_group) if key.vertex_group else None
    if group is not None:
        shares = np.zeros(len(added))
        for vertex in body.data.vertices:
            for entry in vertex.groups:
                if entry.group == group.index:
                    shares[vertex.index] = entry.weight
        added *= shares[:, None]
    return added


def _order(body):
    """The order in which the corners of a mesh are written: around the other way where it is mirrored, so that faces point
    outwards still."""
    totals, corners = corners_of(body.data)
    order = np.arange(len(corners))
    if body.matrix_world.is_negative:
        starts = np.repeat(np.cumsum(totals) - totals, totals)
        order = 2 * starts + np.repeat(totals, totals) - 1 - order
    return order


def _body(body, bones, at):
    keys = body.data.shape_keys
    rest = _points(keys.reference_key.data if keys else body.data.vertices, at)
    places = {bone.name: place for place, bone in enumerate(bones) if bone.use_deform}
    of_group = {group.index: places.get(group.name) for group in body.vertex_groups}
    weights = np.zeros((len(rest), len(bones)), np.float32)
    for vertex in body.data.vertices:
        for entry in vertex.groups:
            bone = of_group.get(entry.group)
            if bone is not None:
                weights[vertex.index, bone] += entry.weight
    sums = weights.sum(axis=1)
    if (sums == 0).any():
        vertex = int((sums == 0).argmax())
        raise ValueError(f"vertex {vertex} of {body.name} follows no bone: give it a weight")
    totals, corners = corners_of(body.data)
    return rest, faces_from(totals, corners[_order(body)]), weights / sums[:, None]


def _triangles(bones, place):
    points = []
    for bone in bones:
        head, tail = np.array(bone.head_local), np.array(bone.tail_local)
        side = double(bone.matrix_local)[:3, 0] * 0.1 * np.linalg.norm(tail - head)
        points += [head, tail, head + side]
    points = np.array(points) @ place[:3, :3].T + place[:3, 3]
    weights = np.repeat(np.eye(len(bones), dtype=np.float32), 3, axis=0)
    return points, np.arange(3 * len(bones)).reshape(-1, 3), weights


def _looks(body, lost):
    """Texture coordinates and materials."""
    import sinew_rig

    given = {}
    mesh = body.data
    layer = mesh.uv_layers.active
    if layer is not None:
        flat = np.empty(2 * len(mesh.loops), np.float32)
        layer.data.foreach_get("uv", flat)
        # Files count from the upper left.
        given["uvs"] = flat.reshape(-1, 2)[_order(body)] * [1, -1] + [0, 1]
        if len(mesh.uv_layers) > 1:
            lost.append(f"only the UV map {layer.name} is written")
    materials = [slot.material for slot in body.material_slots]
    if materials:
        given["materials"] = [_material(sinew_rig.Material, material, lost) for material in materials]
        which = np.empty(len(mesh.polygons), np.int32)
        mesh.polygons.foreach_get("material_index", which)
        given["face_materials"] = np.clip(which, 0, len(materials) - 1)
    return given


#: What is read of Principled BSDF.
INPUTS = ("Base Color", "Alpha", "Metallic", "Roughness")


def _material(made, material, lost):
    if material is None:
        return made("none")
    color, metallic, roughness = tuple(material.diffuse_color), material.metallic, material.roughness
    if material.use_nodes and material.node_tree is not None:
        nodes = material.node_tree.nodes
        if any(node.type == "TEX_IMAGE" for node in nodes):
            lost.append(f"textures of the material {material.name} are not written")
        for node in nodes:
            if node.type == "BSDF_PRINCIPLED":
                color, opacity, metallic, roughness = (_value(node.inputs[name], material, lost) for name in INPUTS)
                color = (*color[:3], opacity)
                glows = node.inputs["Emission Strength"], node.inputs["Emission Color"]
                if glows[0].is_linked or glows[1].is_linked or glows[0].default_value * max(glows[1].default_value[:3]) > 0:
                    lost.append(f"the emission of the material {material.name} is not written")
    return made(material.name, color, metallic, roughness)


def _value(socket, material, lost):
    """The value of an input of a shader, of which only one is known where nodes make it."""
    value = socket.default_value
    if socket.is_linked:
        source = socket.links[0].from_socket
        if source.node.type in {"RGB", "VALUE"} and source.type == socket.type:
            value = source.default_value
        else:
            lost.append(
                f"nodes make the {socket.name} of the material {material.name}: the file has the plain value that the socket "
                "would have without them"
            )
    return tuple(value) if hasattr(value, "__len__") else value


def not_written(armature, body):
    """What moves or changes a mesh besides the bones and shape keys that a file can hold, in words."""
    found = []
    for modifier in body.modifiers:
        if modifier.type != "ARMATURE":
            if modifier.show_viewport:
                found.append(f"the modifier {modifier.name}")
            continue
        if modifier.object != armature:
            found.append(f"the modifier {modifier.name}")
            continue
        for is_on, what in (
            (not modifier.show_viewport, f"that the modifier {modifier.name} is off"),
            (modifier.use_deform_preserve_volume, "Preserve Volume"),
            (modifier.vertex_group, f"the vertex group {modifier.vertex_group} of the modifier {modifier.name}"),
            (modifier.use_bone_envelopes, "bone envelopes"),
            (modifier.use_multi_modifier, "Multi Modifier"),
        ):
            if is_on:
                found.append(what)
    bendy = [bone.name for bone in armature.data.bones if bone.use_deform and bone.bbone_segments > 1]
    if bendy:
        found.append(f"bendy bones ({', '.join(bendy)})")
    if body.data.shape_keys is not None and not body.data.shape_keys.use_relative:
        found.append("absolute shape keys")
    if body.constraints or body.animation_data is not None:
        found.append(f"motion of the object {body.name} on its own")
    elif body.parent != armature:
        found.append(f"that {body.name} does not hang on {armature.name}")
    return found


def hold_to(context, armature, body, rig):
    """How far a rig is from what Blender shows of the mesh. A generator that yields the share that is done and returns
    sentences, none where they are the same."""
    import sinew_rig

    (shown,) = yield from sample(context, [body])
    try:
        what = not_written(armature, body)
        missing = f"Not written: {', '.join(what)}. " if what else ""
        way = missing + "Skin to Bones takes all of it along"
        count = len(rig.rest)
        if shown.positions.shape[1] != count:
            return [f"Blender shows {shown.positions.shape[1]} vertices of {body.name}, and the file has the {count} before modifiers. {way}"]
        place = TO_SINEW @ double(shown.place) @ TO_BLENDER
        world = shown.positions @ place[:3, :3].T + place[:3, 3]
        seen = sinew_rig.Animation(world.astype(np.float32), shown.faces(), fps=rig.fps)
        error = sinew_rig.compare(seen, rig)["error"]
    finally:
        shown.drop()
    # What stands still has no motion to measure by, but a size.
    of, off = ("motion", error["percent"]) if error.get("percent") is not None else ("size", error["max"])
    if off <= FAITHFUL:
        return []
    return [f"the file is {off:.3g} % of the {of} from what Blender shows of {body.name}. {way}"]
