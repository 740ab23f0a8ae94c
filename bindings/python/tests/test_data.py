"""read and generate."""

from __future__ import annotations

import gc

import numpy as np
import pytest
import scipy.sparse as sparse

import spgm


def test_libsvm(tmp_path):
    file = tmp_path / "small.svm"
    file.write_text("1 1:0.5 3:2\n-1 2:1.5\n")
    data = spgm.read(file)
    assert sparse.issparse(data.A) and data.A.toarray().tolist() == [[0.5, 0, 2], [0, 1.5, 0]]
    assert data.b.tolist() == [1, -1] and data.format == "libsvm"
    assert spgm.read(str(file), columns=5).A.shape == (2, 5)


def test_csv(tmp_path):
    file, target = tmp_path / "small.csv", tmp_path / "b.csv"
    file.write_text("size,price,age\n1,2,3\n4,5,6\n")
    target.write_text("7\n8\n")
    data = spgm.read(file, target="price")
    assert data.names == ["size", "age"] and data.target_name == "price" and data.b.tolist() == [2, 5]
    assert data.A.flags.f_contiguous and data.A.tolist() == [[1, 3], [4, 6]]
    assert spgm.read(file, target=1).b.tolist() == [1, 4]
    alone = spgm.read(file, no_target=True)
    assert alone.b is None and alone.A.shape == (2, 3) and "no target" in repr(alone)
    assert spgm.read(file, target_file=target).b.tolist() == [7, 8]


def test_tables(tmp_path):
    file = tmp_path / "houses.csv"
    file.write_text("id,Region,age,w,price\na,South,10,1,1\nb,North,,2,2\nc,West,30,3,3\n")
    with pytest.raises(ValueError, match="the value is missing"):
        spgm.read(file)
    data = spgm.read(file, exclude=["id"], missing="drop", weights="w")
    assert data.names == ["Region=South", "Region=West", "age"] and data.groups.tolist() == [1, 1, 2]
    assert data.A.tolist() == [[1, 0, 10], [0, 1, 30]]
    assert data.b.tolist() == [1, 3] and data.rows.tolist() == [0, 2] and data.weights.tolist() == [1, 3]
    kinds = [column.kind for column in data.table]
    assert kinds == ["excluded", "category", "number", "weights"]
    assert data.table[1].levels == ["North", "South", "West"] and data.table[1].columns == range(0, 2)
    full = spgm.read(file, only="Region", categories="full")
    assert full.A.tolist() == [[0, 1, 0], [1, 0, 0], [0, 0, 1]]
    filled = spgm.read(file, only=["age"], missing="median")
    assert filled.A.ravel().tolist() == [10, 20, 30]
    labels = spgm.read(file, target="Region", only="w", labels=True)
    assert labels.labels == ["North", "South", "West"] and labels.b.tolist() == [1, 0, 2]
    assert spgm.solve(full.A, full.b, 1, groups=full.groups).units == 1


def test_forms_of_csv(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("1;2;3\n1,5;7;4\n")
    data = spgm.read(file, decimal=",", header=True)
    assert data.A.tolist() == [[1.5, 7]] and data.names == ["1", "2"]
    file.write_text("a:y\n1:2\n")
    assert spgm.read(file, separator=":", format="csv").A.tolist() == [[1]]
    with pytest.raises(ValueError, match="one character"):
        spgm.read(file, separator="::")


def test_names_and_columns_of_matrices(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[1.0, 2, 3], [4, 5, 6]]))
    (tmp_path / "names").write_text("a\ny\nw\n")
    data = spgm.read(tmp_path / "a.npy", names=tmp_path / "names", target="y", weights=3)
    assert data.A.tolist() == [[1], [4]] and data.b.tolist() == [2, 5] and data.weights.tolist() == [3, 6]
    assert data.names == ["a"] and data.target_name == "y"
    for how in ({"exclude": 1}, {"only": "a"}, {"missing": "drop"}):
        with pytest.raises(ValueError, match="for CSV files"):
            spgm.read(tmp_path / "a.npy", no_target=True, **how)


def test_npy_and_mtx(tmp_path):
    A = np.arange(6.0).reshape(2, 3)
    np.save(tmp_path / "a.npy", A)
    assert np.array_equal(spgm.read(tmp_path / "a.npy", no_target=True).A, A)
    from scipy.io import mmwrite

    mmwrite(tmp_path / "a.mtx", sparse.coo_matrix(A))
    assert np.array_equal(spgm.read(tmp_path / "a.mtx", no_target=True).A.toarray(), A)


def test_the_memory_outlives_the_data():
    A, b = spgm.generate("random-30-40", seed=3)
    total = A.sum()
    gc.collect()
    junk = [np.ones(1200) for _ in range(100)]
    assert A.sum() == total and len(junk) == 100
    A[0, 0] = 5.0  # it is the user's own
    assert A[0, 0] == 5.0


def test_instances():
    clean = spgm.generate("random-50-80", seed=2, noise=0, support=4)
    assert np.count_nonzero(clean.truth) == 4
    assert np.allclose(clean.A @ clean.truth, clean.b)
    assert np.array_equal(clean.A, spgm.generate("random-50-80", seed=2).A)


@pytest.mark.parametrize(
    "make, exception, words",
    [
        (lambda: spgm.read("/nowhere/at.all"), FileNotFoundError, "/nowhere/at.all"),
        (lambda: spgm.generate("random-0-5"), ValueError, "random"),
        (lambda: spgm.generate("nonsense"), ValueError, "nonsense"),
        (lambda: spgm.generate("random-5-5", noise=-1), ValueError, "negative"),
    ],
)
def test_what_is_wrong_is_said(make, exception, words):
    with pytest.raises(exception, match=words):
        make()


def test_a_file_that_is_not_one(tmp_path):
    file = tmp_path / "bad.csv"
    file.write_text("a,b\n1,x\n")
    with pytest.raises(ValueError, match="line 2"):
        spgm.read(file)
    with pytest.raises(OSError):
        spgm.read(tmp_path)


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("target", [1, 5, 9])
def test_a_large_npy_file_stays_where_it_is(order, kind, target, tmp_path, monkeypatch):
    from spgm import _arrays, _data

    monkeypatch.setattr(_arrays, "_LARGE", 100)
    monkeypatch.setattr(_data, "_LARGE", 100)
    rng = np.random.default_rng(4)
    numbers = rng.normal(size=(80, 9)).astype(kind)
    numbers[:, target - 1] = numbers[:, 2] - numbers[:, 6] + 0.1 * rng.normal(size=80)
    np.save(tmp_path / "A.npy", np.asarray(numbers, order=order))
    data = spgm.read(tmp_path / "A.npy", target=target)
    everything = data.A.array if isinstance(data.A, _arrays.MappedColumns) else data.A
    assert isinstance(everything, np.memmap) and isinstance(data.A, _arrays.MappedColumns) == (target == 5)
    rest = np.delete(numbers, target - 1, axis=1).astype(np.float64)
    b = numbers[:, target - 1].astype(np.float64)
    assert data.A.shape == rest.shape and (np.asarray(data.A) == rest).all() and (data.b == b).all()
    mine, theirs = spgm.solve(data.A, data.b, 2), spgm.solve(rest, b, 2)
    assert mine.support.tolist() == theirs.support.tolist()
    assert mine.objective == pytest.approx(theirs.objective, rel=1e-12)
    assert mine.deviations == pytest.approx(theirs.deviations, rel=1e-12)
    assert mine.predict(data.A) == pytest.approx(theirs.predict(rest), rel=1e-12)
    assert spgm.path(data.A, data.b, [1, 2]).objective == pytest.approx(spgm.path(rest, b, [1, 2]).objective, rel=1e-12)
    cross = [spgm.cross_validate(*pair, [1, 2], folds=4).mean for pair in ((data.A, data.b), (rest, b))]
    assert cross[0] == pytest.approx(cross[1], rel=1e-9)


def test_features_of_a_large_npy_file_are_selected_without_a_copy_of_all(tmp_path, monkeypatch):
    from spgm import _arrays, _data

    monkeypatch.setattr(_arrays, "_LARGE", 100)
    monkeypatch.setattr(_data, "_LARGE", 100)
    numbers = np.random.default_rng(6).normal(size=(60, 7))
    numbers[:, 3] = numbers[:, 1] - numbers[:, 5]
    np.save(tmp_path / "A.npy", numbers)
    data = spgm.read(tmp_path / "A.npy", target=4)
    rest = np.asarray(data.A)
    monkeypatch.setattr(_arrays.MappedColumns, "__array__", lambda *_, **__: pytest.fail("all columns were copied"))
    model = spgm.SparseRegressor(2).fit(data.A, data.b)
    assert np.array_equal(model.transform(data.A), rest[:, model.support_]) and model.support_.tolist() == [1, 4]
    assert np.array_equal(model.transform(rest), rest[:, model.support_])
    frame = pytest.importorskip("pandas").DataFrame(rest)
    assert np.array_equal(model.set_output(transform="pandas").transform(frame).to_numpy(), rest[:, model.support_])
    assert list(model.transform(data.A).columns) == ["x1", "x4"]


def test_columns_of_a_large_npy_file_by_role(tmp_path, monkeypatch):
    from spgm import _arrays, _data

    monkeypatch.setattr(_arrays, "_LARGE", 100)
    monkeypatch.setattr(_data, "_LARGE", 100)
    numbers = np.random.default_rng(5).random((60, 7))
    np.save(tmp_path / "A.npy", numbers)
    np.save(tmp_path / "b.npy", numbers[:, 0])
    data = spgm.read(tmp_path / "A.npy", target="3", weights=5)
    assert (data.b == numbers[:, 2]).all() and (data.weights == numbers[:, 4]).all()
    assert (np.asarray(data.A) == numbers[:, [0, 1, 3, 5, 6]]).all() and (data.A[:, 2] == numbers[:, 3]).all()
    assert (spgm.read(tmp_path / "A.npy", target_file=tmp_path / "b.npy").b == numbers[:, 0]).all()
    assert spgm.read(tmp_path / "A.npy", no_target=True).b is None
    assert spgm.read(tmp_path / "A.npy").b is None
    for wrong in ({"target": 8}, {"target": 2, "weights": 2}):
        with pytest.raises(ValueError):
            spgm.read(tmp_path / "A.npy", **wrong)
