"""Proven optima: `spgm fit --method exact` side by side with HiGHS on a big-M model, one thread each.

    python3 bench/proof.py BUILD/spgm [--limit SECONDS] [--ratio R] [--only TEXT] [--data DIR] [--ours]
    python3 bench/proof.py BUILD/spgm --squared [--limit SECONDS]

Times are processor time; that of spgm is of the whole command, start and reading included. HiGHS gets the model that
people build by hand (residuals, l_j z_j <= x_j <= u_j z_j, sum z <= s) and a MIP gap of 1e-6. l and u are what our dual
vectors of the root prove of every x with F(x) <= F of our model, taken from a certificate; HiGHS does not pay for them. Where
they prove nothing (labels that all columns tell apart), and with --guess everywhere, they are twice the largest
coefficient of the optimum both ways, which proves nothing either. HiGHS is stopped after --limit seconds of processor time,
and ">" then stands before that limit. --ratio R stops it earlier, when it has taken R times as long as spgm. --ours
leaves HiGHS out. --squared compares with l0bnb instead, on the squared loss with a ridge: it solves the penalised form,
with the penalty at which our path has s columns. Needs numpy, and highspy or l0bnb (with numpy < 2).
"""

import argparse
import json
import lzma
import math
import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import check_certificate  # noqa: E402

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


def exact(program, work, A, b, s, loss, limit, more=()):
    """The command."""
    np.save(work + "/A.npy", A)
    np.save(work + "/b.npy", b)
    command = [program, "fit", work + "/A.npy", "--target", work + "/b.npy", "--loss", loss, "--sparsity", str(s)]
    command += ["--method", "exact", "--threads", "1", "--time-limit", str(limit), "--quiet"]
    command += [] if "--ridge" in more else ["--ridge", "0"]
    return [*command, *more, *(["--quantile", str(TAU)] if loss == "quantile" else [])]


def ours(program, A, b, s, loss, limit, more=()):
    with tempfile.TemporaryDirectory() as work:
        command = exact(program, work, A, b, s, loss, limit, more)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command + ["--output", work + "/model.json"], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        with open(work + "/model.json") as file:
            model = json.load(file)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, model


def boxes(program, A, b, s, loss, limit, F):
    """l and u of every x with F(x) <= F, or None: by the dual vectors of the root in a certificate."""
    with tempfile.TemporaryDirectory() as work:
        path, options = work + "/certificate", ("--node-limit", "1", "--certificate")
        command = exact(program, work, A, b, s, loss, limit, [*options, path]) + ["--output", work + "/model.json"]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if not os.path.exists(path):
            return None
        with open(path) as file:
            head, root = (json.loads(next(file)) for _ in range(2))
    with np.errstate(all="ignore"):
        p, T, first = check_certificate.Problem(head, A, b), F * (1 + 1e-6), head["rough"]
        measured = [p.measure(alpha) for alpha in root["alphas"]]
        p.box_roughly(*p.root, root["columns"][:first], measured[:first], T)
        for vector in measured:
            p.closes(p.root, vector, T)
    low, high = p.root[0][: A.shape[1]], p.root[1][: A.shape[1]]
    return (np.minimum(low, 0), np.maximum(high, 0)) if np.all(np.isfinite(high - low)) else None


def big_m(A, b, s, loss, least, most):
    """Columns: x, intercept, z, then the residuals. Rows as lists of (index, value)."""
    m, n = A.shape
    inf = math.inf
    cost, low, high = [0.0] * (2 * n + 1), [*least, -inf] + [0.0] * n, [*most, inf] + [1.0] * n
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
        add([(j, 1.0), (n + 1 + j, -most[j])], -inf, 0.0)
        add([(j, 1.0), (n + 1 + j, -least[j])], 0.0, inf)
    add([(n + 1 + j, 1.0) for j in range(n)], -inf, float(s))
    return cost, low, high, rows, below, above


def limited(work, arguments, limit):
    """work(*arguments) in a process of its own, ended after so many seconds of processor time: None."""

    def child(pipe):
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit) + 1))
        signal.signal(signal.SIGXCPU, signal.SIG_DFL)
        pipe.send(work(*arguments))

    ours, theirs = multiprocessing.get_context("fork").Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=child, args=(theirs,))
    process.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        return None
    finally:
        process.join()
        if process.exitcode not in (0, -signal.SIGXCPU):
            raise RuntimeError(f"{work.__name__} ended with status {process.exitcode}, not by its limit")


def highs(A, b, s, loss, least, most):
    import highspy

    cost, low, high, rows, below, above = big_m(A, b, s, loss, least, most)
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
    for name, value in (("output_flag", False), ("threads", 1), ("mip_rel_gap", 1e-6)):
        solver.setOptionValue(name, value)
    solver.passModel(lp)
    began = time.process_time()
    solver.run()
    return time.process_time() - began, solver.getInfo().objective_function_value


def l0bnb(A, b, penalty, ridge, M):
    from l0bnb import BNBTree

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        BNBTree(A[:, :5], b).solve(penalty, ridge / 2, M, gap_tol=1e-6)  # what numba compiles is not counted
        began = time.process_time()
        found = BNBTree(A, b).solve(penalty, ridge / 2, M, gap_tol=1e-6)
    return time.process_time() - began, int(np.count_nonzero(np.abs(found[1]) > 1e-8)), found[4]


def squared(program, limit):
    """F = ||A x - b||^2 / 2 + ridge / 2 ||x||^2, no intercept."""
    print(f"{'instance':<20} {'ridge':>6} {'s':>3} {'nodes':>7} {'gap':>8} {'spgm':>9} {'l0bnb':>9} {'ratio':>8}")
    for rows, columns, s in ((100, 60, 5), (100, 200, 5), (200, 500, 5), (200, 1000, 10)):
        A, b = random_instance(rows, columns, s, 1.0, columns, False)
        for share in (0.1, 0.01):
            ridge = share * float(np.mean(np.sum(A * A, axis=0)))
            more = ("--ridge", repr(ridge), "--no-intercept")
            F = [ours(program, A, b, s + k, "squared", limit, more)[1]["objective"] for k in (-1, 1)]
            seconds, model = ours(program, A, b, s, "squared", limit, more)
            M = 2 * max(abs(c) for c in model["coefficients"])
            theirs = limited(l0bnb, (A, b, (F[0] - F[1]) / 2, ridge, M), limit)
            text = f"random {rows} x {columns:<8} {share:>6} {s:>3} {model.get('nodes', 0):>7}"
            text += f" {model.get('gap', math.inf):>8.1e} {seconds:>9.3f}"
            if theirs is None:
                text += f" > {limit:>7g} {limit / seconds:>8.1f}"
            else:
                text += f" {theirs[0]:>9.3f} {theirs[0] / seconds:>8.1f}  {theirs[1]} columns, gap {theirs[2]:.1e}"
            print(text, flush=True)
    return 0


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
    for name, path, sizes, loss in (
        ("prostate", "prostate_psa/prostate_psa.svm.xz", (2, 4, 6, 8), "l1"),
        ("barro", "qr_textbook/barro.csv", (3, 6, 9, 12), "l1"),
        ("bodyfat", "bodyfat_scale/bodyfat_scale.svm.xz", (2, 5, 8), "l1"),
        ("heart", "heart_scale/heart_scale.svm.xz", (3, 6), "hinge"),
        ("diabetes10", "diabetes/diabetes10.svm.xz", (2, 5, 8), "l1"),
        ("diabetes10", "diabetes/diabetes10.svm.xz", (2, 5, 8), "quantile"),
        ("diabetes64", "diabetes/diabetes64.svm.xz", (2, 4, 6, 8), "l1"),
        ("space_ga", "space_ga/space_ga.svm.xz", (2, 4), "l1"),
        ("communities", "communities/communities.svm.xz", (1, 3, 5), "l1"),
    ):
        A, b = (read_csv if path.endswith("csv") else read_libsvm)(os.path.join(data, path))
        for s in sizes:
            yield name, A, b, s, loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--ratio", type=float, default=math.inf)
    parser.add_argument("--only", default="")
    parser.add_argument("--data")
    parser.add_argument("--ours", action="store_true")
    parser.add_argument("--guess", action="store_true")
    parser.add_argument("--squared", action="store_true")
    args = parser.parse_args()
    if args.squared:
        return squared(args.program, args.limit)
    logs = []
    print(f"{'instance':<20} {'loss':<9} {'s':>3} {'F':>12} {'nodes':>7} {'gap':>8} {'spgm':>9} {'HiGHS':>9} {'ratio':>8}")
    for name, A, b, s, loss in instances(args.data):
        if args.only not in f"{name} {loss}":
            continue
        seconds, model = ours(args.program, A, b, s, loss, args.limit)
        text = f"{name:<20} {loss:<9} {s:>3} {model['objective']:>12.6g} {model.get('nodes', 0):>7}"
        text += f" {model.get('gap', math.inf):>8.1e} {seconds:>9.3f}"
        if not args.ours:
            proven = None if args.guess else boxes(args.program, A, b, s, loss, args.limit, model["objective"])
            M = np.full(A.shape[1], 2 * max(abs(c) for c in model["coefficients"]))
            allowed = math.ceil(min(args.limit, args.ratio * seconds))
            answer = limited(highs, (A, b, s, loss, *(proven or (-M, M))), allowed)
            theirs = allowed if answer is None else answer[0]
            text += f" {'>' if answer is None else ' '}{theirs:>8.3f} {theirs / seconds:>8.1f}"
            logs.append(math.log(theirs / seconds))
            if answer is not None and model["objective"] > answer[1] + 1e-5 * abs(answer[1]):
                text += f"  HiGHS is lower: {answer[1]:.8g}"
            text += "" if proven else "  (M is a guess)"
        print(text, flush=True)
    if logs:
        mean, least = math.exp(sum(logs) / len(logs)), math.exp(min(logs))
        print(f"geometric mean of the ratios: {mean:.1f} (must be at least 10), least {least:.1f} (1)")
        return 0 if mean >= 10 and least >= 1 else 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
