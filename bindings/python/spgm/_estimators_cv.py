"""Estimators that choose the number of features themselves."""

from __future__ import annotations

import contextlib
import numbers
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import check_cv

from . import _arrays, _spgm
from ._arrays import Float
from ._elsewhere import Recipe
from ._estimators import SparseClassifier, SparseRegressor, plain_problem
from ._path import CrossValidation, ridge_list, run_cross_validation
from ._solve import Result
from ._tables import CANDIDATES, PARAMETERS, settle


def _fold_of_row(splits: Any, rows: int) -> NDArray[np.int64]:
    """The fold of each row, from (train, test) pairs whose test sets are a partition."""
    folds = np.full(rows, -1, dtype=np.int64)
    for number, (_, test) in enumerate(splits):
        index = np.asarray(test)
        if (folds[index] >= 0).any():
            raise ValueError("cv must put every sample into exactly one test set, but some are in two")
        folds[index] = number
    if (folds < 0).any():
        raise ValueError("cv must put every sample into exactly one test set, but some are in none")
    return folds


def _stratified(y: NDArray[Any], folds: int, seed: int | None) -> NDArray[np.int64]:
    """Folds drawn so that every class is spread over as many of them as it can be."""
    shuffled = np.random.default_rng(1 if seed is None else seed).permutation(y.size)
    fold_of_row = np.empty(y.size, dtype=np.int64)
    fold_of_row[shuffled[np.argsort(y[shuffled], kind="stable")]] = np.arange(y.size) % folds
    return fold_of_row


def _chosen_loss(found: dict[str, CrossValidation]) -> str:
    """The loss between the others, the one with a parameter, unless another is lower by more than one standard error of the difference, fold by fold."""
    at = {loss: int(np.nanargmin(cross.mean)) for loss, cross in found.items()}
    means = {loss: float(cross.mean[at[loss]]) for loss, cross in found.items()}
    middle = PARAMETERS["delta"]
    if middle not in found:
        return min(means, key=lambda loss: means[loss])
    folds = int(found[middle].fold_of_row.max()) + 1  # of one split: further ones of the same rows tell nothing new of the population
    better = [middle]
    for loss, cross in found.items():
        below = found[middle].losses[at[middle]] - cross.losses[at[loss]]
        below = below[~np.isnan(below)]  # folds that both had time for
        if below.size > 1 and below.mean() > below.std(ddof=1) / np.sqrt(folds):
            better.append(loss)
    return min(better, key=lambda loss: means[loss])


class _ChoosesBudget:
    """What both estimators share: the list of s, the ridges, the folds, the rule."""

    warm_start = False
    cross_validation_: CrossValidation
    _recipe: Recipe  # of the last cross-validation, while a fit goes on

    def _ridges(self: Any) -> Float | None:
        """The ridges to choose from; None: one is given."""
        if isinstance(self.alphas, numbers.Real):
            return None
        if self.alphas is None:
            raise ValueError("alphas is None: it must be 'auto', a number or a list of numbers")
        return ridge_list(self.alphas)

    def _has_chosen(self: Any) -> bool:
        """Whether the folds have been searched, so that what follows is the last fit; `_choose` begins anew."""
        return hasattr(self, "alpha_")

    def _ridge(self: Any) -> dict[str, Any]:
        """The ridge of a fit: the one that was chosen, once it is."""
        if isinstance(self.alphas, numbers.Real):
            return {"ridge": self.alphas}
        if not self._has_chosen():
            return {}
        return {"ridge": self.alpha_, **({"ridge_scale": "deviation"} if isinstance(self.alphas, str) else {})}

    def _effort(self: Any) -> Any:
        """Of the folds, which are searched quickly unless one is given; then of the last fit."""
        is_open = self.effort is None and self.time_limit is None and self._has_chosen()
        return _spgm.CV_EFFORT if is_open else self.effort

    @contextlib.contextmanager
    def _clock(self: Any, began: float, targets: int = 1, losses: int = 1) -> Iterator[None]:
        """The time limit is that of all since it began: checks, folds with so many losses, and last fits with so many targets."""
        self._shares = began, time.perf_counter(), targets, losses
        try:
            yield
        finally:
            del self._shares
            for name in ("_recipe", "_problems", "_drawn"):
                self.__dict__.pop(name, None)

    def _limit(self: Any) -> float | None:
        """Of a cross-validation, then of a last fit, which has what the folds leave, and its share at least."""
        if self.time_limit is None or not hasattr(self, "_shares"):
            return None if self.time_limit is None else float(self.time_limit)
        limit = float(self.time_limit)
        began, checked, targets, losses = self._shares
        if not self._has_chosen():
            left = limit - (float(checked) - float(began))
            return (1 - _spgm.CV_FIT_SHARE) * max(left, _spgm.CV_FIT_SHARE * limit) / float(losses)
        return max(limit - (time.perf_counter() - float(began)), _spgm.CV_FIT_SHARE * limit) / float(targets)

    def _budgets(self: Any, n_features: int) -> NDArray[np.int64] | None:
        wanted = self.n_nonzero_coefs
        if wanted is None:
            return None
        values = np.arange(1, int(wanted) + 1) if isinstance(wanted, numbers.Integral) else np.unique(np.asarray(wanted))
        if values.ndim != 1 or values.size == 0 or values.dtype.kind not in "iu":
            raise ValueError(f"n_nonzero_coefs must be a positive integer or a list of integers, not {wanted!r}")
        if values[0] < 0:
            raise ValueError(f"n_nonzero_coefs has {values[0]}: every entry must be at least 0")
        if values[-1] > n_features:
            warnings.warn(f"n_nonzero_coefs goes beyond n_features={n_features}: larger values are left out.", stacklevel=3)
        return np.unique(np.minimum(values, n_features)).astype(np.int64)

    def _folds(self: Any, X: Any, y: Any, groups: Any, classes: int) -> NDArray[np.int64] | None:
        """The fold of each row, or None when the library shall draw them."""
        cv = 5 if self.cv is None else self.cv
        if isinstance(cv, numbers.Integral):
            if cv < 2:
                raise ValueError(f"cv is {cv}: there must be at least 2 folds")
            if cv > X.shape[0]:
                raise ValueError(f"cannot make {cv} folds from n_samples={X.shape[0]}")
            if classes <= 2:
                return None
            return _stratified(y, int(cv), self._seed())
        return _fold_of_row(check_cv(cv).split(X, y, groups), X.shape[0])

    def _choose(self: Any, X: Any, targets: list[Float], weights: Float | None, folds: Any, judge: dict[str, Any] | None = None) -> int:
        """Cross-validate and return the s of the rule; alpha_ is its ridge. `judge` are options with the loss that judges, and the seed."""
        rule = self._table_rule()
        if rule not in ("min", "1se", "shrunk"):
            raise ValueError(f"rule is {self.rule!r}: it must be 'min', '1se' or 'shrunk'")
        ridges = self._ridges()
        if self._has_chosen():
            del self.alpha_
        options = self._options()
        if folds is None:
            options["folds"] = 5 if self.cv is None else int(self.cv)
        if judge is not None:
            options["seed"] = judge["seed"]
        rows = None
        if weights is not None and not weights.all():  # a sample without weight is none
            rows = np.flatnonzero(weights)
            weights, X, folds = weights[rows], X[rows], None if folds is None else _numbered(folds[rows])
        matrix, _, columns = _arrays.matrix(X, "X")
        if (len(targets) > 1 or judge is not None) and isinstance(matrix, np.ndarray):
            matrix = _arrays.by_columns_once(matrix)
        limits, free = self._limits(columns), self._free()
        targets = [np.ascontiguousarray(target if rows is None else target[rows]) for target in targets]
        self._recipe = Recipe(
            plain_problem,
            [(matrix, target, weights, options, free, limits) for target in targets],
            None if judge is None else (matrix, targets[0], weights, judge, free, limits),
        )
        self.cross_validation_ = run_cross_validation(
            self._recipe,
            X.shape[0],
            self._budgets(columns),
            options,
            folds,
            verbose=self.verbose,
            ridges=ridges,
            n_jobs=self.n_jobs,
        )
        self.n_nonzero_coefs_, self.alpha_ = self.cross_validation_.choices[rule]
        return int(self.n_nonzero_coefs_)

    def _settled_rule(self: Any) -> Any:
        """The rule that was given, or the one that is taken where none is."""
        return self.rule

    def _table_rule(self: Any) -> Any:
        """The rule that picks from the table."""
        return self._settled_rule()

    def _record_choice(self: Any, results: list[Result]) -> None:
        """In the words of `spgm cv`, for the model file."""
        cross = self.cross_validation_
        rules = {
            "min": "the lowest mean loss",
            "1se": "the smallest s within one standard error of the lowest mean loss",
            "shrunk": "the largest ridge within one standard error of the lowest mean loss",
            "projected": "few columns, by squares, for what the mean of the models next to the lowest mean loss predicts; it minimises no F of the data",
        }
        folds = int(cross.fold_of_row.max()) + 1
        repeats = cross.losses.shape[1] // folds
        times = f", repeated {repeats} times" if repeats > 1 else ""
        done = int((~np.isnan(cross.losses)).any(axis=0).sum())
        times += f", of which {done} were done," if done < cross.losses.shape[1] else ""
        grid = f" and {len(cross.ridges)} ridges" if len(cross.ridges) > 1 else ""
        for result in results:
            result.options = {**(result.options or {}), "rule": self._settled_rule()}
            result.record["chosen"] = (
                f"cross-validation with {folds} folds{times} over s = {cross.sparsity[0]} to "
                f"{cross.sparsity[-1]}{grid}{self._losses_text()}: {rules[self._settled_rule()]}"
            )

    def _losses_text(self) -> str:
        """Which losses there were to choose from, where the loss is chosen."""
        return ""


def _numbered(folds: NDArray[np.int64]) -> NDArray[np.int64]:
    """The folds that are left, numbered without gaps."""
    return np.unique(folds, return_inverse=True)[1].reshape(-1).astype(np.int64)


_PARAMETERS = """
    Parameters
    ----------
    n_nonzero_coefs : list of int or int, optional
        Numbers of features to try; an integer k means 1 to k. By default from 0 on as long as the loss falls.
    alphas : "auto", float or list of float, default "auto"
        Ridges to try. "auto" tries values in proportion to the data, from one that shrinks every coefficient down to none (classes: next to none). They act on
        columns divided by their standard deviations (option ``ridge_scale="deviation"``), so units do not matter. A single number is used as it is.
    cv : int, splitter or list of splits, optional
        The number of folds (5), or any splitter of scikit-learn that puts every sample into exactly one test set.
"""


class SparseRegressorCV(_ChoosesBudget, SparseRegressor):
    """`SparseRegressor` that chooses the number of features and the ridge by cross-validation.
    {parameters}
    rule : {"min", "1se", "shrunk", "projected"}, optional
        "min": the lowest mean loss. "1se": the smallest model within one standard error of it. "shrunk": the size of "min", with the largest ridge within
        one standard error. "projected": few columns that predict, by least squares, what an average of good models predicts. It is the default if the loss
        is left open and nothing restricts the model; otherwise "min" is.
        The average of "projected" is over twenty models near the lowest mean loss, each fitted without one of the folds, and ridge regression and
        Huber's loss on all columns, weighted by how well these do beside them. Few columns cost 0.1 % of the error for each feature there is, at most 1.25 %,
        or 1 % with more than half as many features as samples. With at least as many features as samples the least-squares problem
        has a ridge, `alpha_`, and a linear term, which draw the coefficients to those of the average. The model minimises no loss of the data; `objective_` is that of the least-squares problem.
    loss : str, optional
        As in `SparseRegressor`, or "auto": one of "absolute_error", "huber" and "squared_error", compared by their cross-validated absolute error. "huber" is
        taken unless another one is lower by more than one standard error of the difference. The threshold of "huber" is the lowest cross-validated absolute
        error of "absolute_error". `score` then uses the absolute error.
        "auto" is the default if ``alphas="auto"`` and none of `quantile`, `epsilon` and `delta`, which select their own loss, is given.
        Ridges given as numbers are in the units of one loss; with them the default is "absolute_error".
    quantile, epsilon, delta, method, fit_intercept, standardize, time_limit, effort, random_state, n_jobs, verbose, options
        As in `SparseRegressor`. The time limit holds for the folds and the last fit together.
        With `n_jobs`, or inside ``joblib.parallel_config``, joblib runs the folds: on threads, or by the backend given there ("loky", "dask", "ray").
    positive, lower, upper, exclude, groups, group_limit, free_columns
        As in `SparseRegressor`.

    Attributes
    ----------
    n_nonzero_coefs_ : int
        The number of features chosen.
    alpha_ : float
        The ridge chosen.
    loss_ : str
        The loss that was minimised, and `delta_` its threshold if it is "huber".
    cross_validation_ : CrossValidation
        Losses for each number and ridge, with `plot`.
    cross_validations_ : dict
        If the loss was chosen: the cross-validation of each loss, by its name.
    coef_, intercept_, support_, objective_, n_iter_, outcome_, result_
        Those of the model of all samples, as in `SparseRegressor`.

    Examples
    --------
    >>> import numpy as np
    >>> from spgm import SparseRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 20))
    >>> y = 3 * X[:, 7] - 2 * X[:, 13] + 0.3 * rng.standard_t(2, size=100)
    >>> SparseRegressorCV(n_nonzero_coefs=6, rule="1se").fit(X, y).support_
    array([ 7, 13])
    """

    def __init__(
        self,
        n_nonzero_coefs: Any = None,
        *,
        alphas: Any = "auto",
        cv: Any = None,
        rule: str | None = None,
        loss: str | None = None,
        quantile: float | None = None,
        epsilon: float | None = None,
        delta: float | None = None,
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

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> SparseRegressorCV:
        """Choose the number of features and the ridge, then fit on all samples; `groups` are for the splitter."""
        began = time.perf_counter()
        X, y = self._checked(X, y, y_numeric=True)
        target = _arrays.vector(y, "y", beside=X)
        weights = self._weights(sample_weight, X)
        folds = self._folds(X, y, groups, 0)
        self._forget_loss()
        self._check_projection()
        with self._clock(began, losses=len(CANDIDATES) if self._chooses_loss() else 1):
            s = self._choose_loss(X, target, weights, folds) if self._chooses_loss() else self._choose(X, [target], weights, folds)
            if self._settled_rule() == "projected":
                target, s = self._project_squares(weights)
            self._fit(X, target, weights, s, time.perf_counter())
        self.loss_ = str((self.result_.options or {})["loss"])
        self._record_choice([self.result_])
        return self

    def _chooses_loss(self) -> bool:
        """Whether the loss is "auto", or left open by all that was given."""
        if self.loss is not None:
            return bool(self.loss == "auto")
        given = {**{name: getattr(self, name, None) for name in PARAMETERS}, **(self.options or {})}
        settles = any(given.get(name) is not None for name in ("loss", *PARAMETERS))
        return isinstance(self.alphas, str) and not settles

    def _forget_loss(self) -> None:
        for name in ("loss_", "delta_", "cross_validations_"):
            if hasattr(self, name):
                delattr(self, name)

    def _loss(self) -> tuple[str | None, dict[str, Any]]:
        if not self._chooses_loss() or not hasattr(self, "loss_"):
            return self.loss, {}
        return self.loss_, {"delta": self.delta_} if hasattr(self, "delta_") else {}

    def _judging(self) -> dict[str, Any]:
        options = self._options()
        return settle({k: v for k, v in options.items() if k not in ("loss", *PARAMETERS)}, CANDIDATES[0]) if self._chooses_loss() else options

    def _choose_loss(self, X: Any, target: Float, weights: Float | None, folds: Any) -> int:
        """The loss by the absolute error of its models outside the folds; the same folds for all."""
        settle({name: getattr(self, name) for name in PARAMETERS if hasattr(self, name)}, self.loss)  # none of them may be given
        found: dict[str, tuple[int, CrossValidation, float, float | None]] = {}
        self._problems: dict[str, _spgm.Problem] = {}
        for loss in CANDIDATES:
            self._forget_loss()
            self.loss_ = loss
            if PARAMETERS.get("delta") == loss:
                self.delta_ = float(np.nanmin(found[CANDIDATES[0]][1].mean))
            if not found:
                judge = self._judging()
            s = self._choose(X, [target], weights, folds, judge)
            if found and not self.cross_validation_.is_whole:
                break  # means over some folds cannot be compared with those over all
            found[loss] = s, self.cross_validation_, self.alpha_, getattr(self, "delta_", None)
            self._problems[loss] = self._recipe.problems()[0]
            if self.cross_validation_.is_perfect or not self.cross_validation_.is_whole:
                break
        self._forget_loss()
        self.loss_ = _chosen_loss({loss: kept[1] for loss, kept in found.items()})
        self.n_nonzero_coefs_, self.cross_validation_, self.alpha_, delta = found[self.loss_]
        if delta is not None:
            self.delta_ = delta
        self.cross_validations_ = {loss: kept[1] for loss, kept in found.items()}
        return int(self.n_nonzero_coefs_)

    def _settled_rule(self) -> Any:
        is_open = self._chooses_loss() and self._restriction() is None
        return self.rule if self.rule is not None else "projected" if is_open else "min"

    def _table_rule(self) -> Any:
        rule = self._settled_rule()
        return "min" if rule == "projected" else rule

    def _check_projection(self) -> None:
        if self.rule != "projected":
            return
        if not self._chooses_loss():
            raise ValueError("rule='projected' takes the mean of models under several losses: leave the loss open, and alphas at 'auto'")
        if self._restriction() is not None:
            raise ValueError(f"rule='projected' knows no restrictions: leave {self._restriction()} out, or take rule='min'")

    def _restriction(self) -> str | None:
        """The first parameter that restricts the model."""
        names = [n for n in ("lower", "upper", "exclude", "groups", "free_columns") if getattr(self, n) is not None]
        return [*names, *["positive"] * bool(self.positive), None][0]

    def _project(self, tables: list[tuple[CrossValidation, _spgm.Problem]], weights: Float | None) -> tuple[Float, int, float]:
        """The target of squares that stand for the mean of the best models, how many columns, and their ridge; the options are those of the squares that follow."""
        cells = [
            (number, int(s), float(ridge), float(cross.grid[k, i]))
            for number, (cross, _) in enumerate(tables)
            for k, ridge in enumerate(cross.ridges)
            for i, s in enumerate(cross.sparsity)
        ]
        which, sparsities, ridges, losses = (np.array(column) for column in zip(*cells))
        problems = tuple(problem for _, problem in tables)
        folds = tables[0][0].fold_of_row
        options = self._options()
        if options["time_limit"] is not None:
            options["time_limit"] /= 2  # the last fit has the other half
        found, linear = np.empty(folds.size), np.empty(int(self.n_features_in_))
        s, ridge = problems[0].project(
            problems, which, sparsities, ridges, isinstance(self.alphas, str), losses, int(folds.max()) + 1, folds, options, None, found, linear
        )
        self._drawn = linear if ridge > 0 else None
        if weights is None or weights.all():
            return found, s, ridge
        target = np.zeros(weights.size)  # of samples without weight it does not matter
        target[weights != 0] = found
        return target, s, ridge

    def _problem(self, X: Any, y: Float, weights: Float | None, options: dict[str, Any], seconds: float) -> _spgm.Problem:
        problem = super()._problem(X, y, weights, options, seconds)
        if getattr(self, "_drawn", None) is not None:
            problem.linear(self._drawn)
        return problem

    def _project_squares(self, weights: Float | None) -> tuple[Float, int]:
        """The target of the squares that stand for the mean, and the number of features; the loss and the ridge become theirs."""
        self.loss_, self.alpha_ = CANDIDATES[-1], 0.0
        if hasattr(self, "delta_"):
            del self.delta_
        tables = [(cross, self._problems[loss]) for loss, cross in self.cross_validations_.items()]
        target, self.n_nonzero_coefs_, self.alpha_ = self._project(tables, weights)
        return target, int(self.n_nonzero_coefs_)

    def _losses_text(self) -> str:
        return f" and the losses {', '.join(self.cross_validations_)}" if self._chooses_loss() else ""


class SparseClassifierCV(_ChoosesBudget, SparseClassifier):
    """`SparseClassifier` that chooses the number of features and the ridge by cross-validation, the same for every class.
    {parameters}
    rule : {"min", "1se", "shrunk"}, default "min"
        "min": the lowest mean loss. "1se": the smallest model within one standard error of it. "shrunk": the size of "min", with the largest ridge within
        one standard error.
    loss : str, default "logistic"
        As in `SparseClassifier`. On generated data the logistic loss chose better models than "hinge", in half the time.
    class_weight, method, fit_intercept, standardize, time_limit, effort, random_state, n_jobs, verbose, options
        As in `SparseClassifier`. The time limit holds for the folds and the last fits together.
        With `n_jobs`, or inside ``joblib.parallel_config``, joblib runs the folds: on threads, or by the backend given there ("loky", "dask", "ray").
    positive, lower, upper, exclude, groups, group_limit, free_columns
        As in `SparseRegressor`, for each class.

    Attributes
    ----------
    n_nonzero_coefs_ : int
        The number of features chosen.
    alpha_ : float
        The ridge chosen.
    cross_validation_ : CrossValidation
        Losses for each number and ridge (the mean over classes), with `plot`.
    classes_, coef_, intercept_, support_, objective_, n_iter_, outcome_, results_
        Those of the models of all samples, as in `SparseClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from spgm import SparseClassifierCV
    >>> X = np.random.default_rng(0).normal(size=(120, 15))
    >>> y = np.where(X[:, 2] + X[:, 9] > 0, "yes", "no")
    >>> SparseClassifierCV(n_nonzero_coefs=4, rule="1se").fit(X, y).support_
    array([2, 9])
    """

    def __init__(
        self,
        n_nonzero_coefs: Any = None,
        *,
        alphas: Any = "auto",
        cv: Any = None,
        rule: str = "min",
        loss: str = "logistic",
        class_weight: Any = None,
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

    def fit(
        self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> SparseClassifierCV:
        """Choose the number of features and the ridge, then fit on all samples; `groups` are for the splitter."""
        began = time.perf_counter()
        X, y = self._checked(X, y)
        weights = self._class_weights(y, self._weights(sample_weight, X))
        targets = self._targets(X, y, weights)
        folds = self._folds(X, y, groups, len(self.classes_))
        with self._clock(began, targets=len(targets)):
            s = self._choose(X, targets, weights, folds)
            self._fit(X, targets, weights, s, time.perf_counter())
        self._record_choice(self.results_)
        return self


for _class in (SparseRegressorCV, SparseClassifierCV):
    if _class.__doc__:
        _class.__doc__ = _class.__doc__.replace("    {parameters}\n", _PARAMETERS)
