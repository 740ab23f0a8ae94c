"""Memory beside NPY files that are mapped: the peak of RssAnon, of the file's size, for every command and loss.

    build/python/bin/python bench/mapped.py build/release/spgm [FOLDER]

makes files of 275 to 610 MB, one after the other, in a folder of FOLDER (/var/tmp) that is removed, runs the program on them, and exits
with an error where anonymous memory was more than 5 % of the file. b = A x + t-distributed noise, 15 columns matter, columns are correlated.
The target is a file of its own, and once a column in the middle of another file, which must not change F.

From Python `spgm.solve`, estimators and their predictions: what a process takes beyond one that has loaded the package, scikit-learn and fitted
100 rows. A prediction is an array of the caller's, 8 bytes for each row: that is allowed on top.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

FILES = {  # rows, columns, type, order
    "1,200,000 x 30": (1200000, 30, "f8", "F"),
    "600,000 x 60": (600000, 60, "f8", "C"),
    "800,000 x 100": (800000, 100, "f8", "F"),
    "800,000 x 100 single": (800000, 100, "f4", "C"),
    "20,000 x 4,000": (20000, 4000, "f8", "F"),
}
SPEED = {  # what order costs: the first fit only, for the seconds
    "200,000 x 200": (200000, 200, "f8", "F"),
    "200,000 x 200 by rows": (200000, 200, "f8", "C"),
}
FITS = [["l1"], ["quantile", "--quantile", "0.9"], ["hinge"], ["linf", "--method", "omp"], ["squared"], ["huber"], ["logistic"]]


def make(folder: Path, name: str) -> Path:
    rows, columns, kind, order = (FILES | SPEED)[name]
    random = np.random.default_rng(7)
    path, middle = folder / "A.npy", columns // 2
    A = np.lib.format.open_memmap(path, "w+", kind, (rows, columns), fortran_order=order == "F")
    both = np.lib.format.open_memmap(folder / "both.npy", "w+", kind, (rows, columns + 1), fortran_order=order == "F")
    load, x, b = random.standard_normal((5, columns)), np.zeros(columns), np.empty(rows)
    x[random.choice(columns, 15, replace=False)] = random.standard_normal(15) * np.linspace(0.2, 1.5, 15)
    for first in range(0, rows, 20000):
        last = min(first + 20000, rows)
        block = random.standard_normal((last - first, columns)) + 0.5 * random.standard_normal((last - first, 5)) @ load
        A[first:last] = block
        b[first:last] = (block.astype(kind) @ x + random.standard_t(3, last - first)).astype(kind)
        both[first:last] = np.column_stack([block[:, :middle], b[first:last], block[:, middle:]])
    np.save(folder / "b.npy", b)
    np.save(folder / "y.npy", np.where(b > np.median(b), 1.0, -1.0))
    return path


PYTHON = """
import sys
import numpy as np, spgm
folder, work = sys.argv[1:]
A = np.load(folder + "/A.npy", mmap_mode="r")
b, y = np.load(folder + "/b.npy", mmap_mode="r"), np.load(folder + "/y.npy", mmap_mode="r")
few = spgm.SparseRegressor(10, loss="huber").fit(A[:100], b[:100])
spgm.SparseClassifier(10, loss="logistic").fit(A[:100], y[:100]).predict(A[:100])

def anonymous(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name)) / 1024

before = anonymous("RssAnon")
print(before, flush=True)
eval(work)
"""
IN_PYTHON = {  # and whether a prediction is a part of it
    "solve": ("spgm.solve(A, b, 10, loss='l1', threads=1)", False),
    "solve, inside": ("(lambda data: spgm.solve(data.A, data.b, 10, loss='l1', threads=1))(spgm.read(folder + '/both.npy', target=A.shape[1] // 2 + 1))", False),
    "regressor": ("spgm.SparseRegressor(10, loss='absolute_error').fit(A, b)", False),
    "classifier": ("spgm.SparseClassifier(10, loss='logistic').fit(A, y)", False),
    "predict": ("few.predict(A)", True),
    "result's predict": ("few.result_.predict(A)", True),
}


def measure_python(folder: Path, name: str) -> bool:
    size, rows, good = (folder / "A.npy").stat().st_size / 2**20, FILES[name][0], True
    for what, (work, predicts) in IN_PYTHON.items():
        peak, seconds, said = run([sys.executable, "-c", PYTHON, str(folder), work])
        prediction = rows * 8 / 2**20 if predicts else 0.0
        beyond = peak - float(said.split()[0]) - prediction
        good &= beyond <= 0.05 * size
        note = f" beside a prediction of {prediction:.1f}" if predicts else ""
        print(f"{name:22} {'Python: ' + what:24} {beyond:5.1f} of {size:.0f} MB{note}  {seconds:6.1f} s", flush=True)
    return good


def run(words: list[str]) -> tuple[float, float, str]:
    """Peak of RssAnon in MB, processor seconds, standard output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    peak = 0
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/status") as file:
                peak = max(peak, next((int(line.split()[1]) for line in file if line.startswith("RssAnon")), 0))
        except OSError:
            break
        time.sleep(0.004)
    said = process.communicate()[0]
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        sys.exit(f"{' '.join(words)} returned {process.returncode}")
    return peak / 1024, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, said


def measure(program: str, folder: Path, name: str) -> bool:
    path = make(folder, name)
    size, good = path.stat().st_size / 2**20, True
    model = str(folder / "model.json")
    work = {f"fit {' '.join(words)}": ["fit", "-s", "10", "--loss", *words, "--output", model] for words in FITS}
    work["fit l1 --method omp"] = ["fit", "-s", "10", "--loss", "l1", "--method", "omp", "--output", model]
    work["path"] = ["path", "-s", "1:3", "--loss", "l1", "--output", str(folder / "path.csv")]
    work["cv"] = ["cv", "-s", "1:2", "--folds", "3", "--ridge", "0", "--loss", "l1", "--method", "omp", "--output", model]
    work["fit l1, target inside"] = work["fit l1"]
    work = {"fit l1": work["fit l1"]} if name in SPEED else work
    found = {}
    for what, words in work.items():
        inside = what.endswith("inside")
        target = folder / ("y.npy" if {"hinge", "logistic"} & set(words) else "b.npy")
        data = [str(folder / "both.npy"), "--target", str(FILES[name][1] // 2 + 1)] if inside else [str(path), "--target", str(target)]
        peak, seconds, _ = run([program, words[0], *data, "--threads", "1", "--quiet", *words[1:]])
        F = found[what] = json.loads(Path(model).read_text()).get("objective") if words[0] == "fit" else None
        good &= peak <= 0.05 * size and (not inside or F == found["fit l1"])
        print(f"{name:22} {what:24} {peak:5.1f} of {size:.0f} MB  {seconds:6.1f} s  {'' if F is None else f'F {F:.6f}'}", flush=True)
    peak, seconds, _ = run([program, "predict", model, str(path), "--target", str(folder / "b.npy"), "--quiet", "--output", str(folder / "p.csv")])
    good &= peak <= 0.05 * size
    print(f"{name:22} {'predict':24} {peak:5.1f} of {size:.0f} MB  {seconds:6.1f} s", flush=True)
    return good & (name in SPEED or measure_python(folder, name))


def main() -> None:
    program, wanted = sys.argv[1], sys.argv[3:] or [*FILES, *SPEED]
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else "/var/tmp") as folder:
        good = [measure(program, Path(folder), name) for name in wanted]
    if not all(good):
        sys.exit("anonymous memory was more than 5 % of a file, or F of a target inside another")


if __name__ == "__main__":
    main()
