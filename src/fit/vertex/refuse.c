/*
 * Whether a fit of a sum of pinballs can be refused without making it: a dual vector that shows F to be above the
 * cutoff.
 *
 * HOW IT WORKS: the pinballs are smoothed over a width of about delta. The gradients of the smoothed loss are in dom h*
 * for every x,
 *
 *     u_k = clip((up_k - down_k) / 2 + e_k / delta, -down_k, up_k),     e = a'x - place,
 *
 * and Newton's method brings A'u close to zero in a step or two, because many rows have curvature at once. A vertex has
 * the multipliers of few rows only, which are far outside dom h* until the last pivot. The width is chosen such that
 * the smoothing costs a given share of the distance to the cutoff. The bound is that of vertex_value_within, so that
 * A'u need not be zero.
 */
#include <math.h>
#include <string.h>

#include "fit/constants.h"
#include "fit/vertex/internal.h"
#include "linalg/dense.h"
#include "linalg/vector.h"

/* u_k at offset e, per = 1 / delta. */
static inline double rounded(const struct kinks *kinks, int64_t k, double e, double per) {
    double up = kinks->up[k], low = -kinks->down[k], u = (up + low) / 2 + e * per;

    return u < low ? low : u > up ? up : u;
}

/* The loss at the offsets; returns the sum of its differences from u_k e_k for this delta. */
static double lost_by(const struct vertex *p, double delta, double *loss) {
    const struct kinks *kinks = &p->kinks;
    double sum = 0, lost = 0, per = 1 / delta;

    for (int64_t k = 0; k < kinks->count; k++) {
        double e = kinks->offset[k], value = e > 0 ? kinks->up[k] * e : -kinks->down[k] * e;

        sum += value;
        lost += value - rounded(kinks, k, e, per) * e;
    }
    *loss = sum;
    return lost;
}

/* The width at which smoothing costs about REFUSE_SHARE of the distance to the cutoff; the cost grows with the square
 * of the width. 0: the loss is not above the cutoff. */
static double choose_width(const struct vertex *p, double ridge, double cutoff) {
    double delta = p->target.length / sqrt((double)p->rows) / REFUSE_MOVE, loss, lost = lost_by(p, delta, &loss);
    double want = REFUSE_SHARE * (loss + ridge - cutoff);

    for (int i = 0; i < REFUSE_WIDTHS && want > 0; i++) {
        double by = lost > 0 ? fmin(fmax(sqrt(want / lost), REFUSE_DROP), REFUSE_MOVE) : REFUSE_MOVE;

        delta *= by;
        if (by > REFUSE_NEAR && by < REFUSE_BEYOND) {
            break;
        }
        lost = lost_by(p, delta, &loss);
    }
    return want > 0 ? delta : 0;
}

/* Write u at the offsets to the dual vector, and the rows with curvature there to p->line.order. Returns u'e. */
static double bend_rows(struct vertex *p, double delta, int64_t *bent) {
    const struct kinks *kinks = &p->kinks;
    double value = 0, per = 1 / delta;
    int64_t count = 0;

    memset(p->fit->dual, 0, (size_t)p->rows * sizeof *p->fit->dual);
    for (int64_t k = 0; k < kinks->count; k++) {
        double e = kinks->offset[k], u = rounded(kinks, k, e, per);

        value += u * e;
        p->fit->dual[kinks->row[k]] += u;
        p->line.order[count] = kinks->row[k];
        count += (u > -kinks->down[k]) & (u < kinks->up[k]);
    }
    *bent = count;
    return value;
}

/* p->line.direction = -H^-1 (A'u + ridge x), with H of the rows with curvature. Returns 0 if H is singular. */
static int newton_step(struct vertex *p, double delta, int64_t bent) {
    int64_t s = p->fit->size;
    double *H = p->factor.Q, trace = 0;

    memset(H, 0, (size_t)(s * s) * sizeof *H);
    for (int64_t i = 0; i < bent; i++) {
        const double *a = vertex_row(p, p->line.order[i]);

        for (int64_t j = 0; j < s; j++) {
            for (int64_t l = 0; l <= j; l++) {
                H[l + j * s] += a[j] * a[l];
            }
        }
    }
    for (int64_t j = 0; j < s; j++) {
        double ridge = p->products.ridge[j] / p->products.H[j];

        p->v[j] = p->y[j] + ridge * p->x[j];
        H[j + j * s] += delta * ridge;
        trace += H[j + j * s];
    }
    for (int64_t j = 0; j < s; j++) {
        H[j + j * s] += REFUSE_RIDGE * trace;
        for (int64_t l = 0; l < j; l++) {
            H[j + l * s] = H[l + j * s];
        }
    }
    if (!dense_factor(s, H, s)) {
        return 0;
    }
    dense_solve_upper_transposed(s, H, s, p->v);
    dense_solve_upper(s, H, s, p->v);
    vector_copy(s, p->v, p->line.direction);
    vector_scale(s, -delta, p->line.direction);
    return 1;
}

/* The bound of u, whose A'u goes into p->y. The offsets are those of p->x. */
static double bound_here(struct vertex *p, double value) {
    vertex_transpose(p, p->fit->dual, p->y);
    return vertex_value_within(p, value, p->y);
}

static double ridge_at(const struct vertex *p) {
    double sum = 0;

    for (int64_t j = 0; j < p->fit->size; j++) {
        sum += 0.5 * p->products.ridge[j] / p->products.H[j] * p->x[j] * p->x[j];
    }
    return sum;
}

/* Move x and the offsets along p->line. */
static void take_step(struct vertex *p) {
    vector_axpy(p->fit->size, 1, p->line.direction, p->x);
    vertex_image(p, p->line.direction, p->line.image);
    for (int64_t k = 0; k < p->kinks.count; k++) {
        p->kinks.offset[k] += p->line.image[p->kinks.row[k]];
    }
}

/* F decreases with each step, and with it what smoothing may cost. Returns the width for the next step, 0 if F is below
 * the cutoff. *above: how far F is above the cutoff. */
static double narrow(const struct vertex *p, double delta, double cutoff, double *above) {
    double loss, lost = lost_by(p, delta, &loss);

    *above = loss + ridge_at(p) - cutoff;
    if (!(*above > 0)) {
        return 0;
    }
    return lost > REFUSE_MOST * *above ? delta * fmax(sqrt(REFUSE_SHARE * *above / lost), 1 / REFUSE_MOVE) : delta;
}

/* Keep the end of the last step if F is lower there, so that pivots begin near the minimum; otherwise restore x. */
static void keep_lower(struct vertex *p, double first, double above) {
    if (!(above < first)) {
        vector_copy(p->fit->size, p->start, p->x);
        vertex_image(p, p->x, p->work);
        for (int64_t k = 0; k < p->kinks.count; k++) {
            p->kinks.offset[k] = p->work[p->kinks.row[k]] - p->kinks.place[k];
        }
    }
}

int separable_refuse(struct vertex *p, double cutoff) {
    int64_t s = p->fit->size, bent = 0;
    double delta, first, above, last = -INFINITY;

    if (p->fit->low == NULL || p->is_bounded || !isfinite(cutoff)) {
        return 0;
    }
    delta = choose_width(p, ridge_at(p), cutoff);
    if (delta == 0) {
        return 0;
    }
    narrow(p, delta, cutoff, &first);
    above = first;
    for (int step = 0; step <= REFUSE_STEPS && delta > 0; step++) {
        double value = bend_rows(p, delta, &bent), next;

        if (bent < s + s / 2 || vertex_must_stop(p)) {
            break;
        }
        p->fit->bound = bound_here(p, value);
        if (p->fit->bound > cutoff) {
            vector_copy(s, p->start, p->x);
            return 1;
        }
        if (p->fit->bound <= last || step == REFUSE_STEPS || !newton_step(p, delta, bent)) {
            break;
        }
        take_step(p);
        next = narrow(p, delta, cutoff, &above);
        last = next < delta ? -INFINITY : p->fit->bound;
        delta = next;
    }
    keep_lower(p, first, above);
    return 0;
}
