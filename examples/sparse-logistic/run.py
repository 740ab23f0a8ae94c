"""Sparse logistic regression: ten of 1000 correlated features matter, against an l1 penalty and abess."""

from __future__ import annotations

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import common
import numpy as np
from common import ACCENT, GOLD, INK, plt
from scipy.signal import lfilter
from sklearn.linear_model import LogisticRegression

import spgm

try:
    import abess
except ImportError:  # pip install abess
    abess = None

RHO, RIDGE = 0.7, 1e-3


def instance(seed: int, rows: int, columns: int, s: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Neighbouring columns have correlation 0.7."""
    rng = np.random.default_rng(seed)
    X = lfilter([np.sqrt(1 - RHO**2)], [1, -RHO], rng.normal(size=(rows, columns)), axis=1)
    place = np.random.default_rng(1000 + seed % 1000)
    beta = np.zeros(columns)
    beta[place.choice(columns, s, replace=False)] = place.choice([-1, 1], s) * place.uniform(0.7, 1.5, s)
    y = np.where(rng.random(rows) < 1 / (1 + np.exp(-X @ beta)), 1, -1)
    return np.asfortranarray(X), y, beta


def objective(X: np.ndarray, y: np.ndarray, coef: np.ndarray, intercept: float) -> float:
    return float(np.logaddexp(0, -y * (X @ coef + intercept)).sum() + RIDGE / 2 * coef @ coef)


def refit(X: np.ndarray, y: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, float]:
    model = LogisticRegression(C=1 / RIDGE, max_iter=2000, tol=1e-8).fit(X[:, chosen], y)
    coef = np.zeros(X.shape[1])
    coef[chosen] = model.coef_[0]
    return coef, float(model.intercept_[0])


def ours(X: np.ndarray, y: np.ndarray, s: int) -> tuple[np.ndarray, float]:
    model = spgm.solve(X, y, s, loss="logistic", f=RIDGE, intercept=True, effort=3)
    return model.coef, model.intercept


def l1_penalty(X: np.ndarray, y: np.ndarray, s: int) -> tuple[np.ndarray, float]:
    """The first penalty on the path with s columns, cut to s, fitted again."""
    for C in 10 ** np.linspace(-2.5, 0.5, 16):
        coef = LogisticRegression(l1_ratio=1, C=C, solver="liblinear", tol=1e-4).fit(X, y).coef_[0]
        if np.count_nonzero(coef) >= s:
            break
    return refit(X, y, np.argsort(-np.abs(coef), kind="stable")[:s])


def by_abess(X: np.ndarray, y: np.ndarray, s: int) -> tuple[np.ndarray, float]:
    """Its columns; fitted again, because its own coefficients are not quite at the minimum."""
    model = abess.LogisticRegression(support_size=s)
    model.fit(X, (y > 0).astype(int))
    return refit(X, y, np.flatnonzero(model.coef_))


def run(case: common.Case) -> dict:
    rows, columns, s = (100, 30, 2) if case.quick else (500, 1000, 10)
    repeats = 1 if case.quick else 10
    fits = {"spgm, logistic": ours, "l1 penalty, cut to s, again": l1_penalty}
    if abess is not None:
        fits["abess"] = by_abess
    F, deviance, seconds, found = (np.zeros((len(fits), repeats)) for _ in range(4))
    for k in range(repeats):
        X, y, beta = instance(k, rows, columns, s)
        X_new, y_new, _ = instance(k + 1000, 2000, columns, s)
        for i, fit in enumerate(fits.values()):
            (coef, intercept), seconds[i, k] = common.processor_seconds(lambda: fit(X, y, s))
            F[i, k] = objective(X, y, coef, intercept)
            deviance[i, k] = np.logaddexp(0, -y_new * (X_new @ coef + intercept)).mean()
            found[i, k] = np.count_nonzero(coef[beta != 0])
    case.table(
        [f"mean of {repeats}, {rows} × {columns}, s = {s}", "F", "lowest F in", f"true columns of {s}", "log loss, new rows", "processor s"],
        [
            [name, float(F[i].mean()), f"{np.sum(F[i] <= F.min(axis=0) * (1 + 1e-7))} of {repeats}", float(found[i].mean()), float(deviance[i].mean()), float(seconds[i].mean())]
            for i, name in enumerate(fits)
        ],
    )

    X, y, beta = instance(0, rows, columns, s)
    case.write("rows.csv", X, y)
    model = spgm.solve(X, y, s, loss="logistic", f=RIDGE, intercept=True)
    case.same_as_python(f"fit rows.csv --loss logistic --sparsity {s} --ridge 1e-3 --output model.json", model.objective)

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    order = np.argsort(F.min(axis=0))
    for i, (name, colour, marker) in enumerate(zip(fits, (ACCENT, INK, GOLD), "os^")):
        left.plot(np.arange(repeats) + 1, F[i, order], marker, color=colour, ms=7 - 2 * (i == 2), alpha=0.8, label=name)
        right.plot(found[i] + 0.08 * (i - 1), deviance[i], marker, color=colour, alpha=0.8, label=name)
    left.set(xlabel="instance", ylabel="F")
    left.set_title("Lower is better")
    left.legend()
    right.set(xlabel=f"true columns among the {s}", ylabel="log loss on 2000 new rows")
    right.set_title("The right columns forecast well")
    case.save(figure)
    return {"F": F, "names": list(fits)}


if __name__ == "__main__":
    common.main(run, __file__, __doc__)
