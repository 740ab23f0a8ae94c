"""What real_data.py and real_classes.py share: splits into learning and judging parts, times, tables. Import it before NumPy."""

from __future__ import annotations

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

import argparse
import pathlib
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sparse
from joblib import Parallel, delayed
from sklearn.preprocessing import StandardScaler

Found = dict[str, tuple[float, int, float]]  # of each method: its score, the columns it uses, seconds of learning
Results = dict[str, list[Found]]  # of each data set: one for every split


def varying(A: Any) -> np.ndarray:
    """The columns that vary, dense."""
    A = np.asarray(A.toarray() if sparse.issparse(A) else A)
    return A[:, np.ptp(A, axis=0) > 0]


def frequent(A: Any, entries: int) -> Any:
    """The columns of a sparse matrix with so many entries or more."""
    A = sparse.csc_matrix(A)
    return A[:, np.diff(A.indptr) >= entries]


def parts(X: Any, train: np.ndarray, test: np.ndarray, scaler: Any = None) -> tuple[Any, Any]:
    """The rows to learn from, by columns, and those to judge by; dense ones standardised by the first."""
    if not sparse.issparse(X):
        scaler = StandardScaler()
    X = X.tocsr() if sparse.issparse(X) else X
    learn, judge = X[train], X[test]
    if scaler is not None:
        scaler.fit(learn)
        learn, judge = scaler.transform(learn), scaler.transform(judge)
    return learn.tocsc() if sparse.issparse(learn) else np.asfortranarray(learn), judge


def measured(title: str, fits: dict[str, Callable[[], tuple[Any, int]]], score: Callable[[Any], float]) -> Found:
    """Every method in turn: fits[method]() gives a model and the columns it uses."""
    found: Found = {}
    for method, fit in fits.items():
        began = time.process_time()
        model, count = fit()
        seconds = time.process_time() - began
        found[method] = score(model), count, seconds
    print(f"{title}: " + ", ".join(f"{m} {l:.4g} ({c}, {s:.2g} s)" for m, (l, c, s) in found.items()), flush=True)
    return found


def tables(results: Results, shapes: dict[str, tuple[int, int]], best: Callable[[np.ndarray], float], summary: str) -> str:
    """The mean score with its standard error and the median number of columns used; the summary; then the times."""
    methods = list(next(iter(results.values()))[0])
    head = lambda names: f"| data | rows × columns | {' | '.join(names)} |\n|---|---|{'---|' * len(names)}\n"  # noqa: E731
    scores, times = head(methods), head([m for m in methods if m != "constant"])
    for name, splits in results.items():
        values = np.array([[s[m][0] for m in methods] for s in splits])
        mean, error = values.mean(axis=0), values.std(axis=0, ddof=1) / np.sqrt(len(splits)) if len(splits) > 1 else np.zeros(len(methods))
        cells, seconds = [], []
        for k, method in enumerate(methods):
            text = f"{mean[k]:.4g} ± {float(f'{error[k]:.1g}'):g}"
            if abs(mean[k] - best(mean)) <= 1e-6 * abs(mean[k]):
                text = f"**{text}**"
            if method != "constant":
                text += f" ({np.median([s[method][1] for s in splits]):.0f})"
                seconds.append(f"{np.mean([s[method][2] for s in splits]):.2g}")
            cells.append(text)
        row = f"| {name} | {shapes[name][0]} × {shapes[name][1]} |"
        scores += f"{row} {' | '.join(cells)} |\n"
        times += f"{row} {' | '.join(seconds)} |\n"
    return scores + summary + "\nProcessor seconds of learning, the choice by cross-validation included:\n\n" + times


def means(splits: list[Found]) -> dict[str, float]:
    """The mean score of every method."""
    return {m: float(np.mean([s[m][0] for s in splits])) for m in splits[0]}


def shares(splits: list[Found], ours: str, other: str) -> list[float]:
    """Columns that one method uses over those of another, split by split."""
    return [s[ours][1] / max(1, s[other][1]) for s in splits]


def arguments(doc: str, sets: list[str], methods: list[str]) -> argparse.ArgumentParser:
    here = pathlib.Path(__file__).resolve().parents[1]
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(os.environ.get("SPGM_SHARED", here.parent / "shared")) / "data")
    parser.add_argument("--sets", default=",".join(sets))
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0, help="of the first split")
    parser.add_argument("--methods", default=",".join(methods))
    parser.add_argument("--jobs", type=int, default=2)
    return parser


def run(one: Callable[[str, int], Found], names: list[str], options: argparse.Namespace) -> Results:
    """one(name, split) for every set and split, the last sets first: they take longest."""
    tasks = [(name, split) for name in reversed(names) for split in range(options.seed, options.seed + options.splits)]
    found = Parallel(options.jobs)(delayed(one)(*task) for task in tasks)
    return {name: [f for (n, _), f in zip(tasks, found) if n == name] for name in names}
