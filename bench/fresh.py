"""auto on the instances of quality/ and on fresh seeds of the same generators, side by side, by processor time.

    python bench/fresh.py QUALITY BENCH_QUALITY REFERENCES [--seconds 0.1 1] [--reference 60] [--seeds 5] [--sparsity 10 30 60 90] [--reduced]
    python bench/fresh.py QUALITY BENCH_QUALITY bench/fresh_0.1.0.csv --fixed [--seconds 0.1 1 10]

QUALITY is the folder with instances.py and best_known.csv, BENCH_QUALITY the program. References of fresh instances are the
lowest F of the file REFERENCES, which a run with --reference SECONDS first extends by fits of that length (it makes it if
there is none, and goes on where it was stopped), and of the runs measured here. Gaps are in percent of the reference.
All cells with references of 60 s take three hours. --reduced takes one cell of each fresh instance instead of eight, with
losses and s that change from seed to seed; with --reference 30 that is a quarter of an hour.
--fixed measures the cells of REFERENCES and leaves the references as they are, as quality.py does: a negative gap is a
lower F. bench/fresh_0.1.0.csv has what version 0.1.0 (8b30081) reached after 60 s of processor time, one thread, seed 1.
"""
import argparse
import csv
import os
import subprocess
import sys
import tempfile

import numpy as np

FAMILIES = {"random-256-1024": 501, "random-256-2048": 511, "random-256-1024-C": 521, "e2006-5000-1024": 531}
LOSSES = ("l1", "linf")


def fit(args, instances, name, loss, s, seconds, seed=1, threads=1):
    """F at each of the limits."""
    folder = os.path.join(args.cache, name)
    if not os.path.exists(os.path.join(folder, "b.npy")):
        A, b = instances.make(name)
        os.makedirs(folder, exist_ok=True)
        np.save(os.path.join(folder, "A.npy"), np.asfortranarray(A))
        np.save(os.path.join(folder, "b.npy"), b)
    command = [args.program, os.path.join(folder, "A.npy"), os.path.join(folder, "b.npy"), loss, str(s),
               str(instances.RIDGE), str(seed), str(threads), *map(str, seconds)]
    return [float(F) for F in subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()]


def read(path):
    if not os.path.exists(path):
        return {}
    with open(path) as f:
        return {(r["instance"], r["loss"], int(r["s"])): float(r["best"]) for r in csv.DictReader(f)}


def write(path, best):
    with open(path, "w") as f:
        f.write("instance,loss,s,best\n")
        for (name, loss, s), F in sorted(best.items()):
            f.write(f"{name},{loss},{s},{F:.9g}\n")


def gaps(args, instances, cells, best):
    """{seconds: gaps of all cells}; unless --fixed, a lower F becomes the reference of its cell, so that no gap is below zero."""
    found = {cell: fit(args, instances, *cell, args.seconds) for cell in cells}
    for cell, F in found.items():
        best[cell] = best[cell] if args.fixed else min(best.get(cell, F[-1]), *F)
    return {t: [100 * (found[cell][i] / best[cell] - 1) for cell in cells] for i, t in enumerate(args.seconds)}


def main():
    p = argparse.ArgumentParser()
    p.add_argument("quality")
    p.add_argument("program")
    p.add_argument("references")
    p.add_argument("--seconds", type=float, nargs="+", default=[0.1, 1.0])
    p.add_argument("--reference", type=float)
    p.add_argument("--seeds", type=int, default=5)
    p.add_argument("--sparsity", type=int, nargs="+", default=[10, 30, 60, 90])
    p.add_argument("--families", nargs="+", default=list(FAMILIES), choices=list(FAMILIES))
    p.add_argument("--reduced", action="store_true")
    p.add_argument("--fixed", action="store_true")
    p.add_argument("--cache", default=os.path.join(tempfile.gettempdir(), "spgm-quality"))
    args = p.parse_args()
    sys.path.insert(0, args.quality)
    import instances

    known = {cell: F for cell, F in read(os.path.join(args.quality, "best_known.csv")).items() if cell[2] in args.sparsity
             and any(cell[0] == f"{family}-s{cell[0].rsplit('-s')[-1]}" for family in args.families)}
    best = read(args.references)
    fresh = [(f"{family}-s{FAMILIES[family] + i}", loss, s) for family in args.families for i in range(args.seeds)
             for loss in LOSSES for s in args.sparsity]
    if args.reduced:
        kinds = [(loss, s) for s in args.sparsity for loss in LOSSES]
        fresh = [(f"{family}-s{FAMILIES[family] + i}", *kinds[(3 * f + i) % len(kinds)]) for f, family in enumerate(args.families)
                 for i in range(args.seeds)]
        print(f"quality    reduced: {len(fresh)} of {len(fresh) * len(kinds)} fresh cells")
    if args.fixed:
        fresh = list(best)
    elif args.reference:
        for cell in fresh:
            if cell not in best:
                best[cell] = fit(args, instances, *cell, [args.reference])[-1]
                write(args.references, best)
    inside = gaps(args, instances, list(known), known)
    outside = gaps(args, instances, fresh, best)
    if not args.fixed:
        write(args.references, best)
    for t in args.seconds:
        print(f"quality    {t:g} s of processor time, one thread: known instances ({len(known)} cells) mean gap "
              f"{np.mean(inside[t]):.2f} %, worst {max(inside[t]):.2f} %; fresh seeds ({len(fresh)} cells) mean "
              f"{np.mean(outside[t]):.2f} %, worst {max(outside[t]):.2f} %")


if __name__ == "__main__":
    main()
