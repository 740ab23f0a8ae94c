"""Rows spread over processes, with a communicator of threads in the place of mpi4py's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import spgm


class Group:
    """What the members share: a place for each to put its array, and a barrier."""

    def __init__(self, size: int, fails_at: int = -1) -> None:
        self.size = size
        self.places: list[Any] = [None] * size
        self.barrier = threading.Barrier(size, timeout=60)
        self.fails_at = fails_at
        self.calls = 0


class Member:
    def __init__(self, group: Group, rank: int) -> None:
        self.group = group
        self.rank = rank

    def Get_rank(self) -> int:
        return self.rank

    def Get_size(self) -> int:
        return self.group.size

    def _meet(self, array: Any) -> list[Any]:
        self.group.places[self.rank] = array.copy()
        self.group.barrier.wait()
        seen = list(self.group.places)
        self.group.barrier.wait()
        return seen

    def Allreduce(self, sent: Any, received: Any, op: str) -> None:
        self.group.calls += self.rank == 0
        if self.rank == 1 and 0 <= self.group.fails_at < self.group.calls:
            self.group.barrier.abort()
            raise RuntimeError("the line is dead")
        seen = np.array(self._meet(sent))
        received[:] = seen.sum(axis=0) if op == "sum" else seen.max(axis=0)

    def Bcast(self, array: Any, root: int = 0) -> None:
        array[:] = self._meet(array)[root]


def on_all(size: int, work: Any, fails_at: int = -1) -> list[Any]:
    group = Group(size, fails_at)
    with ThreadPoolExecutor(size) as pool:
        futures = [pool.submit(work, Member(group, rank)) for rank in range(size)]
    return [future.exception() or future.result() for future in futures]


@pytest.fixture
def data() -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    A = rng.standard_normal((80, 20))
    return A, 2 * A[:, 3] - A[:, 11] + 0.5 * A[:, 17] + 0.3 * rng.standard_normal(80)


CUTS = {1: [0, 80], 2: [0, 13, 80], 3: [0, 30, 30, 80], 4: [0, 20, 40, 60, 80]}


@pytest.mark.parametrize("size", CUTS)
@pytest.mark.parametrize("method", ["auto", "spgm-iht", "omp"])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_same_model_for_any_parts(data: tuple[Any, Any], size: int, method: str, as_sparse: bool) -> None:
    A, b = data
    cut = CUTS[size]

    def work(comm: Member) -> spgm.Result:
        rows = slice(cut[comm.rank], cut[comm.rank + 1])
        part = sp.csc_matrix(A[rows]) if as_sparse else A[rows]
        return spgm.solve(part, b[rows], 3, f=0.1, method=method, comm=comm, max_iterations=100, effort=1)

    def alone(comm: Member) -> spgm.Result:
        return spgm.solve(A, b, 3, f=0.1, method=method, comm=comm, max_iterations=100, effort=1)

    expected = on_all(1, alone)[0]
    for result in on_all(size, work):
        assert not isinstance(result, BaseException), result
        assert list(result.support) == list(expected.support)
        assert result.objective == pytest.approx(expected.objective, rel=1e-9)
        r = A @ result.coef + result.intercept - b
        assert result.objective == pytest.approx(np.abs(r).sum() + 0.05 * (result.coef**2).sum(), rel=1e-12)
    if method == "auto":
        assert spgm.solve(A, b, 3, f=0.1, effort=1).objective == pytest.approx(expected.objective, rel=1e-9)


def test_errors_reach_everybody(data: tuple[Any, Any]) -> None:
    A, b = data
    A[50, 2] = np.nan
    for result in on_all(2, lambda comm: spgm.solve(A[40 * comm.rank :][:40], b[40 * comm.rank :][:40], 3, comm=comm)):
        assert isinstance(result, ValueError)
        assert "process 1" in str(result) and "row 11" in str(result)


def test_an_exception_of_the_communicator_is_raised(data: tuple[Any, Any]) -> None:
    A, b = data
    results = on_all(2, lambda comm: spgm.solve(A[40 * comm.rank :][:40], b[40 * comm.rank :][:40], 3, comm=comm), fails_at=7)
    assert isinstance(results[1], RuntimeError) and "dead" in str(results[1])
    assert isinstance(results[0], threading.BrokenBarrierError)


def test_callback_of_rank_0_stops_all(data: tuple[Any, Any]) -> None:
    A, b = data
    called: list[int] = []

    def work(comm: Member) -> spgm.Result:
        def callback(progress: Any) -> bool:
            called.append(comm.rank)
            return True

        rows = slice(40 * comm.rank, 40 * comm.rank + 40)
        return spgm.solve(A[rows], b[rows], 3, method="spgm-iht", tolerance=0, max_iterations=10**7, comm=comm, callback=callback)

    for result in on_all(2, work):
        assert result.outcome == "interrupted"
    assert set(called) == {0}


def test_a_communicator_needs_its_methods(data: tuple[Any, Any]) -> None:
    with pytest.raises(TypeError, match="Get_rank"):
        spgm.solve(*data, 3, comm=object())


WITH_MPI4PY = """
import sys
import numpy as np
from mpi4py import MPI
import spgm

comm = MPI.COMM_WORLD
A, b = spgm.generate("random-256-64", seed=3)
ends = [0, *range(17, 17 + 40 * (comm.size - 1), 40), 256]  # uneven parts
mine = slice(ends[comm.rank], ends[comm.rank + 1])
for method in sys.argv[1:]:
    result = spgm.solve(np.asfortranarray(A[mine]), b[mine], 6, loss="l1", comm=comm, method=method, max_iterations=30)
    if comm.rank == comm.size - 1:
        print(method, repr(result.objective), *result.support)
"""


def test_mpi4py_takes_the_place_of_threads(tmp_path: Any) -> None:
    pytest.importorskip("mpi4py", reason="mpi4py is not installed")
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        pytest.skip("there is no mpirun: apt-get install openmpi-bin")
    methods = ["spgm-iht", "auto"]
    script = tmp_path / "job.py"
    script.write_text(WITH_MPI4PY)
    names = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_btl": "self,vader"}
    A, b = spgm.generate("random-256-64", seed=3)
    expected = [spgm.solve(A, b, 6, loss="l1", method=method, max_iterations=30) for method in methods]
    command = [mpirun, "-n", "2", sys.executable, str(script), *methods]
    said = subprocess.run(command, env={**os.environ, **names}, capture_output=True, text=True, timeout=120)
    assert said.returncode == 0, said.stderr
    lines = [line.split() for line in said.stdout.splitlines()]
    assert [line[0] for line in lines] == methods
    for (_, objective, *support), alone in zip(lines, expected):
        assert float(objective) == pytest.approx(alone.objective, rel=1e-9)
        assert [int(j) for j in support] == alone.support.tolist()
