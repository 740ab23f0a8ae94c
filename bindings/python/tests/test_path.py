"""path, cross_validate and the estimators that choose s."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sparse

import spgm


def test_path_is_a_path(instance):
    A, b = instance
    models = spgm.path(A, b, [5, 1, 3])
    assert models.sparsity.tolist() == [1, 3, 5] and models.coef.shape == (3, 40)
    assert (np.diff(models.objective) <= 0).all()
    for s, model, x, c in zip(models.sparsity, models, models.coef, models.intercept):
        assert np.array_equal(model.coef, x) and model.intercept == c
        assert len(model.support) <= s
        assert model.objective == pytest.approx(np.abs(A @ x + c - b).sum(), rel=1e-12)
    assert models.best("ebic") in models.results
    assert set(models.criteria) == {"bic", "ebic", "gic"}
    assert "models" in repr(models)


def test_path_finds_the_truth(instance):
    A, b = instance
    assert spgm.path(A, b, range(0, 9), effort=2).best("ebic").support.tolist() == [3, 9, 17, 21, 33]


@pytest.mark.parametrize("wrong", [[], [1.5], ["a"], [[1]]])
def test_sparsities_that_are_none(instance, wrong):
    A, b = instance
    with pytest.raises(TypeError, match="whole numbers"):
        spgm.path(A, b, wrong)
    with pytest.raises(ValueError, match="40 columns"):
        spgm.path(A, b, [41])


def test_cross_validation_by_hand(instance):
    A, b = instance
    folds = np.arange(60) % 3
    cv = spgm.cross_validate(A, b, [1, 5], folds=folds, effort=5)
    assert cv.losses.shape == (2, 3) and np.array_equal(cv.fold_of_row, folds)
    for k in range(3):
        models = spgm.path(A[folds != k], b[folds != k], [1, 5], threads=1, effort=5)
        for i in range(2):
            by_hand = np.abs(models[i].predict(A[folds == k]) - b[folds == k]).mean()
            assert cv.losses[i, k] == pytest.approx(by_hand, rel=1e-9)
    assert np.allclose(cv.mean, cv.losses.mean(axis=1))
    assert np.allclose(cv.standard_error, cv.losses.std(axis=1, ddof=1) / np.sqrt(3))
    assert cv.best == 5 and "lowest" in repr(cv)


def test_drawn_folds_are_even_and_repeat(instance):
    A, b = instance
    first, again = (spgm.cross_validate(A, b, [1, 2], folds=7, seed=3, effort=1) for _ in range(2))
    sizes = np.bincount(first.fold_of_row)
    assert sizes.size == 7 and sizes.max() - sizes.min() <= 1
    assert np.array_equal(first.losses, again.losses)


def test_regressor_chooses(instance):
    pytest.importorskip("sklearn")
    from sklearn.model_selection import KFold

    A, b = instance
    model = spgm.SparseRegressorCV(8, cv=KFold(4, shuffle=True, random_state=0), rule="1se", effort=2).fit(A, b)
    assert model.n_nonzero_coefs_ == 5 and model.support_.tolist() == [3, 9, 17, 21, 33]
    assert model.cross_validation_.losses.shape == (8, 4)
    alone = spgm.SparseRegressor(5, effort=2).fit(A, b)
    assert np.array_equal(model.coef_, alone.coef_)
    assert spgm.SparseRegressorCV([1, 5], cv=3, effort=1).fit(sparse.csr_matrix(A), b).n_nonzero_coefs_ == 5
    for wrong, words in ((dict(cv=1), "2 folds"), (dict(rule="max"), "rule"), (dict(n_nonzero_coefs=[-1]), "at least 0")):
        with pytest.raises(ValueError, match=words):
            spgm.SparseRegressorCV(**{"n_nonzero_coefs": 3, **wrong}).fit(A, b)
    overlapping = [(np.arange(30), np.arange(30, 60)), (np.arange(30), np.arange(40, 60))]
    with pytest.raises(ValueError, match="exactly one"):
        spgm.SparseRegressorCV(3, cv=overlapping).fit(A, b)


def test_classifier_chooses():
    pytest.importorskip("sklearn")
    rng = np.random.default_rng(4)
    X = rng.normal(size=(150, 12))
    y = np.array(["a", "b", "c"])[np.argmax(X[:, :3] + 0.1 * rng.normal(size=(150, 3)), axis=1)]
    model = spgm.SparseClassifierCV(5, cv=3, effort=2).fit(X, y)
    assert model.coef_.shape == (3, 12) and {0, 1, 2} <= set(model.support_)
    assert model.score(X, y) > 0.8
    two = y != "c"
    assert spgm.SparseClassifierCV(4, cv=3, effort=2).fit(X[two], y[two]).score(X[two], y[two]) > 0.9
