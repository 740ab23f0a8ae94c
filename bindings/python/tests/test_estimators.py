"""Estimators: what scikit-learn asks, and what users do with them."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sparse

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.datasets import load_iris  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402

import spgm  # noqa: E402
from spgm._tables import find_loss  # noqa: E402

NAMES = [name for name in spgm.__all__ if name.startswith("Sparse") and name != "SparseQuantileBand"]
MODERN = tuple(int(part) for part in sklearn.__version__.split(".")[:2]) >= (1, 6)


LOSSES = {
    name: sorted({loss.name for loss in map(find_loss, spgm.losses()) if loss.has_labels == ("Classifier" in name)})
    for name in NAMES
}


def pairs():
    """Every estimator with every loss; those that choose s fit as the others do, and take one loss in the ordinary run."""
    for name in NAMES:
        for i, loss in enumerate(LOSSES[name]):
            yield pytest.param(name, loss, marks=pytest.mark.long if name.endswith("CV") and i > 0 else ())


@pytest.mark.parametrize(("name", "loss"), list(pairs()))
@pytest.mark.skipif(not MODERN, reason="checks of scikit-learn 1.6 and later")
def test_check_estimator(name, loss):
    from sklearn.utils.estimator_checks import check_estimator

    # the checks fit hundreds of times: little effort, and few budgets to choose from
    few = dict(n_nonzero_coefs=[1, 4], cv=3) if name.endswith("CV") else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(getattr(spgm, name)(loss=loss, effort=1, **few), on_fail=None)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    if not find_loss(loss).is_sum:  # there are no weights of samples, and a sentence says so
        for check in [check for check in failed if "sample_weight" in check]:
            assert "weight" in str(failed.pop(check))
    assert not failed, "\n".join(f"{check}: {error!r}" for check, error in failed.items())
    assert len(results) > 50


def test_attributes(instance):
    A, b = instance
    model = spgm.SparseRegressor(5).fit(A, b)
    assert model.support_.tolist() == [3, 9, 17, 21, 33]
    assert model.get_support().sum() == 5 and model.transform(A).shape == (60, 5)
    assert model.coef_.shape == (40,) and isinstance(model.intercept_, float)
    assert model.outcome_ in ("converged", "local_optimum", "searched", "optimal", "iteration_limit")
    assert model.n_iter_ > 0
    assert model.objective_ == pytest.approx(np.abs(model.predict(A) - b).sum(), rel=1e-9)
    assert sparse.issparse(model.sparse_coef_) and model.sparse_coef_.nnz == 5
    dense = model.predict(A)
    assert np.array_equal(model.sparsify().predict(A), dense) and sparse.issparse(model.coef_)
    assert model.densify().coef_.shape == (40,)


def test_names_select_features(instance):
    pandas = pytest.importorskip("pandas")
    A, b = instance
    frame = pandas.DataFrame(A, columns=[f"gene{j}" for j in range(40)])
    model = spgm.SparseRegressor(2).fit(frame, b)
    assert list(model.feature_names_in_) == list(frame.columns)
    assert list(model.get_feature_names_out()) == [f"gene{j}" for j in model.support_]
    assert "gene3" in repr(model.result_)
    model.fit(A, b)
    assert not hasattr(model, "feature_names_in_")


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_frames_of_three_classes_are_fitted_without_a_warning(loss):
    """The intercepts that are moved together are those of rows without names: not of the user's."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(4)
    X = pandas.DataFrame(rng.standard_normal((60, 4)), columns=list("abcd"))
    y = np.array(["low", "middle", "high"])[np.digitize(X["a"], [-0.5, 0.5])]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = spgm.SparseClassifier(2, loss=loss).fit(X, y)
        assert model.score(X, y) > 0.6
        spgm.SparseClassifierCV([1, 2], loss=loss, cv=3).fit(X, y)


def test_polars(instance):
    polars = pytest.importorskip("polars")
    A, b = instance
    frame = polars.DataFrame({f"c{j}": A[:, j] for j in range(40)})
    fit = lambda X: spgm.SparseRegressor(5, effort=1).fit(X, b)  # noqa: E731
    assert np.array_equal(fit(frame).coef_, fit(A).coef_)


def test_the_ecosystem(instance):
    A, b = instance
    pipe = make_pipeline(StandardScaler(), spgm.SparseRegressor(5, effort=1))
    search = GridSearchCV(pipe, {"sparseregressor__n_nonzero_coefs": [1, 5]}, cv=3, scoring="neg_median_absolute_error")
    assert search.fit(A, b).best_params_ == {"sparseregressor__n_nonzero_coefs": 5}
    model = spgm.SparseRegressor(3, loss="quantile", quantile=0.8).fit(A, b)
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict(A), model.predict(A)) and repr(again.result_) == repr(model.result_)
    assert clone(model).get_params() == model.get_params()
    parallel = cross_val_score(spgm.SparseRegressor(5, effort=1), A, b, cv=3, n_jobs=2)
    assert np.array_equal(parallel, cross_val_score(spgm.SparseRegressor(5, effort=1), A, b, cv=3))


def test_random_state(instance):
    A, b = instance
    fit = lambda state: spgm.SparseRegressor(3, method="spgm-bcd", random_state=state).fit(A, b).coef_  # noqa: E731
    assert np.array_equal(fit(3), fit(3)) and np.array_equal(fit(None), fit(None))
    assert np.array_equal(fit(np.random.RandomState(1)), fit(np.random.RandomState(1)))


def test_warm_start(instance):
    A, b = instance
    model = spgm.SparseRegressor(5).fit(A, b)
    best = model.objective_
    model.set_params(warm_start=True, method="spgm-iht", options={"max_iterations": 1}).fit(A, b)
    assert model.objective_ <= best * (1 + 1e-9)
    model.set_params(warm_start=False).fit(A, b)
    assert model.objective_ > best


def test_repeated_rows_are_weights(instance):
    A, b = instance
    w = np.random.default_rng(0).integers(0, 4, 60)
    for X in (A, sparse.csr_matrix(A)):
        weighted = spgm.SparseRegressor(6, effort=1).fit(X, b, sample_weight=w)
        index = np.repeat(np.arange(60), w)
        repeated = spgm.SparseRegressor(6, effort=1).fit(X[index], b[index])
        assert np.array_equal(weighted.coef_, repeated.coef_)
        backwards = spgm.SparseRegressor(6, effort=1).fit(X[index[::-1]], b[index[::-1]])
        assert backwards.coef_ == pytest.approx(repeated.coef_, rel=1e-6, abs=1e-9)
        one_call = spgm.solve(X[index], b[index], 6, effort=1)
        assert np.array_equal(one_call.coef, repeated.coef_)
        r = A @ weighted.coef_ + weighted.intercept_ - b
        assert weighted.objective_ == pytest.approx((w * np.abs(r)).sum(), rel=1e-9)


@pytest.mark.parametrize("loss", ["squared_error", "linf", "l2"])
def test_repeated_rows_without_weights(instance, loss):
    A, b = instance
    twice = np.r_[0, :60]
    model = spgm.SparseRegressor(3, loss=loss, effort=1).fit(A[twice], b[twice])
    assert model.support_.size == 3


def test_classes_of_any_kind():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = spgm.SparseClassifier(2).fit(X, names)
    assert model.coef_.shape == (3, 4) and (np.count_nonzero(model.coef_, axis=1) <= 2).all()
    assert model.score(X, names) > 0.85 and model.decision_function(X).shape == (150, 3)
    two = spgm.SparseClassifier(2).fit(X[:100], names[:100])
    assert two.coef_.shape == (1, 4) and two.score(X[:100], names[:100]) == 1
    assert two.decision_function(X).shape == (150,)
    signs = np.where(names[:100] == "versicolor", 1, -1)
    margin = np.maximum(0, 1 - signs * two.decision_function(X[:100])).sum()
    assert two.objective_ == pytest.approx(margin + 0.5 * (two.coef_**2).sum(), rel=1e-9)


def test_classifier_finds_features():
    X = np.random.default_rng(1).normal(size=(300, 60))
    y = X[:, [4, 30, 50]] @ [2.0, -3.0, 2.0] > 0
    assert spgm.SparseClassifier(3).fit(X, y).support_.tolist() == [4, 30, 50]


@pytest.mark.parametrize(
    "parameters, exception, words",
    [
        (dict(n_nonzero_coefs=-1), ValueError, "at least 0"),
        (dict(n_nonzero_coefs=1.5), TypeError, "integer"),
        (dict(loss="hubber"), ValueError, "hubber"),
        (dict(alpha=-1), ValueError, "ridge"),
        (dict(options={"foo": 1}), TypeError, "foo"),
        (dict(effort=10), ValueError, "effort"),
    ],
)
def test_parameters_that_are_wrong(instance, parameters, exception, words):
    A, b = instance
    with pytest.raises(exception, match=words):
        spgm.SparseRegressor(**{"n_nonzero_coefs": 3, **parameters}).fit(A, b)


@pytest.mark.parametrize("name", ["SparseRegressor", "SparseClassifier", "SparseQuantileBand"])
def test_the_default_budget_is_no_reason_to_warn(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = X[:, 0] + rng.normal(size=60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        getattr(spgm, name)().fit(X, y > 0 if name == "SparseClassifier" else y)
    with pytest.warns(UserWarning, match="every feature"):
        getattr(spgm, name)(4).fit(X, y > 0 if name == "SparseClassifier" else y)


def test_other_errors(instance):
    A, b = instance
    with pytest.raises(NotFittedError):
        spgm.SparseRegressor().predict(A)
    with pytest.raises(ValueError, match="NaN"):
        spgm.SparseRegressor(2).fit(np.full((3, 2), np.nan), [1, 2, 3])
    with pytest.raises(ValueError, match="class"):
        spgm.SparseClassifier().fit(A, np.ones(60))
    with pytest.raises(ValueError, match="features"):
        spgm.SparseRegressor(3).fit(A, b).predict(A[:, :3])
    with pytest.warns(UserWarning, match="every feature"):
        spgm.SparseRegressor(99).fit(A, b)


def test_losses_of_the_other_kind_are_refused(instance):
    A, b = instance
    for model, words in (
        (spgm.SparseRegressor(2, loss="hinge"), "SparseClassifier"),
        (spgm.SparseRegressorCV(2, loss="log_loss"), "SparseClassifier"),
        (spgm.SparseClassifier(2, loss="squared_error"), "SparseRegressor"),
    ):
        with pytest.raises(ValueError, match=words):
            model.fit(A, b > 0)


def test_masked_entries_are_not_data(instance):
    A, b = instance
    masked = np.ma.masked_greater(A, 1.5)
    for call in (
        lambda: spgm.solve(masked, b, 2),
        lambda: spgm.solve(A, np.ma.masked_greater(b, 1), 2),
        lambda: spgm.SparseRegressor(2).fit(masked, b),
        lambda: spgm.SparseRegressor(2).fit(A, np.ma.masked_greater(b, 1)),
    ):
        with pytest.raises(ValueError, match="masked"):
            call()
    nothing = np.ma.masked_greater(A, 1e9)
    assert spgm.solve(nothing, b, 2).objective == spgm.solve(A, b, 2).objective


def test_probabilities_far_from_the_boundary():
    X = np.random.default_rng(0).normal(size=(90, 4))
    kinds = np.digitize(X[:, 0], [-0.5, 0.5])
    two = spgm.SparseClassifier(1, loss="logistic").fit(X, kinds > 0)
    far = 1e3 * np.sign(X[:5])
    score = two.decision_function(far)
    expected = np.column_stack([-np.logaddexp(0, score), -np.logaddexp(0, -score)])
    np.testing.assert_allclose(two.predict_log_proba(far), expected, rtol=1e-12)
    near = two.decision_function(X)
    np.testing.assert_allclose(two.predict_proba(X)[:, 1], 1 / (1 + np.exp(-near)), rtol=1e-12)
    assert (two.predict_proba(0.03 * far)[:, 0] > 0).all()

    three = spgm.SparseClassifier(1, loss="logistic").fit(X, kinds)
    three.intercept_ = np.full(3, -1e3)  # no class is likely
    shares = three.predict_proba(np.zeros((2, 4)))
    np.testing.assert_allclose(shares, 1 / 3)


@pytest.mark.parametrize("kind", [int, bool, str])
def test_labels_of_a_loaded_model(tmp_path, kind):
    X = np.random.default_rng(0).normal(size=(60, 4))
    for y in (X[:, 0] > 0, np.digitize(X[:, 0], [-0.5, 0.5])):
        model = spgm.SparseClassifier(2).fit(X, y.astype(kind))
        model.save(tmp_path / "model.json")
        again = spgm.SparseClassifier.load(tmp_path / "model.json")
        assert again.predict(X).tolist() == model.predict(X).tolist()
        assert again.classes_.dtype.kind == ("U" if kind is str else "i")
