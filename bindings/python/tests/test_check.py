"""check: the library's verdicts, the hierarchy, and what a Result brings along."""

import numpy as np
import pytest
import spgm


def test_verdicts_follow_the_point():
    A, b = spgm.generate("random-40-15", seed=3, noise=2)
    best = spgm.solve(A, b, 3, method="exact")
    found = spgm.check(A, b, best, block=4)
    assert found.basic and found.lipschitz and found.stationary and not found.sampled
    assert found.objective == pytest.approx(best.objective) and found.largest_mu > found.mu
    assert found.support_bound <= found.objective and found.changes == found.all_changes
    moved = best.coef * 0.9
    found = spgm.check(A, b, moved, 3, intercept=best.intercept)
    assert not (found.basic or found.lipschitz or found.stationary)
    assert found.lowest == pytest.approx(best.objective)
    assert np.allclose(found.better, best.coef, rtol=1e-6, atol=1e-9)


def test_a_worse_support_is_improved():
    A, b = spgm.generate("random-40-15", seed=3, noise=2)
    best = spgm.solve(A, b, 3, method="exact", quantile=0.8, f=0.1)
    start = np.zeros(15)
    start[np.flatnonzero(best.coef == 0)[:3]] = 1
    other = spgm.solve(A, b, 3, method="polish", start=start, quantile=0.8, f=0.1)
    found = spgm.check(A, b, other)
    assert found.basic and not found.stationary and best.objective <= found.lowest < other.objective
    assert np.count_nonzero(found.better) == 3 and "block-2 no" in repr(found)
    everything = spgm.check(A, b, other, block=6)
    assert everything.lowest == pytest.approx(best.objective) and not everything.stationary


def test_what_is_wrong_is_said():
    A, b = spgm.generate("random-20-5", seed=1)
    with pytest.raises(TypeError, match="s is needed"):
        spgm.check(A, b, np.ones(5))
    with pytest.raises(ValueError, match="nonzero"):
        spgm.check(A, b, np.ones(5), 3)
    with pytest.raises(ValueError, match="blocks of 0 to 8"):
        spgm.check(A, b, np.zeros(5), 3, block=9)
