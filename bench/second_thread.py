"""How soon two threads have the F that one has after a second, on the instances of quality/, by the clock of an idle machine.

    python bench/second_thread.py QUALITY BENCH_QUALITY [--seed 1]

QUALITY is the folder with instances.py and best_known.csv, BENCH_QUALITY the program. A cell in which two threads are not there after
two seconds counts as two. Required: 0.6 s in geometric mean over the cells.
"""
import argparse
import csv
import math
import os
import subprocess
import sys
import tempfile

import numpy as np

MOST = 0.6
TIMES = [round(0.02 * 1.05**k, 4) for k in range(95)]  # to two seconds


def fits(args, folder, loss, s, ridge, threads, seconds):
    command = [args.program, os.path.join(folder, "A.npy"), os.path.join(folder, "b.npy"), loss, s, str(ridge), str(args.seed), str(threads),
               *map(str, seconds)]
    return [float(F) for F in subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("quality")
    p.add_argument("program")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--cache", default=os.path.join(tempfile.gettempdir(), "spgm-quality"))
    args = p.parse_args()
    sys.path.insert(0, args.quality)
    import instances

    with open(os.path.join(args.quality, "best_known.csv")) as f:
        cells = [(row["instance"], row["loss"], row["s"]) for row in csv.DictReader(f)]
    took = []
    for name, loss, s in cells:
        folder = os.path.join(args.cache, name)
        if not os.path.exists(os.path.join(folder, "b.npy")):
            A, b = instances.make(name)
            os.makedirs(folder, exist_ok=True)
            np.save(os.path.join(folder, "A.npy"), np.asfortranarray(A))
            np.save(os.path.join(folder, "b.npy"), b)
        one = fits(args, folder, loss, s, instances.RIDGE, 1, [1])[-1]
        two = fits(args, folder, loss, s, instances.RIDGE, 2, TIMES)
        took.append(next((t for t, F in zip(TIMES, two) if F <= one * (1 + 1e-9)), 2.0))
        print(f"{name:28} {loss:5} {s:>3}  {took[-1]:.3f} s", flush=True)
    mean = math.exp(sum(map(math.log, took)) / len(took))
    print(f"threads    two threads have the F of one thread after 1 s after {mean:.2f} s in geometric mean over {len(took)} cells (must be <= {MOST})")
    raise SystemExit(mean > MOST)


if __name__ == "__main__":
    main()
