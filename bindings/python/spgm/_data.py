"""Files and generated instances."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse

from . import _spgm
from ._arrays import Float


@dataclass(eq=False)
class Data:
    """A matrix with what belongs to it; unpacks as ``A, b = data``.

    Attributes
    ----------
    A : Fortran-ordered array or CSC matrix
        The data.
    b : array or None
        The target.
    names : list of str or None
        Of the columns.
    target_name : str or None
    truth : array or None
        The vector that made a generated instance.
    format : str or None
        Of the file.
    """

    A: Any
    b: Float | None
    names: list[str] | None = None
    target_name: str | None = None
    truth: Float | None = None
    format: str | None = None

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
    rows, columns, leading, start, row_index, values, target, truth, names, target_name, format = parts
    A: Any = _view(values, np.float64)
    if start is not None:
        A = sparse.csc_matrix((A, _view(row_index, np.int32), _view(start, np.int64)), shape=(rows, columns))
    else:
        A = A.reshape((leading, columns), order="F")[:rows]
    return Data(A, _view(target, np.float64), names, target_name, _view(truth, np.float64), format)


def read(
    path: str | os.PathLike[str],
    *,
    target: str | int | None = None,
    no_target: bool = False,
    target_file: str | os.PathLike[str] | None = None,
    format: str | None = None,
    columns: int = 0,
) -> Data:
    """Read LIBSVM, CSV, Matrix Market or NPY, plain or compressed (gz, bz2, xz, zst).

    Parameters
    ----------
    path : path
        The file.
    target : str or int, optional
        CSV: name or 1-based number of the target column; by default the last.
    no_target : bool
        The file holds only the matrix.
    target_file : path, optional
        A file with the target; `path` then holds only the matrix.
    format : {"libsvm", "csv", "mm", "npy"}, optional
        By default found from content and name.
    columns : int
        LIBSVM: at least so many columns.

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
    """
    name = os.fspath(path)
    try:
        parts = _spgm.read(
            name,
            format,
            None if target is None else str(target),
            no_target,
            columns,
            None if target_file is None else os.fspath(target_file),
        )
    except OSError as error:
        files = [name] if target_file is None else [name, os.fspath(target_file)]
        if all(map(os.path.exists, files)):
            raise
        raise FileNotFoundError(str(error)) from None
    return _from_parts(parts)


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
