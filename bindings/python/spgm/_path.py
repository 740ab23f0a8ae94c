"""path and cross_validate: a model for every s, and which s to take."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays, _elsewhere, _spgm
from ._arrays import Float
from ._progress import Callback, Line, watcher
from ._solve import Result, Smooth, make_result, state_problem
from ._tables import settle

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def budgets(sparsities: ArrayLike | range | Sequence[int], columns: int) -> NDArray[np.int64]:
    """The list of s: whole numbers in ascending order."""
    values = np.atleast_1d(np.asarray(sparsities))
    if values.ndim != 1 or values.size == 0 or values.dtype.kind not in "iu":
        raise TypeError("the sparsities must be a list of whole numbers, for example range(1, 21)")
    return np.unique(values).astype(np.int64)


@dataclass(eq=False)
class Path:
    """A model for every s; `path[i]` is the one with the i-th smallest s.

    Attributes
    ----------
    sparsity : array of int
        The values of s, ascending.
    coef : array of shape (count, n)
    intercept : array of shape (count,)
    objective : array of shape (count,)
        Never rises with s.
    results : list of Result
    seconds : float
        The time of the whole path.
    criteria : dict
        Values of "bic", "ebic", "gic" for each s, or a sentence that says why there are none.
    deviations : array of shape (n,)
        Standard deviations of the columns that any model uses; NaN for the others.
    """

    sparsity: NDArray[np.int64]
    coef: Float
    intercept: Float
    objective: Float
    results: list[Result]
    seconds: float
    criteria: dict[str, Float | str]
    names: list[str] | None = None
    deviations: Float | None = None

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, index: int) -> Result:
        return self.results[index]

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def best(self, criterion: str = "ebic") -> Result:
        """The model that an information criterion prefers: "bic", "ebic" or "gic"."""
        if criterion not in self.criteria:
            raise ValueError(f"there is no criterion {criterion!r}: choose one of {', '.join(self.criteria)}")
        values = self.criteria[criterion]
        if isinstance(values, str):
            raise ValueError(values)
        return self.results[int(np.argmin(values))]

    def to_frame(self) -> Any:
        """A pandas frame with a row for every s: what is known of each model, and the coefficients of the columns that any of them uses.

        Examples
        --------
        >>> import spgm
        >>> A, b = spgm.generate("random-64-16", seed=1)
        >>> frame = spgm.path(A, b, [1, 2]).to_frame()
        >>> frame.index.tolist()
        [1, 2]
        """
        pandas = _arrays.pandas_module()
        table: dict[str, Any] = {
            "objective": self.objective,
            "loss_value": [result.loss_value for result in self.results],
            "smooth_value": [result.smooth_value for result in self.results],
            "bound": [result.bound for result in self.results],
            "outcome": [result.outcome for result in self.results],
        }
        table.update({name: values for name, values in self.criteria.items() if not isinstance(values, str)})
        table["intercept"] = self.intercept
        frame = pandas.DataFrame(table, index=pandas.Index(self.sparsity, name="s"))
        used = np.flatnonzero(self.coef.any(axis=0))
        names = [self.results[0].name_of(int(j)) for j in used] if self.results else []
        coefficients = pandas.DataFrame(self.coef[:, used], index=frame.index, columns=names)
        return pandas.concat([frame, coefficients], axis=1)

    def plot(self, kind: str = "effects", ax: Axes | None = None) -> Axes:
        """Draw the path over s: "effects" (coefficients times the standard deviations of their columns), "coefficients", "objective" or "criteria"."""
        from . import _plot

        return _plot.draw_path(self, kind, ax)

    def __repr__(self) -> str:
        lines = [f"{len(self)} models in {self.seconds:.3g} s", f"{'s':>5}  {'objective':>14}  new columns"]
        before: set[int] = set()
        for s, result in zip(self.sparsity, self.results):
            now = set(result.support.tolist())
            new = ", ".join(result.name_of(j) for j in sorted(now - before)[:8])
            lines.append(f"{s:5d}  {result.objective:14.8g}  {new}{' ...' if len(now - before) > 8 else ''}")
            before = now
        return "\n".join(lines)


def path(
    A: Any,
    b: ArrayLike,
    sparsities: ArrayLike | range | Sequence[int],
    *,
    loss: str | None = None,
    f: Smooth | float | None = None,
    weights: ArrayLike | None = None,
    free_columns: ArrayLike | None = None,
    positive: bool = False,
    lower: Any = None,
    upper: Any = None,
    exclude: Any = None,
    groups: Any = None,
    group_limit: int | None = None,
    callback: Callback | None = None,
    verbose: int = 0,
    **options: Any,
) -> Path:
    """A model for every s of a list, warm-started both ways; the objective never rises with s.

    Parameters
    ----------
    A, b, loss, f, weights, free_columns, callback, verbose, **options
        As in `solve`; a `time_limit` holds for the whole path.
    positive, lower, upper, exclude, groups, group_limit
        As in `solve`.
    sparsities : list of int
        For example ``range(1, 21)``.

    Returns
    -------
    Path

    Examples
    --------
    >>> import spgm
    >>> A, b = spgm.generate("random-64-128", seed=1)
    >>> models = spgm.path(A, b, range(1, 6))
    >>> models.coef.shape
    (5, 128)
    >>> bool((models.objective[1:] <= models.objective[:-1]).all())
    True
    """
    options = settle(options, loss, function=path)
    restrictions = (positive, lower, upper, exclude, groups, group_limit)
    problem, matrix, columns, names = state_problem(A, b, options, f, weights, None, free_columns, restrictions)
    wanted = budgets(sparsities, columns)
    X = np.empty((wanted.size, columns))
    line = Line(verbose) if verbose else None
    entries, seconds, criteria = problem.path(wanted, options, X.reshape(-1), watcher(callback, line))
    results = [make_result(X[i], (entry[1], entry[2], {}, None), names) for i, entry in enumerate(entries)]
    for size, result in zip(wanted, results):
        result.sparsity, result.options, result.rows = int(size), {**options}, problem.rows()
        result.record = problem.record()
    deviations = np.full(columns, np.nan)
    used = np.flatnonzero(X.any(axis=0))
    deviations[used] = _arrays.deviations(matrix, used)
    for result in results:
        result.deviations = deviations[result.support]
    if line is not None:
        line.close(f"{wanted.size} models in {seconds:.3g} s")
    return Path(
        sparsity=wanted,
        coef=X,
        intercept=np.array([result.intercept for result in results]),
        objective=np.array([result.objective for result in results]),
        results=results,
        seconds=seconds,
        criteria={k: v if isinstance(v, str) else np.array(v[0]) for k, v in criteria.items()},
        names=names,
        deviations=deviations,
    )


@dataclass(eq=False)
class CrossValidation:
    """Out-of-sample losses for every s and ridge.

    Attributes
    ----------
    sparsity : array of int
        The values of s that were tried, ascending.
    losses : array of shape (count, folds)
        Mean loss per unit of weight on the held-out rows, for each s with its best ridge; NaN for folds that a time limit or a callback left out.
    mean, standard_error : array of shape (count,)
        Mean over the folds, and its standard error.
    ridge : array of shape (count,)
        The best ridge of each s.
    best : int
        The s with the lowest mean.
    one_standard_error : int
        The smallest s within one standard error of it.
    fold_of_row : array of int
    ridges : array of shape (ridges,)
        The ridges that were tried, the largest first.
    grid_losses : array of shape (ridges, count, folds)
        The losses for every ridge; NaN where a ridge was not tried. If s is not given, ridges that are clearly worse are left out beyond s = 8, 16, 32, ...
    choices : dict
        (s, ridge) by the rules "min", "1se" and "shrunk".
    grid : array of shape (ridges, count)
        The mean over the finished folds, for every ridge and s; NaN where a ridge was not tried.
    is_whole : bool
        Whether every fold is finished. Otherwise the means cannot be compared with those of another loss.
    is_perfect : bool
        Whether the lowest mean is only rounding error, compared with the loss of the empty model.
    """

    sparsity: NDArray[np.int64]
    losses: Float
    mean: Float
    standard_error: Float
    best: int
    one_standard_error: int
    fold_of_row: NDArray[np.int64]
    ridge: Float
    ridges: Float
    grid_losses: Float
    choices: dict[str, tuple[int, float]]
    grid: Float
    is_whole: bool
    is_perfect: bool

    def to_frame(self) -> Any:
        """A pandas frame with a row for every s: best ridge, mean, standard error, whether a rule takes it, and the loss of each fold."""
        pandas = _arrays.pandas_module()
        table: dict[str, Any] = {
            "ridge": self.ridge,
            "mean": self.mean,
            "standard_error": self.standard_error,
            "best": self.sparsity == self.best,
            "one_standard_error": self.sparsity == self.one_standard_error,
        }
        table.update({f"fold{k + 1}": self.losses[:, k] for k in range(self.losses.shape[1])})
        return pandas.DataFrame(table, index=pandas.Index(self.sparsity, name="s"))

    def plot(self, ax: Axes | None = None) -> Axes:
        """Loss over s, with one standard error either way, both choices marked, and a thin line for every ridge."""
        from . import _plot

        return _plot.draw_cross_validation(self, ax)

    def __repr__(self) -> str:
        several = self.ridges.size > 1
        lines = [f"{'s':>5}  {'ridge':>10}  {'loss':>12}  {'std. error':>12}" if several else f"{'s':>5}  {'loss':>12}  {'std. error':>12}"]
        for s, ridge, mean, error in zip(self.sparsity, self.ridge, self.mean, self.standard_error):
            notes = [n for n, v in (("lowest", self.best), ("one standard error", self.one_standard_error)) if v == s]
            shown = f"  {ridge:10.4g}" if several else ""
            lines.append(f"{s:5d}{shown}  {mean:12.6g}  {error:12.3g}  {', '.join(notes)}".rstrip())
        return "\n".join(lines)


def ridge_list(ridges: Any) -> Float | None:
    """None: that of the options; an empty array: in proportion to the data."""
    if ridges is None:
        return None
    if isinstance(ridges, str):
        if ridges != "auto":
            raise ValueError(f"ridges are {ridges!r}: they must be 'auto', a number or a list of numbers")
        return np.empty(0)
    values = np.atleast_1d(np.asarray(ridges, dtype=np.float64))
    if values.ndim != 1 or values.size == 0:
        raise ValueError("the list of ridges must have at least one number")
    return np.unique(values)


def run_cross_validation(
    recipe: _elsewhere.Recipe,
    rows: int,
    sparsities: NDArray[np.int64] | None,
    options: dict[str, Any],
    fold_of_row: NDArray[np.int64] | None,
    callback: Callback | None = None,
    verbose: int = 0,
    ridges: Float | None = None,
    n_jobs: int | None = None,
) -> CrossValidation:
    """One cross-validation by the library, its folds by joblib where that is asked for; problems after the first are those of other classes."""
    given = 0 if fold_of_row is None else int(fold_of_row.max()) + 1
    folds = np.empty(rows, dtype=np.int64) if fold_of_row is None else np.array(fold_of_row, dtype=np.int64)
    if given:
        options = {**options, "folds": given}
    line = Line(verbose) if verbose else None
    first, *others = recipe.problems()
    work = None
    if _elsewhere.is_wanted(n_jobs):
        options = {**options, "threads": _elsewhere.workers(n_jobs)}
        work = _elsewhere.hand_out(_elsewhere.Plan(recipe, sparsities, options, given, folds, ridges), n_jobs, callback, line)
    columns, chosen, is_whole, is_perfect = first.cv(sparsities, options, given, folds, watcher(callback, line), ridges, tuple(others), recipe.judge(), work)
    best, _ = chosen["min"]
    if best < 0:
        raise ValueError("no fold was finished: give cross-validation more time")
    tried = np.array([ridge for ridge, _ in columns])
    s = np.array([entry[0] for entry in columns[0][1]], dtype=np.int64)
    losses, mean, error = (np.array([[entry[k] for entry in entries] for _, entries in columns]) for k in (1, 2, 3))
    at = np.argmin(np.where(np.isnan(mean), np.inf, mean), axis=0)
    each = np.arange(s.size)
    if line is not None:
        line.close(f"cross-validation: s = {s[best]} has the lowest loss {mean[at[best], best]:.6g}")
    return CrossValidation(
        sparsity=s,
        losses=losses[at, each],
        mean=mean[at, each],
        standard_error=error[at, each],
        best=int(s[best]),
        one_standard_error=int(s[chosen["1se"][0]]),
        fold_of_row=folds,
        ridge=tried[at],
        ridges=tried,
        grid_losses=losses,
        choices={rule: (int(s[i]), float(tried[k])) for rule, (i, k) in chosen.items()},
        grid=mean,
        is_whole=is_whole,
        is_perfect=is_perfect,
    )


def _make(A: Any, b: Any, options: dict[str, Any], *parts: Any) -> _spgm.Problem:
    return state_problem(A, b, {**options}, *parts)[0]


def cross_validate(
    A: Any,
    b: ArrayLike,
    sparsities: ArrayLike | range | Sequence[int] | None = None,
    *,
    ridges: Any = None,
    folds: int | ArrayLike = 10,
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
    callback: Callback | None = None,
    verbose: int = 0,
    n_jobs: int | None = None,
    **options: Any,
) -> CrossValidation:
    """Loss on held-out rows, for every s and ridge.

    Parameters
    ----------
    A, b, loss, f, weights, slopes, free_columns, callback, verbose, **options
        As in `solve`; a `time_limit` holds for the whole cross-validation.
    positive, lower, upper, exclude, groups, group_limit
        As in `solve`.
    sparsities : list of int, optional
        For example ``range(1, 21)``; by default from 0 on as long as the loss falls.
    ridges : "auto" or list of float, optional
        Ridges to choose from: "auto" for values in proportion to the data, which act on columns divided by their standard deviations
        (option ``ridge_scale="deviation"``), or a list. By default the one of `f` or of the option `ridge`.
    folds : int or array of shape (m,)
        The number of folds to draw, or the fold of each row, numbered from 0.
    n_jobs : int, optional
        Number of folds that joblib runs at a time, -1 for all cores: on threads, or by the backend of ``joblib.parallel_config``, such as "loky",
        "dask" or "ray". An active backend is used also without `n_jobs`. By default the library's own `threads` are used. The result is the same.

    Returns
    -------
    CrossValidation

    Examples
    --------
    >>> import numpy as np, spgm
    >>> rng = np.random.default_rng(0)
    >>> A = rng.normal(size=(80, 20))
    >>> b = A[:, 3] - A[:, 11] + 0.1 * rng.standard_t(2, size=80)
    >>> spgm.cross_validate(A, b, range(5), folds=5).one_standard_error
    2
    """
    options = settle(options, loss, function=cross_validate)
    given = None
    if np.ndim(folds):
        given = np.ascontiguousarray(folds, dtype=np.int64)
    else:
        options["folds"] = folds
    restrictions = (positive, lower, upper, exclude, groups, group_limit)
    recipe = _elsewhere.Recipe(_make, [(A, b, options, f, weights, slopes, free_columns, restrictions)])
    recipe.problems()
    return run_cross_validation(
        recipe,
        np.size(b),
        None if sparsities is None else budgets(sparsities, _arrays.width(A)),
        options,
        given,
        callback,
        verbose,
        ridge_list(ridges),
        n_jobs,
    )
