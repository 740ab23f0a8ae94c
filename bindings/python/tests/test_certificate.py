"""Certificates of `exact` against the checker, which shares nothing with the library: true ones pass, tampered ones do not."""

import importlib.util
import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import spgm

TOOL = pathlib.Path(__file__).resolve().parents[3] / "tools" / "check_certificate.py"
LOSSES = ("l1", "quantile", "hinge", "epsilon", "linf", "squared", "l2", "huber", "logistic", "squared_hinge")
LABELS = ("hinge", "logistic", "squared_hinge")
SEEDS = 12  # 300 of them were tried once


@pytest.fixture(scope="module")
def checker():
    spec = importlib.util.spec_from_file_location("check_certificate", TOOL)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def draw(seed):
    """A problem of any kind: a loss, and of what else there is a third each."""
    rng = np.random.default_rng(seed)
    loss = LOSSES[seed % len(LOSSES)]
    m, n = int(rng.integers(16, 26)), int(rng.integers(5, 9))
    A = rng.standard_normal((m, n)) if seed % 3 else rng.integers(-1, 2, (m, n)).astype(float)
    if seed % 7 == 1:
        A *= 10.0 ** rng.integers(-3, 4, n)
    if seed % 11 == 3:
        A[:, 1] += 1e5  # far from zero: the library centres it
    b = A[:, :2] @ [1, -1] / max(1, np.abs(A[:, :2]).max()) + 0.5 * rng.standard_normal(m)
    if loss in LABELS:
        b = np.where(b > 0, 3.0, 1.0)
        b[:2] = 1, 3
    more = {"loss": loss, "intercept": bool(seed % 2)}
    if rng.random() < 0.4:
        more["f"] = spgm.Smooth(ridge=0.3 * rng.random() + 0.05, linear=0.1 * rng.standard_normal(n) if rng.random() < 0.4 else None)
    if rng.random() < 0.3 and loss not in ("linf", "l2"):
        more["weights"] = rng.integers(0, 3, m).astype(float)
        more["weights"][:4] = 1
    if rng.random() < 0.3:
        more |= {"lower": -rng.random(n), "upper": np.where(rng.random(n) < 0.5, np.inf, rng.random(n))}
    if rng.random() < 0.3:
        more |= {"groups": rng.integers(-1, 3, n), "group_limit": [None, 1, 2][seed % 3]}
    if rng.random() < 0.3:
        more["free_columns"] = [int(rng.integers(n))]
    if rng.random() < 0.2:
        more["exclude"] = [0]
        more.pop("free_columns", None)
    return A, b, int(rng.integers(1, 4)), more


def certify(tmp_path, A, b, s, **more):
    path = tmp_path / "proof.txt"
    result = spgm.solve(A, b, s, method="exact", certificate=path, **more)
    head, *records = map(json.loads, path.read_text().splitlines())
    return result, head, records


def proven(checker, head, records, A, b):
    with np.errstate(all="ignore"):
        return checker.verify(head, records, A, b)[0]


@pytest.mark.parametrize("seed", range(SEEDS))
def test_certificates_are_accepted(seed, tmp_path, checker):
    A, b, s, more = draw(seed)
    try:
        result, head, records = certify(tmp_path, A, b, s, **more)
    except spgm.UnsupportedError:  # dependent columns, no ridge, no bounds: nothing to be had
        assert seed % 3 == 0
        return
    T = proven(checker, head, records, A, b)
    assert head["objective"] == result.objective and head["bound"] <= result.objective
    assert T <= result.objective and result.objective - T <= 1e-6 * (abs(T) + 1e-3 * spgm.solve(A, b, 0, **more).objective) + 1e-9


def test_a_gap_and_a_limit_are_certified_too(tmp_path, checker):
    A, b = spgm.generate("random-30-12", seed=4, support=5, noise=3)
    for how in ({"gap": 0.05}, {"node_limit": 3}):
        result, head, records = certify(tmp_path, A, b, 3, **how)
        assert head["bound"] < (1 - 1e-3) * result.objective
        assert proven(checker, head, records, A, b) >= head["bound"] * (1 - 1e-8)


def tampered(head, records, how, rng):
    """The certificate with one thing wrong."""
    head, records = dict(head), [dict(r) for r in records]
    if how == "bound":
        head["bound"] *= 1.001
    elif how == "leaf":
        at = max(i for i, r in enumerate(records) if r["parent"] >= 0)
        parents = [r["parent"] for r in records]
        assert at not in parents
        records[at] = {**records[at], "parent": -7}
    elif how == "dual":
        for at, r in enumerate(records[1:], 1):
            records[at] = {**r, "alphas": (rng.random((len(r["alphas"]), head["rows"])) - 0.5).tolist()}
    elif how == "outside":
        records = [{**r, "alphas": (1.5 * np.array(r["alphas"])).tolist()} for r in records]
    return head, records


@pytest.fixture(scope="module", params=["l1", "linf", "squared", "quantile"])
def certified(request, tmp_path_factory, checker):
    rng = np.random.default_rng(5)
    A = rng.standard_normal((30, 12))
    b = A[:, :4] @ [1, -1, 0.7, 0.5] + 2.5 * rng.standard_normal(30)
    _, head, records = certify(tmp_path_factory.mktemp("certified"), A, b, 3, loss=request.param)
    assert len(records) > 3
    proven(checker, head, records, A, b)
    return head, records, A, b


@pytest.mark.parametrize("how", ["bound", "leaf", "dual", "outside"])
def test_tampered_ones_are_refused(how, certified, checker):
    head, records, A, b = certified
    if how == "outside" and head["loss"] == "squared":
        pytest.skip("every vector is a dual vector")
    with pytest.raises(AssertionError):
        proven(checker, *tampered(head, records, how, np.random.default_rng(5)), A, b)


def test_columns_that_cannot_be_in_need_no_boxes(tmp_path, checker):
    """Without a budget nothing but the intercept is left, and equal columns have no dual vectors of their own."""
    A = np.repeat([[-1.0], [0], [0], [-2], [1], [-2], [-2], [-2], [0], [-1], [2], [1]], 2, axis=1)
    b = np.array([-1.0, 0, 2, 0, 0, 1, 1, -2, 0, -1, 1, 0])
    result, head, records = certify(tmp_path, A, b, 0, loss="squared")
    optimum = 0.5 * np.sum((b - b.mean()) ** 2)
    assert result.objective == pytest.approx(optimum, rel=1e-12)
    assert optimum * (1 - 1e-6) <= proven(checker, head, records, A, b) <= optimum


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("more", [{"groups": [0, 0, 1, 1, 1], "group_limit": 1, "s": 3}, {"s": 2, "lower": [-9, 0, -9, -9, 0], "upper": [9, 0, 9, 9, 0]}])
def test_what_groups_and_bounds_leave_out_needs_no_leaf(seed, more, tmp_path, checker):
    """A leaf for every column that may be the last one: not for those of full groups, nor for those that are 0."""
    rng = np.random.default_rng(seed)
    A, b = rng.standard_normal((15, 5)), rng.standard_normal(15)
    result, head, records = certify(tmp_path, A, b, loss="l1", ridge=0.001, **more)
    assert result.bound * (1 - 1e-6) <= proven(checker, head, records, A, b) <= result.objective


def test_other_data_are_refused(tmp_path, checker):
    A, b = spgm.generate("random-40-12", seed=2, support=4, noise=2)
    _, head, records = certify(tmp_path, A, b, 3)
    other = b.copy()
    other[0] += 5 * np.abs(b).max()
    for data in ((A, other), (A[:, ::-1], b), (A[:-1], b[:-1])):
        with pytest.raises(AssertionError):
            proven(checker, head, records, *data)


def test_dependent_columns_of_a_group_with_a_limit_have_boxes(tmp_path, checker):
    """Column 2 is twice column 6 but in two rows; one of them at most is in, and the checker knows that, too."""
    A = np.array([
        [-1.0, 0, 2, -1, 1, 0, 1], [-1, 0, 2, -1, 1, 1, 1], [0, 0, 0, 0, 1, 1, 0], [0, 0, 2, -1, -1, 1, 1],
        [-1, 0, 0, 0, 1, 0, 0], [0, 0, 2, 1, -1, 0, 1], [-1, 0, 2, -1, 1, 0, 1],
    ])  # fmt: skip
    b = np.array([0.02578353, -1.04457232, -1.25691741, -3.46435958, 1.29417545, 1.86689994, -0.25684015])
    result, head, records = certify(tmp_path, A, b, 3, intercept=False, groups=[-1, 2, 1, 2, -1, 2, 1], group_limit=1)
    assert result.bound * (1 - 1e-8) <= proven(checker, head, records, A, b) <= result.objective


def test_a_free_column_of_zeros_with_a_slope_is_in(tmp_path, checker):
    rng = np.random.default_rng(4)
    A, b = rng.standard_normal((12, 3)), rng.standard_normal(12)
    A[:, 1] = 0
    how = {"free_columns": [1], "f": spgm.Smooth(ridge=0.5, linear=[0.1, 1, -0.1])}
    result, head, records = certify(tmp_path, A, b, 1, **how)
    assert result.coef[1] == pytest.approx(-2)
    assert proven(checker, head, records, A, b) == pytest.approx(result.objective, rel=1e-6)


@pytest.mark.parametrize("seed", [12, 96, 141])
def test_a_leaf_that_was_fitted_twice_has_the_better_vector(seed, tmp_path, checker):
    """Columns in different units: a first fit may prove less than it should, and the second one less than that."""
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((15, 5)) * 10.0 ** rng.integers(-3, 4, 5)
    b = A[:, 0] / np.abs(A[:, 0]).max() + 0.2 * rng.standard_normal(15)
    result, head, records = certify(tmp_path, A, b, 1, loss="l2", f=0.1)
    assert result.bound * (1 - 1e-8) <= proven(checker, head, records, A, b) <= result.objective


def test_a_certificate_cannot_move_the_data(tmp_path, checker):
    """Without an intercept b less a constant is another problem, whose F may be far higher."""
    A, b = spgm.generate("random-30-10", seed=1)
    _, head, _ = certify(tmp_path, A, b, 2, intercept=False)
    head |= {"ridge": 1e6, "shift": -1e4, "bound": 1e3, "rough": 0}
    root = {"parent": -1, "column": -1, "in": False, "branch": -1, "columns": [-1], "alphas": [[-1.0] * b.size]}
    with pytest.raises(AssertionError, match="intercept"):
        proven(checker, head, [root], A, b)


def test_a_column_of_zeros_does_not_speak_for_its_group(tmp_path, checker):
    """It is out for good; that its group is in must be looked at all the same."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((20, 4))
    A[:, 0] = 0
    b = 3 * A[:, 1] + 0.1 * rng.standard_normal(20)
    how = {"groups": [0, 0, 1, 2], "f": 1e-3}
    result, head, records = certify(tmp_path, A, b, 1, **how)
    assert proven(checker, head, records, A, b) <= result.objective
    without, other, records = certify(tmp_path, A, b, 1, exclude=[0, 1], **how)
    assert without.objective > 2 * result.objective
    rough = other["rough"]  # the root is split by the column of zeros, and only the child without the group is there
    root = {"parent": -1, "column": -1, "in": False, "branch": 0, "columns": records[0]["columns"][:rough], "alphas": records[0]["alphas"][:rough]}
    child = {**records[0], "parent": 0, "column": 0, "columns": records[0]["columns"][rough:], "alphas": records[0]["alphas"][rough:]}
    rest = [{**record, "parent": record["parent"] + 1} for record in records[1:]]
    with pytest.raises(AssertionError, match="a child of it is missing"):
        proven(checker, {**head, "bound": other["bound"], "rough": rough}, [root, child, *rest], A, b)


@pytest.mark.parametrize("flags, says", [([], "F >= "), (["-O"], "refused: python -O")])
def test_assertions_are_not_left_out(flags, says, tmp_path):
    A, b = spgm.generate("random-20-5", seed=1)
    certify(tmp_path, A, b, 2, free_columns=[1])
    np.save(tmp_path / "A.npy", A)
    np.save(tmp_path / "b.npy", b)
    said = subprocess.run([sys.executable, *flags, TOOL, tmp_path / "proof.txt", tmp_path / "A.npy", tmp_path / "b.npy"], capture_output=True, text=True)
    assert says in said.stdout + said.stderr and said.returncode == bool(flags)
    assert flags or ", free as in its first line" in said.stdout


@pytest.mark.parametrize("names", [{}, {"header": "p,q,r,s,t,y"}])
def test_tables_are_read_with_names_and_without(names, tmp_path):
    rng = np.random.default_rng(3)
    A, b = rng.standard_normal((30, 5)), rng.standard_normal(30)
    certify(tmp_path, A, b, 2)
    np.savetxt(tmp_path / "table.csv", np.c_[A, b], delimiter=",", fmt="%.17g", comments="", **names)
    said = subprocess.run([sys.executable, TOOL, tmp_path / "proof.txt", tmp_path / "table.csv"], capture_output=True, text=True)
    assert said.returncode == 0 and said.stdout.startswith("proven"), said.stderr


def test_what_cannot_be_certified_is_said(tmp_path):
    A, b = spgm.generate("random-10-30", seed=1)
    with pytest.raises(spgm.UnsupportedError, match="needs a ridge"):
        spgm.solve(A, b, 2, method="exact", certificate=tmp_path / "x", node_limit=3)
    with pytest.raises(ValueError, match="run the method exact"):
        spgm.solve(A, b, 2, method="omp", certificate=tmp_path / "x")
    with pytest.raises(spgm.UnsupportedError, match="quadratic"):
        spgm.solve(A, b, 2, method="exact", certificate=tmp_path / "x", f=spgm.Smooth(ridge=1.0, quadratic=np.eye(30)))


def test_a_proof_that_cannot_be_written_does_not_take_the_model_with_it(tmp_path):
    A, b = spgm.generate("random-10-30", seed=1)
    with pytest.raises(spgm.UnsupportedError) as error:
        spgm.solve(A, b, 2, method="exact", certificate=tmp_path / "x", node_limit=3)
    x, c = error.value.result.coef, error.value.result.intercept
    assert np.count_nonzero(x) == 2
    assert np.abs(A @ x + c - b).sum() == pytest.approx(error.value.result.objective, rel=1e-12)
    A, b = spgm.generate("random-40-12", seed=2, support=4, noise=2)
    with pytest.raises(OSError) as full:
        spgm.solve(A, b, 3, method="exact", certificate="/dev/full")
    assert full.value.result.objective == spgm.solve(A, b, 3, method="exact").objective


def test_the_checker_is_short():
    assert len(TOOL.read_text().splitlines()) <= 150


def test_the_finite_one_of_two_bounds_is_used():
    A, b = spgm.generate("random-100-40", seed=1, support=6, noise=2)
    result = spgm.solve(A, b, 5, method="exact", positive=True)
    assert result.outcome == "optimal" and result.nodes < 2000  # 39457 while it was forgotten
