"""Sinew: turns mesh animations into skinned rigs.

>>> import numpy as np
>>> import sinew_rig as sinew
>>> x, y = np.meshgrid(np.linspace(0, 1, 12), np.linspace(0, 1, 12))
>>> frames = [np.stack([x, y, 0.2 * np.sin(5 * x + t / 4)], -1).reshape(-1, 3) for t in range(20)]
>>> corner = (np.arange(11)[:, None] * 12 + np.arange(11)).ravel()
>>> animation = sinew.Animation(np.array(frames, np.float32), np.stack([corner, corner + 1, corner + 13, corner + 12], -1))
>>> rig = sinew.skin(animation, bones=6)
>>> rig.save("cloth.glb")  # doctest: +SKIP

An :class:`Animation` is a mesh and its poses, a :class:`Rig` a mesh and its bones. Functions are named as the jobs of the
command ``sinew``, and their keywords as the fields of those.
"""

from __future__ import annotations

from ._animation import Animation, Clip
from ._arrays import Material
from ._errors import AnimationError, FileError, OptionError, SinewError, SinewWarning
from ._jobs import (
    Levels,
    bake,
    compare,
    creature,
    deform,
    edit,
    lod,
    open,
    open_rig,
    run,
    schema,
    skeleton,
    skin,
    transplant,
)
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
from ._progress import Progress
from ._rig import JointFrames, Rig
from ._sinew import __version__

__all__ = [
    "Animation",
    "AnimationError",
    "Clip",
    "CompareOptions",
    "DeformOptions",
    "EditOptions",
    "FileError",
    "JointFrames",
    "Levels",
    "LodOptions",
    "Material",
    "OpenOptions",
    "OptionError",
    "Progress",
    "Rig",
    "SinewError",
    "SinewWarning",
    "SkeletonOptions",
    "SkinOptions",
    "TransplantOptions",
    "__version__",
    "bake",
    "compare",
    "creature",
    "deform",
    "edit",
    "lod",
    "open",
    "open_rig",
    "run",
    "schema",
    "skeleton",
    "skin",
    "transplant",
]
