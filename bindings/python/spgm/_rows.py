"""Equal rows become one with their weights added, and rows without weight are left out.

The sum over samples is the same, so is its minimum, and there are fewer rows to look at. It also makes scikit-learn's
contract exact for a search that could end elsewhere when it sees the same sum in another form: integer weights
and repeated samples are the same problem, bit for bit.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._arrays import Float


@lru_cache(maxsize=1)
def _direction(columns: int) -> Float:
    # a golden, never periodic sequence
    return np.asarray(1.0 + (np.arange(1, columns + 1) * 0.6180339887498949) % 1.0, dtype=np.float64)


def _fingerprints(X: Any) -> Float:
    """A number for each row: equal rows differ by rounding at most."""
    return np.asarray(X @ _direction(X.shape[1])).reshape(-1)


def _rows(X: Any, index: NDArray[np.intp]) -> Float:
    part = X[index]
    return np.asarray(part.toarray() if hasattr(part, "toarray") else part)


def _near(sorted_prints: Float) -> NDArray[np.bool_]:
    """Whether an entry may belong to the same row as the one before it."""
    later = sorted_prints[1:]
    return np.asarray(later - sorted_prints[:-1] <= 1e-11 * np.abs(later))


def merge(
    X: Any, keys: tuple[NDArray[Any], ...], weights: Float | None
) -> tuple[NDArray[np.intp] | None, Float | None]:
    """Rows to keep, and their weights; None for all rows as they are.

    Rows are equal when they agree in X and in every key (the target, the fold). The rows kept are in an order
    that depends on their values only.
    """
    with np.errstate(all="ignore"):  # NaN and infinity are for the library to find
        prints = _fingerprints(X)
        order = prints.argsort(kind="stable")
        if weights is not None:
            order = order[weights[order] != 0]
        near = _near(prints[order])
    if order.size == prints.size and not near.any():
        return None, weights
    order = order[np.lexsort((prints[order], *(key[order] for key in keys)))]
    with np.errstate(all="ignore"):
        near = _near(prints[order])
    for key in keys:
        near &= key[order][1:] == key[order][:-1]
    w = np.ones(prints.size) if weights is None else weights
    keep: list[int] = []
    total: list[float] = []
    for group in np.split(order, np.flatnonzero(~near) + 1):
        if group.size == 1:
            keep.append(int(group[0]))
            total.append(float(w[group[0]]))
        elif group.size:
            _, first, inverse = np.unique(_rows(X, group), axis=0, return_index=True, return_inverse=True)
            keep.extend(int(i) for i in group[first])
            total.extend(np.bincount(inverse.reshape(-1), w[group], first.size).tolist())
    if len(keep) == prints.size:
        return None, weights
    return np.array(keep, dtype=np.intp), np.array(total)
