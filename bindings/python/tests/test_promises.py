"""Memory, threads, Ctrl-C, imports: what the documentation promises. Its promises of time are in bench/bench_python.py."""

from __future__ import annotations

import gc
import json
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


def test_import_takes_nothing_along():
    code = """
        import sys, spgm
        print([name for name in ("sklearn", "matplotlib", "pandas", "polars", "tqdm") if name in sys.modules])
    """
    done = run_python(code)
    assert done.stdout == "[]\n", done.stderr


def resident() -> int:
    """Bytes in use now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


@pytest.mark.measured
def test_memory_is_flat_over_thousands_of_fits():
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

    some(500)
    gc.collect()
    before = resident()
    some(2000)
    gc.collect()
    assert resident() - before < 2000 * 200  # bytes for each


# What is done with a mapped file, as an expression of A, b (a file of doubles) and y (of whole numbers), and what it prints.
ON_A_MAP = {
    "solve": ("spgm.solve(A, b, 2, loss='huber', threads=1)", "[3, 7] [3.0, 1.0]\n"),
    "solve with a target of floats": ("spgm.solve(A, b32, 2, loss='huber', threads=1)", "[3, 7] [3.0, 1.0]\n"),
    "regressor": ("spgm.SparseRegressor(2, loss='huber').fit(A, b).result_", "[3, 7] [3.0, 1.0]\n"),
    "regressor, target of floats": ("spgm.SparseRegressor(2, loss='huber').fit(A, b32).result_", "[3, 7] [3.0, 1.0]\n"),
    "predict": ("model(A)", "[0.0, 0.0]\n"),
    "predict by an estimator": ("estimator.predict(A)", "[0.0, 0.0]\n"),
    "classifier": ("spgm.SparseClassifier(1, loss='squared_hinge').fit(A, y).results_[0]", "[3] [1.0]\n"),
}


@pytest.mark.parametrize(("order", "names"), [("C", ["solve"]), ("F", list(ON_A_MAP))], ids=["C", "F"])
def test_a_large_mapped_file_is_not_copied(tmp_path, order, names):
    """Below a limit on memory that the file, or two vectors over its rows, would break; beside it workspace is in files."""
    code = """
        import resource, sys, warnings
        import numpy as np, spgm
        A = np.lib.format.open_memmap("A.npy", "w+", np.float32, (1 << 20, 32), fortran_order=sys.argv[1] == "F")
        random = np.random.default_rng(3)
        for first in range(0, 1 << 20, 1 << 16):
            A[first : first + (1 << 16), [3, 7]] = random.normal(size=(1 << 16, 2))
        for name, kind in (("b", np.float64), ("b32", np.float32), ("y", np.int8)):
            target = np.lib.format.open_memmap(name + ".npy", "w+", kind, (1 << 20,))
            target[:] = A[:, 3] > 0 if name == "y" else 3 * A[:, 3] + A[:, 7]
        del A, target
        A, b, b32, y = (np.load(name + ".npy", mmap_mode="r") for name in ("A", "b", "b32", "y"))
        few = A[:100], b[:100]
        model, estimator = spgm.solve(*few, 2).predict, spgm.SparseRegressor(2).fit(*few)
        model(few[0]), estimator.predict(few[0]), spgm.SparseClassifier(1, loss="squared_hinge").fit(few[0], y[:100])
        with open("/proc/self/status") as file:
            now = next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmData"))
        resource.setrlimit(resource.RLIMIT_DATA, (now + (12 << 20), now + (12 << 20)))
        warnings.filterwarnings("ignore", "workspace beside")  # the folder of a test may be kept in memory
        for expression in sys.argv[2:]:
            result = eval(expression)
            if isinstance(result, np.ndarray):
                print((result[:2] - b[:2]).round(5).tolist())
            else:
                size = result.coef[result.support]
                print(result.support.tolist(), (size / size[-1]).round(5).tolist())
                assert result.deviations.round(1).tolist() == [1.0] * size.size
            del result
    """
    expected = "".join(ON_A_MAP[name][1] for name in names)
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), order, *(ON_A_MAP[name][0] for name in names)],
        capture_output=True,
        text=True,
        timeout=240,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "TMPDIR": str(tmp_path)},
    )
    assert done.stdout.replace("-0.0", "0.0") == expected, done.stderr


@pytest.mark.long
@pytest.mark.measured
def test_a_gigabyte_is_used_in_place():
    """Growth of the resident memory in a fit, for each kind of matrix over the same gigabyte."""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if free < 2.5 * 2**30:
        pytest.skip(f"only {free / 2**30:.1f} GiB of memory are free")
    code = """
        import json, numpy as np, scipy.sparse as sparse, spgm
        spgm.SparseRegressor  # scikit-learn takes memory of its own
        m, n = 1 << 17, 1 << 10
        block = np.empty((m, n), order="F")  # 1 GiB, touched so that it counts
        noise = np.random.default_rng(0).normal(size=m + n)
        for j in range(n):
            block[:, j] = noise[j : j + m]
        rows = np.resize(np.arange(m, dtype=np.int32), m * n)
        csc = sparse.csc_matrix((block.reshape(-1, order="F"), rows, np.arange(n + 1, dtype=np.int32) * m), (m, n))
        csc.has_canonical_format = True
        assert np.shares_memory(csc.data, block) and np.shares_memory(csc.indices, rows)
        b = np.ones(m)
        b[::3] = -1

        def status(name):
            with open("/proc/self/status") as file:
                return next(int(line.split()[1]) * 1024 for line in file if line.startswith(name))

        def growth(work):
            with open("/proc/self/clear_refs", "w") as file:
                file.write("5")  # the peak begins anew
            before = status("VmRSS")
            work()
            return status("VmHWM") - before

        few = {"max_iterations": 2}
        model = spgm.SparseRegressor(2, method="spgm-iht", options=few)
        print(json.dumps({
            "a copy": growth(lambda: block[:, :200].copy()),  # what must be seen when it is there: 200 MiB
            "dense": growth(lambda: spgm.solve(block, b, 2, method="spgm-iht", **few)),
            "rows": growth(lambda: spgm.solve(block[:-100], b[:-100], 2, method="spgm-iht", **few)),
            "csc": growth(lambda: spgm.solve(csc, b, 2, method="spgm-iht", **few)),
            "estimator": growth(lambda: model.fit(block, b)),
            "estimator, csc": growth(lambda: model.fit(csc, b)),
        }))
    """
    pytest.importorskip("sklearn")
    done = run_python(code, timeout=600)
    assert done.returncode == 0, done.stderr
    grown = json.loads(done.stdout)
    assert grown.pop("a copy") > 190 * 2**20
    assert max(grown.values()) < 64 * 2**20, grown  # vectors and threads, not a copy


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


@pytest.mark.parametrize("name, settings", [
    ("random-64-128", dict(effort=1)),
    ("random-2100-2001", dict(method="spgm-iht", max_iterations=10)),  # large enough to wake threads
])  # fmt: skip
def test_one_matrix_serves_many_threads(name, settings):
    A, b = spgm.generate(name)
    results = [spgm.solve(A, b, 6, threads=1, **settings).coef.tobytes()]
    work = lambda k: results.append(spgm.solve(A, b, 6, threads=1 + k % 3, **settings).coef.tobytes())  # noqa: E731
    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 7 and len(set(results)) == 1


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="threads are counted in /proc")
def test_large_products_wake_threads():
    A, b = spgm.generate("random-2100-2001")
    tasks = lambda: len(os.listdir("/proc/self/task"))  # noqa: E731
    before, seen = tasks(), []
    endless = dict(method="spgm-iht", window=10**6, max_iterations=10**12)
    spgm.solve(A, b, 6, threads=3, callback=lambda p: seen.append(tasks()) or True, **endless)
    spgm.solve(A, b, 6, threads=1, callback=lambda p: seen.append(tasks()) or True, **endless)
    assert seen[0] == before + 2 and seen[1] <= before + 2 and len(seen) == 2


def test_python_goes_on_while_a_fit_runs():
    """Between two calls of the callback, 50 ms apart, this thread gets its turn many times; else once at most."""
    A, b = spgm.generate("random-256-1024")
    turns, seen, enough = 0, [0], threading.Event()
    thread = threading.Thread(
        target=lambda: spgm.solve(A, b, 30, callback=lambda p: seen.append(turns) or enough.is_set(), **LONG)
    )
    thread.start()
    while max(np.diff(seen[:]), default=0) < 5 and turns < 10_000:
        turns += 1
        time.sleep(0.001)
    enough.set()
    thread.join()
    assert max(np.diff(seen)) >= 5


@pytest.mark.parametrize("what", ["solve", "estimator", "path", "cv"])
def test_ctrl_c_stops(what):
    """KeyboardInterrupt comes out of a fit that would take for ever, and the interpreter goes on."""
    code = """
        import os, signal, sys, threading, time, spgm
        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in what a shell starts in the background
        A, b = spgm.generate("random-256-1024")
        long = dict(window=10**6, max_iterations=10**12)

        def press():
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGINT)

        if sys.argv[1] == "estimator":
            estimator = spgm.SparseRegressor(30, method="spgm-bcd", options=long)
        threading.Thread(target=press, daemon=True).start()
        try:
            if sys.argv[1] == "solve":
                spgm.solve(A, b, 30, method="spgm-bcd", **long)
            elif sys.argv[1] == "path":
                spgm.path(A, b, range(20, 31), method="spgm-bcd", **long)
            elif sys.argv[1] == "cv":
                spgm.cross_validate(A, b, range(20, 31), method="spgm-bcd", **long)
            else:
                estimator.fit(A, b)
            print("finished")
        except KeyboardInterrupt:
            print("stopped", len(spgm.solve(A, b, 2, method="spgm-iht", max_iterations=5).support))
    """
    done = run_python(code, what)
    assert done.stdout == "stopped 2\n", done.stderr


def test_ctrl_c_of_a_terminal():
    """The same from outside: the process prints its traceback and ends as one that was interrupted."""
    code = """
        import signal, spgm
        signal.signal(signal.SIGINT, signal.default_int_handler)
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
        _, errors = process.communicate(timeout=60)
    assert b"KeyboardInterrupt" in errors and process.returncode == -signal.SIGINT
