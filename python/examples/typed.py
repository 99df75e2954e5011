"""Options, errors and reports, as type checkers see them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

import sinew_rig as sinew


def best_of(positions: npt.NDArray[np.float32], faces: npt.NDArray[np.int64], most: float) -> sinew.Rig:
    """The smallest rig within an error in percent, or else the best of 40 bones."""
    animation = sinew.Animation(positions, faces, fps=30)
    try:
        return sinew.skin(animation, goal={"error": most}, influences=4, progress=told)
    except sinew.SinewError as error:
        print(error.kind, error.frame, error.vertex, error)
        options: sinew.SkinOptions = {"bones": 40, "kind": "flexible"}
        return sinew.skin(animation, **options)


def told(stage: str, share: float) -> None:
    """Says how far the work is."""
    print(f"{stage}: {100 * share:.0f} %")


def main() -> None:
    """Skins a sheet, and plays it back."""
    flat = np.stack(np.meshgrid(np.arange(9.0), np.arange(9.0)), -1).reshape(-1, 2)
    wave = np.sin(flat[None, :, :1] / 2 + np.arange(16)[:, None, None] / 3)
    positions = np.concatenate([np.broadcast_to(flat, (16, 81, 2)), wave], -1).astype(np.float32)
    corner = (np.arange(8)[:, None] * 9 + np.arange(8)).ravel()
    rig = best_of(positions, np.stack([corner, corner + 1, corner + 10, corner + 9], -1), 3.0)
    size: int = rig.save(Path("sheet.glb"), compact=0.05)
    out: npt.NDArray[np.float32] = rig.bake(np.empty((16, 81, 3), np.float32))
    error: float = sinew.compare(sinew.Animation(positions, rig.faces), rig)["error"]["percent"]
    print(rig.names[0], size, out.shape, f"{error:.2f} %")


if __name__ == "__main__":
    main()
