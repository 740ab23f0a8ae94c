"""Accuracy on real labels: spgm with s and ridge chosen by cross-validation against l1 penalties and abess.

    python3 bench/real_classes.py [--data ../shared/data] [--sets heart_scale,wine] [--methods hinge,logistic] [--splits 5] [--seed 0] [--jobs 2]

prints the table of docs/real-data.md; Python needs spgm (`pip install .`), scikit-learn and abess. Splits, columns and times as in
real_data.py, with every class in its share of both parts; the words of rcv1 (those in five rows or more) are left as they are. What a
method has to choose it chooses by 5-fold cross-validation inside the learning part:

    hinge         SparseClassifierCV(loss="hinge")
    logistic      SparseClassifierCV(), everything at its default
    SVC l1        LinearSVC with an l1 penalty, 13 values from where the model is nearly empty on, by accuracy
    logistic l1   LogisticRegression with an l1 penalty (liblinear), the same
    abess         LogisticRegression or, for several classes, MultinomialRegression of abess, up to 20 columns
    constant      the largest class, for scale

With several classes spgm, LinearSVC and LogisticRegression make one model for each against the rest; a column that any of them uses counts once.
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
from sklearn import datasets
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, StratifiedShuffleSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC, l1_min_c

import spgm

MOST = 20  # columns that abess may use
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)  # of the other methods; spgm draws its own
RCV1_COLUMNS = 47236
LEARN = {"digits": 400, "rcv1_small": 500}  # rows to learn from where three quarters would take minutes
SHARED = {
    "heart_scale": ["heart_scale/heart_scale.svm.xz"],
    "colon-cancer": ["colon-cancer/colon-cancer.svm.xz"],
    "leu": ["leu/leu.svm.xz"],
    "rcv1_small": ["rcv1_small/rcv1_small_train.svm.xz", "rcv1_small/rcv1_small_test.svm.xz"],
}
INCLUDED: dict[str, Callable[..., Any]] = {
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast_cancer": datasets.load_breast_cancer,
    "digits 3/8": datasets.load_digits,
    "digits": datasets.load_digits,
}
SETS = ["iris", "wine", "heart_scale", "breast_cancer", "digits 3/8", "digits", "colon-cancer", "leu", "rcv1_small"]


def load(folder: pathlib.Path, name: str) -> tuple[Any, np.ndarray]:
    """The columns that vary, or for words those in five rows or more, and the labels."""
    if name in INCLUDED:
        X, y = INCLUDED[name](return_X_y=True)
        rows = np.isin(y, (3, 8)) if name.endswith("3/8") else slice(None)
        return out_of_sample.varying(X[rows]), y[rows]
    read = [spgm.read(folder / file, columns=RCV1_COLUMNS if name == "rcv1_small" else 0) for file in SHARED[name]]
    y = np.concatenate([data.b for data in read])
    if len(read) > 1:
        return out_of_sample.frequent(sparse.vstack([data.A for data in read]), 5), y
    return out_of_sample.varying(read[0].A), y


def used(coefficients: Any) -> int:
    """Columns that any class uses."""
    return int(np.count_nonzero(np.abs(np.atleast_2d(coefficients)).max(axis=0) > 1e-9))


def fit_spgm(loss: str, X: Any, y: np.ndarray) -> tuple[Any, int]:
    model = spgm.SparseClassifierCV(loss=loss).fit(X, y)
    return model, used(model.coef_)


def tuned(model: Any, key: str, loss: str, X: Any, y: np.ndarray) -> Any:
    """The model with the penalty of the highest accuracy."""
    least = min(l1_min_c(X, np.where(y == label, 1, -1), loss=loss) for label in np.unique(y))
    return GridSearchCV(model, {key: least * np.geomspace(1.1, 1e4, 13)}, cv=FOLDS).fit(X, y).best_estimator_


def fit_svc(X: Any, y: np.ndarray) -> tuple[Any, int]:
    model = tuned(LinearSVC(penalty="l1", dual=False, max_iter=3000, random_state=0), "C", "squared_hinge", X, y)
    return model, used(model.coef_)


def fit_logistic(X: Any, y: np.ndarray) -> tuple[Any, int]:
    model = LogisticRegression(l1_ratio=1, solver="liblinear", random_state=0)
    if np.unique(y).size == 2:
        model = tuned(model, "C", "log", X, y)
        return model, used(model.coef_)
    model = tuned(OneVsRestClassifier(model), "estimator__C", "log", X, y)
    return model, used(np.vstack([one.coef_ for one in model.estimators_]))


def fit_abess(X: Any, y: np.ndarray) -> tuple[Any, int]:
    from abess import LogisticRegression as Binary
    from abess import MultinomialRegression as Several

    class OnVarying:
        def predict(self, rows: Any) -> np.ndarray:
            return model.predict((rows.toarray() if sparse.issparse(rows) else rows)[:, varies])

    several = np.unique(y).size > 2
    X = X.toarray() if sparse.issparse(X) else X
    varies = np.ptp(X, axis=0) > 0  # it refuses columns that do not
    X = X[:, varies]
    fold = np.empty(y.size, dtype=int)
    for k, (_, rows) in enumerate(FOLDS.split(X, y)):
        fold[rows] = k + 1
    model = (Several if several else Binary)(cv=5, support_size=range(min(MOST, X.shape[1]) + 1), thread=1).fit(X, y, cv_fold_id=fold)
    return OnVarying(), used(model.coef_.T if several else model.coef_)


def fit_constant(X: Any, y: np.ndarray) -> tuple[Any, int]:
    return DummyClassifier().fit(X, y), 0


METHODS: dict[str, Callable[[Any, np.ndarray], tuple[Any, int]]] = {
    "hinge": functools.partial(fit_spgm, "hinge"),
    "logistic": functools.partial(fit_spgm, "logistic"),
    "SVC l1": fit_svc,
    "logistic l1": fit_logistic,
    "abess": fit_abess,
    "constant": fit_constant,
}
OURS = ("hinge", "logistic")


def one(options: argparse.Namespace, name: str, split: int) -> out_of_sample.Found:
    """Accuracy in percent, columns used and processor time of every method on one split."""
    warnings.simplefilter("ignore")
    X, y = load(options.data, name)
    size = {"train_size": LEARN[name], "test_size": y.size - LEARN[name]} if name in LEARN else {"test_size": 0.25}
    train, test = next(StratifiedShuffleSplit(1, random_state=split, **size).split(X, y))
    learn, judge = out_of_sample.parts(X, train, test)
    fits = {m: functools.partial(fit, learn, y[train]) for m, fit in METHODS.items() if m in options.methods.split(",")}
    return out_of_sample.measured(f"{name} split {split}", fits, lambda model: 100 * float(np.mean(model.predict(judge) == y[test])))


def summary(results: out_of_sample.Results) -> str:
    """Accuracy of each loss less that of the best other method, in points, and its columns over those of the l1 penalties."""
    text = ""
    for ours in OURS:
        behind, shares = {}, []
        for name, splits in results.items():
            mean = out_of_sample.means(splits)
            others = [mean[m] for m in mean if m not in (*OURS, "constant")]
            if ours in mean and others:
                behind[name] = max(others) - mean[ours]
                shares += [s for l1 in ("SVC l1", "logistic l1") if l1 in mean for s in out_of_sample.shares(splits, ours, l1)]
        if behind:
            worst = max(behind, key=lambda n: behind[n])
            text += f"\n{ours}, points below the best of the others: " + ", ".join(f"{n} {b:.2f}" for n, b in behind.items())
            text += f"\n  mean {np.mean(list(behind.values())):.2f}, most {behind[worst]:.2f} ({worst})\n"
            text += f"  columns over those of the l1 penalties: median {np.median(shares):.2f}\n" if shares else ""
    return text


def main() -> None:
    options = out_of_sample.arguments(__doc__, SETS, list(METHODS)).parse_args()
    names = [n for n in options.sets.split(",") if n in INCLUDED or all((options.data / f).is_file() for f in SHARED[n])]
    results = out_of_sample.run(functools.partial(one, options), names, options)
    shapes = {name: load(options.data, name)[0].shape for name in names}
    print("\n" + out_of_sample.tables(results, shapes, np.max, summary(results)))


if __name__ == "__main__":
    main()
