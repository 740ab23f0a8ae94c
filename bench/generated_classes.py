"""Accuracy on generated labels of twelve kinds: spgm and the methods of real_classes.py, judged by 3000 rows each.

    python3 bench/generated_classes.py [--kinds genes,text] [--seed 900] [--seeds 3] [--methods hinge,logistic]

What is to be chosen about classifiers is chosen on these, with seeds that nobody has looked at, never on real data. Prints the points of every
method below the best of the others (not spgm's), kind by kind, and their mean.
"""

from __future__ import annotations

import warnings
from typing import Any

import real_classes  # before NumPy: one thread for everybody
import generated
import numpy as np
import scipy.sparse as sparse

TEST = 3000
# rows, columns, kind of columns, of effects, size of the signal beside logistic noise (clusters: distance between their means), classes
KINDS: dict[str, tuple[int, int, str, str, float, int]] = {
    "genes": (46, 2000, "blocks", "block", 3, 2),
    "genes few": (60, 1500, "gene", "sparse", 4, 2),
    "genes dense": (40, 3000, "gene", "dense", 4, 2),
    "text": (400, 1500, "words", "topics", 4, 2),
    "text small": (250, 800, "words", "topics", 6, 2),
    "heart": (200, 13, "mixed", "decay", 2.5, 2),
    "noisy": (150, 30, "factor", "sparse", 1.2, 2),
    "easy": (400, 30, "factor", "dense", 6, 2),
    "pixels": (260, 54, "ar", "dense", 8, 2),
    "iris": (112, 4, "clusters", "row", 3, 3),
    "wine": (130, 13, "clusters", "apart", 4, 3),
    "many": (300, 20, "clusters", "apart", 4, 8),
}


def words(rng: np.random.Generator, m: int, p: int) -> tuple[Any, np.ndarray]:
    """Words of documents of one or two topics out of 50, by frequency, every row of length 1; and the topics' shares."""
    topics = rng.dirichlet(np.full(p, 0.05), 50) * 0.5 + rng.dirichlet(1 / np.arange(1, p + 1) ** 0.8 * 50) * 0.5
    share = np.zeros((m, 50))
    for i in range(m):
        share[i, rng.choice(50, rng.integers(1, 3), replace=False)] = 1
    share /= share.sum(axis=1, keepdims=True)
    counts = np.vstack([rng.multinomial(rng.integers(40, 120), row / row.sum()) for row in share @ topics])
    X = np.log1p(counts) * np.log((1 + m) / (1 + (counts > 0).sum(axis=0)))
    return X / np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1e-12), share


def columns(rng: np.random.Generator, m: int, p: int, kind: str) -> np.ndarray:
    if kind == "blocks":  # of 20 genes, each following its own factor, skewed as intensities are
        factors = np.repeat(rng.normal(size=(m, p // 20)), 20, axis=1)
        return np.asarray(np.exp(0.5 * (0.8 * factors + 0.6 * rng.normal(size=(m, p)))))
    return generated.columns(rng, m, p, kind)


def clusters(rng: np.random.Generator, m: int, p: int, kind: str, distance: float, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal classes with a common shape, their means in a row or apart."""
    y = rng.integers(classes, size=m)
    mix = rng.normal(size=(p, p)) / np.sqrt(p) + 0.5 * np.eye(p)
    along = rng.normal(size=p)
    means = np.outer(np.arange(classes), along / np.linalg.norm(along)) if kind == "row" else rng.normal(size=(classes, p)) / np.sqrt(p)
    spread = rng.uniform(0.7, 1.4, classes)[y, None]
    return (distance * means[y] + spread * rng.normal(size=(m, p))) @ mix, y


def labels(rng: np.random.Generator, score: np.ndarray, signal: float) -> np.ndarray:
    score = signal * (score - np.median(score)) / (score.std() + 1e-12) + rng.normal(0, 0.3)
    return np.where(rng.random(score.size) < 1 / (1 + np.exp(-score)), 1.0, -1.0)


def make(name: str, seed: int) -> tuple[Any, np.ndarray, Any, np.ndarray]:
    """Columns and labels to learn from, and to judge by; dense columns standardised by the first, words as they are."""
    m, p, kind, of_effects, signal, classes = KINDS[name]
    rng = np.random.default_rng([seed, sum(map(ord, name)), 7])
    if kind == "clusters":
        X, y = clusters(rng, m + TEST, p, of_effects, signal, classes)
    elif kind == "words":
        X, share = words(rng, m + TEST, p)
        y = labels(rng, share @ rng.normal(size=50) + 0.2 * X @ rng.normal(size=p), signal)
        X = sparse.csr_matrix(X[:, (X[:m] > 0).sum(axis=0) >= 5])
        return X[:m].tocsc(), y[:m], X[m:], y[m:]
    else:
        X = columns(rng, m + TEST, p, kind)
        S = (X - X.mean(axis=0)) / (X.std(axis=0) + 1e-12)
        w = np.repeat(rng.normal(size=p // 20) * (rng.random(p // 20) < 0.06), 20) if of_effects == "block" else generated.effects(rng, p, of_effects)
        y = labels(rng, S @ w, signal)
    mean, deviation = X[:m].mean(axis=0), X[:m].std(axis=0)
    Z = ((X - mean) / np.where(deviation > 0, deviation, 1))[:, deviation > 0]
    return np.asfortranarray(Z[:m]), y[:m], Z[m:], y[m:]


def main() -> None:
    warnings.simplefilter("ignore")
    methods = [m for m in real_classes.METHODS if m not in ("constant", "abess")]
    options = generated.arguments(__doc__, list(KINDS), methods).parse_args()

    def measured(name: str, seed: int) -> generated.Distances:
        X, y, judge, target = make(name, seed)
        right = {m: 100 * float(np.mean(real_classes.METHODS[m](X, y)[0].predict(judge) == target)) for m in options.methods.split(",")}
        best = max((r for m, r in right.items() if m not in real_classes.OURS), default=100.0)
        return {m: best - r for m, r in right.items()}

    generated.show(options, measured, lambda mean: f"{mean:.2f}")


if __name__ == "__main__":
    main()
