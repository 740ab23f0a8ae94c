"""The folds of a cross-validation through joblib: threads, processes, or what has registered a backend, such as Dask and Ray."""

from __future__ import annotations

import inspect
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _spgm
from ._arrays import Float
from ._progress import Callback, Line, Progress

Piece = tuple[int, int, int, int, int, int, float, bytes]  # number, first, last, ridges, first and last ridge, seconds, trail: see spgm_cv_piece
Found = tuple[bytes, bytes]  # losses, trail


class Recipe:
    """How to make the problems of a cross-validation, and the one whose loss judges, in this process or in another one, where it arrives without them."""

    def __init__(self, make: Callable[..., _spgm.Problem], calls: Sequence[tuple[Any, ...]], judge: tuple[Any, ...] | None = None) -> None:
        self._make, self._calls, self._judge = make, tuple(calls), judge
        self._forget()

    def _forget(self) -> None:
        self._made: list[_spgm.Problem] | None = None
        self._made_judge: _spgm.Problem | None = None
        self._lock = threading.Lock()

    def count(self) -> int:
        """How many problems there are."""
        return len(self._calls)

    def problems(self) -> list[_spgm.Problem]:
        with self._lock:
            if self._made is None:
                self._made = [self._make(*call) for call in self._calls]
            return self._made

    def judge(self) -> _spgm.Problem | None:
        """The problem whose loss judges; None: each by its own."""
        with self._lock:
            if self._made_judge is None and self._judge is not None:
                self._made_judge = self._make(*self._judge)
            return self._made_judge

    def __getstate__(self) -> tuple[Any, ...]:
        return self._make, self._calls, self._judge

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._make, self._calls, self._judge = state
        self._forget()

    def __sizeof__(self) -> int:
        """With the data, by which Dask decides to send it to a worker once and not with every fold."""
        return object.__sizeof__(self) + sum(_bytes_of(call) for call in self._calls)


def _bytes_of(thing: Any) -> int:
    return sum(map(_bytes_of, thing)) if isinstance(thing, (tuple, list)) else int(getattr(thing, "nbytes", sys.getsizeof(thing)))


class Stop:
    """What the library asks whether to stop; threads share it, another process has one of its own."""

    def __init__(self) -> None:
        self.event = threading.Event()

    def __call__(self, *progress: object) -> bool:
        return self.event.is_set()

    def __reduce__(self) -> tuple[type[Stop], tuple[()]]:
        return Stop, ()


class Plan:
    """What every piece of a cross-validation has in common."""

    def __init__(
        self,
        recipe: Recipe,
        sparsities: NDArray[np.int64] | None,
        options: dict[str, Any],
        given: int,
        fold_of_row: NDArray[np.int64],
        ridges: Float | None,
    ) -> None:
        self.recipe, self.sparsities, self.options = recipe, sparsities, options
        self.given, self.ridges = given, ridges
        self.fold_of_row = fold_of_row if given else fold_of_row.size

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + sys.getsizeof(self.recipe) + _bytes_of(self.fold_of_row)

    def run(self, piece: Piece, stop: Stop) -> Found:
        first, *others = self.recipe.problems()
        folds = np.array(self.fold_of_row) if self.given else np.empty(self.fold_of_row, dtype=np.int64)
        return first.cv(self.sparsities, self.options, self.given, folds, stop, self.ridges, tuple(others), self.recipe.judge(), piece)


def run_piece(plan: Plan, piece: Piece, stop: Stop) -> Found:
    """What joblib calls."""
    return plan.run(piece, stop)


def is_wanted(n_jobs: int | None) -> bool:
    """Whether joblib takes the folds: n_jobs is given, or a backend is active."""
    try:
        from joblib.parallel import get_active_backend
    except ImportError:
        return False
    if n_jobs is not None:
        return True
    backend, jobs = get_active_backend(prefer="threads")
    return not (jobs in (None, 1) and getattr(backend, "uses_threads", False))


def workers(n_jobs: int | None) -> int:
    """How many folds run at a time, for the time that each of them may take."""
    import joblib

    return min(max(1, int(joblib.effective_n_jobs(n_jobs))), 1024)


def in_time(pieces: list[Piece], always: int, at_a_time: int, done: list[Any]) -> Iterator[Piece]:
    """The pieces that there is time for when their turn comes, the first ones in any case. A piece that is begun ends, so that none is
    when it would be half beyond the limit by what those that are done took."""
    began = time.monotonic()
    within = pieces[0][6] * math.ceil(len(pieces) / at_a_time) if pieces else 0.0
    for k, piece in enumerate(pieces):
        spent = time.monotonic() - began
        each = spent * at_a_time / len(done) if done else 0.0
        if k >= always and spent + each / 2 > within:
            return
        yield piece


def _results(n_jobs: int | None, plan: Plan, pieces: list[Piece], stop: Stop, found: list[Found]) -> Iterator[Found]:
    """One after the other, where joblib can; `found` are those that the caller has taken so far."""
    from joblib import Parallel, delayed
    from joblib.parallel import get_active_backend

    how: dict[str, Any] = {}
    turns: Iterator[Piece] = iter(pieces)
    if pieces and math.isfinite(pieces[0][6]):
        how = {"pre_dispatch": "n_jobs", "batch_size": 1}  # the clock is looked at when a piece begins
        turns = in_time(pieces, plan.recipe.count(), workers(n_jobs), found)
    if "return_as" in inspect.signature(Parallel).parameters and getattr(
        get_active_backend(prefer="threads")[0], "supports_return_generator", False
    ):
        how["return_as"] = "generator"
    # The library runs without the GIL, so threads will do unless another backend is active.
    yield from Parallel(n_jobs=n_jobs, prefer="threads", **how)(delayed(run_piece)(plan, piece, stop) for piece in turns)


def hand_out(
    plan: Plan, n_jobs: int | None, callback: Callback | None, line: Line | None
) -> Callable[[list[Piece]], tuple[list[Found], bool]]:
    """What the library calls with the pieces of each round: what was found in their order, and whether to stop."""
    began = time.monotonic()
    nan = float("nan")

    def is_stopped(done: int, pieces: list[Piece]) -> bool:
        fraction = min(done / len(pieces), 0.999)
        progress = Progress("cross-validation", done, nan, nan, nan, nan, nan, nan, time.monotonic() - began, 0, fraction)
        if line is not None:
            line.show(progress)
        return bool(callback is not None and callback(progress))

    def work(pieces: list[Piece]) -> tuple[list[Found], bool]:
        stop = Stop()
        found: list[Found] = []
        try:
            for result in _results(n_jobs, plan, pieces, stop, found):
                found.append(result)
                if is_stopped(len(found), pieces):
                    return found, True
        finally:
            stop.event.set()
        return found, False

    return work
