"""auto with the squared loss against abess and orthogonal matching pursuit.

    python3 bench/compare_abess.py SPGM [--seeds 1] [--effort 3]

24 cells for each seed: 500 x 1000 and 1000 x 5000, columns a chain with correlation 0.5 or 0.9, 30 true coefficients, signal to noise 6 or
0.5, s = 10, 30, 50, with an intercept, one thread. Every F is computed here from the support, by least squares. Seconds are those of the call
(abess, scikit-learn) and what the solver reports (spgm); reading files is not counted. Fails where F is above that of abess at the effort
given, or above that of OMP within 0.1 s (500 x 1000) or 0.3 s (1000 x 5000), or where the geometric mean of the times is above 3.
"""

from __future__ import annotations

import argparse
import json
import math
import pathlib
import subprocess
import tempfile
import time

import numpy as np
from abess import LinearRegression
from sklearn.linear_model import OrthogonalMatchingPursuit

SLACK = 1e-9


def instance(m: int, n: int, correlation: float, snr: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([seed, m, round(10 * correlation), round(10 * snr)])
    X = rng.normal(size=(m, n))
    for j in range(1, n):
        X[:, j] = correlation * X[:, j - 1] + math.sqrt(1 - correlation**2) * X[:, j]
    true = rng.choice(n, 30, replace=False)
    signal = X[:, true] @ (rng.choice([-1, 1], 30) * rng.uniform(0.5, 1.5, 30))
    return X, signal + rng.normal(size=m) * math.sqrt(signal.var() / snr)


def objective(X: np.ndarray, y: np.ndarray, support: np.ndarray) -> float:
    A = np.column_stack([X[:, support], np.ones(y.size)])
    residual = y - A @ np.linalg.lstsq(A, y, rcond=None)[0]
    return 0.5 * float(residual @ residual)


def by_estimator(model: object, X: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    start = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - start
    return objective(X, y, np.flatnonzero(model.coef_)), seconds


def by_spgm(program: str, folder: pathlib.Path, X: np.ndarray, y: np.ndarray, s: int, *options: str) -> tuple[float, float]:
    out = folder / "model.json"
    subprocess.run([program, "fit", folder / "X.npy", "--target", folder / "y.npy", "--loss", "squared", "--sparsity", str(s),
                    "--threads", "1", "--quiet", "--output", out, *options], check=True)  # fmt: skip
    model = json.loads(out.read_text())
    return objective(X, y, np.array(model["support"], dtype=int)), model["seconds"]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("spgm")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--effort", default="3")
    args = parser.parse_args()
    ratios, above_abess, above_omp, cells = [], 0, 0, 0
    print("    m     n  corr  snr   s |   abess F       s |    spgm F       s   F - F_abess |     OMP F   spgm in a limit")
    for seed in range(1, args.seeds + 1):
        for m, n, limit in ((500, 1000, 0.1), (1000, 5000, 0.3)):
            for correlation in (0.5, 0.9):
                for snr in (6, 0.5):
                    X, y = instance(m, n, correlation, snr, seed)
                    with tempfile.TemporaryDirectory() as name:
                        folder = pathlib.Path(name)
                        np.save(folder / "X.npy", np.asfortranarray(X))
                        np.save(folder / "y.npy", y)
                        for s in (10, 30, 50):
                            Fa, ta = by_estimator(LinearRegression(support_size=s, thread=1), X, y)
                            Fo, _ = by_estimator(OrthogonalMatchingPursuit(n_nonzero_coefs=s), X, y)
                            F, t = by_spgm(args.spgm, folder, X, y, s, "--effort", args.effort)
                            Fq, _ = by_spgm(args.spgm, folder, X, y, s, "--time-limit", str(limit))
                            ratios.append(t / ta)
                            above_abess += F > Fa * (1 + SLACK)
                            above_omp += Fq > Fo * (1 + SLACK)
                            cells += 1
                            print(f"{m:5} {n:5} {correlation:5} {snr:4} {s:3} | {Fa:9.5g} {ta:7.3f} | {F:9.5g} {t:7.3f} "
                                  f"{100 * (F / Fa - 1):+10.3f} %  | {Fo:9.5g} {100 * (Fq / Fo - 1):+8.3f} % in {limit} s", flush=True)  # fmt: skip
    mean = math.exp(np.mean(np.log(ratios)))
    print(f"time over abess's, geometric mean: {mean:.2f} (at most 3); F above abess's in {above_abess} of {cells} cells (0); "
          f"above OMP's within the limit in {above_omp} (0)")  # fmt: skip
    return int(mean > 3 or above_abess > 0 or above_omp > 0)


if __name__ == "__main__":
    raise SystemExit(main())
