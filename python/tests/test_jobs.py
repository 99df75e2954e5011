"""Jobs, on arrays and on files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import List

import numpy as np
import pytest

import sinew_rig as sinew
from conftest import waves


def command(*arguments: object) -> "subprocess.CompletedProcess[str]":
    """Runs the command of the package."""
    called = [sys.executable, "-m", "sinew_rig", *map(str, arguments)]
    return subprocess.run(called, capture_output=True, text=True)


def test_the_command_comes_along(tmp_path: Path) -> None:
    assert command("--version").stdout.strip() == f"sinew {sinew.__version__}"
    refused = command("--quiet", "skin", tmp_path / "none.pc2", "-o", tmp_path / "rig.glb")
    assert refused.returncode == 2 and refused.stderr.startswith("error: ")


@pytest.mark.parametrize("ending", ["glb", "usda", "fbx", "sinew"])
def test_files_are_those_of_the_command(cloth: sinew.Animation, tmp_path: Path, ending: str) -> None:
    cloth.save(tmp_path / "cloth.npz")
    expected = tmp_path / f"rig.{ending}"
    done = command("skin", tmp_path / "cloth.npz", "--bones", 7, "-o", expected)
    assert done.returncode == 0, done.stderr
    rig = sinew.skin(sinew.Animation(*waves(), fps=30), bones=7)
    assert rig.to_bytes(ending) == expected.read_bytes()
    rig.save(tmp_path / f"again.{ending}")
    given = tmp_path / "given" / f"rig.{ending}"
    given.parent.mkdir()
    sinew.skin(cloth, bones=7, output=given)
    assert given.read_bytes() == expected.read_bytes()


def test_options_are_the_fields_of_jobs(cloth: sinew.Animation, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    rig = sinew.skin(cloth, bones=5, kind="rigid", influences=2, fps=12, report=report)
    assert all(rig.rigid) and rig.weights.shape[1] <= 2 and rig.fps == 12
    told = json.loads(report.read_text())
    assert told["job"]["fit"]["bones"] == 5 and told["bones"] == 5
    goal = sinew.skin(cloth, goal={"error": 4.0})
    assert goal.error <= 4 and goal.report["choices"]
    improved = sinew.skin(cloth, start_rig=rig, solve="weights")
    assert np.allclose(improved.transforms, rig.transforms, atol=1e-5)


@pytest.mark.parametrize(
    ("options", "said", "field"),
    [
        ({"bonez": 3}, "bones is spelled most like it", "bonez"),
        ({"bones": "many"}, "invalid type", None),
        ({"kind": "soft"}, "soft", None),
        ({"bones": 0}, "0 bones were asked for", "bones"),
        ({"compact": -1.0}, "positive", "compact"),
        ({"rest": "rest.obj"}, "in memory", "rest"),
        ({"output": "rig.txt"}, "rig.txt", None),
        ({"method": "pps"}, "no rig", None),
    ],
)
def test_wrong_options_get_a_sentence(cloth: sinew.Animation, options: dict, said: str, field: str) -> None:
    with pytest.raises(sinew.OptionError, match=said) as raised:
        sinew.skin(cloth, **options)
    assert raised.value.field == field and raised.value.kind == "options"


def test_files_that_are_wrong_are_named(tmp_path: Path) -> None:
    path = tmp_path / "none.glb"
    with pytest.raises(sinew.FileError) as raised:
        sinew.open(path)
    assert raised.value.file == str(path)
    path.write_bytes(b"glTF nothing")
    with pytest.raises(sinew.FileError):
        sinew.open_rig(path)


def test_places_that_are_no_numbers_are_told() -> None:
    positions, quads = waves()
    positions[7, 11, 1] = np.inf
    with pytest.raises(sinew.AnimationError) as raised:
        sinew.skin(sinew.Animation(positions, quads))
    assert (raised.value.frame, raised.value.vertex) == (7, 11)


def test_rigs_are_read_back(rig: sinew.Rig, tmp_path: Path) -> None:
    for ending in ("glb", "usda", "sinew"):
        path = tmp_path / f"rig.{ending}"
        assert rig.save(path) == path.stat().st_size
        again = sinew.open_rig(path)
        assert np.allclose(again.bake(), rig.bake(), atol=1e-4), ending
        assert sinew.compare(rig, path)["error"]["max"] < 0.1
    played = sinew.open(tmp_path / "rig.sinew")
    assert np.allclose(played.positions, rig.bake(), atol=1e-6)


def test_compared(cloth: sinew.Animation, rig: sinew.Rig) -> None:
    report = sinew.compare(cloth, rig)
    assert report["error"]["percent"] == pytest.approx(rig.error, rel=1e-3)
    assert len(report["error_per_frame"]) == cloth.frame_count
    with pytest.raises(sinew.SinewError):
        sinew.compare(cloth, sinew.Animation(cloth.positions[:3], cloth.faces))


def test_characters(arm: sinew.Rig, tmp_path: Path) -> None:
    found = sinew.skeleton(arm.animation(), joints=2)
    assert found.has_skeleton and found.bone_count == 2 and found.error < 5
    bvh = tmp_path / "arm.bvh"
    sinew.skeleton(arm.animation(), joints=2, bvh=bvh)
    moved = sinew.transplant(bvh, found)
    assert moved.frame_count == arm.frame_count and moved.names == found.names


def test_edited(arm: sinew.Rig, rig: sinew.Rig) -> None:
    turned = sinew.edit(arm, rotate={"bone": "lower", "axis": [0, 1, 0], "angle": 30, "frame": 4})
    assert np.allclose(turned.bake()[:4], arm.bake()[:4], atol=1e-5)
    assert not np.allclose(turned.pose(4), arm.pose(4), atol=1e-2)
    sculpted = rig.rest + np.float32([0, 0.1, 0])
    lifted = sinew.edit(rig, rest={"shape": sculpted, "carry": "bones"})
    assert np.allclose(lifted.rest, sculpted, atol=1e-5)


def test_levels(arm: sinew.Rig, tmp_path: Path) -> None:
    levels = sinew.lod(arm, levels=[{"share": 0.5}])
    assert levels.save(tmp_path / "arm.glb") == len(levels.to_bytes())
    assert len(levels.report["levels"]) == 2
    assert sinew.open_rig(tmp_path / "arm.glb").bone_count == 2


def test_deformed(arm: sinew.Rig, tmp_path: Path) -> None:
    report = sinew.deform(setup={"body": arm, "output": tmp_path / "arm.deform"})
    assert report and (tmp_path / "arm.deform").is_file()


def test_any_job(arm: sinew.Rig, tmp_path: Path) -> None:
    report = sinew.run({"job": "bake", "rig": arm, "output": tmp_path / "arm.npy"})
    assert report["frames"] == 12
    assert np.allclose(np.load(tmp_path / "arm.npy"), arm.bake(), atol=1e-6)
    with pytest.raises(sinew.OptionError, match="one of"):
        sinew.run({"job": "dance"})
    with pytest.raises(sinew.OptionError, match="nothing"):
        sinew.run({"job": "bake", "nothing": 1})


def test_warnings_are_python_warnings(cloth: sinew.Animation, tmp_path: Path) -> None:
    still = np.repeat(cloth.positions[:1], 3, axis=0)
    sinew.Animation(still, cloth.faces).save(tmp_path / "still.npz")
    with pytest.warns(sinew.SinewWarning, match="nothing moves") as said:
        sinew.open(tmp_path / "still.npz")
    assert said[0].filename == __file__


def test_types_are_those_of_the_schemas() -> None:
    sys.path.insert(0, str(Path(__file__).parents[1]))
    import generate

    written = Path(sinew.__file__).with_name("_options.py")
    assert generate.text(sinew.schema) == written.read_text(), "run python generate.py"


def test_stages_are_told(cloth: sinew.Animation) -> None:
    told: List[str] = []
    positions = np.concatenate([cloth.positions] * 20)
    animation = sinew.Animation(positions, cloth.faces)
    sinew.skin(animation, bones=20, progress=lambda stage, share: told.append(f"{stage} {share:.1f}"))
    assert told and all(0 <= float(line.split()[-1]) <= 1 for line in told)
    sinew.skin(cloth, bones=4, progress=True)
