"""stability: how far a model depends on the rows at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _arrays
from ._arrays import Float
from ._progress import Callback, Line, watcher
from ._solve import Result, Smooth, make_result, state_problem
from ._tables import settle

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False)
class Stability:
    """How often columns are selected on halves of the rows, and bootstrap intervals of the coefficients of the model.

    Attributes
    ----------
    result : Result
        The model of all rows.
    frequencies : array of shape (n,)
        The share of the halves whose model has the column; NaN without halves.
    threshold : float
    stable : array of int
        Columns selected in at least that share of the halves, without the free ones.
    selected : float
        The number of columns that a half selects on average.
    expected_false : float
        A bound on the expected number of stable columns that are no more likely to be selected than the average column: q² / (p (2 threshold - 1)).
    expected_false_unimodal : float
        The same for pairs of halves if the frequencies of such columns have one peak (Shah and Samworth 2013, Theorem 2); NaN: no bound.
    level : float
    low, high : array of shape (n,)
        Ends of the bootstrap intervals of the coefficients of the model; NaN for other columns. The intervals do not account for the choice
        of the columns: they are those of a model whose columns were known beforehand.
    intercept_interval : (float, float)
    halves, bootstraps : list
        The coefficients of every finished sample, as {column: coefficient}.
    complete : bool
        False when a callback or the time limit stopped it early.
    """

    result: Result
    frequencies: Float
    threshold: float
    stable: NDArray[np.int64]
    selected: float
    expected_false: float
    expected_false_unimodal: float
    level: float
    low: Float
    high: Float
    intercept_interval: tuple[float, float]
    halves: list[dict[int, float]]
    bootstraps: list[dict[int, float]]
    complete: bool

    def to_frame(self) -> Any:
        """A pandas frame with a row for every column that is in the model or was selected on some half."""
        pandas = _arrays.pandas_module()
        used = self._used()
        table = {
            "frequency": self.frequencies[used],
            "coefficient": self.result.coef[used],
            "low": self.low[used],
            "high": self.high[used],
        }
        return pandas.DataFrame(table, index=[self.result.name_of(int(j)) for j in used])

    def _used(self) -> NDArray[np.int64]:
        shares = np.nan_to_num(self.frequencies)
        used = np.flatnonzero((shares > 0) | (self.result.coef != 0))
        return used[np.argsort(-shares[used], kind="stable")]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Selection frequencies, largest first, with the threshold."""
        from . import _plot

        return _plot.draw_stability(self, ax)

    def __repr__(self) -> str:
        lines = [
            f"{self.stable.size} columns in at least {100 * self.threshold:.0f} % of {len(self.halves)} halves; "
            f"at most {self.expected_false:.2g} expected by chance"
        ]
        used = self._used()[:20]
        width = max((len(self.result.name_of(int(j))) for j in used), default=0)
        for j in used:
            line = f"  {self.result.name_of(int(j)):>{width}}  {100 * self.frequencies[j]:4.0f} %"
            if self.result.coef[j]:
                line += f"  {self.result.coef[j]: .6g}"
                line += "" if np.isnan(self.low[j]) else f"  [{self.low[j]:.4g}, {self.high[j]:.4g}]"
            lines.append(line)
        return "\n".join(lines)


def stability(
    A: Any,
    b: ArrayLike,
    s: int,
    *,
    halves: int = 100,
    independent: bool = False,
    bootstrap: int = 200,
    threshold: float = 0.75,
    level: float = 0.95,
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
) -> Stability:
    """How often columns are selected on halves of the rows, and bootstrap intervals of the coefficients.

    Parameters
    ----------
    A, b, s, loss, f, weights, free_columns, callback, verbose, **options
        As in `solve`; a `time_limit` holds for the whole run. Samples depend only on `seed` and their number, not on `threads`.
    positive, lower, upper, exclude, groups, group_limit
        As in `solve`.
    halves : int
        The number of halves of the rows that are fitted; 0 for none.
    independent : bool
        Draw each half independently (Meinshausen and Bühlmann 2010) instead of in pairs without a row in common (Shah and Samworth 2013).
    bootstrap : int
        The number of samples of all rows with replacement, fitted on the columns of the model; 0 for none.
    threshold : float
        The share of halves from which on a column counts as stable, above 0.5.
    level : float
        The level of the intervals.

    Returns
    -------
    Stability

    Examples
    --------
    >>> import numpy as np, spgm
    >>> rng = np.random.default_rng(0)
    >>> A = rng.normal(size=(80, 20))
    >>> b = A[:, 3] - A[:, 11] + 0.3 * rng.normal(size=80)
    >>> found = spgm.stability(A, b, 3, halves=20, bootstrap=50)
    >>> [int(j) for j in found.stable]
    [3, 11]
    """
    if not 0.5 < threshold <= 1:
        raise ValueError(f"threshold is {threshold}: it must be above 0.5 and at most 1")
    if not 0 < level < 1:
        raise ValueError(f"level is {level}: it must be between 0 and 1")
    if halves < 0 or bootstrap < 0:
        raise ValueError("halves and bootstrap are numbers of samples: 0 for none")
    s = _arrays.whole(s, "s")
    options = settle(options, loss, function=stability)
    restrictions = (positive, lower, upper, exclude, groups, group_limit)
    problem, _, columns, names = state_problem(A, b, options, f, weights, None, free_columns, restrictions)
    x, frequencies = np.empty(columns), np.empty(columns)
    line = Line(verbose) if verbose else None
    intercept, info, count, samples, stable = problem.stability(
        int(s), options, halves or -1, bool(independent), bootstrap or -1, float(threshold), x, frequencies, watcher(callback, line)
    )
    if line is not None:
        line.close(f"{sum(sample is not None for sample in samples)} samples")
    result = make_result(x, (intercept, info, {}, None), names)
    result.sparsity, result.options, result.rows = int(s), {**options}, problem.rows()
    drawn = [sample for sample in samples[count:] if sample is not None]
    low, high = np.full(columns, np.nan), np.full(columns, np.nan)
    ends = ((1 - level) / 2, (1 + level) / 2)
    tables = [dict(pairs) for pairs, _ in drawn]
    for j in result.support if drawn else ():
        low[j], high[j] = np.quantile([table.get(int(j), 0.0) for table in tables], ends)
    around = np.quantile([value for _, value in drawn], ends) if drawn else (np.nan, np.nan)
    free = set() if free_columns is None else set(np.atleast_1d(_arrays.columns(free_columns, columns, names)).tolist())
    chosen = [j for j in np.flatnonzero(np.nan_to_num(frequencies) >= threshold - 1e-12) if int(j) not in free]
    return Stability(
        result=result,
        frequencies=frequencies,
        threshold=threshold,
        stable=np.array(chosen, dtype=np.int64),
        selected=stable[1],
        expected_false=stable[3],
        expected_false_unimodal=stable[4],
        level=level,
        low=low,
        high=high,
        intercept_interval=(float(around[0]), float(around[1])),
        halves=[dict(sample[0]) for sample in samples[:count] if sample is not None],
        bootstraps=tables,
        complete=all(sample is not None for sample in samples),
    )
