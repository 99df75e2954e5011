"""Why there is no result: exceptions with fields."""

from __future__ import annotations

from typing import Optional


class SinewError(Exception):
    """Why there is no result. Its text is a sentence without its full stop.

    >>> import numpy as np, sinew_rig as sinew
    >>> positions = np.zeros((2, 3, 3), np.float32)
    >>> positions[:, 1, 0] = positions[:, 2, 1] = 1
    >>> positions[1, 2, 0] = np.nan
    >>> try:
    ...     sinew.skin(sinew.Animation(positions, [[0, 1, 2]]))
    ... except sinew.SinewError as error:
    ...     print(error, (error.kind, error.frame, error.vertex))
    animation: frame 1, vertex 2: the position is not a finite number ('animation', 1, 2)
    """

    #: What it is about: "file", "animation", "options", "work" or "cancelled".
    kind: str
    #: The file, if it is about one.
    file: Optional[str]
    #: The frame, counted from 0.
    frame: Optional[int]
    #: The vertex, counted from 0.
    vertex: Optional[int]
    #: The option, by its name as a keyword.
    field: Optional[str]

    def __init__(
        self,
        sentence: str,
        *,
        kind: str = "work",
        file: Optional[str] = None,
        frame: Optional[int] = None,
        vertex: Optional[int] = None,
        field: Optional[str] = None,
    ) -> None:
        super().__init__(sentence)
        self.kind = kind
        self.file = file
        self.frame = frame
        self.vertex = vertex
        self.field = field


class FileError(SinewError):
    """A file cannot be read or written."""


class AnimationError(SinewError, ValueError):
    """Positions, faces or weights that cannot be used."""


class OptionError(SinewError, ValueError):
    """What was asked for cannot be, or does not go together."""


class SinewWarning(UserWarning):
    """What somebody should know about a result."""


_CLASSES = {"file": FileError, "animation": AnimationError, "options": OptionError}


def make(
    sentence: str,
    kind: str,
    file: Optional[str],
    frame: Optional[int],
    vertex: Optional[int],
    field: Optional[str],
) -> SinewError:
    """The exception of its kind; the extension module calls it."""
    made = _CLASSES.get(kind, SinewError)
    return made(sentence, kind=kind, file=file, frame=frame, vertex=vertex, field=field)
