"""Choosing s, and s with the ridge, by 5-fold cross-validation: processor seconds beside those of scikit-learn and abess in the same run.

    python3 bench/compare_cv.py [--data ../shared/data] [--rounds 3]

Python needs spgm, scikit-learn and abess. One thread, the lowest of the rounds, the last fit to all rows included. The columns of the table:

    s           SparseRegressorCV(range(21), alphas=0): s alone, absolute errors; beside it what it may take
    s, ridge    SparseRegressorCV(range(21), loss="absolute_error"): seven ridges; may take four times that
    and loss    SparseRegressorCV(range(21)): the loss is chosen, too; the same limit
    squares     SparseRegressorCV(range(21), alphas=0, loss="squared_error"); may take five times what abess takes
    abess       LinearRegression(cv=5, support_size=range(21))
    LassoCV     scikit-learn's, 100 penalties
    Quantile    GridSearchCV of nine penalties of QuantileRegressor (HiGHS), absolute errors

Sets: three of ../shared and one that is made here. Exits with an error if a target is missed.
"""

from __future__ import annotations

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

import argparse
import pathlib
import time
import warnings
from collections.abc import Callable

import numpy as np
from abess import LinearRegression
from sklearn.linear_model import LassoCV, QuantileRegressor
from sklearn.model_selection import GridSearchCV, KFold

import spgm

SETS = {
    "diabetes10": ("diabetes/diabetes10.svm.xz", 0.1),
    "bodyfat_scale": ("bodyfat_scale/bodyfat_scale.svm.xz", 0.15),
    "diabetes64": ("diabetes/diabetes64.svm.xz", 1.0),
}
MADE = 1.5  # seconds for 2250 x 26


def made() -> tuple[np.ndarray, np.ndarray]:
    """Correlated columns, ten effects of falling size, heavy tails."""
    rng = np.random.default_rng(26)
    X = rng.normal(size=(2250, 5)) @ rng.normal(size=(5, 26)) / 3 + rng.normal(size=(2250, 26))
    return X, X[:, :10] @ (0.7 ** np.arange(10)) + rng.standard_t(3, size=2250)


def load(path: pathlib.Path) -> tuple[np.ndarray, np.ndarray]:
    A, b = spgm.read(path)
    A = np.asarray(A.toarray() if hasattr(A, "toarray") else A)
    A = A[:, np.ptp(A, axis=0) > 0]
    return (A - A.mean(axis=0)) / A.std(axis=0), np.asarray(b)


def programs(X: np.ndarray, y: np.ndarray) -> dict[str, Callable[[], object]]:
    sizes = list(range(min(20, X.shape[1]) + 1))
    folds = KFold(5, shuffle=True, random_state=0)
    empty = float(np.abs(X.T @ np.sign(y - np.median(y))).max()) / (2 * y.size)
    quantile = GridSearchCV(
        QuantileRegressor(solver="highs"), {"alpha": empty * np.geomspace(1, 1e-3, 9)}, scoring="neg_mean_absolute_error", cv=folds
    )
    return {
        "s": lambda: spgm.SparseRegressorCV(sizes, alphas=0).fit(X, y),
        "s, ridge": lambda: spgm.SparseRegressorCV(sizes, loss="absolute_error").fit(X, y),
        "and loss": lambda: spgm.SparseRegressorCV(sizes).fit(X, y),
        "squares": lambda: spgm.SparseRegressorCV(sizes, alphas=0, loss="squared_error").fit(X, y),
        "abess": lambda: LinearRegression(cv=5, support_size=sizes, thread=1).fit(X, y),
        "LassoCV": lambda: LassoCV(cv=folds).fit(X, y),
        "Quantile": lambda: quantile.fit(X, y),
    }


def seconds(run: Callable[[], object], rounds: int) -> float:
    took = []
    for _ in range(rounds):
        began = time.process_time()
        run()
        took.append(time.process_time() - began)
        if took[-1] > 5:
            break
    return min(took)


def main() -> int:
    warnings.simplefilter("ignore")
    here = pathlib.Path(__file__).resolve().parents[1]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(os.environ.get("SPGM_SHARED", here.parent / "shared")) / "data")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    sets = {name: (load(arguments.data / path), most) for name, (path, most) in SETS.items() if (arguments.data / path).is_file()}
    sets["2250 x 26"] = made(), MADE
    print(f"{'':14} {'s':>14} {'s, ridge':>14} {'and loss':>14} {'squares':>14} {'abess':>8} {'LassoCV':>8} {'Quantile':>8}   squares/abess  s/LassoCV  s/Quantile")
    missed = 0
    for name, ((X, y), most) in sets.items():
        t = {key: seconds(run, arguments.rounds) for key, run in programs(np.asfortranarray(X), y).items()}
        limits = {"s": most, "s, ridge": 4 * most, "and loss": 4 * most, "squares": 5 * t["abess"]}
        cells = [f"{t[key]:6.3f}/{limit:<5.3f}{'!' if t[key] > limit else ' '} " for key, limit in limits.items()]
        missed += sum(t[key] > limit for key, limit in limits.items())
        ratios = f"{t['squares'] / t['abess']:13.2f} {t['s'] / t['LassoCV']:10.2f} {t['s'] / t['Quantile']:11.2f}"
        print(f"{name:14} {' '.join(cells)} {t['abess']:8.3f} {t['LassoCV']:8.3f} {t['Quantile']:8.3f}   {ratios}", flush=True)
    print(f"{missed} of {4 * len(sets)} targets missed (marked '!')" if missed else "all targets are met")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
