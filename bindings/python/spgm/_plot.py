"""Pictures with matplotlib, which is imported only here and only when something is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._compare import Comparison
    from ._path import CrossValidation, Path
    from ._solve import Result
    from ._stability import Stability

INK, ACCENT, SOFT = "#1b3a57", "#d1495b", "#9fb3c8"


def axes(ax: Axes | None) -> Axes:
    """Where to draw: the given axes, or new ones."""
    if ax is None:
        try:
            import matplotlib.pyplot as plt
        except ModuleNotFoundError as error:
            raise ImportError(f"plots need matplotlib: pip install matplotlib ({error})") from error
        _, ax = plt.subplots(figsize=(6.4, 4.0), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def draw_result(result: Result, kind: str, ax: Axes | None) -> Axes:
    if kind == "effects" and result.effects is None:
        raise ValueError("the model is from a file, which does not hold the spread of the columns: plot its coefficients")
    if kind in ("effects", "coefficients"):
        return _bars(result, kind, axes(ax))
    if kind != "convergence":
        raise ValueError(f"there is no plot {kind!r}: choose convergence, effects or coefficients")
    if result.trace is None:
        raise ValueError("there is no trace to plot: solve with trace=True")
    ax = axes(ax)
    trace = result.trace
    ax.plot(trace["iteration"], trace["objective"], color=SOFT, lw=1, label="F(x)")
    ax.plot(trace["iteration"], trace["best"], color=INK, lw=1.8, label="lowest so far")
    ax.axhline(result.objective, color=ACCENT, lw=1, ls="--", label=f"result {result.objective:.6g}")
    if trace["best"].min() > 0 and trace["objective"].max() > 20 * trace["best"].min():
        ax.set_yscale("log")
    ax.set(xlabel="iteration", ylabel="objective F")
    ax.legend(frameon=False)
    return ax


EFFECT = "effect: coefficient × std. deviation"


def _bars(result: Result, kind: str, ax: Axes, most: int = 30) -> Axes:
    heights = result.coef[result.support] if kind == "coefficients" else result.effects
    assert heights is not None
    order = np.argsort(-np.abs(heights), kind="stable")[:most][::-1]
    values = heights[order]
    ax.barh(range(order.size), values, color=[INK if v > 0 else ACCENT for v in values], height=0.7)
    ax.set_yticks(range(order.size), [result.name_of(int(result.support[k])) for k in order])
    ax.axvline(0, color="0.3", lw=0.8)
    ax.set(xlabel="coefficient" if kind == "coefficients" else EFFECT, ylabel="" if result.names else "column")
    if result.support.size > most:
        ax.set_title(f"the {most} largest of {result.support.size}", fontsize=10, loc="left")
    return ax


def _name_ends(ax: Axes, ends: list[tuple[float, float, str, Any]]) -> None:
    """The name of every line beside its end (x, y), in its colour, far enough apart to be read."""
    low, high = ax.get_ylim()
    gap = 0.055
    places: list[float] = []
    ends = sorted(ends, key=lambda end: end[1])
    for _, y, _, _ in ends:
        share = (y - low) / (high - low)
        places.append(max(share, places[-1] + gap) if places else share)
    over = max(places[-1] - 1, 0) if places else 0
    for place, (x, y, name, colour) in zip(places, ends):
        ax.annotate(
            name, (x, y), (1.03, place - over), textcoords="axes fraction", va="center", fontsize=8, color=colour,
            arrowprops={"arrowstyle": "-", "lw": 0.6, "color": colour}, annotation_clip=False,
        )


def _tracks(path: Path, kind: str, ax: Axes, named: int = 10) -> None:
    """A line for every column; the largest have names at their ends."""
    heights = path.coef
    if kind == "effects" and path.deviations is not None:
        heights = path.coef * np.nan_to_num(path.deviations)
    ever = np.flatnonzero(path.coef.any(axis=0))
    ever = ever[np.argsort(-np.abs(heights[:, ever]).max(axis=0, initial=0), kind="stable")]
    ends = []
    for rank, j in enumerate(ever):
        style: dict[str, Any] = {"color": f"C{rank}", "lw": 1.6} if rank < named else {"color": SOFT, "lw": 0.8, "zorder": 1}
        (line,) = ax.plot(path.sparsity, heights[:, j], marker=".", ms=4, **style)
        if rank < named:
            ends.append((float(path.sparsity[-1]), float(heights[-1, j]), path.results[0].name_of(int(j)), line.get_color()))
    ax.axhline(0, color="0.3", lw=0.8)
    ax.set(ylabel="coefficient" if kind == "coefficients" else EFFECT)
    if ends:
        _name_ends(ax, ends)


def draw_path(path: Path, kind: str, ax: Axes | None) -> Axes:
    ax = axes(ax)
    if kind == "effects" and path.deviations is None:
        kind = "coefficients"
    if kind in ("effects", "coefficients"):
        _tracks(path, kind, ax)
    elif kind == "objective":
        ax.plot(path.sparsity, path.objective, color=INK, marker="o", ms=4)
        ax.set(ylabel="objective F")
    elif kind == "criteria":
        for name, values in path.criteria.items():
            if not isinstance(values, str):
                (line,) = ax.plot(path.sparsity, values, marker=".", label=name)
                lowest = int(np.argmin(values))
                ax.plot(path.sparsity[lowest], values[lowest], "o", ms=9, mfc="none", color=line.get_color())
        ax.set(ylabel="criterion")
        ax.legend(frameon=False)
    else:
        raise ValueError(f"there is no plot {kind!r}: choose effects, coefficients, objective or criteria")
    ax.set(xlabel="s, nonzeros allowed")
    _whole_numbers(ax)
    return ax


def _whole_numbers(ax: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))  # of a single s there is one


def _shade(ax: Axes, x: Any, low: Any, high: Any, alpha: float, label: str) -> None:
    """What is from low to high: a surface over x, which shows nothing of a single x; of that a bar."""
    if len(x) == 1:
        ax.vlines(x, low, high, color=SOFT, alpha=alpha, lw=10, label=label)
    else:
        ax.fill_between(x, low, high, color=SOFT, alpha=alpha, lw=0, label=label)


def draw_cross_validation(cv: CrossValidation, ax: Axes | None) -> Axes:
    ax = axes(ax)
    _shade(ax, cv.sparsity, cv.mean - cv.standard_error, cv.mean + cv.standard_error, 0.4, "one standard error")
    ends = []
    for k, (ridge, mean) in enumerate(zip(cv.ridges, cv.grid)):
        tried = np.flatnonzero(~np.isnan(mean))  # ridges that are clearly beaten are not tried for large s
        if cv.ridges.size > 1 and tried.size:
            (line,) = ax.plot(cv.sparsity, mean, color=f"C{k}", lw=0.8, alpha=0.8, marker="." if tried.size == 1 else None)
            ends.append((float(cv.sparsity[tried[-1]]), float(mean[tried[-1]]), f"ridge {ridge:.3g}", line.get_color()))
    ax.plot(cv.sparsity, cv.mean, color=INK, marker="o", ms=4, label="mean over folds" if cv.ridges.size == 1 else "best ridge")
    ax.axvline(cv.best, color=ACCENT, lw=1.2, label=f"lowest: s = {cv.best}")
    if cv.one_standard_error != cv.best:
        ax.axvline(cv.one_standard_error, color=ACCENT, lw=1.2, ls="--", label=f"one standard error: s = {cv.one_standard_error}")
    ax.set(xlabel="s, nonzeros allowed", ylabel="loss on rows left out")
    _whole_numbers(ax)
    if ends:
        _name_ends(ax, ends)
    ax.legend(frameon=False)
    return ax


def _label_points(ax: Axes, points: dict[str, tuple[float, float]]) -> None:
    """The name of each point beside it, and above the names of those that it would cover."""
    taken: list[tuple[float, float, int]] = []
    span = max(y for _, y in points.values()) - min(y for _, y in points.values()) or 1.0
    for name, (x, y) in sorted(points.items(), key=lambda item: item[1]):
        level = 0
        while any(level == other and np.log10(x / u) < 0.45 and abs(y - v) < 0.05 * span for u, v, other in taken):
            level += 1
        taken.append((x, y, level))
        ax.annotate(name, (x, y), xytext=(6, 4 + 11 * level), textcoords="offset points", fontsize=9)


def draw_comparison(comparison: Comparison, ax: Axes | None) -> Axes:
    ax = axes(ax)
    lowest = comparison.best.objective
    points = {}
    for name, result in comparison.results.items():
        points[name] = (max(result.seconds, 1e-6), 100 * (result.objective - lowest) / (abs(lowest) or 1.0))
        best = result is comparison.best
        ax.plot(*points[name], "o", color=ACCENT if best else INK, ms=8 if best else 6)
    _label_points(ax, points)
    ax.set_xscale("log")
    ax.margins(x=0.18, y=0.1)
    ax.set(xlabel="seconds", ylabel="objective above the best (%)")
    return ax


def draw_band(levels: Any, values: Any, y: Any, ax: Axes | None) -> Axes:
    """Rows in the order of the middle quantile: pairs of quantiles shaded, the middle as a line, y as dots."""
    ax = axes(ax)
    known = ~np.isnan(values).any(axis=1)
    middle = int(np.argmin(np.abs(levels - 0.5)))
    order = np.flatnonzero(known)[np.argsort(values[known, middle], kind="stable")]
    at = np.arange(1, order.size + 1)
    for k in range(len(levels) // 2):
        _shade(ax, at, values[order, k], values[order, len(levels) - 1 - k], 0.35, f"{levels[k]:g} to {levels[len(levels) - 1 - k]:g}")
    ax.plot(at, values[order, middle], color=INK, lw=1.5, marker="_" if at.size == 1 else None, label=f"quantile {levels[middle]:g}")
    if y is not None:
        inside = (y >= values[:, 0]) & (y <= values[:, -1])
        for mask, colour in ((inside, INK), (~inside, ACCENT)):
            chosen = mask[order]
            ax.plot(at[chosen], y[order][chosen], ".", color=colour, ms=3, alpha=0.7)
        ax.set_title(f"{100 * inside[order].mean():.1f} % inside")
    ax.set(xlabel="rows in the order of the middle quantile", ylabel="y")
    ax.legend(frameon=False)
    return ax


def draw_stability(stability: Stability, ax: Axes | None, most: int = 30) -> Axes:
    """Selection frequencies, largest first; columns of the model of all rows in full colour."""
    ax = axes(ax)
    used = stability._used()[:most][::-1]
    inside = stability.result.coef[used] != 0
    ax.barh(range(used.size), stability.frequencies[used], color=[INK if v else SOFT for v in inside], height=0.7)
    ax.axvline(stability.threshold, color=ACCENT, lw=1, ls="--")
    ax.set_yticks(range(used.size), [stability.result.name_of(int(j)) for j in used])
    ax.set(xlim=(0, 1), xlabel=f"share of {len(stability.halves)} halves that select the column")
    return ax
