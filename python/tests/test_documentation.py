"""What the documentation shows."""

from __future__ import annotations

import doctest
import importlib
import inspect
import json
import pkgutil
from pathlib import Path
from typing import Any, Dict

import pytest

import sinew_rig

MODULES = ["sinew_rig", *(f"sinew_rig.{m.name}" for m in pkgutil.iter_modules(sinew_rig.__path__) if m.name != "__main__")]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    tried = doctest.testmod(importlib.import_module(name))
    assert tried.failed == 0


def test_everything_has_an_example() -> None:
    """A function that can be called has a docstring with an example; so has each method, and each class itself."""
    without = []
    for name in sinew_rig.__all__:
        thing = getattr(sinew_rig, name)
        if inspect.isfunction(thing) and ">>>" not in (thing.__doc__ or ""):
            without.append(name)
        if inspect.isclass(thing):
            assert thing.__doc__, name
            for method, function in vars(thing).items():
                function = getattr(function, "__func__", function)
                if inspect.isfunction(function) and not method.startswith("_") and ">>>" not in (function.__doc__ or ""):
                    without.append(f"{name}.{method}")
    assert without == []


def test_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    readme = Path(__file__).parents[1] / "README.md"
    tried = doctest.testfile(str(readme), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert tried.failed == 0


@pytest.mark.parametrize("path", sorted(Path(__file__).parents[1].glob("examples/*.py")), ids=lambda path: path.name)
def test_examples(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(path.read_text(), str(path), "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("path", sorted(Path(__file__).parents[1].glob("notebooks/*.ipynb")), ids=lambda path: path.stem)
def test_notebooks(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From top to bottom, cell after cell, as a notebook does."""
    if "ray" in path.stem:
        pytest.importorskip("ray")
    if path.stem == "bones_and_error":
        pytest.importorskip("matplotlib").use("agg")
    monkeypatch.chdir(tmp_path)
    names: Dict[str, Any] = {"__name__": "__main__"}
    for number, cell in enumerate(json.loads(path.read_text())["cells"]):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), names)
