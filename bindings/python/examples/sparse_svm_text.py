"""A classifier of texts that uses a handful of words.

It uses ../shared/data/rcv1_small (news, 47,236 words) if that exists, else texts drawn from topics. How good is a
support vector machine with s words, compared with one with an l1 penalty cut to s words, and with one with all words?
"""

from __future__ import annotations

import os
import pathlib
from typing import Any

import numpy as np
import scipy.sparse as sparse
from _common import ACCENT, GOLD, INK, arguments, plt, save
from sklearn.svm import LinearSVC

import spgm

SHARED = pathlib.Path(os.environ.get("SPGM_SHARED", pathlib.Path(__file__).resolve().parents[4] / "shared"))


def texts(rows: int, seed: int) -> tuple[Any, np.ndarray]:
    """Word frequencies, scaled to length one, of texts on two topics; twenty words tell."""
    rng = np.random.default_rng(seed)
    words = 5000
    common = 1.0 / np.arange(1, words + 1)
    topic = common.copy()
    topic[np.random.default_rng(0).choice(np.arange(20, 400), 20, replace=False)] *= 8
    labels = rng.integers(0, 2, rows)
    counts = [rng.multinomial(rng.integers(60, 200), p / p.sum()) for p in (topic if k else common for k in labels)]
    matrix = sparse.csr_matrix(np.log1p(np.array(counts, dtype=float)))
    lengths = np.sqrt(matrix.multiply(matrix).sum(axis=1))
    return sparse.csc_matrix(matrix.multiply(1 / lengths)), 2 * labels - 1


def load() -> tuple[str, Any, np.ndarray, Any, np.ndarray]:
    folder = SHARED / "data/rcv1_small"
    if folder.is_dir():
        train = spgm.read(folder / "rcv1_small_train.svm.xz", columns=47236)
        test = spgm.read(folder / "rcv1_small_test.svm.xz", columns=47236)
        return "news (rcv1)", train.A, train.b, test.A, test.b
    return ("generated texts", *texts(600, 1), *texts(1000, 2))


def lasso_words(A: Any, b: np.ndarray, s: int) -> np.ndarray:
    """The s words with the largest weights among those of the sparsest l1 machine that has as many."""
    for C in 10 ** np.linspace(-2, 1.5, 15):
        coef = LinearSVC(C=C, penalty="l1", dual=False, max_iter=2000, tol=1e-3).fit(A, b).coef_[0]
        if np.count_nonzero(coef) >= s:
            break
    return np.argsort(-np.abs(coef), kind="stable")[:s]


def main() -> None:
    options = arguments(__doc__.splitlines()[0])
    name, A, b, A_test, b_test = load()
    frequent = np.flatnonzero(np.diff(A.indptr) >= 5)  # rare words cannot be learnt from
    A, A_test = sparse.csc_matrix(A[:, frequent]), sparse.csr_matrix(A_test[:, frequent])
    budgets = [2, 10] if options.quick else [1, 2, 3, 5, 8, 12, 20, 30, 50]
    scores: dict[str, list[float]] = {"spgm": [], "l1": []}
    for s in budgets:
        model = spgm.SparseClassifier(s, alpha=0.1, effort=options.effort, time_limit=None if options.quick else 10).fit(A, b)
        scores["spgm"].append(model.score(A_test, b_test))
        words = lasso_words(A, b, s)
        refit = LinearSVC(C=10, loss="hinge", max_iter=20000, tol=1e-2).fit(A[:, words], b)
        scores["l1"].append(refit.score(A_test[:, words], b_test))
        print(f"s = {s:3d}: spgm {scores['spgm'][-1]:.3f}, l1 and refit {scores['l1'][-1]:.3f}")
    everything = LinearSVC(loss="hinge", max_iter=20000, tol=1e-2).fit(A, b).score(A_test, b_test)

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), width_ratios=(1.4, 1))
    left.axhline(100 * everything, color=GOLD, lw=1.5, ls="--", label=f"all {A.shape[1]:,} words")
    left.plot(budgets, 100 * np.array(scores["spgm"]), color=ACCENT, marker="o", label="spgm, hinge loss, s words")
    left.plot(budgets, 100 * np.array(scores["l1"]), color=INK, marker="s", label="l1 penalty, cut to s words, refit")
    left.set_xscale("log")
    left.set_xticks(budgets, [str(s) for s in budgets], minor=False)
    left.minorticks_off()
    left.set(xlabel="s, words allowed", ylabel="correct on new texts (%)")
    left.set_title(f"{name}: {A.shape[0]} texts to learn from, {A_test.shape[0]} to judge")
    left.legend(loc="lower right")
    model = spgm.SparseClassifier(10 if options.quick else 12, alpha=0.1, effort=options.effort).fit(A, b)
    model.results_[0].names = [f"word {j + 1}" for j in frequent]
    model.results_[0].plot("coefficients", ax=right)
    right.set_title(f"The machine with {model.support_.size} words")
    right.set(xlabel="weight")
    save(figure, options)


if __name__ == "__main__":
    main()
