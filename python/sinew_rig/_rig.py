"""Rigs: a mesh, its bones, their motion, and what ties the one to the other."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _sinew
from ._animation import Animation, Clip, check_numbers, counted, warn
from ._arrays import Faces, Material, all_one, array_of, faces_of, floats, look_of, same_faces
from ._errors import AnimationError, OptionError
from ._progress import Progress, listening

_Path = Union[str, "os.PathLike[str]"]


def _check_transforms(matrices: npt.NDArray[Any]) -> None:
    """Matrices act on columns: their last row is 0, 0, 0, 1."""
    if matrices.ndim != 4 or matrices.shape[2:] != (4, 4):
        raise AnimationError("transforms are [frames, bones, 4, 4]", kind="animation")
    if matrices.shape[0] == 0:
        raise AnimationError("there are no frames", kind="animation")
    off = np.argwhere(np.abs(matrices[:, :, 3] - [0, 0, 0, 1]).max(axis=-1, initial=0) > 1e-6)
    if len(off):
        frame, bone = (int(number) for number in off[0])
        turned = np.abs(matrices[frame, bone, :3, 3]).max() == 0
        why = ": transpose it, shifts belong in the last column" if turned else ""
        sentence = f"bone {bone} in frame {frame}: the last row of the matrix is not 0, 0, 0, 1{why}"
        raise AnimationError(sentence, kind="animation", frame=frame)


def _check_influences(bones: npt.NDArray[Any], weights: npt.NDArray[np.float32], count: int) -> None:
    """Bones that are there, and weights that can be made to sum to one."""
    if bones.shape != weights.shape:
        raise AnimationError(f"bones are {list(bones.shape)} and weights {list(weights.shape)}", kind="animation")
    unknown = np.argwhere(((bones < 0) | (bones >= count)) & (weights != 0))
    if len(unknown):
        vertex, slot = (int(number) for number in unknown[0])
        sentence = f"vertex {vertex} follows bone {int(bones[vertex, slot])}, and there are {count}"
        raise AnimationError(sentence, kind="animation", vertex=vertex)
    sums = weights.sum(axis=1, dtype=np.float64)
    bad = np.flatnonzero(~(sums > 0) | ~np.isfinite(weights).all(axis=1))
    if len(bad):
        vertex = int(bad[0])
        sentence = f"vertex {vertex}: its weights sum to {sums[vertex]:g}"
        raise AnimationError(sentence, kind="animation", vertex=vertex)


class JointFrames(NamedTuple):
    """Bones as others move them: shift, turn, scale, and a turn before those."""

    #: Where each bone is, ``[frames, bones, 3]``.
    translations: npt.NDArray[np.float64]
    #: The outer turn, ``[frames, bones, 4]``.
    rotations: npt.NDArray[np.float64]
    #: The scale along the axes between both turns, ``[frames, bones, 3]``.
    scales: npt.NDArray[np.float64]
    #: The inner turn, ``[frames, bones, 4]``: none (0, 0, 0, 1) where one bone is enough.
    inner: npt.NDArray[np.float64]


class Rig:
    """A rig: bones, weights, and the transform of every bone in every frame.

    Made by :func:`sinew_rig.skin`, :func:`sinew_rig.skeleton`, :func:`sinew_rig.open_rig` or :meth:`from_arrays`. A vertex
    is where its bones take it: with ``bones[v]`` and ``weights[v]`` of the vertex, the transforms ``M`` of a frame and its
    rest position ``p``, that is ``sum(weights[v, k] * M[bones[v, k]] @ [*p, 1])``.

    >>> import numpy as np, sinew_rig as sinew
    >>> rest = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    >>> transforms = np.tile(np.eye(4), (2, 1, 1, 1))
    >>> transforms[1, 0, :3, 3] = [0, 0, 5]
    >>> rig = sinew.Rig.from_arrays(rest, [[0, 1, 2]], np.ones((3, 1)), transforms)
    >>> rig
    <sinew_rig.Rig: 1 bone, 2 frames of 3 vertices, 24 fps>
    >>> rig.pose(1)[:, 2].tolist()
    [5.0, 5.0, 5.0]
    """

    _held: _sinew.Rig
    #: How it was made and how good it is: the report of the job. Empty where it was read from a file or made of arrays.
    report: Dict[str, Any]

    def __init__(self) -> None:
        raise TypeError("rigs are made by sinew_rig.skin, skeleton, open_rig or Rig.from_arrays")

    @classmethod
    def _of(cls, held: _sinew.Rig, report: Dict[str, Any]) -> "Rig":
        made = cls.__new__(cls)
        made._held = held
        made.report = report
        return made

    @classmethod
    def from_arrays(
        cls,
        rest: Any,
        faces: Faces,
        weights: Any,
        transforms: Any,
        *,
        bones: Optional[Any] = None,
        names: Optional[Sequence[str]] = None,
        parents: Optional[Sequence[int]] = None,
        centers: Optional[Any] = None,
        shapes: Optional[Any] = None,
        coefficients: Optional[Any] = None,
        uvs: Optional[Any] = None,
        materials: Sequence[Material] = (),
        face_materials: Optional[Any] = None,
        fps: float = 24.0,
        metres_per_unit: Optional[float] = None,
    ) -> "Rig":
        """A rig of arrays, which are copied.

        ``weights`` is ``[vertices, bones]``; with ``bones``, both are ``[vertices, influences]`` and say which bones those
        are of. Weights of a vertex are made to sum to one. ``transforms`` is ``[frames, bones, 4, 4]`` and takes the rest
        pose to each frame. ``parents`` makes a skeleton: the parent of each bone, which comes before it, -1 for none.
        ``centers`` is ``[bones, 3]``: the joints of a skeleton; without, the middle of what each bone moves. ``shapes``
        ``[shapes, vertices, 3]`` are added to the rest pose before the bones act, as much of each as ``coefficients``
        ``[frames, shapes]`` say. ``uvs``, ``materials`` and ``face_materials`` are as of an animation.

        >>> import numpy as np, sinew_rig as sinew
        >>> rest = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], np.float32)
        >>> transforms = np.tile(np.eye(4), (3, 2, 1, 1))
        >>> transforms[:, 1, 2, 3] = [0, 0.5, 1]
        >>> weights = [[1, 0], [0.5, 0.5], [0, 1], [0.5, 0.5]]
        >>> rig = sinew.Rig.from_arrays(rest, [[0, 1, 2, 3]], weights, transforms, names=["root", "tip"], parents=[-1, 0])
        >>> rig
        <sinew_rig.Rig: 2 bones, skeleton, 3 frames of 4 vertices, 24 fps>
        >>> rig.pose(2)[:, 2].tolist()
        [0.0, 0.5, 1.0, 0.5]
        """
        starts, corners = faces_of(faces)
        table = floats("weights", weights, 2)
        count = np.shape(transforms)[1] if np.ndim(transforms) == 4 else None
        if bones is None:
            if count is not None and table.shape[1] != count:
                raise AnimationError(
                    f"weights have {table.shape[1]} columns for {count} bones; those of a few bones a vertex need bones=",
                    kind="animation",
                    field="weights",
                )
            wrong = np.argwhere(~np.isfinite(table))
            if len(wrong):
                raise AnimationError(
                    f"a weight of vertex {wrong[0, 0]} is not finite", kind="animation", field="weights", vertex=int(wrong[0, 0])
                )
            # The largest first, as many as any vertex has.
            most = max(1, int((table != 0).sum(axis=1).max(initial=0)))
            order = np.argsort(-np.abs(table), axis=1, kind="stable")[:, :most]
            table = np.ascontiguousarray(np.take_along_axis(table, order, axis=1))
        else:
            order = array_of(bones)
            if order.dtype.kind not in "iu":
                raise AnimationError("bones are numbers of bones", kind="animation")
        matrices = array_of(transforms)
        _check_transforms(matrices)
        _check_influences(order, table, matrices.shape[1])
        if parents is not None and any(int(parent) < -1 for parent in parents):
            raise AnimationError("a parent is a bone, or -1 for none", kind="animation")
        if names is not None and len(set(names)) < len(names):
            raise AnimationError("two bones have the same name", kind="animation")
        if centers is not None and not np.isfinite(array_of(centers)).all():
            raise AnimationError("centers hold a number that is not finite", kind="animation")
        check_numbers(fps, metres_per_unit)
        held = _sinew.Rig.from_arrays(
            floats("rest", rest, 2),
            starts,
            corners,
            look_of(uvs, materials, all_one(materials, face_materials, starts)),
            np.ascontiguousarray(order, dtype=np.uint32),
            table,
            np.ascontiguousarray(matrices, dtype=np.float64),
            None if names is None else list(names),
            None if parents is None else [int(parent) for parent in parents],
            None if centers is None else np.ascontiguousarray(array_of(centers), dtype=np.float64),
            None if shapes is None else floats("shapes", shapes, 3),
            None if coefficients is None else floats("coefficients", coefficients, 2),
            fps,
            metres_per_unit,
        )
        return cls._of(held, {})

    @property
    def rest(self) -> npt.NDArray[np.float32]:
        """The pose ``[vertices, 3]`` that bones deform."""
        return self._held.rest

    @property
    def faces(self) -> npt.NDArray[np.uint32]:
        """Faces ``[faces, corners]``, where all have as many corners."""
        return same_faces(self._held.face_starts, self._held.corners)

    @property
    def face_starts(self) -> npt.NDArray[np.uint32]:
        """Where the corners of each face start among ``corners``; one entry more than there are faces."""
        return self._held.face_starts

    @property
    def corners(self) -> npt.NDArray[np.uint32]:
        """The vertex of each corner, face after face."""
        return self._held.corners

    @property
    def weights(self) -> npt.NDArray[np.float32]:
        """Weights ``[vertices, influences]``, the largest first, unused ones 0."""
        return self._held.weights

    @property
    def bones(self) -> npt.NDArray[np.uint32]:
        """The bone of each weight, ``[vertices, influences]``."""
        return self._held.bones

    def dense_weights(self) -> npt.NDArray[np.float32]:
        """Weights as a table ``[vertices, bones]``.

        >>> import numpy as np, sinew_rig as sinew
        >>> weights = np.array([[1, 0], [0.25, 0.75], [0, 1]], np.float32)
        >>> rig = sinew.Rig.from_arrays(np.eye(3), [[0, 1, 2]], weights, np.tile(np.eye(4), (1, 2, 1, 1)))
        >>> bool((rig.dense_weights() == weights).all())
        True
        """
        weights, bones = self.weights, self.bones
        table = np.zeros((len(weights), self.bone_count), np.float32)
        np.add.at(table, (np.arange(len(weights))[:, None], bones), weights)
        return table

    @property
    def transforms(self) -> npt.NDArray[np.float64]:
        """Matrices ``[frames, bones, 4, 4]`` that take the rest pose to each frame."""
        return self._held.transforms

    @property
    def names(self) -> List[str]:
        """Names of the bones."""
        return self._held.names

    @property
    def parents(self) -> npt.NDArray[np.int64]:
        """The parent of each bone, -1 for none; all -1 without a skeleton."""
        return self._held.parents

    @property
    def has_skeleton(self) -> bool:
        """Whether the bones are joints in a tree."""
        return self._held.has_skeleton

    @property
    def centers(self) -> npt.NDArray[np.float64]:
        """A point ``[bones, 3]`` of the rest pose for each bone: its joint, or the middle of what it moves."""
        return self._held.centers

    @property
    def rigid(self) -> List[bool]:
        """Whether each bone only turns and shifts, never stretches."""
        return self._held.rigid

    @property
    def shapes(self) -> npt.NDArray[np.float32]:
        """Correction shapes ``[shapes, vertices, 3]`` that are added to the rest pose before the bones act."""
        return self._held.shapes

    @property
    def coefficients(self) -> npt.NDArray[np.float32]:
        """How much of each correction shape there is in each frame, ``[frames, shapes]``."""
        return self._held.coefficients

    def joint_frames(self) -> JointFrames:
        """Every bone in every frame as programs move bones that turn, scale and shift.

        A bone that is sheared takes two of those, one within the other: the outer shifts, turns and scales, the inner only
        turns. Both stand at the bone's center (as float32) at rest, along the axes of the world, and hang on nothing else.
        Turns are quaternions x, y, z, w that go on from frame to frame.

        >>> import numpy as np, sinew_rig as sinew
        >>> sheared = np.eye(4)
        >>> sheared[0, 1] = 0.5
        >>> rig = sinew.Rig.from_arrays(np.eye(3), [[0, 1, 2]], np.ones((3, 1)), [[np.eye(4)], [sheared]])
        >>> frames = rig.joint_frames()
        >>> frames.scales.shape, bool((frames.inner[1, 0, :3] != 0).any())
        ((2, 1, 3), True)
        """
        return JointFrames(*self._held.joint_frames())

    @property
    def fps(self) -> float:
        """Frames per second; with clips, of the first."""
        return self._held.fps

    @property
    def clips(self) -> List[Clip]:
        """Which frames are of which motion; empty where all are one."""
        return [Clip(*clip) for clip in self._held.clips]

    @property
    def frame_count(self) -> int:
        """How many frames there are."""
        return self._held.frame_count

    @property
    def vertex_count(self) -> int:
        """How many vertices there are."""
        return len(self.rest)

    @property
    def bone_count(self) -> int:
        """How many bones there are."""
        return len(self.names)

    @property
    def metres_per_unit(self) -> Optional[float]:
        """How many metres a unit is, where that is known."""
        return self._held.metres_per_unit

    @property
    def error(self) -> float:
        """How far it is off what it was made of, in percent of the motion; not a number where that is not known."""
        percent = self.report.get("error", {}).get("percent")
        return float("nan") if percent is None else float(percent)

    def pose(self, frame: int) -> npt.NDArray[np.float32]:
        """Positions ``[vertices, 3]`` in a frame.

        >>> import numpy as np, sinew_rig as sinew
        >>> transforms = np.tile(np.eye(4), (3, 1, 1, 1))
        >>> transforms[:, 0, 0, 3] = [0, 1, 2]
        >>> rig = sinew.Rig.from_arrays(np.eye(3), [[0, 1, 2]], np.ones((3, 1)), transforms)
        >>> rig.pose(2)[0].tolist()
        [3.0, 0.0, 0.0]
        """
        positions: npt.NDArray[np.float32] = self.bake(first=frame, frames=1)[0]
        return positions

    def bake(
        self,
        out: Optional[npt.NDArray[np.float32]] = None,
        *,
        first: int = 0,
        frames: Optional[int] = None,
        blend: str = "linear",
        progress: Progress = None,
    ) -> npt.NDArray[np.float32]:
        """Plays it into an array of positions ``[frames, vertices, 3]``, which is made where none is given.

        ``out`` is float32 and C-contiguous, may be a memory-mapped file, and says how many frames are played. ``blend`` is as of the job "bake".

        >>> import numpy as np, sinew_rig as sinew
        >>> transforms = np.tile(np.eye(4), (3, 1, 1, 1))
        >>> transforms[:, 0, 0, 3] = [0, 1, 2]
        >>> rig = sinew.Rig.from_arrays(np.eye(3), [[0, 1, 2]], np.ones((3, 1)), transforms)
        >>> out = np.empty((2, 3, 3), np.float32)
        >>> rig.bake(out, first=1) is out
        True
        >>> out[:, 1].tolist()
        [[1.0, 1.0, 0.0], [2.0, 1.0, 0.0]]
        """
        if not 0 <= first <= self.frame_count:
            raise OptionError(f"there is no frame {first}", kind="options", field="first")
        if out is None:
            count = self.frame_count - first if frames is None else frames
            if count < 0:
                raise OptionError(f"{count} frames cannot be played", kind="options", field="frames")
            out = np.empty((count, self.vertex_count, 3), np.float32)
        # Numbers are written one after the other, whatever the array makes of their order.
        if not isinstance(out, np.ndarray) or out.dtype != np.float32 or not out.flags.c_contiguous:
            raise OptionError("out is a float32 array whose numbers lie one after the other", kind="options", field="out")
        if frames is not None and frames != len(out):
            raise OptionError(f"out holds {len(out)} frames, and {frames} were asked for", kind="options", field="frames")
        with listening(progress) as listener:
            self._held.bake(out, first, blend, listener)
        return out

    def animation(self) -> Animation:
        """All poses as an animation.

        >>> import numpy as np, sinew_rig as sinew
        >>> transforms = np.tile(np.eye(4), (3, 1, 1, 1))
        >>> transforms[:, 0, 0, 3] = [0, 1, 2]
        >>> rig = sinew.Rig.from_arrays(np.eye(3), [[0, 1, 2]], np.ones((3, 1)), transforms)
        >>> rig.animation()
        <sinew_rig.Animation: 3 frames of 3 vertices, 1 face, 24 fps>
        """
        return Animation._of(self._held.animation())

    def save(self, path: _Path, *, compact: Optional[float] = None) -> int:
        """Writes it to a file of any format that holds rigs: GLB, glTF, FBX, USD, ``.sinew``.

        ``compact`` stores less in GLB files, with no vertex off by more than this many percent of the mesh's diagonal.
        Returns the size of the file in bytes. What the file cannot hold is warned of.

        >>> import numpy as np, sinew_rig as sinew
        >>> transforms = np.tile(np.eye(4), (3, 1, 1, 1))
        >>> transforms[:, 0, 0, 3] = [0, 1, 2]
        >>> rig = sinew.Rig.from_arrays(np.eye(3), [[0, 1, 2]], np.ones((3, 1)), transforms)
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "rig.fbx")
        ...     rig.save(path) == os.path.getsize(path)
        True
        """
        size, said = self._held.save(path, compact)
        warn(said)
        return size

    def to_bytes(self, format: str = "glb", *, name: str = "rig", compact: Optional[float] = None) -> bytes:
        """The bytes of a file: ``"glb"``, ``"fbx"``, ``"usda"``, ``"usdz"``, ``"sinew"``.

        ``name`` is that of the file without its ending, which some formats state inside.

        >>> import numpy as np, sinew_rig as sinew
        >>> transforms = np.tile(np.eye(4), (3, 1, 1, 1))
        >>> transforms[:, 0, 0, 3] = [0, 1, 2]
        >>> rig = sinew.Rig.from_arrays(np.eye(3), [[0, 1, 2]], np.ones((3, 1)), transforms)
        >>> rig.to_bytes("glb")[:4]
        b'glTF'
        """
        content, said = self._held.to_bytes(f"{name}.{format.lstrip('.')}", compact)
        warn(said)
        return content

    def picture(self, frame: int = 0, *, width: int = 900, height: int = 600) -> bytes:
        """A picture of a frame in the colours of its bones, as the bytes of a PNG file.

        >>> import numpy as np, sinew_rig as sinew
        >>> transforms = np.tile(np.eye(4), (3, 1, 1, 1))
        >>> transforms[:, 0, 0, 3] = [0, 1, 2]
        >>> rig = sinew.Rig.from_arrays(np.eye(3), [[0, 1, 2]], np.ones((3, 1)), transforms)
        >>> rig.picture(1, width=60, height=40)[1:4]
        b'PNG'
        """
        return self._held.picture(frame, width, height)

    def _repr_png_(self) -> bytes:
        return self.picture(self.frame_count // 2, width=600, height=400)

    def __reduce__(self) -> Tuple[Any, ...]:
        # The bytes of a file in which every number keeps its precision: for copies, and for other processes.
        return _of_bytes, (self.to_bytes("sinew"), self.report)

    def __repr__(self) -> str:
        bones = counted(self.bone_count, "bone", "bones")
        frames = counted(self.frame_count, "frame", "frames")
        vertices = counted(self.vertex_count, "vertex", "vertices")
        tree = ", skeleton" if self.has_skeleton else ""
        error = "" if np.isnan(self.error) else f", error {self.error:.3g} %"
        return f"<sinew_rig.Rig: {bones}{tree}, {frames} of {vertices}, {self.fps:g} fps{error}>"


def _of_bytes(content: bytes, report: Dict[str, Any]) -> Rig:
    with tempfile.TemporaryDirectory(prefix="sinew-") as folder:
        path = os.path.join(folder, "rig.sinew")
        with open(path, "wb") as out:
            out.write(content)
        held, _ = _sinew.open_rig(path, ["all"], None)
    return Rig._of(held, report)
