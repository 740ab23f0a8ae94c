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
        result.plot("effects"),
        models.plot(),
        models.plot("coefficients"),
        models.plot("objective"),
        models.plot("criteria"),
        spgm.cross_validate(A, b, range(1, 6), folds=3, effort=1).plot(),
        spgm.compare(A, b, 5, ["spgm-bcd", "spgm-iht"]).plot(),
    ]
    for ax in drawn:
        assert ink(ax) > least + 200 and ax.get_xlabel()
    given = plt.subplots()[1]
    assert result.plot(ax=given) is given


def test_the_names_of_ridges_hide_no_line(instance):
    """They stand beside the ends of their lines, not in a legend over them."""
    A, b = instance
    ax = spgm.cross_validate(A, b, range(1, 6), ridges=[4.0, 1.0, 0.0], folds=3, effort=1).plot()
    assert sorted(text.get_text() for text in ax.texts) == ["ridge 0", "ridge 1", "ridge 4"]
    assert not any("ridge 1" in text.get_text() for text in ax.get_legend().get_texts())
    assert not ax.get_legend().get_frame_on()


def test_ticks_of_a_single_s_are_whole_numbers(instance):
    A, b = instance
    for ax in (spgm.path(A, b, [3]).plot(), spgm.cross_validate(A, b, [2], folds=3, effort=1).plot()):
        low, high = ax.get_xlim()
        ticks = [tick for tick in ax.get_xticks() if low <= tick <= high]
        assert ticks and all(tick == round(tick) for tick in ticks)


def test_a_single_s_shows_its_standard_error(instance):
    A, b = instance
    cv = spgm.cross_validate(A, b, [2], ridges=[1.0, 0.0], folds=3, effort=1)
    assert cv.standard_error[0] > 0 and f"{cv.standard_error[0]:.3g}" in repr(cv)
    assert cv.to_frame().standard_error[2] == cv.standard_error[0]
    ax = cv.plot()
    with_error = ink(ax)
    (bar,) = ax.collections
    ((_, low), (_, high)) = bar.get_segments()[0]
    assert np.allclose((low, high), (cv.mean[0] - cv.standard_error[0], cv.mean[0] + cv.standard_error[0]))
    bar.set_visible(False)
    assert with_error > ink(ax) + 200
    assert {"ridge 0", "ridge 1"} == {text.get_text() for text in ax.texts}
    assert all(line.get_marker() != "None" for line in ax.lines if len(line.get_xdata()) == 1)  # a line of one point is not seen


def test_what_cannot_be_drawn(instance):
    A, b = instance
    result = spgm.solve(A, b, 2)
    with pytest.raises(ValueError, match="trace=True"):
        result.plot("convergence")
    with pytest.raises(ValueError, match="there is no plot"):
        result.plot("pie")


@pytest.mark.parametrize("kind", ["dense", "sparse", "frame"])
def test_effects_do_not_depend_on_units(instance, kind):
    A, b = instance
    A = np.asarray(A)[:, :12].copy()
    A[::3, 4] = 0
    scale = np.where(np.arange(12) % 2, 1000.0, 0.01)
    if kind == "sparse":
        wrap = pytest.importorskip("scipy.sparse").csr_matrix
    elif kind == "frame":
        wrap = pytest.importorskip("pandas").DataFrame
    else:
        wrap = np.asarray
    one = spgm.path(wrap(A), b, [2, 4], loss="squared")
    two = spgm.path(wrap(A * scale), b, [2, 4], loss="squared")
    for mine, other in zip(one, two):
        assert np.allclose(mine.effects, mine.coef[mine.support] * A[:, mine.support].std(axis=0), rtol=1e-12)
        assert np.allclose(mine.effects, other.effects, rtol=1e-6)
    ax = one.plot()
    assert "std. deviation" in ax.get_ylabel() and len(ax.texts) == np.flatnonzero(one.coef.any(axis=0)).size
    heights = sorted(text.get_position()[1] for text in ax.texts)  # in parts of the axes: names must not cover each other
    assert heights[-1] <= 1 + 1e-9 and min(np.diff(heights)) > 0.05
    assert "coefficient" == one.plot("coefficients").get_ylabel()


def test_a_model_from_a_file_has_no_effects(instance, tmp_path):
    A, b = instance
    spgm.solve(A, b, 2).save(tmp_path / "model.json")
    loaded = spgm.Result.load(tmp_path / "model.json")
    assert loaded.effects is None and loaded.plot().get_xlabel() == "coefficient"
    with pytest.raises(ValueError, match="plot its coefficients"):
        loaded.plot("effects")


def test_names_of_methods_do_not_cover_each_other(instance):
    A, b = instance
    comparison = spgm.compare(A, b, 3, methods=["omp", "psgd", "cvx-l1", "spgm-bcd"], time_limit=1)
    for result in comparison.results.values():  # as methods that end at the same point in the same time
        result.objective, result.seconds = 5.0, 0.01
    ax = comparison.plot()
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) == 4
    assert not any(one.overlaps(other) for i, one in enumerate(boxes) for other in boxes[:i])
