"""Index tracking: s shares, with nonnegative weights that sum to one, follow an index of 300."""

from __future__ import annotations

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import common
import numpy as np
from common import ACCENT, GOLD, INK, SOFT, plt
from scipy.optimize import linprog

import spgm


def market(seed: int, days: int, assets: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Daily returns in per cent: a market factor, ten sectors, and noise with heavy tails; the index is weighted by size."""
    rng = np.random.default_rng(seed)
    beta = rng.uniform(0.6, 1.4, assets)
    sector = rng.integers(0, 10, assets)
    factor, sectors = 0.8 * rng.standard_t(5, days), 0.5 * rng.standard_t(5, (days, 10))
    R = 0.03 + np.outer(factor, beta) + sectors[:, sector] + 0.9 * rng.standard_t(4, (days, assets))
    size = rng.pareto(1.5, assets) + 1
    return np.asfortranarray(R), R @ (size / size.sum()), size / size.sum()


def with_sum(R: np.ndarray, index: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One row more: weight times (sum of x - 1). A weight beyond the multiplier of the constraint makes the penalty exact:
    no day's slope exceeds 1, so the sum of |R| over the days is more than enough."""
    weight = np.abs(R).sum(axis=0).max()
    return np.asfortranarray(np.r_[R, np.full((1, R.shape[1]), weight)]), np.r_[index, weight]


def deviation(R: np.ndarray, index: np.ndarray, x: np.ndarray) -> float:
    """Mean absolute daily difference from the index."""
    return float(np.abs(R @ x - index).mean())


def best_weights(R: np.ndarray, index: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The linear programme over the chosen shares, by HiGHS."""
    days, k = R.shape[0], len(chosen)
    P, eye = R[:, chosen], np.eye(days)
    solved = linprog(
        np.r_[np.zeros(k), np.ones(2 * days)],
        A_eq=np.block([[P, -eye, eye], [np.ones((1, k)), np.zeros((1, 2 * days))]]),
        b_eq=np.r_[index, 1],
        method="highs",
    )
    x = np.zeros(R.shape[1])
    x[chosen] = solved.x[:k]
    return x


def run(case: common.Case) -> dict:
    days, assets, repeats = (60, 30, 1) if case.quick else (250, 300, 5)
    budgets = [4] if case.quick else [10, 20, 40]
    names = ["spgm, l1", "largest s, best weights (LP)", "all by LP, cut to s, best weights (LP)"]
    inside, outside, seconds = (np.zeros((3, len(budgets), repeats)) for _ in range(3))
    sums = []
    for k in range(repeats):
        R, index, size = market(k, 2 * days, assets)
        train, test = (np.asfortranarray(R[:days]), index[:days]), (R[days:], index[days:])
        A, b = with_sum(*train)
        everything, all_seconds = common.processor_seconds(lambda: best_weights(*train, np.arange(assets)))
        for i, s in enumerate(budgets):
            ours, spent = common.processor_seconds(
                lambda: spgm.solve(A, b, s, positive=True, intercept=False, effort=1 if case.quick else 3)
            )
            sums.append(abs(ours.coef.sum() - 1))
            by_size, size_seconds = common.processor_seconds(
                lambda: best_weights(*train, np.argsort(-size, kind="stable")[:s])
            )
            cut, cut_seconds = common.processor_seconds(
                lambda: best_weights(*train, np.argsort(-everything, kind="stable")[:s])
            )
            for j, x in enumerate((ours.coef, by_size, cut)):
                inside[j, i, k], outside[j, i, k] = deviation(*train, x), deviation(*test, x)
            seconds[:, i, k] = spent, size_seconds, cut_seconds + all_seconds
            if k == 0 and s == budgets[-1]:
                shown = [(n, test[0] @ x) for n, x in zip(names, (ours.coef, by_size, cut))], test[1], s
    case.table(
        [
            f"mean absolute daily deviation (% of value), mean of {repeats}",
            *(f"s = {s}, {when}" for s in budgets for when in ("year to learn from", "next year")),
            "processor s",
        ],
        [
            [n, *(float(v) for i in range(len(budgets)) for v in (inside[j, i].mean(), outside[j, i].mean())), float(seconds[j].mean())]
            for j, n in enumerate(names)
        ],
    )
    case.say(f"\nThe weights of spgm sum to 1 within {max(sums):.0e}.")

    case.write("returns.csv", A, b, [f"share{j + 1}" for j in range(assets)])
    model = spgm.solve(A, b, budgets[0], positive=True, intercept=False)
    case.same_as_python(
        f"fit returns.csv --loss l1 --sparsity {budgets[0]} --nonnegative --no-intercept --output portfolio.json", model.objective
    )

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    portfolios, index, s = shown
    left.plot(np.cumsum(index), color=SOFT, lw=4, label=f"index of {assets}")
    for (name, values), colour in zip(portfolios, (ACCENT, INK, GOLD)):
        left.plot(np.cumsum(values), color=colour, lw=1.2, label=name)
    left.set(xlabel="trading day of the next year", ylabel="sum of daily returns (%)")
    left.set_title(f"{s} shares for an index of {assets}")
    left.legend(fontsize=8)
    for j, (colour, marker) in enumerate(zip((ACCENT, INK, GOLD), "os^")):
        right.plot(budgets, outside[j].mean(axis=1), color=colour, marker=marker, label=names[j])
        right.plot(budgets, inside[j].mean(axis=1), color=colour, marker=marker, mfc="none", ls=":")
    right.set(xlabel="s", ylabel="mean absolute daily deviation (%)", ylim=(0, None))
    right.set_title("Next year (dotted: the year to learn from)")
    right.legend(fontsize=8)
    case.save(figure)
    return {"inside": inside, "outside": outside, "sums": sums}


if __name__ == "__main__":
    common.main(run, __file__, __doc__)
