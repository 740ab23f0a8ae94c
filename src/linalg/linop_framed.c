/*
 * [A D, constant 1]: the operator that methods work on, made from the data's operator without a copy. Column
 * base->columns, if any, is the constant one. Lists of columns are split into runs at each occurrence of the constant
 * column.
 */
#include "base/memory.h"
#include "linalg/kernels.h"
#include "linalg/linop.h"
#include "linalg/vector.h"

struct framed {
    struct linop linop;
    const struct linop *base;
    const double *scale; /* [base->columns] or NULL        */
    double constant;
    double *sums; /* 1'a_j of the base [base->columns], for products with the constant column */
};

enum { BLOCK = 256, CROSS_PART = 1024 };

static const struct framed *framed_of(const struct linop *A) {
    return (const struct framed *)A;
}

static int is_constant(const struct framed *A, int64_t j) {
    return j == A->base->columns;
}

static double scale_of(const struct framed *A, int64_t j) {
    return is_constant(A, j) ? A->constant : A->scale ? A->scale[j] : 1;
}

static double sum_of(int64_t n, const double *u) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        s0 += u[i];
        s1 += u[i + 1];
        s2 += u[i + 2];
        s3 += u[i + 3];
    }
    for (; i < n; i++)
        s0 += u[i];
    return (s0 + s1) + (s2 + s3);
}

/* G(i, j) *= d_i d_j, k x l; `right` NULL for 0..l-1 */
static void scale_products(const struct framed *A, int64_t k, const int64_t *columns, int64_t l, const int64_t *right,
                           double *G, int64_t ld) {
    if (!A->scale && A->constant == 1)
        return;
    for (int64_t j = 0; j < l; j++) {
        double factor = scale_of(A, right ? right[j] : j);
        for (int64_t i = 0; i < k; i++)
            G[i + j * ld] *= scale_of(A, columns[i]) * factor;
    }
}

/* The end of the run of base columns that starts at `first`. */
static int64_t run_end(const struct framed *A, int64_t first, int64_t k, const int64_t *columns) {
    int64_t last = first;
    while (last < k && !is_constant(A, columns[last]))
        last++;
    return last;
}

static void framed_add_columns(const struct linop *linop, int64_t k, const int64_t *columns, const double *z,
                               double *y) {
    const struct framed *A = framed_of(linop);
    int64_t list[BLOCK];
    double scaled[BLOCK];
    double shift = 0;
    for (int64_t i = 0; i < k;) {
        int64_t count = 0;
        for (; i < k && count < BLOCK; i++) {
            if (is_constant(A, columns[i])) {
                shift += z[i] * A->constant;
            } else {
                list[count] = columns[i];
                scaled[count++] = z[i] * scale_of(A, columns[i]);
            }
        }
        A->base->ops->add_columns(A->base, count, list, scaled, y);
    }
    if (shift != 0)
        for (int64_t i = 0; i < linop->rows; i++)
            y[i] += shift;
}

static void framed_transpose(const struct linop *linop, const double *u, double *g) {
    const struct framed *A = framed_of(linop);
    int64_t n = A->base->columns;
    A->base->ops->transpose(A->base, u, g);
    for (int64_t j = 0; A->scale && j < n; j++)
        g[j] *= A->scale[j];
    if (linop->columns > n)
        g[n] = A->constant * sum_of(linop->rows, u);
}

static void framed_transpose_columns(const struct linop *linop, int64_t k, const int64_t *columns, const double *u,
                                     double *g) {
    const struct framed *A = framed_of(linop);
    for (int64_t i = 0, last; i < k; i = last + 1) {
        last = run_end(A, i, k, columns);
        A->base->ops->transpose_columns(A->base, last - i, columns + i, u, g + i);
        if (last < k)
            g[last] = sum_of(linop->rows, u);
    }
    for (int64_t i = 0; i < k; i++)
        g[i] *= scale_of(A, columns[i]);
}

/* Entry i of out: the unscaled column columns_i summed with weights w (NULL: 1). */
static void weighted_sums(const struct framed *A, int64_t k, const int64_t *columns, const double *w, double *out) {
    for (int64_t i = 0, last; i < k; i = last + 1) {
        last = run_end(A, i, k, columns);
        if (w)
            A->base->ops->transpose_columns(A->base, last - i, columns + i, w, out + i);
        else
            for (int64_t j = i; j < last; j++)
                out[j] = A->sums[columns[j]];
        if (last < k)
            out[last] = w ? sum_of(A->linop.rows, w) : (double)A->linop.rows;
    }
}

static void mirror_block(int64_t top, int64_t height, int64_t left, int64_t width, double *G, int64_t ld) {
    for (int64_t j = left; j < left + width; j++)
        for (int64_t i = top; i < top + height; i++)
            G[j + i * ld] = G[i + j * ld];
}

/*
 * The products of the run of `height` columns from position i with that of `width` columns from j; a long run is split.
 */
static void cross_of_runs(const struct framed *A, int64_t i, int64_t height, int64_t j, int64_t width,
                          const int64_t *columns, const double *w, double *G, int64_t ld, struct stop *stop) {
    for (int64_t end = j + width, count; j < end && !stop_after(stop, A->base->rows * height); j += count) {
        count = end - j < CROSS_PART ? end - j : CROSS_PART;
        A->base->ops->cross(A->base, height, columns + i, count, columns + j, w, G + i + j * ld, ld);
        mirror_block(i, height, j, count, G, ld);
    }
}

/* The unscaled products of the base columns: run against itself and against the runs before it. */
static void gram_of_runs(const struct framed *A, int64_t k, const int64_t *columns, const double *w, double *G,
                         int64_t ld, struct gram_run *runs, struct stop *stop) {
    const struct linop *base = A->base;
    int run = 0;
    for (int64_t i = 0, end; i < k; i = end + 1, run++) {
        end = run_end(A, i, k, columns);
        base->ops->gram(base, end - i, columns + i, w, G + i + i * ld, ld, runs && run < GRAM_RUNS ? runs + run : NULL,
                        stop);
        for (int64_t j = 0, last; j < i; j = last + 1) {
            last = run_end(A, j, k, columns);
            cross_of_runs(A, i, end - i, j, last - j, columns, w, G, ld, stop);
        }
        if (stop && stop->stopped)
            return;
    }
}

static void framed_gram(const struct linop *linop, int64_t k, const int64_t *columns, const double *w, double *G,
                        int64_t ld, struct gram_run *runs, struct stop *stop) {
    const struct framed *A = framed_of(linop);
    gram_of_runs(A, k, columns, w, G, ld, runs, stop);
    if (stop && stop->stopped)
        return;
    for (int64_t j = 0; j < k; j++) {
        if (!is_constant(A, columns[j]))
            continue;
        weighted_sums(A, k, columns, w, G + j * ld);
        for (int64_t i = 0; i < k; i++)
            G[j + i * ld] = G[i + j * ld];
    }
    scale_products(A, k, columns, k, columns, G, ld);
}

/* Row i of G, which belongs to the constant column, for right columns 0..l-1 or those listed. */
static void cross_constant_row(const struct framed *A, int64_t i, int64_t l, const int64_t *right, const double *w,
                               double *G, int64_t ld) {
    int64_t list[BLOCK];
    double sums[BLOCK];
    for (int64_t first = 0; first < l; first += BLOCK) {
        int64_t count = l - first < BLOCK ? l - first : BLOCK;
        for (int64_t j = 0; j < count; j++)
            list[j] = right ? right[first + j] : first + j;
        weighted_sums(A, count, list, w, sums);
        for (int64_t j = 0; j < count; j++)
            G[i + (first + j) * ld] = sums[j];
    }
}

/* Rows i..i+k-1 of G, none of which belongs to the constant column; the right columns are split into runs, too. */
static void cross_run(const struct framed *A, int64_t k, const int64_t *columns, int64_t l, const int64_t *right,
                      const double *w, double *G, int64_t ld) {
    const struct linop *base = A->base;
    if (!right) {
        base->ops->cross(base, k, columns, l < base->columns ? l : base->columns, NULL, w, G, ld);
        if (l > base->columns)
            weighted_sums(A, k, columns, w, G + base->columns * ld);
        return;
    }
    for (int64_t j = 0, last; j < l; j = last + 1) {
        last = run_end(A, j, l, right);
        base->ops->cross(base, k, columns, last - j, right + j, w, G + j * ld, ld);
        if (last < l)
            weighted_sums(A, k, columns, w, G + last * ld);
    }
}

static void framed_cross(const struct linop *linop, int64_t k, const int64_t *columns, int64_t l, const int64_t *right,
                         const double *w, double *G, int64_t ld) {
    const struct framed *A = framed_of(linop);
    for (int64_t i = 0, last; i < k; i = last + 1) {
        last = run_end(A, i, k, columns);
        if (last > i)
            cross_run(A, last - i, columns + i, l, right, w, G + i, ld);
        if (last < k)
            cross_constant_row(A, last, l, right, w, G, ld);
    }
    scale_products(A, k, columns, l, right, G, ld);
}

static void framed_products(const struct linop *linop, int64_t p, const struct columns *P, int64_t k,
                            const int64_t *columns, const double *w, double *G, int64_t ld) {
    const struct framed *A = framed_of(linop);
    int64_t n = A->base->columns;
    for (int64_t j = 0, last; j < k; j = last + 1) {
        last = columns ? run_end(A, j, k, columns) : k < n ? k : n;
        A->base->ops->products(A->base, p, P, last - j, columns ? columns + j : NULL, w, G + j * ld, ld);
        for (int64_t i = 0; last < k && i < p; i++) {
            const double *left = P->values + (P->list ? P->list[i] : i) * P->ld;
            G[i + last * ld] = w ? vector_dot(linop->rows, left, w) : sum_of(linop->rows, left);
        }
    }
    for (int64_t j = 0; j < k; j++)
        vector_scale(p, scale_of(A, columns ? columns[j] : j), G + j * ld);
}

static void framed_gather(const struct linop *linop, int64_t k, const int64_t *columns, double *D, int64_t ld) {
    const struct framed *A = framed_of(linop);
    for (int64_t i = 0, last; i < k; i = last + 1) {
        last = run_end(A, i, k, columns);
        A->base->ops->gather(A->base, last - i, columns + i, D + i * ld, ld);
        for (int64_t j = i; A->scale && j < last; j++)
            vector_scale(linop->rows, A->scale[columns[j]], D + j * ld);
        for (int64_t r = 0; last < k && r < linop->rows; r++)
            D[r + last * ld] = A->constant;
    }
}

static void framed_row(const struct linop *linop, int64_t row, int64_t k, const int64_t *columns, double *r) {
    const struct framed *A = framed_of(linop);
    for (int64_t i = 0, last; i < k; i = last + 1) {
        last = run_end(A, i, k, columns);
        A->base->ops->row(A->base, row, last - i, columns + i, r + i);
        if (last < k)
            r[last] = 1;
    }
    for (int64_t i = 0; i < k; i++)
        r[i] *= scale_of(A, columns[i]);
}

static void framed_column_squares(const struct linop *linop, double *squares) {
    const struct framed *A = framed_of(linop);
    int64_t n = A->base->columns;
    A->base->ops->column_squares(A->base, squares);
    if (linop->columns > n)
        squares[n] = (double)linop->rows;
    for (int64_t j = 0; j < linop->columns; j++)
        squares[j] *= scale_of(A, j) * scale_of(A, j);
}

static void framed_weighted_squares(const struct linop *linop, int64_t k, const int64_t *columns, const double *w,
                                    double *squares) {
    const struct framed *A = framed_of(linop);
    if (!columns) {
        int64_t n = A->base->columns;
        A->base->ops->weighted_squares(A->base, k < n ? k : n, NULL, w, squares);
        if (k > n)
            squares[n] = sum_of(linop->rows, w);
    }
    for (int64_t i = 0, last; columns && i < k; i = last + 1) {
        last = run_end(A, i, k, columns);
        A->base->ops->weighted_squares(A->base, last - i, columns + i, w, squares + i);
        if (last < k)
            squares[last] = sum_of(linop->rows, w);
    }
    for (int64_t i = 0; i < k; i++)
        squares[i] *= scale_of(A, columns ? columns[i] : i) * scale_of(A, columns ? columns[i] : i);
}

static double framed_unscaled(const struct linop *linop, int64_t j, double *column) {
    const struct framed *A = framed_of(linop);
    if (column && !is_constant(A, j)) {
        A->base->ops->gather(A->base, 1, &j, column, linop->rows);
    } else if (column) {
        for (int64_t i = 0; i < linop->rows; i++)
            column[i] = 1;
    }
    return scale_of(A, j);
}

static void framed_free(struct linop *linop) {
    struct framed *A = (struct framed *)linop;
    memory_free(A->sums);
    memory_free(A);
}

static const struct linop_ops framed_ops = {
    "framed",       framed_add_columns,    framed_transpose,        framed_transpose_columns,
    framed_gram,    framed_cross,          framed_products,         framed_gather,
    framed_row,     framed_column_squares, framed_weighted_squares, framed_free,
    framed_unscaled};

static int sum_columns(struct framed *A) {
    double *ones = memory_beside(A->linop.memory, A->linop.rows, sizeof *ones);
    A->sums = memory_array(A->base->columns, sizeof *A->sums);
    if (ones && A->sums) {
        for (int64_t i = 0; i < A->linop.rows; i++)
            ones[i] = 1;
        A->base->ops->transpose(A->base, ones, A->sums);
    }
    memory_free(ones);
    return ones && A->sums;
}

struct linop *linop_framed_new(const struct linop *base, const double *scale, int has_constant, double constant) {
    struct framed *A = memory_array(1, sizeof *A);
    if (!A)
        return NULL;
    A->linop = *base;
    A->linop.ops = &framed_ops;
    A->linop.under = NULL;                               /* the base belongs to its owner */
    A->linop.meter = (struct linop_meter){.columns = 0}; /* reads of the base are counted there */
    A->linop.columns += has_constant != 0;
    A->linop.nonzeros += has_constant ? base->rows : 0;
    A->base = base;
    A->scale = scale;
    A->constant = constant;
    if (has_constant && !sum_columns(A)) {
        framed_free(&A->linop);
        return NULL;
    }
    return &A->linop;
}
