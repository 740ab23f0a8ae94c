"""The path over s = 1..50 against a fit of its own for every s, at default effort.

    python bench/path.py QUALITY SPGM

QUALITY is the folder with instances.py; the instance is its random-256-1024-s101 with the l1 loss and ridge 0.01.
Required: the path takes at most 5 times the processor time of one fit at s = 50, every F on it is at most 1 % above that
of a fit of its own, and F never rises with s. Path and fit take turns, and the least of three times counts.
"""
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile

import numpy as np

SIZES = range(1, 51)
TURNS = 3
MOST_TIMES, MOST_ABOVE = 5, 1  # the time of one fit, percent


def run(spgm, folder, command, sparsity, output):
    """Processor seconds of the whole command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([spgm, command, os.path.join(folder, "A.npy"), "--target", os.path.join(folder, "b.npy"),
                    "--loss", "l1", "--ridge", "0.01", "--no-intercept", "--threads", "1", "--quiet",
                    "--sparsity", sparsity, "--output", output], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime


def fit(spgm, folder, s):
    output = os.path.join(folder, "fit.json")
    seconds = run(spgm, folder, "fit", str(s), output)
    with open(output) as file:
        return json.load(file)["objective"], seconds


def path(spgm, folder):
    output = os.path.join(folder, "path.csv")
    seconds = run(spgm, folder, "path", f"{SIZES[0]}:{SIZES[-1]}", output)
    with open(output) as file:
        return {int(row["s"]): float(row["objective"]) for row in csv.DictReader(file)}, seconds


def main():
    quality, spgm = sys.argv[1:3]
    sys.path.insert(0, quality)
    import instances
    A, b = instances.make("random-256-1024-s101")
    with tempfile.TemporaryDirectory() as folder:
        np.save(os.path.join(folder, "A.npy"), np.asfortranarray(A))
        np.save(os.path.join(folder, "b.npy"), b)
        turns = [(path(spgm, folder), fit(spgm, folder, SIZES[-1])) for _ in range(TURNS)]
        F = turns[0][0][0]
        times = min(p[1] for p, _ in turns) / min(f[1] for _, f in turns)
        above = {s: 100 * (F[s] / fit(spgm, folder, s)[0] - 1) for s in SIZES}
    worst = max(above, key=above.get)
    falls = all(F[s + 1] <= F[s] for s in SIZES[:-1])
    print(f"path       s = {SIZES[0]}..{SIZES[-1]} in {times:.2f} times the processor time of a fit at s = {SIZES[-1]} "
          f"(must be <= {MOST_TIMES})")
    print(f"path       F above that of a fit of its own: mean {np.mean(list(above.values())):.2f} %, most "
          f"{above[worst]:.2f} % at s = {worst} (must be <= {MOST_ABOVE} %); F never rises with s: {'yes' if falls else 'NO'}")
    sys.exit(not (times <= MOST_TIMES and above[worst] <= MOST_ABOVE and falls))


if __name__ == "__main__":
    main()
