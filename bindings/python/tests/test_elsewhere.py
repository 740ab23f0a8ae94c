"""Cross-validation through joblib: the same numbers by every backend, what may go wrong elsewhere."""

import pickle
import sys

import numpy as np
import pytest

import spgm
from spgm import _elsewhere

joblib = pytest.importorskip("joblib")


def data(rows=90, columns=12, seed=3):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(rows, columns))
    return A, 2 * A[:, 1] - A[:, 5] + 0.5 * A[:, 8] + 0.4 * rng.standard_t(2, size=rows)


def assert_same(found, expected):
    np.testing.assert_array_equal(found.sparsity, expected.sparsity)
    np.testing.assert_array_equal(found.grid_losses, expected.grid_losses)
    np.testing.assert_array_equal(found.fold_of_row, expected.fold_of_row)
    assert found.choices == expected.choices


@pytest.fixture
def counted(monkeypatch):
    """How many calls joblib has had."""
    calls = []
    run = joblib.Parallel.__call__

    def call(self, iterable):
        calls.append(type(self._backend).__name__)
        return run(self, iterable)

    monkeypatch.setattr(joblib.Parallel, "__call__", call)
    return calls


KINDS = {
    "list of s": (dict(sparsities=range(6)), 1),
    "open range, ridges of the data": (dict(ridges="auto"), 1),
    "given folds, two ridges": (dict(sparsities=[1, 3], folds=np.arange(90) % 4, ridges=[0.5, 0.01]), 1),
    "a path": (dict(sparsities=[2, 4], effort=1, folds=3), 1),
    "weights, free columns, bounds": (dict(sparsities=[1, 2], weights=1 + np.arange(90) % 2, free_columns=[0], lower=-1.5, f=0.1), 1),
}


@pytest.mark.parametrize("kind", KINDS)
def test_threads_find_the_same(kind, counted):
    A, b = data()
    arguments, rounds = KINDS[kind]
    arguments = dict(folds=5) | arguments
    expected = spgm.cross_validate(A, b, **arguments)
    assert counted == []
    assert_same(spgm.cross_validate(A, b, n_jobs=2, **arguments), expected)
    assert set(counted) == {"ThreadingBackend"} and len(counted) >= rounds
    del counted[:]
    with joblib.parallel_backend("threading", n_jobs=3):
        assert_same(spgm.cross_validate(A, b, **arguments), expected)
    assert len(counted) >= rounds


def test_open_ranges_go_on_from_round_to_round(counted):
    rng = np.random.default_rng(8)
    A = rng.normal(size=(160, 40))
    b = A[:, :20] @ np.linspace(2, 1, 20) + 0.1 * rng.normal(size=160)
    expected = spgm.cross_validate(A, b, folds=3, threads=1)
    assert expected.sparsity[-1] > 20
    assert_same(spgm.cross_validate(A, b, folds=3, n_jobs=2), expected)
    assert len(counted) == 4  # up to s = 8, 16, 32 and 40


def estimators():
    sklearn = pytest.importorskip("sklearn")
    assert sklearn
    A, b = data()
    three = np.digitize(b, [-1, 1])
    return [
        (spgm.SparseRegressorCV, dict(n_nonzero_coefs=3, alphas=[1.0, 0.1], cv=3), A, b),
        (spgm.SparseClassifierCV, dict(n_nonzero_coefs=[1, 3], alphas=[1.0], cv=3), A, three),
    ]


def check_estimators(**more):
    for make, arguments, X, y in estimators():
        expected, found = make(**arguments).fit(X, y), None
        if "backend" not in more:
            found = make(**arguments, **more).fit(X, y)
        else:
            with joblib.parallel_backend(**more):
                found = make(**arguments).fit(X, y)
        assert_same(found.cross_validation_, expected.cross_validation_)
        np.testing.assert_array_equal(found.coef_, expected.coef_)


def test_estimators_through_threads(counted):
    check_estimators(n_jobs=2)
    assert counted == ["ThreadingBackend"] * 2


def test_loky_takes_the_folds(counted):
    A, b = data()
    arguments = dict(folds=3, ridges="auto", repeats=1)
    expected = spgm.cross_validate(A, b, **arguments)
    with joblib.parallel_backend("loky", n_jobs=2):
        assert_same(spgm.cross_validate(A, b, **arguments), expected)
        assert_same(spgm.cross_validate(A, b, n_jobs=2, **arguments), expected)
    check_estimators(backend="loky", n_jobs=2)
    assert set(counted) == {"LokyBackend"}


def test_a_local_dask_cluster_takes_the_folds(counted, tmp_path):
    distributed = pytest.importorskip("distributed", reason="dask.distributed is not installed")
    import dask

    A, b = data()
    arguments = dict(folds=3, ridges="auto", repeats=1)
    expected = spgm.cross_validate(A, b, **arguments)
    with dask.config.set(temporary_directory=str(tmp_path)):
        cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=2, processes=True, dashboard_address=None)
        with cluster, distributed.Client(cluster), joblib.parallel_backend("dask"):
            assert_same(spgm.cross_validate(A, b, **arguments), expected)
    assert set(counted) == {"DaskDistributedBackend"}


def test_inside_another_parallel_run_the_folds_stay(counted):
    A, b = data()
    expected = spgm.cross_validate(A, b, range(4), folds=3)
    found = joblib.Parallel(2, backend="threading")(
        joblib.delayed(spgm.cross_validate)(A, b, range(4), folds=3, threads=1) for _ in range(2)
    )
    assert len(counted) == 1
    for each in found:
        assert_same(each, expected)


def test_a_callback_sees_folds_and_may_stop():
    A, b = data()
    seen = []
    spgm.cross_validate(A, b, range(4), folds=5, n_jobs=2, callback=seen.append)
    assert [p.iteration for p in seen] == [1, 2, 3, 4, 5]
    assert all(x.fraction <= y.fraction for x, y in zip(seen, seen[1:]))
    stopped = spgm.cross_validate(A, b, range(4), folds=5, n_jobs=1, callback=lambda p: p.iteration == 2)
    known = ~np.isnan(stopped.losses).any(axis=0)
    assert known.tolist() == [True, True, False, False, False]
    with pytest.raises(RuntimeError, match="as told"):
        spgm.cross_validate(A, b, range(4), folds=5, n_jobs=2, callback=lambda p: (_ for _ in ()).throw(RuntimeError("as told")))


def test_what_is_wrong_is_said_as_ever():
    A, b = data()
    labels = np.where(np.arange(90) == 0, 1.0, -1.0)
    for n_jobs in (None, 2):
        with pytest.raises(ValueError, match="a label needs rows in at least two folds"):
            spgm.cross_validate(A, labels, range(3), folds=3, loss="hinge", n_jobs=n_jobs)
        with pytest.raises(ValueError, match="folds is 91"):
            spgm.cross_validate(A, b, range(3), folds=91, n_jobs=n_jobs)


def plan(**changed):
    A, b = data()
    recipe = _elsewhere.Recipe(spgm._path._make, [(A, b, {}, None, None, None, None, (False, None, None, None, None, None))])
    arguments = dict(sparsities=None, options={"folds": 3}, given=0, fold_of_row=np.empty(90, dtype=np.int64), ridges=None)
    return _elsewhere.Plan(recipe, **(arguments | changed))


def test_a_piece_that_does_not_belong_is_refused():
    numbers = np.zeros(1 + 2 * 13)
    good = (0, 0, 9, 1, 0, 1, np.inf, numbers.tobytes())
    losses, trail = _elsewhere.run_piece(plan(), good, _elsewhere.Stop())
    assert len(losses) == 9 * 8 and len(trail) == numbers.nbytes
    assert np.isfinite(np.frombuffer(losses)).all()
    for place, value in ((0, 3), (0, -1), (1, 9), (2, 1000), (3, 2), (3, 0), (4, 1), (5, 2), (7, b"")):
        piece = (*good[:place], value, *good[place + 1 :])
        with pytest.raises(ValueError, match="piece"):
            _elsewhere.run_piece(plan(), piece, _elsewhere.Stop())
    for wrong in (-1.0, 0.5, 14.0, np.nan):
        numbers[0] = wrong
        with pytest.raises(ValueError, match="the trail of piece 1"):
            _elsewhere.run_piece(plan(), (1, 3, 5, 1, 0, 1, np.inf, numbers.tobytes()), _elsewhere.Stop())
    numbers[:3] = 1, 99, 1
    with pytest.raises(ValueError, match="the trail of piece 1"):
        _elsewhere.run_piece(plan(), (1, 3, 5, 1, 0, 1, np.inf, numbers.tobytes()), _elsewhere.Stop())


def test_a_stop_that_is_set_leaves_no_losses():
    stop = _elsewhere.Stop()
    stop.event.set()
    A, b = data(3000, 60)
    recipe = _elsewhere.Recipe(spgm._path._make, [(A, b, {}, None, None, None, None, (False, None, None, None, None, None))])
    large = _elsewhere.Plan(recipe, np.arange(1, 40), {"folds": 2}, 0, np.empty(3000, dtype=np.int64), None)
    losses, _ = large.run((0, 0, 39, 1, 0, 1, np.inf, b""), stop)
    assert np.isnan(np.frombuffer(losses)).all()
    assert not pickle.loads(pickle.dumps(stop))()


def test_the_recipe_is_as_large_as_its_data():
    A, b = data()
    there = pickle.loads(pickle.dumps(plan()))
    assert sys.getsizeof(there) > A.nbytes + b.nbytes
    assert there.recipe.problems() is there.recipe.problems()


def test_without_joblib_the_library_has_its_own_threads(monkeypatch):
    monkeypatch.setitem(sys.modules, "joblib", None)
    monkeypatch.setitem(sys.modules, "joblib.parallel", None)
    A, b = data()
    expected = spgm.cross_validate(A, b, range(4), folds=3)
    assert_same(spgm.cross_validate(A, b, range(4), folds=3, n_jobs=2), expected)


@pytest.mark.parametrize(("takes", "at_a_time", "begun"), [(1.0, 1, 10), (1.9, 1, 5), (1.9, 2, 5), (30.0, 1, 1), (0.2, 1, 10)])
def test_pieces_without_time_are_left_out(monkeypatch, takes, at_a_time, begun):
    """Ten pieces, a second each: when they take longer the last ones are not begun, but for the first one."""
    clock = [100.0]
    monkeypatch.setattr(_elsewhere.time, "monotonic", lambda: clock[0])
    pieces = [(k, 0, 1, 1, 0, 1, 1.0, b"") for k in range(10)]
    done = []
    for piece in _elsewhere.in_time(pieces, 1, at_a_time, done):
        done.append(piece)
        clock[0] += takes / at_a_time
    assert done == pieces[:begun]


def test_without_a_limit_no_piece_is_left_out():
    pieces = [(k, 0, 1, 1, 0, 1, float("inf"), b"") for k in range(10)]
    assert list(_elsewhere.in_time(pieces, 1, 1, [])) == pieces


def test_folds_that_joblib_had_no_time_for_are_not_known(monkeypatch):
    """The others count, and the choice is made by them."""
    A, b = spgm.generate("random-60-12", seed=5)
    whole = spgm.cross_validate(A, b, [1, 3], folds=4, effort=1)
    monkeypatch.setattr(_elsewhere, "in_time", lambda pieces, *how: iter(pieces[:2]))
    part = spgm.cross_validate(A, b, [1, 3], folds=4, effort=1, n_jobs=1, time_limit=1000)
    assert np.allclose(part.losses[:, :2], whole.losses[:, :2], rtol=1e-12)
    assert np.isnan(part.losses[:, 2:]).all()
    assert np.allclose(part.mean, whole.losses[:, :2].mean(axis=1))


def test_the_limit_of_an_estimator_counts_its_checks():
    import time

    model = spgm.SparseRegressorCV(time_limit=10)
    with model._clock(time.perf_counter() - 4, losses=3):
        assert 3 * model._limit() == pytest.approx((1 - spgm._spgm.CV_FIT_SHARE) * 6, abs=0.05)
