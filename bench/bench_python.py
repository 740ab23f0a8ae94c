"""What the Python package promises about time:  python3 bench/bench_python.py   (an interpreter that sees spgm and scikit-learn)

    import      of spgm beyond NumPy and SciPy: under 150 ms
    overhead    of a call on a 20 x 5 problem, the solver's own time not counted: under 100 us
    Ctrl-C      from the signal to the except clause: under 0.2 s

Prints each with what it must be, and fails when one is missed. The best of several is taken (of Ctrl-C the median): the machine
may have other things to do, the package may not.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable

import spgm


def fresh(code: str, *arguments: str) -> float:
    """The number that a fresh interpreter prints."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    return float(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment).stdout)


def import_seconds() -> float:
    code = """
        import time, numpy, scipy.sparse
        began = time.perf_counter()
        import spgm
        print(time.perf_counter() - began)
    """
    return min(fresh(code) for _ in range(5))


def overhead(call: Callable[[], spgm.Result], times: int = 2000) -> float:
    """The least time of a call that is not the solver's."""
    least = float("inf")
    for _ in range(times):
        began = time.perf_counter()
        result = call()
        least = min(least, time.perf_counter() - began - result.seconds)
    return least


def ctrl_c(what: str) -> float:
    code = """
        import os, signal, sys, threading, time, spgm
        A, b = spgm.generate("random-256-1024")
        long = dict(window=10**6, max_iterations=10**12)
        runs = {
            "solve": lambda: spgm.solve(A, b, 30, method="spgm-bcd", **long),
            "auto": lambda: spgm.solve(A, b, 90, effort=9, threads=1),
            "path": lambda: spgm.path(A, b, range(20, 31), effort=9),
            "cross_validate": lambda: spgm.cross_validate(A, b, range(20, 31), effort=9),
            "fit": lambda: spgm.SparseRegressor(30, effort=9).fit(A, b),
        }
        if sys.argv[1] == "fit":
            spgm.SparseRegressor  # importing scikit-learn is not the fit
        sent = []

        def press():
            time.sleep(0.7)
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=press, daemon=True).start()
        try:
            runs[sys.argv[1]]()
            print("inf" if sent else "nan")  # nan: it ended before the key was pressed
        except KeyboardInterrupt:
            print(time.perf_counter() - sent[0])
    """
    return statistics.median(fresh(code, what) for _ in range(5))


def main() -> int:
    A, b = spgm.generate("random-20-5")
    model = spgm.SparseRegressor(2, method="spgm-iht")
    rows = [
        ("import spgm beyond NumPy and SciPy", import_seconds(), 0.150, "ms", 1e3),
        ("overhead of solve", overhead(lambda: spgm.solve(A, b, 2, method="spgm-iht", threads=1)), 1e-4, "us", 1e6),
        ("overhead of SparseRegressor.fit", overhead(lambda: model.fit(A, b).result_), 1e-4, "us", 1e6),
        *((f"Ctrl-C in {w}", ctrl_c(w), 0.2, "ms", 1e3) for w in ("solve", "auto", "path", "cross_validate", "fit")),
    ]
    failed = 0
    for name, seconds, most, unit, factor in rows:
        missed = not seconds < most
        failed |= missed
        print(f"{name:36} {factor * seconds:8.1f} {unit}   under {factor * most:.0f} {unit}{'   MISSED' if missed else ''}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
