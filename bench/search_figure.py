"""F against time for auto, every method restarted, OMP of scikit-learn with refit, skscope, and HiGHS: docs/search.svg.

    python bench/search_figure.py SPGM PICTURE.svg [--name random-256-1024] [--seed 601] [--noise 10] [--sparsity 30] [--seconds 10]

The instance is one of `spgm gen`, the loss l1, everybody has one thread. Methods that take a seed are restarted with seeds 1, 2, ...
until the time is over, each end is fitted exactly (--polish), and the lowest F so far counts. What only chooses columns (OMP, skscope) is refitted exactly by spgm.
HiGHS gets the mixed-integer program with bounds of ten times the largest coefficient of the best model, and the same time.
Python needs numpy and scikit-learn; skscope and scipy (HiGHS) are left out, with a line that says so, where they are missing.
Prints the points, so that the figure can be checked.
"""
import argparse
import csv
import json
import math
import os
import subprocess
import tempfile
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np

RIDGE = 0.01
RESTARTED = ("spgm-bcd", "spgm-iht", "psgd", "admm-iht", "diht", "pdm")
ONCE = ("cvx-l1", "ncvx-lp", "omp")
COLOURS = {"auto": "#d62728", "spgm-bcd": "#1f77b4", "spgm-iht": "#17becf", "psgd": "#2ca02c", "admm-iht": "#9467bd", "diht": "#aec7e8", "pdm": "#98df8a",
           "cvx-l1": "#8c564b", "ncvx-lp": "#bcbd22", "omp": "#7f7f7f", "OMP (scikit-learn) + refit": "#000000", "skscope + refit": "#ff7f0e", "HiGHS": "#e377c2"}


def fit(args, method, seed, seconds, folder, columns=None):
    """(seconds of the solver, F, the trace, x)."""
    out, trace = os.path.join(folder, "fit.json"), os.path.join(folder, "trace.csv")
    data = os.path.join(folder, "A.npy")
    s = args.sparsity
    if columns is not None:
        data = os.path.join(folder, "part.npy")
        np.save(data, np.asfortranarray(args.A[:, columns]))
        s = len(columns)
    subprocess.run([args.spgm, "fit", data, "--target", os.path.join(folder, "b.npy"), "--loss", "l1", "--sparsity", str(s), "--ridge", str(RIDGE),
                    "--no-intercept", "--method", method, "--time-limit", str(max(seconds, 0.05)), "--seed", str(seed), "--threads", "1",
                    "--trace", trace, "--output", out, *(["--polish"] if method != "auto" else [])], check=True, capture_output=True)
    with open(out) as f:
        model = json.load(f)
    with open(trace) as f:
        rows = [(float(r["seconds"]), float(r["best"])) for r in csv.DictReader(f)]
    x = np.zeros(args.A.shape[1])
    if columns is None:
        x[model["support"]] = model["coefficients"]
    return model["seconds"], model["objective"], rows, x


def lowest(points):
    """Only the points where F falls."""
    kept, best = [], math.inf
    for t, F in points:
        if F < best:
            best = F
            kept.append((t, F))
    return kept


def restarted(args, method, folder):
    points, spent, seed = [], 0.0, 1
    while spent < args.seconds:
        seconds, F, _, _ = fit(args, method, seed, args.seconds - spent, folder)
        spent += seconds
        points.append((spent, F))
        seed += 1
    return lowest(points)


def of_omp(args, folder):
    from sklearn.linear_model import OrthogonalMatchingPursuit

    began = time.process_time()
    model = OrthogonalMatchingPursuit(n_nonzero_coefs=args.sparsity, fit_intercept=False).fit(args.A, args.b)
    took = time.process_time() - began
    seconds, F, _, _ = fit(args, "auto", 1, 60, folder, np.nonzero(model.coef_)[0])
    return [(took + seconds, F)]


def of_skscope(args, folder):
    import jax.numpy as jnp
    from skscope import ScopeSolver

    A, b = jnp.array(args.A), jnp.array(args.b)
    began = time.process_time()
    x = ScopeSolver(args.A.shape[1], args.sparsity).solve(lambda x: jnp.sum(jnp.abs(A @ x - b)) + RIDGE / 2 * jnp.sum(x * x), jit=True)
    took = time.process_time() - began
    seconds, F, _, _ = fit(args, "auto", 1, 60, folder, np.nonzero(x)[0])
    return [(took + seconds, F)]


def of_highs(args, x):
    """Without the ridge in the program, which is linear; F has it."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_matrix, eye, hstack, vstack

    m, n = args.A.shape
    most = 10 * np.abs(x).max()
    A, one, zero = csr_matrix(args.A), eye(m), csr_matrix((m, n))
    rows = vstack([hstack([A, zero, -one]), hstack([-A, zero, -one]), hstack([eye(n), -most * eye(n), csr_matrix((n, m))]),
                   hstack([-eye(n), -most * eye(n), csr_matrix((n, m))]), csr_matrix(np.r_[np.zeros(n), np.ones(n), np.zeros(m)])])
    upper = np.r_[args.b, -args.b, np.zeros(2 * n), args.sparsity]
    began = time.time()
    found = milp(np.r_[np.zeros(2 * n), np.ones(m)], integrality=np.r_[np.zeros(n), np.ones(n), np.zeros(m)],
                 bounds=Bounds(np.r_[np.full(n, -most), np.zeros(n + m)], np.r_[np.full(n, most), np.ones(n), np.full(m, np.inf)]),
                 constraints=LinearConstraint(rows.tocsc(), ub=upper), options={"time_limit": args.seconds})
    if found.x is None:
        print("HiGHS: no solution within the time")
        return []
    z = found.x[:n] * (np.abs(found.x[:n]) > 1e-9)
    return [(time.time() - began, np.abs(args.A @ z - args.b).sum() + RIDGE / 2 * (z @ z))]


def ticks(low, high):
    """About five round numbers between."""
    step = 10.0 ** math.floor(math.log10((high - low) / 5))
    step *= min((k for k in (1, 2, 2.5, 5, 10) if k * step >= (high - low) / 6))
    return [step * k for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def picture(path, curves, title, end, absent):
    width, height, left, right, top, bottom = 820, 420, 70, 270, 40, 50
    times = [t for points in curves.values() for t, _ in points]
    values = [F for points in curves.values() for _, F in points]
    t0, t1 = math.log10(min(times) / 1.3), math.log10(max(end, *times))
    low, high = min(values), min(max(values), 2.2 * min(values))
    low, high = low - 0.05 * (high - low), high + 0.05 * (high - low)

    def place(t, F):
        return (left + (width - left - right) * (math.log10(t) - t0) / (t1 - t0),
                top + (height - top - bottom) * (high - min(F, high)) / (high - low))

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="#ffffff"/>', f'<text x="{left}" y="22" font-size="14">{title}</text>']
    for k in range(math.ceil(t0), math.floor(t1) + 1):
        x = place(10.0 ** k, low)[0]
        out.append(f'<path d="M{x:.1f} {top}V{height - bottom}" stroke="#dddddd"/><text x="{x:.1f}" y="{height - bottom + 18}" text-anchor="middle">{10.0 ** k:g} s</text>')
    for F in ticks(low, high):
        y = place(1, F)[1]
        out.append(f'<path d="M{left} {y:.1f}H{width - right}" stroke="#eeeeee"/><text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{F:g}</text>')
    out.append(f'<text x="{left}" y="{height - 12}">seconds of one thread, logarithmic</text><text x="{left - 30}" y="{top - 6}">F</text>')
    for i, (name, points) in enumerate(sorted(curves.items(), key=lambda curve: curve[1][-1][1])):
        colour, y = COLOURS[name], top + 12 + 18 * i
        corners = [place(*p) for p in points]
        if name == "auto" or name in RESTARTED:
            way = f"M{corners[0][0]:.1f} {corners[0][1]:.1f}" + "".join(f"H{x:.1f}V{v:.1f}" for x, v in corners[1:]) + f"H{place(end, low)[0]:.1f}"
            out.append(f'<path d="{way}" fill="none" stroke="{colour}" stroke-width="{2.5 if name == "auto" else 1.5}"/>')
        else:
            out.append(f'<circle cx="{corners[0][0]:.1f}" cy="{corners[0][1]:.1f}" r="4" fill="{colour}"/>')
        out.append(f'<rect x="{width - right + 14}" y="{y - 9}" width="12" height="10" fill="{colour}"/>'
                   f'<text x="{width - right + 32}" y="{y}">{name}: {points[-1][1]:.1f}</text>')
    for i, name in enumerate(absent):
        out.append(f'<text x="{width - right + 32}" y="{top + 12 + 18 * (len(curves) + i)}">{name}: nothing within {end:g} s</text>')
    with open(path, "w") as f:
        f.write("\n".join(out + ["</svg>"]) + "\n")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("spgm")
    p.add_argument("picture")
    p.add_argument("--name", default="random-256-1024")
    p.add_argument("--seed", type=int, default=601)
    p.add_argument("--noise", type=float, default=10)
    p.add_argument("--sparsity", type=int, default=30)
    p.add_argument("--seconds", type=float, default=10)
    args = p.parse_args()
    args.spgm = os.path.abspath(args.spgm)
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "data.csv")
        subprocess.run([args.spgm, "gen", args.name, "--seed", str(args.seed), "--noise", str(args.noise), "--output", made], check=True, capture_output=True)
        table = np.loadtxt(made, delimiter=",", skiprows=1)
        args.A, args.b = np.asfortranarray(table[:, :-1]), table[:, -1].copy()
        np.save(os.path.join(folder, "A.npy"), args.A)
        np.save(os.path.join(folder, "b.npy"), args.b)
        curves, absent = {}, []
        seconds, F, trace, x = fit(args, "auto", 1, args.seconds, folder)
        curves["auto"] = lowest([*((t, v) for t, v in trace if t > 0), (seconds, F)])
        for method in RESTARTED:
            curves[method] = restarted(args, method, folder)
        for method in ONCE:
            seconds, F, _, _ = fit(args, method, 1, args.seconds, folder)
            curves[method] = [(seconds, F)]
        for name, run in (("OMP (scikit-learn) + refit", lambda: of_omp(args, folder)), ("skscope + refit", lambda: of_skscope(args, folder)),
                          ("HiGHS", lambda: of_highs(args, x))):
            try:
                points = run()
            except ImportError as missing:
                print(f"{name} left out: {missing}")
                continue
            if points:
                curves[name] = points
            else:
                absent.append(name)
        for name, points in curves.items():
            print(f"{name:28} " + ", ".join(f"{t:.3g} s {F:.6g}" for t, F in points[-4:]))
        picture(args.picture, curves, f"{args.name}, noise {args.noise:g}, l1, s = {args.sparsity}", args.seconds, absent)


if __name__ == "__main__":
    main()
