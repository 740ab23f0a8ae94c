"""Sparse isotonic regression: a sum of increasing functions of s features, chosen among many."""

from __future__ import annotations

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import common
import numpy as np
from common import ACCENT, INK, SOFT, plt
from sklearn.isotonic import IsotonicRegression

import spgm

SHAPES = (lambda t: 2.0 * (t > 0.5), lambda t: 2 * t**2, lambda t: np.minimum(3 * t, 1.5))


def instance(seed: int, m: int, features: int, outliers: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three features matter; a share of the targets is far too large."""
    rng = np.random.default_rng(seed)
    X = rng.random((m, features))
    clean = sum(shape(X[:, j]) for j, shape in enumerate(SHAPES))
    y = clean + 0.3 * rng.normal(size=m)
    wrong = rng.random(m) < outliers
    y[wrong] += rng.uniform(5, 15, wrong.sum())
    return X, y, clean


def steps(X: np.ndarray, thresholds: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """A column 1{x_j >= t} for each feature j and each of its thresholds; the groups are the features."""
    columns = [X[:, [j]] >= t for j, t in enumerate(thresholds)]
    groups = np.repeat(np.arange(X.shape[1]), [len(t) for t in thresholds])
    return np.asfortranarray(np.hstack(columns).astype(float)), groups


def quantiles(X: np.ndarray, count: int) -> list[np.ndarray]:
    return [np.quantile(x, np.arange(1, count + 1) / (count + 1)) for x in X.T]


def backfit(X: np.ndarray, y: np.ndarray, sweeps: int) -> list[IsotonicRegression]:
    """The usual tool for several features: scikit-learn's isotonic regression of the rest, feature by feature."""
    models = [IsotonicRegression(out_of_bounds="clip").fit(x, np.zeros_like(y)) for x in X.T]
    parts = np.zeros_like(X)
    for _ in range(sweeps):
        for j, x in enumerate(X.T):
            rest = y - y.mean() - parts.sum(axis=1) + parts[:, j]
            parts[:, j] = models[j].fit(x, rest).predict(x)
            parts[:, j] -= parts[:, j].mean()
    return models


def predict_backfit(models: list[IsotonicRegression], X: np.ndarray, X_train: np.ndarray, y: np.ndarray) -> np.ndarray:
    means = [m.predict(x).mean() for m, x in zip(models, X_train.T)]
    return y.mean() + sum(m.predict(x) - c for m, x, c in zip(models, X.T, means))


def run(case: common.Case) -> dict:
    m, features, count, repeats = (80, 6, 8, 1) if case.quick else (300, 30, 15, 10)
    rows, sweeps = [], 5 if case.quick else 20
    for outliers in (0.0, 0.1):
        errors: dict[str, list[float]] = {}
        found, seconds = 0, 0.0
        for k in range(repeats):
            X, y, _ = instance(k, m, features, outliers)
            X_new, _, clean = instance(k + 500, 2000, features, 0)
            thresholds = quantiles(X, count)
            A, groups = steps(X, thresholds)
            model, spent = common.processor_seconds(
                lambda: spgm.solve(A, y, 3, groups=groups, positive=True, intercept=True, effort=1)
            )
            chosen = np.unique(groups[model.support])
            found += np.intersect1d(chosen, [0, 1, 2]).size / repeats
            seconds += spent / repeats
            forecasts = {
                "spgm, l1, 3 features": steps(X_new, thresholds)[0] @ model.coef + model.intercept,
                "IsotonicRegression, best feature": one_feature(X, y, X_new),
                f"backfitting, all {features}": predict_backfit(backfit(X, y, sweeps), X_new, X, y),
                "backfitting, the true 3": predict_backfit(backfit(X[:, :3], y, sweeps), X_new[:, :3], X[:, :3], y),
            }
            for name, forecast in forecasts.items():
                errors.setdefault(name, []).append(float(np.abs(forecast - clean).mean()))
        rows.append([f"{100 * outliers:g} %", *(float(np.mean(e)) for e in errors.values()), found, seconds])
    case.table(["targets far too large", *errors, "true features of 3", "processor s of spgm"], rows)
    case.say(f"\nMean absolute distance from the true sum on 2000 new rows, mean of {repeats}; {m} rows, {features} features, {count} thresholds each.")

    # One feature, squared loss, a threshold at every value: scikit-learn's own problem.
    X, y, _ = instance(0, 30 if case.quick else 60, 4, 0)
    A, groups = steps(X, [np.sort(x)[1:] for x in X.T])
    one = spgm.solve(A, y, 1, loss="squared", groups=groups, positive=True, intercept=True)
    theirs = min(0.5 * np.sum((IsotonicRegression().fit(x, y).predict(x) - y) ** 2) for x in X.T)
    case.say(f"\nSquared loss, s = 1, a threshold at every value: F = {one.objective:.6f}; scikit-learn on the best feature: {theirs:.6f}.")

    X, y, _ = instance(0, m, features, 0.1)
    thresholds = quantiles(X, count)
    A, groups = steps(X, thresholds)
    case.write("steps.csv", A, y, [f"f{g}_{i}" for i, g in enumerate(groups)])
    (case.folder / "features.txt").write_text("\n".join(f"f{g}" for g in groups) + "\n")
    model = spgm.solve(A, y, 3, groups=groups, positive=True, intercept=True, effort=1)
    case.same_as_python("fit steps.csv --loss l1 --sparsity 3 --groups features.txt --nonnegative --effort 1 --output model.json", model.objective)

    figure, axes = plt.subplots(1, 3, figsize=(10, 3.4), sharey=True)
    grid = np.linspace(0, 1, 300)
    rivals = backfit(X, y, sweeps)
    for j, (ax, shape) in enumerate(zip(axes, SHAPES)):
        height = (grid[:, None] >= thresholds[j]) @ model.coef[groups == j]
        other = rivals[j].predict(grid)
        ax.plot(grid, shape(grid) - shape(grid).mean(), color=SOFT, lw=4, label="truth")
        ax.step(grid, other - other.mean(), color=INK, lw=1, label=f"backfitting, all {features}")
        ax.step(grid, height - height.mean(), color=ACCENT, lw=1.8, label="spgm, 3 features")
        ax.set(xlabel=f"feature {j + 1}")
    axes[0].legend(fontsize=8)
    axes[0].set(ylabel="part of the sum, centred")
    axes[0].set_title("10 % of targets far too large")
    case.save(figure)
    return {"F": one.objective, "theirs": theirs, "rows": rows, "monotone": bool((model.coef >= 0).all())}


def one_feature(X: np.ndarray, y: np.ndarray, X_new: np.ndarray) -> np.ndarray:
    fits = [IsotonicRegression(out_of_bounds="clip").fit(x, y) for x in X.T]
    best = int(np.argmin([np.sum((f.predict(x) - y) ** 2) for f, x in zip(fits, X.T)]))
    return fits[best].predict(X_new[:, best])


if __name__ == "__main__":
    common.main(run, __file__, __doc__)
