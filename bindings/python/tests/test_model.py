"""Model files: Python writes what the command line reads, and the other way round."""

from __future__ import annotations

import json
import os
import subprocess

import numpy as np
import pytest
from sklearn.base import clone

import spgm

CLI = os.environ.get("SPGM_CLI")
needs_cli = pytest.mark.skipif(CLI is None, reason="SPGM_CLI names no command line")


def predictions(model, data):
    out = subprocess.run([CLI, "predict", model, data], capture_output=True, text=True, check=True).stdout.split()
    return [line.split(",") for line in out[1:]]


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(5)
    A = rng.normal(size=(40, 5))
    y = 2 * A[:, 1] - A[:, 3] + 0.1 * rng.normal(size=40)
    path = tmp_path / "data.csv"
    np.savetxt(path, np.column_stack([A, y]), delimiter=",", header="a,b,c,d,e,y", comments="", fmt="%.17g")
    return A, y, path


def test_results_go_through_a_file(tmp_path, table):
    A, y, _ = table
    result = spgm.solve(A, y, 2, loss="quantile", quantile=0.7, time_limit=np.inf)
    for name in ("model.json", "model.json.gz"):
        result.save(tmp_path / name)
        again = spgm.Result.load(tmp_path / name)
        assert np.array_equal(again.coef, result.coef) and again.intercept == result.intercept
        assert again.objective == result.objective and again.outcome == result.outcome and again.sparsity == 2
        assert again.options["quantile"] == 0.7 and again.rows == 40
        assert np.array_equal(again.predict(A), result.predict(A))
    assert [name.name for name in tmp_path.iterdir() if "." in name.name and "model" in name.name] != []
    result.save(tmp_path / "a.json", reproducible=True)
    result.save(tmp_path / "b.json", reproducible=True)
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    assert sorted(name.name for name in tmp_path.iterdir()) == ["a.json", "b.json", "data.csv", "model.json", "model.json.gz"]


def test_what_is_no_model_is_said(tmp_path):
    for text in ("{}", "[1]", "not json", '{"columns": 2, "support": [2], "coefficients": [1]}',
                 '{"columns": 2, "support": [0], "coefficients": []}'):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(ValueError, match=r"bad.json: .*is it a model file\?"):
            spgm.Result.load(tmp_path / "bad.json")


@needs_cli
def test_the_command_line_takes_models_of_estimators(tmp_path, table):
    A, y, path = table
    model = spgm.SparseRegressor(2).fit(A, y)
    model.save(tmp_path / "model.json", target="y")
    seen = [float(line[0]) for line in predictions(tmp_path / "model.json", path)]
    assert np.allclose(seen, model.predict(A), rtol=1e-12)
    again = spgm.SparseRegressor.load(tmp_path / "model.json")
    assert np.array_equal(again.predict(A), model.predict(A)) and again.n_nonzero_coefs == 2
    assert np.array_equal(clone(again).fit(A, y).coef_, model.coef_)


@needs_cli
@pytest.mark.parametrize("labels", [(-1, 1), ("no", "yes")])
def test_classifiers_go_both_ways(tmp_path, table, labels):
    A, y, path = table
    classes = np.where(y > 0, labels[1], labels[0])
    model = spgm.SparseClassifier(2, loss="logistic").fit(A, classes)
    model.save(tmp_path / "model.json", target="y")
    seen = [line[1] for line in predictions(tmp_path / "model.json", path)]
    assert seen == [str(label) for label in model.predict(A)]
    again = spgm.SparseClassifier.load(tmp_path / "model.json")
    assert again.predict(A).tolist() == model.predict(A).tolist()
    assert np.array_equal(again.predict_proba(A), model.predict_proba(A)) and again.alpha == 1
    with pytest.raises(ValueError, match="SparseClassifier.load"):
        spgm.SparseRegressor.load(tmp_path / "model.json")


@needs_cli
def test_models_of_the_command_line_are_loaded(tmp_path, table):
    A, y, path = table
    file = tmp_path / "cli.json"
    subprocess.run([CLI, "fit", path, "-s", "2", "--ridge", "0.5", "--output", file], check=True)
    model = spgm.SparseRegressor.load(file)
    seen = [float(line[0]) for line in predictions(file, path)]
    assert np.allclose(model.predict(A), seen, rtol=1e-12) and model.alpha == 0.5
    assert model.result_.name_of(model.support_[0]) == json.loads(file.read_text())["names"][0]
    with pytest.raises(ValueError, match="SparseRegressor.load"):
        spgm.SparseClassifier.load(file)


@needs_cli
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_classifiers_have_the_same_defaults_here_and_there(tmp_path, table, loss):
    A, y, _ = table
    file = tmp_path / "labels.csv"
    np.savetxt(file, np.column_stack([A, np.sign(y)]), delimiter=",", header="a,b,c,d,e,y", comments="", fmt="%.17g")
    subprocess.run([CLI, "fit", file, "-s", "2", "--loss", loss, "--output", tmp_path / "cli.json"], check=True)
    theirs = json.loads((tmp_path / "cli.json").read_text())
    assert theirs["options"]["ridge"] == spgm.SparseClassifier().alpha
    assert theirs["objective"] == pytest.approx(spgm.SparseClassifier(2, loss=loss).fit(A, np.sign(y)).objective_, rel=1e-9)


@needs_cli
@pytest.mark.parametrize("names", [None, ["low", "mid", "top"]])
def test_three_classes_go_both_ways(tmp_path, table, names):
    A, y, path = table
    kinds = np.digitize(y, [-1, 1])
    classes = kinds if names is None else np.array(names)[kinds]
    model = spgm.SparseClassifier(2).fit(A, classes)
    model.save(tmp_path / "model.json", target="y")
    seen = [line[1] for line in predictions(tmp_path / "model.json", path)]
    assert seen == [str(label) for label in model.predict(A)]
    again = spgm.SparseClassifier.load(tmp_path / "model.json")
    assert again.predict(A).tolist() == model.predict(A).tolist() and len(again.results_) == 3
    with pytest.raises(ValueError, match="3 models.*SparseClassifier.load"):
        spgm.Result.load(tmp_path / "model.json")
    file = tmp_path / "labels.csv"
    np.savetxt(file, np.column_stack([A, kinds]), delimiter=",", header="a,b,c,d,e,y", comments="", fmt="%.17g")
    subprocess.run([CLI, "fit", file, "-s", "2", "--loss", "hinge", "--output", tmp_path / "cli.json"], check=True)
    theirs = spgm.SparseClassifier.load(tmp_path / "cli.json")
    assert theirs.predict(A).astype(int).tolist() == spgm.SparseClassifier(2).fit(A, kinds).predict(A).tolist()


def test_frames(table):
    pytest.importorskip("pandas")
    A, y, _ = table
    path = spgm.path(A, y, [0, 1, 2])
    frame = path.to_frame()
    assert frame.index.tolist() == [0, 1, 2] and np.array_equal(frame["objective"], path.objective)
    assert np.array_equal(frame.loc[2, [str(j) for j in path[2].support]], path[2].coef[path[2].support])
    cv = spgm.cross_validate(A, y, [1, 2], folds=4)
    frame = cv.to_frame()
    assert np.array_equal(frame[[f"fold{k}" for k in range(1, 5)]], cv.losses) and frame.index[frame["best"]].tolist() == [cv.best]
