"""Estimators that follow scikit-learn."""

from __future__ import annotations

import inspect
import numbers
import os
import time
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_expit, log_softmax
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_random_state, compute_sample_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, _check_y, check_consistent_length, check_is_fitted

from . import _arrays, _model, _spgm
from ._arrays import Float
from ._data import Data
from ._feasible import Feasible, feasible
from ._solve import Result, run
from ._tables import PARAMETERS, find_loss, settle

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # scikit-learn before 1.6

    def validate_data(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
        options.pop("ensure_all_finite", None)
        return estimator._validate_data(X, **options) if y is None else estimator._validate_data(X, y, **options)


_FLOAT = np.dtype(np.float64)


def _is_plain(X: Any, y: Any) -> bool:
    """Arrays that need nothing done to them; the library itself looks for NaN."""
    return (
        type(X) is np.ndarray
        and type(y) is np.ndarray
        and X.dtype is _FLOAT
        and y.dtype is _FLOAT
        and X.ndim == 2
        and y.ndim == 1
        and X.shape[0] == y.shape[0]
        and X.shape[0] > 0
        and X.shape[1] > 0
    )


def plain_problem(
    X: Any,
    y: Float,
    weights: Float | None,
    options: dict[str, Any],
    free_columns: NDArray[np.int64] | None,
    limits: Feasible | None = None,
    seconds: float = 0.0,
) -> _spgm.Problem:
    """The same problem whether a sample has weight two or is there twice. To check and convert the data took so many seconds."""
    try:
        problem = _spgm.Problem(X, y, options, None, seconds)
    except ValueError as error:
        sentence = str(error)
        if sentence[:2] not in ("A ", "b "):
            raise
        raise ValueError({"A": "X", "b": "y"}[sentence[0]] + sentence[1:]) from None  # as it is called here
    if weights is not None:
        problem.weights(weights)
    problem.merge_rows()
    if free_columns is not None:
        problem.free_columns(free_columns)
    if limits is not None:
        limits.apply(problem)
    return problem


class _SparseModel(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """What the estimators share: parameters to options, validation, coefficients, feature selection."""

    coef_: Any
    intercept_: Any
    n_features_in_: int

    def _take_parameters(self, parameters: dict[str, Any]) -> None:
        """Attributes of a constructor's arguments, its `locals()`; scikit-learn reads their names from its signature."""
        for name, value in parameters.items():
            if name != "self":
                setattr(self, name, value)

    def _limit(self) -> float | None:
        """The time limit of one run."""
        limit: float | None = self.time_limit
        return limit

    def _options(self) -> dict[str, Any]:
        """The parameters as options of the library."""
        n_jobs = self.n_jobs
        options = {
            **self._ridge(),
            "method": self.method,
            "intercept": bool(self.fit_intercept),
            "standardize": bool(self.standardize),
            "time_limit": self._limit(),
            "effort": self._effort(),
            "seed": self._seed(),
            "threads": 1 if n_jobs is None else 0 if n_jobs < 0 else n_jobs,
        }
        for name in PARAMETERS:
            if hasattr(self, name):
                options[name] = getattr(self, name)
        options.update(self.options or {})
        loss, settings = self._loss()
        options = settle({**options, **settings}, loss, "absolute_error")
        self._check_loss(options["loss"])
        return options

    def _check_loss(self, name: Any) -> None:
        """A loss of labels is for classifiers, and no other is."""
        loss = find_loss(name)
        if loss is not None and loss.has_labels != isinstance(self, ClassifierMixin):
            other, what = ("SparseClassifier", "labels") if loss.has_labels else ("SparseRegressor", "numbers")
            raise ValueError(f"loss {name!r} is for {what}: use {other}, or choose another loss")

    def _effort(self) -> Any:
        return self.effort

    def _loss(self) -> tuple[str | None, dict[str, Any]]:
        """The loss of a fit, and settings of it that are no parameters."""
        return self.loss, {}

    def _judging(self) -> dict[str, Any]:
        """The options with the loss that `score` goes by."""
        return self._options()

    def _ridge(self) -> dict[str, Any]:
        return {"ridge": self.alpha}

    def _seed(self) -> int | None:
        state = self.random_state
        if state is None or isinstance(state, numbers.Integral):
            return None if state is None else int(state)
        return int(check_random_state(state).randint(2**31 - 1))

    def _budget(self, n_features: int) -> int:
        if not isinstance(self.n_nonzero_coefs, numbers.Integral) or isinstance(self.n_nonzero_coefs, bool):
            raise TypeError(f"n_nonzero_coefs must be an integer, not {self.n_nonzero_coefs!r}")
        s = int(self.n_nonzero_coefs)
        if s < 0:
            raise ValueError(f"n_nonzero_coefs is {s}: it must be at least 0")
        by_default = inspect.signature(type(self)).parameters["n_nonzero_coefs"].default
        if s > n_features and s != by_default:
            warnings.warn(f"n_nonzero_coefs={s} is greater than n_features={n_features}: every feature may be used.", stacklevel=3)
        return min(s, n_features)

    def _remember(self, X: Any) -> None:
        """Columns without names."""
        self.n_features_in_ = X.shape[1]
        if hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _checked(self, X: Any, y: Any, **how: Any) -> tuple[Any, Any]:
        """X and y that the library can take, and what scikit-learn wants to remember of them."""
        if _is_plain(X, y):
            self._remember(X)
            return X, y
        if _arrays.stays_in_file(X):
            self._remember(X)
            y = _check_y(y, y_numeric=bool(how.get("y_numeric")), estimator=self)
            check_consistent_length(X, y)
            return X, y
        _arrays.refuse_masked(X, "X")
        _arrays.refuse_masked(y, "y")
        _arrays.refuse_times(X, "X")
        try:
            checked: tuple[Any, Any] = validate_data(
                self, X, y, accept_sparse="csc", dtype=np.float64, ensure_all_finite=False, **how
            )
        except (TypeError, ValueError):
            sentence = _arrays.text_sentence(X, "X")
            if sentence is None:
                raise
            raise ValueError(sentence) from None
        return checked

    def _limits(self, n_features: int) -> Feasible:
        """The feasible set."""
        names = getattr(self, "feature_names_in_", None)
        return feasible(
            n_features,
            None if names is None else [str(name) for name in names],
            self.positive,
            self.lower,
            self.upper,
            self.exclude,
            self.groups,
            self.group_limit,
        )

    def _weights(self, sample_weight: Any, X: Any) -> Float | None:
        if sample_weight is None:
            return None
        weights: Float = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if not weights.any():
            raise ValueError("every sample weight is zero: at least one must be positive")
        return weights

    def _free(self) -> NDArray[np.int64] | None:
        """The numbers of the free columns."""
        if self.free_columns is None:
            return None
        names = getattr(self, "feature_names_in_", None)
        return _arrays.columns(self.free_columns, self.n_features_in_, None if names is None else [str(name) for name in names])

    def _problem(self, X: Any, y: Float, weights: Float | None, options: dict[str, Any], seconds: float) -> _spgm.Problem:
        return plain_problem(X, y, weights, options, self._free(), seconds=seconds)

    def _start(self, shape: tuple[int, ...]) -> tuple[Any, Any]:
        """Where a warm start begins, or (None, 0)."""
        old = getattr(self, "coef_", None) if self.warm_start else None
        if old is None or old.shape != shape:
            return None, 0.0
        return (old.toarray() if sparse.issparse(old) else old), self.intercept_

    def _design(self, X: Any) -> Any:
        """New rows, checked."""
        check_is_fitted(self)
        if _arrays.stays_in_file(X):
            if X.shape[1] != self.n_features_in_:
                raise ValueError(f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input")
            return X
        if not hasattr(self, "feature_names_in_") and _arrays.is_frame(X):
            X = self._unnamed(X)
        return validate_data(self, X, accept_sparse=["csr", "csc"], dtype=np.float64, reset=False)

    def _unnamed(self, X: Any) -> Any:
        """A frame for a model from a file, which has names for the columns that it uses and no others."""
        results: list[Result] = self.results_ if hasattr(self, "results_") else [self.result_]
        if any(result.names is None for result in results):
            return X
        for result in results:
            _arrays.check_names(X, result.names, result.support)
        return X.to_numpy()

    def _linear(self, X: Any) -> Float:
        """X coef + intercept by the features that matter."""
        return self._scores(self._design(X))

    def _scores(self, X: Any) -> Float:
        """The same of rows that were checked."""
        coef = np.atleast_2d((self.coef_.toarray() if sparse.issparse(self.coef_) else self.coef_)[..., self.support_])
        intercepts = np.atleast_1d(self.intercept_)
        if not sparse.issparse(X):
            return _arrays.scores(X, self.support_, coef, intercepts)
        part = _arrays.by_columns(X[:, self.support_])
        return np.column_stack([_arrays.sum_columns(part, x, float(c)) for x, c in zip(coef, intercepts)])

    def transform(self, X: Any) -> Any:
        """The selected features of X; other columns of a large mapped file are not read."""
        if _arrays.stays_in_file(X):
            return np.asarray(self._design(X)[:, self.support_])
        return super().transform(X)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[self.support_] = True
        return mask

    @property
    def sparse_coef_(self) -> Any:
        """The coefficients as a CSR matrix."""
        check_is_fitted(self)
        return sparse.csr_matrix(self.coef_)

    def sparsify(self) -> Any:
        """Turn `coef_` into a CSR matrix, to save memory."""
        self.coef_ = self.sparse_coef_
        return self

    def densify(self) -> Any:
        """Turn `coef_` back into an array."""
        check_is_fitted(self)
        if sparse.issparse(self.coef_):
            coef = self.coef_.toarray()
            self.coef_ = coef if isinstance(self, ClassifierMixin) else coef[0]
        return self

    @staticmethod
    def _parameters(fields: dict[str, Any]) -> dict[str, Any]:
        """The parameters of an estimator from the options of a model file."""
        options = dict(fields.get("options", {}))
        loss = find_loss(options.pop("loss", "l1"))
        limit = float(options.pop("time_limit", "inf"))
        known = {
            "n_nonzero_coefs": int(fields["sparsity"]),
            "loss": None if loss is None else loss.name,
            "alpha": float(options.pop("ridge", 0.0)),
            "method": options.pop("method", "auto"),
            "fit_intercept": bool(options.pop("intercept", True)),
            "standardize": bool(options.pop("standardize", False)),
            "time_limit": None if limit == float("inf") else limit,
            "effort": options.pop("effort", None) or None,
            "random_state": options.pop("seed", None),
        }
        if loss is not None and loss.parameter is not None and loss.parameter in options:
            known[loss.parameter] = float(options[loss.parameter])
        for key, name in (("free", "free_columns"), ("excluded", "exclude"), ("groups", "groups"), ("group_limit", "group_limit")):
            known.update({name: fields[key]} if fields.get(key) else {})
        for key, none in (("lower", -np.inf), ("upper", np.inf)):
            bound = fields.get(key)
            if bound is not None:
                known[key] = [none if value is None else value for value in bound] if isinstance(bound, list) else bound
        return known

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _more_tags(self) -> dict[str, Any]:  # scikit-learn before 1.6
        return {}


class SparseRegressor(RegressorMixin, _SparseModel):  # type: ignore[misc]
    """Linear regression with at most `n_nonzero_coefs` features, under a loss of your choice.

    Minimises ``alpha/2 ||x||² + sum_i w_i loss(a_i'x + intercept - y_i)`` over all such models.

    Parameters
    ----------
    n_nonzero_coefs : int, default 10
        The largest number of features; the intercept is not counted.
    loss : str, optional
        "absolute_error", "quantile", "huber", "chebyshev", "epsilon_insensitive", "squared_error", "l2": see `spgm.losses`. By default
        "absolute_error", or the loss that `quantile`, `epsilon` or `delta` belongs to if one of these is given.
    quantile : float, optional
        Level of the quantile loss, by default 0.5.
    epsilon : float, optional
        Half width of the zone in which "epsilon_insensitive" is zero, by default 0.1.
    delta : float, optional
        Threshold of "huber", in the units of y, by default 1.35.
    alpha : float, default 0
        Ridge; the intercept is not penalised.
    method : str, default "auto"
        See `spgm.methods`.
    fit_intercept : bool, default True
    standardize : bool, default False
        Scale the columns to equal norm while solving; coefficients stay in the data's units.
    time_limit : float, optional
        Seconds; the best model so far is kept.
    effort : int, optional
        1 to 9: how much "auto" searches. None: 5, or until `time_limit` if it is given.
    random_state : int, RandomState or None
        Seed; None is a fixed seed, so that results are reproducible.
    n_jobs : int, optional
        Threads; None is 1, -1 all cores. The result does not depend on it.
    warm_start : bool, default False
        Start from the coefficients of the last fit.
    verbose : int, default 0
        1: a live line on a terminal.
    options : dict, optional
        Any other option of the library by name: see `spgm.options`.
    positive : bool, default False
        No coefficient is negative; the intercept may be.
    lower, upper : float, array of shape (n_features,) or dict, optional
        Bounds on the coefficients: one for all, one for each, or by column number or feature name for some; lower <= 0 <= upper.
    exclude : list of int or str, or mask of shape (n_features,), optional
        Features that are never in the model.
    groups : array of shape (n_features,), dict or list of lists, optional
        The group of each feature, any labels (None, negative or "" for none), for all or by column number or feature name for some; or the
        features of each group, as in ``[["age", "age2"], [4, 5]]``. `n_nonzero_coefs` then counts groups.
    group_limit : int, optional
        `n_nonzero_coefs` counts features, and at most `group_limit` of each group are in the model, free ones included.
    free_columns : list of int or str, or mask of shape (n_features,), optional
        Features that are always in the model and not counted.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
        `sparsify` turns it into a CSR matrix; `sparse_coef_` is one.
    intercept_ : float
    support_ : array of int
        Features in the model.
    objective_ : float
        The sum that was minimised, recomputed from the data.
    n_iter_ : int
    outcome_ : str
        Why the run stopped.
    result_ : Result
        The full result, with `plot`.
    n_features_in_ : int
    feature_names_in_ : array of str
        When X has names.

    Examples
    --------
    >>> import numpy as np
    >>> from spgm import SparseRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 50))
    >>> y = 3 * X[:, 7] - 2 * X[:, 23] + 0.1 * rng.normal(size=100)
    >>> y[:5] += 100                                       # outliers
    >>> model = SparseRegressor(n_nonzero_coefs=2).fit(X, y)
    >>> model.support_
    array([ 7, 23])
    >>> model.coef_[model.support_].round(1)
    array([ 3., -2.])
    """

    def __init__(
        self,
        n_nonzero_coefs: int = 10,
        *,
        loss: str | None = None,
        quantile: float | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
        alpha: float = 0.0,
        method: str = "auto",
        fit_intercept: bool = True,
        standardize: bool = False,
        time_limit: float | None = None,
        effort: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
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

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> SparseRegressor:
        """Fit the model.

        Parameters
        ----------
        X : array, sparse matrix or frame of shape (n_samples, n_features)
            Fortran-ordered float64 and CSC are used in place; anything else is copied, which counts in the time limit.
        y : array of shape (n_samples,)
        sample_weight : array of shape (n_samples,), optional
            For the losses that are sums over samples.
        """
        began = time.perf_counter()
        X, y = self._checked(X, y, y_numeric=True)
        self._fit(X, _arrays.vector(y, "y", beside=X), self._weights(sample_weight, X), self._budget(X.shape[1]), began)
        return self

    def _fit(self, X: Any, y: Float, sample_weight: Any, s: int, began: float) -> None:
        """What has passed since it began counts in the time limit."""
        options = self._options()
        matrix = _arrays.matrix(X, "X")[0]
        problem = self._problem(matrix, _arrays.vector(y, "y"), sample_weight, options, time.perf_counter() - began)
        self._limits(X.shape[1]).apply(problem)
        start, intercept = self._start((X.shape[1],))
        after = _arrays.seconds_afterwards(matrix, s)
        result = run(problem, X.shape[1], s, options, start, intercept, verbose=self.verbose, afterwards=after)
        result.deviations = _arrays.deviations(matrix, result.support)
        self._keep(result)

    def _keep(self, result: Result) -> None:
        names = getattr(self, "feature_names_in_", None)
        result.names = result.names if names is None else list(names)
        self.result_ = result
        self.coef_ = result.coef
        self.intercept_ = result.intercept
        self.support_ = result.support
        self.objective_ = result.objective
        self.n_iter_ = result.iterations
        self.outcome_ = result.outcome

    def save(
        self, path: str | os.PathLike[str], *, target: str | None = None, data: Data | None = None, reproducible: bool = False
    ) -> None:
        """Write a model file, which `spgm predict` and `load` read; see `Result.save`."""
        check_is_fitted(self)
        self.result_.save(path, target=target, data=data, reproducible=reproducible)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> SparseRegressor:
        """A fitted estimator from a model file of this package or of `spgm fit`.

        Categories are columns of zeros and ones, as `spgm.read` makes them from the same table.
        """
        result, fields = _model.read(path)
        if "labels" in fields:
            raise ValueError(f"{os.fspath(path)} holds a model of labels: use SparseClassifier.load")
        estimator = SparseRegressor(**SparseRegressor._parameters(fields))
        estimator.n_features_in_ = result.coef.size
        estimator._keep(result)
        return estimator

    def predict(self, X: Any) -> Float:
        """X coef_ + intercept_."""
        return self._linear(X).reshape(-1)

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """D²: the share of the loss of the best constant that the model explains, under its own loss.

        It is 1 - loss(y, predict(X)) / loss(y, best constant for these y): R² for "squared_error", `d2_absolute_error_score` for
        "absolute_error", `d2_pinball_score` for "quantile". 1 is perfect, 0 is a constant, and it may be negative.
        """
        prediction = np.asfortranarray(self.predict(X).reshape(-1, 1))
        target = np.ascontiguousarray(y, dtype=np.float64).reshape(-1)
        if target.size < 2:
            warnings.warn("the score is not defined with less than two samples.", UndefinedMetricWarning, stacklevel=2)
            return float("nan")
        options = {**self._judging(), "ridge": 0.0, "ridge_scale": None, "intercept": True, "standardize": False, "time_limit": None, "method": "auto"}
        problem = _spgm.Problem(_arrays.matrix(prediction, "X")[0], target, options)
        if sample_weight is not None:
            problem.weights(np.ascontiguousarray(sample_weight, dtype=np.float64))
        own = problem.evaluate(np.ones(1), 0.0)[1]
        constant = run(problem, 1, 0, options, None, 0.0).loss_value
        if constant == 0 or np.ptp(target) == 0:
            return 1.0 if own == 0 else 0.0
        return float(1 - own / constant)


class SparseClassifier(ClassifierMixin, _SparseModel):  # type: ignore[misc]
    """Linear classification with at most `n_nonzero_coefs` features: a sparse support vector machine or logistic regression.

    Minimises ``alpha/2 ||x||² + sum_i w_i loss(y_i (a_i'x + intercept))``. With more than two classes there is one model
    for each class against the rest, each with its own features. Under hinge losses the scores of different classes are not
    comparable, so the intercepts are then adjusted together to maximise the likelihood of the softmax of the scores.

    Parameters
    ----------
    n_nonzero_coefs : int, default 10
        The largest number of features in each model.
    loss : str, default "hinge"
        "hinge", "squared_hinge" or "logistic" ("log_loss"), which also gives `predict_proba`.
    alpha : float, default 1
        Ridge. The default corresponds to a support vector machine with C = 1; `spgm fit` has the same default for these losses.
        If the features separate the classes, many models have loss 0, and the ridge selects the one with the widest margin.
    class_weight : dict or "balanced", optional
        Weights of the classes, which multiply those of the samples; "balanced" gives every class the same total weight.
    method, fit_intercept, standardize, time_limit, effort, random_state, n_jobs, warm_start, verbose, options
        As in `SparseRegressor`; the time limit holds for each class.
    positive, lower, upper, exclude, groups, group_limit, free_columns
        As in `SparseRegressor`, for each class.

    Attributes
    ----------
    classes_ : array
        The labels.
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
    intercept_ : array of shape (1,) or (n_classes,)
    support_ : array of int
        Features in any of the models.
    objective_ : float
        The sum that was minimised, over all models, before their intercepts were adjusted.
    n_iter_ : int
        The largest number of iterations of a model.
    outcome_ : str or list of str
        Why the run stopped; with more than two classes a list with one entry for each.
    results_ : list of Result

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from spgm import SparseClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SparseClassifier(n_nonzero_coefs=2, standardize=True).fit(X, y)
    >>> model.score(X, y) > 0.85
    True
    >>> (model.coef_ != 0).sum(axis=1)
    array([2, 2, 2])
    """

    def __init__(
        self,
        n_nonzero_coefs: int = 10,
        *,
        loss: str = "hinge",
        alpha: float = 1.0,
        class_weight: Any = None,
        method: str = "auto",
        fit_intercept: bool = True,
        standardize: bool = False,
        time_limit: float | None = None,
        effort: int | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
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

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> SparseClassifier:
        """Fit one model, or one for each class; see `SparseRegressor.fit`."""
        began = time.perf_counter()
        X, y = self._checked(X, y)
        weights = self._class_weights(y, self._weights(sample_weight, X))
        self._fit(X, self._targets(X, y, weights), weights, self._budget(X.shape[1]), began)
        return self

    def _class_weights(self, y: Any, weights: Float | None) -> Float | None:
        """The weights of the samples times those of their classes."""
        if self.class_weight is None:
            return weights
        if weights is not None and isinstance(self.class_weight, str):  # a sample without weight is none
            there = weights > 0
            by_class = np.zeros_like(weights)
            by_class[there] = compute_sample_weight(self.class_weight, y[there])
        else:
            by_class = compute_sample_weight(self.class_weight, y)
        return np.asarray(by_class if weights is None else by_class * weights, dtype=np.float64)

    def _targets(self, X: Any, y: Any, sample_weight: Any) -> list[Float]:
        """+1 and -1 for each model. A class without weight is none."""
        check_classification_targets(_arrays.distinct(y) if _arrays.stays_in_file(X) else y)
        self.classes_ = _arrays.distinct(y if sample_weight is None else y[sample_weight != 0])
        count = len(self.classes_)
        if count < 2:
            raise ValueError(f"the number of classes must be at least two, but y has {count} class")
        return [_arrays.signs(y, label, X) for label in (self.classes_[1:] if count == 2 else self.classes_)]

    def _fit(self, X: Any, targets: list[Float], sample_weight: Any, s: int, began: float) -> None:
        options = self._options()
        matrix = _arrays.matrix(X, "X")[0]
        if len(targets) > 1 and isinstance(matrix, np.ndarray):
            matrix = _arrays.by_columns_once(matrix)
        start, intercept = self._start((len(targets), X.shape[1]))
        seconds = time.perf_counter() - began
        results = []
        for k, target in enumerate(targets):
            name = f"class {self.classes_[k:k + 1].tolist()[0]!r}: " if len(targets) > 1 else ""
            problem = self._problem(matrix, target, sample_weight, options, seconds)
            self._limits(X.shape[1]).apply(problem)
            x, c = (None, 0.0) if start is None else (start[k], intercept[k])
            after = _arrays.seconds_afterwards(matrix, s)
            results.append(run(problem, X.shape[1], s, options, x, c, verbose=self.verbose, label=name, afterwards=after))
            results[-1].deviations = _arrays.deviations(matrix, results[-1].support)
        self._keep(results)
        if len(targets) > 1:
            self._balance(X, targets, sample_weight)

    def _balance(self, X: Any, targets: list[Float], sample_weight: Any) -> None:
        """Move the intercepts of the classes together, where nothing in the fits makes their scores comparable."""
        loss = find_loss(self.loss)
        if loss is None or loss.has_probability or not self.fit_intercept:
            return
        shifts = np.zeros(len(targets))
        weights = None if sample_weight is None else np.ascontiguousarray(sample_weight, dtype=np.float64)
        # a sample of a class without weight is in none: weight 0, any class
        classes = np.ascontiguousarray(np.argmax(targets, axis=0), dtype=np.int64)
        _spgm.class_shifts(np.ascontiguousarray(self._scores(X)).reshape(-1), classes, weights, shifts)
        for result, shift in zip(self.results_, shifts):
            result.intercept += float(shift)
        self._keep(self.results_)

    def _keep(self, results: list[Result]) -> None:
        names = getattr(self, "feature_names_in_", None)
        for result in results:
            result.names = result.names if names is None else list(names)
        self.results_ = results
        self.coef_ = np.array([result.coef for result in results])
        self.intercept_ = np.array([result.intercept for result in results])
        self.support_ = np.flatnonzero(self.coef_.any(axis=0))
        self.objective_ = float(sum(result.objective for result in results))
        self.n_iter_ = max(result.iterations for result in results)
        outcomes = [result.outcome for result in results]
        self.outcome_ = outcomes[0] if len(outcomes) == 1 else outcomes

    def save(
        self, path: str | os.PathLike[str], *, target: str | None = None, data: Data | None = None, reproducible: bool = False
    ) -> None:
        """Write a model file, which `spgm predict` and `load` read; see `Result.save`."""
        check_is_fitted(self)
        is_number = np.asarray(self.classes_).dtype.kind in "biuf"
        names = None if is_number else [str(label) for label in self.classes_]
        labels = [float(label) for label in (self.classes_ if is_number else range(len(self.classes_)))]
        how: dict[str, Any] = {"target": target, "data": data, "reproducible": reproducible}
        if len(self.results_) == 1:
            fields = _model.fields_of(self.results_[0], labels=labels, label_names=names, **how)
        else:
            fields = _model.combine(self.results_, labels, names, **how)
        if self.class_weight is not None:  # so that a model that is loaded is fitted again as it was made
            given = self.class_weight
            pairs = [] if isinstance(given, str) else [[key.item() if isinstance(key, np.generic) else key, float(w)] for key, w in given.items()]
            fields["class_weight"] = pairs or given
        _model.write(path, fields)

    @staticmethod
    def load(path: str | os.PathLike[str]) -> SparseClassifier:
        """A fitted estimator from a model file of this package or of `spgm fit`; see `SparseRegressor.load`."""
        fields = _model.load(path)
        parts = fields.get("models", [fields])
        if "labels" not in parts[0]:
            raise ValueError(f"{os.fspath(path)} holds no labels: use SparseRegressor.load")
        results = [_model.read(path, part)[0] for part in parts]
        estimator = SparseClassifier(**SparseClassifier._parameters(parts[0]))
        weight = fields.get("class_weight")
        estimator.class_weight = {label: value for label, value in weight} if isinstance(weight, list) else weight
        key = "class" if "models" in fields else "label"
        plural = {"class": "classes", "label": "labels"}[key]
        numbers_of = np.array(fields[plural])
        if all(float(label).is_integer() for label in fields[plural]):
            numbers_of = numbers_of.astype(np.int64)
        estimator.classes_ = np.array(fields[f"{key}_names"]) if f"{key}_names" in fields else numbers_of
        estimator.n_features_in_ = results[0].coef.size
        estimator._keep(results)
        return estimator

    def decision_function(self, X: Any) -> Float:
        """Signed distance from the boundary, up to scale: (n_samples,) for two classes, else one column for each."""
        scores = self._linear(X)
        return scores.reshape(-1) if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """The label with the highest score."""
        scores = self.decision_function(X)
        chosen = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[chosen])

    def _check_probabilities(self) -> bool:
        loss = find_loss(self.loss)
        if loss is None or not loss.has_probability:
            raise AttributeError(
                f"loss {self.loss!r} gives no probabilities: use loss='logistic', or wrap the model in CalibratedClassifierCV"
            )
        return True

    @available_if(_check_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Float:
        """The probability of each class. With more than two classes: those of the models of one class against the rest, scaled to sum to 1."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    @available_if(_check_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Float:
        """The logarithm of `predict_proba`, finite however far a sample is from the boundary."""
        scores = self._linear(X)
        if scores.shape[1] == 1:
            return np.asarray(log_expit(np.hstack([-scores, scores])))
        return np.asarray(log_softmax(log_expit(scores), axis=1))
