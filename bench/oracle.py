"""What any rule for s, ridge and loss could reach: the lowest test error of all models on spgm's paths, with at most half of the l1 penalty's columns.

    python3 bench/oracle.py [--data ../shared/data] [--sets barro,trim32] [--splits 5] [--seed 0] [--jobs 2]
    python3 bench/oracle.py --generated [--kinds low,hi] [--seed 900] [--seeds 2]

An oracle sees the test part and picks, split by split, the model that does best there: among all s and ridges of the three losses that
`loss="auto"` tries (every one as `spgm path` finds it, ridges as cross-validation has them). No rule can be better than it; on the small
test parts of real data it is far too lucky, on generated data (3000 test rows) hardly. Printed are the ratios of real_data.py, errors over
those of the best other method: of the oracle with all columns, of the one with at most half as many as `QuantileRegressor` in every split,
and of the one that keeps to the half only in half of all splits, those where that costs least: the median of the shares is then a half.
"""

from __future__ import annotations

import argparse
import functools
import warnings
from typing import Any

import real_data  # before NumPy: one thread for everybody
import generated
import out_of_sample
import numpy as np
from joblib import Parallel, delayed
from sklearn.model_selection import ShuffleSplit

import spgm

LOSSES = ("absolute_error", "huber", "squared_error")
OTHERS = ("Quantile", "Huber", "Lasso", "Ridge", "OMP + LAD")
MOST = 64  # columns of a model on a path


def sizes(most: int) -> list[int]:
    """0, 1, ... 12, then in steps of a sixth, as cross-validation takes them."""
    found = [0]
    while found[-1] < most:
        found.append(found[-1] + (1 if found[-1] < 12 else 1 + found[-1] // 6))
    return [s for s in found if s < most] + [most]


def errors_on_paths(X: Any, y: np.ndarray, judge: Any, target: np.ndarray) -> dict[int, float]:
    """The lowest mean absolute error on the test part of the models of each size."""
    lowest: dict[int, float] = {}
    most = min(MOST, X.shape[1], y.size // 2)
    delta = float(np.abs(y - np.median(y)).mean()) / 2
    for loss in LOSSES:
        parameters = {"delta": delta} if loss == "huber" else {}
        ridges = spgm.cross_validate(X, y, [0, 1], folds=3, loss=loss, ridges="auto", **parameters).ridges
        for ridge in ridges:
            models = spgm.path(X, y, sizes(most), loss=loss, ridge=float(ridge), ridge_scale="deviation", effort=1, **parameters)
            for coef, intercept in zip(models.coef, models.intercept):
                size = int(np.count_nonzero(coef))
                error = float(np.abs(target - judge @ coef - intercept).mean())
                lowest[size] = min(error, lowest.get(size, np.inf))
    return lowest


def one(name: str, X: Any, y: np.ndarray, judge: Any, target: np.ndarray) -> dict[str, float]:
    """Errors of the others, of the oracle with all columns and with half of those of the l1 penalty."""
    warnings.simplefilter("ignore")
    found = {}
    for method in OTHERS:
        if method == "Quantile" and X.shape[1] > 600:
            continue  # its linear programs take longer than all the rest
        model, count = real_data.METHODS[method](X, y, 0.5)
        found[method] = float(np.abs(target - model.predict(judge)).mean())
        if method in ("Quantile", "Lasso"):
            found.setdefault("columns", count)  # Lasso's where there is no other
    by_size = errors_on_paths(X, y, judge, target)
    found["all"] = min(by_size.values())
    found["half"] = min(e for s, e in by_size.items() if 2 * s <= found["columns"])
    print(name, ", ".join(f"{k} {v:.4g}" for k, v in found.items()), flush=True)
    return found


def real(options: argparse.Namespace, name: str, split: int) -> dict[str, float]:
    X, y = real_data.load(options.data, name)
    train, test = next(ShuffleSplit(1, random_state=split, test_size=0.25).split(X))
    learn, judge = out_of_sample.parts(X, train, test)
    return one(f"{name} split {split}:", learn, y[train], judge, y[test])


def made(options: argparse.Namespace, name: str, seed: int) -> dict[str, float]:
    return one(f"{name} seed {seed}:", *generated.make(name, seed))


def table(found: dict[str, list[dict[str, float]]]) -> str:
    """Ratios set by set, and their geometric means."""
    costs = sorted(s["half"] / s["all"] for splits in found.values() for s in splits)
    bearable = costs[(len(costs) - 1) // 2]  # the half of the splits where fewer columns cost least
    text = "| data | all columns | half the columns | half in half of the splits |\n|---|---|---|---|\n"
    ratios = []
    for name, splits in found.items():
        best = min(np.mean([s[m] for s in splits]) for m in OTHERS if m in splits[0])
        mixed = [s["half"] if s["half"] / s["all"] <= bearable else s["all"] for s in splits]
        ratios.append([np.mean(e) / best for e in ([s["all"] for s in splits], [s["half"] for s in splits], mixed)])
        text += f"| {name} | " + " | ".join(f"{r:.3f}" for r in ratios[-1]) + " |\n"
    text += "| geometric mean | " + " | ".join(f"{r:.3f}" for r in np.exp(np.log(ratios).mean(axis=0))) + " |\n"
    return text + "| most | " + " | ".join(f"{r:.3f}" for r in np.max(ratios, axis=0)) + " |\n"


def main() -> None:
    small = [name for name in real_data.SETS if name not in ("space_ga", "communities", "riboflavin", "e2006")]
    parser = out_of_sample.arguments(__doc__, small, [])
    parser.add_argument("--generated", action="store_true", help="data of generated.py instead")
    parser.add_argument("--kinds", default=",".join(k for k in generated.KINDS if generated.KINDS[k][1] <= 600))
    parser.add_argument("--seeds", type=int, default=2)
    options = parser.parse_args()
    names = (options.kinds if options.generated else options.sets).split(",")
    count = options.seeds if options.generated else options.splits
    tasks = [(name, seed) for name in names for seed in range(options.seed, options.seed + count)]
    results = Parallel(options.jobs)(delayed(functools.partial(made if options.generated else real, options))(*task) for task in tasks)
    print("\n" + table({name: [r for (n, _), r in zip(tasks, results) if n == name] for name in names}))


if __name__ == "__main__":
    main()
