/*
 * The text of kernels_*.c. The including file defines KERNEL_TARGET (function attributes), KERNEL_TABLE (the name of
 * the table) and KERNEL_BYTES (the width of a vector register).
 */
#include <math.h>
#include <stddef.h>

#include "linalg/kernels.h"

#define KERNEL static KERNEL_TARGET PROCESSOR_FUSED
#define INLINE static inline __attribute__((always_inline)) KERNEL_TARGET PROCESSOR_FUSED

enum { LANES = KERNEL_BYTES / (int)sizeof(double) };

typedef double vec __attribute__((vector_size(KERNEL_BYTES)));
typedef double vec_anywhere __attribute__((vector_size(KERNEL_BYTES), aligned(sizeof(double)), may_alias));
typedef int64_t mask __attribute__((vector_size(KERNEL_BYTES)));

INLINE vec load(const double *p) {
    return *(const vec_anywhere *)p;
}
INLINE void store(double *p, vec v) {
    *(vec_anywhere *)p = v;
}
INLINE vec absolute(vec v) {
    return (vec)((mask)v & INT64_MAX);
}

/* a b + c as the vector code computes it. Otherwise the compiler would fuse some scalar loops and not others. */
INLINE double fused(double a, double b, double c) {
    return KERNEL_FMA(a, b, c);
}

INLINE double total(vec v) {
    double lane[LANES];
    for (int i = 0; i < LANES; i++)
        lane[i] = v[i];
    for (int width = LANES / 2; width > 0; width /= 2)
        for (int i = 0; i < width; i++)
            lane[i] += lane[i + width];
    return lane[0];
}

INLINE int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

INLINE const double *column_at(const double *a, int64_t ld, const int64_t *columns, int64_t i) {
    return a + (columns ? columns[i] : i) * ld;
}

/* ---- One vector ----------------------------------------------------------------------------- */

KERNEL double dot(int64_t n, const double *x, const double *y) {
    vec s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    int64_t i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
        s0 += load(x + i) * load(y + i);
        s1 += load(x + i + LANES) * load(y + i + LANES);
        s2 += load(x + i + 2 * LANES) * load(y + i + 2 * LANES);
        s3 += load(x + i + 3 * LANES) * load(y + i + 3 * LANES);
    }
    double rest = 0;
    for (; i < n; i++)
        rest = fused(x[i], y[i], rest);
    return total((s0 + s1) + (s2 + s3)) + rest;
}

KERNEL double sum_squares(int64_t n, const double *x) {
    return dot(n, x, x);
}

KERNEL double weighted_square(int64_t n, const double *w, const double *x) {
    vec s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    int64_t i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
        vec x0 = load(x + i), x1 = load(x + i + LANES), x2 = load(x + i + 2 * LANES), x3 = load(x + i + 3 * LANES);
        s0 += load(w + i) * x0 * x0;
        s1 += load(w + i + LANES) * x1 * x1;
        s2 += load(w + i + 2 * LANES) * x2 * x2;
        s3 += load(w + i + 3 * LANES) * x3 * x3;
    }
    double rest = 0;
    for (; i < n; i++)
        rest = fused(w[i] * x[i], x[i], rest);
    return total((s0 + s1) + (s2 + s3)) + rest;
}

KERNEL double norm1(int64_t n, const double *x) {
    vec s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    int64_t i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
        s0 += absolute(load(x + i));
        s1 += absolute(load(x + i + LANES));
        s2 += absolute(load(x + i + 2 * LANES));
        s3 += absolute(load(x + i + 3 * LANES));
    }
    double rest = 0;
    for (; i < n; i++)
        rest += fabs(x[i]);
    return total((s0 + s1) + (s2 + s3)) + rest;
}

union word {
    double number;
    int64_t bits;
};

INLINE int64_t bits_of(double number) {
    return (union word){.number = number}.bits;
}
INLINE double number_of(int64_t bits) {
    return (union word){.bits = bits}.number;
}

KERNEL double largest(int64_t n, const double *x) {
    /* |x| as an integer has the order of |x| as a number, with NaN above infinity, so that comparisons preserve NaN. */
    mask top = {0};
    int64_t i = 0, best = 0;
    for (; i + LANES <= n; i += LANES) {
        mask bits = (mask)absolute(load(x + i));
        mask more = bits > top;
        top = (bits & more) | (top & ~more);
    }
    for (int lane = 0; lane < LANES; lane++)
        best = top[lane] > best ? top[lane] : best;
    for (; i < n; i++) {
        int64_t bits = bits_of(fabs(x[i]));
        best = bits > best ? bits : best;
    }
    return number_of(best);
}

/* The slope of |e| if |e| is the highest and the slope is steeper than `before`. */
INLINE double steeper(double e, double slope, double highest, double before) {
    slope = e > 0 ? slope : -slope;
    return fabs(e) >= highest && slope > before ? slope : before;
}

INLINE vec higher(vec v, vec w) {
    mask more = v > w;
    return (vec)(((mask)v & more) | ((mask)w & ~more));
}

/* x + a y from i on. Without optimisation it may be rounded twice, unlike fused(). */
INLINE vec moved(const double *x, double a, const double *y, int64_t i) {
    return load(x + i) + a * load(y + i);
}

/* Every lane keeps the largest of its own rows. If that is the overall maximum, the rows are visited again for their
 * slopes. */
KERNEL double peak(int64_t n, const double *x, double a, const double *y, double *rise) {
    enum { STRIDE = 4 * LANES };
    vec top[4] = {{0}, {0}, {0}, {0}};
    double highest = 0, steepest = -INFINITY;
    int64_t whole = n - n % STRIDE;
    for (int64_t i = 0; i < whole; i += STRIDE)
        for (int k = 0; k < 4; k++)
            top[k] = higher(absolute(moved(x, a, y, i + k * LANES)), top[k]);
    for (int k = 0; k < STRIDE; k++)
        highest = top[k / LANES][k % LANES] > highest ? top[k / LANES][k % LANES] : highest;
    for (int64_t i = whole; i < n; i++) {
        double size = fabs(fused(a, y[i], x[i]));
        highest = size > highest ? size : highest;
    }
    for (int k = 0; k < STRIDE; k++)
        for (int64_t i = 0; top[k / LANES][k % LANES] == highest && i < whole; i += STRIDE)
            steepest = steeper(moved(x, a, y, i + k / LANES * LANES)[k % LANES], y[i + k], highest, steepest);
    for (int64_t i = whole; i < n; i++)
        steepest = steeper(fused(a, y[i], x[i]), y[i], highest, steepest);
    *rise = steepest;
    return highest;
}

struct bent {
    vec value, rise;
};

/* The positive part of v; NaN is preserved. */
INLINE vec above_zero(vec v) {
    return (vec)((mask)v & ~(v < (vec){0}));
}

INLINE struct bent bend_lanes(struct bent sum, vec e, vec y, vec up, vec down, vec dead) {
    mask over = e > dead, under = e < -dead;
    vec slope = (vec)(((mask)up & over) | ((mask)(-down) & under));

    sum.value += up * above_zero(e - dead) + down * above_zero(-e - dead);
    sum.rise += slope * y;
    return sum;
}

INLINE vec every(const double *numbers, int64_t i, int same) {
    return same ? numbers[0] - (vec){0} : load(numbers + i);
}

/* Compiled separately for rows with equal slopes, which then stay in registers. The last rows are put at the front of a
 * vector that is otherwise zero. */
INLINE double bend_rows(int64_t n, const double *x, double a, const double *y, struct bends k, int same, double *rise) {
    struct bent sum[2] = {{{0}, {0}}, {{0}, {0}}};
    double last[5][LANES] = {{0}};
    int64_t i = 0;

    for (; i + 2 * LANES <= n; i += 2 * LANES)
        for (int half = 0; half < 2; half++) {
            int64_t at = i + half * LANES;
            sum[half] = bend_lanes(sum[half], moved(x, a, y, at), load(y + at), every(k.up, at, same),
                                   every(k.down, at, same), every(k.dead, at, same));
        }
    for (; i < n; i += LANES) {
        int64_t count = least(LANES, n - i);
        for (int64_t l = 0; l < LANES; l++) {
            int is_row = l < count;
            last[0][l] = is_row ? x[i + l] : 0;
            last[1][l] = is_row ? y[i + l] : 0;
            last[2][l] = is_row ? k.up[same ? 0 : i + l] : 0;
            last[3][l] = is_row ? k.down[same ? 0 : i + l] : 0;
            last[4][l] = is_row ? k.dead[same ? 0 : i + l] : 0;
        }
        sum[0] = bend_lanes(sum[0], moved(last[0], a, last[1], 0), load(last[1]), load(last[2]), load(last[3]),
                            load(last[4]));
    }
    *rise = total(sum[0].rise + sum[1].rise);
    return total(sum[0].value + sum[1].value);
}

KERNEL double bend(int64_t n, const double *x, double a, const double *y, struct bends bends, double *rise) {
    return bends.are_same ? bend_rows(n, x, a, y, bends, 1, rise) : bend_rows(n, x, a, y, bends, 0, rise);
}

KERNEL void scale(int64_t n, double a, double *x) {
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        store(x + i, a * load(x + i));
    for (; i < n; i++)
        x[i] *= a;
}

/* ---- Columns -------------------------------------------------------------------------------- */

enum { GROUP = 4, LINE = 8, SHORT = 512 };

struct group {
    const double *column[GROUP];
};

/* Columns i, i + 1, ... of the list; past its end the last one is repeated. */
INLINE struct group group_at(const double *a, int64_t ld, const int64_t *columns, int64_t i, int64_t k) {
    struct group group;
    for (int c = 0; c < GROUP; c++)
        group.column[c] = column_at(a, ld, columns, least(i + c, k - 1));
    return group;
}

INLINE void bring_near(const double *line) {
    for (int i = 0; i < 2 * LANES; i += LINE)
        __builtin_prefetch(line + i);
}

/* a'u */
INLINE double dot_one(int64_t m, const double *a, const double *u) {
    vec even = {0}, odd = {0};
    double rest = 0;
    int64_t i = 0;
    for (; i + 2 * LANES <= m; i += 2 * LANES) {
        even += load(a + i) * load(u + i);
        odd += load(a + i + LANES) * load(u + i + LANES);
    }
    for (; i < m; i++)
        rest = fused(a[i], u[i], rest);
    return total(even + odd) + rest;
}

/* The same for a group: u is loaded once for all its columns. With `ahead`, the columns of `next` are prefetched. */
INLINE void dot_group(int64_t m, struct group a, int ahead, struct group next, const double *u, double *g) {
    const double *a0 = a.column[0], *a1 = a.column[1], *a2 = a.column[2], *a3 = a.column[3];
    vec even0 = {0}, even1 = {0}, even2 = {0}, even3 = {0};
    vec odd0 = {0}, odd1 = {0}, odd2 = {0}, odd3 = {0};
    double rest[GROUP] = {0, 0, 0, 0};
    int64_t i = 0;
    for (; i + 2 * LANES <= m; i += 2 * LANES) {
        vec u0 = load(u + i), u1 = load(u + i + LANES);
        for (int c = 0; ahead && c < GROUP; c++)
            bring_near(next.column[c] + i);
        even0 += load(a0 + i) * u0;
        even1 += load(a1 + i) * u0;
        even2 += load(a2 + i) * u0;
        even3 += load(a3 + i) * u0;
        odd0 += load(a0 + i + LANES) * u1;
        odd1 += load(a1 + i + LANES) * u1;
        odd2 += load(a2 + i + LANES) * u1;
        odd3 += load(a3 + i + LANES) * u1;
    }
    for (; i < m; i++)
        for (int c = 0; c < GROUP; c++)
            rest[c] = fused(a.column[c][i], u[i], rest[c]);
    g[0] = total(even0 + odd0) + rest[0];
    g[1] = total(even1 + odd1) + rest[1];
    g[2] = total(even2 + odd2) + rest[2];
    g[3] = total(even3 + odd3) + rest[3];
}

/* The processor prefetches long columns by itself; short ones end before it has recognised the stream. */
KERNEL void dot_columns(int64_t m, int64_t k, const int64_t *columns, const double *a, int64_t ld, const double *u,
                        double *g) {
    int64_t j = 0;
    for (; j + GROUP <= k; j += GROUP) {
        struct group group = group_at(a, ld, columns, j, k);
        if (m <= SHORT)
            dot_group(m, group, 1, group_at(a, ld, columns, j + GROUP, k), u, g + j);
        else
            dot_group(m, group, 0, group, u, g + j);
    }
    for (; j < k; j++)
        g[j] = dot_one(m, column_at(a, ld, columns, j), u);
}

/* y += sum_c z_c a_c for `width` columns: y is loaded and stored once for all of them. */
INLINE void add_group(int width, int64_t m, struct group a, const double *z, double *y) {
    double factor[GROUP];
    int64_t i = 0;
    for (int c = 0; c < width; c++)
        factor[c] = z[c];
    for (; i + LANES <= m; i += LANES) {
        vec sum = load(y + i);
        for (int c = 0; c < width; c++)
            sum += factor[c] * load(a.column[c] + i);
        store(y + i, sum);
    }
    for (; i < m; i++)
        for (int c = 0; c < width; c++)
            y[i] = fused(factor[c], a.column[c][i], y[i]);
}

KERNEL void add_columns(int64_t m, int64_t k, const int64_t *columns, const double *a, int64_t ld, const double *z,
                        double *y) {
    int64_t j = 0;
    for (; j + GROUP <= k; j += GROUP)
        add_group(GROUP, m, group_at(a, ld, columns, j, k), z + j, y);
    for (; j < k; j++)
        add_group(1, m, group_at(a, ld, columns, j, k), z + j, y);
}

/* ---- Products of columns -------------------------------------------------------------------- */

/*
 * A tile of TALL x WIDE sums stays in registers while both sets of columns are read in place, without packing. STRIP
 * rows of NEAR left columns stay in the first-level cache during the pass over the right columns.
 */
enum { TALL = 4, WIDE = 3, STRIP = 256, NEAR = 12 };

struct tile {
    const double *left[TALL], *right[WIDE];
    double sum[TALL * WIDE];
};

INLINE void tile_sum(struct tile *tile, int64_t m, int weighted, const double *w) {
    vec sum[TALL * WIDE];
    double rest[TALL * WIDE];
    int64_t r = 0;
    for (int e = 0; e < TALL * WIDE; e++) {
        sum[e] = (vec){0};
        rest[e] = 0;
    }
    for (; r + LANES <= m; r += LANES) {
        vec right[WIDE];
        for (int j = 0; j < WIDE; j++)
            right[j] = weighted ? load(w + r) * load(tile->right[j] + r) : load(tile->right[j] + r);
        for (int i = 0; i < TALL; i++)
            for (int j = 0; j < WIDE; j++)
                sum[i + TALL * j] += load(tile->left[i] + r) * right[j];
    }
    for (; r < m; r++)
        for (int j = 0; j < WIDE; j++)
            for (int i = 0; i < TALL; i++)
                rest[i + TALL * j] = fused(tile->left[i][r], weighted ? w[r] * tile->right[j][r] : tile->right[j][r],
                                           rest[i + TALL * j]);
    for (int e = 0; e < TALL * WIDE; e++)
        tile->sum[e] = total(sum[e]) + rest[e];
}

KERNEL void tile_plain(struct tile *tile, int64_t m) {
    tile_sum(tile, m, 0, NULL);
}

KERNEL void tile_weighted(struct tile *tile, int64_t m, const double *w) {
    tile_sum(tile, m, 1, w);
}

INLINE const double *listed(struct columns set, int64_t i) {
    return column_at(set.values, set.ld, set.list, i);
}

/* G += the products over m rows of the left columns i0..k-1 (at most NEAR) with the right columns 0..l-1 */
KERNEL void add_strip(int64_t m, double factor, const double *w, int64_t i0, int64_t k, struct columns left, int64_t l,
                      struct columns right, int64_t lowest, double *G, int64_t ldg) {
    struct tile tile;
    for (int64_t j = 0; j < l; j += WIDE) {
        for (int c = 0; c < WIDE; c++)
            tile.right[c] = listed(right, least(j + c, l - 1));
        for (int64_t i = i0; i < k; i += TALL) {
            if (i + TALL <= lowest + j)
                continue;
            for (int c = 0; c < TALL; c++)
                tile.left[c] = listed(left, least(i + c, k - 1));
            if (w)
                tile_weighted(&tile, m, w);
            else
                tile_plain(&tile, m);
            for (int64_t q = 0; q < least(WIDE, l - j); q++)
                for (int64_t p = 0; p < least(TALL, k - i); p++)
                    G[i + p + (j + q) * ldg] += factor * tile.sum[p + TALL * q];
        }
    }
}

/* By tiles, for few left columns. */
KERNEL void add_tiles(int64_t m, double factor, const double *w, int64_t k, struct columns left, int64_t l,
                      struct columns right, int64_t lowest, double *G, int64_t ldg) {
    for (int64_t r = 0; r < m; r += STRIP) {
        for (int64_t i = 0; i < k; i += NEAR)
            add_strip(least(STRIP, m - r), factor, w ? w + r : NULL, i, least(i + NEAR, k), left, l, right, lowest, G,
                      ldg);
        left.values += STRIP;
        right.values += STRIP;
    }
}

/* ---- Products of larger matrices ------------------------------------------------------------- */

/*
 * PANEL rows of the left factor, DEEP at a time, are copied together, padded with zeros at the bottom; GROUP columns of
 * the result are summed in registers during a pass over the copy.
 */
enum { VECTORS = 3, PANEL = VECTORS * LANES, DEEP = 128 };

/* sum [PANEL x GROUP] = panel B, the first `vectors` of it */
INLINE void panel_sum(int vectors, int64_t depth, const double *panel, struct group B, double *sum) {
    vec total[GROUP * VECTORS]; /* in registers, hence the loops without counters, at any level of optimisation */
#pragma GCC unroll 16
    for (int e = 0; e < GROUP * VECTORS; e++)
        total[e] = (vec){0};
    for (int64_t p = 0; p < depth; p++) {
        vec a[VECTORS];
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            a[v] = load(panel + p * PANEL + v * LANES);
#pragma GCC unroll 4
        for (int c = 0; c < GROUP; c++)
#pragma GCC unroll 4
            for (int v = 0; v < vectors; v++)
                total[v + c * VECTORS] += a[v] * B.column[c][p];
    }
#pragma GCC unroll 4
    for (int c = 0; c < GROUP; c++)
#pragma GCC unroll 4
        for (int v = 0; v < vectors; v++)
            store(sum + c * PANEL + v * LANES, total[v + c * VECTORS]);
}

KERNEL void panel_times(int64_t height, int64_t depth, const double *panel, struct group B, double *sum) {
    if (height <= LANES)
        panel_sum(1, depth, panel, B, sum);
    else if (height <= 2 * LANES)
        panel_sum(2, depth, panel, B, sum);
    else
        panel_sum(3, depth, panel, B, sum);
}

/* C [height x n] += factor panel B */
INLINE void add_panel(int64_t height, int64_t n, int64_t depth, double factor, const double *panel, struct columns B,
                      double *C, int64_t ldc) {
    double sum[PANEL * GROUP];
    for (int64_t j = 0; j < n; j += GROUP) {
        panel_times(height, depth, panel, group_at(B.values, B.ld, B.list, j, n), sum);
        for (int64_t c = 0; c < least(GROUP, n - j); c++)
            for (int64_t r = 0; r < height; r++)
                C[r + (j + c) * ldc] = fused(factor, sum[r + c * PANEL], C[r + (j + c) * ldc]);
    }
}

KERNEL void multiply(int64_t m, int64_t n, int64_t k, double factor, const double *A, int64_t lda, const double *B,
                     int64_t ldb, double *C, int64_t ldc) {
    double panel[PANEL * DEEP];
    for (int64_t p = 0; p < k; p += DEEP)
        for (int64_t i = 0; i < m; i += PANEL) {
            int64_t depth = least(DEEP, k - p), height = least(PANEL, m - i);
            for (int64_t q = 0; q < depth; q++)
                for (int64_t r = 0; r < PANEL; r++)
                    panel[r + q * PANEL] = r < height ? A[i + r + (p + q) * lda] : 0;
            add_panel(height, n, depth, factor, panel, (struct columns){B + p, ldb, NULL}, C + i, ldc);
        }
}

/* Rows first.. of the left columns, weighted, copied as the rows of a panel. */
INLINE void copy_columns(int64_t height, int64_t depth, struct columns left, int64_t i, const double *w,
                         double *panel) {
    for (int64_t c = 0; c < PANEL; c++) {
        const double *column = listed(left, i + least(c, height - 1));
        double present = c < height ? 1 : 0;
        for (int64_t p = 0; p < depth; p++)
            panel[c + p * PANEL] = present * (w ? w[p] * column[p] : column[p]);
    }
}

KERNEL void add_panels(int64_t m, double factor, const double *w, int64_t k, struct columns left, int64_t l,
                       struct columns right, int64_t lowest, double *G, int64_t ldg) {
    double panel[PANEL * DEEP];
    for (int64_t r = 0; r < m; r += DEEP) {
        for (int64_t i = 0; i < k; i += PANEL) {
            int64_t depth = least(DEEP, m - r), height = least(PANEL, k - i);
            int64_t wanted = least(l, i + height - lowest); /* i + height > lowest + j */
            copy_columns(height, depth, left, i, w ? w + r : NULL, panel);
            add_panel(height, wanted, depth, factor, panel, right, G + i, ldg);
        }
        left.values += DEEP;
        right.values += DEEP;
    }
}

KERNEL void add_products(int64_t m, double factor, const double *w, int64_t k, struct columns left, int64_t l,
                         struct columns right, int64_t lowest, double *G, int64_t ldg) {
    (k < 2 * PANEL ? add_tiles : add_panels)(m, factor, w, k, left, l, right, lowest, G, ldg);
}

KERNEL void rank_one(int64_t m, int64_t n, double factor, const double *x, const double *y, double *A, int64_t ld) {
    for (int64_t j = 0; j < n; j++) {
        double z = factor * y[j], *a = A + j * ld;
        int64_t i = 0;
        for (; i + LANES <= m; i += LANES)
            store(a + i, load(a + i) + z * load(x + i));
        for (; i < m; i++)
            a[i] = fused(z, x[i], a[i]);
    }
}

KERNEL void rank_two(int64_t m, int64_t n, double p, const double *x, const double *y, double q, const double *u,
                     const double *w, double *A, int64_t ld) {
    for (int64_t j = 0; j < n; j++) {
        double z = p * y[j], t = q * w[j], *a = A + j * ld;
        int64_t i = 0;
        for (; i + LANES <= m; i += LANES)
            store(a + i, load(a + i) + z * load(x + i) + t * load(u + i));
        for (; i < m; i++)
            a[i] = fused(t, u[i], fused(z, x[i], a[i]));
    }
}

KERNEL double ratios(int64_t n, const double *x, double step, const double *v, const double *room, double inverse,
                     double *value) {
    mask low = (mask){0} + bits_of(INFINITY); /* nonnegative numbers have the order of their bits */
    int64_t i = 0, least = bits_of(INFINITY);
    for (; i + LANES <= n; i += LANES) {
        vec w = load(v + i), top = load(x + i) - step * w, ratio = top * top / (load(room + i) + inverse * (w * w));
        mask bits = (mask)ratio, less = bits < low;
        low = (bits & less) | (low & ~less);
        store(value + i, ratio);
    }
    for (int lane = 0; lane < LANES; lane++)
        least = low[lane] < least ? low[lane] : least;
    for (; i < n; i++) {
        double top = fused(-step, v[i], x[i]);
        value[i] = top * top / fused(inverse, v[i] * v[i], room[i]);
        least = bits_of(value[i]) < least ? bits_of(value[i]) : least;
    }
    return number_of(least);
}

KERNEL double excess(int64_t n, const double *x, double largest, double depth, double *count) {
    vec sum0 = {0}, sum1 = {0}, zero = {0};
    mask found0 = {0}, found1 = {0};
    int64_t i = 0, found = 0;
    double sum;
    for (; i + 2 * LANES <= n; i += 2 * LANES) {
        vec off0 = depth - (largest - absolute(load(x + i))), off1 = depth - (largest - absolute(load(x + i + LANES)));
        mask is0 = off0 > zero, is1 = off1 > zero;
        sum0 += (vec)((mask)off0 & is0);
        sum1 += (vec)((mask)off1 & is1);
        found0 -= is0; /* -1 where it is */
        found1 -= is1;
    }
    sum = total(sum0 + sum1);
    for (int lane = 0; lane < LANES; lane++)
        found += found0[lane] + found1[lane];
    for (; i < n; i++) {
        double off = depth - (largest - fabs(x[i]));
        sum += off > 0 ? off : 0;
        found += off > 0;
    }
    *count = (double)found;
    return sum;
}

#include "linalg/kernels_single.h"
#include "linalg/kernels_soft.h"

const struct kernels KERNEL_TABLE = {dot,      sum_squares, weighted_square, norm1,       largest,       peak,
                                     bend,     scale,       dot_columns,     add_columns, add_products,  add_panels,
                                     multiply, rank_one,    rank_two,        ratios,      excess,        logarithms,
                                     soft,     soft_prox,   combine_rows,    turn_pulls,  turn_and_price};
