"""How many features? Cross-validation, the one-standard-error rule and information criteria on the same data."""

from __future__ import annotations

import numpy as np
from _common import ACCENT, arguments, plt, save

import spgm

TRUE = 6


def main() -> None:
    options = arguments(__doc__.splitlines()[0])
    rng = np.random.default_rng(3)
    rows, columns = (80, 40) if options.quick else (160, 120)
    X = rng.normal(size=(rows, columns))
    beta = np.zeros(columns)
    beta[:TRUE] = [3, -2.5, 2, -1.5, 1, -0.8]
    y = X @ beta + rng.standard_t(2.5, size=rows)

    budgets = range(0, 9 if options.quick else 16)
    folds = 5 if options.quick else 10
    model = spgm.SparseRegressorCV(list(budgets), cv=folds, rule="1se", n_jobs=-1, effort=options.effort).fit(X, y)
    models = spgm.path(X, y, budgets, effort=options.effort)

    figure, (left, middle, right) = plt.subplots(1, 3, figsize=(13, 4))
    model.cross_validation_.plot(ax=left)
    left.set_title("Cross-validation")
    models.plot("criteria", ax=middle)
    middle.set_title("Information criteria (lowest circled)")
    models.plot("effects", ax=right)
    right.set_title("The path: six columns are real")
    for ax in (left, middle, right):
        ax.axvline(TRUE, color="0.75", lw=6, alpha=0.5, zorder=0)
        ax.text(TRUE + 0.25, 0.02, "truth", transform=ax.get_xaxis_transform(), fontsize=8, color="0.5")
    print(model.cross_validation_)
    print(f"chosen: {model.n_nonzero_coefs_} features, {model.support_.tolist()}")
    save(figure, options)


if __name__ == "__main__":
    main()
