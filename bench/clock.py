"""Limits of the time from Python: how long spgm.solve takes, an array of 200,000 x 100 in C and in Fortran order.

    build/python/bin/python bench/clock.py

exits with an error where a limit of T seconds, from 0.2 on, ends after T + 2 % + 50 ms. Needs an idle core. Then, for comparison, what a
limit of 0.1 s takes of the processor where a copy by columns would take seconds: 20,000 x 5,000 in C order.
"""

import sys
import time

import numpy as np

import spgm

ROWS, COLUMNS, TURNS = 200000, 100, 3


def main() -> None:
    random = np.random.default_rng(5)
    A = random.standard_normal((ROWS, COLUMNS))
    b = A[:, :10] @ random.standard_normal(10) + random.standard_normal(ROWS)
    late = 0
    for order in "CF":
        A = np.asarray(A, order=order)
        spgm.solve(A, b, 10, threads=1, time_limit=0.05)  # pages that are new
        for limit in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0):
            took, passes = [], 0.0
            for _ in range(TURNS):
                began = time.perf_counter()
                passes = spgm.solve(A, b, 10, loss="l1", threads=1, time_limit=limit).passes
                took.append(time.perf_counter() - began)
            late += limit >= 0.2 and max(took) > 1.02 * limit + 0.05
            print(f"{order}  limit {limit:4.2f}  took {min(took):.3f} to {max(took):.3f}  {passes:4.1f} passes", flush=True)
    A = random.standard_normal((20000, 5000))
    b = A[:, :10] @ random.standard_normal(10) + random.standard_normal(20000)
    for method in ("spgm-iht", "diht", "auto"):
        began = time.process_time()
        spgm.solve(A, b, 10, loss="l1", method=method, ridge=1.0, threads=1, time_limit=0.1)
        print(f"20,000 x 5,000  limit 0.10  {method:8}  {time.process_time() - began:.2f} s of the processor", flush=True)
    if late:
        sys.exit(f"{late} limits were not kept")


if __name__ == "__main__":
    main()
