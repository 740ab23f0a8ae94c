"""A support vector machine on a handful of features: breast cancer, 30 measurements and all their products."""

from __future__ import annotations

import pathlib
import sys
import warnings

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import common
import numpy as np
from common import ACCENT, GOLD, INK, plt
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import LinearSVC

import spgm

RIDGE = 1.0  # F = ridge/2 ||x||² + sum of hinges, which is LinearSVC with C = 1/ridge


def load(seed: int, products: bool) -> tuple:
    """A random half of the tumours to learn from, the other half to judge."""
    data = load_breast_cancer()
    terms = PolynomialFeatures(2 if products else 1, interaction_only=True, include_bias=False)
    X = terms.fit_transform(StandardScaler().fit_transform(data.data))
    names = [n.replace(" ", "-") for n in data.feature_names]
    names = [" x ".join(names[j] for j in np.flatnonzero(p)) for p in terms.powers_]
    order = np.random.default_rng(seed).permutation(len(data.target))
    half = order.size // 2
    X = np.asfortranarray(StandardScaler().fit(X[order[:half]]).transform(X))
    y = 2 * data.target - 1
    return X[order[:half]], y[order[:half]], X[order[half:]], y[order[half:]], names


def objective(X: np.ndarray, y: np.ndarray, coef: np.ndarray, intercept: float) -> float:
    return float(RIDGE / 2 * coef @ coef + np.maximum(0, 1 - y * (X @ coef + intercept)).sum())


def l1_machine(X: np.ndarray, y: np.ndarray, s: int) -> tuple[np.ndarray, float]:
    """LinearSVC with the l1 penalty, cut to its s largest weights; F minimised over these (spgm's polish, exact)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for C in 10 ** np.linspace(-3, 1, 17):
            coef = LinearSVC(C=C, penalty="l1", dual=False, tol=1e-3).fit(X, y).coef_[0]
            if np.count_nonzero(coef) >= s:
                break
    chosen = np.argsort(-np.abs(coef), kind="stable")[:s]
    model = spgm.solve(X[:, chosen], y, s, loss="hinge", f=RIDGE, intercept=True)
    full = np.zeros(X.shape[1])
    full[chosen] = model.coef
    return full, model.intercept


def run(case: common.Case) -> dict:
    budgets, repeats = ([3], 1) if case.quick else ([1, 2, 3, 5, 8, 12, 20], 10)
    names = ["spgm, hinge", "l1 penalty, cut to s, again"]
    F, right, seconds = (np.zeros((2, len(budgets), repeats)) for _ in range(3))
    everything = np.zeros(repeats)
    for k in range(repeats):
        X, y, X_test, y_test, columns = load(k, not case.quick)
        for i, s in enumerate(budgets):
            ours, spent = common.processor_seconds(
                lambda: spgm.solve(X, y, s, loss="hinge", f=RIDGE, intercept=True, effort=1 if case.quick else 2)
            )
            theirs, their_seconds = common.processor_seconds(lambda: l1_machine(X, y, s))
            for j, (coef, intercept) in enumerate([(ours.coef, ours.intercept), theirs]):
                F[j, i, k] = objective(X, y, coef, intercept)
                right[j, i, k] = np.mean(np.sign(X_test @ coef + intercept) == y_test)
            seconds[:, i, k] = spent, their_seconds
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            everything[k] = LinearSVC(C=1 / RIDGE, loss="hinge", max_iter=20000).fit(X, y).score(X_test, y_test)
    width = X.shape[1]
    head = [f"mean of {repeats} halves", *(f"s = {s}" for s in budgets)]
    case.table([*head, "processor s"], [[f"F, {n}", *map(float, F[j].mean(axis=1)), float(seconds[j].mean())] for j, n in enumerate(names)])
    rows = [[f"correct on the other half (%), {n}", *(f"{100 * v:.1f}" for v in right[j].mean(axis=1))] for j, n in enumerate(names)]
    case.table(head, [*rows, [f"all {width} columns", *[f"{100 * everything.mean():.1f}"] * len(budgets)]])

    X, y, _, _, columns = load(1, False)
    case.write("tumours.csv", X, y, columns)
    model = spgm.solve(X, y, 3, loss="hinge", f=RIDGE, intercept=True)
    case.same_as_python("fit tumours.csv --loss hinge --sparsity 3 --ridge 1 --output model.json", model.objective)

    figure, (left, other) = plt.subplots(1, 2, figsize=(10, 4))
    for j, (colour, marker) in enumerate(zip((ACCENT, INK), "os")):
        left.plot(budgets, 100 * right[j].mean(axis=1), color=colour, marker=marker, label=names[j])
    left.axhline(100 * everything.mean(), color=GOLD, ls="--", label=f"all {width} columns")
    left.set(xlabel="s", ylabel="correct on the other half (%)")
    left.set_title(f"Breast cancer, mean of {repeats} halves")
    left.legend(loc="lower right")
    a, b = np.argsort(-np.abs(model.coef), kind="stable")[:2]
    for label, colour, text in ((1, INK, "benign"), (-1, ACCENT, "malignant")):
        other.plot(X[y == label, a], X[y == label, b], "o", color=colour, ms=3, alpha=0.6, label=text)
    other.set(xlabel=f"{columns[a]} (standardised)", ylabel=f"{columns[b]} (standardised)")
    other.set_title("Two of three chosen measurements")
    other.legend()
    case.save(figure)
    return {"F": F, "right": right, "nonzeros": model.support.size}


if __name__ == "__main__":
    common.main(run, __file__, __doc__)
