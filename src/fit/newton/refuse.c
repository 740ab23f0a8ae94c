/*
 * Whether a fit can be refused before it ends: F is above the cutoff over the whole support.
 *
 * HOW IT WORKS: if x is confined to a reach, F(z) >= F(x) + g'(z - x). Otherwise the gradient must vanish: with the
 * weights W for which H was formed, u + W A d has A'(u + W A d) + p + ridge (x + d) = 0 for the step d = -H^-1 g, and
 * gives a bound if it is in dom h*, which it is near the minimum.
 */
#include <math.h>
#include <string.h>

#include "fit/newton/internal.h"
#include "linalg/vector.h"

/* A lower bound on F(z) over all z within reach. */
static double value_within(const struct newton *n) {
    const struct fit_state *s = n->state;
    double bound = s->objective;

    for (int64_t i = 0; i < s->size && bound > n->cutoff; i++) {
        double g = n->gradient[i], z = g > 0 ? s->low[s->columns[i]] : s->high[s->columns[i]];

        bound += g * (z - s->x[i]);
    }
    return bound;
}

/* Whether the gradient of the quadratic vanishes at the end of the step, for every column. */
static int is_balanced(const struct newton *n) {
    const struct fit_state *s = n->state;

    return n->rho == 0 && !s->problem->h.kind->is_quadratic && s->problem->f.term == NULL && !newton_has_bounds(s) &&
           n->face.count == s->size && s->problem->A->reduce == NULL;
}

/* A lower bound from u + W A d, which is then in n->image. */
static double value_of_step(struct newton *n) {
    struct fit_state *s = n->state;
    const struct loss *h = &s->problem->h;
    double bound;

    memset(n->image, 0, (size_t)n->rows * sizeof *n->image);
    linop_add_columns(s->problem->A, s->size, s->columns, n->d, n->image);
    for (int64_t i = 0; i < n->rows; i++) {
        n->image[i] = s->dual[i] + (n->normal.is_plain ? 1 : n->normal.W[i]) * n->image[i];
    }
    bound = -h->ops->conjugate(h, n->image) - vector_dot(n->rows, s->problem->b, n->image);
    for (int64_t i = 0; i < s->size; i++) {
        double x = s->x[i] + n->d[i];

        bound -= n->normal.diagonal[i] * x * x / 2;
    }
    return bound;
}

int newton_is_hopeless(struct newton *n) {
    struct fit_state *s = n->state;

    if (!isless(n->cutoff, s->objective)) {
        return 0;
    }
    if (s->low != NULL) {
        s->bound = value_within(n);
        return s->bound > n->cutoff;
    }
    if (!is_balanced(n)) {
        return 0;
    }
    s->bound = value_of_step(n);
    if (!isgreater(s->bound, n->cutoff)) {
        return 0;
    }
    vector_copy(n->rows, n->image, s->dual);
    vector_axpy(s->size, 1, n->d, s->x);
    return 1;
}
