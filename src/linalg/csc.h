/* A sparse matrix by columns: what linop_csc.c and csc_gram.c share. */
#ifndef SPGM_LINALG_CSC_H
#define SPGM_LINALG_CSC_H

#include "linalg/constants.h"
#include "linalg/linop.h"

struct csc {
    struct linop linop;
    const int64_t *start;
    const int32_t *row;
    const double *value;
    int64_t column_block; /* columns of a block of about equal work */

    /* Full columns as they would be in a dense matrix: there a product takes a third of the time. */
    double *dense;     /* [rows x number of full columns] */
    int64_t *in_dense; /* which of them column j is, -1: none [columns] */
};

/* Part of a column: entries first..last-1. */
struct span {
    int64_t first, last;
};

struct call {
    const struct csc *A;
    int64_t k;
    const int64_t *columns, *right;
    const double *in; /* u or w */
    double *out;
    int64_t ld;
    int64_t base;                   /* the first column of a part of a Gram matrix */
    int64_t row_tile;               /* rows that are listed at a time; 0: a Gram matrix is not summed by rows */
    const struct gram_lists *lists; /* all of them, where they are kept; else NULL */
};

static inline const struct csc *csc_of(const struct linop *A) {
    return (const struct csc *)A;
}

static inline int64_t lesser(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* sum of value_e u_row(e); u is indexed by the row less `offset` */
static inline double span_dot(const struct csc *A, struct span span, const double *u, int64_t offset) {
    const int32_t *row = A->row;
    const double *value = A->value;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int64_t e = span.first;
    for (; e + 4 <= span.last; e += 4) {
        s0 += value[e] * u[row[e] - offset];
        s1 += value[e + 1] * u[row[e + 1] - offset];
        s2 += value[e + 2] * u[row[e + 2] - offset];
        s3 += value[e + 3] * u[row[e + 3] - offset];
    }
    for (; e < span.last; e++)
        s0 += value[e] * u[row[e] - offset];
    return (s0 + s1) + (s2 + s3);
}

static inline struct span column_span(const struct csc *A, int64_t j) {
    return (struct span){A->start[j], A->start[j + 1]};
}

static inline int is_full(const struct csc *A, int64_t j) {
    return A->in_dense[j] >= 0;
}

static inline const double *full_column(const struct csc *A, int64_t j) {
    return A->dense + A->in_dense[j] * A->linop.rows;
}

/* The first entry of the span with a row of at least `row`: doubling steps, then halving. */
static inline int64_t seek(const struct csc *A, struct span span, int64_t row) {
    int64_t step = 1;
    while (span.first + step <= span.last && A->row[span.first + step - 1] < row) {
        span.first += step;
        step *= 2;
    }
    int64_t last = lesser(span.first + step - 1, span.last);
    while (span.first < last) {
        int64_t middle = span.first + (last - span.first) / 2;
        if (A->row[middle] < row)
            span.first = middle + 1;
        else
            last = middle;
    }
    return span.first;
}

static inline struct span rows_between(const struct csc *A, int64_t j, int64_t first, int64_t last) {
    struct span span = column_span(A, j);
    if (first > 0)
        span.first = seek(A, span, first);
    if (last < A->linop.rows)
        span.last = seek(A, span, last);
    return span;
}

/* a_i' W a_j over the rows both have: step by step, or where one column is much the longer, by seeking in it */
static inline double intersection(const struct csc *A, int64_t i, int64_t j, const double *w) {
    struct span p = column_span(A, i), q = column_span(A, j);
    int64_t shorter = lesser(p.last - p.first, q.last - q.first);
    int seeks = (p.last - p.first) + (q.last - q.first) > UNEVEN * shorter;
    double sum = 0;
    while (p.first < p.last && q.first < q.last) {
        int32_t row = A->row[p.first], other = A->row[q.first];
        if (row == other) {
            sum += A->value[p.first] * (w ? w[row] * A->value[q.first] : A->value[q.first]);
            p.first++;
            q.first++;
        } else if (!seeks) { /* without a branch that cannot be foreseen */
            p.first += row < other;
            q.first += other < row;
        } else if (row < other) {
            p.first = seek(A, p, other);
        } else {
            q.first = seek(A, q, row);
        }
    }
    return sum;
}

static inline int64_t strips(int64_t rows, int64_t height) {
    return rows > 0 ? (rows - 1) / height + 1 : 0;
}

/* As linop_gram_until (csc_gram.c). */
void csc_gram(const struct linop *A, int64_t k, const int64_t *columns, const double *w, double *G, int64_t ld,
              struct gram_run *run, struct stop *stop);
void csc_free_lists(struct gram_lists *lists); /* accepts NULL */

#endif
