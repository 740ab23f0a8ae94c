"""Out-of-sample loss on real data: spgm with s chosen by cross-validation against what scikit-learn has.

    python3 bench/real_data.py [--data ../shared/data] [--sets barro,trim32] [--quantile 0.5] [--methods spgm,Lasso] [--splits 5] [--seed 0] [--jobs 2]

prints the tables of docs/real-data.md; Python needs spgm (`pip install .`) and scikit-learn. For every data set the rows are split
at random into three quarters to learn from and one quarter to judge by, several times, and every method sees the same splits
and the same standardised columns (words of e2006: divided by their largest value). Whatever a method has to choose it
chooses by 5-fold cross-validation inside the learning part:

    spgm          SparseRegressorCV, everything at its default: few columns for the mean of models (quantiles: s and ridge of the lowest loss)
    spgm min      the same with rule="min": loss, s and ridge of the lowest error (not for other quantiles)
    spgm l1       the same with absolute errors (not for other quantiles)
    Quantile      QuantileRegressor (HiGHS), l1 penalty from where the model is empty down to a thousandth of that, 8 values
    Huber         HuberRegressor, ridge from 1e-3 to 1e3, 7 values; uses every column
    Lasso         LassoCV, 100 values; a constant is added so that the errors' quantile is right, as for Ridge
    Ridge         RidgeCV, from 1e-3 to 1e5, 17 values
    OMP + LAD     OrthogonalMatchingPursuitCV up to 20 columns, then the exact minimum of the loss on the columns it chose
    constant      the median (or quantile) of the target, for scale

Times are processor time of learning, the choice included, with one thread for everybody.
"""

from __future__ import annotations

import argparse
import functools
import pathlib
import warnings
from collections.abc import Callable
from typing import Any

import out_of_sample  # before NumPy: one thread for everybody
import numpy as np
import scipy.sparse as sparse
from sklearn.linear_model import HuberRegressor, LassoCV, OrthogonalMatchingPursuitCV, QuantileRegressor, Ridge
from sklearn.metrics import make_scorer, mean_pinball_loss
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit
from sklearn.preprocessing import MaxAbsScaler

import spgm

MOST = 20  # columns that a sparse method may use
SETS: dict[str, tuple[str, dict[str, Any]]] = {
    "stackloss": ("qr_textbook/stackloss.csv", {}),
    "engel": ("qr_textbook/engel.csv", {}),
    "prostate_psa": ("prostate_psa/prostate_psa.svm.xz", {}),
    "barro": ("qr_textbook/barro.csv", {"target": "y.net"}),
    "bodyfat_scale": ("bodyfat_scale/bodyfat_scale.svm.xz", {}),
    "diabetes10": ("diabetes/diabetes10.svm.xz", {}),
    "diabetes64": ("diabetes/diabetes64.svm.xz", {}),
    "space_ga": ("space_ga/space_ga.svm.xz", {}),
    "communities": ("communities/communities.svm.xz", {}),
    "trim32": ("trim32/trim32.svm.xz", {}),
    "riboflavin": ("riboflavin/riboflavin.svm.xz", {}),
    "e2006": ("e2006/e2006_5000x10000.svm.xz", {}),
}
E2006_ROWS = 1000  # of 5000 to learn from: a linear program of all of them takes minutes, and there are hundreds of them

Fit = Callable[[Any, np.ndarray, float], tuple[Any, int]]


def load(folder: pathlib.Path, name: str) -> tuple[Any, np.ndarray]:
    """The columns that vary, dense unless most entries are zero, and the target."""
    file, how = SETS[name]
    A, b = spgm.read(folder / file, **how)
    return (out_of_sample.frequent(A, 5) if name == "e2006" else out_of_sample.varying(A)), b


def loss_of(quantile: float) -> Callable[[Any, Any], float]:
    """Mean absolute error for the median (twice the pinball loss), else the mean pinball loss."""
    factor = 2.0 if quantile == 0.5 else 1.0
    return lambda y, p: factor * mean_pinball_loss(y, p, alpha=quantile)


def used(model: Any) -> int:
    return int(np.count_nonzero(np.abs(np.asarray(model.coef_)) > 1e-9))


def search(model: Any, key: str, values: Any, X: Any, y: np.ndarray, quantile: float) -> Any:
    """The model with the value that does best in cross-validation."""
    scorer = make_scorer(loss_of(quantile), greater_is_better=False)
    folds = KFold(5, shuffle=True, random_state=0)
    return GridSearchCV(model, {key: values}, scoring=scorer, cv=folds).fit(X, y).best_estimator_


def fit_spgm(X: Any, y: np.ndarray, quantile: float) -> tuple[Any, int]:
    model = spgm.SparseRegressorCV(quantile=None if quantile == 0.5 else quantile).fit(X, y)
    return model, int(model.support_.size)


def fit_spgm_l1(X: Any, y: np.ndarray, quantile: float) -> tuple[Any, int]:
    model = spgm.SparseRegressorCV(loss="absolute_error").fit(X, y)
    return model, int(model.support_.size)


def fit_spgm_min(X: Any, y: np.ndarray, quantile: float) -> tuple[Any, int]:
    model = spgm.SparseRegressorCV(rule="min").fit(X, y)
    return model, int(model.support_.size)


def fit_quantile(X: Any, y: np.ndarray, quantile: float) -> tuple[Any, int]:
    slopes = np.where(y > np.quantile(y, quantile), quantile, quantile - 1)
    empty = float(np.abs(X.T @ slopes).max()) / y.size  # from this penalty on no column enters
    model = QuantileRegressor(quantile=quantile, solver="highs")
    model = search(model, "alpha", empty * np.geomspace(1, 1e-3, 8), X, y, quantile)
    return model, used(model)


def fit_huber(X: Any, y: np.ndarray, quantile: float) -> tuple[Any, int]:
    model = search(HuberRegressor(max_iter=300), "alpha", np.geomspace(1e-3, 1e3, 7), X, y, quantile)
    return model, used(model)


def shifted(model: Any, X: Any, y: np.ndarray, quantile: float) -> tuple[Any, int]:
    """The same slopes with the constant that suits the loss."""
    model.intercept_ += float(np.quantile(y - model.predict(X), quantile))
    return model, used(model)


def fit_lasso(X: Any, y: np.ndarray, quantile: float) -> tuple[Any, int]:
    return shifted(LassoCV(cv=KFold(5, shuffle=True, random_state=0)).fit(X, y), X, y, quantile)


def fit_ridge(X: Any, y: np.ndarray, quantile: float) -> tuple[Any, int]:
    model = search(Ridge(), "alpha", np.geomspace(1e-3, 1e5, 17), X, y, quantile)
    return shifted(model, X, y, quantile)


def fit_omp(X: Any, y: np.ndarray, quantile: float) -> tuple[Any, int]:
    X = X.toarray() if sparse.issparse(X) else X
    # as many columns as the smallest fold has rows, less one for the intercept
    most = min(MOST, X.shape[1], y.size * 4 // 5 - 1)
    support = np.zeros(1, dtype=int)
    if X.shape[1] > 1:  # scikit-learn's asks for two columns
        chosen = OrthogonalMatchingPursuitCV(cv=KFold(5, shuffle=True, random_state=0), max_iter=most).fit(X, y)
        support = np.flatnonzero(chosen.coef_)
    refit = QuantileRegressor(quantile=quantile, alpha=0, solver="highs").fit(X[:, support], y)
    refit.coef_ = np.bincount(support, refit.coef_, X.shape[1])
    refit.n_features_in_ = X.shape[1]
    return refit, int(support.size)


def fit_constant(X: Any, y: np.ndarray, quantile: float) -> tuple[Any, int]:
    class Constant:
        value = float(np.quantile(y, quantile))

        def predict(self, rows: Any) -> np.ndarray:
            return np.full(rows.shape[0], self.value)

    return Constant(), 0


METHODS: dict[str, Fit] = {
    "spgm": fit_spgm,
    "spgm min": fit_spgm_min,
    "spgm l1": fit_spgm_l1,
    "Quantile": fit_quantile,
    "Huber": fit_huber,
    "Lasso": fit_lasso,
    "Ridge": fit_ridge,
    "OMP + LAD": fit_omp,
    "constant": fit_constant,
}


def one(options: argparse.Namespace, name: str, split: int) -> out_of_sample.Found:
    """Loss, columns used and processor time of every method on one split."""
    warnings.simplefilter("ignore")
    quantile, wanted = options.quantile, options.methods.split(",")
    X, y = load(options.data, name)
    size = {"train_size": E2006_ROWS, "test_size": y.size - E2006_ROWS} if name == "e2006" else {"test_size": 0.25}
    train, test = next(ShuffleSplit(1, random_state=split, **size).split(X))
    # rare words divided by their tiny deviation would make wild predictions of the models that use hundreds of columns
    learn, judge = out_of_sample.parts(X, train, test, MaxAbsScaler())
    centred = () if quantile == 0.5 else ("Huber", "spgm l1", "spgm min")  # they aim at the middle
    fits = {m: functools.partial(fit, learn, y[train], quantile) for m, fit in METHODS.items() if m in wanted and m not in centred}
    return out_of_sample.measured(f"{name} split {split}", fits, lambda model: loss_of(quantile)(y[test], model.predict(judge)))


def summary(results: out_of_sample.Results) -> str:
    """The loss of spgm over that of the best other method, set by set, and its columns over those of the l1 penalty."""
    return "".join(summary_of(name, results) for name in ("spgm", "spgm min", "spgm l1") if all(name in splits[0] for splits in results.values()))


def summary_of(ours: str, results: out_of_sample.Results) -> str:
    ratios, shares = {}, []
    for name, splits in results.items():
        mean = out_of_sample.means(splits)
        others = [mean[m] for m in mean if not m.startswith("spgm") and m != "constant"]
        if others:
            ratios[name] = mean[ours] / min(others)
        if "Quantile" in mean:
            shares += out_of_sample.shares(splits, ours, "Quantile")
    if not ratios:
        return ""
    values = np.array(list(ratios.values()))
    text = f"\n{ours} over the best of the others: " + ", ".join(f"{name} {ratio:.3f}" for name, ratio in ratios.items())
    text += f"\n  geometric mean {np.exp(np.log(values).mean()):.3f}, most {values.max():.3f} ({max(ratios, key=lambda n: ratios[n])})\n"
    return text + (f"  columns over those of the l1 penalty: median {np.median(shares):.2f}\n" if shares else "")


def main() -> None:
    parser = out_of_sample.arguments(__doc__, list(SETS), list(METHODS))
    parser.add_argument("--quantile", type=float, default=0.5)
    options = parser.parse_args()
    names = [name for name in options.sets.split(",") if (options.data / SETS[name][0]).is_file()]
    if not names:
        raise SystemExit(f"skipped: there are no data in {options.data}")
    results = out_of_sample.run(functools.partial(one, options), names, options)
    shapes = {name: load(options.data, name)[0].shape for name in names}
    print("\n" + out_of_sample.tables(results, shapes, np.min, summary(results)))


if __name__ == "__main__":
    main()
