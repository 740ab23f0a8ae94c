"""Proven optima: `spgm fit --method exact` side by side with HiGHS on a big-M model, one thread each.

    python3 bench/proof.py BUILD/spgm [--limit SECONDS] [--only TEXT] [--data DIR] [--ours]

Both times are processor time; that of spgm is of the whole command, start and reading included. HiGHS gets the model that
people build by hand (residuals, |x_j| <= M z_j, sum z <= s) with M twice the largest coefficient of the optimum, tighter
than anybody could know before, and a MIP gap of 1e-6. --ours leaves HiGHS out. Needs numpy and highspy.
"""

import argparse
import json
import lzma
import math
import os
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

LOSSES = ("l1", "quantile", "linf", "hinge")
TAU = 0.9


def random_instance(rows, columns, support, noise, seed, labels):
    rng = np.random.default_rng(seed)
    A = rng.standard_normal((rows, columns))
    x = np.zeros(columns)
    x[rng.choice(columns, support, replace=False)] = rng.standard_normal(support)
    b = A @ x + noise * rng.standard_normal(rows)
    return A, np.where(b > 0, 1.0, -1.0) if labels else b


def read_libsvm(path):
    rows = [line.split() for line in lzma.open(path, "rt")]
    columns = max(int(word.split(":")[0]) for row in rows for word in row[1:])
    A = np.zeros((len(rows), columns))
    for i, row in enumerate(rows):
        for word in row[1:]:
            index, value = word.split(":")
            A[i, int(index) - 1] = float(value)
    return A, np.array([float(row[0]) for row in rows])


def read_csv(path):
    """Names of the rows, the target, the columns."""
    table = np.genfromtxt(path, delimiter=",", skip_header=1)
    return table[:, 2:], table[:, 1]


def ours(program, A, b, s, loss, limit):
    with tempfile.TemporaryDirectory() as work:
        np.save(work + "/A.npy", A)
        np.save(work + "/b.npy", b)
        command = [program, "fit", work + "/A.npy", "--target", work + "/b.npy", "--loss", loss, "--sparsity", str(s)]
        command += ["--method", "exact", "--threads", "1", "--time-limit", str(limit), "--quiet"]
        command += ["--quantile", str(TAU)] if loss == "quantile" else []
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command + ["--output", work + "/model.json"], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(work + "/model.json") as file:
            model = json.load(file)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, model


def big_m(A, b, s, loss, M):
    """Columns: x, intercept, z, then the residuals. Rows as lists of (index, value)."""
    m, n = A.shape
    inf = math.inf
    cost, low, high = [0.0] * (2 * n + 1), [-M] * n + [-inf] + [0.0] * n, [M] * n + [inf] + [1.0] * n
    rows, below, above = [], [], []
    levels = {"l1": (1.0, 1.0), "quantile": (1 - TAU, TAU)}

    def add(row, least, most):
        rows.append(row)
        below.append(least)
        above.append(most)

    start = 2 * n + 1
    if loss in levels:
        cost += [levels[loss][0]] * m + [levels[loss][1]] * m
        low, high = low + [0.0] * (2 * m), high + [inf] * (2 * m)
    else:
        extra = 1 if loss == "linf" else m
        cost, low, high = cost + [1.0] * extra, low + [0.0] * extra, high + [inf] * extra
    for i in range(m):
        row = [(j, A[i, j]) for j in range(n)] + [(n, 1.0)]
        if loss in levels:
            add(row + [(start + i, -1.0), (start + m + i, 1.0)], b[i], b[i])
        elif loss == "linf":
            add(row + [(start, -1.0)], -inf, b[i])
            add(row + [(start, 1.0)], b[i], inf)
        else:
            add([(j, b[i] * value) for j, value in row] + [(start + i, 1.0)], 1.0, inf)
    for j in range(n):
        add([(j, 1.0), (n + 1 + j, -M)], -inf, 0.0)
        add([(j, 1.0), (n + 1 + j, M)], 0.0, inf)
    add([(n + 1 + j, 1.0) for j in range(n)], -inf, float(s))
    return cost, low, high, rows, below, above


def highs(A, b, s, loss, M, limit):
    import highspy

    cost, low, high, rows, below, above = big_m(A, b, s, loss, M)
    n = A.shape[1]
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(cost), len(rows)
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = np.array(cost), np.array(low), np.array(high)
    lp.row_lower_, lp.row_upper_ = np.array(below), np.array(above)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.cumsum([0] + [len(row) for row in rows]).astype(np.int32)
    lp.a_matrix_.index_ = np.array([j for row in rows for j, _ in row], dtype=np.int32)
    lp.a_matrix_.value_ = np.array([value for row in rows for _, value in row])
    kinds = [highspy.HighsVarType.kContinuous] * len(cost)
    kinds[n + 1 : 2 * n + 1] = [highspy.HighsVarType.kInteger] * n
    lp.integrality_ = kinds
    solver = highspy.Highs()
    for name, value in (("output_flag", False), ("threads", 1), ("mip_rel_gap", 1e-6), ("time_limit", float(limit))):
        solver.setOptionValue(name, value)
    solver.passModel(lp)
    began = time.process_time()
    solver.run()
    seconds = time.process_time() - began
    info = solver.getInfo()
    is_done = solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return seconds, info.objective_function_value, is_done


def instances(data):
    for columns in (20, 30, 40, 60, 100):
        for loss in LOSSES:
            A, b = random_instance(100, columns, 5, 1.0, columns, loss == "hinge")
            yield f"random 100 x {columns}", A, b, 5, loss
    for loss in LOSSES:
        A, b = random_instance(500, 50, 10, 1.0, 500, loss == "hinge")
        yield "random 500 x 50", A, b, 10, loss
    if data is None:
        return
    for name, path, sizes in (
        ("diabetes10", "diabetes/diabetes10.svm.xz", (2, 5, 8)),
        ("diabetes64", "diabetes/diabetes64.svm.xz", (2, 4, 6, 8)),
        ("prostate", "prostate_psa/prostate_psa.svm.xz", (2, 4, 6)),
        ("barro", "qr_textbook/barro.csv", (3, 6, 9)),
        ("communities", "communities/communities.svm.xz", (2, 5)),
    ):
        A, b = (read_csv if path.endswith("csv") else read_libsvm)(os.path.join(data, path))
        for s in sizes:
            yield name, A, b, s, "l1"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--only", default="")
    parser.add_argument("--data")
    parser.add_argument("--ours", action="store_true")
    args = parser.parse_args()
    logs = []
    print(f"{'instance':<20} {'loss':<9} {'s':>3} {'F':>12} {'nodes':>7} {'gap':>8} {'spgm':>9} {'HiGHS':>9} {'ratio':>8}")
    for name, A, b, s, loss in instances(args.data):
        if args.only not in f"{name} {loss}":
            continue
        seconds, model = ours(args.program, A, b, s, loss, args.limit)
        text = f"{name:<20} {loss:<9} {s:>3} {model['objective']:>12.6g} {model.get('nodes', 0):>7}"
        text += f" {model.get('gap', math.inf):>8.1e} {seconds:>9.3f}"
        if not args.ours:
            M = 2 * max(abs(c) for c in model["coefficients"])
            theirs, objective, is_done = highs(A, b, s, loss, M, args.limit)
            text += f" {'' if is_done else '>'}{theirs:>9.3f} {theirs / seconds:>8.1f}"
            logs.append(math.log(theirs / seconds))
            if is_done and model["objective"] > objective * (1 + 1e-5):
                text += f"  HiGHS is lower: {objective:.8g}"
        print(text, flush=True)
    if logs:
        mean, least = math.exp(sum(logs) / len(logs)), math.exp(min(logs))
        print(f"geometric mean of the ratios: {mean:.1f} (must be at least 10), least {least:.1f} (1)")
        return 0 if mean >= 10 and least >= 1 else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
