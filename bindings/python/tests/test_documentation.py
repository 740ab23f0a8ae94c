"""The examples in the docstrings run, the types hold, and the pictures are drawn."""

from __future__ import annotations

import doctest
import importlib
import os
import pathlib
import pkgutil
import re
import subprocess
import sys

import pytest

import spgm

PACKAGE = pathlib.Path(spgm.__file__).parent
MODULES = sorted(m.name for m in pkgutil.iter_modules([str(PACKAGE)]) if m.name != "_spgm")


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_the_docstrings(name):
    if name.startswith("_estimators"):
        pytest.importorskip("sklearn")
    module = importlib.import_module(f"spgm.{name}")
    assert doctest.testmod(module, verbose=False).failed == 0


def test_everything_public_has_an_example():
    for name in spgm.__all__:
        if name.startswith("Sparse"):
            pytest.importorskip("sklearn")
        thing = getattr(spgm, name)
        assert thing.__doc__, name
        if name.islower() or name.startswith("Sparse"):
            assert ">>>" in thing.__doc__, f"{name} has no example"


def test_types_are_strict():
    api = pytest.importorskip("mypy.api")
    root = pathlib.Path(__file__).resolve().parents[3]
    out, err, status = api.run(
        ["--strict", "--config-file", str(root / "pyproject.toml"), "--cache-dir", os.devnull, "-p", "spgm"]
    )
    assert status == 0, out + err


def test_python_of_the_readme(capsys):
    """The blocks run as they are, and what a line prints is what the comment behind it ends with."""
    pytest.importorskip("sklearn")
    text = (pathlib.Path(__file__).resolve().parents[3] / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    compared = 0
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
        printed = capsys.readouterr().out.splitlines()
        promised = [line.rpartition("# ")[2] for line in block.splitlines() if line.startswith("print(") and "# " in line]
        assert len(printed) == len(promised)
        for got, comment in zip(printed, promised):
            assert got and comment.endswith(got)
        compared += len(printed)
    assert compared > 0


EXAMPLES = sorted((pathlib.Path(__file__).parents[1] / "examples").glob("[!_]*.py"))
TEN_SECONDS = {"choosing_s", "quantile_bands", "robust_selection", "sparse_svm_text"}


def test_there_is_something_to_run():
    assert len(EXAMPLES) >= 5 and len(MODULES) >= 5
    assert {path.stem for path in EXAMPLES} > TEN_SECONDS


@pytest.mark.parametrize(
    "example",
    [
        pytest.param(path, id=path.stem, marks=pytest.mark.long if path.stem in TEN_SECONDS else ())
        for path in EXAMPLES
    ],
)
def test_examples_make_pictures(example, tmp_path):
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "MPLBACKEND": "Agg"}
    picture = tmp_path / f"{example.stem}.png"
    done = subprocess.run(
        [sys.executable, str(example), "--quick", "--output", str(picture)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert picture.stat().st_size > 10_000


def test_the_gallery_has_every_example():
    folder = EXAMPLES[0].parent
    text = (folder / "README.md").read_text(encoding="utf-8")
    for example in EXAMPLES:
        assert f"({example.name})" in text and f"(pictures/{example.stem}.png)" in text
        assert (folder / "pictures" / f"{example.stem}.png").stat().st_size > 10_000
