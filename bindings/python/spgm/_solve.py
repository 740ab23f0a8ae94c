"""solve: the general problem in one call."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _spgm
from ._arrays import Float
from ._comm import Communicator
from ._feasible import Feasible, feasible
from ._progress import Callback, Line, watcher
from ._tables import OUTCOMES, describe_options, settle

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._data import Data

TRACE_TYPE = np.dtype(
    [
        ("method", "U24"),
        ("iteration", np.int64),
        ("mu", np.float64),
        ("objective", np.float64),
        ("best", np.float64),
        ("penalised", np.float64),
        ("step", np.float64),
        ("infeasibility", np.float64),
        ("seconds", np.float64),
        ("support", np.int64),
        ("fraction", np.float64),
    ]
)


@dataclass(frozen=True)
class Smooth:
    """The smooth term f(x) = ridge/2 ||x||² + linear'x + x'Qx/2 + ||Cx - d||²/2; parts that are None are left out.

    Parameters
    ----------
    ridge : float, optional
        The factor λ of λ/2 ||x||².
    linear : array of shape (n,), optional
        The vector p of p'x.
    quadratic : array or sparse matrix of shape (n, n), optional
        Q, symmetric positive semidefinite.
    least_squares : (C, d), optional
        A matrix with n columns and a vector with as many entries as C has rows.
    """

    ridge: float | None = None
    linear: ArrayLike | None = None
    quadratic: Any = None
    least_squares: tuple[Any, ArrayLike] | None = None


@dataclass(eq=False)
class Result:
    """A sparse model, and how it was found.

    Attributes
    ----------
    coef : array of shape (n,)
        The coefficients x.
    intercept : float
        0 if the model has none.
    objective, loss_value, smooth_value : float
        F(x) = h(Ax - b) + f(x) and its two parts, recomputed from the data.
    support : array of int
        Columns with a nonzero coefficient.
    outcome : str
        Why the run stopped; `outcome_text` is a sentence.
    bound : float
        A proven lower bound on F, or -inf.
    gap : float
        (F - bound) / |F|, or inf if there is no bound.
    nodes : int
        The number of nodes of branch and bound.
    iterations, restarts, agreeing : int
        Iterations of the method; starts of the search; how many of these ended in the same support.
    passes : float
        Passes over A: products with A or its transpose. A product with some columns or rows counts by their share. NaN if not known.
    spread : float
        (worst - best) / best over the starts of the search.
    seconds : float
        The time of the solver.
    times : dict
        Seconds by component.
    trace : structured array or None
        One row for each iteration, if it was asked for.
    feasible : bool
        Whether `coef` is in the feasible set (s, bounds, excluded columns, groups), checked from its entries.
    units : int
        The number that s limits: nonzeros that are not free, or groups that have a nonzero.
    sparsity : int or None
        The s that was asked for.
    options : dict or None
        The options that were given.
    rows : int or None
        The number of rows of the data.
    record : dict
        How the model was made, by the names of the model file: "free", "lower", "upper", "excluded", "groups", "group_limit",
        "weights" (their sum), "chosen" (how s was chosen, if it was not given); for a model from a file also the other entries of that file.
    deviations : array or None
        The standard deviation of every column of the support, in its order; None for a model from a file.
    """

    coef: Float
    intercept: float
    objective: float
    loss_value: float
    smooth_value: float
    bound: float
    support: NDArray[np.int64]
    iterations: int
    restarts: int
    agreeing: int
    spread: float
    seconds: float
    outcome: str
    times: dict[str, float] = field(default_factory=dict)
    trace: NDArray[Any] | None = None
    names: list[str] | None = None
    feasible: bool = True
    units: int = 0
    sparsity: int | None = None
    options: dict[str, Any] | None = None
    rows: int | None = None
    gap: float = math.inf
    nodes: int = 0
    passes: float = float("nan")
    deviations: Float | None = None
    record: dict[str, Any] = field(default_factory=dict)

    @property
    def effects(self) -> Float | None:
        """How much each column of the support moves the prediction: its coefficient times its standard deviation, or None."""
        return None if self.deviations is None else self.coef[self.support] * self.deviations

    @property
    def outcome_text(self) -> str:
        """Why the run stopped, as a sentence."""
        return OUTCOMES[self.outcome]

    @property
    def certainty(self) -> str:
        """How sure the result is: "proven", "stable", "unstable", "unfinished" or "unknown"."""
        return _spgm.verdict(self.outcome, self.restarts, self.agreeing, self.spread)[0]

    @property
    def verdict(self) -> str:
        """The same as a sentence that says what to do.

        Examples
        --------
        >>> import spgm
        >>> A, b = spgm.generate("random-30-10", seed=1)
        >>> spgm.solve(A, b, 2).verdict
        'proven optimal: no model of this size has a lower F'
        """
        return _spgm.verdict(self.outcome, self.restarts, self.agreeing, self.spread)[1]

    def predict(self, A: Any) -> Float:
        """A x + intercept for new rows."""
        _arrays.check_names(A, self.names, self.support)
        return _arrays.product(A, self.coef, self.intercept)

    def save(
        self, path: str | os.PathLike[str], *, target: str | None = None, data: Data | None = None, reproducible: bool = False
    ) -> None:
        """Write a model file, which `spgm predict` and `Result.load` read.

        Parameters
        ----------
        path : path
            The file is compressed if the name ends in .gz, .bz2 or .xz.
        target : str, optional
            The name of the target, by which `spgm predict` finds it in a table.
        data : Data, optional
            The return value of `spgm.read` that the model was made from. The file then also says how text became columns, so that
            `spgm predict` takes the raw table, and has the names of the data, the columns and the target.
        reproducible : bool
            Leave out date and seconds, so that equal runs give equal files.

        Examples
        --------
        >>> import os, tempfile, spgm
        >>> A, b = spgm.generate("random-30-10", seed=1)
        >>> result = spgm.solve(A, b, 2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     result.save(os.path.join(folder, "model.json"))
        ...     again = spgm.Result.load(os.path.join(folder, "model.json"))
        >>> bool((again.coef == result.coef).all())
        True
        """
        from . import _model

        _model.write(path, _model.fields_of(self, target=target, data=data, reproducible=reproducible))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Result:
        """The result in a model file of this package or of `spgm fit`. Entries that are not in the file are NaN or None."""
        from . import _model

        return _model.read(path)[0]

    def name_of(self, column: int) -> str:
        """The name of a column, or its number if it has none. The number also follows names that several columns have: "price (3)"."""
        if self.names is None:
            return str(column)
        name = self.names[column]
        return f"{name} ({column})" if self.names.count(name) > 1 else name

    def plot(self, kind: str | None = None, ax: Axes | None = None) -> Axes:
        """Draw the result with matplotlib.

        Parameters
        ----------
        kind : {"convergence", "effects", "coefficients"}, optional
            Effects are coefficients times the standard deviations of their columns, so that columns in different units can be
            compared. The default is the convergence if there is a trace, else the effects, or for a model from a file the coefficients.
        ax : matplotlib Axes, optional
            Where to draw.
        """
        from . import _plot

        kind = kind or ("convergence" if self.trace is not None else "coefficients" if self.deviations is None else "effects")
        return _plot.draw_result(self, kind, ax)

    def __repr__(self) -> str:
        largest = self.support[np.argsort(-np.abs(self.coef[self.support]), kind="stable")]
        lines = [
            f"objective {self.objective:.10g} with {self.support.size} of {self.coef.size} columns"
            f" ({self.outcome}: {self.outcome_text}; {self.iterations} iterations, {self.seconds:.3g} s)"
        ]
        if self.certainty == "unstable":
            lines.append(f"  {self.verdict}")
        width = max((len(self.name_of(j)) for j in largest[:10]), default=0)
        lines += [f"  {self.name_of(j):>{width}}  {self.coef[j]: .6g}" for j in largest[:10]]
        if largest.size > 10:
            lines.append(f"  and {largest.size - 10} smaller ones")
        if self.intercept:
            lines.append(f"  intercept  {self.intercept:.6g}")
        return "\n".join(lines)


def make_problem(
    A: Any,
    b: Any,
    options: dict[str, Any],
    f: Smooth | float | None = None,
    weights: ArrayLike | None = None,
    slopes: Sequence[ArrayLike] | None = None,
    free_columns: ArrayLike | None = None,
    limits: Feasible | None = None,
    comm: Any = None,
) -> tuple[_spgm.Problem, _arrays.Matrix, int]:
    """The problem in the library, its matrix and its number of columns; a ridge of f joins the options. Whatever has to be converted counts in time limits."""
    began = time.perf_counter()
    smooth = f if isinstance(f, Smooth) else Smooth(ridge=f)
    if smooth.ridge is not None:
        if options.get("ridge") is not None:
            raise TypeError("the ridge is given twice: as an option and in f")
        options["ridge"] = smooth.ridge
    matrix, rows, columns = _arrays.matrix(A)
    target = _arrays.vector(b, "b", rows, A)
    row_weights = None if weights is None else _arrays.vector(weights, "weights", rows, A)
    problem = _spgm.Problem(matrix, target, options, None if comm is None else Communicator(comm), time.perf_counter() - began)
    if slopes is not None:
        up, down, *dead = (_arrays.vector(np.broadcast_to(np.asarray(v, float), rows), "slopes") for v in slopes)
        problem.slopes(up, down, dead[0] if dead else None)
    if row_weights is not None:
        problem.weights(row_weights)
    if comm is None:  # samples of rows must not depend on which process has them
        problem.merge_rows()
    if free_columns is not None:
        problem.free_columns(_arrays.columns(free_columns, columns, _arrays.names_of(A)))
    if limits is not None:
        limits.apply(problem)
    if smooth.linear is not None:
        problem.linear(_arrays.vector(smooth.linear, "linear"))
    if smooth.quadratic is not None:
        problem.quadratic(_arrays.matrix(smooth.quadratic, "quadratic")[0])
    if smooth.least_squares is not None:
        C, c_rows, _ = _arrays.matrix(smooth.least_squares[0], "C")
        problem.least_squares(C, _arrays.vector(smooth.least_squares[1], "d"))
    return problem, matrix, columns


def state_problem(
    A: Any,
    b: Any,
    options: dict[str, Any],
    f: Smooth | float | None,
    weights: ArrayLike | None,
    slopes: Sequence[ArrayLike] | None,
    free_columns: ArrayLike | None,
    restrictions: tuple[Any, ...],
    comm: Any = None,
) -> tuple[_spgm.Problem, _arrays.Matrix, int, list[str] | None]:
    """The problem that a user states, its matrix, its number of columns, and their names. The restrictions are the arguments of `feasible`."""
    names = _arrays.names_of(A)
    limits = feasible(_arrays.width(A), names, *restrictions)
    return *make_problem(A, b, options, f, weights, slopes, free_columns, limits, comm), names


def make_result(
    x: Float,
    answer: tuple[float, _spgm.Info, dict[str, float], list[_spgm.Row] | None],
    names: list[str] | None,
) -> Result:
    intercept, info, times, rows = answer
    objective, loss_value, smooth_value, bound, _, iterations, restarts, agreeing, spread, seconds, outcome = info[:11]
    return Result(
        coef=x,
        intercept=intercept,
        objective=objective,
        loss_value=loss_value,
        smooth_value=smooth_value,
        bound=bound,
        support=np.flatnonzero(x),
        iterations=iterations,
        restarts=restarts,
        agreeing=agreeing,
        spread=spread,
        seconds=seconds,
        outcome=outcome,
        times=times,
        trace=None if rows is None else np.array(rows, dtype=TRACE_TYPE),
        names=names,
        units=info[11],
        feasible=info[12],
        gap=info[13],
        nodes=info[14],
        passes=info[15],
    )


def run(
    problem: _spgm.Problem,
    columns: int,
    s: int,
    options: dict[str, Any],
    start: ArrayLike | None = None,
    start_intercept: float = 0.0,
    callback: Callback | None = None,
    trace: bool = False,
    verbose: int = 0,
    names: list[str] | None = None,
    certificate: str | os.PathLike[str] | None = None,
    label: str = "",
    afterwards: float = 0.0,
) -> Result:
    """One run of the solver; the progress line begins with the label. Of a time limit so many seconds are left for afterwards, if that is at most half of it."""
    x = np.empty(columns)
    limit = options.get("time_limit")
    within = options if limit is None else {**options, "time_limit": max(float(limit) - afterwards, float(limit) / 2)}
    first = None if start is None else _arrays.vector(start, "start")
    line = Line(verbose, label) if verbose else None

    def found(answer: Any) -> Result:
        result = make_result(x, answer, names)
        result.sparsity = int(s)
        result.options = {**options}
        result.rows = problem.rows()
        result.record = problem.record()
        if line is not None:
            line.close(repr(result).splitlines()[0])
        return result

    answer = None
    try:
        with nullcontext() if certificate is None else open(certificate, "w", encoding="ascii") as proof:
            answer = problem.solve(s, within, x, first, start_intercept, watcher(callback, line), trace, proof)
    except Exception as error:  # a proof that cannot be written does not take the model with it
        answer = getattr(error, "answer", answer)
        if answer is not None:
            setattr(error, "result", found(answer))
        raise
    return found(answer)


def solve(
    A: Any,
    b: ArrayLike,
    s: int,
    *,
    loss: str | None = None,
    f: Smooth | float | None = None,
    weights: ArrayLike | None = None,
    slopes: Sequence[ArrayLike] | None = None,
    free_columns: ArrayLike | None = None,
    positive: bool = False,
    lower: Any = None,
    upper: Any = None,
    exclude: Any = None,
    groups: Any = None,
    group_limit: int | None = None,
    start: ArrayLike | None = None,
    start_intercept: float = 0.0,
    callback: Callback | None = None,
    trace: bool = False,
    verbose: int = 0,
    certificate: str | os.PathLike[str] | None = None,
    comm: Any = None,
    **options: Any,
) -> Result:
    """Minimise f(x) + h(A x - b) with at most s nonzeros in x.

    Parameters
    ----------
    A : array, sparse matrix or frame of shape (m, n)
        Fortran-ordered float64 and CSC (float64 values, int32 indices) are used in place. C order is copied by columns, which counts in
        `time_limit` and `seconds`, or read in place where the limit is too short for a copy; a large Fortran-ordered float32 array is used in place. Anything else is copied into float64.
    b : array of shape (m,)
        Target; for the hinge loss two label values, of which the larger is +1.
    s : int
        The largest number of nonzeros; the intercept and the free columns are not counted.
    loss : str, optional
        h: see `spgm.losses`. By default "l1", or the loss that the option `quantile`, `epsilon` or `delta` belongs to.
    f : Smooth or float, optional
        Smooth term; a number is the ridge λ of λ/2 ||x||².
    weights : array of shape (m,), optional
        Row weights, for the separable losses.
    slopes : (up, down) or (up, down, dead), optional
        h(r) = sum_i up_i max(r_i - dead_i, 0) + down_i max(-r_i - dead_i, 0) instead of the loss; numbers or arrays.
    free_columns : array of int or bool, or names, optional
        Columns that are always in the model and not counted: numbers from 0 (negative ones count from the end), a mask, or names
        where A is a frame.
    positive : bool
        No coefficient is negative; the intercept may be.
    lower, upper : float, array of shape (n,) or dict, optional
        Bounds on the coefficients: one for all, one for each, or by column number or feature name for some; lower <= 0 <= upper, infinite for no bound.
    exclude : list of int or str, or mask of shape (n,), optional
        Columns that are never in the model, by number or feature name.
    groups : array of shape (n,), dict or list of lists, optional
        The group of each column, any labels (None, negative or "" for none), or by column number or feature name for some; or the columns of each group, as in ``[["age", "age2"], [4, 5]]``. s then counts groups, however many columns of each are in the model; a column in no group is one of its own.
    group_limit : int, optional
        s counts columns, and at most `group_limit` of each group are in the model, free ones included.
    start : array of shape (n,), optional
        The point to start from, with `start_intercept`, instead of a random one.
    callback : function of a Progress, optional
        Called about every 50 ms; a true return value stops the run, which then gives the best point so far.
    trace : bool
        Keep a row for every iteration.
    verbose : int
        1: a live line on a terminal; 2: lines also if it is not a terminal.
    certificate : path, optional
        With `method="exact"`: write the proof to this file, for `tools/check_certificate.py`. If that fails the exception has the `result` of the run.
    comm : communicator of mpi4py, optional
        The rows are spread over its processes. A, b and weights are the rows of this process, in the order of the ranks; everything else is the same on all processes. Every process gets the same result. Only the callback and the clock of rank 0 are used.
    **options
        Any option of the library by name:

{options}

    Returns
    -------
    Result

    Raises
    ------
    ValueError
        Data or options that cannot be used, or an F without a minimum; the message says what, where, and what to do.
    KeyboardInterrupt
        Ctrl-C stops the run at once. Use `callback` or `time_limit` to stop and keep the best point.

    Examples
    --------
    Twice the second column, and an outlier:

    >>> import numpy as np, spgm
    >>> A = np.array([[1, 5, 1], [2, 1, 0], [3, 4, 0], [4, 2, 1], [5, 3, 0.0]])
    >>> b = np.array([10, 2, 8, 4, 600.0])
    >>> result = spgm.solve(A, b, 1)
    >>> result.coef.round(6)
    array([0., 2., 0.])
    >>> round(result.objective, 6)
    594.0
    """
    s = _arrays.whole(s, "s")
    options = settle(options, loss, function=solve)
    restrictions = (positive, lower, upper, exclude, groups, group_limit)
    problem, matrix, columns, names = state_problem(A, b, options, f, weights, slopes, free_columns, restrictions, comm)
    after = 0.0 if comm is not None else _arrays.seconds_afterwards(matrix, s)
    result = run(problem, columns, s, options, start, start_intercept, callback, trace, verbose, names, certificate, "", after)
    result.deviations = None if comm is not None else _arrays.deviations(matrix, result.support)
    return result


if solve.__doc__:  # python -OO has none
    solve.__doc__ = solve.__doc__.replace("{options}", describe_options().replace("    ", " " * 4))
