"""After a call that woke threads, a child made by fork() calls again: it must end, with the same bits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap

import pytest

# A child that hangs is ended when its result is late by far; `late` is a bound for hangs, not a promise of time.
COMMON = """
    import sys
    import numpy as np
    import spgm

    late = 120
    rng = np.random.default_rng(3)

    def data(m, n):
        X = np.asfortranarray(rng.normal(size=(m, n)))
        return X, X[:, 1] - 2 * X[:, 4] + rng.normal(size=m)

    if sys.argv[1] == "cross_validate":  # folds on several threads
        X, y = data(300, 60)
        work = lambda _: spgm.cross_validate(X, y, [1, 2], folds=3).losses.tobytes()
    else:  # products on several threads: 6 million multiplications
        X, y = data(2000, 3000)
        work = lambda _: spgm.solve(X, y, 3, method="spgm-iht", max_iterations=5).coef.tobytes()

    def task(k):  # by name, for pickle
        return work(k)
"""
WAYS = {
    "fork": """
        import os, signal
        here = task(0)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            signal.alarm(late)  # ends the child
            os.write(write, b"same" if task(0) == here else b"other")
            os._exit(0)
        os.close(write)
        _, status = os.waitpid(child, 0)
        print(os.read(read, 9).decode() if status == 0 else f"the child ended with status {status}")
    """,
    "multiprocessing": """
        import multiprocessing
        here = task(0)
        with multiprocessing.get_context("fork").Pool(2) as pool:
            there = pool.map_async(task, range(3)).get(timeout=late)
        print("same" if there == [here] * 3 else "other")
    """,
    "joblib": """
        import multiprocessing
        import joblib
        multiprocessing.set_start_method("fork")
        here = task(0)
        there = joblib.Parallel(2, backend="multiprocessing", timeout=late)(joblib.delayed(task)(k) for k in range(3))
        print("same" if there == [here] * 3 else "other")
    """,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("call", ["cross_validate", "solve"])
def test_children_of_a_fork_do_not_hang(call, way):
    if way == "joblib":
        pytest.importorskip("joblib")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    code = textwrap.dedent(COMMON) + textwrap.dedent(WAYS[way])
    with subprocess.Popen(
        [sys.executable, "-c", code, call],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    ) as process:
        try:
            output, errors = process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # with the children that keep the pipes open
            raise
    assert output == "same\n", errors
