"""Animations: one mesh, many poses."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any, List, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _sinew
from ._arrays import Faces, Material, all_one, faces_of, floats, look_of, same_faces
from ._errors import AnimationError, SinewWarning
from ._progress import Progress, listening


class Clip(NamedTuple):
    """One of several motions: frames ``start`` to ``end``, without the last."""

    name: str
    start: int
    end: int
    fps: float


class Animation:
    """A mesh that moves: positions of every vertex in every frame, and the faces between the vertices.

    ``positions`` is ``[frames, vertices, 3]``. A float32 array whose numbers lie one after the other (C-contiguous) is
    borrowed, not copied, however large, memory-mapped files too; so is what comes through DLPack or the buffer protocol,
    such as tensors on the CPU. Other arrays are converted, which copies them. Do not write into it while a call works.

    ``faces`` is ``[faces, corners]``, or a list of faces of any number of corners. ``rest`` is the pose ``[vertices, 3]``
    that the mesh was modelled in, if that is none of the frames. Up is y. ``metres_per_unit`` says how long a unit is, where
    somebody knows. ``uvs`` ``[corners, 2]`` are texture coordinates of every corner, face after face, from the upper left.
    ``face_materials`` is the number among ``materials`` of every face; without, all faces have the first.

    >>> import numpy as np, sinew_rig as sinew
    >>> positions = np.random.default_rng(0).normal(size=(24, 4, 3)).astype(np.float32)
    >>> animation = sinew.Animation(positions, [[0, 1, 2], [0, 2, 3]], fps=30)
    >>> animation
    <sinew_rig.Animation: 24 frames of 4 vertices, 2 faces, 30 fps>
    >>> np.shares_memory(animation.positions, positions)
    True
    """

    _held: _sinew.Animation

    def __init__(
        self,
        positions: Any,
        faces: Faces,
        rest: Optional[Any] = None,
        fps: float = 24.0,
        *,
        uvs: Optional[Any] = None,
        materials: Sequence[Material] = (),
        face_materials: Optional[Any] = None,
        metres_per_unit: Optional[float] = None,
        name: str = "animation",
    ) -> None:
        starts, corners = faces_of(faces)
        borrowed = floats("positions", positions, 3)
        if len(borrowed) == 0:
            raise AnimationError("there are no frames", kind="animation")
        check_numbers(fps, metres_per_unit)
        self._held = _sinew.Animation(
            borrowed,
            starts,
            corners,
            look_of(uvs, materials, all_one(materials, face_materials, starts)),
            None if rest is None else floats("rest", rest, 2),
            fps,
            metres_per_unit,
            name,
        )

    @classmethod
    def _of(cls, held: _sinew.Animation) -> "Animation":
        made = cls.__new__(cls)
        made._held = held
        return made

    @property
    def positions(self) -> npt.NDArray[np.float32]:
        """Positions ``[frames, vertices, 3]``: a view, to be read only."""
        return self._held.positions

    @property
    def rest(self) -> Optional[npt.NDArray[np.float32]]:
        """The pose ``[vertices, 3]`` that came with the mesh, if any."""
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
    def fps(self) -> float:
        """Frames per second; with clips, of the first."""
        return self._held.fps

    @property
    def clips(self) -> List[Clip]:
        """Which frames are of which motion; empty where all are one."""
        return [Clip(*clip) for clip in self._held.clips]

    @property
    def source(self) -> str:
        """What it was read from, in a few words."""
        return self._held.source

    @property
    def metres_per_unit(self) -> Optional[float]:
        """How many metres a unit is, where that is known."""
        return self._held.metres_per_unit

    @property
    def frame_count(self) -> int:
        """How many frames there are."""
        return int(self.positions.shape[0])

    @property
    def vertex_count(self) -> int:
        """How many vertices there are."""
        return int(self.positions.shape[1])

    def save(self, path: Union[str, "os.PathLike[str]"], *, progress: Progress = None) -> int:
        """Writes the poses to a file of any format that holds some, or one mesh a frame to a folder (``"frames/"``).

        Returns the size of the file in bytes.

        >>> import numpy as np, sinew_rig as sinew, tempfile, os
        >>> animation = sinew.Animation(np.eye(3, dtype=np.float32)[None], [[0, 1, 2]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     size = animation.save(os.path.join(folder, "still.npz"))
        ...     sinew.open(os.path.join(folder, "still.npz")).frame_count
        1
        """
        with listening(progress) as listener:
            size, said = self._held.save(path, listener)
        warn(said)
        return size

    def picture(self, frame: int = 0, *, width: int = 900, height: int = 600) -> bytes:
        """A picture of a frame, as the bytes of a PNG file.

        >>> import numpy as np, sinew_rig as sinew
        >>> sinew.Animation(np.eye(3, dtype=np.float32)[None], [[0, 1, 2]]).picture(width=60, height=40)[1:4]
        b'PNG'
        """
        return self._held.picture(frame, width, height)

    def _repr_png_(self) -> bytes:
        return self.picture(self.frame_count // 2, width=600, height=400)

    def __repr__(self) -> str:
        faces = counted(len(self.face_starts) - 1, "face", "faces")
        frames = counted(self.frame_count, "frame", "frames")
        vertices = counted(self.vertex_count, "vertex", "vertices")
        return f"<sinew_rig.Animation: {frames} of {vertices}, {faces}, {self.fps:g} fps>"


def check_numbers(fps: float, metres_per_unit: Optional[float]) -> None:
    """Checks what an animation says of its rate and size."""
    if not 0 < fps < float("inf"):
        raise AnimationError(f"the frame rate is a positive number, not {fps}", kind="animation", field="fps")
    if metres_per_unit is not None and not 0 < metres_per_unit < float("inf"):
        sentence = f"a unit is a positive number of metres, not {metres_per_unit}"
        raise AnimationError(sentence, kind="animation", field="metres_per_unit")


def counted(count: int, one: str, many: str) -> str:
    """A number of things."""
    return f"{count} {one if count == 1 else many}"


def warn(sentences: List[str]) -> None:
    """Says what somebody should know, at the line of theirs that called."""
    here = os.path.dirname(__file__)
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == here:
        frame, level = frame.f_back, level + 1
    for sentence in sentences:
        warnings.warn(sentence, SinewWarning, stacklevel=level)
