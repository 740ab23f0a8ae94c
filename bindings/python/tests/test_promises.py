"""Time, memory, threads, Ctrl-C: what the documentation promises, measured."""

from __future__ import annotations

import gc
import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sparse

import spgm

pytestmark = pytest.mark.measured


def run_python(code: str, *arguments: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter that sees the same package."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        env=environment,
    )


def least_seconds(work, times: int) -> float:
    return min(work() for _ in range(times))


def test_import_takes_less_than_150_ms():
    code = """
        import time, numpy, scipy.sparse
        began = time.perf_counter()
        import spgm
        print(time.perf_counter() - began)
        import sys
        assert "sklearn" not in sys.modules and "matplotlib" not in sys.modules
    """
    runs = [run_python(code) for _ in range(3)]
    assert all(run.returncode == 0 for run in runs), runs[0].stderr
    assert min(float(run.stdout) for run in runs) < 0.150


def test_overhead_of_a_fit_is_less_than_100_us():
    A, b = spgm.generate("random-20-5")
    model = spgm.SparseRegressor(2, method="spgm-iht") if "sklearn" in sys.modules else None

    def solve() -> float:
        began = time.perf_counter()
        result = spgm.solve(A, b, 2, method="spgm-iht", threads=1)
        return time.perf_counter() - began - result.seconds

    def fit() -> float:
        began = time.perf_counter()
        model.fit(A, b)
        return time.perf_counter() - began - model.result_.seconds

    assert least_seconds(solve, 500) < 100e-6
    if model is not None:
        assert least_seconds(fit, 500) < 100e-6


def resident() -> int:
    """Bytes in use now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


@pytest.mark.slow
def test_memory_is_flat_over_10000_fits():
    A, b = spgm.generate("random-20-5")
    S = sparse.csc_matrix(A)

    def some(count: int) -> None:
        for i in range(count):
            spgm.solve(A if i % 2 else S, b, 2, method="spgm-iht", max_iterations=20, trace=i % 7 == 0)
            if i % 5 == 0:
                with pytest.raises(ValueError):
                    spgm.solve(A, b, 9)
            if i % 100 == 0:
                spgm.path(A, b, [1, 2], method="spgm-iht", max_iterations=20)
                spgm.generate("random-20-5")

    some(2000)
    gc.collect()
    before = resident()
    some(10000)
    gc.collect()
    assert resident() - before < 2 * 2**20


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["dense", "rows", "csc", "estimator"])
def test_a_gigabyte_is_used_in_place(kind):
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if free < 2.5 * 2**30:
        pytest.skip(f"only {free / 2**30:.1f} GiB of memory are free")
    code = """
        import resource, sys, numpy as np, scipy.sparse as sparse
        import spgm
        kind = sys.argv[1]
        if kind == "estimator":
            spgm.SparseRegressor  # scikit-learn takes memory of its own
        m, n = (1 << 17) - 100, 1 << 10
        block = np.empty((1 << 17, n), order="F")            # 1 GiB, touched so that it counts
        noise = np.random.default_rng(0).normal(size=block.shape[0] + n)
        for j in range(n):
            block[:, j] = noise[j : j + block.shape[0]]
        if kind == "csc":
            values, count = block.reshape(-1, order="F"), block.shape[0]
            A = sparse.csc_matrix(
                (values, np.tile(np.arange(count, dtype=np.int32), n), np.arange(n + 1, dtype=np.int32) * count),
                shape=(count, n), copy=False)
            A.has_canonical_format = True
            assert A.data.base is not None
        else:
            A = block[:m] if kind == "rows" else block
        b = np.ones(A.shape[0])
        b[::3] = -1
        peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        before = peak()
        if kind == "estimator":
            spgm.SparseRegressor(2, method="spgm-iht", options={"max_iterations": 2}).fit(A, b)
        else:
            spgm.solve(A, b, 2, method="spgm-iht", max_iterations=2)
        print(peak() - before)
    """
    done = run_python(code, kind, timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 64 * 2**20  # vectors and threads, not a copy


LONG = dict(method="spgm-bcd", window=10**6, max_iterations=10**12)


def test_threads_fit_at_once_and_agree():
    problems = [spgm.generate("random-64-128", seed=k) for k in range(6)]
    alone = [spgm.solve(*p, 6, threads=1, effort=1).objective for p in problems]
    found: dict[int, list[float]] = {}

    def work(k: int) -> None:
        found[k] = [spgm.solve(*problems[k], 6, threads=1 + k % 2, effort=1).objective for _ in range(5)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {k: [alone[k]] * 5 for k in range(6)}


def test_one_matrix_serves_many_threads():
    A, b = spgm.generate("random-64-128")
    results: list[bytes] = []
    work = lambda: results.append(spgm.solve(A, b, 6, threads=1, effort=1).coef.tobytes())  # noqa: E731
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8 and len(set(results)) == 1


def test_python_goes_on_while_a_fit_runs():
    A, b = spgm.generate("random-256-1024")
    thread = threading.Thread(target=lambda: spgm.solve(A, b, 30, time_limit=1.0, **LONG))
    thread.start()
    count = 0
    while thread.is_alive():
        count += 1
        time.sleep(0.001)
    thread.join()
    assert count > 100


@pytest.mark.parametrize("what", ["solve", "estimator", "path", "cv"])
def test_ctrl_c_stops_within_a_fifth_of_a_second(what):
    """Ctrl-C is timed from the signal to the except clause, in the process itself."""
    code = """
        import os, signal, sys, threading, time, spgm
        A, b = spgm.generate("random-256-1024")
        long = dict(method="spgm-bcd", window=10**6, max_iterations=10**12)
        sent = []

        def press():
            time.sleep(0.7)
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        if sys.argv[1] == "estimator":
            estimator = spgm.SparseRegressor(30, method="spgm-bcd", options={k: long[k] for k in ("window", "max_iterations")})
        threading.Thread(target=press, daemon=True).start()
        try:
            if sys.argv[1] == "solve":
                spgm.solve(A, b, 30, **long)
            elif sys.argv[1] == "path":
                spgm.path(A, b, range(20, 31), **long)
            elif sys.argv[1] == "cv":
                spgm.cross_validate(A, b, range(20, 31), **long)
            else:
                estimator.fit(A, b)
            print("finished")
        except KeyboardInterrupt:
            print(time.perf_counter() - sent[0])
    """
    # on a machine that is busy with other things the best of a few counts
    delays = []
    for _ in range(3):
        done = run_python(code, what)
        assert done.returncode == 0, done.stderr
        delays.append(float(done.stdout))
        if delays[-1] < 0.2:
            break
    assert min(delays) < 0.2


def test_ctrl_c_of_a_terminal():
    """The same from outside: the process prints its traceback and ends as one that was interrupted."""
    code = """
        import spgm
        A, b = spgm.generate("random-256-1024")
        print("begin", flush=True)
        spgm.solve(A, b, 30, method="spgm-bcd", window=10**6, max_iterations=10**12)
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    ) as process:
        assert process.stdout.readline() == b"begin\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=10)
    assert b"KeyboardInterrupt" in errors and process.returncode == -signal.SIGINT
