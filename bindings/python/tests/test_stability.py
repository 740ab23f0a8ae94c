"""stability: frequencies, bounds and intervals from the samples; fits of the samples by calls of our own."""

import numpy as np
import pytest

import spgm


def sample(rows=70, columns=12, seed=0):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(rows, columns))
    return A, A[:, 2] - 2 * A[:, 7] + 0.5 * rng.normal(size=rows)


def test_numbers_are_those_of_the_samples():
    A, b = sample()
    found = spgm.stability(A, b, 3, halves=20, bootstrap=30, threshold=0.8, level=0.9, seed=4)
    assert found.complete and len(found.halves) == 20 and len(found.bootstraps) == 30
    counts = np.array([[j in half for j in range(12)] for half in found.halves])
    assert np.allclose(found.frequencies, counts.mean(axis=0))
    assert found.stable.tolist() == np.flatnonzero(counts.mean(axis=0) >= 0.8).tolist()
    q, p, B = counts.sum(axis=1).mean(), 12, 10
    assert np.isclose(found.selected, q)
    assert np.isclose(found.expected_false, q * q / p / (2 * 0.8 - 1))
    assert np.isclose(found.expected_false_unimodal, 4 * (1 - 0.8 + 1 / (2 * B)) / (1 + 1 / B) * q / p * q)
    assert np.allclose(found.result.coef, spgm.solve(A, b, 3, seed=4).coef)
    support = found.result.support
    for sample_ in found.bootstraps:
        assert set(sample_) <= set(support.tolist())
    table = np.array([[sample_.get(int(j), 0.0) for j in support] for sample_ in found.bootstraps])
    assert np.allclose(found.low[support], np.quantile(table, 0.05, axis=0))
    assert np.allclose(found.high[support], np.quantile(table, 0.95, axis=0))
    assert np.isnan(found.low).sum() == 12 - support.size
    assert "halves" in repr(found)


def test_any_number_of_threads_gives_the_same():
    A, b = sample(seed=1)
    one = spgm.stability(A, b, 3, halves=10, bootstrap=10, threads=1)
    three = spgm.stability(A, b, 3, halves=10, bootstrap=10, threads=3)
    assert one.halves == three.halves and one.bootstraps == three.bootstraps
    other = spgm.stability(A, b, 3, halves=10, bootstrap=10, seed=2)
    assert one.bootstraps != other.bootstraps
    longer = spgm.stability(A, b, 3, halves=14, bootstrap=12)
    assert longer.halves[:10] == one.halves and longer.bootstraps[:10] == one.bootstraps


def test_intervals_of_a_known_model_cover():
    """Where the columns are known, the interval of a coefficient holds the truth about as often as it says."""
    inside = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        A = rng.normal(size=(60, 2))
        b = A @ [1.0, -2.0] + rng.normal(size=60)
        found = spgm.stability(A, b, 2, halves=0, bootstrap=100, loss="squared_error", level=0.9)
        inside += [found.low[0] <= 1 <= found.high[0], found.low[1] <= -2 <= found.high[1]]
    assert 0.75 < np.mean(inside) <= 0.99


def test_feasible_set_weights_labels():
    A, b = sample()
    found = spgm.stability(A, b, 2, halves=6, bootstrap=5, positive=True, exclude=[2], free_columns=[0])
    assert all(value >= 0 for part in found.halves + found.bootstraps for value in part.values())
    assert all(2 not in part for part in found.halves)
    assert 0 not in found.stable
    weights = np.r_[np.ones(35), np.zeros(35)]
    alone = spgm.stability(A[:35], b[:35], 2, halves=6, bootstrap=5)
    weighted = spgm.stability(A, b, 2, halves=6, bootstrap=5, weights=weights)
    assert [set(part) for part in alone.halves] == [set(part) for part in weighted.halves]
    labels = spgm.stability(A, np.where(b > 0, 1.0, 0.0), 2, halves=6, bootstrap=5, loss="logistic", f=0.1)
    assert labels.complete


def test_sentences_and_stop():
    A, b = sample()
    for arguments, words in [({"threshold": 0.5}, "above 0.5"), ({"level": 1}, "between 0 and 1"), ({"halves": -1}, "0 for none")]:
        with pytest.raises(ValueError, match=words):
            spgm.stability(A, b, 2, **arguments)
    with pytest.raises(ValueError, match="too few"):
        spgm.stability(A[:3], b[:3], 1)
    assert not spgm.stability(np.repeat(A, 20, axis=1), b, 20, halves=200, callback=lambda progress: True).complete


def test_plot_and_frame():
    pytest.importorskip("matplotlib").use("Agg")
    A, b = sample()
    found = spgm.stability(A, b, 2, halves=6, bootstrap=5)
    assert found.plot().get_xlim() == (0, 1)
    pytest.importorskip("pandas")
    assert found.to_frame().shape[1] == 4
