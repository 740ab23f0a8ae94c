"""Reading LIBSVM: bench_read against scikit-learn's load_svmlight_file, on the same files, in turns.

    python bench/bench_read.py BUILD/bench_read [FILE.svm ...]

Without files: a random one, and the paper's e2006 data ten times over when SPGM_SHARED says where it is. Both sides
count the best of a few readings, in seconds of the processor. The ratio must be at least 3.
"""
import lzma
import os
import re
import subprocess
import sys
import tempfile
import time

import numpy as np
import sklearn
from sklearn.datasets import load_svmlight_file

REQUIRED = 3.0


def make_random(path, rows=8000, columns=20000, per_row=150):
    rng = np.random.default_rng(1)
    with open(path, "w") as file:
        for _ in range(rows):
            index = np.sort(rng.choice(columns, per_row, replace=False)) + 1
            pairs = " ".join(f"{j}:{v!r}" for j, v in zip(index.tolist(), rng.standard_normal(per_row).tolist()))
            file.write(f"{rng.standard_normal()!r} {pairs}\n")


def make_e2006(path):
    source = os.path.join(os.environ.get("SPGM_SHARED", ""), "data", "e2006", "e2006_5000x10000.svm.xz")
    if not os.path.exists(source):
        return False
    with lzma.open(source) as packed, open(path, "wb") as file:
        file.write(packed.read() * 10)
    return True


def theirs(path, repeats=3):
    best = float("inf")
    for _ in range(repeats):
        began = time.process_time()
        X, _ = load_svmlight_file(path)
        best = min(best, time.process_time() - began)
    return best, X.nnz


def ours(program, path):
    line = subprocess.run([program, path], check=False, capture_output=True, text=True).stdout
    found = re.search(r"(\d+) entries +([\d.]+) s", line)
    if not found:
        sys.exit(f"bench_read printed {line!r}")
    return float(found.group(2)), int(found.group(1))


def compare(program, path):
    megabytes = os.path.getsize(path) / 1e6
    mine, entries = ours(program, path)
    other, other_entries = theirs(path)
    if entries != other_entries:
        sys.exit(f"{path}: {entries} entries here, {other_entries} there")
    ratio = other / mine
    print(f"{os.path.basename(path):24} {megabytes:8.1f} MB   spgm {megabytes / mine:7.1f} MB/s   "
          f"scikit-learn {sklearn.__version__} {megabytes / other:6.1f} MB/s   ratio {ratio:5.1f} (at least {REQUIRED:.0f})")
    return ratio >= REQUIRED


def main():
    program, files = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as folder:
        if not files:
            files = [os.path.join(folder, "random.svm")]
            make_random(files[0])
            path = os.path.join(folder, "e2006_x10.svm")
            if make_e2006(path):
                files.append(path)
        return 0 if all([compare(program, path) for path in files]) else 1


if __name__ == "__main__":
    sys.exit(main())
