"""What users pass by name: columns, options, losses and their settings."""

from __future__ import annotations

import pydoc

import numpy as np
import pytest

import spgm


def free_of(A, b, free_columns) -> list[int]:
    """Which columns are free, seen from outside: with s = 0 nothing else is in the model."""
    return spgm.solve(A, b, 0, free_columns=free_columns).support.tolist()


@pytest.mark.parametrize(
    "columns, expected",
    [
        (np.array([False, True, False, True]), [1, 3]),
        ([False, True, False, True], [1, 3]),
        (np.zeros(4, bool), []),
        ([3, 1], [1, 3]),
        (np.array([1], dtype=np.uint8), [1]),
        ([-1, 0], [0, 3]),
        (2, [2]),
        ([], []),
        (None, []),
        (range(2), [0, 1]),
    ],
)
def test_free_columns(instance, columns, expected):
    A, b = instance[0][:, :4], instance[1]
    assert free_of(A, b, columns) == expected
    assert spgm.path(A, b, [0], free_columns=columns)[0].support.tolist() == expected
    assert spgm.compare(A, b, 0, ["auto"], free_columns=columns).best.support.tolist() == expected


def test_free_columns_by_name(instance):
    pandas = pytest.importorskip("pandas")
    A, b = instance[0][:, :4], instance[1]
    frame = pandas.DataFrame(A, columns=["age", "income", "x", "y"])
    assert free_of(frame, b, ["y", "age"]) == [0, 3]
    assert free_of(frame, b, "income") == [1]
    assert free_of(frame, b, frame.columns[:2]) == [0, 1]
    assert free_of(frame, b, pandas.Series([True, False, False, True])) == [0, 3]
    with pytest.raises(ValueError, match="'incone'.*'income'"):
        free_of(frame, b, ["incone"])


@pytest.mark.parametrize(
    "columns, exception, words",
    [
        ([0.7], TypeError, "whole numbers"),
        (np.array([True, False]), ValueError, "2 entries.*4 columns"),
        (True, TypeError, "whole numbers"),
        ([4], ValueError, "4 columns"),
        ([-5], ValueError, "4 columns"),
        (["age"], ValueError, "no names"),
        ([[1, 2]], ValueError, "one dimension"),
        ([1, "age"], TypeError, "whole numbers"),
        ({"a": 1}, TypeError, "whole numbers"),
        ([None], TypeError, "whole numbers"),
    ],
)
def test_free_columns_that_are_wrong(instance, columns, exception, words):
    A, b = instance[0][:, :4], instance[1]
    for call in (
        lambda: free_of(A, b, columns),
        lambda: spgm.cross_validate(A, b, [1], free_columns=columns),
        lambda: spgm.path(A, b, [1], free_columns=columns),
    ):
        with pytest.raises(exception, match=words):
            call()


def test_free_columns_of_folds(instance):
    A, b = instance
    mask = np.zeros(40, bool)
    mask[[3, 9]] = True
    by_mask = spgm.cross_validate(A, b, [1], folds=3, free_columns=mask, effort=1)
    by_number = spgm.cross_validate(A, b, [1], folds=3, free_columns=[3, 9], effort=1)
    assert np.array_equal(by_mask.losses, by_number.losses)


def test_help_names_what_there_is_to_choose():
    text = pydoc.render_doc(spgm.solve, renderer=pydoc.plaintext)
    assert "@" not in text and "epsilon" in text
    assert all(name in text for name in spgm.methods())
    table = spgm.options()
    assert set(table["method"].choices.split("|")) == set(spgm.methods())
    assert "l1" in table["loss"].choices.split("|") and not any("@" in option.choices for option in table.values())


@pytest.mark.parametrize(
    "wrong, near",
    [("tme_limit", "time_limit"), ("weight", "weights"), ("free_column", "free_columns"), ("max_iteration", "max_iterations")],
)
def test_an_unknown_option_is_told_the_nearest(instance, wrong, near):
    A, b = instance
    with pytest.raises(TypeError, match=f"'{wrong}'.*'{near}'") as caught:
        spgm.solve(A, b, 2, **{wrong: 1})
    assert "spgm_" not in str(caught.value)


def test_an_unknown_option_of_others(instance):
    A, b = instance
    calls = [
        lambda: spgm.path(A, b, [1], zzz=1),
        lambda: spgm.compare(A, b, 1, zzz=1),
        lambda: spgm.cross_validate(A, b, [1], zzz=1),
        lambda: spgm.SparseRegressor(2, options={"zzz": 1}).fit(A, b),
        lambda: spgm.SparseRegressorCV(2, options={"zzz": 1}).fit(A, b),
    ]
    for call in calls:
        with pytest.raises(TypeError, match=r"'zzz'.*spgm\.options\(\)"):
            call()


def loss_by_hand(A, b, result, quantile=None, epsilon=None, delta=None):
    r = A @ result.coef + result.intercept - b
    if delta is not None:
        return np.where(np.abs(r) <= delta, r * r / 2, delta * np.abs(r) - delta**2 / 2).sum()
    if quantile is not None:
        return np.maximum(-quantile * r, (1 - quantile) * r).sum()
    return np.maximum(np.abs(r) - epsilon, 0).sum() if epsilon is not None else np.abs(r).sum()


@pytest.mark.parametrize("setting", [{}, {"quantile": 0.9}, {"epsilon": 0.3}, {"delta": 0.5}])
def test_a_setting_of_a_loss_chooses_it(instance, setting):
    A, b = instance
    result = spgm.solve(A, b, 3, **setting)
    assert result.objective == pytest.approx(loss_by_hand(A, b, result, **setting), rel=1e-9)
    model = spgm.SparseRegressor(3, **setting).fit(A, b)
    assert np.array_equal(model.coef_, result.coef)
    best = spgm.compare(A, b, 3, ["auto"], **setting).best
    assert best.objective == result.objective
    assert spgm.path(A, b, [3], **setting)[0].objective <= result.objective * (1 + 1e-9)


@pytest.mark.parametrize(
    "arguments",
    [
        {"loss": "l1", "quantile": 0.9},
        {"loss": "absolute_error", "quantile": 0.5},
        {"loss": "quantile", "epsilon": 0.1},
        {"quantile": 0.9, "epsilon": 0.1},
        {"loss": "squared", "delta": 1.0},
    ],
)
def test_a_setting_of_another_loss_is_refused(instance, arguments):
    A, b = instance
    for call in (
        lambda: spgm.solve(A, b, 2, **arguments),
        lambda: spgm.path(A, b, [2], **arguments),
        lambda: spgm.compare(A, b, 2, **arguments),
        lambda: spgm.cross_validate(A, b, [2], **arguments),
        lambda: spgm.SparseRegressor(2, **arguments).fit(A, b),
        lambda: spgm.SparseRegressorCV([2], **arguments).fit(A, b),
    ):
        with pytest.raises(ValueError, match="a setting of the loss"):
            call()


def test_compare_leaves_out_what_needs_a_start(instance):
    A, b = instance
    comparison = spgm.compare(A, b, 3, effort=1)
    assert set(comparison.results) | set(comparison.refused) == set(spgm.methods()) - {"polish"}
    assert set(spgm.compare(A, b, 3, "polish").results) == {"polish"}


def test_options_are_given_by_their_names_and_the_hint_says_so():
    A, b = spgm.generate("random-20-5", seed=1)
    with pytest.raises(TypeError, match="there is no option 'options': give options by their names"):
        spgm.cross_validate(A, b, [1], options={"seed": 2})
    with pytest.raises(TypeError, match="did you mean 'ridges'"):
        spgm.cross_validate(A, b, [1], ridgess=[1.0])


@pytest.mark.parametrize("s", [2.0, 2.7, True, "2", [2], None])
def test_s_is_a_whole_number(instance, s):
    A, b = instance
    for call in (spgm.solve, spgm.compare, spgm.stability):
        with pytest.raises(TypeError, match="s must be a whole number"):
            call(A, b, s)
    with pytest.raises(TypeError, match="s"):
        spgm.check(A, b, np.zeros(A.shape[1]), s=s)
