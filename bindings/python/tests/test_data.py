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
