"""From what users have to what the library takes: dense float64 or float32, or CSC, in place where possible."""

from __future__ import annotations

import mmap
import operator
import os
import tempfile
from difflib import get_close_matches
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

Float = NDArray[np.float64]

#: What the extension takes: an array, (rows, columns, column_start, row_index, values), (mapped array, directory for workspace), or
#: (mapped array, directory, which of its columns).
Matrix = Any

_FLOAT = np.dtype(np.float64)


def whole(value: Any, name: str) -> int:
    """A whole number of any integer type; True and 2.0 are none."""
    try:
        if not isinstance(value, (bool, np.bool_)):
            return operator.index(value)
    except TypeError:
        pass
    raise TypeError(f"{name} must be a whole number, not {value!r}")


def refuse_masked(values: Any, name: str) -> None:
    """NumPy forgets a mask as soon as it makes a plain array."""
    if type(values) is not np.ndarray and np.ma.isMaskedArray(values) and np.ma.is_masked(values):
        raise ValueError(f"{name} has masked entries, which have no value: fill or impute them, or leave out their rows")


def vector(values: Any, name: str, length: int | None = None, beside: Any = None) -> Float:
    """A contiguous float64 vector; no copy where it is one already. `beside` is the matrix that it belongs to: a copy beside a large mapped
    file is in a file."""
    if type(values) is np.ndarray and values.dtype is _FLOAT and values.ndim == 1 and values.flags.carray:
        array = values
    else:
        refuse_masked(values, name)
        array = np.asarray(values)
        array = _copy_beside(array) if array.dtype.kind in "biuf" and stays_in_file(beside) else _real(array, name)
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        if array.ndim != 1:
            raise ValueError(f"{name} must have one dimension, but it has {array.ndim}")
        array = np.require(array, requirements=["C", "A"])
    if length is not None and array.shape[0] != length:
        raise ValueError(f"{name} has {array.shape[0]} entries, but A has {length} rows")
    return array


def _real(array: NDArray[Any], name: str) -> Float:
    """The same numbers as float64 in the machine's byte order."""
    if array.dtype == np.float64:
        return array.astype(np.float64, copy=False)
    if np.iscomplexobj(array):
        raise ValueError(f"{name} is complex: complex data are not supported")
    if array.dtype.kind not in "biufO":
        raise ValueError(f"{name} holds {array.dtype.name} values: numbers are needed")
    return array.astype(np.float64)


def dense(values: Any, name: str) -> NDArray[Any]:
    """Float64 or float32, in whatever order: the extension uses columns in place, and makes them of rows within the time limit."""
    refuse_masked(values, name)
    array = np.asarray(values)
    if array.dtype != np.float32 or not array.dtype.isnative:
        array = _real(array, name)
    if array.ndim != 2:
        raise ValueError(f"{name} must have two dimensions, but it has {array.ndim}")
    return array


def by_columns_once(array: NDArray[Any]) -> NDArray[Any]:
    """The same in Fortran order, for several problems over one matrix: each would make columns of its own."""
    if array.flags.f_contiguous:
        return array
    columns = np.empty(array.shape, order="F")
    for first in range(0, array.shape[0], 64):  # NumPy's own copy misses the cache for every entry
        columns[first : first + 64] = array[first : first + 64]
    return columns


def csc(values: Any, name: str) -> tuple[int, int, NDArray[np.int64], NDArray[np.int32], Float]:
    """CSC with sorted rows; values and row indices are used in place when they are float64 and int32."""
    matrix = values.tocsc()  # itself when it is CSC
    if np.iscomplexobj(matrix.data):
        raise ValueError(f"{name} is complex: complex data are not supported")
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    rows, columns = matrix.shape
    if rows > np.iinfo(np.int32).max:
        raise ValueError(f"{name} has {rows} rows: a sparse matrix may have at most 2^31 - 1")
    return (
        rows,
        columns,
        np.ascontiguousarray(matrix.indptr, dtype=np.int64),
        np.ascontiguousarray(matrix.indices, dtype=np.int32),
        np.require(matrix.data, np.float64, ["C", "A"]),
    )


def pandas_module() -> Any:
    """Pandas, which only to_frame needs."""
    try:
        import pandas
    except ImportError:
        raise ImportError("to_frame needs pandas: pip install pandas") from None
    return pandas


def is_frame(values: Any) -> bool:
    """Pandas, Polars and what else has named columns."""
    return hasattr(values, "columns") and hasattr(values, "to_numpy")


def names_of(values: Any) -> list[str] | None:
    """Column names of a frame, else None."""
    return [str(column) for column in values.columns] if is_frame(values) else None


def width(values: Any) -> int:
    """How many columns there are; 0 for what is no matrix, which `matrix` says."""
    shape = np.shape(values)
    return int(shape[1]) if len(shape) == 2 else 0


def columns(chosen: Any, count: int, names: list[str] | None) -> NDArray[np.int64]:
    """Which columns are meant: a mask, whole numbers (negative ones from the end), or names where there are any."""
    if chosen is None:
        return np.empty(0, dtype=np.int64)
    array = np.asarray(list(chosen) if isinstance(chosen, range) else chosen)
    if array.ndim == 0 and array.dtype.kind != "b":
        array = array.reshape(1)
    if array.ndim > 1:
        raise ValueError(f"free_columns must have one dimension, but it has {array.ndim}")
    words = array.tolist() if array.ndim else []
    if words and all(isinstance(word, str) for word in np.asarray(chosen, dtype=object).reshape(-1)):
        return _named(words, names)
    if array.dtype.kind == "b" and array.ndim:
        if array.size != count:
            raise ValueError(f"free_columns is a mask of {array.size} entries, but A has {count} columns")
        return np.flatnonzero(array).astype(np.int64)
    if array.ndim == 0 or (array.size and array.dtype.kind not in "iu"):
        raise TypeError(f"free_columns must be whole numbers, a mask or names of columns, not {chosen!r}")
    bad = [word for word in words if not -count <= word < count]
    if bad:
        raise ValueError(f"free_columns has {bad[0]}, but A has {count} columns: they are numbered 0 to {count - 1}")
    return np.array([word % count for word in words], dtype=np.int64)


def _named(words: list[str], names: list[str] | None) -> NDArray[np.int64]:
    if names is None:
        raise ValueError(f"free_columns has the name {words[0]!r}, but the columns of A have no names: give their numbers")
    place = {name: number for number, name in reversed(list(enumerate(names)))}
    for word in words:
        if word not in place:
            near = get_close_matches(word, names, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"free_columns has {word!r}, but no column has that name{hint}")
        if names.count(word) > 1:
            raise ValueError(f"free_columns: two columns are called {word!r}: give the number of the one that is meant")
    return np.array([place[word] for word in words], dtype=np.int64)


def _is_time(kind: Any) -> bool:
    """Whether a column of this type holds dates or durations, of NumPy, pandas or Polars."""
    is_temporal = getattr(kind, "is_temporal", None)
    return bool(is_temporal()) if is_temporal is not None else getattr(kind, "kind", "") in ("M", "m")


def refuse_times(values: Any, name: str) -> None:
    """Dates become numbers, days or nanoseconds as it happens, where nobody asks."""
    if is_frame(values):
        if any(map(_is_time, values.dtypes)):
            raise ValueError(text_sentence(values, name))
    elif _is_time(getattr(values, "dtype", None)):
        raise ValueError(f"{name} holds dates or durations: turn them into numbers, such as days since the first")


def text_columns(values: Any) -> list[str]:
    """The columns of a frame that are no numbers."""
    found = []
    for column, kind in zip(values.columns, values.dtypes):
        try:
            np.asarray(values[column], dtype=np.float64)
        except (TypeError, ValueError):
            found.append(str(column))
        else:
            found += [str(column)] * _is_time(kind)
    return found


def text_sentence(values: Any, name: str) -> str | None:
    """What to do about the columns of a frame that are no numbers; None: there are none."""
    found = text_columns(values) if is_frame(values) else []
    if not found:
        return None
    shown = ", ".join(found[:5]) + (f" and {len(found) - 5} more" if len(found) > 5 else "")
    return (
        f"{name} has columns of text, categories or dates ({shown}): encode them, for example with "
        "sklearn.preprocessing.OneHotEncoder, or write the frame to a CSV file and use spgm.read"
    )


def is_large_map(array: Any) -> bool:
    """An array in a mapped file (``numpy.load(path, mmap_mode="r")``) of 2^25 numbers or more: it is not copied."""
    base = array
    while base is not None and not isinstance(base, (np.memmap, mmap.mmap)):
        base = getattr(base, "base", None)
    return base is not None and array.ndim == 2 and array.size >= _LARGE and array.itemsize in array.strides


_LARGE = 1 << 25  # numbers


def stays_in_file(values: Any) -> bool:
    """Columns of a large mapped file that the library reads where they stand."""
    if isinstance(values, MappedColumns):
        return True
    return isinstance(values, np.ndarray) and values.dtype in (np.float64, np.float32) and values.dtype.isnative and is_large_map(values)


def _blocks(rows: int, columns: int = 1) -> list[slice]:
    """All rows, a few at a time."""
    step = max(1, _PART // max(1, columns))
    return [slice(first, first + step) for first in range(0, rows, step)]


def vector_in_file(length: int) -> Float:
    """Room for a vector beside a large mapped file: a nameless file, whose pages the system writes to the disk where memory is short. Where
    there is no room for it, memory."""
    try:
        with tempfile.TemporaryFile(dir=_directory()) as file:
            os.posix_fallocate(file.fileno(), 0, max(8 * length, 1))
            return np.asarray(np.memmap(file, np.float64, "r+", shape=(length,)))
    except OSError:
        return np.empty(length)


def _copy_beside(array: NDArray[Any]) -> NDArray[Any]:
    """Numbers of another type, or that lie apart, as float64 in such a file; others as they are."""
    if array.dtype == np.float64 and array.dtype.isnative and array.flags.carray:
        return array
    copy = vector_in_file(array.size).reshape(array.shape)
    for some in _blocks(array.shape[0] if array.ndim else 0):
        copy[some] = array[some]
    return copy


def column_of(array: NDArray[Any], column: int) -> Float | None:
    """A column of a large mapped file as a vector beside it; None: it has a number that is NaN or infinite."""
    found = _copy_beside(array[:, column])
    return found if all(np.isfinite(found[some]).all() for some in _blocks(found.size)) else None


def distinct(labels: NDArray[Any]) -> NDArray[Any]:
    """What `numpy.unique` gives, without a copy of all."""
    if labels.size <= _BLOCK:
        return np.unique(labels)
    return np.unique(np.concatenate([np.unique(labels[some]) for some in _blocks(labels.size)]))


def signs(labels: NDArray[Any], positive: Any, beside: Any) -> Float:
    """+1 where a label is the one given, else -1; beside a large mapped file in a file."""
    if not stays_in_file(beside):
        return np.where(labels == positive, 1.0, -1.0)
    found = vector_in_file(labels.size)
    for some in _blocks(labels.size):
        found[some] = np.where(labels[some] == positive, 1.0, -1.0)
    return found


class MappedColumns:
    """Some columns of an array in a large mapped file, where they stand: `solve`, `path`, `cross_validate` and `predict` read them there.
    NumPy makes a copy of it.

    Attributes
    ----------
    array : numpy.memmap
        All columns.
    kept : array of int
        Which of them, ascending.
    """

    ndim = 2

    def __init__(self, array: NDArray[Any], kept: NDArray[np.int64]) -> None:
        self.array, self.kept = array, kept

    @property
    def shape(self) -> tuple[int, int]:
        return self.array.shape[0], self.kept.size

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.array.dtype

    def __len__(self) -> int:
        return int(self.array.shape[0])

    def __getitem__(self, key: tuple[Any, Any]) -> NDArray[Any]:
        rows, columns = key
        return np.asarray(self.array[rows, self.kept[columns]])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("columns of a mapped file are an array only as a copy")
        return np.asarray(self.array[:, self.kept], dtype=dtype)


def without(array: NDArray[Any], out: set[int]) -> Any:
    """The other columns of an array in a large mapped file."""
    kept = np.array([j for j in range(array.shape[1]) if j not in out], dtype=np.int64)
    if kept.size and kept[-1] - kept[0] == kept.size - 1:
        return array[:, kept[0] : kept[-1] + 1]
    return MappedColumns(array, kept)


def _directory() -> str:
    """For workspace beside a mapped file."""
    return os.environ.get("TMPDIR") or "/var/tmp"


def _frame_array(frame: Any) -> Any:
    """A frame as an array. One whose columns have different types is filled column by column: pandas would do it row by row, which takes
    ten times as long."""
    types = [getattr(kind, "kind", "") for kind in frame.dtypes]
    if not hasattr(frame, "iloc") or len(set(map(str, frame.dtypes))) < 2 or not all(kind and kind in "biuf" for kind in types):
        return frame.to_numpy()
    array = np.empty(frame.shape, order="F")
    for j in range(frame.shape[1]):
        array[:, j] = frame.iloc[:, j].to_numpy()
    return array


def matrix(values: Any, name: str = "A") -> tuple[Matrix, int, int]:
    """What the extension takes, and its shape."""
    if isinstance(values, MappedColumns):
        return (values.array, _directory(), values.kept), *values.shape
    if sparse.issparse(values):
        parts = csc(values, name)
        return parts, parts[0], parts[1]
    refuse_times(values, name)
    try:
        array = dense(_frame_array(values) if is_frame(values) else values, name)
    except (TypeError, ValueError):
        sentence = text_sentence(values, name)
        if sentence is None:
            raise
        raise ValueError(sentence) from None
    if is_large_map(array):
        return (array, _directory()), array.shape[0], array.shape[1]
    return array, array.shape[0], array.shape[1]


def sum_columns(A: Any, x: Float, intercept: float) -> Float:
    """A x + intercept for an array or a CSC matrix, from the intercept on and column by column: in the order of the library and
    the command line, so that a score that is 0 here, or equal to another, is so there."""
    score = np.full(A.shape[0], intercept, dtype=np.float64)
    if sparse.issparse(A):
        for j in np.flatnonzero(x):
            part = slice(A.indptr[j], A.indptr[j + 1])
            score[A.indices[part]] += A.data[part] * x[j]
        return score
    for some in _blocks(A.shape[0]):  # beside a mapped file there is room for no more
        for j in np.flatnonzero(x):
            score[some] += A[some, j] * x[j]
    return score


def scores(A: Any, columns: NDArray[np.int64], coef: Float, intercepts: Float) -> Float:
    """A coef' + intercepts by some columns of an array, a few rows at a time: one column for each model."""
    found = np.empty((A.shape[0], len(coef)))
    for some in _blocks(A.shape[0], len(columns)):
        part = np.asarray(A[some, columns], dtype=np.float64)
        if not np.isfinite(part).all():
            raise ValueError("X has entries that are NaN or infinite in the columns of the model")
        for k, (x, c) in enumerate(zip(coef, intercepts)):
            found[some, k] = sum_columns(part, x, float(c))
    return found


def by_columns(A: Any) -> Any:
    """An array, or a CSC matrix in which no entry is there twice."""
    if not sparse.issparse(A):
        return A if isinstance(A, MappedColumns) else np.asarray(A)
    A = A.tocsc()
    if not A.has_canonical_format:
        A = A.copy()
        A.sum_duplicates()
    return A


def product(A: Any, x: Float, intercept: float) -> Float:
    """A x + intercept by the columns that matter."""
    A = by_columns(A.to_numpy() if is_frame(A) else A)
    if A.ndim != 2 or A.shape[1] != x.shape[0]:
        raise ValueError(f"the model has {x.shape[0]} columns, but the data have shape {A.shape}")
    return sum_columns(A, x, intercept)


def check_names(A: Any, names: list[str] | None, support: NDArray[np.int64]) -> None:
    """Are the columns that a model uses where it was told that they are?"""
    found = names_of(A)
    if found is None or names is None or len(found) != len(names):
        return
    for j in support.tolist():
        if found[j] != names[j]:
            raise ValueError(
                f"column {j} of the model is {names[j]!r}, but of the data {found[j]!r}: give the columns in the order of the data "
                "that the model was made from"
            )


def _sizes(largest: Float) -> Float:
    """Powers of two by which columns are divided, so that squares of 1e200 do not overflow and no digit changes."""
    return np.where(largest > 0, np.exp2(np.floor(np.log2(np.where(largest > 0, largest, 1.0)))), 1.0)


_BLOCK = 1 << 18  # numbers that are copied at once: they stay in the cache
_PART = 1 << 16  # of them beside a mapped file, where several such copies must be next to nothing


def seconds_afterwards(A: Matrix, count: int) -> float:
    """About what `deviations` of so many columns takes, which comes after a run and counts in its time limit."""
    if isinstance(A, tuple) and len(A) == 5:
        return 0.0
    array = A[0] if isinstance(A, tuple) else A
    rows, columns = array.shape
    apart = 0 if array.flags.f_contiguous else min(8 * count, columns)  # what is read with them: lines of the cache
    return float(rows * (8e-9 * min(count, columns) + 5e-10 * apart))


def _large_deviations(A: NDArray[Any], columns: NDArray[np.int64]) -> Float:
    """The same in two passes over a few rows at a time. Beside a file that memory does not hold there is room for no more, and new pages for
    copies of whole columns may take ten times as long as the sums."""
    rows, blocks = A.shape[0], _blocks(A.shape[0], len(columns))
    largest, mean, square = np.zeros(len(columns)), np.zeros(len(columns)), np.zeros(len(columns))
    for some in blocks:
        block = A[some, columns].astype(np.float64, copy=False)
        np.maximum(largest, np.abs(block).max(axis=0), out=largest)
        mean += block.mean(axis=0) * (block.shape[0] / rows)
    size = _sizes(largest)
    for some in blocks:
        square += (((A[some, columns].astype(np.float64, copy=False) - mean) / size) ** 2).sum(axis=0)
    return np.asarray(size * np.sqrt(square / rows))


def _csc_deviations(A: tuple[int, int, NDArray[np.int64], NDArray[np.int32], Float], columns: NDArray[np.int64]) -> Float:
    """Of the columns of a CSC matrix, one after the other: they are as they lie."""
    rows, _, start, _, values = A
    found = np.empty(len(columns))
    for k, j in enumerate(columns):
        stored = values[start[j] : start[j + 1]]
        size = _sizes(np.abs(stored).max(initial=0.0))
        stored = stored / size
        mean = stored.sum() / rows
        found[k] = size * np.sqrt((((stored - mean) ** 2).sum() + mean**2 * (rows - stored.size)) / rows)
    return found


def deviations(A: Matrix, columns: NDArray[np.int64]) -> Float:
    """Standard deviations over all rows of some columns of what `matrix` gave."""
    if isinstance(A, tuple) and len(A) == 5:
        return _csc_deviations(A, columns)
    array = A[0] if isinstance(A, tuple) else A
    columns = A[2][columns] if isinstance(A, tuple) and len(A) == 3 else columns
    if isinstance(A, tuple) or len(columns) * array.shape[0] > _BLOCK:
        return _large_deviations(array, columns)
    lines = array.T
    found = np.empty(len(columns))
    for k in range(0, len(columns), 64):  # a few at a time: the copies stay in the cache
        block = np.array(lines[columns[k : k + 64]], dtype=np.float64, order="C")
        size = _sizes(np.maximum(block.max(axis=1, initial=0.0), -block.min(axis=1, initial=0.0)))
        block /= size[:, None]
        found[k : k + 64] = block.std(axis=1) * size
    return found
