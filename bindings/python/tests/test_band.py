"""SparseQuantileBand: held-out predictions, shifts and the order of levels against NumPy; files that the command line reads and writes."""

import os
import subprocess

import numpy as np
import pytest

import spgm

LEVELS = [0.1, 0.5, 0.9]


def sample(rows=150, columns=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, columns))
    return X, X[:, 0] - X[:, 1] + (0.3 + np.abs(X[:, 2])) * rng.normal(size=rows)


def conformal(scores, p):
    """The p (n + 1)-th smallest, on the line between two where that is no whole number."""
    return np.interp(p * (scores.size + 1), np.arange(1, scores.size + 1), np.sort(scores))


def test_shifts_and_predictions_are_those_of_numpy():
    X, y = sample()
    band = spgm.SparseQuantileBand(2, quantiles=LEVELS, folds=5).fit(X, y)
    held = band.held_out_
    assert not np.isnan(held).any() and (np.diff(held, axis=1) >= 0).all()
    folds = spgm.cross_validate(X, y, [2], folds=5, loss="quantile").fold_of_row
    there = np.empty((5, *held.shape))  # what the models without each fold say of every row
    for fold in range(5):
        rest = folds != fold
        models = [spgm.solve(X[rest], y[rest], 2, loss="quantile", quantile=level) for level in LEVELS]
        there[fold] = np.sort([model.predict(X) for model in models], axis=0).T
        assert np.allclose(held[~rest], there[fold][~rest], atol=1e-7)
    probes = (np.arange(100) * 1.5).astype(int)  # 100 of the 150 rows
    whole = np.sort(X @ band.coef_.T + band.intercept_, axis=1)
    for k, sign in ((0, -1), (2, 1)):
        limits = [conformal(sign * (there[folds, at, k] + y - held[:, k] - whole[at, k]), 0.9) for at in probes]
        assert band.shifts_[k] == pytest.approx(sign * np.median(limits), abs=1e-6)
    assert band.shifts_[1] == 0
    new, target = sample(seed=1)
    raw = np.sort(new @ band.coef_.T + band.intercept_, axis=1) + band.shifts_
    raw[:, 0] = np.minimum(raw[:, 0], raw[:, 1])
    raw[:, 2] = np.maximum(raw[:, 2], raw[:, 1])
    values = band.predict(new)
    assert np.allclose(values, raw, atol=1e-12)
    assert band.coverage(new, target) == np.mean((target >= values[:, 0]) & (target <= values[:, 2]))
    assert np.isclose(band.width(new), np.mean(values[:, 2] - values[:, 0]))
    assert 0 < band.score(new, target) < 1


@pytest.mark.parametrize("calibration", ["cross", "split"])
def test_coverage_is_what_it_says(calibration):
    """The mean over many samples, of which each is small: within four standard errors, and never below by more."""
    covered = []
    for seed in range(30):
        X, y = sample(rows=120, seed=100 + seed)
        new, target = sample(rows=1000, seed=1000 + seed)
        covered.append(spgm.SparseQuantileBand(3, quantiles=LEVELS, calibration=calibration, folds=5, effort=1).fit(X, y).coverage(new, target))
    error = np.std(covered) / np.sqrt(len(covered))
    assert 0.8 - 4 * error < np.mean(covered) < 0.84 + 4 * error


def test_common_columns_are_the_same_for_all_levels():
    X, y = sample()
    own = spgm.SparseQuantileBand(2, quantiles=LEVELS, folds=3).fit(X, y)
    band = spgm.SparseQuantileBand(2, quantiles=LEVELS, folds=3, common_columns=True).fit(X, y)
    assert band.support_.size <= 2
    total = sum(result.objective for result in band.results_)
    assert total >= sum(result.objective for result in own.results_) - 1e-9
    for pair in ([0, 1], [0, 2], [1, 2]):
        alone = sum(spgm.solve(X[:, pair], y, 2, loss="quantile", quantile=level).objective for level in LEVELS)
        assert total <= alone * (1 + 1e-6)


def test_files_are_those_of_the_command_line(tmp_path):
    X, y = sample()
    band = spgm.SparseQuantileBand(2, quantiles=LEVELS, folds=5, random_state=1).fit(X, y)
    band.save(tmp_path / "band.json", target="y")
    again = spgm.SparseQuantileBand.load(tmp_path / "band.json")
    assert np.array_equal(again.predict(X), band.predict(X))
    with pytest.raises(ValueError, match="SparseQuantileBand.load"):
        spgm.Result.load(tmp_path / "band.json")
    cli = os.environ.get("SPGM_CLI")
    if not cli:
        pytest.skip("SPGM_CLI is not set")
    header = ",".join(f"x{j}" for j in range(X.shape[1])) + ",y"
    np.savetxt(tmp_path / "data.csv", np.c_[X, y], delimiter=",", header=header, comments="", fmt="%.17g")
    out = subprocess.run([cli, "predict", "band.json", "data.csv"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    rows = np.array([[float(v) for v in line.split(",")] for line in out.splitlines()[1:]])
    assert np.allclose(rows, band.predict(X), rtol=1e-12, atol=1e-12)
    subprocess.run(
        [cli, "fit", "data.csv", "-s", "2", "--quantiles", "0.1,0.5,0.9", "--folds", "5", "--output", "theirs.json"], cwd=tmp_path, check=True
    )
    theirs = spgm.SparseQuantileBand.load(tmp_path / "theirs.json")
    assert np.allclose(theirs.shifts_, band.shifts_, atol=1e-9)
    assert np.allclose(theirs.predict(X), band.predict(X), atol=1e-9)


def test_weights_choice_of_s_and_sentences():
    X, y = sample()
    weights = np.where(np.arange(y.size) < 100, 1.0, 0.0)
    band = spgm.SparseQuantileBand("auto", quantiles=[0.25, 0.75], folds=3).fit(X, y, sample_weight=weights)
    assert band.coef_.shape == (2, X.shape[1])
    others = y + np.where(weights > 0, 0, 1e3)  # rows without weight have no say
    same = spgm.SparseQuantileBand("auto", quantiles=[0.25, 0.75], folds=3).fit(X, others, sample_weight=2 * weights)
    assert np.allclose(band.shifts_, same.shifts_) and np.allclose(band.coef_, same.coef_)
    for arguments, words in [
        ({"quantiles": [0.9, 0.1]}, "each above the one before"),
        ({"quantiles": [0.001, 0.5]}, "too few to calibrate"),
        ({"quantiles": []}, "no quantiles"),
        ({"calibration": "guess"}, "cross, split or none"),
        ({"folds": 1000}, "fewer folds"),
    ]:
        with pytest.raises(ValueError, match=words):
            spgm.SparseQuantileBand(2, **{"folds": 3, **arguments}).fit(X, y)


def test_plot():
    pytest.importorskip("matplotlib").use("Agg")
    X, y = sample()
    band = spgm.SparseQuantileBand(2, folds=3).fit(X, y)
    assert len(band.plot(X, y).lines) == 3
    assert len(band.plot(y=y).lines) == 3
    assert len(band.plot(X).lines) == 1


def test_verdict():
    rng = np.random.default_rng(0)
    A, b = rng.normal(size=(40, 300)), rng.normal(size=40)
    result = spgm.solve(A, b, 12, effort=1)
    assert result.certainty in ("stable", "unstable")
    assert result.verdict.startswith(result.certainty)
    assert f"{result.restarts} starts" in result.verdict
    assert spgm.solve(A[:, :5], b, 2).certainty == "proven"
    assert spgm.solve(A, b, 12, method="omp").certainty == "unknown"
