"""Bands for 10 % to 90 % of the outcomes, each from at most s features.

The spread of y grows with one feature and its middle moves with others. Quantile regression with s features finds
which feature does which: the sets of features differ between the quantiles.
"""

from __future__ import annotations

import numpy as np
from _common import ACCENT, INK, SOFT, arguments, plt, save

import spgm

LEVELS = (0.1, 0.25, 0.5, 0.75, 0.9)
NAMES = ["season", "wind", "load", *(f"noise {j}" for j in range(1, 38))]


def main() -> None:
    options = arguments(__doc__.splitlines()[0])
    rng = np.random.default_rng(1)
    rows = 250 if options.quick else 800
    X = rng.uniform(-1, 1, size=(rows, len(NAMES)))
    season, wind, load = X[:, 0], X[:, 1], X[:, 2]
    y = 4 * season - 2 * load + (1.2 + wind) * rng.standard_normal(rows)
    models = {q: spgm.SparseRegressor(3, loss="quantile", quantile=q, effort=options.effort).fit(X, y) for q in LEVELS}

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), width_ratios=(1.4, 1))
    # along `wind`, with everything else at zero; points are drawn with the rest of the model taken away
    grid = np.zeros((100, len(NAMES)))
    grid[:, 1] = np.linspace(-1, 1, 100)
    band = {q: model.predict(grid) for q, model in models.items()}
    middle = models[0.5]
    rest = y - (X[:, [0, 2]] @ middle.coef_[[0, 2]])
    left.scatter(wind, rest, s=7, color=SOFT, alpha=0.6, lw=0, label="samples, season and load taken out")
    left.fill_between(grid[:, 1], band[0.1], band[0.9], color=INK, alpha=0.15, lw=0, label="10 % to 90 %")
    left.fill_between(grid[:, 1], band[0.25], band[0.75], color=INK, alpha=0.25, lw=0, label="25 % to 75 %")
    left.plot(grid[:, 1], band[0.5], color=ACCENT, lw=2, label="median")
    left.set(xlabel="wind", ylabel="y")
    left.set_title("Bands from three features of forty")
    left.legend(fontsize=8, loc="upper left")

    used = sorted({int(j) for model in models.values() for j in model.support_})
    table = np.array([models[q].coef_[used] for q in LEVELS]).T
    scale = np.abs(table).max()
    right.imshow(table, cmap="RdBu_r", vmin=-scale, vmax=scale, aspect="auto")
    for (i, k), value in np.ndenumerate(table):
        dark = abs(value) > 0.6 * scale
        right.text(k, i, f"{value:.1f}" if value else "·", ha="center", va="center", color="w" if dark else "0.2")
    right.set_xticks(range(len(LEVELS)), [f"{100 * q:.0f} %" for q in LEVELS])
    right.set_yticks(range(len(used)), [NAMES[j] for j in used])
    right.tick_params(length=0)
    right.spines[:].set_visible(False)
    right.set(xlabel="quantile")
    right.set_title("Coefficients: what moves, what spreads")
    inside = np.mean((y >= models[0.1].predict(X)) & (y <= models[0.9].predict(X)))
    print(f"{inside:.1%} of the samples lie in the 80 % band")
    save(figure, options)


if __name__ == "__main__":
    main()
