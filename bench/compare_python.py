"""spgm against what scikit-learn offers for the same problem: least absolute deviations with at most s of n columns.

    python3 bench/compare_python.py [--source E2006_FILE] [--seed 1]

prints one line for each run and then the table of docs/measured.md; Python needs spgm (`pip install .`) and scikit-learn. The instances are
the paper's: random-256-1024, and e2006-5000-1024 when ../shared/data (or $SPGM_SHARED/data) has its file. Everybody minimises
sum_i |(Ax - b)_i| without an intercept, and every value is computed here from A, b and the coefficients:

    spgm        SparseRegressor(s), with default effort and with time limits, one thread
    l1          QuantileRegressor (HiGHS), its penalty found by bisection so that about s, and again about 2 s, columns enter; the s
                largest coefficients of each; exact refit on these columns (QuantileRegressor without penalty); the better one counts
    OMP         OrthogonalMatchingPursuit with s columns, exact refit

Sparse data stay sparse for QuantileRegressor and spgm, which is what both like best. Seconds are wall-clock of the whole call; the
processor time stands beside them in the lines above the table, and where it is far less the machine was busy with other things.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sparse
from sklearn.linear_model import OrthogonalMatchingPursuit, QuantileRegressor

import spgm

BUDGETS = (10, 30, 60, 90)
SHARED = pathlib.Path(os.environ.get("SPGM_SHARED", pathlib.Path(__file__).resolve().parents[2] / "shared"))
Fit = Callable[[Any, np.ndarray, int], np.ndarray]


def refit(A: Any, b: np.ndarray, support: np.ndarray) -> np.ndarray:
    """The exact minimum over these columns."""
    part = sparse.csc_matrix(A[:, support])  # as a sparse matrix HiGHS gets it without a detour, full or not
    model = QuantileRegressor(alpha=0, fit_intercept=False, solver="highs").fit(part, b)
    return np.bincount(support, model.coef_, A.shape[1])


def l1_cut_refit(A: Any, b: np.ndarray, s: int) -> np.ndarray:
    matrix = sparse.csc_matrix(A)
    empty = 0.5 * np.abs(A.T @ np.sign(b)).max() / b.size  # from this penalty on no column enters
    tried: dict[float, np.ndarray] = {}

    def coefficients(fraction: float) -> np.ndarray:
        if fraction not in tried:
            model = QuantileRegressor(alpha=fraction * empty, fit_intercept=False, solver="highs").fit(matrix, b)
            tried[fraction] = np.where(np.abs(model.coef_) > 1e-9, model.coef_, 0)
        return tried[fraction]

    def about(count: int) -> np.ndarray:
        """The sparsest model met with at least so many columns."""
        low, high = 0.0, 1.0
        for _ in range(8):
            middle = (low + high) / 2
            entered = np.count_nonzero(coefficients(middle))
            if count <= entered <= 1.1 * count:
                break
            low, high = (middle, high) if entered > count else (low, middle)
        return min((x for x in tried.values() if np.count_nonzero(x) >= count), key=np.count_nonzero)

    cut = [np.sort(np.argsort(-np.abs(about(count)), kind="stable")[:s]) for count in (s, 2 * s)]
    return min((refit(A, b, support) for support in cut), key=lambda x: np.abs(A @ x - b).sum())


def omp_refit(A: Any, b: np.ndarray, s: int) -> np.ndarray:
    full = A.toarray() if sparse.issparse(A) else A
    coef = OrthogonalMatchingPursuit(n_nonzero_coefs=s, fit_intercept=False).fit(full, b).coef_
    return refit(A, b, np.flatnonzero(coef))


def with_spgm(**how: Any) -> Fit:
    return lambda A, b, s: spgm.SparseRegressor(s, fit_intercept=False, **how).fit(A, b).coef_


METHODS: dict[str, Fit] = {
    "spgm, 0.1 s": with_spgm(time_limit=0.1),
    "spgm, 1 s": with_spgm(time_limit=1.0),
    "spgm": with_spgm(),
    "ℓ1 + cut + refit": l1_cut_refit,
    "OMP + refit": omp_refit,
}


def measure(name: str, A: Any, b: np.ndarray) -> list[str]:
    """Rows of the table."""
    rows = []
    for s in BUDGETS:
        values, cells = [], []
        for method, fit in METHODS.items():
            wall, processor = time.perf_counter(), time.process_time()
            x = fit(A, b, s)
            wall, processor = time.perf_counter() - wall, time.process_time() - processor
            if np.count_nonzero(x) > s:
                raise SystemExit(f"{method} used {np.count_nonzero(x)} columns")
            values.append(float(np.abs(A @ x - b).sum()))
            cells.append(f"{wall:.2g} s")
            print(f"{name} s = {s:2d}  {method:16}  F {values[-1]:12.5f}  {wall:7.3f} s, processor {processor:7.3f} s", flush=True)
        lowest = min(values) * (1 + 1e-9)
        texts = [f"**{v:.1f}**" if v <= lowest else f"{v:.1f}" for v in values]
        rows.append(f"| {name} | {s} | " + " | ".join(f"{v} ({c})" for v, c in zip(texts, cells)) + " |")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=pathlib.Path, default=SHARED / "data/e2006/e2006_5000x10000.svm.xz")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with_spgm(effort=1)(*spgm.generate("random-20-10"), 2)  # what is loaded on first use is not counted
    refit(*spgm.generate("random-20-10"), np.arange(2))
    rows = measure("random-256-1024", *spgm.generate("random-256-1024", options.seed))
    if options.source.is_file():
        rows += measure("e2006-5000-1024", *spgm.generate("e2006-5000-1024", options.seed, source=options.source))
    else:
        print(f"skipped: e2006-5000-1024 needs {options.source}")
    print(f"\n| instance | s | {' | '.join(METHODS)} |\n|---|---|{'---|' * len(METHODS)}\n" + "\n".join(rows))


if __name__ == "__main__":
    main()
