"""Every plot draws something, and says what it cannot draw."""

from __future__ import annotations

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

import spgm  # noqa: E402


def ink(ax) -> int:
    """Pixels that are not white."""
    ax.figure.canvas.draw()
    return int((np.asarray(ax.figure.canvas.buffer_rgba())[..., :3] < 255).any(axis=2).sum())


@pytest.fixture(autouse=True)
def close():
    yield
    matplotlib.pyplot.close("all")


def test_plots(instance):
    import matplotlib.pyplot as plt

    A, b = instance
    empty = plt.subplots(figsize=(6.4, 4.0), layout="constrained")[1]
    empty.spines[["top", "right"]].set_visible(False)
    least = ink(empty)
    result = spgm.solve(A, b, 5, method="spgm-bcd", trace=True)
    models = spgm.path(A, b, range(1, 6), effort=1)
    drawn = [
        result.plot(),
        result.plot("coefficients"),
        models.plot(),
        models.plot("objective"),
        models.plot("criteria"),
        spgm.cross_validate(A, b, range(1, 6), folds=3, effort=1).plot(),
        spgm.compare(A, b, 5, ["spgm-bcd", "spgm-iht"]).plot(),
    ]
    for ax in drawn:
        assert ink(ax) > least + 200 and ax.get_xlabel()
    given = plt.subplots()[1]
    assert result.plot(ax=given) is given


def test_what_cannot_be_drawn(instance):
    A, b = instance
    result = spgm.solve(A, b, 2)
    with pytest.raises(ValueError, match="trace=True"):
        result.plot("convergence")
    with pytest.raises(ValueError, match="there is no plot"):
        result.plot("pie")
