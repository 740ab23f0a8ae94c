/* Rays along which neither A nor f curves, up to rounding: if f has a slope there, F decreases without limit. */
#include <math.h>
#include <string.h>

#include "fit/constants.h"
#include "fit/newton/internal.h"
#include "linalg/vector.h"

/* p'd, with d reversed and scaled so that p'd is at most 0 and the largest |d_j| is 1; 0 if its terms cancel. */
static double linear_fall(struct newton *n) {
    const struct fit_state *s = n->state;
    const double *p = s->problem->f.linear;
    double fall = 0, size = 0, factor = 1 / vector_norm_inf(s->size, n->d);

    for (int64_t j = 0; j < s->size; j++) {
        fall += p[s->columns[j]] * n->d[j];
        size += fabs(p[s->columns[j]] * n->d[j]);
    }
    vector_scale(s->size, fall > 0 ? -factor : factor, n->d);
    return isgreater(fabs(fall), NEWTON_CANCELS * size) ? -fabs(fall) * factor : 0;
}

/* d'H d computed from A d itself, which is more accurate than H; *size receives its value without cancellation. */
static double bend_along(struct newton *n, double *size) {
    const struct fit_state *s = n->state;
    double sum = 0, bend = 0;

    memset(n->image, 0, (size_t)n->rows * sizeof *n->image);
    linop_add_columns(s->problem->A, s->size, s->columns, n->d, n->image);
    for (int64_t i = 0; i < n->rows; i++) {
        sum += (n->normal.is_plain ? 1 : n->normal.W[i]) * n->image[i] * n->image[i];
    }
    reduce_sum(s->problem->A->reduce, &sum, 1);
    *size = 0;
    for (int64_t j = 0; j < s->size; j++) {
        *size += normal_entry(n, j, j) * n->d[j] * n->d[j];
        for (int64_t i = 0; s->problem->f.term != NULL && i < s->size; i++) {
            bend += n->normal.Q[i + j * s->size] * n->d[i] * n->d[j];
        }
        bend += s->problem->f.term == NULL ? n->normal.diagonal[j] * n->d[j] * n->d[j] : 0;
    }
    return n->normal.c * sum + fmax(bend, 0);
}

/* A step along d, on which F decreases at the rate `fall`: to the minimum if F curves, or far away. Returns 0 if F did
 * not decrease. */
static int follow(struct newton *n, double fall) {
    struct fit_state *s = n->state;
    double before = newton_merit(n), size, bend = bend_along(n, &size);
    int is_straight = !isgreater(bend, NEWTON_STRAIGHT * size);
    double alpha = is_straight ? NEWTON_FAR_AWAY * (1 + vector_norm_inf(s->size, s->x)) : -fall / bend;

    if (!is_straight && !isgreater(-fall * alpha, NEWTON_ENOUGH * newton_size(s))) {
        return 0;
    }
    vector_copy(s->size, s->x, n->face.rhs);
    newton_advance(n, alpha, -1);
    if (!isless(newton_merit(n), before)) {
        vector_copy(s->size, n->face.rhs, s->x);
        newton_measure(n);
        return 0;
    }
    n->is_endless = is_straight;
    return 1;
}

/*
 * Look for a resting column along which, with the others giving way, neither A nor f curves, up to rounding. If p'd is
 * not zero there, F decreases without limit, unless a bound ends it (slide). x is then left far out on the ray, where
 * model/bounded.h examines it, and the fit is not a minimum. Returns 0 if there is no such column.
 */
int ray_follow(struct newton *n) {
    const struct fit_state *s = n->state;

    for (int64_t i = 0; s->problem->f.linear != NULL && i < s->size; i++) {
        double fall;
        int64_t meets;

        if (n->face.state[i] != RESTS) {
            continue;
        }
        face_give_way(n, i, n->d);
        fall = linear_fall(n);
        if (fall < 0 && isinf(bounds_room(n, INFINITY, &meets)) && follow(n, fall)) {
            return 1;
        }
    }
    return 0;
}
