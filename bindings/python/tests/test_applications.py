"""The worked examples of examples/ run in a small size, and what their READMEs say holds."""

from __future__ import annotations

import importlib.util
import pathlib
import re
import sys

import numpy as np
import pytest

pytest.importorskip("sklearn")
pytest.importorskip("matplotlib")

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "examples"
NAMES = sorted(path.parent.name for path in FOLDER.glob("*/run.py"))


def load(name: str):
    spec = importlib.util.spec_from_file_location(f"example_{name.replace('-', '_')}", FOLDER / name / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def not_above(lower, higher):
    return bool(np.all(np.asarray(lower) <= np.asarray(higher) * (1 + 1e-7)))


# What the run returned: is F never above the usual tool's, and does the model keep what it promises?
CHECKS = {
    "censored-regression": lambda r: (r["gaps"] > -1e-9).all() and (r["gaps"][:, 1] < 1e-9).all()
    and not_above(r["means"]["Powell's, spgm"][0], r["means"]["l1 on the recorded rows"][0]),
    "dantzig-selector": lambda r: not_above(r["ours"], r["refit"]) and not_above(r["ours"], r["cut"]) and max(r["apart"]) < 1e-9,
    "impulse-noise": lambda r: all(row[5] > row[4] > row[1] and row[3] > row[1] for row in r["rows"]),
    "index-tracking": lambda r: not_above(r["inside"][0], r["inside"][1:]) and max(r["sums"]) < 1e-12,
    "one-bit-sensing": lambda r: (r["errors"][:2] < 0.25).all() and (r["found"][:2] >= 2).all(),
    "quantile-regression": lambda r: not_above(r["F"][:, 0], r["F"][:, 1]),
    "robust-regression": lambda r: not_above(r["ours"], r["cut"]) and r["nonzeros"] == 5,
    "sparse-isotonic": lambda r: np.isclose(r["F"], r["theirs"], rtol=1e-9) and r["monotone"] and r["rows"][1][1] < r["rows"][1][4],
    "sparse-logistic": lambda r: not_above(r["F"][0], r["F"][1:]),
    "sparse-svm": lambda r: not_above(r["F"][0], r["F"][1]) and r["nonzeros"] == 3,
}


def test_every_example_has_a_check():
    assert NAMES == sorted(CHECKS) and len(NAMES) == 10


def shape_of(command: str) -> str:
    """Sizes differ between a small and a full run."""
    return re.sub(r"--sparsity \d+", "--sparsity S", command)


@pytest.mark.parametrize("name", NAMES)
def test_application(name, cli, tmp_path, monkeypatch):
    monkeypatch.setenv("SPGM_CLI", str(cli))
    monkeypatch.setattr(sys, "path", [*sys.path, str(FOLDER)])
    module = load(name)
    case = module.common.Case(tmp_path, tmp_path / "picture.png", quick=True, quiet=True)
    assert CHECKS[name](module.common.execute(module.run, case))
    assert (tmp_path / "picture.png").stat().st_size > 8_000
    assert any(line.startswith("|---") for line in case.lines)
    readme = (FOLDER / name / "README.md").read_text()
    shown = {shape_of(line.strip()) for line in readme.splitlines() if line.startswith("    spgm ")}
    assert shown and shown == {shape_of(command) for command in case.commands}
    # the README has the tables and the picture of a full run
    numbers = readme.split(module.common.BEGIN)[1].split(module.common.END)[0]
    tables = sum(line.startswith("|---") for line in case.lines)
    assert numbers.count("|---") >= tables and (FOLDER / name / "picture.png").is_file()
