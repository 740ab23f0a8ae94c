"""Verify a certificate of `spgm fit --method exact --certificate FILE` from the raw data, with NumPy and nothing of spgm:
    python3 tools/check_certificate.py CERTIFICATE A.npy b.npy      or      ... CERTIFICATE table.csv (numbers, target last)

It proves that no x of the problem in the first line has F(x) < T = bound - margin. For every alpha in dom h* and every x, F(x) >= base + sum_j t_j x_j
+ ridge/2 x_j^2, base = -b'alpha - h*(alpha), t = A'alpha + p. So D = base - (the largest sum over the supports of a node of v_j = max over the box of
x_j of -t_j z - ridge/2 z^2) bounds F there. A unit (column, or group that counts as one) that cannot be in (out) where F(x) < T is out (in), and boxes
shrink. A node ends when D >= T, when nothing is left of it, or with both its children. Rounding: a dot product carries 1.1 (rows + 10) eps of the sum
of its absolute terms, a sum over columns 1e-13 of its terms; margin = 1e-9 (|bound| + max |b'alpha| / 1000 at the root). Exit status 1: refused."""
import json
import sys
import numpy as np

EPS, INF, OPEN, IN, OUT = np.finfo(float).eps, np.inf, 0, 1, 2


class Problem:
    def __init__(self, head, A, b):
        get, (m, n), tau, one, j = head.get, A.shape, head["quantile"], np.ones(len(b)), np.arange(A.shape[1] + 1)
        is_still = head["has_intercept"] or not np.any(head["centre"] + [head["shift"]])  # the intercept moves, F does not
        assert (m, n, m) == (head["rows"], head["columns"], b.size) and is_still, "the data have another shape, or move without an intercept"
        self.loss, self.s, self.delta, self.weight = head["loss"], head["sparsity"], head["delta"], np.array(get("weights") or one)
        b = b if self.loss not in ("hinge", "logistic", "squared_hinge") else np.where(b == b.max(), 1.0, np.where(b == b.min(), -1.0, np.nan))
        slopes = {"l1": (1, 1, 0), "quantile": (1 - tau, tau, 0), "epsilon": (1, 1, head["epsilon"]), "hinge": (b < 0, b > 0, 0)}
        own = (np.array(get(k) or 0 * one) for k in ("up", "down", "dead"))  # given row by row
        self.up, self.down, self.dead = own if "up" in head else (one * v for v in slopes.get(self.loss, (0, 0, 0)))
        self.label, self.b, self.A = b, b - head["shift"], np.column_stack([A - np.array(head["centre"]), one * head["has_intercept"]])
        self.ridge, self.p = np.append(np.full(n, head["ridge"]), 0), np.append(get("linear") or np.zeros(n), 0)
        low, high = (np.array([s * INF if v is None else v for v in (get(k) or [None] * n) + [None]], float) for k, s in (("lower", -1), ("upper", 1)))
        group, limit, self.free = np.array((get("groups") or [-1] * n) + [-1]), get("group_limit", 0), np.isin(j, get("free", []) + [n])
        self.unit, self.group, self.room = np.where(self.free, -1, j), np.full(n + 1, -1), np.full(n + 1, n)
        for g in set(group[(group >= 0) & (can := ~self.free & ~np.isin(j, get("excluded", [])))]):
            if limit > 0:
                self.group[group == g], self.room[g] = g, limit - np.sum((group == g) & self.free)
            else:  # counts as one: its unit is its first column
                self.unit[(group == g) & can] = np.flatnonzero((group == g) & can)[0]
        never = np.isin(j, get("excluded", [])) | ~self.A.any(0) & (self.p == 0) | (self.room[self.group] <= 0) & (self.group >= 0) | (low == 0) & (high == 0)
        self.root = low, high, np.where(self.free & (self.A.any(0) | (self.p != 0)), IN, np.where(never, OUT, OPEN))
        self.members = lambda some: np.bincount(self.group[some & ~self.free & (self.group >= 0)], minlength=n + 1)  # of each group with a limit
        self.left = lambda state: min(self.s - np.unique(self.unit[(state == IN) & (self.unit >= 0)]).size,  # how many units may join
            np.unique(self.unit[(state == OPEN) & (self.group < 0)]).size + np.minimum(self.members(state == OPEN), self.room - self.members(state == IN)).sum())

    def conjugate(self, u):  # from above
        if self.loss in ("linf", "l2"):
            return 0.0 if np.linalg.norm(u, 1 if self.loss == "linf" else 2) * (1 - (u.size + 10) * EPS) <= 1 else INF
        v = np.divide(u, self.weight, out=np.where(u == 0, 0.0, INF), where=self.weight > 0)
        r, s = (np.where((self.label * v < 0) & (self.label * v > -1), k, 1) for k in (-self.label * v, 1 + self.label * v))
        kinked = (u <= self.weight * self.up) & (-u <= self.weight * self.down), self.dead * np.abs(v)
        smooth = {"squared": (True, v * v / 2), "huber": (np.abs(v) <= self.delta, v * v / 2), "squared_hinge": (self.label * v <= 0, v * v / 4),
                  "logistic": ((self.label * v <= 0) & (self.label * v >= -1), r * np.log(r) + s * np.log(s) - self.label * v)}
        inside, terms = smooth.get(self.loss, kinked)
        terms = np.where(inside & np.isfinite(v), self.weight * terms, INF)
        return terms.sum() + (u.size + 30) * EPS * (np.abs(terms).sum() + np.abs(u).sum() * (self.loss == "logistic"))

    def measure(self, alpha):  # base, t, and the error of t
        u, h, more = np.array(alpha), self.conjugate(np.array(alpha)), 1.1 * (len(alpha) + 10) * EPS
        base = -self.b @ u - h - more * (np.abs(self.b) @ np.abs(u) + abs(h))
        return base, self.A.T @ u + self.p, more * (np.abs(self.A).T @ np.abs(u) + np.abs(self.p) * u.any())

    def decide(self, state, unit, how):
        state[self.unit == unit], g = how, self.group[unit]
        if g >= 0 and np.sum((self.group == g) & (state == IN) & ~self.free) >= self.room[g]:
            state[(self.group == g) & (state == OPEN)] = OUT

    def choose(self, state, worth):  # the units that may join together and are worth most
        chosen, used, left = [], self.members(state == IN), self.left(state)
        for u in sorted(set(self.unit[state == OPEN]), key=lambda u: -worth[u]):
            if len(chosen) < left and (self.group[u] < 0 or used[self.group[u]] < self.room[self.group[u]]):
                chosen, used[self.group[u]] = [*chosen, u], used[self.group[u]] + 1
        return chosen

    def closes(self, node, measured, T, times=5):
        """Draw the conclusions of a dual vector for a node (low, high, state); true: none of its x has F(x) < T."""
        (low, high, state), (base, t, error), unit, ridge, left = node, measured, self.unit, self.ridge, self.left(node[2])
        if left < 0 or np.any((state == IN) & (low > high)):
            return True
        state[:] = np.where(is_open := (state == OPEN) & (left > 0), OPEN, np.where(state == IN, IN, OUT))
        low[:], high[:] = np.where(is_open, np.minimum(low, 0), low), np.where(is_open, np.maximum(high, 0), high)
        far = np.where(error > 0, error * np.maximum(np.abs(low), np.abs(high)), 0)
        z = np.clip(np.where(t == 0, 0, np.where(ridge > 0, -t / ridge, np.where(t > 0, low, high))), low, high)
        v = np.maximum(z * (-t - ridge * z / 2) + 8 * EPS * np.abs(z) * (np.abs(t) + ridge * np.abs(z)) + far, np.where(is_open, 0, -INF))
        chosen, units = self.choose(state, worth := np.bincount(unit[is_open], v[is_open], minlength=v.size)), set(unit[is_open])
        counted = (state == IN) | is_open & np.isin(unit, chosen)
        if not -INF < (D := base - v[counted].sum() - (margin := 1e-13 * (abs(base) + abs(T) + np.abs(v[counted]).sum()))) < T:
            return bool(D >= T)
        least, most = min(worth[chosen]) if len(chosen) == left > 0 else 0, max((worth[u] for u in units - set(chosen)), default=0)
        D_in = np.where(counted, D, D - worth[unit] + least - margin)  # D where the column is in
        for u in units:
            if (D + worth[u] - most - margin if u in chosen else D_in[u]) >= T:
                self.decide(state, u, IN if u in chosen else OUT)
        slack = T - D_in - v + margin + far  # t x + ridge/2 x^2 <= slack; what is not a number concludes nothing
        edge = np.where(np.abs(t) > error, slack / (np.abs(t) + np.where(slack < 0, error, -error)), INF)
        half = np.where((square := t * t + 2 * ridge * slack) < 0, -INF, np.sqrt(np.maximum(square, 0)) / ridge)  # -INF: no x_j at all
        half, edge, middle = half + 1e-12 * (half + np.abs(t / ridge)), edge + 1e-12 * np.abs(edge), -t / ridge
        high[:] = np.fmin(high, np.where(ridge > 0, middle + half, np.where(t > 0, edge, INF)))
        low[:] = np.fmax(low, np.where(ridge > 0, middle - half, np.where(t > 0, -INF, -edge)))
        return times > 1 and self.closes(node, measured, T, times - 1)

    def box_roughly(self, low, high, state, columns, rough, T):  # where |x_j| norm_j is largest: C_j over |t_j| / norm_j less what others add
        bare, norm, (base, t, error) = (state != OUT) & ~np.isfinite(high - low), np.linalg.norm(self.A, axis=0) + 1e-300, map(np.array, zip(*rough))
        every, far = np.where(state != OUT, np.abs(t) + error, 0), np.where(bare | (state == OUT), 0, np.maximum(np.abs(low), np.abs(high)))
        mine, off = ((np.abs(t) + sign * error)[range(len(t)), columns] / norm[columns] for sign in (-1, 1))
        leaks, alike = every / norm * bare, (self.unit[:, None] == np.arange(bare.size)) & (state == OPEN)[:, None]
        leak = leaks[:, state == IN].sum(1) + [row[self.choose(state, row)].sum() for row in leaks @ alike] - off
        reach = (np.maximum(T - base + every @ far, 0) + 1e-12 * (abs(T) + np.abs(base) + every @ far)) / (mine - leak)
        own, both = bare[columns], {*zip(columns, t[range(len(t)), columns] > 0)} >= {(j, s) for j in np.flatnonzero(bare) for s in (0, 1)}
        assert both and np.all((mine > leak * (1 + 1e-9)) & np.isfinite(reach) | ~own), "the root proves no boxes"
        high[:], low[:] = np.minimum(high, box := np.where(bare, (1 + 1e-6) * np.max(reach[own], initial=0) / norm, INF)), np.maximum(low, -box)


def verify(head, records, A, b):
    """T, and the number of nodes; AssertionError: it is not proven."""
    p, children, nodes = Problem(head, A, b), {(r["parent"], r["column"], r["in"]): i for i, r in enumerate(records)}, 0
    first, scale = head["rough"], max((abs(p.b @ np.array(a)) for a in records[0]["alphas"]), default=0)
    T, rough = head["bound"] - 1e-9 * (abs(head["bound"]) + scale / 1000), [p.measure(a) for a in records[0]["alphas"][:first]]
    if not (closed := p.closes(p.root, p.measure(np.zeros(b.size)), T)) and rough:  # a ridge alone gives boxes
        p.box_roughly(*p.root, records[0]["columns"][:first], rough, T)
    stack = [] if closed or any([p.closes(p.root, measured, T) for measured in rough]) else [(0, p.root)]
    while stack:
        (i, node), nodes, leaves = stack.pop(), nodes + 1, {}
        for column, alpha in list(zip(records[i]["columns"], records[i]["alphas"]))[first if i == 0 else 0 :]:
            if column >= 0:
                leaves[p.unit[column]] = alpha
            elif p.closes(node, p.measure(alpha), T):
                break
        else:
            state, j, units = node[2], records[i]["branch"], set(p.unit[node[2] == OPEN]) if p.left(node[2]) > 0 else set()
            assert not leaves or p.left(state) <= 1 and units <= set(leaves), f"node {i}: a leaf is missing"
            for some in ([{u} for u in units] or [set(leaves)]) if leaves else ():  # one more unit at most may join, or none
                made = ((node[0].copy(), node[1].copy(), np.where((state == OPEN) & (p.unit != u), OUT, state)) for u in some)
                assert any(p.closes(leaf, p.measure(leaves[u]), T) for u, leaf in zip(some, made)), f"node {i}: the leaf of column {min(some)} is below the bound"
            for side in [s for s in (False, True) if not leaves and (not s if j < 0 else {OPEN, IN if s else OUT} & {*state[p.unit == p.unit[j]]})]:
                child, following = children.get((i, j, side), -1), tuple(part.copy() for part in node)
                assert child > i, f"node {i} is below the bound, and a child of it is missing"
                p.decide(following[2], p.unit[j] if j >= 0 else -2, IN if side else OUT)
                stack.append((child, following))
    return T, nodes


if __name__ == "__main__":
    np.seterr(all="ignore")  # of infinite boxes
    head, *records = map(json.loads, open(sys.argv[1])) if __debug__ else sys.exit("refused: python -O leaves out the checks")
    files = (np.load(f).astype(float) if f.endswith(".npy") else np.genfromtxt(f, delimiter=",") for f in sys.argv[2:])
    A, *b = (data[1:] if np.isnan(data[:1]).any() else data for data in files)  # names are no numbers
    try:
        T, nodes = verify(head, records, *((A, b[0].ravel()) if b else (A[:, :-1], A[:, -1])))
    except (AssertionError, KeyError, IndexError, TypeError, ValueError) as error:
        sys.exit(f"refused: {error}" if A.ndim == 2 else "refused: the data must be a CSV table, or A.npy and b.npy")
    more = "".join(f", {k}" for k in ("weights", "up", "linear", "lower", "upper", "free", "excluded", "groups") if head.get(k))
    more = f"{head['loss']} loss and ridge {head['ridge']}{more}{' as in its first line' * bool(more)}"
    print(f"proven: F >= {float(T)!r} for every x with s = {head['sparsity']}, {more} ({nodes} nodes)")
