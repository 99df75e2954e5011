"""Arrays of all kinds as those that the extension module takes."""

from __future__ import annotations

from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._errors import AnimationError

#: Faces: an array of triangles or quads, or a list of faces of any number of corners.
Faces = Union[npt.ArrayLike, Sequence[Sequence[int]]]


def array_of(given: Any) -> npt.NDArray[Any]:
    """An array over the same memory where that can be: of tensors on the CPU by DLPack, of others by the buffer protocol."""
    tensor = not isinstance(given, np.ndarray) and hasattr(given, "__dlpack__")
    try:
        # Tensors that gradients flow through have to be cut off first.
        given = given.detach() if tensor and hasattr(given, "detach") else given
        if tensor and hasattr(np, "from_dlpack"):
            try:
                return np.asarray(np.from_dlpack(given))
            except (BufferError, RuntimeError, TypeError):
                # Older NumPy takes nothing that is read-only by DLPack.
                if not hasattr(given, "__array__"):
                    raise
        return np.asarray(given)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        why = "has to be brought to the memory of the CPU first" if tensor else "is no array of numbers"
        raise AnimationError(f"what was given {why}: {error}", kind="animation") from error


def floats(what: str, given: Any, dimensions: int) -> npt.NDArray[np.float32]:
    """Numbers as they are borrowed: 32-bit floats, one after the other. Only others are copied."""
    array = array_of(given)
    if array.ndim != dimensions:
        raise AnimationError(f"{what} has {array.ndim} dimensions where {dimensions} belong", kind="animation")
    if array.dtype.kind not in "fiub":
        raise AnimationError(f"{what} holds no numbers but {array.dtype}", kind="animation")
    return np.require(array, np.float32, ["C", "A"])


def faces_of(faces: Faces) -> Tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
    """Where the corners of each face start, with an end, and the corners."""
    if isinstance(faces, (list, tuple)) and len({len(face) for face in faces}) > 1:
        starts = np.cumsum([0] + [len(face) for face in faces])
        return starts.astype(np.uint32), _vertices(np.concatenate([np.asarray(face) for face in faces]))
    array = array_of(faces)
    if array.ndim != 2 or array.dtype.kind not in "iu":
        raise AnimationError("faces are rows of vertex numbers", kind="animation")
    count, corners = array.shape
    return (corners * np.arange(count + 1)).astype(np.uint32), _vertices(array.ravel())


class Material(NamedTuple):
    """How faces look: linear red, green, blue and opacity, how metallic and how rough they are, all 0 to 1."""

    name: str = "material"
    base_color: Tuple[float, float, float, float] = (1.0, 1.0, 1.0, 1.0)
    metallic: float = 0.0
    roughness: float = 0.8


#: How a mesh looks, as the extension module takes it.
Look = Tuple[
    Optional[npt.NDArray[np.float32]],
    Optional[npt.NDArray[np.uint32]],
    List[Tuple[str, Tuple[float, float, float, float], float, float]],
]


def all_one(materials: Sequence[Material], given: Any, starts: npt.NDArray[np.uint32]) -> Any:
    """The material of each face: the first, where nothing is said."""
    return np.zeros(len(starts) - 1, np.uint32) if given is None and materials else given


def look_of(uvs: Any, materials: Sequence[Material], face_materials: Any) -> Look:
    """Texture coordinates, materials, and which face has which."""
    made = [(m.name, m.base_color, float(m.metallic), float(m.roughness)) for m in materials]
    which = None if face_materials is None else _vertices(array_of(face_materials))
    return None if uvs is None else floats("uvs", uvs, 2), which, made


def _vertices(corners: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    if corners.size and int(corners.min()) < 0:
        raise AnimationError("a face names a vertex below 0", kind="animation")
    if corners.size and int(corners.max()) >= 2**32:
        raise AnimationError(f"a face names vertex {int(corners.max())}", kind="animation")
    return np.ascontiguousarray(corners, dtype=np.uint32)


def same_faces(starts: npt.NDArray[np.uint32], corners: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Faces as rows, where all have as many corners."""
    sizes = np.unique(np.diff(starts))
    if len(sizes) > 1:
        raise ValueError("faces have different numbers of corners: use face_starts and corners")
    return corners.reshape(-1, int(sizes[0]) if len(sizes) else 3)
