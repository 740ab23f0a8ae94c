"""check: what kind of stationary point a model is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _arrays
from ._arrays import Float
from ._solve import Result, Smooth, state_problem
from ._tables import settle


@dataclass(eq=False)
class Stationarity:
    """What kind of stationary point x is, by the definitions of the paper.

    Attributes
    ----------
    objective : float
        F(x).
    basic : bool
        F(x) is the minimum over the support of x, `support_minimum`, of which `support_bound` is a proven lower bound.
    lipschitz : bool
        A step of spgm-iht at `mu` does not move x. This holds up to `largest_mu` (0: at no mu).
    block : int
        k, the size of the working sets.
    stationary : bool
        x is block-k stationary: no support that differs from that of x in at most k columns has a lower F.
    sampled, stopped : bool
        Only some of the changes of the support were tried, because there are too many or the time limit was reached.
    changes, all_changes : int, float
        The number of changes that were tried, and the number that exist.
    lowest : float
        The lowest F seen, at `better` with `better_intercept`.
    """

    objective: float
    support_minimum: float
    support_bound: float
    basic: bool
    lipschitz: bool
    mu: float
    largest_mu: float
    block: int
    stationary: bool
    sampled: bool
    stopped: bool
    changes: int
    all_changes: float
    lowest: float
    better_intercept: float
    better: Float

    def __repr__(self) -> str:
        words = {True: "yes", False: "no"}
        tried = f"{self.changes} of {self.all_changes:.4g} changes of the support tried"
        return (
            f"F = {self.objective:.10g}: basic {words[self.basic]}, Lipschitz {words[self.lipschitz]} at mu = {self.mu:.3g}, "
            f"block-{self.block} {words[self.stationary]} ({tried}; lowest F {self.lowest:.10g})"
        )


def check(
    A: Any,
    b: ArrayLike,
    x: Result | ArrayLike,
    s: int | None = None,
    *,
    block: int = 2,
    intercept: float = 0.0,
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
    **options: Any,
) -> Stationarity:
    """Whether x is a basic, a Lipschitz and a block-k stationary point.

    Parameters
    ----------
    A, b, loss, f, weights, slopes, free_columns, positive, lower, upper, exclude, groups, group_limit, **options
        The problem, as in `solve`. If x is a Result, s and the options are those it was made with; give the rest again.
    x : Result or array of shape (n,)
        The point, with its `intercept`; it must be feasible.
    s : int, optional
        Needed if x is an array.
    block : int
        k, 0 to 8. All changes of the support are tried if that takes at most about 1e10 multiplications; otherwise a random sample of that cost, drawn by `seed`.

    Returns
    -------
    Stationarity

    Examples
    --------
    >>> import spgm
    >>> A, b = spgm.generate("random-40-15", seed=1, noise=1)
    >>> found = spgm.check(A, b, spgm.solve(A, b, 3, method="exact"), block=4)
    >>> found.basic, found.lipschitz, found.stationary
    (True, True, True)
    """
    if isinstance(x, Result):
        s = x.sparsity if s is None else s
        known = {name: value for name, value in (x.options or {}).items() if value is not None}
        loss = known.pop("loss", None) if loss is None else loss
        known.pop("time_limit", None)
        if f is not None:
            known.pop("ridge", None)
        options = {**known, **options}
        intercept = x.intercept
        x = x.coef
    if s is None:
        raise TypeError("s is needed: at most so many nonzeros")
    options = settle(options, loss, function=check)
    restrictions = (positive, lower, upper, exclude, groups, group_limit)
    problem, _, columns, names = state_problem(A, b, options, f, weights, slopes, free_columns, restrictions)
    better = np.empty(columns)
    values = problem.stationary(_arrays.vector(x, "x"), float(intercept), _arrays.whole(s, "s"), _arrays.whole(block, "block"), options, better)
    return Stationarity(*values, better)
