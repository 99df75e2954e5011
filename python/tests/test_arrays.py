"""Arrays in and out."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import sinew_rig as sinew
from conftest import sheet, waves


def test_positions_are_borrowed() -> None:
    positions, quads = waves()
    animation = sinew.Animation(positions, quads)
    assert np.shares_memory(animation.positions, positions)
    assert not animation.positions.flags.writeable
    # The animation keeps the array.
    expected = positions.copy()
    del positions
    assert np.array_equal(animation.positions, expected)


def test_mapped_files_are_borrowed(tmp_path: Path) -> None:
    positions, quads = waves()
    np.save(tmp_path / "cloth.npy", positions)
    mapped = np.load(tmp_path / "cloth.npy", mmap_mode="r")
    animation = sinew.Animation(mapped, quads)
    assert np.shares_memory(animation.positions, mapped)
    assert sinew.skin(animation, bones=5).bone_count == 5


def test_other_arrays_are_converted() -> None:
    positions, quads = waves()
    for other in (positions.astype(np.float64), np.asfortranarray(positions), positions[:, ::-1][:, ::-1], positions.tolist()):
        assert np.array_equal(sinew.Animation(other, quads).positions, positions)


class Tensor:
    """An array that speaks DLPack and nothing else."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __dlpack__(self, **how: object) -> object:
        return self.array.__dlpack__(**how)

    def __dlpack_device__(self) -> object:
        return self.array.__dlpack_device__()


@pytest.mark.skipif(not hasattr(np, "from_dlpack"), reason="NumPy knows no DLPack")
def test_tensors_are_borrowed() -> None:
    positions, quads = waves()
    assert np.shares_memory(sinew.Animation(Tensor(positions), quads).positions, positions)


def test_buffers_are_borrowed() -> None:
    positions, quads = waves()
    buffer = memoryview(positions)
    assert np.shares_memory(sinew.Animation(buffer, quads).positions, positions)


class Elsewhere:
    """A tensor in the memory of another device."""

    def __dlpack__(self, **how: object) -> object:
        raise BufferError("the memory is on a GPU")

    def __dlpack_device__(self) -> object:
        return (2, 0)


@pytest.mark.skipif(not hasattr(np, "from_dlpack"), reason="NumPy knows no DLPack")
def test_tensors_elsewhere_get_a_sentence() -> None:
    with pytest.raises(sinew.AnimationError, match="memory of the CPU"):
        sinew.Animation(Elsewhere(), [[0, 1, 2]])


def test_tensors_of_torch_are_borrowed() -> None:
    torch = pytest.importorskip("torch")
    positions, quads = waves()
    tensor = torch.from_numpy(positions)
    assert np.shares_memory(sinew.Animation(tensor, quads).positions, positions)
    tensor.requires_grad_()
    assert np.shares_memory(sinew.Animation(tensor, torch.from_numpy(quads)).positions, positions)
    with pytest.raises(sinew.AnimationError):
        sinew.Animation(tensor.to("meta"), quads)


def test_arrays_of_jax_are_borrowed() -> None:
    jax = pytest.importorskip("jax")
    positions, quads = waves()
    array = jax.numpy.asarray(positions)
    animation = sinew.Animation(array, quads)
    assert np.shares_memory(animation.positions, np.asarray(array)) and np.array_equal(animation.positions, positions)


def test_faces_of_any_size() -> None:
    flat, _ = sheet(3)
    faces = [[0, 1, 4, 3], [1, 2, 5], [3, 4, 7, 6]]
    animation = sinew.Animation(flat[None], faces)
    assert animation.face_starts.tolist() == [0, 4, 7, 11]
    assert animation.corners.tolist() == sum(faces, [])
    with pytest.raises(ValueError, match="different numbers of corners"):
        animation.faces
    assert sinew.Animation(flat[None], [[0, 1, 4]]).faces.tolist() == [[0, 1, 4]]


@pytest.mark.parametrize(
    ("positions", "faces", "said"),
    [
        (np.zeros((2, 3)), [[0, 1, 2]], "positions has 2 dimensions where 3 belong"),
        (np.zeros((2, 3, 2)), [[0, 1, 2]], "2 numbers a vertex where 3 belong"),
        (np.zeros((2, 3, 3)), [[0, 1, 3]], "vertex 3"),
        (np.zeros((2, 3, 3)), [[0, 1, -1]], "below 0"),
        (np.zeros((2, 3, 3)), [[0, 1]], "at least 3"),
        (np.array([[["a"] * 3]]), [[0, 1, 2]], "no numbers"),
        ([[[0, 1], [2]]], [[0, 1, 2]], "no array of numbers"),
    ],
)
def test_wrong_arrays_get_a_sentence(positions: np.ndarray, faces: list, said: str) -> None:
    with pytest.raises(sinew.SinewError, match=said):
        sinew.Animation(positions, faces)


def test_rigs_go_through_arrays(rig: sinew.Rig) -> None:
    again = sinew.Rig.from_arrays(
        rig.rest,
        rig.faces,
        rig.weights,
        rig.transforms,
        bones=rig.bones,
        names=rig.names,
        centers=rig.centers,
        fps=rig.fps,
    )
    assert np.allclose(again.bake(), rig.bake(), atol=1e-6)
    assert again.names == rig.names and again.fps == rig.fps == 30
    corrected = sinew.skin(rig.animation(), bones=2, rank=3)
    whole = sinew.Rig.from_arrays(
        corrected.rest,
        corrected.faces,
        corrected.weights,
        corrected.transforms,
        bones=corrected.bones,
        shapes=corrected.shapes,
        coefficients=corrected.coefficients,
    )
    assert len(corrected.shapes) == 3 and np.allclose(whole.bake(), corrected.bake(), atol=1e-6)
    dense = sinew.Rig.from_arrays(rig.rest, rig.faces, rig.dense_weights(), rig.transforms)
    assert np.allclose(dense.bake(), rig.bake(), atol=1e-6)


def test_looks_are_kept(tmp_path: Path) -> None:
    positions, quads = waves()
    uvs = sheet()[0][quads.ravel(), :2]
    materials = [sinew.Material("red", (1, 0, 0, 1)), sinew.Material("dull", roughness=1)]
    sides = np.arange(len(quads)) % 2
    animation = sinew.Animation(positions, quads, uvs=uvs, materials=materials, face_materials=sides)
    content = sinew.skin(animation, bones=4).to_bytes()
    assert b'"name":"red"' in content and b'"name":"dull"' in content and b"TEXCOORD_0" in content
    plain = sinew.Rig.from_arrays(positions[0], quads, np.ones((196, 1)), [[np.eye(4)]], uvs=uvs, materials=materials)
    content = plain.to_bytes()
    assert b'"name":"red"' in content and b"TEXCOORD_0" in content
    for wrong in ({"uvs": uvs[:-1]}, {"uvs": uvs[:, :1]}, {"materials": materials, "face_materials": sides + 1}):
        with pytest.raises(sinew.SinewError):
            sinew.Animation(positions, quads, **wrong)


def turned(quaternions: np.ndarray) -> np.ndarray:
    """Matrices of turns x, y, z, w."""
    x, y, z, w = np.moveaxis(quaternions, -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def test_joints_move_as_bones_do(rig: sinew.Rig) -> None:
    frames = rig.joint_frames()
    linear = turned(frames.rotations) * frames.scales[..., None, :] @ turned(frames.inner)
    assert np.allclose(linear, rig.transforms[..., :3, :3], atol=1e-5)
    centers = rig.centers.astype(np.float32).astype(np.float64)
    moved = np.einsum("fbij,bj->fbi", rig.transforms[..., :3, :3], centers) + rig.transforms[..., :3, 3]
    assert np.allclose(frames.translations, moved, atol=1e-5)
    # Turns go on from frame to frame.
    assert (np.sum(frames.rotations[1:] * frames.rotations[:-1], -1) > 0).all()


def test_rigs_go_to_other_processes(arm: sinew.Rig) -> None:
    again = pickle.loads(pickle.dumps(arm))
    assert np.array_equal(again.bake(), arm.bake()) and again.parents.tolist() == arm.parents.tolist()


def test_poses_follow_the_formula(arm: sinew.Rig) -> None:
    rest = np.concatenate([arm.rest, np.ones((arm.vertex_count, 1))], 1)
    blended = np.einsum("vk,fvkij->fvij", arm.weights, arm.transforms[:, arm.bones])
    expected = np.einsum("fvij,vj->fvi", blended, rest)[..., :3]
    assert np.allclose(arm.bake(), expected, atol=1e-5)
    assert arm.parents.tolist() == [-1, 0] and arm.has_skeleton


def test_poses_are_written_where_they_are_wanted(arm: sinew.Rig, tmp_path: Path) -> None:
    out = np.lib.format.open_memmap(
        str(tmp_path / "out.npy"), mode="w+", dtype=np.float32, shape=(5, arm.vertex_count, 3)
    )
    assert arm.bake(out, first=3) is out
    assert np.array_equal(out, arm.bake()[3:8])
    assert np.array_equal(arm.pose(4), out[1])
    with pytest.raises(sinew.OptionError):
        arm.bake(out, first=8)
    with pytest.raises(sinew.OptionError):
        arm.bake(np.zeros((1, 3, 3), np.float32))
    assert not np.allclose(arm.bake(blend="dual"), arm.bake(), atol=1e-3)


def test_wrong_rigs_get_a_sentence(arm: sinew.Rig) -> None:
    def made(**other: object) -> sinew.Rig:
        given = {"weights": arm.dense_weights(), "transforms": arm.transforms, **other}
        return sinew.Rig.from_arrays(arm.rest, arm.faces, **given)  # type: ignore[arg-type]

    assert made().bone_count == 2
    for wrong in (
        {"transforms": np.eye(4)},
        {"transforms": np.zeros((1, 2, 3, 4))},
        {"weights": np.full((arm.vertex_count, 2), np.nan)},
        {"names": ["one"]},
        {"parents": [1, -1]},
        {"bones": np.full((arm.vertex_count, 2), 7)},
        {"shapes": np.zeros((1, arm.vertex_count, 3))},
        {"shapes": np.zeros((1, 5, 3)), "coefficients": np.zeros((12, 1))},
        {"shapes": np.zeros((1, arm.vertex_count, 3)), "coefficients": np.zeros((3, 1))},
    ):
        with pytest.raises(sinew.SinewError):
            made(**wrong)


def test_pictures_are_png(arm: sinew.Rig, cloth: sinew.Animation) -> None:
    for picture in (arm.picture(3, width=60, height=40), cloth.picture(3, width=60, height=40), arm._repr_png_()):
        assert picture.startswith(b"\x89PNG")
    with pytest.raises(sinew.OptionError) as raised:
        arm.picture(99)
    assert raised.value.frame == 99


def two_bones() -> dict:
    """Arrays of a rig that moves."""
    transforms = np.tile(np.eye(4), (3, 2, 1, 1))
    transforms[:, 1, 0, 3] = [0, 1, 2]
    return {"rest": np.eye(3, dtype=np.float32), "faces": [[0, 1, 2]], "weights": np.eye(3, 2) + 0.1, "transforms": transforms}


def test_positions_go_only_where_they_fit() -> None:
    rig = sinew.Rig.from_arrays(**two_bones())
    right = rig.bake()
    for out in (
        np.zeros((3, 3, 3), np.float32, order="F"),
        np.zeros((3, 3, 6), np.float32)[:, :, ::2],
        np.zeros((3, 3, 3)),
        [[[0.0] * 3] * 3] * 3,
    ):
        with pytest.raises(sinew.OptionError, match="one after the other"):
            rig.bake(out)  # type: ignore[arg-type]
    out = np.zeros((2, 3, 3), np.float32)
    assert np.array_equal(rig.bake(out, first=1, frames=2), right[1:])
    for options in ({"frames": 3}, {"first": -1}, {"first": 4}):
        with pytest.raises(sinew.OptionError):
            rig.bake(out, **options)


@pytest.mark.parametrize(
    "wrong, said",
    [
        ({"transforms": two_bones()["transforms"].swapaxes(2, 3)}, "transpose"),
        ({"transforms": two_bones()["transforms"][:0]}, "no frames"),
        ({"weights": np.zeros((3, 2))}, "sum to 0"),
        ({"weights": np.ones((3, 1)), "bones": [[0.7]] * 3}, "numbers of bones"),
        ({"weights": np.ones((3, 1)), "bones": [[-1]] * 3}, "follows bone -1"),
        ({"weights": np.ones((3, 1)), "bones": [[2]] * 3}, "follows bone 2"),
        ({"names": ["a", "a"]}, "same name"),
        ({"parents": [-5, 0]}, "a parent is"),
        ({"centers": [[np.nan] * 3] * 2}, "not finite"),
        ({"fps": 0.0}, "frame rate"),
    ],
)
def test_wrong_rigs_are_refused(wrong: dict, said: str) -> None:
    with pytest.raises(sinew.AnimationError, match=said):
        sinew.Rig.from_arrays(**{**two_bones(), **wrong})


@pytest.mark.parametrize(
    "options", [{"fps": 0.0}, {"fps": float("nan")}, {"metres_per_unit": 0.0}, {"metres_per_unit": float("inf")}]
)
def test_wrong_numbers_of_animations_are_refused(options: dict) -> None:
    positions, quads = waves()
    with pytest.raises(sinew.AnimationError, match="positive"):
        sinew.Animation(positions, quads, **options)
    with pytest.raises(sinew.AnimationError, match="no frames"):
        sinew.Animation(positions[:0], quads)


def test_weights_that_are_not_of_all_bones_are_refused() -> None:
    rest = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32)
    transforms = np.tile(np.eye(4), (2, 3, 1, 1))
    with pytest.raises(sinew.AnimationError, match="2 columns for 3 bones"):
        sinew.Rig.from_arrays(rest, [[0, 1, 2]], np.ones((3, 2), np.float32), transforms)
    broken = np.ones((3, 3), np.float32)
    broken[1, 0] = np.nan
    with pytest.raises(sinew.AnimationError, match="vertex 1") as raised:
        sinew.Rig.from_arrays(rest, [[0, 1, 2]], broken, transforms)
    assert raised.value.vertex == 1
