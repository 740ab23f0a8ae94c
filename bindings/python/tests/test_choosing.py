"""s and ridge chosen together, scores under the model's own loss, weights of classes."""

import math
import types

import numpy as np
import pytest

import spgm

pytest.importorskip("sklearn")
from sklearn.datasets import load_iris  # noqa: E402
from sklearn.metrics import d2_absolute_error_score, d2_pinball_score, r2_score  # noqa: E402
from sklearn.model_selection import KFold  # noqa: E402

from spgm import _estimators_cv as estimators_cv  # noqa: E402


@pytest.fixture
def data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 12)) * 10.0 ** rng.integers(-2, 3, size=12)
    y = X[:, 2] / np.std(X[:, 2]) - 2 * X[:, 7] / np.std(X[:, 7]) + rng.standard_t(3, size=90)
    return X, y


def held_out(X, y, s, ridge, train, test):
    """The loss of a fit with its share of the ridge."""
    model = spgm.solve(X[train], y[train], s, loss="squared", ridge=ridge * len(train) / len(y), ridge_scale="deviation")
    return ((X[test] @ model.coef + model.intercept - y[test]) ** 2).mean() / 2


def test_the_lowest_loss_of_the_grid_is_chosen(data):
    X, y = data
    folds = KFold(5, shuffle=True, random_state=0)
    model = spgm.SparseRegressorCV(cv=folds, loss="absolute_error").fit(X, y)
    cv = model.cross_validation_
    assert cv.ridges.size == 7 and cv.grid.shape == (7, cv.sparsity.size) and cv.ridges[-1] == 0
    k, i = np.unravel_index(np.nanargmin(cv.grid), cv.grid.shape)
    assert model.n_nonzero_coefs_ == cv.sparsity[i] and model.alpha_ == cv.ridges[k]
    assert np.array_equal(cv.mean, np.nanmin(cv.grid, axis=0)) and cv.choices["min"] == (model.n_nonzero_coefs_, model.alpha_)
    same = spgm.solve(X, y, model.n_nonzero_coefs_, ridge=model.alpha_, ridge_scale="deviation")
    assert np.allclose(model.coef_, same.coef) and model.objective_ == pytest.approx(same.objective)
    assert "ridge" in repr(cv) and cv.to_frame().ridge.iloc[i] == model.alpha_


def test_losses_are_those_of_fits(data):
    X, y = data
    folds = KFold(5, shuffle=True, random_state=0)
    cv = spgm.SparseRegressorCV([12], cv=folds, loss="squared_error").fit(X, y).cross_validation_  # of all columns there is but one model
    for ridge, losses in zip(cv.ridges[:-1], cv.grid_losses):
        assert losses[0] == pytest.approx([held_out(X, y, 12, ridge, train, test) for train, test in folds.split(X)], rel=1e-4)


def test_rules_go_both_ways(data):
    X, y = data
    chosen = {rule: spgm.SparseRegressorCV(rule=rule, options={"repeats": 1}).fit(X, y) for rule in ("min", "1se", "shrunk")}
    assert chosen["1se"].n_nonzero_coefs_ <= chosen["min"].n_nonzero_coefs_ == chosen["shrunk"].n_nonzero_coefs_
    assert chosen["shrunk"].alpha_ >= chosen["min"].alpha_


def test_alphas(data):
    X, y = data
    some = spgm.SparseRegressorCV([1, 2, 3], alphas=[0.0, 0.1, 5.0]).fit(X, y)
    assert some.cross_validation_.ridges.tolist() == [5.0, 0.1, 0.0] and some.alpha_ in (0.0, 0.1, 5.0)
    one = spgm.SparseRegressorCV([1, 2, 3], alphas=0).fit(X, y)
    assert one.cross_validation_.ridges.tolist() == [0.0] and one.alpha_ == 0
    for wrong in ("some", None, [], [-1.0]):
        with pytest.raises(ValueError):
            spgm.SparseRegressorCV([1], alphas=wrong).fit(X, y)


def test_effort_of_the_last_fit(data):
    X, y = data
    model = spgm.SparseRegressorCV([1, 2], alphas=0)
    for _ in range(2):  # a second time the folds are searched quickly, too
        model.fit(X, y)
        assert int(model.result_.options["effort"]) == 4
        losses = model.cross_validation_.losses
    quick = spgm.cross_validate(X, y, [1, 2], loss="l1", folds=5).losses
    assert losses.tolist() == quick.tolist()
    assert int(spgm.SparseRegressorCV([1, 2], alphas=0, effort=2).fit(X, y).result_.options["effort"]) == 2
    assert spgm.SparseRegressorCV([1, 2], alphas=0, time_limit=0.2).fit(X, y).result_.options["effort"] is None


@pytest.mark.parametrize(("took", "left"), [(0.3, 0.7), (5.0, 0.2)])
def test_folds_and_the_last_fit_share_one_time_limit(data, monkeypatch, took, left):
    """By a clock that the cross-validations advance."""
    X, y = data
    now, given, run = [0.0], [], estimators_cv.run_cross_validation

    def spy(recipe, rows, sizes, options, *rest, **more):
        given.append(options["time_limit"])
        now[0] += took
        return run(recipe, rows, sizes, options, *rest, **more)

    monkeypatch.setattr(estimators_cv, "run_cross_validation", spy)
    monkeypatch.setattr(estimators_cv, "time", types.SimpleNamespace(perf_counter=lambda: now[0]))
    monkeypatch.setattr("spgm._estimators.time", types.SimpleNamespace(perf_counter=lambda: now[0]))
    model = spgm.SparseRegressorCV([1, 2], alphas=0, time_limit=1.0)
    for _ in range(2):
        model.fit(X, y)
        assert given.pop() == pytest.approx(0.8)
        assert float(model.result_.options["time_limit"]) == pytest.approx(left)
    classifier = spgm.SparseClassifierCV([1, 2], alphas=1.0, time_limit=1.0).fit(*load_iris(return_X_y=True))
    assert given.pop() == pytest.approx(0.8)
    assert float(classifier.results_[0].options["time_limit"]) == pytest.approx(left / 3)


def test_small_data_are_split_several_times(data):
    X, y = data
    assert spgm.SparseRegressorCV([1, 2]).fit(X, y).cross_validation_.losses.shape == (2, 20)
    assert spgm.SparseRegressorCV([1, 2], options={"repeats": 2}).fit(X, y).cross_validation_.losses.shape == (2, 10)
    assert spgm.SparseRegressorCV([1, 2], alphas=0).fit(X, y).cross_validation_.losses.shape == (2, 5)


def test_classes_share_s_and_ridge():
    X, y = load_iris(return_X_y=True)
    for loss in ("hinge", "logistic"):
        model = spgm.SparseClassifierCV(loss=loss).fit(X, y)
        assert model.alpha_ > 0 and model.score(X, y) > 0.9
        assert (model.coef_ != 0).sum(axis=1).max() <= model.n_nonzero_coefs_
        threads = spgm.SparseClassifierCV(loss=loss, n_jobs=3).fit(X, y)
        assert np.array_equal(threads.cross_validation_.grid_losses, model.cross_validation_.grid_losses)


@pytest.mark.parametrize(
    ("loss", "book"),
    [
        ({}, d2_absolute_error_score),
        ({"quantile": 0.8}, lambda y, p, sample_weight=None: d2_pinball_score(y, p, alpha=0.8, sample_weight=sample_weight)),
        ({"loss": "squared_error"}, r2_score),
    ],
)
def test_the_score_is_that_of_the_own_loss(data, loss, book):
    X, y = data
    model = spgm.SparseRegressor(2, alpha=3.0, standardize=True, **loss).fit(X[:60], y[:60])
    assert model.score(X[60:], y[60:]) == pytest.approx(book(y[60:], model.predict(X[60:])), rel=1e-6)
    weights = np.arange(1.0, 31)
    expected = book(y[60:], model.predict(X[60:]), sample_weight=weights)
    assert model.score(X[60:], y[60:], weights) == pytest.approx(expected, rel=0.02)  # theirs interpolates a weighted quantile


def test_the_score_of_the_largest_residual(data):
    X, y = data
    model = spgm.SparseRegressor(2, loss="chebyshev").fit(X, y)
    assert model.score(X, y) == pytest.approx(1 - np.abs(y - model.predict(X)).max() / (np.ptp(y) / 2), rel=1e-6)
    with pytest.warns(UserWarning):
        assert np.isnan(model.score(X[:1], y[:1]))
    constant = spgm.SparseRegressor(0).fit(X, np.ones(90))
    assert constant.score(X, np.ones(90)) == 1 and constant.score(X, np.full(90, 2.0)) == 0


def test_class_weights_are_weights_of_samples():
    X, y = load_iris(return_X_y=True)
    X, y = X[40:], y[40:]  # 10, 50 and 50
    balanced = spgm.SparseClassifier(2, class_weight="balanced").fit(X, y)
    by_hand = spgm.SparseClassifier(2).fit(X, y, sample_weight=np.where(y == 0, 110 / 30, 110 / 150))
    assert np.allclose(balanced.coef_, by_hand.coef_)
    given = spgm.SparseClassifier(2, class_weight={0: 5.0, 1: 1.0, 2: 0.5}).fit(X, y, sample_weight=np.full(110, 2.0))
    again = spgm.SparseClassifier(2).fit(X, y, sample_weight=2 * np.array([5.0, 1.0, 0.5])[y])
    assert np.allclose(given.coef_, again.coef_)
    assert spgm.SparseClassifierCV([1, 2], class_weight="balanced").fit(X, y).score(X, y) > 0.85


def test_progress_names_the_class(capsys):
    X, y = load_iris(return_X_y=True)
    spgm.SparseClassifier(2, verbose=1).fit(X, np.array(["a", "b", "c"])[y])
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in lines] == ["class 'a'", "class 'b'", "class 'c'"]
    spgm.SparseClassifier(2, verbose=1).fit(X, y)
    assert [line.split(":")[0] for line in capsys.readouterr().err.splitlines()] == ["class 0", "class 1", "class 2"]


def absolute_error(X, y, s, train, test, **how):
    """The mean absolute error outside the fold of a fit with its share of the ridge."""
    how["ridge"] *= len(train) / len(y)
    model = spgm.solve(X[train], y[train], s, ridge_scale="deviation", **how)
    return np.abs(X[test] @ model.coef + model.intercept - y[test]).mean()


def test_the_loss_is_chosen_by_the_absolute_error(data):
    X, y = data
    folds = KFold(5, shuffle=True, random_state=0)
    model = spgm.SparseRegressorCV([12], cv=folds, loss="auto", rule="min").fit(X, y)
    tables = model.cross_validations_
    assert list(tables) == ["absolute_error", "huber", "squared_error"]
    delta = tables["absolute_error"].mean.min()
    for loss, how in (("absolute_error", {}), ("huber", {"delta": delta}), ("squared_error", {})):
        for ridge, losses in zip(tables[loss].ridges[:-1], tables[loss].grid_losses):
            expected = [absolute_error(X, y, 12, *split, loss=loss, ridge=ridge, **how) for split in folds.split(X)]
            assert losses[0] == pytest.approx(expected, rel=1e-4)
    assert model.cross_validation_ is tables[model.loss_] and "the losses absolute_error, huber" in model.result_.record["chosen"]
    assert model.score(X, y) == pytest.approx(d2_absolute_error_score(y, model.predict(X)), rel=1e-6)


def test_huber_unless_another_loss_is_clearly_lower():
    seen = set()
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(60, 5))
        y = X[:, 0] + (rng.normal(size=60) if seed % 2 else 0.1 * rng.standard_cauchy(60))
        model = spgm.SparseRegressorCV([0, 1, 2], rule="min", options={"repeats": 2}).fit(X, y)
        best = {loss: cv.grid_losses.reshape(-1, 10)[np.nanargmin(cv.grid)] for loss, cv in model.cross_validations_.items()}
        difference = {loss: best["huber"] - losses for loss, losses in best.items() if loss != "huber"}
        clear = [loss for loss, d in difference.items() if d.mean() > np.sqrt(d.var(ddof=1) / 5)]  # five folds in one split
        assert model.loss_ == min(clear, key=lambda loss: best[loss].mean(), default="huber")
        seen.add(model.loss_)
    assert len(seen) > 1  # else the rule was not tried


def test_the_loss_is_left_open_where_nothing_settles_it(data):
    X, y = data
    some = {"n_nonzero_coefs": [1, 2], "cv": 3}
    assert list(spgm.SparseRegressorCV(**some).fit(X, y).cross_validations_) == ["absolute_error", "huber", "squared_error"]
    for given, loss in (
        ({"alphas": 0}, "absolute_error"),
        ({"alphas": [0.0, 1.0]}, "absolute_error"),
        ({"loss": "absolute_error"}, "absolute_error"),
        ({"quantile": 0.3}, "quantile"),
        ({"options": {"epsilon": 0.1}}, "epsilon"),
    ):
        model = spgm.SparseRegressorCV(**some, **given).fit(X, y)
        assert model.loss_ == loss and not hasattr(model, "cross_validations_")


def test_two_labels_are_judged_at_the_best_multiple_of_their_scores():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0, 1, -1)
    folds = KFold(3, shuffle=True, random_state=0)
    for loss, power in (("hinge", 1), ("squared_hinge", 2)):
        cv = spgm.SparseClassifierCV([4], alphas=[1.0, 1000.0], cv=folds, loss=loss).fit(X, y).cross_validation_
        for ridge, losses in zip(cv.ridges, cv.grid_losses):
            for (train, test), found in zip(folds.split(X), losses[0]):
                model = spgm.SparseClassifier(4, loss=loss, alpha=ridge * len(train) / 60).fit(X[train], y[train])
                margins = y[test] * model.decision_function(X[test])
                multiples = np.concatenate([[0], np.geomspace(1e-3, 4096, 40001)])
                lowest = (np.maximum(0, 1 - np.outer(multiples, margins)) ** power).mean(axis=1).min()
                assert found == pytest.approx(lowest, rel=1e-3)
    y[:20] = 0  # with three labels scores are compared with each other: the plain loss
    cv = spgm.SparseClassifierCV([4], alphas=[1000.0], cv=folds, loss="hinge").fit(X, y).cross_validation_
    for (train, test), found in zip(folds.split(X), cv.grid_losses[0, 0]):
        alone = [spgm.SparseClassifier(4, alpha=1000 * len(train) / 60).fit(X[train], y[train] == label) for label in (-1, 0, 1)]
        scores = np.column_stack([model.decision_function(X[test]) for model in alone])  # their intercepts are not moved
        margins = np.where(y[test][:, None] == [-1, 0, 1], 1, -1) * scores
        assert found == pytest.approx(np.maximum(0, 1 - margins).mean(), rel=1e-3)


@pytest.mark.parametrize(("noise", "losses"), [(lambda r: r.normal(size=400), ("huber", "squared_error")), (lambda r: r.standard_cauchy(400), ("absolute_error", "huber"))])
def test_the_loss_follows_the_errors(noise, losses):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(400, 6))
    y = X[:, 0] + X[:, 1] + noise(rng)
    seeded = np.random.RandomState(3)  # draws a number whenever it is asked
    model = spgm.SparseRegressorCV(loss="auto", rule="min", random_state=seeded).fit(X, y)
    assert model.loss_ in losses and hasattr(model, "delta_") == (model.loss_ == "huber")
    first, *others = (cv.fold_of_row for cv in model.cross_validations_.values())
    assert all(np.array_equal(first, other) for other in others)
    how = {"delta": model.delta_} if model.loss_ == "huber" else {}
    same = spgm.solve(X, y, model.n_nonzero_coefs_, loss=model.loss_, ridge=model.alpha_, ridge_scale="deviation", **how)
    assert np.allclose(model.coef_, same.coef, atol=1e-6)


def test_a_loss_that_is_chosen_has_no_settings(data):
    X, y = data
    with pytest.raises(ValueError, match="delta"):
        spgm.SparseRegressorCV([1], loss="auto", delta=1.0).fit(X, y)
    perfect = spgm.SparseRegressorCV([1], loss="auto", rule="min", alphas=0).fit(X[:, :1], 2 * X[:, 0])
    assert perfect.loss_ == "absolute_error" and perfect.coef_ == pytest.approx([2.0])


@pytest.mark.parametrize("weighted", [False, True])
def test_scores_of_hinges_are_comparable(weighted):
    """A class between two others: no line separates it from both, and its own model alone never wins."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 3))
    y = np.digitize(X[:, 0] + 0.1 * rng.normal(size=300), [-0.4, 0.4])
    weights = rng.integers(0, 3, size=300).astype(float) if weighted else np.ones(300)
    for loss in ("hinge", "squared_hinge"):
        model = spgm.SparseClassifier(2, loss=loss).fit(X, y, sample_weight=weights if weighted else None)
        scores = model.decision_function(X)
        share = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
        assert np.allclose(weights @ share, np.bincount(y, weights), rtol=1e-5)
        assert model.score(X, y) > 0.85
        assert np.array_equal(model.intercept_, [result.intercept for result in model.results_])


def test_probabilities_and_models_without_intercept_stay():
    X, y = load_iris(return_X_y=True)
    model = spgm.SparseClassifier(2, loss="logistic").fit(X, y)
    for k, result in enumerate(model.results_):
        alone = spgm.solve(X, np.where(y == k, 1.0, -1.0), 2, loss="logistic", ridge=1)
        assert result.intercept == pytest.approx(alone.intercept, rel=1e-6)
    assert not spgm.SparseClassifier(2, fit_intercept=False).fit(X, y).intercept_.any()


def _without_each_fold(X, y, w, fold_of_row):
    """What ridge regression on all columns predicts without each fold, at the ridge of the lowest absolute error outside them."""
    Z = X - np.average(X, axis=0, weights=w)
    Z /= np.maximum(np.sqrt(np.average(Z**2, axis=0, weights=w)), 0.2 * np.abs(Z).max(axis=0))
    off = y - np.average(y, weights=w)
    unit = (w @ np.abs(off)) ** 2 / (w @ off**2)

    def fit(ridge, fold):
        rows = fold_of_row != fold
        A = np.column_stack([Z, np.ones(y.size)])
        penalty = np.diag([ridge * w[rows].sum() / w.sum()] * Z.shape[1] + [0])
        return A @ np.linalg.solve(A[rows].T @ (A[rows] * w[rows, None]) + penalty, A[rows].T @ (w[rows] * y[rows]))

    ridges = [times * unit for times in X.shape[1] / 4.0 ** np.arange(30) if times > 1 / 300]
    found = [np.array([fit(ridge, fold) for fold in range(5)]) for ridge in ridges]
    return min(found, key=lambda each: w @ np.abs(y - each[fold_of_row, np.arange(y.size)]))


def _share(y, w, outside, other):
    """Of what predicts `other` in the mean, which predicts `outside` for rows that it has not seen."""
    below = np.abs(y - outside) - np.abs(y - other)
    error = np.sqrt(np.average((below - np.average(below, weights=w)) ** 2, weights=w) / (y.size - 1))
    return 0.5 * math.erfc(-np.average(below, weights=w) / error / 2 / math.sqrt(2))


def _robust_without_each_fold(X, y, w, fold_of_row, outside):
    """What all columns by Huber's loss predict."""
    errors = np.abs(y - outside)
    order = np.argsort(errors)
    half = np.searchsorted(np.cumsum(w[order]), 0.5 * w.sum() * (1 + 1 / y.size) * (1 - 1e-9))
    every = np.zeros((5, y.size))
    for fold in range(5):
        rows = fold_of_row != fold
        ridge = 0.02 * w[rows].sum()
        delta = 2 * errors[order[half]]
        one = spgm.solve(X[rows], y[rows], X.shape[1], loss="huber", delta=delta, ridge=ridge, ridge_scale="deviation", weights=w[rows])
        every[fold] = X @ one.coef + one.intercept
    return every


def test_few_columns_stand_for_the_mean_of_the_best_models():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(120, 12))
    X[:, 5:] += X[:, :1]
    y = X @ 0.8 ** np.arange(12) + rng.normal(size=120)
    weights = rng.integers(0, 3, size=120).astype(float)
    model = spgm.SparseRegressorCV(random_state=3, options={"repeats": 1}).fit(X, y, sample_weight=weights)
    X, y, w = X[weights > 0], y[weights > 0], weights[weights > 0]
    cells = sorted(
        (cross.grid[k, i], number, loss, ridge, s)
        for number, (loss, cross) in enumerate(model.cross_validations_.items())
        for k, ridge in enumerate(cross.ridges)
        for i, s in enumerate(cross.sparsity)
        if not np.isnan(cross.grid[k, i])
    )
    lowest = cells[0][0]
    near = [cell for cell in cells if cell[0] <= 1.05 * lowest][:20]
    fold_of_row = model.cross_validation_.fold_of_row
    assert len(near) > 1 and fold_of_row.max() == 4
    mean, outside, members = np.zeros(y.size), np.zeros(y.size), np.zeros(5)
    for member in range(20):
        _, _, loss, ridge, s = near[member % len(near)]
        rows = fold_of_row != (member + member // len(near)) % 5
        delta = {"delta": model.cross_validations_["absolute_error"].mean.min()} if loss == "huber" else {}
        share = w[rows].sum() / w.sum()
        one = spgm.solve(X[rows], y[rows], int(s), loss=loss, ridge=share * ridge, ridge_scale="deviation", weights=w[rows], **delta)
        mean += (X @ one.coef + one.intercept) / 20
        outside[~rows] += (X @ one.coef + one.intercept)[~rows]
        members[fold_of_row[~rows][0]] += 1
    every = _without_each_fold(X, y, w, fold_of_row)
    outside /= members[fold_of_row]
    weight = _share(y, w, outside, every[fold_of_row, np.arange(y.size)])
    assert 0.1 < weight < 0.9
    mean = (1 - weight) * mean + weight * every.mean(axis=0)
    outside = (1 - weight) * outside + weight * every[fold_of_row, np.arange(y.size)]
    robust = _robust_without_each_fold(X, y, w, fold_of_row, outside)
    weight = 6 / 12 * _share(y, w, outside, robust[fold_of_row, np.arange(y.size)])
    assert weight > 0.05
    mean = (1 - weight) * mean + weight * robust.mean(axis=0)

    def missed(s):
        few = spgm.solve(X, mean, s, loss="squared", weights=w)
        squares = np.average((X @ few.coef + few.intercept - mean) ** 2, weights=w)
        return few, squares * y.size / (y.size - 1 - s) / (np.pi * lowest**2)

    few, share = missed(model.n_nonzero_coefs_)
    assert np.allclose(model.coef_, few.coef, atol=1e-4) and model.intercept_ == pytest.approx(few.intercept, abs=1e-4)
    assert share <= 0.012 < missed(model.n_nonzero_coefs_ - 1)[1]
    assert model.n_nonzero_coefs_ == model.support_.size < X.shape[1]
    assert model.loss_ == "squared_error" and "it minimises no F of the data" in model.result_.record["chosen"]


def test_few_of_many_columns_are_drawn_to_the_mean(monkeypatch):
    rng = np.random.default_rng(21)
    factor = rng.normal(size=(50, 1))
    X = factor + rng.normal(size=(50, 70))
    y = 3 * factor[:, 0] + rng.normal(size=50)
    seen = {}
    original = spgm.SparseRegressorCV._project

    def watched(self, tables, weights):
        found = original(self, tables, weights)
        seen.update(target=found[0].copy(), linear=self._drawn.copy())
        return found

    monkeypatch.setattr(spgm.SparseRegressorCV, "_project", watched)
    model = spgm.SparseRegressorCV().fit(X, y)
    assert model.alpha_ == pytest.approx(0.2 * 50) and not hasattr(model, "_drawn")
    smooth = spgm.Smooth(ridge=model.alpha_, linear=seen["linear"])
    few = spgm.solve(X, seen["target"], model.n_nonzero_coefs_, loss="squared", f=smooth, ridge_scale="deviation", effort=4)
    assert model.coef_ == pytest.approx(few.coef, abs=1e-6) and seen["linear"].any()


def test_a_projection_keeps_to_the_features_that_may_be_in(data):
    X, y = data
    assert spgm.SparseRegressorCV([0, 1, 2]).fit(X, y).support_.size <= 2
    restricted = spgm.SparseRegressorCV(positive=True).fit(X, y)
    assert (restricted.coef_ >= 0).all() and "the lowest mean loss" in restricted.result_.record["chosen"]


def test_projection_needs_an_open_loss_and_no_restrictions(data):
    X, y = data
    for given, what in (({"loss": "huber"}, "leave the loss open"), ({"alphas": [0.1]}, "leave the loss open"), ({"positive": True}, "positive"), ({"exclude": [1]}, "exclude")):
        with pytest.raises(ValueError, match=what):
            spgm.SparseRegressorCV(rule="projected", **given).fit(X, y)
    with pytest.raises(ValueError, match="rule is 'projected'"):
        spgm.SparseClassifierCV(rule="projected").fit(X, y > 0)
    constant = spgm.SparseRegressorCV(rule="projected").fit(X, np.ones(90))
    assert constant.intercept_ == pytest.approx(1) and not constant.support_.size


@pytest.mark.parametrize("limit", [1e-3, 0.03, 0.1])
def test_a_choice_of_the_loss_that_has_no_time_for_all_folds_has_a_model(limit):
    X, y = spgm.generate("random-256-1024", seed=1)
    model = spgm.SparseRegressorCV(time_limit=limit).fit(X, y)
    assert np.count_nonzero(model.coef_) <= model.n_nonzero_coefs_
    assert np.isfinite(model.predict(X)).all()
