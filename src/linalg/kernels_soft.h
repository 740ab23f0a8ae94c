/*
 * Logarithms, and what the logistic loss computes for a row, for many numbers at once. Part of the text of kernels_*.c.
 *
 * Every entry is computed on its own and without branches, so that its bits do not depend on its place in the array.
 */

/* where ? a : b */
INLINE vec choose(mask where, vec a, vec b) {
    return (vec)(((mask)a & where) | ((mask)b & ~where));
}

INLINE vec each(double a) {
    return a - (vec){0};
}

/* The entries from i on; lanes past the end are filled with a valid argument for every function below. */
INLINE vec load_some(const double *x, int64_t i, int64_t n) {
    vec v = each(0.5);
    if (i + LANES <= n)
        return load(x + i);
    for (int64_t l = 0; i + l < n; l++)
        v[l] = x[i + l];
    return v;
}

INLINE void store_some(double *x, int64_t i, int64_t n, vec v) {
    if (i + LANES <= n)
        store(x + i, v);
    else
        for (int64_t l = 0; i + l < n; l++)
            x[i + l] = v[l];
}

/* e^-a to a few units of the last digit, 0 <= a <= 708: 2^-k e^r with |r| <= log(2) / 2. */
INLINE vec fading(vec a) {
    vec k = a * 0x1.71547652b82fep0 + 0x1.8p52; /* a / log 2, rounded to an integer in its last bits */
    vec scale = (vec)((1023 - (mask)k) << 52);
    vec r, q, low, high;
    k -= 0x1.8p52;
    r = k * 0x1.62e42fee00000p-1 - a + k * 0x1.a39ef35793c76p-33;
    q = r * r;
    low = 1 + r + q * (0.5 + 1.0 / 6 * r + q * (1.0 / 24 + 1.0 / 120 * r));
    high = 1.0 / 720 + 1.0 / 5040 * r + q * (1.0 / 40320 + 1.0 / 362880 * r + q * (1.0 / 3628800 + 1.0 / 39916800 * r));
    return (low + q * q * q * (high + q * q * q * (1.0 / 479001600))) * scale;
}

/*
 * log x of a normal x > 0 to a unit of the last digit: x = 2^k (1 + f) with 1 + f between 2^-1/2 and 2^1/2, and
 * log(1 + f) = f - f^2 / 2 + s (f^2 / 2 + R(s^2)), s = f / (2 + f) (the polynomial of fdlibm).
 */
INLINE vec logarithm(vec x) {
    mask place = (mask)x - INT64_C(0x3fe6a09e667f3bcd), power = place >> 52;
    vec f = (vec)((mask)x - (power << 52)) - 1, k = (vec)(power + INT64_C(0x4338000000000000)) - 0x1.8p52;
    vec s = f / (2 + f), z = s * s, w = z * z, half = 0.5 * f * f;
    vec even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
    vec odd = z * (6.666666666666735130e-01 +
                   w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
    return k * 6.93147180369123816490e-01 - ((half - (s * (half + even + odd) + k * 1.90821492927058770002e-10)) - f);
}

KERNEL void logarithms(int64_t n, const double *x, double *y) {
    for (int64_t i = 0; i < n; i += LANES)
        store_some(y, i, n, logarithm(load_some(x, i, n)));
}

/* 1 / (1 + e^t) from e = e^-|t| */
INLINE vec missed(vec t, vec e) {
    vec part = 1 / (1 + e);
    return choose(t > 0, e * part, part);
}

/* e^-|t|, 0 where that is negligible; NaN for NaN */
INLINE vec faded(vec t) {
    vec a = absolute(t);
    return choose(a > 708, each(0), fading(choose(a > 708, each(708), a)));
}

KERNEL void soft(int64_t n, const double *t, double *value, double *miss) {
    for (int64_t i = 0; i < n; i += LANES) {
        vec at = load_some(t, i, n), e = faded(at), w = 1 + e;
        vec fall = choose(at < 0, -at, each(0));
        store_some(value, i, n, logarithm(w) + (e - (w - 1)) / w + fall); /* log(1 + e), w = 1 + e but for rounding */
        store_some(miss, i, n, missed(at, e));
    }
}

/* A step of Halley's method from t, where q = 1 / (1 + e^t). */
INLINE vec halley(vec t, vec q, vec t0, vec kappa) {
    vec off = t - t0 - kappa * q, bend = kappa * q * (1 - q), slope = 1 + bend;
    return off * slope / (slope * slope + off * bend * (0.5 - q));
}

INLINE vec miss_at(vec t) {
    return missed(t, faded(t));
}

KERNEL void soft_prox(int64_t n, const double *label, const double *kappa, const double *c, double *y, double *over) {
    for (int64_t i = 0; i < n; i += LANES) {
        vec b = load_some(label, i, n), k = load_some(kappa, i, n), at = load_some(c, i, n);
        vec t0 = b * at + 1, most = t0 + k, t = (t0 + k / 2) / (1 + k / 4), last, q, size, excess;
        t = choose(t < t0, t0, t);
        t = choose(t > most, most, t);
        t -= halley(t, miss_at(t), t0, k);
        t -= halley(t, miss_at(t), t0, k);
        q = miss_at(t);
        last = halley(t, q, t0, k);
        t -= last;
        q += q * (1 - q) * last * (1 + (0.5 - q) * last); /* that of the new t, but for last^3 / 6 */
        store_some(y, i, n, at + b * k * q);
        size = absolute(last) - 3e-6;
        excess = absolute(t - t0 - k / 2) - (k / 2 + 1e-14 * (1 + absolute(t)));
        store_some(over, i, n, choose(size > excess, size, excess)); /* a NaN is not at most 0 */
    }
}
