#!/usr/bin/env python3
"""Reference values for test_fit_optima.c, by solvers that share nothing with spgm.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install numpy scipy cvxpy
    /tmp/venv/bin/python check_fit_optima.py

Prints the lines of the table `cases` in test_fit_optima.c. Linear programs are solved by HiGHS (SciPy), the others by Clarabel
(CVXPY), each of them also from its dual side: the two optimal values must agree. The data are those of make_case in
test_fit_optima.c: a 64-bit congruential generator whose sums are exact in double precision.
"""
import cvxpy as cp
import numpy as np
import scipy.optimize as so

DUPLICATE, ZERO, CONSTANT, LINEAR, QUADRATIC, SQUARES, INTERCEPT, WEIGHTS = (1 << i for i in range(8))


class Generator:
    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) / 2.0**31

    def bell(self):
        return self.uniform() + self.uniform() + self.uniform() + self.uniform() - 2.0

    def matrix(self, rows, columns):
        return np.array([[self.bell() for _ in range(rows)] for _ in range(columns)]).reshape(columns, rows).T


def make_case(m, k, loss, ridge, flags, seed):
    g = Generator(seed)
    A = g.matrix(m, k)
    if flags & DUPLICATE:
        A[:, k - 1] = A[:, 0]
    if flags & ZERO:
        A[:, 1] = 0
    b = np.zeros(m)
    for i in range(m):
        b[i] = sum(A[i, j] * (j % 3 - 1) for j in range(k)) + 2 * g.bell() + (20 if i % 7 == 3 else 0)
    if flags & CONSTANT:
        b[:] = 5
    if loss == "hinge":
        b = np.where(b > 0, 1.0, -1.0)
    p = np.array([0.25 if j % 2 else -0.5 for j in range(k)]) if flags & LINEAR else np.zeros(k)
    G = g.matrix(3, k) if flags & QUADRATIC else np.zeros((1, k))
    C = g.matrix(5, k) if flags & SQUARES else np.zeros((1, k))
    d = np.array([g.bell() for _ in range(5)]) if flags & SQUARES else np.zeros(1)
    w = np.array([i % 4 for i in range(m)], float) if flags & WEIGHTS else np.ones(m)
    if flags & INTERCEPT:
        A = np.hstack([A, np.ones((m, 1))])
        p, G, C = (np.append(p, 0), *(np.hstack([M, np.zeros((M.shape[0], 1))]) for M in (G, C)))
    omega = np.full(A.shape[1], ridge)
    if flags & INTERCEPT:
        omega[-1] = 0
    return A, b, w, omega, p, G, C, d


def slopes(loss, option, b, w):
    up, down, dead = {"l1": (1, 1, 0), "quantile": (1 - option, option, 0), "epsilon": (1, 1, option),
                      "hinge": (np.where(b < 0, 1.0, 0.0), np.where(b < 0, 0.0, 1.0), 0)}[loss]
    return up * w, down * w, dead * np.ones(len(b))


def by_highs(A, b, w, loss, option):
    m, k = A.shape
    I, O = np.eye(m), np.zeros((m, m))
    if loss == "linf":
        ones = np.ones((m, 1))
        result = so.linprog(np.append(np.zeros(k), 1), np.block([[A, -ones], [-A, -ones]]), np.concatenate([b, -b]),
                            bounds=[(None, None)] * (k + 1), method="highs-ds")
    else:
        up, down, dead = slopes(loss, option, b, w)
        result = so.linprog(np.concatenate([np.zeros(k), up, down]), np.block([[A, -I, O], [-A, O, -I]]),
                            np.concatenate([b + dead, -b + dead]), bounds=[(None, None)] * k + [(0, None)] * (2 * m),
                            method="highs-ds")
    dual = result.ineqlin.marginals @ np.concatenate([b + dead, -b + dead] if loss != "linf" else [b, -b])
    assert abs(result.fun - dual) <= 1e-9 * (1 + abs(result.fun))
    return result.fun


def by_clarabel(A, b, w, omega, p, G, C, d, loss, option):
    x = cp.Variable(A.shape[1])
    r = A @ x - b
    if loss == "linf":
        h = cp.norm_inf(r)
    elif loss == "l2":
        h = cp.norm2(r)
    elif loss == "squared":
        h = cp.sum_squares(r) / 2
    else:
        up, down, dead = slopes(loss, option, b, w)
        h = cp.sum(cp.multiply(up, cp.pos(r - dead)) + cp.multiply(down, cp.pos(-r - dead)))
    f = cp.sum(cp.multiply(omega, cp.square(x))) / 2 + p @ x + cp.sum_squares(G @ x) / 2 + cp.sum_squares(C @ x - d) / 2
    problem = cp.Problem(cp.Minimize(f + h))
    problem.solve(solver=cp.CLARABEL, tol_gap_abs=1e-12, tol_gap_rel=1e-12, tol_feas=1e-12)
    return problem.value


CASES = [
    # rows, columns, loss, option, ridge, flags, seed
    (40, 5, "l1", 0, 0, 0, 1),
    (40, 5, "l1", 0, 0, WEIGHTS | INTERCEPT, 2),
    (200, 12, "quantile", 0.3, 0, INTERCEPT, 3),
    (60, 6, "epsilon", 1.5, 0, INTERCEPT, 4),
    (60, 6, "hinge", 0, 0, 0, 5),
    (60, 6, "linf", 0, 0, 0, 6),
    (60, 6, "linf", 0, 0, INTERCEPT | DUPLICATE, 7),
    (30, 6, "l1", 0, 0, DUPLICATE | ZERO, 8),
    (4, 9, "l1", 0, 0, 0, 9),
    (4, 9, "linf", 0, 0, 0, 10),
    (40, 5, "l1", 0, 0.5, 0, 11),
    (40, 5, "l1", 0, 0.5, LINEAR | QUADRATIC, 12),
    (40, 8, "quantile", 0.8, 0.25, SQUARES | INTERCEPT, 13),
    (40, 5, "epsilon", 2.0, 0.125, WEIGHTS | DUPLICATE | INTERCEPT, 14),
    (50, 7, "hinge", 0, 0.25, INTERCEPT, 15),
    (50, 7, "linf", 0, 0.0625, LINEAR, 16),
    (50, 7, "linf", 0, 0.0078125, QUADRATIC | DUPLICATE | ZERO, 17),
    (50, 7, "l2", 0, 0.5, INTERCEPT, 18),
    (50, 7, "l2", 0, 0, DUPLICATE | SQUARES, 19),
    (4, 9, "l2", 0, 0.03125, 0, 20),
    (4, 9, "l2", 0, 0.5, LINEAR, 21),
    (50, 7, "squared", 0, 0.5, LINEAR | QUADRATIC | INTERCEPT, 22),
    (4, 9, "l1", 0, 0.5, LINEAR, 23),
    (30, 4, "l1", 0, 0.25, CONSTANT | INTERCEPT, 24),
]

if __name__ == "__main__":
    for m, k, loss, option, ridge, flags, seed in CASES:
        A, b, w, omega, p, G, C, d = make_case(m, k, loss, ridge, flags, seed)
        values = [by_clarabel(A, b, w, omega, p, G, C, d, loss, option)]
        if ridge == 0 and loss not in ("l2", "squared") and not flags & (LINEAR | QUADRATIC | SQUARES):
            values.insert(0, by_highs(A, b, w, loss, option))
        assert max(values) - min(values) <= 1e-8 * (1 + abs(values[0])), values
        print(f'    {{{m}, {k}, "{loss}", {option}, {ridge}, {flags}, {seed}, {values[0]:.12g}}},')
