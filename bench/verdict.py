"""How far to trust the verdict: among default fits that are called stable, how many are more than 1 % above the best of ten times the effort?

    python3 bench/verdict.py [--seed 1] [--problems 6] [--fits 3] [--effort 8] [--kinds gene500,ar300] [--jobs 2]

Generated problems of kinds on which seeds may disagree. Each is fitted with several seeds at the default effort, and with two more at
--effort (each step about doubles the work; 8 is some eight times the default, so that both together are more than ten times as much). The
lowest F of all fits is the reference. Printed are, for every number of starts that ended at the best F, how many fits there were and how
many of them were more than 1 % above the reference, and the same for the verdict as the library gives it.
"""

from __future__ import annotations

import argparse
import functools

import real_data  # before NumPy: one thread for everybody
import generated
import numpy as np
from joblib import Parallel, delayed

import spgm

# rows, columns, kind of columns, of effects, of errors, s, loss
KINDS = {
    "gene500": (120, 500, "gene", "dense", "gauss", 20, "l1"),
    "gene500b": (120, 500, "gene", "decay", "t3", 10, "l1"),
    "gene1500": (70, 1500, "gene", "dense", "gauss", 12, "l1"),
    "factor200": (100, 200, "factor", "dense", "laplace", 10, "l1"),
    "ar300": (80, 300, "ar", "dense", "gauss", 8, "l1"),
    "gauss256": (64, 256, "gauss", "dense", "gauss", 10, "l1"),
    "linf100": (60, 100, "factor", "dense", "gauss", 8, "linf"),
    "linf300": (80, 300, "gene", "decay", "gauss", 10, "linf"),
    "quant200": (150, 200, "mixed", "dense", "skew", 12, "quantile"),
    "hinge200": (100, 200, "gene", "dense", "gauss", 8, "hinge"),
    "poly64": (300, 64, "poly", "dense", "gauss", 15, "l1"),
    "few40": (100, 40, "mixed", "dense", "t3", 8, "l1"),
}
ABOVE = 0.01


def fits(options: argparse.Namespace, kind: str, problem: int) -> list[tuple[str, int, int, float, float, str]]:
    """Of every fit at the default effort: kind, starts, those that agree, spread, how far F is above the reference, verdict."""
    rows, columns, shape, effects, errors, s, loss = KINDS[kind]
    rng = np.random.default_rng([options.seed, problem, sum(map(ord, kind))])
    A = generated.columns(rng, rows, columns, shape)
    A = np.asfortranarray((A - A.mean(axis=0)) / (A.std(axis=0) + 1e-12))
    f = A @ generated.effects(rng, columns, effects)
    b = 1.5 * f / f.std() + generated.errors(rng, A, errors)
    settings = {"loss": loss, **({"quantile": 0.8} if loss == "quantile" else {})}
    if loss == "hinge":
        b, settings["ridge"] = np.where(b > np.median(b), 1.0, -1.0), 1.0
    found = [spgm.solve(A, b, s, seed=seed, **settings) for seed in range(1, options.fits + 1)]
    longer = [spgm.solve(A, b, s, seed=100 + seed, effort=options.effort, **settings).objective for seed in range(2)]
    best = min(*(r.objective for r in found), *longer)
    print(f"{kind} {problem}: " + ", ".join(f"{r.agreeing}/{r.restarts} {100 * r.spread:.3g} % +{100 * (r.objective / best - 1):.2f} % {r.certainty}" for r in found), flush=True)
    return [(kind, r.restarts, r.agreeing, r.spread, r.objective / best - 1, r.certainty) for r in found]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--problems", type=int, default=6)
    parser.add_argument("--fits", type=int, default=3)
    parser.add_argument("--effort", type=int, default=8)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    tasks = [(kind, problem) for kind in options.kinds.split(",") for problem in range(options.problems)]
    found = [f for fs in Parallel(options.jobs)(delayed(functools.partial(fits, options))(*task) for task in tasks) for f in fs]
    print("\n| starts that ended at the best F | fits | more than 1 % above |\n|---|---|---|")
    for low, high in ((1, 1), (2, 2), (3, 3), (4, 4), (5, 7), (8, 15), (16, 10**9)):
        gaps = [f[4] for f in found if low <= f[2] <= high and f[5] not in ("proven", "unfinished")]
        if gaps:
            print(f"| {low if low == high else f'{low} to {high}' if high < 10**9 else f'{low} or more'} | {len(gaps)} | {sum(g > ABOVE for g in gaps)} |")
    print("\n| verdict | fits | more than 1 % above | mean, worst above in percent |\n|---|---|---|---|")
    for verdict in ("proven", "stable", "unstable"):
        gaps = [f[4] for f in found if f[5] == verdict]
        if gaps:
            print(f"| {verdict} | {len(gaps)} | {sum(g > ABOVE for g in gaps)} | {100 * np.mean(gaps):.2f}, {100 * max(gaps):.2f} |")


if __name__ == "__main__":
    main()
