"""Where were the flashes? Sparse deconvolution with brightness that cannot be negative, and a detector with faults.

A line of point sources is seen through a blur, with noise and some saturated pixels. The model may have twelve
sources; there are eight. Without sign constraints it spends the other four on pairs of bright and dark that explain
noise; with positive=True it cannot. Nonnegative least squares has no limit s and no robust loss: faults become sources.
"""

from __future__ import annotations

import numpy as np
from _common import ACCENT, GOLD, INK, SOFT, arguments, plt, save
from scipy.optimize import nnls

import spgm

SOURCES, BUDGET, WIDTH = 8, 12, 3.0


def instance(rng: np.random.Generator, pixels: int, noise: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    place = np.arange(pixels)
    blur = np.exp(-((place[:, None] - place) ** 2) / (2 * WIDTH**2))
    truth = np.zeros(pixels)
    gaps = rng.dirichlet(np.ones(SOURCES + 1)) * (pixels - 20 - 6 * (SOURCES - 1))
    truth[(10 + np.cumsum(gaps[:-1]) + 6 * np.arange(SOURCES)).astype(int)] = rng.uniform(1, 3, SOURCES)
    seen = blur @ truth + noise * rng.normal(size=pixels)
    faults = rng.choice(pixels, pixels // 20, replace=False)
    seen[faults] = 6
    return np.asfortranarray(blur), seen, truth


def estimate(blur: np.ndarray, seen: np.ndarray, **limits: bool) -> np.ndarray:
    return spgm.solve(blur, seen, BUDGET, loss="l1", method="ncvx-lp", intercept=False, **limits).coef


METHODS = {
    "spgm, positive": lambda A, b: estimate(A, b, positive=True),
    "spgm, any sign": estimate,
    "nonnegative least squares": lambda A, b: nnls(A, b)[0],
}


def misplaced(truth: np.ndarray, found: np.ndarray) -> float:
    """How far the two are apart as a share of the true brightness; a pixel or two beside the source counts in part."""
    apart = np.convolve(truth - found, np.ones(5) / 5, "same")
    return float(np.abs(apart).sum() / truth.sum())


def main() -> None:
    options = arguments(__doc__.splitlines()[0])
    pixels = 120 if options.quick else 160
    noises = np.array([0.02, 0.1]) if options.quick else np.array([0.02, 0.05, 0.1, 0.2, 0.3])
    repeats = 1 if options.quick else 20
    errors = {name: np.zeros((noises.size, repeats)) for name in METHODS}
    for i, noise in enumerate(noises):
        for k in range(repeats):
            blur, seen, truth = instance(np.random.default_rng(1000 * i + k), pixels, noise)
            for name, method in METHODS.items():
                found = method(blur, seen)
                errors[name][i, k] = misplaced(truth, found)
                if "positive" in name:
                    assert found.min() >= 0 and np.count_nonzero(found) <= BUDGET

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), width_ratios=(1.9, 1))
    blur, seen, truth = instance(np.random.default_rng(3), pixels, 0.2)
    place = np.arange(pixels)
    left.plot(place, seen, color=SOFT, lw=1, label="seen")
    left.vlines(np.flatnonzero(truth), 0, truth[truth > 0], color=INK, lw=6, alpha=0.25, label="sources")
    for (name, method), colour, marker in zip(METHODS.items(), (ACCENT, GOLD, INK), "ox."):
        found = method(blur, seen)
        at = np.flatnonzero(found)
        left.plot(at, found[at], marker, color=colour, ms=5 if marker != "." else 4, label=name)
    left.axhline(0, color="0.3", lw=0.8)
    left.set(xlabel="pixel", ylabel="brightness", ylim=(-2.2, 6.6))
    left.set_title(f"{SOURCES} sources, at most {BUDGET} may be named; noise 0.2, saturated pixels")
    left.legend(fontsize=8, ncol=2, loc="lower left")
    for (name, error), colour, marker in zip(errors.items(), (ACCENT, GOLD, INK), "ox."):
        right.plot(noises, error.mean(axis=1), color=colour, marker=marker, label=name)
    right.set(xlabel="noise", ylabel="misplaced brightness", ylim=(0, None))
    right.set_title(f"Mean of {repeats}")
    right.legend(fontsize=8)
    save(figure, options)


if __name__ == "__main__":
    main()
