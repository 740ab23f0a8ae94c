"""Rows on many machines: what `comm=` takes, as the extension calls it."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


class Communicator:
    """A communicator like mpi4py's: `Get_rank`, `Get_size`, `Allreduce`, `Bcast` and, where there is one, `Abort`.

    Of another kind than mpi4py's, `Allreduce` is called with op="sum" or op="max".
    """

    def __init__(self, comm: Any) -> None:
        for name in ("Get_rank", "Get_size", "Allreduce", "Bcast"):
            if not callable(getattr(comm, name, None)):
                raise TypeError(f"comm has no method {name}: give a communicator of mpi4py, or one with its methods")
        self.comm = comm
        self.rank = int(comm.Get_rank())
        self.size = int(comm.Get_size())
        mpi = sys.modules.get("mpi4py.MPI")
        is_mpi = mpi is not None and isinstance(comm, mpi.Comm)
        self.operations = {"sum": mpi.SUM, "max": mpi.MAX} if is_mpi and mpi else {"sum": "sum", "max": "max"}

    def _reduce(self, view: memoryview, name: str) -> None:
        values = np.frombuffer(view, np.float64)
        result = np.empty_like(values)
        self.comm.Allreduce(values.copy(), result, op=self.operations[name])
        self.comm.Bcast(result, root=0)  # an Allreduce may add in another order on each process
        values[:] = result

    def sum(self, view: memoryview, _: int) -> None:
        self._reduce(view, "sum")

    def max(self, view: memoryview, _: int) -> None:
        self._reduce(view, "max")

    def broadcast(self, view: memoryview, root: int) -> None:
        data = np.frombuffer(view, np.uint8)
        copy = data.copy()
        self.comm.Bcast(copy, root=root)
        data[:] = copy

    def fail(self, sentence: str) -> None:
        """This process fails alone while the others wait for it."""
        abort = getattr(self.comm, "Abort", None)
        if abort is not None:
            print(f"spgm: process {self.rank}: {sentence}", file=sys.stderr, flush=True)
            abort(1)
