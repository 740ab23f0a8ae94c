"""Pictures with matplotlib, which is imported only here and only when something is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._compare import Comparison
    from ._path import CrossValidation, Path
    from ._solve import Result

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
    if kind == "coefficients":
        return _coefficients(result, axes(ax))
    if kind != "convergence":
        raise ValueError(f"there is no plot {kind!r}: choose convergence or coefficients")
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


def _coefficients(result: Result, ax: Axes, most: int = 30) -> Axes:
    order = result.support[np.argsort(-np.abs(result.coef[result.support]), kind="stable")][:most][::-1]
    values = result.coef[order]
    ax.barh(range(order.size), values, color=[INK if v > 0 else ACCENT for v in values], height=0.7)
    ax.set_yticks(range(order.size), [result.name_of(j) for j in order])
    ax.axvline(0, color="0.3", lw=0.8)
    ax.set(xlabel="coefficient", ylabel="" if result.names else "column")
    if result.support.size > most:
        ax.set_title(f"the {most} largest of {result.support.size}", fontsize=10, loc="left")
    return ax


def draw_path(path: Path, kind: str, ax: Axes | None) -> Axes:
    ax = axes(ax)
    if kind == "coefficients":
        ever = np.flatnonzero(path.coef.any(axis=0))
        ever = ever[np.argsort(-np.abs(path.coef[-1, ever]), kind="stable")]
        for rank, j in enumerate(ever):
            label = path.results[0].name_of(int(j)) if rank < 8 else None
            style: dict[str, Any] = {} if rank < 8 else {"color": SOFT, "lw": 0.8, "zorder": 1}
            ax.plot(path.sparsity, path.coef[:, j], label=label, marker=".", ms=4, **style)
        ax.axhline(0, color="0.3", lw=0.8)
        ax.set(ylabel="coefficient")
        ax.legend(frameon=False, fontsize=8, title="column", loc="center left", bbox_to_anchor=(1.0, 0.5))
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
        raise ValueError(f"there is no plot {kind!r}: choose coefficients, objective or criteria")
    ax.set(xlabel="s, nonzeros allowed")
    _whole_numbers(ax)
    return ax


def _whole_numbers(ax: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def draw_cross_validation(cv: CrossValidation, ax: Axes | None) -> Axes:
    ax = axes(ax)
    low, high = cv.mean - cv.standard_error, cv.mean + cv.standard_error
    ax.fill_between(cv.sparsity, low, high, color=SOFT, alpha=0.4, lw=0, label="one standard error")
    ax.plot(cv.sparsity, cv.mean, color=INK, marker="o", ms=4, label="mean over folds")
    ax.axvline(cv.best, color=ACCENT, lw=1.2, label=f"lowest: s = {cv.best}")
    if cv.one_standard_error != cv.best:
        ax.axvline(cv.one_standard_error, color=ACCENT, lw=1.2, ls="--", label=f"one standard error: s = {cv.one_standard_error}")
    ax.set(xlabel="s, nonzeros allowed", ylabel="loss on rows left out")
    _whole_numbers(ax)
    ax.legend(frameon=True, facecolor="white", framealpha=0.95, edgecolor="none")
    return ax


def draw_comparison(comparison: Comparison, ax: Axes | None) -> Axes:
    ax = axes(ax)
    lowest = comparison.best.objective
    for name, result in comparison.results.items():
        above = 100 * (result.objective - lowest) / (abs(lowest) or 1.0)
        best = result is comparison.best
        ax.plot(max(result.seconds, 1e-6), above, "o", color=ACCENT if best else INK, ms=8 if best else 6)
        ax.annotate(name, (max(result.seconds, 1e-6), above), xytext=(6, 4), textcoords="offset points", fontsize=9)
    ax.set_xscale("log")
    ax.margins(x=0.18, y=0.1)
    ax.set(xlabel="seconds", ylabel="objective above the best (%)")
    return ax
