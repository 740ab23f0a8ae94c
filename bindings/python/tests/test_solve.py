"""solve and compare: the general problem, every option by name, and what is refused."""

from __future__ import annotations

import io
import itertools
import json
import subprocess
import sys

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sparse
from hypothesis import given, settings
from hypothesis import strategies as st

import spgm


SETTINGS = {"quantile": {"quantile": 0.3}, "epsilon": {"epsilon": 0.2}}


def losses_by_hand(r: np.ndarray, A: np.ndarray, b: np.ndarray, x: np.ndarray, c: float) -> dict[str, float]:
    """Every loss from its definition."""
    signs = np.where(b == b.max(), 1.0, -1.0)
    return {
        "l1": np.abs(r).sum(),
        "quantile": np.maximum(-0.3 * r, 0.7 * r).sum(),
        "epsilon": np.maximum(np.abs(r) - 0.2, 0).sum(),
        "linf": np.abs(r).max(),
        "l2": np.sqrt((r**2).sum()),
        "squared": 0.5 * (r**2).sum(),
        "hinge": np.maximum(0, 1 - signs * (A @ x + c)).sum(),
    }


@pytest.mark.parametrize("loss", ["l1", "quantile", "epsilon", "linf", "l2", "squared", "hinge"])
def test_objective_is_what_the_definition_says(instance, loss):
    A, b = instance
    if loss == "hinge":
        b = np.where(b > np.median(b), 7.0, 2.0)
    result = spgm.solve(A, b, 4, loss=loss, f=0.5, **SETTINGS.get(loss, {}))
    x, c = result.coef, result.intercept
    expected = losses_by_hand(A @ x + c - b, A, b, x, c)[loss]
    assert result.loss_value == pytest.approx(expected, rel=1e-12)
    assert result.smooth_value == pytest.approx(0.25 * x @ x, rel=1e-12)
    assert result.objective == pytest.approx(expected + 0.25 * x @ x, rel=1e-12)
    assert result.support.tolist() == np.flatnonzero(x).tolist()
    assert len(result.support) <= 4


def lad(A: np.ndarray, b: np.ndarray) -> float:
    """min sum |A x - b| as a linear program."""
    m, n = A.shape
    cost = np.r_[np.zeros(n), np.ones(2 * m)]
    matrix = np.hstack([A, -np.eye(m), np.eye(m)])
    return scipy.optimize.linprog(cost, A_eq=matrix, b_eq=b, bounds=[(None, None)] * n + [(0, None)] * 2 * m).fun


def test_best_subset_by_enumeration():
    rng = np.random.default_rng(3)
    A = rng.normal(size=(25, 8))
    b = A[:, [1, 6]] @ [2.0, -3] + rng.standard_t(2, size=25)
    best = min(lad(np.c_[A[:, list(S)], np.ones(25)], b) for S in itertools.combinations(range(8), 3))
    assert spgm.solve(A, b, 3, polish=True).objective == pytest.approx(best, rel=1e-6)


@pytest.mark.parametrize("seed, loss, method", [(1, "l1", "spgm-bcd"), (2, "l1", "auto"), (3, "linf", "spgm-iht")])
def test_same_bits_as_the_command_line(cli, tmp_path, seed, loss, method):
    file, model = tmp_path / "data.csv", tmp_path / "model.json"
    subprocess.run([cli, "gen", "random-64-128", "--seed", str(seed), "--output", file, "--quiet"], check=True)
    subprocess.run(
        [cli, "fit", file, "--loss", loss, "--sparsity", "7", "--method", method, "--seed", "5", "--ridge", "0.01"]
        + ["--output", model, "--quiet"],
        check=True,
    )
    expected = json.loads(model.read_text())
    A, b = spgm.read(file)
    generated = spgm.generate("random-64-128", seed)
    assert np.array_equal(A, generated.A) and np.array_equal(b, generated.b)
    result = spgm.solve(A, b, 7, loss=loss, method=method, seed=5, ridge=0.01)
    assert result.objective == expected["objective"]
    assert result.support.tolist() == sorted(expected["support"])
    order = np.argsort(expected["support"])
    assert result.coef[result.support].tolist() == np.array(expected["coefficients"])[order].tolist()
    assert result.intercept == expected["intercept"]
    regressor = spgm.SparseRegressor(7, loss=loss, method=method, random_state=5, alpha=0.01).fit(A, b)
    assert regressor.objective_ == expected["objective"]


@pytest.mark.parametrize("form", ["C", "F", "rows", "csc", "csr", "coo", "csc64", "unsorted", "list", "big-endian"])
def test_every_form_of_the_matrix_gives_the_same(instance, form):
    A, b = instance
    A = np.asfortranarray(np.where(np.abs(A) < 0.5, 0, A))
    expected = spgm.solve(A, b, 5, effort=2)
    M = {
        "C": lambda: np.ascontiguousarray(A),
        "F": lambda: A,
        "rows": lambda: np.asfortranarray(np.vstack([A, A]))[:60],
        "csc": lambda: sparse.csc_matrix(A),
        "csr": lambda: sparse.csr_matrix(A),
        "coo": lambda: sparse.coo_array(A),
        "csc64": lambda: with_wide_indices(sparse.csc_matrix(A)),
        "unsorted": lambda: shuffled(sparse.csc_matrix(A)),
        "list": lambda: A.tolist(),
        "big-endian": lambda: A.astype(">f8"),
    }[form]()
    result = spgm.solve(M, b, 5, effort=2)
    assert result.objective == pytest.approx(expected.objective, rel=1e-9)
    assert result.support.tolist() == expected.support.tolist()


def with_wide_indices(M: sparse.csc_matrix) -> sparse.csc_matrix:
    M.indices, M.indptr = M.indices.astype(np.int64), M.indptr.astype(np.int64)
    return M


def shuffled(M: sparse.csc_matrix) -> sparse.csc_matrix:
    """The same matrix with the rows of each column backwards."""
    order = np.concatenate([np.arange(M.indptr[j], M.indptr[j + 1])[::-1] for j in range(M.shape[1])])
    return sparse.csc_matrix((M.data[order], M.indices[order], M.indptr), shape=M.shape)


def test_every_layout_gives_the_same_model():
    """Rows, single precision, slices and reversed arrays: copied or, large and by columns, read where they lie."""
    rng = np.random.default_rng(5)
    for shape in ((60, 30), (1500, 1500)):  # the second is large
        A = np.asfortranarray(rng.normal(size=shape).astype(np.float32).astype(np.float64))
        b = A[:, 3] - 2 * A[:, 7] + rng.normal(size=shape[0])
        padded = np.zeros((shape[0] + 3, shape[1] + 5))
        padded[:-3, 5:] = A
        layouts = {
            "C": np.ascontiguousarray(A),
            "C, spaced": padded[:-3, 5:],
            "reversed": np.ascontiguousarray(A[::-1])[::-1],
            "float32, F": np.asfortranarray(A, dtype=np.float32),
            "float32, C": np.ascontiguousarray(A, dtype=np.float32),
            "big endian": A.astype(">f8"),
        }
        expected = spgm.solve(A, b, 2, method="omp", loss="squared")
        assert expected.support.tolist() == [3, 7]
        for name, layout in layouts.items():
            result = spgm.solve(layout, b, 2, method="omp", loss="squared")
            assert result.support.tolist() == [3, 7], name
            np.testing.assert_allclose(result.objective, expected.objective, rtol=1e-12)


@pytest.mark.parametrize("method", ["omp", "spgm-iht", "auto"])
def test_rows_are_read_in_place_where_the_limit_is_too_short_for_a_copy(method):
    rng = np.random.default_rng(6)
    A = rng.normal(size=(1500, 1500))
    b = A[:, 3] - 2 * A[:, 7] + rng.normal(size=1500)
    kept = A.copy()
    result = spgm.solve(A, b, 2, method=method, loss="squared", time_limit=0.05)
    residual = A @ result.coef + result.intercept - b
    assert result.objective == pytest.approx(residual @ residual / 2, rel=1e-9) and np.count_nonzero(result.coef) <= 2
    assert np.array_equal(A, kept)


def test_float32_and_integers_are_upcast(instance):
    A, b = instance
    single = A.astype(np.float32)
    upcast = spgm.solve(single.astype(float), b, 5, effort=1)
    assert spgm.solve(single, b, 5, effort=1).objective == upcast.objective
    assert spgm.solve([[1, 0], [0, 1], [1, 1]], [2, 0, 2], 1).objective == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_bring_their_names(instance, library):
    frames = pytest.importorskip(library)
    A, b = instance
    frame = frames.DataFrame({f"c{j}": A[:, j] for j in range(A.shape[1])})
    result = spgm.solve(frame, b, 5)
    assert result.objective == spgm.solve(A, b, 5).objective
    assert "c3 " in repr(result) or " c3" in repr(result)
    assert np.array_equal(result.predict(frame), result.predict(A))


def test_slopes_are_the_whole_family(instance):
    A, b = instance
    result = spgm.solve(A, b, 5, slopes=(2.0, 0.5, 0.1))
    r = A @ result.coef + result.intercept - b
    by_hand = (2 * np.maximum(r - 0.1, 0) + 0.5 * np.maximum(-r - 0.1, 0)).sum()
    assert result.loss_value == pytest.approx(by_hand, rel=1e-12)


def test_smooth_terms(instance):
    A, b = instance
    rng = np.random.default_rng(0)
    C, d, p = rng.normal(size=(30, 40)), rng.normal(size=30), rng.normal(size=40)
    Q = C.T @ C / 30
    for f, value in [
        (spgm.Smooth(linear=p, ridge=1.0), lambda x: p @ x + 0.5 * x @ x),
        (spgm.Smooth(quadratic=Q), lambda x: 0.5 * x @ Q @ x),
        (spgm.Smooth(quadratic=sparse.csc_matrix(Q)), lambda x: 0.5 * x @ Q @ x),
        (spgm.Smooth(least_squares=(C, d)), lambda x: 0.5 * ((C @ x - d) ** 2).sum()),
    ]:
        result = spgm.solve(A, b, 5, f=f, method="spgm-bcd")
        assert result.smooth_value == pytest.approx(value(result.coef), rel=1e-10)


def test_weights_and_free_columns(instance):
    A, b = instance
    w = np.arange(60.0)
    result = spgm.solve(A, b, 2, weights=w, free_columns=[0, 5])
    r = A @ result.coef + result.intercept - b
    assert result.loss_value == pytest.approx((w * np.abs(r)).sum(), rel=1e-12)
    assert {0, 5} <= set(result.support.tolist()) and len(result.support) <= 4


def test_trace_and_callback(instance):
    A, b = instance
    result = spgm.solve(A, b, 5, method="spgm-iht", trace=True)
    assert len(result.trace) == result.iterations
    assert result.trace["best"][-1] == pytest.approx(result.objective, rel=1e-9)
    assert (np.diff(result.trace["best"]) <= 0).all()
    seen = []
    A, b = spgm.generate("random-256-1024")
    stopped = spgm.solve(
        A, b, 30, method="spgm-bcd", window=10**6, max_iterations=10**9, callback=lambda p: seen.append(p) or len(seen) == 3
    )
    assert stopped.outcome == "interrupted" and len(seen) == 3
    assert seen[0].method == "spgm-bcd" and seen[0].iteration < seen[1].iteration


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream, verbose, shown", [(Terminal, 1, True), (io.StringIO, 1, False), (io.StringIO, 2, True)])
def test_verbose_shows_how_far_it_is(monkeypatch, stream, verbose, shown):
    A, b = spgm.generate("random-256-1024")
    monkeypatch.setattr("sys.stderr", stream())
    seen = []
    spgm.solve(A, b, 30, method="spgm-bcd", window=10**6, max_iterations=10**9, verbose=verbose,
               callback=lambda p: seen.append(p) or len(seen) == 3)  # fmt: skip
    text = sys.stderr.getvalue()
    assert ("spgm-bcd  iteration" in text) == shown and text.count("\r") == (4 if stream is Terminal else 0)
    assert text.endswith("\n") and "objective" in text.splitlines()[-1]
    monkeypatch.setattr("sys.stderr", Terminal())
    spgm.cross_validate(A, b, range(1, 4), folds=4, effort=1, verbose=1, callback=lambda p: False)
    assert "lowest loss" in sys.stderr.getvalue()


def test_an_exception_in_the_callback_comes_out():
    A, b = spgm.generate("random-256-1024")

    def fail(progress):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        spgm.solve(A, b, 30, method="spgm-bcd", window=10**6, max_iterations=10**9, callback=fail)


def test_start_is_used(instance):
    A, b = instance
    first = spgm.solve(A, b, 5)
    again = spgm.solve(A, b, 5, method="spgm-iht", max_iterations=1, start=first.coef, start_intercept=first.intercept)
    assert again.objective <= first.objective * (1 + 1e-9)


@pytest.mark.parametrize(
    "change, exception, words",
    [
        (dict(s=41), ValueError, "at most the 40 columns"),
        (dict(s=-1), ValueError, "at least 0"),
        (dict(s=2.5), TypeError, "whole number"),
        (dict(b=np.ones(3)), ValueError, "3 entries"),
        (dict(b=np.full(60, np.nan)), ValueError, "NaN"),
        (dict(A=np.full((60, 2), np.inf)), ValueError, "infinite"),
        (dict(A=np.ones(60)), ValueError, "two dimensions"),
        (dict(A=[["a", "b"]] * 60), ValueError, "numbers are needed"),
        (dict(A=np.ones((60, 2), complex)), ValueError, "complex"),
        (dict(A=np.ones((0, 2)), b=[]), ValueError, "row"),
        (dict(A=np.ones((60, 0)), s=0), ValueError, "column"),
        (dict(loss="hubber"), ValueError, "hubber"),
        (dict(method="magic"), ValueError, "magic"),
        (dict(quantile=1.0), ValueError, "quantile"),
        (dict(ridge=-1), ValueError, "ridge"),
        (dict(ridge="much"), ValueError, "ridge"),
        (dict(ridge=[1]), TypeError, "ridge"),
        (dict(foo=1), TypeError, "foo"),
        (dict(weights=-np.ones(60)), ValueError, "weight"),
        (dict(loss="linf", weights=np.ones(60)), ValueError, "weight"),
        (dict(loss="hinge"), ValueError, "label"),
        (dict(free_columns=[99]), ValueError, "column"),
        (dict(f=0.1, ridge=0.2), TypeError, "twice"),
        (dict(f=spgm.Smooth(linear=np.r_[1e4, np.zeros(39)])), ValueError, "unbounded below"),
        (dict(f=spgm.Smooth(quadratic=np.eye(40)[::-1])), ValueError, "not positive semidefinite"),
    ],
)
def test_what_is_wrong_is_said(instance, change, exception, words):
    A, b = instance
    arguments = {"A": A, "b": b, "s": 2, **change}
    with pytest.raises(exception, match=words):
        spgm.solve(**arguments)


@settings(max_examples=60, deadline=None)
@given(
    m=st.integers(1, 12),
    n=st.integers(1, 9),
    s=st.integers(0, 9),
    seed=st.integers(0, 10**6),
    loss=st.sampled_from(["l1", "quantile", "epsilon", "linf", "l2", "squared"]),
    scale=st.sampled_from([1e-8, 1.0, 1e6]),
    layout=st.sampled_from(["C", "F", "csc"]),
)
def test_feasible_and_honest_on_anything(m, n, s, seed, loss, scale, layout):
    rng = np.random.default_rng(seed)
    A = scale * rng.normal(size=(m, n)) * (rng.random((m, n)) < 0.7)
    b = rng.normal(size=m)
    s = min(s, n)
    M = sparse.csc_matrix(A) if layout == "csc" else np.array(A, order=layout)
    result = spgm.solve(M, b, s, loss=loss, polish=True, effort=1, **SETTINGS.get(loss, {}))
    assert len(result.support) <= s
    x, c = result.coef, result.intercept
    expected = losses_by_hand(A @ x + c - b, A, b, x, c)[loss]
    assert result.objective == pytest.approx(expected, rel=1e-9, abs=1e-12)
    zero = losses_by_hand(-b, A, b, 0 * x, 0.0)[loss]
    assert result.objective <= zero * (1 + 1e-9) + 1e-12


def test_compare_is_in_order_and_plots(instance):
    A, b = instance
    comparison = spgm.compare(A, b, 5)
    values = [r.objective for r in comparison.results.values()]
    assert values == sorted(values) and set(comparison.results) | set(comparison.refused) == set(spgm.methods()) - {"polish"}
    assert comparison.best.objective == values[0]
    assert "objective" in repr(comparison)
    assert set(comparison.best.support) == {3, 9, 17, 21, 33}


def test_options_are_those_of_the_library():
    table = spgm.options()
    assert table["effort"].high == 9 and table["quantile"].open and table["loss"].type == "choice"
    assert all(name in spgm.solve.__doc__ for name in table)
    assert "@" not in spgm.solve.__doc__ and all(name in spgm.solve.__doc__ for name in [*spgm.losses(), *spgm.methods()])


@pytest.mark.parametrize("make", [np.asarray, sparse.csc_matrix, sparse.csr_matrix, sparse.coo_matrix])
@pytest.mark.parametrize("scale", [1.0, 2.0**660, 2.0**-660])
@pytest.mark.filterwarnings("error")
def test_deviations_of_columns_of_any_size(make, scale):
    rng = np.random.default_rng(3)
    A = rng.normal(size=(40, 5)) * (rng.random((40, 5)) < 0.6)
    result = spgm.solve(make(A * scale), 2 * A[:, 1] - A[:, 3], 2)
    assert result.support.tolist() == [1, 3]
    assert result.deviations == pytest.approx(A[:, [1, 3]].std(axis=0) * scale, rel=1e-13)


class SlowClock:
    """A clock by which whatever is timed takes seven seconds."""

    def __init__(self) -> None:
        self.readings = 0

    def __call__(self) -> float:
        self.readings += 1
        return 7.0 * self.readings


def mixed_frame(A):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(A)
    frame[1] = frame[1].astype(np.float32)
    return frame


CONVERTED = {
    "csr": sparse.csr_matrix,
    "coo": sparse.coo_matrix,
    "single sparse": lambda A: sparse.csc_matrix(A.astype(np.float32)),
    "integers": lambda A: (100 * A).astype(np.int64),
    "big-endian": lambda A: A.astype(">f8"),
    "mixed frame": mixed_frame,
}


@pytest.mark.parametrize("kind", CONVERTED)
def test_conversion_counts_in_the_time(kind, monkeypatch):
    from spgm import _estimators, _solve

    rng = np.random.default_rng(8)
    A = rng.normal(size=(60, 6))
    b = A[:, 1] - A[:, 4]
    for module in (_solve, _estimators):
        monkeypatch.setattr(module.time, "perf_counter", SlowClock())
    assert spgm.solve(CONVERTED[kind](A), b, 2, time_limit=7.5).seconds >= 7
    assert spgm.path(CONVERTED[kind](A), b, [1, 2], time_limit=7.5).seconds >= 7
    assert spgm.SparseRegressor(2, time_limit=7.5).fit(CONVERTED[kind](A), b).result_.seconds >= 7
    assert spgm.SparseClassifier(2, time_limit=7.5).fit(CONVERTED[kind](A), np.sign(b)).results_[0].seconds >= 7


def test_a_frame_of_several_types_is_the_array_that_pandas_makes():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(9)
    A = rng.normal(size=(30, 4))
    frame = pandas.DataFrame({"a": A[:, 0], "b": (9 * A[:, 1]).astype(int), "c": A[:, 2].astype(np.float32), "d": A[:, 3] > 0})
    b = A[:, 0] + A[:, 2]
    mine, theirs = spgm.solve(frame, b, 2), spgm.solve(frame.to_numpy(dtype=float), b, 2)
    assert (mine.coef == theirs.coef).all() and mine.names == ["a", "b", "c", "d"]
    assert mine.deviations == pytest.approx(theirs.deviations)
    frame["e"] = "text"
    with pytest.raises(ValueError, match="columns of text, categories or dates"):
        spgm.solve(frame, b, 2)


def test_sparse_data_are_converted_once(monkeypatch):
    A = sparse.random(50, 8, 0.5, format="csr", random_state=1)
    calls = []
    convert = type(A).tocsc
    monkeypatch.setattr(type(A), "tocsc", lambda self, *args, **kwargs: calls.append(1) or convert(self, *args, **kwargs))
    spgm.solve(A, np.arange(50.0), 3)
    assert len(calls) == 1


def test_dates_are_no_numbers():
    """Else a date would be the days or the nanoseconds since 1970, as its library has it."""
    pandas = pytest.importorskip("pandas")
    y = np.arange(8.0)
    dates, spans = pandas.date_range("2020", periods=8), pandas.to_timedelta(np.arange(8), unit="D")
    frames = [pandas.DataFrame({"when": dates}), pandas.DataFrame({"when": dates, "y": y}), pandas.DataFrame({"y": y, "when": spans})]
    try:
        import polars

        frames += [polars.DataFrame({"when": list(dates)}), polars.DataFrame({"y": y, "when": list(dates)})]
    except ImportError:
        pass
    for frame in frames:
        for call in (lambda A: spgm.solve(A, y, 1), lambda A: spgm.SparseRegressor(1).fit(A, y), lambda A: spgm.SparseRegressorCV().fit(A, y)):
            with pytest.raises(ValueError, match=r"columns of text, categories or dates \(when\)"):
                call(frame)
    for call in (lambda A: spgm.solve(A, y, 1), lambda A: spgm.SparseRegressor(1).fit(A, y)):
        with pytest.raises(ValueError, match="dates or durations"):
            call(frames[0].to_numpy())


def test_errors_call_the_arrays_as_the_caller_does():
    X, y = np.random.default_rng(0).normal(size=(12, 3)), np.arange(12.0)
    X[4, 1] = np.nan
    with pytest.raises(ValueError, match="^A is not a number .* row 5, column 2"):
        spgm.solve(X, y, 1)
    for estimator in (spgm.SparseRegressor(1), spgm.SparseRegressorCV(), spgm.SparseQuantileBand(1)):
        with pytest.raises(ValueError, match="^X is not a number .* row 5, column 2"):
            estimator.fit(X, y)
    y[2], X[4, 1] = np.inf, 0
    with pytest.raises(ValueError, match="^y is infinite in row 3"):
        spgm.SparseRegressor(1).fit(X, y)


def test_columns_of_the_same_name_are_told_apart():
    pandas = pytest.importorskip("pandas")
    X = np.random.default_rng(0).normal(size=(30, 3))
    frame = pandas.DataFrame(X, columns=["a", "b", "a"])
    y = X[:, 0] - X[:, 2] + 0.1 * X[:, 1]
    result = spgm.solve(frame, y, 2)
    assert "a (0)" in repr(result) and "a (2)" in repr(result) and result.name_of(1) == "b" and result.names == ["a", "b", "a"]
    assert {"a (0)", "a (2)"} <= set(spgm.path(frame, y, [1, 2]).to_frame().columns)
    assert {"a (0)", "a (2)"} <= set(spgm.stability(frame, y, 2, halves=4, bootstrap=4).to_frame().index)
