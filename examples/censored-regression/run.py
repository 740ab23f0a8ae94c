"""Censored regression: values below zero were recorded as zero. Powell's least absolute deviations, with s columns."""

from __future__ import annotations

import itertools
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import common
import numpy as np
from common import ACCENT, GOLD, INK, SOFT, plt

import spgm


def instance(seed: int, m: int, n: int, s: int, noise: float = 1.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """b = max(0, Ax + heavy-tailed noise): about half of it is recorded as 0."""
    rng = np.random.default_rng(seed)
    A = np.asfortranarray(rng.normal(size=(m, n)))
    x = np.zeros(n)
    x[rng.choice(n, s, replace=False)] = rng.choice([-1, 1], s) * rng.uniform(1, 2, s)
    return A, np.maximum(0, A @ x + noise * rng.standard_t(2, m)), x


def powell(A: np.ndarray, b: np.ndarray, x: np.ndarray) -> float:
    return float(np.abs(np.maximum(0, A @ x) - b).sum())


def descend(A: np.ndarray, b: np.ndarray, s: int, x: np.ndarray, effort: int, method: str = "auto") -> np.ndarray:
    """Difference of convex functions. With u = a'x and b >= 0

        |max(0, u) - b|  =  |u - b| - max(0, -u)  <=  2 max(0, u - b) + b   where u was negative,   |u - b|   elsewhere,

    equal at the x at hand. So each step is a problem with slopes (2, 0) or (1, 1) for each row, and F never rises."""
    best = powell(A, b, x)
    while True:
        below = A @ x < 0
        up, down = np.where(below, 2.0, 1.0), np.where(below, 0.0, 1.0)
        step = spgm.solve(A, b, s, slopes=(up, down), intercept=False, start=x, effort=effort, method=method).coef
        value = powell(A, b, step)
        if not value < best * (1 - 1e-12):
            return x
        x, best = step, value


def several_starts(A: np.ndarray, b: np.ndarray, s: int, starts: int, effort: int, method: str = "auto", seed: int = 0) -> tuple[np.ndarray, list[float]]:
    """From the fit that knows nothing of censoring, from the fit to the recorded rows, and from random ones."""
    rng = np.random.default_rng(seed)
    first = [spgm.solve(A, b, s, intercept=False, effort=effort).coef]
    first.append(spgm.solve(np.asfortranarray(A[b > 0]), b[b > 0], s, intercept=False, effort=effort).coef)
    while len(first) < starts:
        x = np.zeros(A.shape[1])
        x[rng.choice(x.size, s, replace=False)] = rng.normal(size=s)
        first.append(x)
    ends = [descend(A, b, s, x, effort, method) for x in first[:starts]]
    values = [powell(A, b, x) for x in ends]
    return ends[int(np.argmin(values))], values


def brute_force(A: np.ndarray, b: np.ndarray, s: int) -> float:
    """All pairs of columns; F is linear between the lines a'x = b and a'x = 0, so it is lowest where two of them cross."""
    assert s == 2
    lowest = float(np.abs(b).sum())
    for pair in itertools.combinations(range(A.shape[1]), 2):
        P = A[:, pair]
        lines, heights = np.r_[P, P], np.r_[b, np.zeros_like(b)]
        i, k = np.triu_indices(len(lines), 1)
        det = lines[i, 0] * lines[k, 1] - lines[i, 1] * lines[k, 0]
        ok = np.abs(det) > 1e-12
        i, k, det = i[ok], k[ok], det[ok]
        x = np.c_[heights[i] * lines[k, 1] - heights[k] * lines[i, 1], lines[i, 0] * heights[k] - lines[k, 0] * heights[i]] / det[:, None]
        lowest = min(lowest, np.abs(np.maximum(0, x @ P.T) - b).sum(axis=1).min())
    return float(lowest)


def run(case: common.Case) -> dict:
    repeats, starts = (2, 4) if case.quick else (30, 10)
    gaps = np.zeros((repeats, 2))
    for k in range(repeats):
        A, b, _ = instance(k, 20 if case.quick else 30, 6, 2)
        lowest = brute_force(A, b, 2)
        _, values = several_starts(A, b, 2, starts, 1, seed=k)
        gaps[k] = values[0] / lowest - 1, min(values) / lowest - 1
    case.table(
        [f"{repeats} instances of {A.shape[0]} × 6, s = 2", "optimum found", "mean F above it", "worst"],
        [
            [name, f"{np.sum(g < 1e-9)} of {repeats}", f"{100 * g.mean():.2f} %", f"{100 * g.max():.2f} %"]
            for name, g in (("one start", gaps[:, 0]), (f"{starts} starts", gaps[:, 1]))
        ],
    )

    m, n, s = (80, 30, 3) if case.quick else (300, 200, 8)
    again = 1 if case.quick else 10
    rows: dict[str, list] = {name: [] for name in ("Powell's, spgm", "l1 that ignores censoring", "l1 on the recorded rows", "Powell's, true columns known")}
    for k in range(again):
        A, b, truth = instance(100 + k, m, n, s)
        effort = 1 if case.quick else 2
        blind = spgm.solve(A, b, s, intercept=False, effort=effort).coef
        kept = spgm.solve(np.asfortranarray(A[b > 0]), b[b > 0], s, intercept=False, effort=effort).coef
        (ours, _), spent = common.processor_seconds(lambda: several_starts(A, b, s, 2 if case.quick else 4, effort, seed=k))
        oracle = np.zeros(n)
        chosen = np.flatnonzero(truth)
        oracle[chosen] = several_starts(np.asfortranarray(A[:, chosen]), b, s, 2, effort)[0]
        for name, x in zip(rows, (ours, blind, kept, oracle)):
            rows[name].append((powell(A, b, x), np.linalg.norm(x - truth) / np.linalg.norm(truth), np.count_nonzero(x[truth != 0])))
        if k == 0:
            case.write("recorded.csv", A, b)
            first = spgm.solve(A, b, s, intercept=False)
            case.same_as_python(f"fit recorded.csv --loss l1 --sparsity {s} --no-intercept --output first.json", first.objective)
    means = {name: np.mean(values, axis=0) for name, values in rows.items()}
    case.table(
        [f"mean of {again}, {m} × {n}, s = {s}", "Powell's F", "relative error of x", f"true columns of {s}"],
        [[name, *map(float, v)] for name, v in means.items()],
    )
    case.say(f"\nA run of Powell's took {spent:.2g} s of processor time.")

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    u = A @ truth
    left.plot(u, b, "o", color=SOFT, ms=4, label="recorded")
    grid = np.linspace(u.min(), u.max(), 200)
    left.plot(grid, np.maximum(0, grid), color=INK, lw=1, ls="--", label="max(0, truth)")
    left.plot(u, np.maximum(0, A @ ours), ".", color=ACCENT, ms=4, label="max(0, Powell's fit)")
    left.plot(u, A @ blind, ".", color=GOLD, ms=3, label="fit that ignores censoring")
    left.set(xlabel="a'x of the truth", ylabel="target", ylim=(-4, 10))
    left.set_title("Half of the targets are censored at 0")
    left.legend(fontsize=8)
    place = np.arange(4)
    right.bar(place, [v[1] for v in means.values()], color=(ACCENT, GOLD, SOFT, INK))
    right.set_xticks(place, ["Powell's", "ignoring", "recorded\nrows", "columns\nknown"])
    right.set(ylabel="relative error of x")
    right.set_title(f"Mean of {again} instances")
    case.save(figure)
    return {"gaps": gaps, "means": means}


if __name__ == "__main__":
    common.main(run, __file__, __doc__)
