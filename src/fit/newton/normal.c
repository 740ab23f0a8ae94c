/* The normal matrix of a support that changes by one column at a time. */
#include <math.h>
#include <string.h>

#include "fit/newton/internal.h"
#include "linalg/linop.h"
#include "linalg/vector.h"

static int is_all_ones(int64_t count, const double *w) {
    for (int64_t i = 0; i < count; i++) {
        if (w[i] != 1) {
            return 0;
        }
    }
    return 1;
}

static const double *weights_of(const struct newton *n) {
    return n->normal.is_plain ? NULL : n->normal.W;
}

/* Forget the columns from this position on. */
static void forget(struct newton *n, int64_t first) {
    for (int64_t i = first; i < n->state->capacity; i++) {
        n->normal.column[i] = -1;
    }
}

static int64_t count_unknown(const struct newton *n) {
    int64_t unknown = 0;

    for (int64_t i = 0; i < n->state->size; i++) {
        unknown += n->normal.column[i] != n->state->columns[i];
    }
    return unknown;
}

static int form_all(struct newton *n) {
    struct fit_state *s = n->state;
    struct normal *N = &n->normal;

    s->spent += (double)n->rows * (double)s->size * (double)(s->size + 1) / 2;
    if (!linop_gram_again(s->problem->A, s->size, s->columns, weights_of(n), N->block, &N->plan, &s->stop)) {
        forget(n, 0);
        return 0;
    }
    for (int64_t j = 0; j < s->size; j++) {
        vector_copy(s->size, N->block + j * s->size, N->product + j * s->capacity);
        N->column[j] = s->columns[j];
    }
    return 1;
}

/* One row and column of the product: A_S'v, v = W a. */
static int form_one(struct newton *n, int64_t position) {
    struct fit_state *s = n->state;
    struct normal *N = &n->normal;
    double *v = n->image;

    s->spent += (double)n->rows * (double)s->size;
    if (stop_after(&s->stop, s->size * s->problem->A->rows)) {
        return 0;
    }
    linop_gather(s->problem->A, 1, s->columns + position, v, n->rows);
    for (int64_t i = 0; !N->is_plain && i < n->rows; i++) {
        v[i] *= N->W[i];
    }
    linop_transpose_columns(s->problem->A, s->size, s->columns, v, N->block);
    for (int64_t i = 0; i < s->size; i++) {
        N->product[i + position * s->capacity] = N->block[i];
        N->product[position + i * s->capacity] = N->block[i];
    }
    N->column[position] = s->columns[position];
    return 1;
}

int normal_form(struct newton *n, const double *w) {
    struct fit_state *s = n->state;
    int64_t unknown;

    if (w != NULL) {
        vector_copy(n->rows, w, n->normal.W);
        n->normal.is_plain = is_all_ones(n->rows, w);
        forget(n, 0);
    }
    unknown = count_unknown(n);
    if (unknown > 0) { /* a larger support had columns at these positions, whose products are with columns that are now
                          replaced */
        forget(n, s->size);
    }
    /* symmetry saves half the entries: with more unknown rows, forming the whole matrix is cheaper */
    if (2 * unknown > s->size) {
        return form_all(n);
    }
    for (int64_t i = 0; unknown > 0 && i < s->size; i++) {
        if (n->normal.column[i] != s->columns[i] && !form_one(n, i)) {
            return 0;
        }
    }
    return 1;
}

void normal_add_smooth(struct newton *n) {
    const struct fit_state *s = n->state;
    const struct smooth *f = &s->problem->f;

    for (int64_t i = 0; i < s->size; i++) {
        n->normal.diagonal[i] = f->ridge[s->columns[i]];
    }
    if (f->term != NULL) {
        memset(n->normal.Q, 0, (size_t)(s->size * s->size) * sizeof *n->normal.Q);
        smooth_add_curvature(f, s->size, s->columns, n->normal.Q);
    }
}
