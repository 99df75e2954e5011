# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's space, where z is up, and Sinew's, where y is."""

import numpy as np

#: Takes a point of Blender's to Sinew's: (x, y, z) becomes (x, z, -y).
TO_SINEW = np.array([[1, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]], np.float64)
TO_BLENDER = TO_SINEW.T


def double(matrix):
    """A matrix of Blender in double precision: NumPy takes it as single since Blender 5.0, and Blender's own arithmetic is."""
    return np.array(matrix, np.float64)


def to_sinew(points):
    """Points with y up."""
    return np.stack([points[..., 0], points[..., 2], -points[..., 1]], -1)


def to_blender(points):
    """Points with z up."""
    return np.stack([points[..., 0], -points[..., 2], points[..., 1]], -1)


def turns_to_blender(turns):
    """Quaternions x, y, z, w with y up as Blender's w, x, y, z."""
    axis = to_blender(turns[..., :3])
    return np.concatenate([turns[..., 3:], axis], -1)


def scales_to_blender(scales):
    """Scales along the axes."""
    return scales[..., [0, 2, 1]]


def quaternions(matrices):
    """Quaternions w, x, y, z of rotation matrices, which go on along the first axis."""
    m = np.asarray(matrices)[..., :3, :3]
    trace = np.trace(m, axis1=-2, axis2=-1)
    # Of the four ways to take one, that of the largest number.
    d = np.stack([trace, m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]], -1)
    squares = np.stack([1 + trace, *(1 - trace + 2 * m[..., i, i] for i in range(3))], -1)
    largest = d.argmax(-1)
    a = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    s = {(i, j): m[..., i, j] + m[..., j, i] for i in range(3) for j in range(i)}
    ways = [
        np.stack([squares[..., 0], *a], -1),
        np.stack([a[0], squares[..., 1], s[1, 0], s[2, 0]], -1),
        np.stack([a[1], s[1, 0], squares[..., 2], s[2, 1]], -1),
        np.stack([a[2], s[2, 0], s[2, 1], squares[..., 3]], -1),
    ]
    out = np.choose(largest[..., None], ways)
    out /= np.linalg.norm(out, axis=-1, keepdims=True)
    for frame in range(1, len(out)):
        out[frame][(out[frame] * out[frame - 1]).sum(-1) < 0] *= -1
    return out
