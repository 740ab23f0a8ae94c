"""Which features matter, when some measurements are wrong? The absolute loss with s features against Lasso and OMP.

Ten of 200 features carry the signal. A growing share of the targets is replaced by gross errors. Each method
chooses ten features; the picture shows how many of the true ones are among them.
"""

from __future__ import annotations

import numpy as np
from _common import ACCENT, GOLD, INK, SOFT, arguments, plt, save
from sklearn.linear_model import OrthogonalMatchingPursuit, lars_path

import spgm

TRUE = 10


def instance(rng: np.random.Generator, share: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    X = np.asfortranarray(rng.normal(size=(150, 200)))
    beta = np.zeros(200)
    beta[rng.choice(200, TRUE, replace=False)] = rng.choice([-1, 1], TRUE) * rng.uniform(1, 3, TRUE)
    y = X @ beta + 0.3 * rng.normal(size=150)
    wrong = rng.choice(150, round(share * 150), replace=False)
    y[wrong] += rng.choice([-1, 1], wrong.size) * rng.uniform(30, 60, wrong.size)
    return X, y, beta


def lasso(X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The first model on the Lasso path with ten features."""
    _, _, coefs = lars_path(X, y - y.mean(), method="lasso", max_iter=4 * TRUE)
    sizes = np.count_nonzero(coefs, axis=0)
    return coefs[:, np.flatnonzero(sizes <= TRUE)[-1]]


METHODS = {
    "spgm, absolute loss": lambda X, y: spgm.SparseRegressor(TRUE, effort=3).fit(X, y).coef_,
    "Lasso path": lasso,
    "OMP": lambda X, y: OrthogonalMatchingPursuit(n_nonzero_coefs=TRUE).fit(X, y).coef_,
}


def main() -> None:
    options = arguments(__doc__.splitlines()[0])
    shares = np.array([0, 0.1, 0.2]) if options.quick else np.linspace(0, 0.3, 7)
    repeats = 1 if options.quick else 10
    found = {name: np.zeros((shares.size, repeats)) for name in METHODS}
    for i, share in enumerate(shares):
        for k in range(repeats):
            X, y, beta = instance(np.random.default_rng(100 * i + k), share)
            for name, fit in METHODS.items():
                found[name][i, k] = np.count_nonzero(fit(X, y)[beta != 0])

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    for (name, counts), colour, marker in zip(found.items(), (ACCENT, INK, GOLD), "os^"):
        left.plot(100 * shares, counts.mean(axis=1), color=colour, marker=marker, label=name)
        left.fill_between(100 * shares, counts.min(axis=1), counts.max(axis=1), color=colour, alpha=0.12, lw=0)
    left.set(xlabel="gross errors among the targets (%)", ylabel="true features found", ylim=(0, TRUE + 0.4))
    left.set_title(f"Ten may be named (mean, worst and best of {repeats})")
    left.legend(loc="center", bbox_to_anchor=(0.6, 0.7))

    X, y, beta = instance(np.random.default_rng(7), 0.1)
    estimates = {name: fit(X, y) for name, fit in METHODS.items()}
    order = np.argsort(beta)[np.r_[0:TRUE, 200 - TRUE : 200]]
    order = order[beta[order] != 0]
    place = np.arange(order.size)
    right.bar(place, beta[order], color=SOFT, alpha=0.55, width=0.8, label="truth")
    for (name, coef), colour, marker, shift in zip(estimates.items(), (ACCENT, INK, GOLD), "os^", (-0.2, 0, 0.2)):
        right.plot(place + shift, coef[order], marker, color=colour, ms=5, label=name)
    right.axhline(0, color="0.3", lw=0.8)
    right.set(xlabel="true features, by size", ylabel="coefficient", xticks=[])
    right.set_title("Their coefficients, with 10 % of errors")
    right.legend(fontsize=8, loc="upper left")
    save(figure, options)


if __name__ == "__main__":
    main()
