"""SparseQuantileBand: several quantiles at once, calibrated."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from . import _arrays, _model, _spgm
from ._arrays import Float
from ._elsewhere import Recipe
from ._estimators import _SparseModel, plain_problem
from ._path import run_cross_validation
from ._progress import Line, watcher
from ._solve import Result, make_result
from ._tables import settle

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class SparseQuantileBand(RegressorMixin, _SparseModel):  # type: ignore[misc]
    """Several quantiles of y at once, each from at most `n_nonzero_coefs` features: a calibrated band whose quantiles do not cross.

    Fitted quantiles cover too few of the new rows. Here the predictions of each level are shifted, and the shift is computed from rows
    that were not fitted (conformalised quantile regression, one side at a time). The aim is that at most the share τ of new rows lies below
    a level τ < 1/2, and at most 1 - τ above a level τ > 1/2. The predictions of a row are sorted, shifted, and widened from the middle
    outwards where the shifts have made them cross.

    Parameters
    ----------
    n_nonzero_coefs : int or "auto", default 10
        The largest number of features of each level, or of all levels together if `common_columns` is set. "auto": the number from 0 to 20
        with the lowest loss in cross-validation at the level nearest to 1/2.
    quantiles : list of float, default (0.1, 0.5, 0.9)
        Ascending, between 0 and 1.
    common_columns : bool, default False
        All levels use the same features, chosen by the sum of their losses.
    calibration : {"cross", "split", "none"}, default "cross"
        "cross": the shifts come from predictions of every row by models of the other folds, so all rows are used for fitting. "split": they come
        from a quarter of the rows, which is not fitted; the coverage on new rows is then guaranteed whatever the distribution. "none": no shifts.
    folds : int, default 10
        The number of folds of "cross".
    alpha, method, fit_intercept, standardize, time_limit, effort, random_state, n_jobs, verbose, options
        As in `SparseRegressor`; the time limit holds for the whole fit, and folds run in parallel on `n_jobs` threads.
    positive, lower, upper, exclude, groups, group_limit, free_columns
        As in `SparseRegressor`.

    Attributes
    ----------
    coef_ : array of shape (n_quantiles, n_features)
    intercept_, shifts_ : array of shape (n_quantiles,)
        The shifts are added by the calibration.
    support_ : array of int
        Features that any level uses.
    results_ : list of Result
        One for each level.
    held_out_ : array of shape (n_samples, n_quantiles)
        The predictions of models that have not seen the row, in order and without shifts; NaN where there is none.
    n_features_in_ : int
    feature_names_in_ : array of str
        When X has names.

    Examples
    --------
    >>> import numpy as np, spgm
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 6))
    >>> y = X[:, 0] + (0.5 + abs(X[:, 3])) * rng.normal(size=400)
    >>> band = spgm.SparseQuantileBand(2, quantiles=[0.1, 0.5, 0.9], folds=5).fit(X[:200], y[:200])
    >>> band.predict(X[200:]).shape
    (200, 3)
    >>> 0.7 < band.coverage(X[200:], y[200:]) < 0.9
    True
    """

    warm_start = False

    def __init__(
        self,
        n_nonzero_coefs: int | str = 10,
        *,
        quantiles: Sequence[float] = (0.1, 0.5, 0.9),
        common_columns: bool = False,
        calibration: str = "cross",
        folds: int = 10,
        alpha: float = 0.0,
        method: str = "auto",
        fit_intercept: bool = True,
        standardize: bool = False,
        time_limit: float | None = None,
        effort: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
        options: dict[str, Any] | None = None,
        positive: bool = False,
        lower: Any = None,
        upper: Any = None,
        exclude: Any = None,
        groups: Any = None,
        group_limit: int | None = None,
        free_columns: Any = None,
    ) -> None:
        self._take_parameters(locals())

    @property
    def loss(self) -> str:
        return "quantile"

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SparseQuantileBand:
        """Fit every level, and calibrate."""
        X, y = self._checked(X, y, y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
        levels = np.array(self.quantiles, dtype=np.float64).reshape(-1)
        options = settle({**self._options(), "folds": self.folds}, "quantile")
        if levels.size:
            options["quantile"] = float(levels[np.argmin(np.abs(levels - 0.5))])
        parts = _arrays.matrix(X, "X")[0], _arrays.vector(y, "y"), self._weights(sample_weight, X), options
        recipe = Recipe(plain_problem, [(*parts, self._free(), self._limits(X.shape[1]))])
        problem = recipe.problems()[0]
        line = Line(self.verbose) if self.verbose else None
        s = self._chosen(recipe, y.size, X.shape[1], options)
        coef = np.empty((levels.size, X.shape[1]))
        held = np.empty((y.size, levels.size))
        entries = problem.band(
            levels, s, options, bool(self.common_columns), str(self.calibration), coef.reshape(-1), held.reshape(-1), watcher(None, line)
        )
        if line is not None:
            line.close(f"a band of {levels.size} quantiles")
        self.results_ = []
        names = getattr(self, "feature_names_in_", None)
        for k, (intercept, info, _) in enumerate(entries):
            result = make_result(coef[k], (intercept, info, {}, None), None if names is None else [str(name) for name in names])
            result.sparsity, result.rows = s, y.size
            result.options = {**options, "loss": "quantile", "quantile": float(levels[k])}
            self.results_.append(result)
        self.shifts_ = np.array([entry[2] for entry in entries])
        self.held_out_ = held
        self.levels_ = levels
        self._take(self.results_)
        return self

    def _take(self, results: list[Result]) -> None:
        self.coef_ = np.array([result.coef for result in results])
        self.intercept_ = np.array([result.intercept for result in results])
        self.support_ = np.flatnonzero(self.coef_.any(axis=0))

    def _chosen(self, recipe: Recipe, rows: int, columns: int, options: dict[str, Any]) -> int:
        if not (isinstance(self.n_nonzero_coefs, str) and self.n_nonzero_coefs == "auto"):
            return self._budget(columns)
        sizes = np.arange(min(columns, 20) + 1, dtype=np.int64)
        return run_cross_validation(recipe, rows, sizes, options, None, n_jobs=self.n_jobs).best

    def predict(self, X: Any) -> Float:
        """The quantiles of new rows, an array of shape (n_samples, n_quantiles) whose rows ascend."""
        values = np.ascontiguousarray(self._linear(X))
        _spgm.arrange(self.levels_, self.shifts_, values.reshape(-1))
        return values

    def coverage(self, X: Any, y: Any) -> float:
        """The share of y between the lowest and the highest quantile, ends included."""
        values, y = self.predict(X), np.asarray(y, dtype=np.float64)
        return float(np.mean((y >= values[:, 0]) & (y <= values[:, -1])))

    def width(self, X: Any) -> float:
        """The mean distance between the lowest and the highest quantile."""
        values = self.predict(X)
        return float(np.mean(values[:, -1] - values[:, 0]))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """D² of the pinball loss: 1 is perfect, 0 as good as the quantiles of y itself; the mean over the levels."""
        values, y = self.predict(X), np.asarray(y, dtype=np.float64)
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)

        def pinball(prediction: Any, level: float) -> float:
            miss = y - prediction
            return float(np.average(np.maximum(level * miss, (level - 1) * miss), weights=weights))

        scores = []
        for k, level in enumerate(self.levels_):
            constant = _weighted_quantile(y, weights, float(level))
            alone = pinball(constant, float(level))
            scores.append(1 - pinball(values[:, k], float(level)) / alone if alone > 0 else 0.0)
        return float(np.mean(scores))

    def plot(self, X: Any = None, y: Any = None, ax: Axes | None = None) -> Axes:
        """Draw the band and y over the rows, in the order of the middle quantile: for new rows, or for the held-out rows of the fit (give their y alone)."""
        from . import _plot

        check_is_fitted(self)
        if X is not None:
            values = self.predict(X)
        else:
            values = self.held_out_.copy()
            _spgm.arrange(self.levels_, self.shifts_, values.reshape(-1))
        return _plot.draw_band(self.levels_, values, None if y is None else np.asarray(y, dtype=np.float64), ax)

    def save(self, path: str | os.PathLike[str], *, target: str | None = None, reproducible: bool = False) -> None:
        """Write a model file, which `spgm predict` and `SparseQuantileBand.load` read."""
        check_is_fitted(self)
        models = [_model.fields_of(result, target=target, reproducible=reproducible) for result in self.results_]
        fields: dict[str, Any] = {
            "quantiles": self.levels_.tolist(),
            "shifts": self.shifts_.tolist(),
            "calibration": self.calibration,
        }
        fields.update({key: models[0][key] for key in ("sparsity", "columns", "target", "version") if key in models[0]})
        fields["models"] = models
        _model.write(path, fields)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SparseQuantileBand:
        """The band of a model file; `held_out_` is not in it."""
        fields = _model.load(path)
        name = os.fspath(path)
        if "quantiles" not in fields or len(fields.get("models", [])) != len(fields["quantiles"]):
            raise ValueError(f"{name} holds no band: use SparseRegressor.load")
        results = [_model.read(path, part)[0] for part in fields["models"]]
        known = cls._parameters(fields["models"][0])
        known.pop("loss")
        known.pop("quantile", None)
        band = cls(**known, quantiles=[float(level) for level in fields["quantiles"]], calibration=fields.get("calibration", "cross"))
        band.levels_ = np.array(fields["quantiles"], dtype=np.float64)
        band.shifts_ = np.array(fields["shifts"], dtype=np.float64)
        if band.shifts_.shape != band.levels_.shape:
            raise ValueError(f"{name}: quantiles and shifts do not fit together; is it a model file?")
        band.n_features_in_ = results[0].coef.size
        band.results_ = results
        band.held_out_ = np.empty((0, band.levels_.size))
        band._take(results)
        return band


def _weighted_quantile(y: Float, weights: Float | None, level: float) -> float:
    """The constant with the lowest pinball loss."""
    order = np.argsort(y, kind="stable")
    total = np.cumsum(np.ones(y.size) if weights is None else weights[order])
    return float(y[order][min(int(np.searchsorted(total, level * total[-1])), y.size - 1)])
