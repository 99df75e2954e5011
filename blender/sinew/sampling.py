# SPDX-License-Identifier: GPL-3.0-or-later
"""What objects look like in every frame, as the depsgraph evaluates them, whatever deforms them."""

from contextlib import contextmanager

import numpy as np

import bpy
from mathutils import Matrix

from .space import double, to_sinew


class Sampled:
    """An object's positions in every frame, and what stays the same.

    Positions are relative to where the object stands, and how it is turned, in the first frame, in units of the world: the
    scale of the object is in them.
    """

    def __init__(self, name, frames, place, mesh, positions):
        self.name = name
        self.frames = frames
        #: Where it stands in the first frame: shift and turn.
        self.place = place
        #: The mesh of the first frame, which belongs to whoever asked for it.
        self.mesh = mesh
        #: How many corners each face has in Blender, and whose they are.
        self.corners = corners_of(mesh)
        #: Positions [frames, vertices, 3], y up.
        self.positions = positions

    def faces(self):
        """Where the corners of each face start, and the corners, as a list of faces or an array of them."""
        return faces_of(self.mesh)

    def drop(self):
        """Removes the mesh."""
        if self.mesh is not None:
            bpy.data.meshes.remove(self.mesh)
            self.mesh = None


def corners_of(mesh):
    """How many corners each face of a mesh has, and the vertices of all corners."""
    totals = np.empty(len(mesh.polygons), np.int32)
    mesh.polygons.foreach_get("loop_total", totals)
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    return totals, corners


def faces_of(mesh):
    """The faces of a mesh: an array where all have as many corners, else a list."""
    return faces_from(*corners_of(mesh))


def faces_from(totals, corners):
    """Faces of so many corners each: an array where all have as many, else a list."""
    if len(totals) and (totals == totals[0]).all():
        return corners.reshape(-1, totals[0])
    return [face.tolist() for face in np.split(corners, np.cumsum(totals)[:-1])]


def scene_frames(scene):
    """The frames that the scene plays."""
    return list(range(scene.frame_start, scene.frame_end + 1))


def rate(scene):
    """Frames per second."""
    return scene.render.fps / scene.render.fps_base


def simulations(context):
    """The caches of the simulations that have to be played.

    An object may follow the simulation of any other, so everything counts that Blender evaluates for the scene.
    """
    caches = []
    for thing in context.evaluated_depsgraph_get().ids:
        if isinstance(thing, bpy.types.Object):
            for modifier in thing.original.modifiers:
                caches += _caches(modifier)
    world = context.scene.rigidbody_world
    if world is not None and world.enabled:
        caches.append(world.point_cache)
    # What is baked needs no frame before.
    return [cache for cache in caches if not cache.is_baked]


def _caches(modifier):
    """Where a modifier's simulations are kept."""
    if modifier.type == "PARTICLE_SYSTEM":
        return [modifier.particle_system.point_cache]
    if modifier.type == "DYNAMIC_PAINT":
        canvas = modifier.canvas_settings
        return [surface.point_cache for surface in canvas.canvas_surfaces] if canvas is not None else []
    cache = getattr(modifier, "point_cache", None)
    return [] if cache is None else [cache]


@contextmanager
def frame_kept(scene):
    """Leaves the scene in the frame that it was in."""
    before = scene.frame_current, scene.frame_subframe
    try:
        yield
    finally:
        scene.frame_set(before[0], subframe=before[1])


def play(context):
    """Plays the scene, simulations from their beginnings. A generator of the number and frame of each frame that the scene
    plays, and None for those before."""
    scene = context.scene
    frames = scene_frames(scene)
    if not frames:
        raise ValueError("the scene has no frames")
    caches = simulations(context)
    for cache in caches:
        if cache.is_frame_skip:
            # Someone jumped over frames, which Blender fills with what lies between. A change makes it simulate them; all other
            # frames that were played before are kept.
            cache.frame_step = cache.frame_step
    for frame in range(min([frames[0], *(cache.frame_start for cache in caches)]), frames[0]):
        scene.frame_set(frame)
        yield None
    for number, frame in enumerate(frames):
        scene.frame_set(frame)
        yield number, frame


def must_be_on(context, thing):
    """Refuses objects that Blender does not evaluate, which would seem not to move."""
    if thing.hide_viewport or not thing.evaluated_get(context.evaluated_depsgraph_get()).is_evaluated:
        raise ValueError(f"{thing.name} or its collection is disabled in viewports: turn it on in the Outliner, so that it moves")


def sample(context, objects):
    """Samples objects in every frame of the scene. A generator that yields the share that is done and returns a list of
    `Sampled`; the scene's frame is as before in the end."""
    frames = scene_frames(context.scene)
    for thing in objects:
        must_be_on(context, thing)
    made = []
    try:
        with frame_kept(context.scene):
            for played in play(context):
                if played is None:
                    yield 0.0
                    continue
                number, frame = played
                graph = context.evaluated_depsgraph_get()
                for i, thing in enumerate(objects):
                    evaluated = thing.evaluated_get(graph)
                    if number == 0:
                        made.append(_first(thing, evaluated, graph, frames))
                    _read(made[i], evaluated, graph, number, frame)
                yield (number + 1) / len(frames)
        done, made = made, []
        return done
    finally:
        for one in made:
            one.drop()


def _first(thing, evaluated, graph, frames):
    place, turn, _ = evaluated.matrix_world.decompose()
    mesh = bpy.data.meshes.new_from_object(evaluated, preserve_all_data_layers=True, depsgraph=graph)
    if not mesh.polygons:
        bpy.data.meshes.remove(mesh)
        raise ValueError(f"{thing.name} has no faces")
    positions = np.empty((len(frames), len(mesh.vertices), 3), np.float32)
    made = Sampled(thing.name, frames, Matrix.LocRotScale(place, turn, None), mesh, positions)
    if evaluated.matrix_world.is_negative:
        # Blender turns the faces of what is mirrored around, so that they point outwards still; the scale goes into the mesh.
        mesh.flip_normals()
    return made


def _read(made, evaluated, graph, number, frame):
    # A copy of the evaluated mesh is needed only of objects that are none.
    mesh = evaluated.data if evaluated.type == "MESH" else evaluated.to_mesh(depsgraph=graph)
    found, wanted = len(mesh.vertices), made.positions.shape[1]
    if found != wanted:
        raise ValueError(
            f"{made.name} has {found} vertices in frame {frame} and {wanted} in frame {made.frames[0]}: "
            "bones need the same faces in every frame"
        )
    if not all(map(np.array_equal, corners_of(mesh), made.corners)):
        raise ValueError(
            f"{made.name} has other faces in frame {frame} than in frame {made.frames[0]}: "
            "bones need the same faces in every frame"
        )
    flat = np.empty(3 * found, np.float32)
    mesh.vertices.foreach_get("co", flat)
    if evaluated.type != "MESH":
        evaluated.to_mesh_clear()
    made.positions[number] = _in_place(flat, evaluated, made.place)


def _in_place(flat, evaluated, place):
    """Points of an evaluated object as seen from a place, y up. Matrices of Blender are inverted and multiplied in double
    precision: its own would move all points by as much as small errors are."""
    matrix = np.linalg.inv(double(place)) @ double(evaluated.matrix_world)
    return to_sinew(flat.reshape(-1, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3])


def alone(sampled, body, armature):
    """Plays a mesh and the armature that moves it in a scene of their own, where nothing else has to be evaluated. A generator that
    yields the share that is done and returns positions as those of what was sampled."""
    positions = np.empty_like(sampled.positions)
    flat = np.empty(3 * positions.shape[1], np.float32)
    scene = bpy.data.scenes.new("Sinew")
    try:
        for thing in (armature, body):
            scene.collection.objects.link(thing)
        for number, frame in enumerate(sampled.frames):
            scene.frame_set(frame)
            evaluated = body.evaluated_get(scene.view_layers[0].depsgraph)
            evaluated.data.vertices.foreach_get("co", flat)
            positions[number] = _in_place(flat, evaluated, sampled.place)
            yield (number + 1) / len(sampled.frames)
    finally:
        bpy.data.scenes.remove(scene)
    return positions
