"""Robust regression: which of 64 terms explain the progress of diabetes, when some records are wrong?"""

from __future__ import annotations

import pathlib
import sys
import warnings

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import common
import numpy as np
from common import ACCENT, GOLD, INK, SOFT, plt
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import HuberRegressor, LinearRegression
from sklearn.preprocessing import PolynomialFeatures

import spgm


def load(seed: int, share: float) -> tuple:
    """Ten measurements, their squares and products; of a random half of the patients a share of the targets is wrong."""
    raw, target = load_diabetes(return_X_y=True)
    rng = np.random.default_rng(seed)
    terms = PolynomialFeatures(2, include_bias=False)
    X = terms.fit_transform(raw / raw.std(axis=0))
    names = [n.replace(" ", "*") for n in terms.get_feature_names_out(load_diabetes().feature_names)]
    kept = np.array([j for j, n in enumerate(names) if n != "sex^2"])  # takes two values, as sex does
    order = rng.permutation(len(target))
    train, test = order[:221], order[221:]
    y = target[train].copy()
    wrong = rng.choice(train.size, round(share * train.size), replace=False)
    y[wrong] *= 10  # a decimal point in the wrong place
    X = X[:, kept]
    return X[train], y, X[test], target[test], [names[j] for j in kept]


def absolute(X: np.ndarray, y: np.ndarray, s: int, effort: int) -> tuple[np.ndarray, float]:
    model = spgm.solve(X, y, s, intercept=True, effort=effort)
    return model.coef, model.intercept


def least_squares(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float]:
    model = LinearRegression().fit(X, y)
    return model.coef_, model.intercept_


def huber(X: np.ndarray, y: np.ndarray, s: int | None = None) -> tuple[np.ndarray, float]:
    """HuberRegressor on all columns; with s, on its s largest effects again."""
    columns = np.arange(X.shape[1])
    centre, spread = np.median(y), np.median(np.abs(y - np.median(y)))  # HuberRegressor's solver needs numbers near one
    for again in range(2 if s else 1):
        mean, scale = X[:, columns].mean(axis=0), X[:, columns].std(axis=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = HuberRegressor(alpha=1e-4, max_iter=2000).fit((X[:, columns] - mean) / scale, (y - centre) / spread)
        coef = spread * model.coef_ / scale
        if s and not again:
            columns = np.sort(np.argsort(-np.abs(model.coef_), kind="stable")[:s])
    full = np.zeros(X.shape[1])
    full[columns] = coef
    return full, centre + spread * model.intercept_ - full[columns] @ mean


def run(case: common.Case) -> dict:
    s, shares = 5, [0.1] if case.quick else [0.0, 0.05, 0.1, 0.2, 0.3]
    repeats = 1 if case.quick else 10
    fits = {
        f"spgm, l1, s = {s}": lambda X, y: absolute(X, y, s, 1 if case.quick else 3),
        f"Huber, cut to {s}, again": lambda X, y: huber(X, y, s),
        "Huber, all 64": lambda X, y: huber(X, y),
        "least squares, all 64": least_squares,
    }
    errors = {name: np.zeros((len(shares), repeats)) for name in fits}
    seconds = dict.fromkeys(fits, 0.0)
    inside = {}
    for i, share in enumerate(shares):
        for k in range(repeats):
            X, y, X_test, y_test, names = load(100 * i + k, share)
            for name, fit in fits.items():
                (coef, intercept), spent = common.processor_seconds(lambda: fit(X, y))
                seconds[name] += spent / (len(shares) * repeats)
                errors[name][i, k] = np.abs(X_test @ coef + intercept - y_test).mean()
                inside[name] = np.abs(X @ coef + intercept - y).sum()
    case.table(
        ["mean absolute error on new patients", *(f"{100 * p:g} % wrong" for p in shares), "processor s"],
        [[name, *map(float, e.mean(axis=1)), seconds[name]] for name, e in errors.items()],
    )

    X, y, X_test, y_test, names = load(1, 0.1)
    case.write("diabetes.csv", X, y, names)
    model = spgm.solve(X, y, s, intercept=True)
    case.same_as_python(f"fit diabetes.csv --loss l1 --sparsity {s} --output model.json", model.objective)

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    for (name, e), colour, marker in zip(errors.items(), (ACCENT, GOLD, INK, SOFT), "os^v"):
        left.plot(100 * np.array(shares), e.mean(axis=1), color=colour, marker=marker, label=name)
    left.set(xlabel="targets with the decimal point misplaced (%)", ylabel="mean absolute error on new patients", ylim=(40, 140))
    left.set_title("Half of the patients to learn from")
    left.legend(loc="upper left")
    order = model.support[np.argsort(np.abs(model.coef[model.support] * X[:, model.support].std(axis=0)))]
    right.barh([names[j] for j in order], model.coef[order] * X[:, order].std(axis=0), color=ACCENT)
    right.axvline(0, color="0.3", lw=0.8)
    right.set(xlabel="coefficient times the term's standard deviation")
    right.set_title(f"The {s} terms, 10 % of targets wrong")
    case.save(figure)
    ours, cut = list(fits)[:2]
    return {"ours": inside[ours], "cut": inside[cut], "nonzeros": model.support.size}


if __name__ == "__main__":
    common.main(run, __file__, __doc__)
