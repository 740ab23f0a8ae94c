"""Quantile regression with s features: which ones move the middle, which ones the spread?"""

from __future__ import annotations

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import common
import numpy as np
from common import INK, SOFT, plt
from sklearn.linear_model import QuantileRegressor

import spgm

LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)


def instance(seed: int, m: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Features 0 to 2 move the middle, features 3 and 4 the spread."""
    rng = np.random.default_rng(seed)
    X = np.asfortranarray(rng.random((m, n)))
    middle = 2 * X[:, 0] - 1.5 * X[:, 1] + X[:, 2]
    return X, middle + (0.2 + 1.5 * X[:, 3] + X[:, 4]) * rng.normal(size=m)


def pinball(residual: np.ndarray, level: float) -> float:
    return float(np.maximum(level * residual, (level - 1) * residual).sum())


def cut_and_refit(X: np.ndarray, y: np.ndarray, level: float, s: int) -> tuple[np.ndarray, float]:
    """QuantileRegressor with the largest l1 penalty that leaves s features, cut to s, fitted again."""
    for alpha in 10 ** np.linspace(-1, -3.5, 11):
        coef = QuantileRegressor(quantile=level, alpha=alpha, solver="highs").fit(X, y).coef_
        if np.count_nonzero(np.abs(coef) > 1e-9) >= s:
            break
    chosen = np.argsort(-np.abs(coef), kind="stable")[:s]
    model = QuantileRegressor(quantile=level, alpha=0, solver="highs").fit(X[:, chosen], y)
    full = np.zeros(X.shape[1])
    full[chosen] = model.coef_
    return full, float(model.intercept_)


def run(case: common.Case) -> dict:
    m, n, s = (80, 12, 5) if case.quick else (400, 100, 5)
    levels = LEVELS[1:4] if case.quick else LEVELS
    X, y = instance(1, m, n)
    X_new, y_new = instance(2, 20000, n)
    rows, coefs, F = [], [], []
    for level in levels:
        ours, spent = common.processor_seconds(
            lambda: spgm.solve(X, y, s, loss="quantile", quantile=level, intercept=True, effort=1 if case.quick else 3)
        )
        (coef, intercept), their_seconds = common.processor_seconds(lambda: cut_and_refit(X, y, level, s))
        below = float(np.mean(y_new <= X_new @ ours.coef + ours.intercept))
        their_below = float(np.mean(y_new <= X_new @ coef + intercept))
        F.append((ours.objective, pinball(y - X @ coef - intercept, level)))
        outside = pinball(y_new - X_new @ ours.coef - ours.intercept, level) / len(y_new)
        their_outside = pinball(y_new - X_new @ coef - intercept, level) / len(y_new)
        rows.append([level, *F[-1], outside, their_outside, f"{100 * below:.1f} %", f"{100 * their_below:.1f} %", spent, their_seconds])
        coefs.append(ours.coef)
    names = ("spgm", "l1, cut, again")
    case.table(["quantile", *(f"{what}, {who}" for what in ("F", "loss per new row", "new rows below", "processor s") for who in names)], rows)

    case.write("rows.csv", X, y)
    model = spgm.solve(X, y, s, loss="quantile", quantile=0.75, intercept=True)
    case.same_as_python(f"fit rows.csv --loss quantile --quantile 0.75 --sparsity {s} --output upper.json", model.objective)

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    shown = [0, 1, 2, 3, 4]
    rest = [float(np.abs(np.delete(c, shown)).max()) for c in coefs]
    table = np.array([[*c[shown], r] for c, r in zip(coefs, rest)]).T
    scale = np.abs(table).max()
    left.imshow(table, cmap="RdBu_r", vmin=-scale, vmax=scale, aspect="auto")
    for (i, k), value in np.ndenumerate(table):
        left.text(k, i, f"{value:.1f}" if value else "", ha="center", va="center", fontsize=8, color="white" if abs(value) > 0.6 * scale else "black")
    left.set_xticks(range(len(levels)), [f"{q:g}" for q in levels])
    left.set_yticks(range(6), ["middle +2", "middle −1.5", "middle +1", "spread 1.5", "spread 1", "largest other"])
    left.set(xlabel="quantile")
    left.set_title(f"Coefficients with s = {s} of {n}")
    low, high = (spgm.solve(X, y, s, loss="quantile", quantile=q, intercept=True, effort=1) for q in (0.05, 0.95))
    order = np.argsort(X_new[:300] @ (high.coef - low.coef))
    place = np.arange(300)
    lower, upper = (X_new[:300] @ f.coef + f.intercept for f in (low, high))
    right.fill_between(place, (lower - lower)[order], (upper - lower)[order], color=SOFT, alpha=0.5, lw=0, label="5 % to 95 %")
    right.plot(place, (y_new[:300] - lower)[order], "o", color=INK, ms=2.5, label="new rows")
    right.set(xlabel="300 new rows, by the width of their band", ylabel="target above the 5 % quantile")
    right.set_title("The band is wide where it has to be")
    right.legend(loc="upper left", fontsize=8)
    left.spines[:].set_visible(False)
    case.save(figure)
    return {"F": np.array(F), "below": [r[5] for r in rows]}


if __name__ == "__main__":
    common.main(run, __file__, __doc__)
