"""Jobs: what can be asked for. Keywords are the fields of the job structs of Sinew, by their own names.

``sinew run --schema skin`` prints the fields of a job, and every command its own job with ``--print-job``.
"""

from __future__ import annotations

import difflib
import io
import json
import os
import tempfile
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from . import _sinew
from ._animation import Animation, warn
from ._errors import FileError, OptionError
from ._progress import Progress, listening
from ._rig import Rig

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import (
        CompareOptions,
        DeformOptions,
        EditOptions,
        LodOptions,
        OpenOptions,
        SkeletonOptions,
        SkinOptions,
        TransplantOptions,
    )

_Path = Union[str, "os.PathLike[str]"]


@lru_cache(maxsize=None)
def schema(job: str) -> Dict[str, Any]:
    """The JSON schema of a job.

    >>> import sinew_rig as sinew
    >>> sinew.schema("skin")["properties"]["output"]["description"]
    'The rig: a file of any format that holds one.'
    """
    read: Dict[str, Any] = json.loads(_sinew.schema(job))
    return read


@lru_cache(maxsize=None)
def _places(job: str) -> Dict[str, Tuple[str, ...]]:
    """Where in a job each keyword belongs. What a field holds may be named beside it: ``bones`` is ``fit.bones``."""
    whole = schema(job)
    places: Dict[str, Tuple[str, ...]] = {}
    for field, about in whole["properties"].items():
        inner = whole.get("$defs", {}).get(str(about.get("$ref", "")).rpartition("/")[2], {})
        for kind in [inner, *inner.get("oneOf", [])]:
            for name in kind.get("properties", {}):
                places.setdefault(name, (field, name))
    places.update({field: (field,) for field in whole["properties"]})
    del places["job"]
    return places


class _Files:
    """Rigs and shapes in memory where a job names a file: they go through files in a folder of their own, which is made when
    the first is."""

    def __init__(self, stack: ExitStack) -> None:
        self.stack = stack

    def new(self, ending: str) -> str:
        # All have the same name, as some formats state it inside.
        folder = self.stack.enter_context(tempfile.TemporaryDirectory(prefix="sinew-"))
        return os.path.join(folder, f"rig.{ending}")

    def plain(self, value: Any, rig: Optional[Rig] = None) -> Any:
        """A value as JSON holds it. ``rig`` is whose faces a shape has."""
        if isinstance(value, Rig):
            path = self.new("sinew")
            value.save(path)
            return path
        if isinstance(value, Animation):
            raise OptionError("an animation in memory cannot be given here; save it to a file", kind="options")
        if isinstance(value, np.ndarray) and value.ndim == 2 and value.shape[1] == 3 and rig is not None:
            path = self.new("obj")
            _write_shape(path, value, rig)
            return path
        if isinstance(value, (np.ndarray, np.generic)):
            return value.tolist()
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        if isinstance(value, Mapping):
            return {key: self.plain(inner, rig) for key, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return [self.plain(inner, rig) for inner in value]
        return value


@contextmanager
def _files() -> Iterator[_Files]:
    with ExitStack() as stack:
        yield _Files(stack)


def _write_shape(path: str, positions: npt.NDArray[Any], rig: Rig) -> None:
    faces = np.split(rig.corners.astype(int) + 1, rig.face_starts[1:-1])
    with io.open(path, "w") as out:
        out.writelines("v {!r} {!r} {!r}\n".format(*point) for point in positions.astype(np.float32).tolist())
        out.writelines("f " + " ".join(map(str, face.tolist())) + "\n" for face in faces)


def _fields(job: str, options: Mapping[str, Any], files: _Files, rig: Optional[Rig] = None) -> Dict[str, Any]:
    """The job that keywords ask for."""
    places = _places(job)
    fields: Dict[str, Any] = {}
    for name, value in options.items():
        if name not in places:
            like = difflib.get_close_matches(name, places, 1)
            hint = f"; {like[0]} is spelled most like it" if like else ""
            raise OptionError(f"{job} has no option {name}{hint}", kind="options", field=name)
        if value is None:
            continue
        inside = fields
        for part in places[name][:-1]:
            inside = inside.setdefault(part, {})
        inside[places[name][-1]] = files.plain(value, rig)
    return fields


def _told(report: str, also: Sequence[str] = ()) -> Dict[str, Any]:
    """A report, with a warning for each of its warnings."""
    read: Dict[str, Any] = json.loads(report)
    warn([*also, *(str(sentence) for sentence in read.get("warnings", []))])
    return read


def _run(job: str, fields: Mapping[str, Any], progress: Progress) -> Dict[str, Any]:
    with listening(progress) as listener:
        return _told(_sinew.run(json.dumps({"job": job, **fields}), listener))


def run(job: Mapping[str, Any], *, progress: Progress = None) -> Dict[str, Any]:
    """Runs any job on files, and returns its report. A rig in memory may stand where the job names a file to be read.

    >>> import sinew_rig as sinew, numpy as np
    >>> rest = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    >>> transforms = np.tile(np.eye(4), (2, 1, 1, 1))
    >>> transforms[1, 0, 0, 3] = 2
    >>> rig = sinew.Rig.from_arrays(rest, [[0, 1, 2]], np.ones((3, 1)), transforms)
    >>> sinew.run({"job": "info", "file": rig})["bones"]
    1
    """
    with _files() as files:
        fields = files.plain(job)
        name = fields.pop("job", None)
        if name not in _sinew.JOBS:
            raise OptionError(f"a job says which it is: \"job\" is one of {', '.join(_sinew.JOBS)}", kind="options")
        return _run(name, fields, progress)


def open(inputs: Union[_Path, Sequence[_Path]], *, progress: Progress = None, **options: Unpack[OpenOptions]) -> Animation:
    """Opens an animation: a file of any format that Sinew reads, a folder or pattern of meshes, or several files, which are
    clips of one mesh. Rigs are played.

    >>> import os, tempfile, numpy as np, sinew_rig as sinew
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "still.npz")
    ...     np.savez(path, vertices=np.eye(3, dtype=np.float32)[None], faces=[[0, 1, 2]])
    ...     sinew.open(path, fps=30)
    <sinew_rig.Animation: 1 frame of 3 vertices, 1 face, 30 fps>
    """
    several = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    with _files() as files:
        fields = _fields("skin", {"inputs": several, **options}, files)
        beside = [field for field in fields if field != "source"]
        if beside:
            raise OptionError("these say how a rig is fitted, not how files are opened", kind="options")
        with listening(progress) as listener:
            held = _sinew.open(json.dumps(fields["source"]), listener)
    warn(held.warnings)
    return Animation._of(held)


def open_rig(
    path: _Path, *, clips: Union[str, Sequence[str]] = "all", fps: Optional[float] = None, progress: Progress = None
) -> Rig:
    """Opens a file that holds a rig: GLB, glTF, FBX, USD, ``.sinew``.

    ``clips`` are names or numbers, or "all"; ``fps`` is the rate at which motion is sampled that has none of its own.

    >>> import os, tempfile, numpy as np, sinew_rig as sinew
    >>> rig = sinew.Rig.from_arrays(np.eye(3), [[0, 1, 2]], np.ones((3, 1)), np.tile(np.eye(4), (5, 1, 1, 1)))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "rig.glb")
    ...     size = rig.save(path)
    ...     sinew.open_rig(path)
    <sinew_rig.Rig: 1 bone, 5 frames of 3 vertices, 24 fps>
    """
    with listening(progress) as listener:
        wanted = [clips] if isinstance(clips, str) else list(clips)
        held, said = _sinew.open_rig(path, wanted, fps, listener)
    warn(said)
    return Rig._of(held, {})


def creature(frames: int = 48, *, fps: float = 24.0, detail: float = 1.0, progress: Progress = None) -> Animation:
    """Grows a young long-necked creature that walks in place: something to try things on.

    ``detail`` is 0.6 to 8; 1 gives about 6000 vertices, 2 four times as many.

    >>> import sinew_rig as sinew
    >>> sinew.creature(12, detail=0.6).frame_count
    12
    """
    with listening(progress) as listener:
        return Animation._of(_sinew.creature(frames, fps, detail, listener))


def _opened(animation: Union[Animation, _Path], job: str, options: Dict[str, Any]) -> Animation:
    """An animation, opened with those of the options that are about files, which are taken out."""
    if isinstance(animation, Animation):
        return animation
    about = {name: options.pop(name) for name in list(options) if _places(job).get(name, ("",))[0] == "source"}
    return open(animation, **about)


def skin(animation: Union[Animation, _Path], *, progress: Progress = None, **options: Unpack[SkinOptions]) -> Rig:
    """Turns an animation into a rig: finds bones, weights and, on request, corrections that replay it.

    Keywords are the fields of the job "skin": ``bones``, ``kind`` ("rigid" or "flexible"), ``influences``, ``rank``, ``goal``
    (``{"error": 1.0}`` or ``{"bytes": 100_000}``), ``output`` and so on; none has to be given.

    >>> import numpy as np, sinew_rig as sinew
    >>> x, y = np.meshgrid(np.linspace(0, 1, 12), np.linspace(0, 1, 12))
    >>> frames = [np.stack([x, y, 0.2 * np.sin(5 * x + t / 4)], -1).reshape(-1, 3) for t in range(20)]
    >>> corner = (np.arange(11)[:, None] * 12 + np.arange(11)).ravel()
    >>> quads = np.stack([corner, corner + 1, corner + 13, corner + 12], -1)
    >>> rig = sinew.skin(sinew.Animation(np.array(frames, np.float32), quads), bones=6)
    >>> rig.bone_count, rig.frame_count, rig.error < 5
    (6, 20, True)
    >>> len(rig.to_bytes("glb")) < 30_000
    True
    """
    given: Dict[str, Any] = dict(options)
    with _files() as files:
        opened = _opened(animation, "skin", given)
        fields = _fields("skin", {"inputs": [], **given}, files)
        with listening(progress) as listener:
            held, report = _sinew.skin(opened._held, json.dumps(fields), listener)
    return Rig._of(held, _told(report))


def skeleton(
    animation: Union[Animation, _Path], *, progress: Progress = None, **options: Unpack[SkeletonOptions]
) -> Rig:
    """Turns an animation into a character: joints in a tree, their angles, and a skin.

    Keywords are the fields of the job "skeleton": ``joints``, ``influences``, ``angles``, ``weights`` and so on.

    >>> import sinew_rig as sinew
    >>> character = sinew.skeleton(sinew.creature(12, detail=0.6))
    >>> character.has_skeleton, int(character.parents[0]), character.error < 10
    (True, -1, True)
    """
    given: Dict[str, Any] = dict(options)
    with _files() as files:
        opened = _opened(animation, "skeleton", given)
        fields = _fields("skeleton", {"inputs": [], **given}, files)
        with listening(progress) as listener:
            held, report = _sinew.skeleton(opened._held, json.dumps(fields), listener)
    return Rig._of(held, _told(report))


def compare(
    original: Union[Animation, Rig, _Path],
    approximation: Union[Animation, Rig, _Path],
    *,
    progress: Progress = None,
    **options: Unpack[CompareOptions],
) -> Dict[str, Any]:
    """Measures how far two animations, or a rig and its source, are apart. Returns the report of the job "compare".

    >>> import numpy as np, sinew_rig as sinew
    >>> still = np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]] * 2, np.float32)
    >>> moved = still + np.float32([0, 0, 0.5])
    >>> a, b = (sinew.Animation(p, [[0, 1, 2]]) for p in (still, moved))
    >>> round(sinew.compare(a, b)["error"]["max"], 2)  # percent of the diagonal
    35.36
    """
    with _files() as files:
        sides: List[Union[Animation, _Path]] = []
        for side in (original, approximation):
            sides.append(side.animation() if isinstance(side, Rig) else side)
        given = {"original": "original", "approximation": "approximation", **options}
        if not any(isinstance(side, Animation) for side in sides):
            given.update(original=sides[0], approximation=sides[1])
            return _run("compare", _fields("compare", given, files), progress)
        fps = next(side.fps for side in sides if isinstance(side, Animation))
        a, b = (side if isinstance(side, Animation) else open(side, fps=fps) for side in sides)
        fields = json.dumps(_fields("compare", given, files))
        with listening(progress) as listener:
            return _told(_sinew.compare(a._held, b._held, fields, listener))


def transplant(
    source: Union[Rig, _Path], onto: Union[Rig, _Path], *, progress: Progress = None, **options: Unpack[TransplantOptions]
) -> Rig:
    """Moves the motion of ``source`` (BVH, AMC, or a rig) onto the rig ``onto``, and returns that.

    Keywords are the fields of the job "transplant". For ``suggest``, which writes a map and moves nothing, use
    :func:`run`.

    >>> import os, tempfile, sinew_rig as sinew
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     walk = os.path.join(folder, "walk.bvh")
    ...     character = sinew.skeleton(sinew.creature(12, detail=0.6), bvh=walk)
    ...     moved = sinew.transplant(walk, character)
    >>> moved.frame_count, moved.names == character.names
    (12, True)
    """
    if options.get("suggest"):
        raise OptionError('with suggest nothing is moved: use run({"job": "transplant", ...})', kind="options")
    return _remade("transplant", {"source": source, "onto": onto, **options}, None, progress)


def edit(rig: Union[Rig, _Path], *, progress: Progress = None, **options: Unpack[EditOptions]) -> Rig:
    """Changes a rig by hand, and returns the changed one: ``rotate`` turns a bone, ``pose`` sculpts a frame, ``rest`` the rest
    pose. A sculpted ``shape`` is a file, or positions ``[vertices, 3]``.

    >>> import numpy as np, sinew_rig as sinew
    >>> rest = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    >>> rig = sinew.Rig.from_arrays(rest, [[0, 1, 2]], np.ones((3, 1)), np.tile(np.eye(4), (2, 1, 1, 1)))
    >>> turned = sinew.edit(rig, rotate={"bone": "bone_0", "axis": [0, 0, 1], "angle": 90, "frame": 1})
    >>> bool(np.allclose(turned.transforms[1, 0, :3, :3], [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-6))
    True
    """
    known = rig if isinstance(rig, Rig) else open_rig(rig)
    return _remade("edit", {"rig": rig, **options}, known, progress)


def _remade(job: str, options: Dict[str, Any], rig: Optional[Rig], progress: Progress) -> Rig:
    """Runs a job that makes a rig, which is read back."""
    with _files() as files:
        fields = _fields(job, options, files, rig)
        output = fields.setdefault("output", files.new("sinew"))
        report = _run(job, fields, progress)
        return Rig._of(open_rig(output)._held, report)


class Levels:
    """Levels of detail of a rig: in one GLB file, or with fewer bones each a rig of its own."""

    #: The report of the job "lod": triangles, bones, error and bytes of each level.
    report: Dict[str, Any]
    #: The levels with fewer bones; empty where all are in one file.
    rigs: List[Rig]

    def __init__(self, content: bytes, report: Dict[str, Any], rigs: Sequence[Rig] = ()) -> None:
        self._content = content
        self.report = report
        self.rigs = list(rigs)

    def to_bytes(self) -> bytes:
        """The GLB file.

        >>> import sinew_rig as sinew
        >>> levels = sinew.lod(sinew.skin(sinew.creature(6, detail=0.6), bones=9), levels=[{"share": 0.5}])
        >>> levels.to_bytes()[:4]
        b'glTF'
        """
        if self.rigs:
            raise OptionError("levels of bones are rigs of their own: save each of rigs", kind="options")
        return self._content

    def save(self, path: _Path) -> int:
        """Writes the GLB file. Returns its size in bytes.

        >>> import sinew_rig as sinew
        >>> levels = sinew.lod(sinew.skin(sinew.creature(6, detail=0.6), bones=9), levels=[{"share": 0.5}])
        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     levels.save(os.path.join(folder, "creature.glb")) == len(levels.to_bytes())
        True
        """
        if Path(path).suffix.lower() != ".glb":
            raise FileError(f"{path}: levels of detail are written to GLB files", kind="file", file=str(path))
        try:
            return Path(path).write_bytes(self.to_bytes())
        except OSError as error:
            raise FileError(f"{path}: {error.strerror}", kind="file", file=str(path)) from error

    def __repr__(self) -> str:
        what = "bones" if self.rigs else "triangles"
        return f"<sinew_rig.Levels: {', '.join(str(level[what]) for level in self.report['levels'])} {what}>"


def lod(rig: Union[Rig, _Path], *, progress: Progress = None, **options: Unpack[LodOptions]) -> Levels:
    """Simplifies a rig into levels of detail, all in one GLB file. Keywords are the fields of the job "lod", such as
    ``levels=[{"share": 0.5}, {"triangles": 500}]``. With ``bones=[30, 15]`` every level is a rig of its own.

    >>> import sinew_rig as sinew
    >>> rig = sinew.skin(sinew.creature(12, detail=0.6), bones=12)
    >>> fine, coarse = sinew.lod(rig, levels=[{"share": 0.5}]).report["levels"]
    >>> coarse["triangles"] <= 0.5 * fine["triangles"]
    True
    >>> [level.bone_count for level in sinew.lod(rig, bones=[6, 3]).rigs]
    [6, 3]
    """
    with _files() as files:
        fields = _fields("lod", {"rig": rig, **options}, files)
        if fields.get("bones"):
            if "output" not in fields:
                fields.update(output=os.path.dirname(files.new("sinew")), format="sinew")
            report = _run("lod", fields, progress)
            rigs = [Rig._of(open_rig(level["file"])._held, report) for level in report["levels"][1:]]
            return Levels(b"", report, rigs)
        output = fields.setdefault("output", files.new("glb"))
        report = _run("lod", fields, progress)
        return Levels(Path(output).read_bytes(), report)


def deform(*, progress: Progress = None, **options: Unpack[DeformOptions]) -> Dict[str, Any]:
    """Deforms a character by its skeleton: ``setup`` makes one ready, ``pose`` poses it, ``compare`` draws it beside blended
    bones. Each is a dictionary of the fields of that step; a rig in memory may be the ``body``. Returns the report.

    >>> import os, tempfile, sinew_rig as sinew
    >>> body = sinew.skeleton(sinew.creature(12, detail=0.6))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = sinew.deform(setup={"body": body, "output": os.path.join(folder, "creature.deform")})
    >>> report["vertices"] == body.vertex_count
    True
    """
    with _files() as files:
        return _run("deform", _fields("deform", options, files), progress)


def bake(
    rig: Union[Rig, _Path],
    out: Optional[npt.NDArray[np.float32]] = None,
    *,
    first: int = 0,
    frames: Optional[int] = None,
    blend: str = "linear",
    progress: Progress = None,
) -> npt.NDArray[np.float32]:
    """Plays a rig into an array: :meth:`Rig.bake`, of a file too.

    >>> import numpy as np, sinew_rig as sinew
    >>> rig = sinew.Rig.from_arrays(np.eye(3), [[0, 1, 2]], np.ones((3, 1)), np.tile(np.eye(4), (9, 1, 1, 1)))
    >>> sinew.bake(rig, first=2, frames=5).shape
    (5, 3, 3)
    """
    known = rig if isinstance(rig, Rig) else open_rig(rig)
    return known.bake(out, first=first, frames=frames, blend=blend, progress=progress)
