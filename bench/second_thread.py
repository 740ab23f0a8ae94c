"""How soon two threads have the F that one has after a second, on the instances of quality/, by the clock of an idle machine.

    python bench/second_thread.py QUALITY BENCH_QUALITY [--seed 1]

QUALITY is the folder with instances.py and best_known.csv, BENCH_QUALITY the program. A cell in which two threads are not there after
two seconds counts as two. Required: 0.6 s in geometric mean over the cells.
"""
import argparse
import math
import os
import sys
import tempfile

import fresh

MOST = 0.6
TIMES = [round(0.02 * 1.05**k, 4) for k in range(95)]  # to two seconds


def main():
    p = argparse.ArgumentParser()
    p.add_argument("quality")
    p.add_argument("program")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--cache", default=os.path.join(tempfile.gettempdir(), "spgm-quality"))
    args = p.parse_args()
    sys.path.insert(0, args.quality)
    import instances

    took = []
    for cell in fresh.read(os.path.join(args.quality, "best_known.csv")):
        one = fresh.fit(args, instances, *cell, [1], seed=args.seed)[-1]
        two = fresh.fit(args, instances, *cell, TIMES, seed=args.seed, threads=2)
        took.append(next((t for t, F in zip(TIMES, two) if F <= one * (1 + 1e-9)), 2.0))
        name, loss, s = cell
        print(f"{name:28} {loss:5} {s:3d}  {took[-1]:.3f} s", flush=True)
    mean = math.exp(sum(map(math.log, took)) / len(took))
    print(f"threads    two threads have the F of one thread after 1 s after {mean:.2f} s in geometric mean over {len(took)} cells (must be <= {MOST})")
    raise SystemExit(mean > MOST)


if __name__ == "__main__":
    main()
