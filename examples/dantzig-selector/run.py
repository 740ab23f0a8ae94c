"""The Dantzig selector: no column may be correlated with the residual."""

from __future__ import annotations

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import common
import numpy as np
from common import ACCENT, GOLD, INK, SOFT, plt
from scipy.optimize import linprog

import spgm


def instance(seed: int, m: int, n: int, s: int, sigma: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns of length one, signal of s entries of size one and more, as in the paper of Candès and Tao."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(m, n))
    A /= np.linalg.norm(A, axis=0)
    x = np.zeros(n)
    x[rng.choice(n, s, replace=False)] = rng.choice([-1, 1], s) * (1 + np.abs(rng.normal(size=s)))
    return A, A @ x + sigma * rng.normal(size=m), x


def selector(A: np.ndarray, b: np.ndarray, level: float) -> np.ndarray:
    """min ||x||_1 with ||A'(Ax - b)||_inf <= level: a linear programme of 2 n variables, by HiGHS."""
    n = A.shape[1]
    G, g = A.T @ A, A.T @ b
    rows = np.block([[G, -G], [-G, G]])
    solved = linprog(np.ones(2 * n), rows, np.r_[g + level, level - g], method="highs")
    return solved.x[:n] - solved.x[n:]


def least_squares_on(A: np.ndarray, b: np.ndarray, support: np.ndarray) -> np.ndarray:
    x = np.zeros(A.shape[1])
    x[support] = np.linalg.lstsq(A[:, support], b, rcond=None)[0]
    return x


def costs(case: common.Case) -> list[float]:
    """Processor time with A'A formed and with A and A' applied in turn; the largest relative difference of F."""
    m, sizes = (12, (40,)) if case.quick else (100, (200, 1000, 4000))
    rows, apart = [], []
    for n in sizes:
        A, b, _ = instance(1000 + n, m, n, 8 if not case.quick else 2, 0.11)
        A = np.asfortranarray(A)
        for method, more in (("spgm-bcd", {}), ("auto", {"effort": 1})):
            solved = [
                common.processor_seconds(
                    lambda kind=kind: spgm.solve(
                        A, b, 8, loss="linf", normal=kind, intercept=False, method=method, threads=1, **more
                    )
                )
                for kind in ("formed", "operator")
            ]
            apart.append(abs(solved[0][0].objective / solved[1][0].objective - 1))
            rows.append([n, method, solved[0][1], solved[1][1], f"{8e-6 * n * n:.3g}", f"{8e-6 * m * n:.3g}"])
    case.table([f"n (m = {m})", "method", "formed, s", "operator, s", "AᵀA, MB", "A, MB"], rows)
    return apart


def run(case: common.Case) -> dict:
    m, n, s, sigma = (24, 32, 3, 0.05) if case.quick else (72, 256, 8, 0.11)
    repeats = 1 if case.quick else 20
    level = sigma * np.sqrt(2 * np.log(n))
    names = ["spgm, h = ‖Aᵀ(Ax − b)‖∞", "spgm, then least squares", "Dantzig selector (LP)", "LP cut to s, then least squares"]
    residual, error, seconds = (np.zeros((4, repeats)) for _ in range(3))
    found = np.zeros((4, repeats), int)
    for k in range(repeats):
        A, b, truth = instance(k, m, n, s, sigma)
        G, g = np.asfortranarray(A.T @ A), A.T @ b
        ours, ours_seconds = common.processor_seconds(
            lambda: spgm.solve(A, b, s, loss="linf", normal="auto", intercept=False, effort=1 if case.quick else 3)
        )
        lp, lp_seconds = common.processor_seconds(lambda: selector(A, b, level))
        cut = np.argsort(-np.abs(lp), kind="stable")[:s]
        for i, (x, spent) in enumerate(
            [
                (ours.coef, ours_seconds),
                (least_squares_on(A, b, ours.support), ours_seconds),
                (lp, lp_seconds),
                (least_squares_on(A, b, cut), lp_seconds),
            ]
        ):
            residual[i, k] = np.abs(G @ x - g).max()
            error[i, k] = np.linalg.norm(x - truth) / np.linalg.norm(truth)
            found[i, k] = np.count_nonzero(x[truth != 0])
            seconds[i, k] = spent
        if k == 0:
            first = (truth, ours.coef, lp)
            np.save(case.folder / "A.npy", A)
            np.save(case.folder / "b.npy", b)
            again = spgm.solve(A, b, s, loss="linf", normal="auto", intercept=False)
            case.same_as_python(
                f"fit A.npy --target b.npy --loss linf --normal auto --sparsity {s} --no-intercept --output model.json",
                again.objective,
            )
            given = spgm.solve(G, g, s, loss="linf", intercept=False)  # the same, by hand
            by_hand = abs(given.objective / again.objective - 1)
    case.table(
        [f"mean of {repeats}", "‖Aᵀ(Ax − b)‖∞", "relative error of x", f"true columns found of {s}", "processor s"],
        [
            [name, residual[i].mean(), error[i].mean(), float(found[i].mean()), seconds[i].mean()]
            for i, name in enumerate(names)
        ],
    )
    close = int(np.sum(error[1] <= error[3] * (1 + 1e-9)))
    case.say(f"\nFollowed by least squares, the columns of spgm are at least as close to x as those of the LP in {close} of {repeats} instances.")
    apart = costs(case)

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), width_ratios=(1.6, 1))
    truth, ours_x, lp = first
    left.vlines(np.flatnonzero(truth), 0, truth[truth != 0], color=SOFT, lw=5, label="truth")
    left.plot(np.flatnonzero(lp), lp[lp != 0], "s", color=INK, ms=4, label="Dantzig selector (LP)")
    left.plot(np.flatnonzero(ours_x), ours_x[ours_x != 0], "o", color=ACCENT, ms=5, mfc="none", mew=1.6, label="spgm")
    left.axhline(0, color="0.3", lw=0.8)
    left.set(xlabel="column", ylabel="coefficient")
    left.set_title(f"{m} measurements, {n} columns, s = {s}")
    left.legend(fontsize=8)
    for i, (colour, marker) in enumerate(zip((ACCENT, GOLD, INK, SOFT), "o^sv")):
        right.plot(np.sort(error[i]), (np.arange(repeats) + 1) / repeats, color=colour, marker=marker, ms=4, label=names[i])
    right.set(xlabel="relative error of x", ylabel="share of instances at most that")
    right.set_title(f"{repeats} instances")
    right.legend(fontsize=7, loc="lower right")
    case.save(figure)
    return {"apart": [by_hand, *apart], "ours": residual[0], "refit": residual[1], "cut": residual[3], "error": error}


if __name__ == "__main__":
    common.main(run, __file__, __doc__)
