"""Impulse noise: a sparse code of every patch of an image, found under the absolute loss, against a median filter."""

from __future__ import annotations

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import common
import numpy as np
from common import plt
from scipy.fft import idctn
from scipy.ndimage import median_filter
from sklearn.datasets import load_sample_image

import spgm

SIDE = 12  # of a patch


def picture(size: int) -> np.ndarray:
    """A part of scikit-learn's photograph of a temple, in grey, 0 to 1."""
    colours = load_sample_image("china.jpg").astype(float) / 255
    grey = colours @ [0.299, 0.587, 0.114]
    return grey[60 : 60 + size, 230 : 230 + size]


def spoil(image: np.ndarray, share: float, seed: int) -> np.ndarray:
    """A share of the pixels becomes black or white."""
    rng = np.random.default_rng(seed)
    hit = rng.random(image.shape) < share
    return np.where(hit, rng.integers(0, 2, image.shape), image)


def dictionary() -> np.ndarray:
    """The columns are the cosines of a patch (DCT); the first is constant."""
    atoms = np.eye(SIDE * SIDE).reshape(-1, SIDE, SIDE)
    return np.asfortranarray(np.stack([idctn(a, norm="ortho").ravel() for a in atoms], axis=1))


def restore(image: np.ndarray, s: int, step: int, known: np.ndarray | None = None) -> np.ndarray:
    """Every patch from s atoms and the constant one; overlapping patches are averaged. Where `known` is false, pixels have weight 0."""
    D = dictionary()
    sums, counts = np.zeros_like(image), np.zeros_like(image)
    starts = sorted({*range(0, image.shape[0] - SIDE, step), image.shape[0] - SIDE})
    for i in starts:
        for j in starts:
            patch = (slice(i, i + SIDE), slice(j, j + SIDE))
            weights = None if known is None else known[patch].ravel().astype(float)
            fit = spgm.solve(D, image[patch].ravel(), s, weights=weights, free_columns=[0], intercept=False, ridge=1e-6, effort=1)
            sums[patch] += (D @ fit.coef).reshape(SIDE, SIDE)
            counts[patch] += 1
    return np.clip(sums / counts, 0, 1)


def median_of_known(image: np.ndarray, known: np.ndarray, size: int) -> np.ndarray:
    """Unknown pixels become the median of the known ones of their window."""
    half = size // 2
    padded = np.pad(np.where(known, image, np.nan), half, mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(padded, (size, size)).reshape(*image.shape, -1)
    windows = np.where(np.isnan(windows).all(axis=2, keepdims=True), 0.5, windows)
    return np.where(known, image, np.nanmedian(windows, axis=2))


def psnr(image: np.ndarray, truth: np.ndarray) -> float:
    return float(-10 * np.log10(np.mean((image - truth) ** 2)))


def run(case: common.Case) -> dict:
    size, step = (24, 12) if case.quick else (96, 6)
    budgets = {0.2: (4, 8)} if case.quick else {0.1: (16, 32), 0.3: (8, 24), 0.5: (4, 16)}  # s without and with weights
    truth = picture(size)
    rows, seconds, shown = [], 0.0, None
    for share, (s, s_known) in budgets.items():
        noisy = spoil(truth, share, 1)
        known = (noisy > 0) & (noisy < 1)
        medians = max((median_filter(noisy, k) for k in (3, 5, 7)), key=lambda image: psnr(image, truth))
        windows = max((median_of_known(noisy, known, k) for k in (3, 5, 7)), key=lambda image: psnr(image, truth))
        ours, spent = common.processor_seconds(lambda: restore(noisy, s, step))
        weighted, more = common.processor_seconds(lambda: restore(noisy, s_known, step, known))
        weighted = np.where(known, noisy, weighted)
        seconds += (spent + more) / len(budgets)
        rows.append([f"{100 * share:g} %", *(psnr(image, truth) for image in (noisy, medians, ours, windows, weighted))])
        shown = (noisy, medians, ours, weighted) if shown is None or share == 0.3 else shown
    case.table(
        ["pixels hit", "noisy", "median filter, best of 3, 5, 7", "spgm, l1, all pixels", "median of pixels not black or white", "spgm, l1, black and white with weight 0"],
        rows,
    )
    case.say(f"\nPSNR in dB, higher is better. The two restorations of an image of {size} × {size} took {seconds:.2g} s of processor time.")

    patch = spoil(truth, 0.2, 1)[:SIDE, :SIDE].ravel()
    np.save(case.folder / "dct.npy", dictionary())
    np.save(case.folder / "patch.npy", patch)
    model = spgm.solve(dictionary(), patch, 8, free_columns=[0], intercept=False, ridge=1e-6, effort=1)
    case.same_as_python(
        "fit dct.npy --target patch.npy --loss l1 --sparsity 8 --free 1 --no-intercept --ridge 1e-6 --effort 1 --output code.json", model.objective
    )

    figure, axes = plt.subplots(1, 5, figsize=(11, 2.7))
    names = ["truth", "noisy", "median filter", "spgm, all pixels", "spgm, weights"]
    for ax, image, name in zip(axes, (truth, *shown), names):
        ax.imshow(image, cmap="gray", vmin=0, vmax=1, interpolation="nearest")
        ax.set_title(name if name == "truth" else f"{name}, {psnr(image, truth):.1f} dB", fontsize=9)
        ax.axis("off")
    case.save(figure)
    return {"rows": rows}


if __name__ == "__main__":
    common.main(run, __file__, __doc__)
