"""A function from few terms of a large dictionary, with the largest error as small as possible.

The dictionary has polynomials, cosines, and kinks |t - c|. The Chebyshev loss makes the error swing between equal
heights, as the theory of best approximation says it must; least squares leaves its largest error at the ends.
"""

from __future__ import annotations

import numpy as np
from _common import ACCENT, INK, SOFT, arguments, plt, save

import spgm


def dictionary(t: np.ndarray) -> tuple[np.ndarray, list[str]]:
    columns = {f"T{k}": np.cos(k * np.arccos(t)) for k in range(1, 16)}
    columns |= {f"cos {k}t": np.cos(k * t) for k in range(1, 16)} | {f"sin {k}t": np.sin(k * t) for k in range(1, 16)}
    columns |= {f"|t{-c:+.1f}|" if c else "|t|": np.abs(t - c) for c in np.round(np.arange(-0.8, 0.81, 0.2), 1)}
    return np.column_stack(list(columns.values())), list(columns)


def main() -> None:
    options = arguments(__doc__.splitlines()[0])
    t = np.linspace(-1, 1, 201 if options.quick else 501)
    y = np.exp(t) * np.sin(4 * t) + 0.8 * np.abs(t - 0.2) + 0.3 / (1 + 25 * t**2)
    A, names = dictionary(t)
    budgets = range(1, 6 if options.quick else 11)
    shown = 5
    errors: dict[str, list[float]] = {"chebyshev": [], "squared_error": []}
    fits = {}
    for loss, heights in errors.items():
        models = [spgm.solve(A, y, s, loss=loss, effort=options.effort) for s in budgets]
        for model in models:
            heights.append(float(np.abs(model.predict(A) - y).max()))
        fits[loss] = models[shown - 1]

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), width_ratios=(1.5, 1))
    for loss, colour, name in (("squared_error", SOFT, "least squares"), ("chebyshev", ACCENT, "Chebyshev")):
        error = fits[loss].predict(A) - y
        height = np.abs(error).max()
        left.plot(t, error, color=colour, lw=1.6, label=f"{name}: at most {height:.3g}")
        left.axhline(height, color=colour, lw=0.7, ls=":")
        left.axhline(-height, color=colour, lw=0.7, ls=":")
    terms = ", ".join(names[j] for j in fits["chebyshev"].support)
    left.set(xlabel="t", ylabel="error of the approximation")
    left.set_title(f"Error with {shown} terms ({terms})")
    left.margins(y=0.25)
    left.legend(loc="upper center", ncols=2, fontsize=9)
    right.plot(list(budgets), errors["squared_error"], color=SOFT, marker="s", ms=5, label="least squares")
    right.plot(list(budgets), errors["chebyshev"], color=ACCENT, marker="o", ms=5, label="Chebyshev")
    right.set_yscale("log")
    right.set(xlabel="s, terms allowed", ylabel="largest error")
    right.set_xticks(list(budgets))
    right.set_title(f"From {A.shape[1]} candidates")
    right.legend()
    print(fits["chebyshev"])
    save(figure, options)


if __name__ == "__main__":
    main()
