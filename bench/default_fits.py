"""Default fits on real data: time by the clock and F of one program over those of another, an older one perhaps, cell by cell.

    python bench/default_fits.py DATA SPGM [SPGM ...] [--threads 2] [--seeds 5] [--only trim32,leu]

DATA is the folder of data sets. The last program is the one that others are compared with. With one thread the time is
that of the processor.
Required of each cell: at most 1.1 of its time, and an F that is no higher, both in the mean over the seeds: F of one seed is partly chance.
"""
import argparse
import math
import pathlib

from seeds import fit

REGRESSION = ("l1", "quantile", "linf")
SETS = (("diabetes/diabetes10.svm.xz", REGRESSION, (3, 5)), ("prostate_psa/prostate_psa.svm.xz", REGRESSION, (2, 4)),
        ("bodyfat_scale/bodyfat_scale.svm.xz", REGRESSION, (3, 6)), ("space_ga/space_ga.svm.xz", REGRESSION, (2, 4)),
        ("diabetes/diabetes64.svm.xz", REGRESSION, (5, 10, 20)), ("communities/communities.svm.xz", REGRESSION, (5, 15, 30)),
        ("trim32/trim32.svm.xz", REGRESSION, (5, 10, 20)), ("riboflavin/riboflavin.svm.xz", REGRESSION, (5, 10, 20)),
        ("heart_scale/heart_scale.svm.xz", ("hinge",), (3, 6, 10)), ("colon-cancer/colon-cancer.svm.xz", ("hinge",), (3, 6, 10)),
        ("leu/leu.svm.xz", ("hinge",), (3, 6, 10)), ("rcv1_small/rcv1_small_train.svm.xz", ("hinge",), (5, 10, 20)))
OPTIONS = {"quantile": ("--quantile", "0.9"), "hinge": ("--ridge", "1")}  # 0.1.0 had no ridge for labels by default
MOST_TIME, SAME = 1.1, 1e-6


def ratio(F, other):
    """Of F: both may be zero but for rounding."""
    return 1.0 if abs(F - other) <= 1e-9 else F / other if other > 0 else math.inf


def mean(values):
    return sum(values) / len(values)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data", type=pathlib.Path)
    p.add_argument("programs", nargs="+")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--seeds", type=int, default=5)
    p.add_argument("--only", default="")
    args = p.parse_args()
    held, times = {q: 0 for q in args.programs[:-1]}, {q: [] for q in args.programs[:-1]}
    cells = [(name, loss, s) for name, losses, sparsities in SETS for loss in losses for s in sparsities
             if not args.only or any(part in name for part in args.only.split(","))]
    column = 2 if args.threads > 1 else 1  # by the clock, where several threads share the work
    for name, loss, s in cells:
        ends = {q: [] for q in args.programs}
        for seed in range(1, args.seeds + 1):
            for q in args.programs:
                ends[q].append(fit(q, args.data / name, s, seed, args.threads, "--loss", loss, *OPTIONS.get(loss, ())))
        F, spent = ({q: mean([end[k] for end in ends[q]]) for q in ends} for k in (0, column))
        old, line = args.programs[-1], f"{pathlib.Path(name).name.split('.')[0]} {loss} s = {s}: {spent[args.programs[-1]]:.3f} s, F {F[args.programs[-1]]:.6g}"
        for q in args.programs[:-1]:
            times[q].append(spent[q] / spent[old])
            holds = times[q][-1] <= MOST_TIME and ratio(F[q], F[old]) <= 1 + SAME
            held[q] += holds
            line += f"; {times[q][-1]:.2f} of the time, F {100 * (ratio(F[q], F[old]) - 1):+.2f} %{'' if holds else ' (!)'}"
        print(line, flush=True)
    for q in held:
        print(f"{q}: {held[q]} of {len(cells)} within {MOST_TIME} of the time at no higher F; geometric mean {math.exp(sum(map(math.log, times[q])) / len(cells)):.2f}")
    raise SystemExit(min(held.values()) < len(cells))


if __name__ == "__main__":
    main()
