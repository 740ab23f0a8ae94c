"""Coverage of 80 % bands on held-out rows: as fitted, by split and by cross calibration, over random splits.

    build/python/bin/python bench/bands.py [--splits 20] [--seed 1000] [--sets engel,barro] [--data ../shared/data] [--common]

Public sets of ../shared and generated data whose spread changes with a column. Half of the rows, at most 300, are fitted; the
others are held out. s is that of the lowest cross-validated loss of the middle quantile on the fitted rows of the first split.
"""

from __future__ import annotations

import argparse
import pathlib
import time

import numpy as np

import spgm

LEVELS = [0.1, 0.5, 0.9]
PUBLIC = {
    "diabetes10": "diabetes/diabetes10.svm.xz",
    "bodyfat": "bodyfat_scale/bodyfat_scale.svm.xz",
    "prostate": "prostate_psa/prostate_psa.svm.xz",
    "space_ga": "space_ga/space_ga.svm.xz",
    "engel": "qr_textbook/engel.csv",
    "barro": "qr_textbook/barro.csv",
    "communities": "communities/communities.svm.xz",
}


def generated(seed: int, rows: int = 400) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 20))
    return X, X[:, :3].sum(axis=1) + (0.2 + np.abs(X[:, 4])) * rng.standard_t(4, size=rows)


def sets(folder: pathlib.Path):
    for name, path in PUBLIC.items():
        if (folder / path).exists():
            data = spgm.read(str(folder / path), target="y.net" if name == "barro" else None)
            A = data.A.toarray() if hasattr(data.A, "toarray") else np.asarray(data.A)
            yield name, A, np.asarray(data.b)
    for seed in (1, 2):
        yield f"spread changes, {seed}", *generated(seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2] / "shared/data")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1000, help="of the first split")
    parser.add_argument("--sets", help="some of them by name")
    parser.add_argument("--common", action="store_true", help="also common columns, which take minutes on wide data")
    arguments = parser.parse_args()
    kinds = [("none", False), ("split", False), ("cross", False)] + [("cross", True)] * arguments.common
    print(f"{'':20} {'rows':>5} {'s':>3}  " + "  ".join(f"{k + (', common' if c else ''):>15}" for k, c in kinds) + "  processor seconds")
    print(f"{'':20} {'':5} {'':3}  " + "  ".join(f"{'% inside, width':>15}" for _ in kinds))
    for name, X, y in sets(arguments.data):
        if arguments.sets and name not in arguments.sets.split(","):
            continue
        began, s = time.process_time(), None
        results: dict[tuple[str, bool], list[tuple[float, float]]] = {kind: [] for kind in kinds}
        for split in range(arguments.splits):
            order = np.random.default_rng(arguments.seed + split).permutation(y.size)
            size = min(y.size // 2, 300)
            train, test = order[:size], order[size:]
            if s is None:
                sizes = range(min(8, X.shape[1]) + 1)
                s = spgm.cross_validate(X[train], y[train], sizes, folds=5, loss="quantile").best
            for kind in kinds:
                band = spgm.SparseQuantileBand(s, quantiles=LEVELS, calibration=kind[0], common_columns=kind[1], folds=arguments.folds, effort=2)
                band.fit(X[train], y[train])
                results[kind].append((band.coverage(X[test], y[test]), band.width(X[test])))
        means = [np.mean(results[kind], axis=0) for kind in kinds]
        text = "  ".join(f"{100 * m[0]:6.1f} {m[1] / means[0][1]:8.2f}" for m in means)
        print(f"{name:20} {size:5d} {s:3d}  {text}  {time.process_time() - began:8.1f}", flush=True)


if __name__ == "__main__":
    main()
