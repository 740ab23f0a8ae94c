"""The feasible set: bounds, excluded columns and groups, by column or by the name of a feature."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _spgm
from ._arrays import Float


@dataclass(frozen=True)
class Feasible:
    """What x may be besides at most s nonzeros, as the library takes it; None: not restricted."""

    lower: Float | None = None
    upper: Float | None = None
    excluded: NDArray[np.int64] | None = None
    groups: NDArray[np.int64] | None = None
    limit: int = 0

    def apply(self, problem: _spgm.Problem) -> None:
        if self.lower is not None or self.upper is not None:
            problem.bounds(self.lower, self.upper)
        if self.excluded is not None:
            problem.excluded(self.excluded)
        if self.groups is not None:
            problem.groups(self.groups, self.limit)


def column_of(key: Any, columns: int, names: list[str] | None, what: str) -> int:
    """The number of a column that is given by number or name."""
    if isinstance(key, str):
        if names is None:
            raise ValueError(f"{what}: the data have no feature names, so that {key!r} must be a column number")
        if names.count(key) != 1:
            raise ValueError(f"{what}: {'no feature is' if key not in names else 'two features are'} called {key!r}")
        return names.index(key)
    if not isinstance(key, numbers.Integral) or not -columns <= int(key) < columns:
        raise ValueError(f"{what}: there is no column {key!r}; there are {columns}, numbered from 0")
    return int(key) % columns


def _bounds(values: Any, columns: int, names: list[str] | None, what: str, none: float) -> Float | None:
    """A number, an array by column, or a dict for some columns."""
    if values is None:
        return None
    if isinstance(values, Mapping):
        bounds = np.full(columns, none)
        for key, value in values.items():
            bounds[column_of(key, columns, names, what)] = value
        return bounds
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0:
        return np.full(columns, float(array))
    if array.shape != (columns,):
        raise ValueError(f"{what} has shape {array.shape}, but there are {columns} columns")
    return np.ascontiguousarray(array)


def _excluded(values: Any, columns: int, names: list[str] | None) -> NDArray[np.int64] | None:
    """Numbers or names, or a mask."""
    if values is None:
        return None
    array = np.asarray(values)
    if array.dtype == bool:
        if array.shape != (columns,):
            raise ValueError(f"exclude has shape {array.shape}, but there are {columns} columns")
        return np.flatnonzero(array).astype(np.int64)
    listed = [values] if isinstance(values, (str, numbers.Integral)) else list(values)
    return np.array([column_of(key, columns, names, "exclude") for key in listed], dtype=np.int64)


def _is_none(label: Any) -> bool:
    is_number = isinstance(label, numbers.Real)
    return label is None or label == "" or (is_number and (label < 0 or label != label))


def _groups(values: Any, columns: int, names: list[str] | None) -> NDArray[np.int64] | None:
    """Labels by column, a dict for some columns, or the columns of each group; equal labels are one group."""
    if values is None:
        return None
    labels: list[Any] = [None] * columns
    members = list(values.values() if isinstance(values, Mapping) else values)
    if members and all(isinstance(group, (list, tuple, set, frozenset)) for group in members):
        for number, group in enumerate(members):
            for key in group:
                column = column_of(key, columns, names, "groups")
                if labels[column] not in (None, number):
                    raise ValueError(f"groups: column {key!r} is in two of them")
                labels[column] = number
    elif isinstance(values, Mapping):
        for key, label in values.items():
            labels[column_of(key, columns, names, "groups")] = label
    else:
        labels = list(values)
    if len(labels) != columns:
        raise ValueError(f"groups has {len(labels)} entries, but there are {columns} columns")
    numbered: dict[Any, int] = {}
    return np.array(
        [-1 if _is_none(label) else numbered.setdefault(label, len(numbered)) for label in labels], dtype=np.int64
    )


def feasible(
    columns: int,
    names: list[str] | None,
    positive: bool = False,
    lower: Any = None,
    upper: Any = None,
    exclude: Any = None,
    groups: Any = None,
    group_limit: int | None = None,
) -> Feasible:
    """The set from what users give."""
    if positive and lower is not None:
        raise ValueError("positive=True is lower=0: give one of them")
    if group_limit is not None:
        if groups is None:
            raise ValueError("group_limit needs groups")
        if not isinstance(group_limit, numbers.Integral) or group_limit < 1:
            raise ValueError(f"group_limit is {group_limit!r}: it must be a whole number from 1 on; None counts a group as one")
    return Feasible(
        _bounds(0.0 if positive else lower, columns, names, "lower", -np.inf),
        _bounds(upper, columns, names, "upper", np.inf),
        _excluded(exclude, columns, names),
        _groups(groups, columns, names),
        0 if group_limit is None else int(group_limit),
    )
