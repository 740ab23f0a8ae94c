"""Sparse models under losses that most sparse solvers do not support.

    minimise  F(x) = f(x) + h(A x - b)     subject to  at most s nonzeros in x

Functions: `solve`, `path`, `cross_validate`, `stability`, `compare`, `check`, `generate`, `read`. Estimators in the style of scikit-learn:
`SparseRegressor`, `SparseClassifier`, `SparseRegressorCV`, `SparseClassifierCV`, `SparseQuantileBand`. The lists of what is available: `losses`,
`methods`, `options`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _spgm
from ._check import Stationarity, check
from ._compare import Comparison, compare
from ._data import Column, Data, generate, read
from ._path import CrossValidation, Path, cross_validate, path
from ._progress import Progress
from ._solve import Result, Smooth, solve
from ._spgm import UnsupportedError
from ._stability import Stability, stability
from ._tables import Option, losses, methods, options

if TYPE_CHECKING:
    from ._band import SparseQuantileBand
    from ._estimators import SparseClassifier, SparseRegressor
    from ._estimators_cv import SparseClassifierCV, SparseRegressorCV

__version__: str = _spgm.version()

# scikit-learn takes a second to import, so it is imported only when an estimator is used.
_ESTIMATORS = {
    "SparseClassifier": "_estimators",
    "SparseClassifierCV": "_estimators_cv",
    "SparseQuantileBand": "_band",
    "SparseRegressor": "_estimators",
    "SparseRegressorCV": "_estimators_cv",
}

__all__ = [
    "Comparison",
    "Column",
    "CrossValidation",
    "Data",
    "Option",
    "Path",
    "Progress",
    "Result",
    "Smooth",
    "SparseClassifier",
    "SparseClassifierCV",
    "SparseQuantileBand",
    "SparseRegressor",
    "SparseRegressorCV",
    "Stability",
    "Stationarity",
    "UnsupportedError",
    "check",
    "compare",
    "cross_validate",
    "generate",
    "losses",
    "methods",
    "options",
    "path",
    "read",
    "solve",
    "stability",
]


def __getattr__(name: str) -> Any:
    if name not in _ESTIMATORS:
        raise AttributeError(f"module 'spgm' has no attribute {name!r}")
    try:
        from importlib import import_module

        return getattr(import_module(f"spgm.{_ESTIMATORS[name]}"), name)
    except ModuleNotFoundError as error:
        raise ImportError(f"spgm.{name} needs scikit-learn: pip install scikit-learn ({error})") from error


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
