"""Out-of-sample absolute error on generated data of 24 kinds: spgm and the methods of real_data.py, judged by 3000 rows each.

    python3 bench/generated.py [--kinds low,hi] [--seed 900] [--seeds 3] [--methods spgm,Lasso]

What is to be chosen about the choice of s and ridge is chosen on these, with seeds that nobody has looked at, never on the sets of ../shared.
Prints the ratio of every method to the best of the others (not spgm's), kind by kind, and its geometric mean.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable

import real_data  # before NumPy: one thread for everybody
import numpy as np

TEST = 3000
# rows, columns, kind of columns, of effects, of errors; variance of the signal over that of the errors, about; what linear models miss
KINDS = {
    "tiny3": (16, 3, "factor", "dense", "t3", 4, ""),
    "tiny6": (30, 6, "mixed", "decay", "gauss", 2, ""),
    "pros8": (72, 8, "factor", "decay", "gauss", 1.5, ""),
    "mix13": (120, 13, "mixed", "dense", "laplace", 1, ""),
    "mix14": (190, 14, "mixed", "sparse", "hetero", 3, "products"),
    "one": (176, 1, "mixed", "dense", "hetero", 3, ""),
    "dia10": (331, 10, "mixed", "dense", "gauss", 0.8, "products"),
    "poly64": (331, 64, "poly", "decay", "gauss", 0.8, "products"),
    "wide500": (90, 500, "gene", "dense", "gauss", 2, ""),
    "wide500s": (90, 500, "gene", "sparse", "t3", 2, ""),
    "wide1500": (60, 1500, "gene", "decay", "laplace", 3, ""),
    "fac100d": (150, 100, "factor", "dense", "gauss", 1.5, ""),
    "fac100s": (150, 100, "factor", "sparse", "outlier", 1.5, ""),
    "ar40": (100, 40, "ar", "decay", "skew", 1, ""),
    "mid30": (500, 30, "mixed", "dense", "skew", 1, "products"),
    "mid12": (700, 12, "mixed", "decay", "outlier", 1.5, "curve"),
    "big8": (1000, 8, "mixed", "dense", "hetero", 1, "curve"),
    "gau20": (60, 20, "gauss", "sparse", "gauss", 3, ""),
    "low": (200, 25, "ar", "dense", "gauss", 0.15, ""),
    "hi": (80, 12, "poly", "dense", "gauss", 25, ""),
    "stack3": (15, 3, "factor", "decay", "gauss", 8, ""),
    "small4": (22, 4, "mixed", "decay", "laplace", 2, ""),
    "small4b": (60, 4, "factor", "dense", "hetero", 1, "curve"),
    "small5": (40, 5, "mixed", "sparse", "skew", 1.5, ""),
}


def mixed(rng: np.random.Generator, X: np.ndarray) -> np.ndarray:
    """Skewed columns, counts, zeros and ones, near copies; the rest as they are."""
    Z = X.copy()
    for j in range(X.shape[1]):
        kind = rng.integers(5)
        if kind == 0:
            Z[:, j] = np.exp(0.8 * X[:, j])
        elif kind == 1:
            Z[:, j] = rng.poisson(np.exp(np.clip(0.5 * X[:, j], -3, 3)))
        elif kind == 2:
            Z[:, j] = X[:, j] > 0.7 * rng.normal()
        elif kind == 3 and j > 0:
            Z[:, j] = Z[:, j - 1] + 0.3 * Z[:, j - 1].std() * rng.normal(size=X.shape[0])
    return Z


def columns(rng: np.random.Generator, m: int, p: int, kind: str) -> np.ndarray:
    if kind == "gauss":
        return rng.normal(size=(m, p))
    if kind == "factor":
        k = max(2, p // 8)
        loadings = rng.normal(size=(k, p))
        return rng.normal(size=(m, k)) @ loadings / np.sqrt(k) * 1.2 + rng.normal(size=(m, p)) * rng.uniform(0.3, 1.2, p)
    if kind == "ar":
        X = rng.normal(size=(m, p))
        for j in range(1, p):
            X[:, j] = 0.85 * X[:, j - 1] + np.sqrt(1 - 0.85**2) * X[:, j]
        return X
    if kind == "gene":
        weights = rng.normal(size=(12, p)) * (rng.random((12, p)) < 0.25)
        return rng.normal(size=(m, 12)) @ weights + 0.6 * rng.normal(size=(m, p)) * rng.gamma(2, 0.5, p)
    if kind == "poly":
        q = int((np.sqrt(8 * p + 9) - 3) / 2)
        B = columns(rng, m, q, "factor")
        X = np.column_stack([B, *[B[:, i] * B[:, j] for i in range(q) for j in range(i, q)]])
        return np.hstack([X, rng.normal(size=(m, max(0, p - X.shape[1])))])[:, :p]
    return mixed(rng, columns(rng, m, p, "factor"))


def effects(rng: np.random.Generator, p: int, kind: str) -> np.ndarray:
    if kind == "dense":
        return rng.normal(size=p)
    if kind == "decay":
        return rng.permutation(0.75 ** np.arange(p)) * rng.choice([-1, 1], p)
    w = np.zeros(p)
    some = rng.choice(p, min(p, 5), replace=False)
    w[some] = rng.choice([-1, 1], some.size) * rng.uniform(0.5, 1.5, some.size)
    return w


def errors(rng: np.random.Generator, S: np.ndarray, kind: str) -> np.ndarray:
    m = S.shape[0]
    if kind == "t3":
        return rng.standard_t(3, size=m) / 1.5
    if kind == "laplace":
        return rng.laplace(size=m) / 1.3
    if kind == "skew":
        return rng.exponential(size=m) - 1
    if kind == "outlier":
        return rng.normal(size=m) * np.where(rng.random(m) < 0.08, 7, 0.8)
    return rng.normal(size=m) * (np.exp(0.5 * S[:, 0].clip(-3, 3)) if kind == "hetero" else 1)


def make(name: str, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Columns and target to learn from, and to judge by; columns standardised by the first."""
    m, p, kind, of_effects, of_errors, ratio, missed = KINDS[name]
    rng = np.random.default_rng([seed, sum(map(ord, name))])
    X = columns(rng, m + TEST, p, kind)
    S = (X - X.mean(axis=0)) / (X.std(axis=0) + 1e-12)
    f = S @ effects(rng, p, of_effects)
    f /= f.std() + 1e-12
    if missed == "products":
        g = sum(S[:, rng.integers(p)] * S[:, rng.integers(p)] for _ in range(4))
        f = f + 0.5 * (g - g.mean()) / g.std()
    elif missed == "curve":
        f = f + 0.6 * np.sin(1.5 * f) + 0.4 * (np.abs(f) - 1)
    y = f * np.sqrt(ratio) + errors(rng, S, of_errors)
    mean, deviation = X[:m].mean(axis=0), X[:m].std(axis=0)
    Z = ((X - mean) / np.where(deviation > 0, deviation, 1))[:, deviation > 0]
    return np.asfortranarray(Z[:m]), y[:m], Z[m:], y[m:]


Distances = dict[str, float]  # of each method from the best of the others


def arguments(doc: str | None, kinds: list[str], methods: list[str]) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument("--kinds", default=",".join(kinds))
    parser.add_argument("--seed", type=int, default=900, help="the first one")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--methods", default=",".join(methods))
    return parser


def show(options: argparse.Namespace, measured: Callable[[str, int], Distances], text: Callable[[float], str]) -> None:
    """The mean distance of every method, kind by kind and over all draws."""
    every: dict[str, list[float]] = {}
    for name in options.kinds.split(","):
        found: dict[str, list[float]] = {}
        for seed in range(options.seed, options.seed + options.seeds):
            for method, distance in measured(name, seed).items():
                found.setdefault(method, []).append(distance)
                every.setdefault(method, []).append(distance)
        print(f"{name:12} " + ", ".join(f"{m} {text(float(np.mean(v)))}" for m, v in found.items()), flush=True)
    print("all          " + ", ".join(f"{m} {text(float(np.mean(v)))}" for m, v in every.items()))


def main() -> None:
    warnings.simplefilter("ignore")
    options = arguments(__doc__, list(KINDS), [m for m in real_data.METHODS if m != "constant"]).parse_args()

    def measured(name: str, seed: int) -> Distances:
        X, y, judge, target = make(name, seed)
        # linear programs of more columns than these take longer than all the rest
        fits = {m: real_data.METHODS[m] for m in options.methods.split(",") if X.shape[1] <= 600 or m != "Quantile"}
        error = {m: float(np.abs(target - fit(X, y, 0.5)[0].predict(judge)).mean()) for m, fit in fits.items()}
        best = min((e for m, e in error.items() if not m.startswith("spgm")), default=1.0)
        return {m: float(np.log(e / best)) for m, e in error.items()}

    show(options, measured, lambda mean: f"{np.exp(mean):.3f}")


if __name__ == "__main__":
    main()
