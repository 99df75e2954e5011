"""Things that several tests need."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import sinew_rig as sinew


def sheet(side: int = 14) -> "tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]":
    """A flat grid, x and y from 0 to 1, and its quads."""
    x, y = np.meshgrid(np.linspace(0, 1, side), np.linspace(0, 1, side))
    corner = (np.arange(side - 1)[:, None] * side + np.arange(side - 1)).ravel()
    quads = np.stack([corner, corner + 1, corner + side + 1, corner + side], -1)
    return np.stack([x, y, np.zeros_like(x)], -1).reshape(-1, 3), quads


def waves(frames: int = 24, side: int = 14) -> "tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]":
    """A sheet that waves."""
    flat, quads = sheet(side)
    positions = np.repeat(flat[None], frames, axis=0)
    time = np.arange(frames)[:, None]
    positions[:, :, 2] = 0.2 * np.sin(5 * flat[:, 0] + time / 4) + 0.1 * np.cos(4 * flat[:, 1] - time / 3)
    return positions.astype(np.float32), quads


@pytest.fixture
def cloth() -> sinew.Animation:
    """An animation of a waving sheet."""
    return sinew.Animation(*waves(), fps=30)


@pytest.fixture
def rig(cloth: sinew.Animation) -> sinew.Rig:
    """A rig of it."""
    return sinew.skin(cloth, bones=6)


@pytest.fixture
def arm() -> sinew.Rig:
    """A tube of two joints that bends."""
    around, along = np.meshgrid(np.linspace(0, 2 * np.pi, 9)[:-1], np.linspace(0, 4, 17))
    rest = np.stack([along, np.cos(around) / 3, np.sin(around) / 3], -1).reshape(-1, 3)
    ring = np.arange(16)[:, None] * 8
    side = np.arange(8)
    quads = np.stack([ring + side, ring + (side + 1) % 8, ring + 8 + (side + 1) % 8, ring + 8 + side], -1)
    upper = np.clip(2.5 - rest[:, 0], 0, 1)
    transforms = np.tile(np.eye(4), (12, 2, 1, 1))
    for frame in range(12):
        turn = np.radians(7 * frame)
        matrix: Any = np.eye(4)
        matrix[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
        to, back = np.eye(4), np.eye(4)
        to[0, 3], back[0, 3] = -2, 2
        transforms[frame, 1] = back @ matrix @ to
    return sinew.Rig.from_arrays(
        rest,
        quads.reshape(-1, 4),
        np.stack([upper, 1 - upper], -1),
        transforms,
        names=["upper", "lower"],
        parents=[-1, 0],
        centers=[[0, 0, 0], [2, 0, 0]],
    )
