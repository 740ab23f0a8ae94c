"""compare: every method on the same data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from . import _arrays, _spgm
from ._solve import Result, Smooth, run, state_problem
from ._tables import methods as all_methods
from ._tables import settle

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(eq=False)
class Comparison:
    """One result for each method, best first; a method that cannot solve the problem is in `refused`.

    Attributes
    ----------
    results : dict of str to Result
        By method, from the lowest objective to the highest.
    refused : dict of str to str
        Why a method could not be used.
    """

    results: dict[str, Result]
    refused: dict[str, str]

    @property
    def best(self) -> Result:
        """The result with the lowest objective."""
        return next(iter(self.results.values()))

    def overlap(self, method: str) -> int:
        """The number of columns that the method has in common with the best one."""
        return int(np.intersect1d(self.results[method].support, self.best.support).size)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Objective above the best, and time, for each method."""
        from . import _plot

        return _plot.draw_comparison(self, ax)

    def __repr__(self) -> str:
        width = max(map(len, [*self.results, *self.refused, "method"]))
        lines = [f"{'method':{width}}  {'objective':>14}  {'above best':>10}  {'seconds':>9}  {'shared':>6}  outcome"]
        lowest = self.best.objective if self.results else 0.0
        for name, r in self.results.items():
            above = (r.objective - lowest) / abs(lowest) if lowest else 0.0
            lines.append(
                f"{name:{width}}  {r.objective:14.8g}  {above:10.3%}  {r.seconds:9.3g}  {self.overlap(name):6d}  {r.outcome}"
            )
        lines += [f"{name:{width}}  {why}" for name, why in self.refused.items()]
        return "\n".join(lines)


def compare(
    A: Any,
    b: ArrayLike,
    s: int,
    methods: str | Iterable[str] = "all",
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
    trace: bool = False,
    verbose: int = 0,
    **options: Any,
) -> Comparison:
    """Solve one problem by several methods.

    Parameters
    ----------
    A, b, s, loss, f, weights, free_columns, trace, **options
        As in `solve`; a `time_limit` holds for each method.
    positive, lower, upper, exclude, groups, group_limit
        As in `solve`.
    methods : "all" or names
        See `spgm.methods`; "all" is all but `polish`, which only refines a start.
    verbose : int
        1: a live line for each method.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import spgm
    >>> A, b = spgm.generate("random-64-128", seed=1)
    >>> comparison = spgm.compare(A, b, 5, ["spgm-bcd", "spgm-iht"])
    >>> sorted(comparison.results)
    ['spgm-bcd', 'spgm-iht']
    >>> comparison.best.objective <= comparison.results["spgm-iht"].objective
    True
    """
    if "method" in options:
        raise TypeError("compare takes `methods`, not `method`")
    chosen = [name for name in all_methods() if name != "polish"] if methods == "all" else [methods] if isinstance(methods, str) else list(methods)
    s = _arrays.whole(s, "s")
    options = settle(options, loss, function=compare)
    restrictions = (positive, lower, upper, exclude, groups, group_limit)
    problem, _, columns, names = state_problem(A, b, options, f, weights, None, free_columns, restrictions)
    results: dict[str, Result] = {}
    refused: dict[str, str] = {}
    for name in chosen:
        try:
            results[name] = run(
                problem, columns, s, {**options, "method": name}, trace=trace, verbose=verbose, names=names
            )
        except _spgm.UnsupportedError as error:
            refused[name] = str(error)
    return Comparison(dict(sorted(results.items(), key=lambda item: item[1].objective)), refused)
