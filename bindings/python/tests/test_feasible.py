"""Bounds, excluded columns and groups: every loss against enumeration with HiGHS and SciPy, names, estimators, what cannot be."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog, lsq_linear, minimize

import spgm

LOSSES = ["l1", "quantile", "epsilon", "hinge", "linf", "l2", "squared", "huber", "logistic", "squared_hinge"]
SMOOTH = {"huber", "logistic", "squared_hinge"}
SEARCHES = ["auto", "exact"]
METHODS = [name for name in spgm.methods() if name not in [*SEARCHES, "polish"]]  # which only fits its start
GROUPS = np.array([3, 3, 7, 7, 7, -1, 3])
SETS = {
    "nothing": {},
    "positive": {"positive": True},
    "box": {"lower": [-0.5, 0, -np.inf, -0.2, 0, -1, -2], "upper": [np.inf, 0.7, 0.3, 0, 0, 1, 0.5]},
    "excluded": {"exclude": [0, 4]},
    "capped": {"groups": GROUPS, "group_limit": 1},
    "grouped": {"groups": GROUPS},
    "capped box": {"groups": GROUPS, "group_limit": 1, "lower": -0.5, "upper": 0.8, "exclude": [2]},
    "free": {"free_columns": [3], "lower": -0.4, "exclude": [0]},
    "grouped positive": {"groups": GROUPS, "positive": True, "exclude": [2]},
}
TAU, EPSILON, DELTA, RIDGE = 0.3, 0.2, 0.5, 0.1  # with the ridge a smooth loss has one minimum


def data(loss: str, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(14, 7))
    b = A @ np.array([1.5, -1, 0.8, 0, 0.5, -0.6, 0]) + 0.4 * rng.standard_t(3, size=14) + 0.5
    labels = np.where((b > 0) ^ (np.arange(14) % 5 == 3), 1.0, -1.0)  # some of them wrong: no plane divides them
    return A, labels if loss in ("hinge", "logistic", "squared_hinge") else b


def loss_of(loss: str, A: np.ndarray, b: np.ndarray, x: np.ndarray, c: float) -> float:
    r = A @ x + c - b
    return {
        "l1": lambda: np.abs(r).sum(),
        "quantile": lambda: np.where(r > 0, (1 - TAU) * r, -TAU * r).sum(),
        "epsilon": lambda: np.maximum(np.abs(r) - EPSILON, 0).sum(),
        "hinge": lambda: np.maximum(1 - b * (A @ x + c), 0).sum(),
        "linf": lambda: np.abs(r).max(),
        "l2": lambda: np.sqrt((r**2).sum()),
        "squared": lambda: (r**2).sum() / 2,
        "huber": lambda: np.where(np.abs(r) <= DELTA, r**2 / 2, DELTA * np.abs(r) - DELTA**2 / 2).sum(),
        "logistic": lambda: np.logaddexp(0, -b * (A @ x + c)).sum(),
        "squared_hinge": lambda: (np.maximum(1 - b * (A @ x + c), 0) ** 2).sum(),
    }[loss]() + (RIDGE / 2 * x @ x if loss in SMOOTH else 0)


def slope_of(loss: str, b: np.ndarray, t: np.ndarray) -> np.ndarray:
    """The derivative of the loss by the prediction."""
    if loss == "huber":
        return np.clip(t - b, -DELTA, DELTA)
    return -b / (1 + np.exp(b * t)) if loss == "logistic" else -2 * b * np.maximum(1 - b * t, 0)


def minimum(loss: str, A: np.ndarray, b: np.ndarray, lower: np.ndarray, upper: np.ndarray) -> float:
    """min over lower <= x <= upper and c of h(A x + c - b), by HiGHS; squares by lsq_linear, smooth losses by L-BFGS-B."""
    m, k = A.shape
    M = np.column_stack([A, np.ones(m)])
    low, high = np.append(lower, -np.inf), np.append(upper, np.inf)
    fixed = low == high  # those at zero: lsq_linear takes no fixed variable
    M, low, high = M[:, ~fixed], low[~fixed], high[~fixed]
    k = M.shape[1]
    if loss in ("l2", "squared"):
        found = lsq_linear(M, b, (low, high), tol=1e-14)
        return float(np.sqrt(2 * found.cost) if loss == "l2" else found.cost)
    if loss in SMOOTH:
        found = minimize(
            lambda z: loss_of(loss, M[:, :-1], b, z[:-1], z[-1]),
            np.zeros(k),
            jac=lambda z: M.T @ slope_of(loss, b, M @ z) + RIDGE * np.append(z[:-1], 0),
            bounds=list(zip(low, high)),
            method="L-BFGS-B",
            options={"ftol": 1e-15, "gtol": 1e-9, "maxiter": 10000},
        )
        return float(found.fun)
    eye, zero = np.eye(m), np.zeros
    if loss == "linf":  # t >= |r|
        cost = np.append(zero(k), 1)
        above = np.column_stack([np.vstack([M, -M]), -np.ones(2 * m)])
        right = np.append(b, -b)
        sides = [(None, None)]
    elif loss == "hinge":  # t >= 1 - b (M z)
        cost = np.append(zero(k), np.ones(m))
        above = np.column_stack([-b[:, None] * M, -eye])
        right = -np.ones(m)
        sides = [(0, None)] * m
    else:  # u >= r - dead, v >= -r - dead
        dead = EPSILON if loss == "epsilon" else 0
        up, down = (1 - TAU, TAU) if loss == "quantile" else (1, 1)
        cost = np.concatenate([zero(k), up * np.ones(m), down * np.ones(m)])
        above = np.block([[M, -eye, zero((m, m))], [-M, zero((m, m)), -eye]])
        right = np.append(b + dead, dead - b)
        sides = [(0, None)] * (2 * m)
    found = linprog(cost, above, right, bounds=[*zip(low, high), *sides], method="highs")
    assert found.status == 0, found.message
    return float(found.fun)


def bounds_of(limits: dict) -> tuple[np.ndarray, np.ndarray]:
    lower = 0.0 if limits.get("positive") else limits.get("lower", -np.inf)
    return np.broadcast_to(lower, 7).astype(float), np.broadcast_to(limits.get("upper", np.inf), 7).astype(float)


def is_allowed(support: tuple[int, ...], s: int, limits: dict) -> bool:
    labels = [int(g) for g in limits.get("groups", [-1] * 7)]
    support = [j for j in support if j not in limits.get("free_columns", [])]
    units = [("group", labels[j]) if labels[j] >= 0 else ("column", j) for j in support]
    if set(support) & set(limits.get("exclude", [])):
        return False
    if "group_limit" in limits:
        counts = [units.count(u) for u in set(units) if u[0] == "group"]
        return len(support) <= s and max(counts, default=0) <= limits["group_limit"]
    return len(set(units)) <= s if "groups" in limits else len(support) <= s


def optimum(loss: str, A: np.ndarray, b: np.ndarray, s: int, limits: dict) -> float:
    """Over all supports; only the largest need be tried."""
    lower, upper = bounds_of(limits)
    allowed = [S for k in range(8) for S in itertools.combinations(range(7), k) if is_allowed(S, s, limits)]
    largest = [S for S in allowed if not any(set(S) < set(T) for T in allowed)]
    return min(minimum(loss, A[:, S], b, lower[list(S)], upper[list(S)]) for S in largest)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("loss", LOSSES)
def test_no_method_leaves_the_set_or_is_below_the_minimum(loss, name):
    limits = SETS[name]
    A, b = data(loss)
    lower, upper = bounds_of(limits)
    lowest = optimum(loss, A, b, 2, limits)
    settings = {"quantile": {"quantile": TAU}, "epsilon": {"epsilon": EPSILON}, "huber": {"delta": DELTA}}.get(loss, {})
    settings = {**settings, "loss": loss, "ridge": RIDGE if loss in SMOOTH else 0.0, **limits}
    found = {}
    methods = [name for name in METHODS if name != "diht" or settings["ridge"] > 0]  # which it needs
    results = {method: spgm.solve(A, b, 2, method=method, **settings) for method in [*methods, *SEARCHES]}
    results["path"] = spgm.path(A, b, [1, 2], **settings)[1]
    for method, result in results.items():
        assert result.feasible
        assert result.units <= 2
        assert is_allowed(tuple(result.support), 2, limits)
        assert (result.coef >= lower).all() and (result.coef <= upper).all()
        assert result.objective == pytest.approx(loss_of(loss, A, b, result.coef, result.intercept), rel=1e-9, abs=1e-9)
        assert result.objective >= lowest * (1 - 1e-7) - 1e-9
        found[method] = result.objective
        if method in (*SEARCHES, "path"):
            assert result.objective <= lowest * (1 + 1e-6) + 1e-9, method
    assert min(found[method] for method in methods) <= 1.05 * lowest + 1e-6, found


def test_flipped_signs():
    A, b = data("l1")
    sign = np.array([1, -1, -1, 1, -1, 1, 1])
    lower, upper = np.array([-1, 0, -0.3, -2, 0, -1, 0]), np.array([0, 2, 0.5, 0.1, 1, 1, 1])
    flipped = np.sort([sign * lower, sign * upper], axis=0)
    start = 0.1 * np.arange(7) - 0.3
    x = spgm.solve(A, b, 3, method="spgm-bcd", lower=lower, upper=upper, start=start)
    y = spgm.solve(A * sign, b, 3, method="spgm-bcd", lower=flipped[0], upper=flipped[1], start=sign * start)
    np.testing.assert_allclose(y.coef, sign * x.coef, rtol=0, atol=1e-12)
    assert (x.coef != 0).any()


def test_bounds_that_bind_nowhere_change_nothing():
    A, b = data("l1")
    plain = spgm.solve(A, b, 3, method="spgm-bcd")
    for limits in ({"lower": -np.inf}, {"lower": -1e30, "upper": 1e30}, {"exclude": []}):
        again = spgm.solve(A, b, 3, method="spgm-bcd", **limits)
        assert again.coef.tobytes() == plain.coef.tobytes() and again.iterations == plain.iterations


def test_names():
    pandas = pytest.importorskip("pandas")
    A, b = data("l1")
    frame = pandas.DataFrame(A, columns=list("abcdefg"))
    by_name = spgm.solve(
        frame, b, 3, method="spgm-bcd", lower={"b": -0.3}, upper={"c": 0.1, 0: 1}, exclude=["e"],
        groups={"a": "x", "b": "x", "f": "y"}, group_limit=1,
    )  # fmt: skip
    by_number = spgm.solve(
        A, b, 3, method="spgm-bcd", lower={1: -0.3}, upper=[1, np.inf, 0.1, *[np.inf] * 4],
        exclude=[False, False, False, False, True, False, False], groups=[1, 1, None, -1, "", 5, np.nan], group_limit=1,
    )  # fmt: skip
    assert by_name.coef.tobytes() == by_number.coef.tobytes()
    assert by_name.coef[4] == 0 and not (by_name.coef[0] and by_name.coef[1])


@pytest.mark.parametrize("groups", [[["a", "b"], ["f", -1]], [(0, 1), {5, 6}], {"x": ["a", 1], "y": ["f", "g"]}])
def test_groups_as_lists_of_columns(groups):
    pandas = pytest.importorskip("pandas")
    A, b = data("l1")
    frame = pandas.DataFrame(A, columns=list("abcdefg"))
    labels = [1, 1, None, None, None, 2, 2]
    for limit in (None, 1):
        wanted = spgm.solve(A, b, 2, groups=labels, group_limit=limit)
        assert spgm.solve(frame, b, 2, groups=groups, group_limit=limit).coef.tobytes() == wanted.coef.tobytes()
        model = spgm.SparseRegressor(2, groups=groups, group_limit=limit).fit(frame, b)
        assert model.coef_.tobytes() == wanted.coef.tobytes()


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"positive": True, "lower": -1}, "positive=True is lower=0"),
        ({"lower": 1}, "lower bound of column 0"),
        ({"upper": [1] * 6}, "7 columns"),
        ({"upper": {"a": 1}}, "no feature names"),
        ({"lower": {9: -1}}, "no column 9"),
        ({"lower": np.nan}, "NaN"),
        ({"exclude": [7]}, "no column 7"),
        ({"exclude": [True]}, "7 columns"),
        ({"exclude": [1], "free_columns": [1]}, "both free and excluded"),
        ({"groups": [0] * 6}, "7 columns"),
        ({"groups": [[0, 1], [1, 2]]}, "column 1 is in two of them"),
        ({"groups": [[0, 9]]}, "there is no column 9"),
        ({"group_limit": 1}, "needs groups"),
        ({"groups": [0] * 7, "group_limit": 0}, "group_limit is 0"),
        ({"groups": [0] * 7, "group_limit": 1, "free_columns": [1, 2]}, "raise the limit"),
    ],
)
def test_what_cannot_be_is_said(limits, words):
    A, b = data("l1")
    with pytest.raises(ValueError, match=words):
        spgm.solve(A, b, 2, method="spgm-bcd", **limits)


def test_compare_takes_the_set():
    A, b = data("l1")
    comparison = spgm.compare(A, b, 2, ["spgm-bcd", "omp"], positive=True, exclude=[0])
    for result in comparison.results.values():
        assert result.feasible and result.coef.min() >= 0 and result.coef[0] == 0


@pytest.mark.parametrize("name", ["positive", "excluded", "grouped", "capped box"])
def test_estimators(name):
    pytest.importorskip("sklearn")
    limits = SETS[name]
    A, b = data("l1")
    model = spgm.SparseRegressor(2, method="spgm-bcd", **limits).fit(A, b)
    again = spgm.solve(A, b, 2, method="spgm-bcd", threads=1, **limits)
    assert model.result_.feasible
    np.testing.assert_allclose(model.coef_, again.coef, rtol=0, atol=1e-9)
    labels = np.array(["low", "middle", "high"])[np.digitize(b, np.quantile(b, [0.3, 0.7]))]
    classifier = spgm.SparseClassifier(2, method="spgm-bcd", **limits).fit(A, labels)
    lower, upper = bounds_of(limits)
    for coef, result in zip(classifier.coef_, classifier.results_):
        assert result.feasible and is_allowed(tuple(np.flatnonzero(coef)), 2, limits)
        assert (coef >= lower).all() and (coef <= upper).all()


def test_estimators_know_feature_names():
    pytest.importorskip("sklearn")
    pandas = pytest.importorskip("pandas")
    A, b = data("l1")
    frame = pandas.DataFrame(A, columns=list("abcdefg"))
    model = spgm.SparseRegressor(3, method="spgm-bcd", lower={"b": 0}, exclude=["a"]).fit(frame, b)
    assert model.coef_[0] == 0 and model.coef_[1] >= 0
    with pytest.raises(ValueError, match="no feature is called 'z'"):
        spgm.SparseRegressor(3, method="spgm-bcd", exclude=["z"]).fit(frame, b)


def test_search_honours_the_set():
    """auto, path and cross-validation within groups, caps, excluded columns and bounds."""
    A, b = data("l1")
    groups = np.asarray(GROUPS)
    grouped = spgm.solve(A, b, 2, groups=GROUPS)
    assert grouped.feasible and len({g for g in groups[grouped.support]}) <= 2
    capped = spgm.solve(A, b, 3, groups=GROUPS, group_limit=1)
    assert capped.feasible
    assert all(0 not in model.support for model in spgm.path(A, b, [1, 2], exclude=[0]))
    assert np.isfinite(spgm.cross_validate(A, b, [1, 2], folds=2, groups=GROUPS, group_limit=1).mean).all()
    for loss in ("l1", "squared", "linf", "huber"):
        positive = spgm.solve(A, b, 2, loss=loss, positive=True)
        assert positive.feasible and (positive.coef >= 0).all()
    assert np.isfinite(spgm.cross_validate(A, b, [1, 2], folds=2, upper=1).mean).all()
    polished = spgm.solve(A, b, 2, method="spgm-bcd", polish=True, positive=True)
    assert polished.feasible and polished.objective >= spgm.solve(A, b, 2, positive=True).objective * (1 - 1e-9)


def test_free_columns_of_estimators():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(11)
    X = rng.normal(size=(60, 5))
    y = X[:, 0] + 0.01 * X[:, 4]
    frame = pandas.DataFrame(X, columns=list("abcde"))
    for data, free in ((X, [4]), (X, np.arange(5) == 4), (frame, ["e"])):
        model = spgm.SparseRegressor(1, free_columns=free).fit(data, y)
        assert model.support_.tolist() == [0, 4]
        assert spgm.SparseRegressorCV([1], free_columns=free, cv=3).fit(data, y).support_.tolist() == [0, 4]
        assert 4 in spgm.SparseClassifier(1, free_columns=free).fit(data, y > 0).support_
    with pytest.raises(ValueError, match="no column has that name"):
        spgm.SparseRegressor(1, free_columns=["z"]).fit(frame, y)


def test_categories_of_frames_are_called_so():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"Region": pandas.Categorical(["S", "N", "S"]), "size": [1.0, 2, 3], "kind": ["a", "b", "a"]})
    for fit in (lambda: spgm.solve(frame, [1.0, 2, 3], 1), lambda: spgm.SparseRegressor(1).fit(frame, [1.0, 2, 3])):
        with pytest.raises(ValueError, match=r"\(Region, kind\): encode them.*OneHotEncoder"):
            fit()
    polars = pytest.importorskip("polars")
    with pytest.raises(ValueError, match=r"\(kind\): encode them"):
        spgm.solve(polars.DataFrame({"size": [1.0, 2, 3], "kind": ["a", "b", "a"]}), [1.0, 2, 3], 1)
