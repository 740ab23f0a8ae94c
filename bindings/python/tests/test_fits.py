"""Fits on a fixed support against scikit-learn and SciPy, and bounds that are proven."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.optimize
from sklearn.linear_model import HuberRegressor, LogisticRegression
from sklearn.svm import LinearSVC

import spgm


def data(seed: int, m: int = 80, n: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(m, n))
    return A, A @ rng.normal(size=n) + rng.standard_t(2, size=m)


def labels(b: np.ndarray) -> np.ndarray:
    return np.where(b > np.median(b), 1.0, -1.0)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ridge", [1e-3, 1.0, 30.0])
@pytest.mark.parametrize("intercept", [False, True])
def test_logistic_is_that_of_scikit_learn(seed, ridge, intercept):
    A, b = data(seed)
    y = labels(b)
    model = LogisticRegression(
        C=1 / ridge, tol=1e-14, max_iter=1000, solver="newton-cholesky", fit_intercept=intercept
    ).fit(A, y)
    x, c = model.coef_[0], float(model.intercept_[0]) if intercept else 0.0
    expected = np.logaddexp(0, -y * (A @ x + c)).sum() + ridge / 2 * x @ x
    result = spgm.solve(A, y, A.shape[1], loss="logistic", ridge=ridge, intercept=intercept)
    assert result.objective == pytest.approx(expected, rel=1e-7)
    assert np.allclose(result.coef, x, atol=1e-5) and result.intercept == pytest.approx(c, abs=1e-5)
    assert result.outcome == "optimal"
    assert expected * (1 - 1e-6) <= result.bound <= expected


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ridge", [1e-3, 1.0, 30.0])
def test_squared_hinge_is_that_of_scikit_learn(seed, ridge):
    A, b = data(seed)
    y = labels(b)
    # liblinear: x'x/2 + C sum max(0, 1 - y a'x)^2
    model = LinearSVC(
        C=1 / ridge, loss="squared_hinge", dual=False, fit_intercept=False, tol=1e-12, max_iter=100000
    ).fit(A, y)
    x = model.coef_[0]
    expected = (np.maximum(0, 1 - y * (A @ x)) ** 2).sum() + ridge / 2 * x @ x
    result = spgm.solve(A, y, A.shape[1], loss="squared_hinge", ridge=ridge, intercept=False)
    assert result.objective == pytest.approx(expected, rel=1e-7)
    assert result.objective <= expected * (1 + 1e-12)
    assert np.allclose(result.coef, x, atol=1e-4)
    assert result.objective * (1 - 1e-6) <= result.bound <= result.objective


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ridge", [1e-2, 1.0, 30.0])
@pytest.mark.parametrize("scaling", [1.0, 300.0])
def test_squared_hinge_is_that_of_scikit_learn_with_an_intercept(seed, ridge, scaling):
    """LIBLINEAR's intercept c is the coefficient v of a column of `scaling`, v = c / scaling, whose v^2/2 is in the penalty; ours is free."""
    A, b = data(seed)
    y = np.where(b > np.quantile(b, 0.8), 1.0, -1.0)
    model = LinearSVC(
        C=1 / ridge, loss="squared_hinge", dual=False, intercept_scaling=scaling, tol=1e-12, max_iter=100000
    ).fit(A, y)
    x, c = model.coef_[0], float(model.intercept_[0])
    free = (np.maximum(0, 1 - y * (A @ x + c)) ** 2).sum() + ridge / 2 * x @ x
    penalised = free + ridge / 2 * (c / scaling) ** 2

    # its problem to the letter: the intercept as a column like the others
    columns = np.column_stack([A, np.full(y.size, scaling)])
    same = spgm.solve(columns, y, columns.shape[1], loss="squared_hinge", ridge=ridge, intercept=False)
    assert same.objective == pytest.approx(penalised, rel=1e-7)
    assert np.allclose(same.coef[:-1], x, atol=1e-4) and same.coef[-1] * scaling == pytest.approx(c, abs=1e-4)

    # ours: no higher at its minimiser, and lower by no more than the penalty of our intercept
    ours = spgm.solve(A, y, A.shape[1], loss="squared_hinge", ridge=ridge, intercept=True)
    assert ours.objective <= free * (1 + 1e-12)
    assert ours.objective >= penalised * (1 - 1e-9) - ridge / 2 * (ours.intercept / scaling) ** 2
    assert abs(ours.intercept) > 0.1
    if scaling > 1:  # then the penalty is next to nothing
        assert ours.objective == pytest.approx(free, rel=1e-6) and ours.intercept == pytest.approx(c, rel=1e-2)


def huber(r: np.ndarray, delta: float) -> float:
    size = np.abs(r)
    return np.where(size <= delta, r * r / 2, delta * (size - delta / 2)).sum()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("ridge", [0.0, 1.0])
@pytest.mark.parametrize("delta", [0.1, 1.35])
def test_huber_is_that_of_scipy(seed, ridge, delta):
    A, b = data(seed)

    def value(x):
        return huber(A @ x - b, delta) + ridge / 2 * x @ x

    def slope(x):
        return A.T @ np.clip(A @ x - b, -delta, delta) + ridge * x

    found = scipy.optimize.minimize(value, np.zeros(A.shape[1]), jac=slope, method="BFGS", options={"gtol": 1e-10})
    result = spgm.solve(A, b, A.shape[1], loss="huber", delta=delta, ridge=ridge, intercept=False)
    assert result.objective == pytest.approx(found.fun, rel=1e-7)
    assert np.abs(slope(result.coef)).max() <= 1e-6 * np.abs(A).sum()
    assert found.fun * (1 - 1e-6) <= result.bound <= found.fun * (1 + 1e-14)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("alpha", [1e-4, 1.0])
@pytest.mark.parametrize("intercept", [False, True])
def test_huber_is_that_of_scikit_learn_at_its_scale(seed, alpha, intercept):
    """HuberRegressor: sum s + s H(r / s) + alpha x'x over x and the scale s. At its s that is 2 / s times our F with delta = epsilon s, ridge = alpha s."""
    A, b = data(seed)
    model = HuberRegressor(epsilon=1.35, alpha=alpha, fit_intercept=intercept, tol=1e-12, max_iter=10000).fit(A, b)
    x, c, scale = model.coef_, float(model.intercept_), float(model.scale_)
    expected = huber(A @ x + c - b, 1.35 * scale) + alpha * scale / 2 * x @ x
    result = spgm.solve(A, b, A.shape[1], loss="huber", delta=1.35 * scale, ridge=alpha * scale, intercept=intercept)
    assert result.objective == pytest.approx(expected, rel=1e-7)
    assert result.objective <= expected * (1 + 1e-12)
    assert np.allclose(result.coef, x, atol=1e-4) and result.intercept == pytest.approx(c, abs=1e-4)


def test_no_bound_above_an_attainable_objective():
    """Two columns that nearly depend on two others: the bound was 20.18, but some x has F = 17.86."""
    rng = np.random.default_rng(58)
    B = rng.normal(size=(24, 2))
    A = np.column_stack([B, B @ [1.0, 1.0], B @ [2.0, -1.0]]) + 1e-9 * rng.normal(size=(24, 4))
    b = rng.normal(size=24)
    result = spgm.solve(A, b, 4, intercept=False)
    assert result.bound <= 17.87


@pytest.mark.parametrize("noise", [1e-7, 1e-8, 1e-9])
def test_bounds_of_nearly_dependent_columns(noise):
    """The columns of A span what those of an orthonormal basis do, in which a linear program is well conditioned."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        B = rng.normal(size=(24, 2))
        N = rng.normal(size=(24, 2))
        A = np.column_stack([B, B @ [1.0, 1.0] + noise * N[:, 0], B @ [2.0, -1.0] + noise * N[:, 1]])
        b = rng.normal(size=24)
        # the differences are exact to 1e-16, so that the directions are known to 1e-16 / noise
        Q = np.linalg.qr(np.column_stack([B, (A[:, 2] - B[:, 0] - B[:, 1]) / noise, (A[:, 3] - 2 * B[:, 0] + B[:, 1]) / noise]))[0]
        m, k = Q.shape
        least = scipy.optimize.linprog(
            np.r_[np.zeros(k), np.ones(2 * m)],
            A_eq=np.hstack([Q, -np.eye(m), np.eye(m)]),
            b_eq=b,
            bounds=[(None, None)] * k + [(0, None)] * 2 * m,
        ).fun
        result = spgm.solve(A, b, 4, intercept=False)
        assert result.bound <= least * (1 + 1e-5), (seed, noise)


def test_optimal_reaches_its_bound():
    """Coefficients of 1e11 leave F few digits: what does not reach the bound is not optimal."""
    for seed in (134, 164, 332):
        r = np.random.default_rng(seed)
        B, eps = r.normal(size=(12, 2)), 10.0 ** r.uniform(-13, -9)
        A = np.column_stack([B[:, 0], B[:, 0] + eps * r.normal(size=12), B[:, 1], B[:, 1] + eps * r.normal(size=12)])
        fit = spgm.solve(A, r.normal(size=12), 3, loss="squared", intercept=False)
        assert fit.outcome != "optimal" or fit.objective - fit.bound <= 2e-6 * fit.objective
        assert fit.bound <= fit.objective
