"""Files and generated instances."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from . import _spgm
from ._arrays import _LARGE, Float, column_of, pandas_module, without
from ._arrays import vector as vector_of


@dataclass(frozen=True)
class Column:
    """A column of a CSV file.

    Attributes
    ----------
    name : str or None
    kind : str
        "number", "category", "excluded", "weights" or "empty".
    missing : int
        The number of missing values.
    levels : list of str or None
        The levels of a category, in alphabetical order.
    columns : range
        Its columns of the matrix: for a category one for each level but the first, unless all were asked for.
    """

    name: str | None
    kind: str
    missing: int
    levels: list[str] | None
    columns: range


@dataclass(eq=False)
class Data:
    """A matrix with its target, names and weights; unpacks as ``A, b = data``.

    Attributes
    ----------
    A : Fortran-ordered array, CSC matrix, or what is mapped
        The data. An NPY file of 2^25 numbers or more is not copied: A is then a read-only `numpy.memmap`. If the target or the weights stand
        between other columns, A is an object with `shape`, `dtype` and ``[rows, columns]`` that `solve`, `path`, `cross_validate` and
        `predict` read in place; NumPy makes a copy of it.
    b : array or None
        The target.
    names : list of str or None
        The names of the columns.
    target_name : str or None
    truth : array or None
        The vector that made a generated instance.
    format : str or None
        The format of the file.
    weights : array or None
        The column of weights.
    labels : list of str or None
        The labels of a target of text; `b` has their positions in this list.
    table : list of Column or None
        The columns of a CSV file, without row names and target.
    rows : array of int or None
        The rows of the file that were kept, if some were dropped.
    path : str or None
        The path of the file.
    groups : array of int or None
        The column of the table that each column of `A` comes from. Given as `groups` to `solve` and the estimators, it makes each category count as one.
    """

    A: Any
    b: Float | None
    names: list[str] | None = None
    target_name: str | None = None
    truth: Float | None = None
    format: str | None = None
    weights: Float | None = None
    labels: list[str] | None = None
    table: list[Column] | None = None
    rows: NDArray[np.int64] | None = None
    groups: NDArray[np.int64] | None = None
    path: str | None = None
    reading: dict[str, str] = field(default_factory=dict, repr=False)  # what `read` was asked for, for the model file

    def to_frame(self) -> Any:
        """`A` as a pandas frame with the names of the columns, from which `solve` and the estimators take them; sparse where `A` is.

        Examples
        --------
        >>> import os, tempfile, spgm
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "houses.csv")
        ...     _ = open(path, "w").write("Region,rooms,price\\nSouth,2,5\\nNorth,3,4\\nSouth,4,8\\n")
        ...     data = spgm.read(path)
        >>> result = spgm.solve(data.to_frame(), data.b, 1, free_columns=["rooms"])
        >>> [result.name_of(j) for j in result.support]
        ['Region=South', 'rooms']
        """
        pandas = pandas_module()
        if sparse.issparse(self.A):
            return pandas.DataFrame.sparse.from_spmatrix(self.A, columns=self.names)
        return pandas.DataFrame(self.A, columns=self.names, copy=False)

    def __iter__(self) -> Any:
        return iter((self.A, self.b))

    def __repr__(self) -> str:
        rows, columns = self.A.shape
        kind = f"sparse, {self.A.nnz} nonzeros" if sparse.issparse(self.A) else "dense"
        target = "no target" if self.b is None else f"target {self.target_name or 'b'}"
        return f"{rows} x {columns} ({kind}), {target}"


def _view(block: Any, dtype: type) -> Any:
    """The library's memory as an array; it lives as long as the array does."""
    if block is None:
        return None
    return np.frombuffer(block, dtype) if memoryview(block).nbytes else np.empty(0, dtype)


def _from_parts(parts: _spgm.Parts) -> Data:
    rows, columns, leading, start, row_index, values, target, truth, names, target_name, format = parts[:11]
    weights, labels, table, kept, sources = parts[11:]
    A: Any = _view(values, np.float64)
    if start is not None:
        A = sparse.csc_matrix((A, _view(row_index, np.int32), _view(start, np.int64)), shape=(rows, columns))
    else:
        A = A.reshape((leading, columns), order="F")[:rows]
    return Data(
        A,
        _view(target, np.float64),
        names,
        target_name,
        _view(truth, np.float64),
        format,
        _view(weights, np.float64),
        labels,
        None if table is None else [Column(*entry[:4], range(entry[4], entry[4] + entry[5])) for entry in table],
        None if kept is None else np.array(kept, np.int64),
        None if sources is None else np.array(sources, np.int64),
    )


def _number(column: str | int | None, columns: int) -> int | None:
    """A column that is given by its number from 1, from 0; None: it is not, or is none of them."""
    text = str(column)
    return int(text) - 1 if text.isascii() and text.isdigit() and 1 <= int(text) <= columns else None


def _map(name: str, format: str | None, target: Any, no_target: bool, target_file: Any, weights: Any) -> Data | None:
    """A large NPY file where it stands; None: it is another one, or asks for more than that."""
    if format not in (None, "npy") or not name.endswith(".npy") or not os.path.isfile(name) or os.path.getsize(name) < 4 * _LARGE:
        return None
    if target_file is not None and not os.fspath(target_file).endswith(".npy"):
        return None
    try:
        array = np.load(name, mmap_mode="r")
        given = None if target_file is None else np.load(target_file, mmap_mode="r")
    except (OSError, ValueError):  # the library says what is wrong with it
        return None
    if array.ndim != 2 or array.size < _LARGE or array.dtype not in (np.float64, np.float32) or not array.dtype.isnative:
        return None
    places = {role: _number(column, array.shape[1]) for role, column in (("target", target), ("weights", weights)) if column is not None}
    is_given = given is not None and given.dtype in (np.float64, np.float32) and given.dtype.isnative and given.size == array.shape[0]
    if None in places.values() or len(set(places.values())) < len(places) or ("target" in places) + no_target + (target_file is not None) > 1 or (given is not None and not is_given):
        return None
    column = {role: column_of(array, j) for role, j in places.items() if j is not None}
    if any(vector is None for vector in column.values()):  # the library says where
        return None
    b = column.get("target") if given is None else vector_of(given.reshape(-1), "b", beside=array)
    return Data(without(array, {j for j in places.values() if j is not None}), b, format="npy", weights=column.get("weights"), path=name)


def _list(columns: str | int | Iterable[str | int] | None) -> str | None:
    """Names, patterns and numbers as the library takes them."""
    if columns is None or isinstance(columns, str):
        return columns
    if isinstance(columns, int):
        return str(columns)
    return ",".join(map(str, columns))


def read(
    path: str | os.PathLike[str],
    *,
    target: str | int | None = None,
    no_target: bool = False,
    target_file: str | os.PathLike[str] | None = None,
    format: str | None = None,
    columns: int = 0,
    names: str | os.PathLike[str] | None = None,
    weights: str | int | None = None,
    categories: str | None = None,
    missing: str | None = None,
    exclude: str | int | Iterable[str | int] | None = None,
    only: str | int | Iterable[str | int] | None = None,
    text: str | int | Iterable[str | int] | None = None,
    labels: bool = False,
    header: bool | None = None,
    separator: str | None = None,
    decimal: str | None = None,
) -> Data:
    """Read LIBSVM, CSV, Matrix Market or NPY, plain or compressed (gz, bz2, xz, zst).

    Parameters
    ----------
    path : path
        The file.
    target : str or int, optional
        Name or 1-based number of the target column; by default the last of a CSV file.
    no_target : bool
        The file contains only the matrix.
    target_file : path, optional
        A file with the target; `path` then contains only the matrix.
    format : {"libsvm", "csv", "mm", "npy"}, optional
        By default detected from content and name.
    columns : int
        LIBSVM: the smallest number of columns.
    names : path, optional
        A file with a name on each line, for the columns of a file without names.
    weights : str or int, optional
        Name or number, as of the target, of a column of weights.
    categories : {"reference", "full", "refuse"}, optional
        CSV: a column of text becomes columns of zeros and ones, by default one for every level but the first in alphabetical order
        ("full": for all), named ``Region=South``.
    missing : {"refuse", "drop", "median"}, optional
        CSV: missing values are an error, their rows are left out, or they become the median of the column (its most frequent level in a category).
    exclude, only : str, int or list, optional
        CSV: columns that are left out, or kept, by name, pattern (``"x*"``) or number, counted from 1 without the target.
    text : str, int or list, optional
        CSV: columns whose numbers are levels of a category.
    labels : bool
        CSV: the target may be text; see `Data.labels`.
    header : bool, optional
        CSV: whether the first line names the columns; by default detected.
    separator, decimal : str, optional
        CSV: the field separator, by default detected; the decimal point, "." or ",".

    Returns
    -------
    Data

    Examples
    --------
    >>> import os, tempfile, spgm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "small.csv")
    ...     _ = open(path, "w").write("height,width,price\\n1,2,3\\n4,5,6\\n")
    ...     data = spgm.read(path)
    >>> data
    2 x 2 (dense), target price
    >>> data.names
    ['height', 'width']

    A category becomes several columns, which can be counted as one:

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "houses.csv")
    ...     _ = open(path, "w").write("Region,rooms,price\\nSouth,2,5\\nNorth,3,4\\nWest,4,6\\n")
    ...     data = spgm.read(path)
    >>> data.names
    ['Region=South', 'Region=West', 'rooms']
    >>> data.groups
    array([0, 0, 1])
    """
    name = os.fspath(path)
    if names is None and not labels and exclude is None and only is None:
        mapped = _map(name, format, target, no_target, target_file, weights)
        if mapped is not None:
            return mapped
    try:
        parts = _spgm.read(
            name,
            {
                "format": format,
                "target": None if target is None else str(target),
                "names": None if names is None else os.fspath(names),
                "weights": None if weights is None else str(weights),
                "categories": categories,
                "missing": missing,
                "exclude": _list(exclude),
                "only": _list(only),
                "text": _list(text),
                "header": None if header is None else "yes" if header else "no",
                "separator": separator,
                "decimal": decimal,
            },
            no_target,
            labels,
            columns,
            None if target_file is None else os.fspath(target_file),
        )
    except OSError as error:
        files = [name] if target_file is None else [name, os.fspath(target_file)]
        if all(map(os.path.exists, files)):
            raise
        raise FileNotFoundError(str(error)) from None
    data = _from_parts(parts)
    data.path = name
    asked = {"missing": missing, "exclude": _list(exclude), "only": _list(only), "text": _list(text), "categories": categories}
    data.reading = {key: value for key, value in asked.items() if value is not None}
    if data.table is None and (exclude is not None or only is not None):
        raise ValueError(f"{name} is a {data.format} file: 'exclude' and 'only' are for CSV files")
    return data


def generate(
    name: str,
    seed: int = 1,
    *,
    support: int = 0,
    noise: float = 10.0,
    source: str | os.PathLike[str] | None = None,
    raw: bool = False,
    real_target: bool = False,
) -> Data:
    """An instance of the paper: b = A truth + noise.

    Parameters
    ----------
    name : str
        random-M-N; random-M-N-C (2 % of A times 100); random-M-N-O (2 % of the noise times 100); e2006-M-N from `source`.
    seed : int
        The same seed gives the same bits as ``spgm gen --seed``.
    support : int
        Nonzeros of the truth; 0: 100, or N when that is smaller.
    noise : float
        Standard deviation of the noise; 0: none.
    source : path, optional
        e2006: the LIBSVM file.
    raw, real_target : bool
        e2006: keep the columns' own scale; take the file's target.

    Returns
    -------
    Data

    Examples
    --------
    >>> import spgm
    >>> A, b = spgm.generate("random-64-256", seed=7)
    >>> A.shape, b.shape
    ((64, 256), (64,))
    """
    if noise < 0:
        raise ValueError(f"the noise is {noise}: it must not be negative")
    where = None if source is None else os.fspath(source)
    return _from_parts(_spgm.generate(name, seed, where, support, noise if noise > 0 else -1.0, raw, real_target))
