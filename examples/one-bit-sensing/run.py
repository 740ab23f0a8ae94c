"""One-bit compressive sensing: a sparse direction from the signs of its measurements, some of them flipped."""

from __future__ import annotations

import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
import common
import numpy as np
from common import ACCENT, GOLD, INK, SOFT, plt

import spgm


def instance(seed: int, m: int, n: int, s: int, flips: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    A = np.asfortranarray(rng.normal(size=(m, n)))
    x = np.zeros(n)
    x[rng.choice(n, s, replace=False)] = rng.normal(size=s)
    x /= np.linalg.norm(x)
    b = np.where(A @ x >= 0, 1, -1)
    wrong = rng.choice(m, round(flips * m), replace=False)
    b[wrong] *= -1
    return A, b, x


def keep_largest(x: np.ndarray, s: int) -> np.ndarray:
    y = np.zeros_like(x)
    kept = np.argsort(-np.abs(x), kind="stable")[:s]
    y[kept] = x[kept]
    return y


def linear(A: np.ndarray, b: np.ndarray, s: int) -> np.ndarray:
    """The s largest entries of A'b (Plan and Vershynin)."""
    return keep_largest(A.T @ b, s)


def biht(A: np.ndarray, b: np.ndarray, s: int, squared: bool, iterations: int = 300) -> np.ndarray:
    """Binary iterative hard thresholding (Jacques, Laska, Boufounos, Baraniuk 2013): the standard recipe; one-sided l1, or l2 for noise."""
    x = linear(A, b, s)
    x /= np.linalg.norm(x)
    best, fewest = x, np.inf
    for _ in range(iterations):
        u = A @ x
        wrong = b * u < 0
        if wrong.sum() < fewest:
            best, fewest = x, wrong.sum()
        g = A.T @ (wrong * (u if squared else -b))
        x = keep_largest(x - g / len(b), s)
        norm = np.linalg.norm(x)
        x = x / norm if norm > 0 else best
    return best


def angle(x: np.ndarray, truth: np.ndarray) -> float:
    """Over pi."""
    return float(np.arccos(np.clip(x @ truth / np.linalg.norm(x), -1, 1)) / np.pi)


def run(case: common.Case) -> dict:
    n, repeats = (60, 1) if case.quick else (1000, 20)
    m, s = (90, 3) if case.quick else (n // 2, n // 100)
    effort = 1 if case.quick else 3
    fits = {
        "spgm, hinge": lambda A, b: spgm.solve(A, b, s, loss="hinge", f=1.0, intercept=False, effort=effort).coef,
        "spgm, logistic": lambda A, b: spgm.solve(A, b, s, loss="logistic", f=0.1, intercept=False, effort=effort).coef,
        "BIHT, one-sided l1": lambda A, b: biht(A, b, s, False),
        "BIHT, one-sided l2": lambda A, b: biht(A, b, s, True),
        "s largest of A'b": lambda A, b: linear(A, b, s),
    }
    shares = [0.05] if case.quick else [0.0, 0.05, 0.1]
    errors = np.zeros((len(fits), len(shares), repeats))
    found, seconds = np.zeros_like(errors), np.zeros_like(errors)
    for i, share in enumerate(shares):
        for k in range(repeats):
            A, b, truth = instance(1000 * i + k, m, n, s, share)
            for j, fit in enumerate(fits.values()):
                x, seconds[j, i, k] = common.processor_seconds(lambda: fit(A, b))
                errors[j, i, k] = angle(x, truth)
                found[j, i, k] = np.count_nonzero(x[truth != 0])
    for i, share in enumerate(shares):
        case.table(
            [f"{100 * share:g} % flips, mean of {repeats}", "angle error / π", f"true columns of {s}", "processor s"],
            [[name, float(errors[j, i].mean()), float(found[j, i].mean()), float(seconds[j, i].mean())] for j, name in enumerate(fits)],
        )

    A, b, truth = instance(1, m, n, s, 0.05)
    np.save(case.folder / "measurements.npy", A)
    np.savetxt(case.folder / "signs.csv", b, fmt="%d", header="sign", comments="")
    model = spgm.solve(A, b, s, loss="hinge", f=1.0, intercept=False)
    case.same_as_python(
        f"fit measurements.npy --target signs.csv --loss hinge --ridge 1 --sparsity {s} --no-intercept --output model.json", model.objective
    )

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    colours, markers = (ACCENT, GOLD, INK, "#5f7f9f", SOFT), "o^svD"
    for j, name in enumerate(fits):
        left.plot(100 * np.array(shares), errors[j].mean(axis=1), color=colours[j], marker=markers[j], label=name)
        right.plot(100 * np.array(shares), found[j].mean(axis=1), color=colours[j], marker=markers[j], label=name)
    left.set(xlabel="flipped signs (%)", ylabel="angle error / π", ylim=(0, None))
    left.set_title(f"n = {n}, m = {m}, s = {s}")
    left.legend(fontsize=8)
    right.set(xlabel="flipped signs (%)", ylabel=f"true columns among the {s}", ylim=(0, s + 0.3))
    right.set_title(f"Mean of {repeats} instances")
    case.save(figure)
    return {"errors": errors, "found": found, "names": list(fits)}


if __name__ == "__main__":
    common.main(run, __file__, __doc__)
