/*
 * Whether a fit of a sum of pinballs is hopeless, without the fit: a dual vector that shows F to be above the cutoff.
 *
 * HOW IT WORKS: pinballs are rounded off over a width of delta or so, and the gradients are in dom h* wherever x is,
 *
 *     u_k = clip((up_k - down_k) / 2 + e_k / delta, -down_k, up_k),     e = a'x - place,
 *
 * and Newton's method brings A'u to about zero in a step or two, because many rows are bent at once: a vertex has the
 * multipliers of a few rows alone, which are far outside until the last pivot. What the rounding costs is chosen to be
 * a part of the distance to the cutoff. The bound is that of vertex_value_within, so that A'u need not be zero.
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

/* The loss at the offsets, and what u_k e_k is less than it for this delta, summed up. */
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

/* The width at which rounding off costs REFUSE_SHARE of the distance to the cutoff, about; it grows with its square. 0:
 * the loss is not above the cutoff. */
static double choose_width(const struct vertex *p, double ridge, double cutoff) {
    double delta = p->target.length / sqrt((double)p->rows) / 4, loss, lost = lost_by(p, delta, &loss);
    double want = REFUSE_SHARE * (loss + ridge - cutoff);

    for (int i = 0; i < REFUSE_WIDTHS && want > 0; i++) {
        double by = lost > 0 ? fmin(fmax(sqrt(want / lost), 1.0 / 64), 4) : 4;

        delta *= by;
        if (by > 0.7 && by < 1.4) {
            break;
        }
        lost = lost_by(p, delta, &loss);
    }
    return want > 0 ? delta : 0;
}

/* u at the offsets + image into the dual vector, and the rows that are bent there into p->line.order. Returns u'e. */
static double bend_rows(struct vertex *p, double delta, int64_t *bent) {
    const struct kinks *kinks = &p->kinks;
    double value = 0, per = 1 / delta;
    int64_t count = 0;

    memset(p->fit->dual, 0, (size_t)p->rows * sizeof *p->fit->dual);
    for (int64_t k = 0; k < kinks->count; k++) {
        double e = kinks->offset[k] + p->line.image[kinks->row[k]], u = rounded(kinks, k, e, per);

        value += u * e;
        p->fit->dual[kinks->row[k]] += u;
        p->line.order[count] = kinks->row[k];
        count += (u > -kinks->down[k]) & (u < kinks->up[k]);
    }
    *bent = count;
    return value;
}

/* p->line.direction -= H^-1 (A'u + ridge x), H of the bent rows. 0: H is singular. */
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
        H[j + j * s] += 1e-9 * trace;
        for (int64_t l = 0; l < j; l++) {
            H[j + l * s] = H[l + j * s];
        }
    }
    if (!dense_factor(s, H, s)) {
        return 0;
    }
    dense_solve_upper_transposed(s, H, s, p->v);
    dense_solve_upper(s, H, s, p->v);
    vector_axpy(s, -delta, p->v, p->line.direction);
    return 1;
}

/* The bound of u, whose A'u goes into p->y. p->x is where the offsets + image are. */
static double bound_here(struct vertex *p, double value) {
    vertex_transpose(p, p->fit->dual, p->y);
    return vertex_value_within(p, value, p->y);
}

int separable_refuse(struct vertex *p, double cutoff) {
    int64_t s = p->fit->size, bent = 0;
    double ridge = 0, delta, last = -INFINITY;
    int is_refused = 0;

    if (p->fit->low == NULL || p->is_bounded || !isfinite(cutoff)) {
        return 0;
    }
    for (int64_t j = 0; j < s; j++) {
        ridge += 0.5 * p->products.ridge[j] / p->products.H[j] * p->x[j] * p->x[j];
    }
    delta = choose_width(p, ridge, cutoff);
    memset(p->line.direction, 0, (size_t)s * sizeof *p->line.direction);
    memset(p->line.image, 0, (size_t)p->rows * sizeof *p->line.image);
    for (int step = 0; step <= REFUSE_STEPS && delta > 0; step++) {
        double value = bend_rows(p, delta, &bent);

        if (bent < s + s / 2 || vertex_must_stop(p)) {
            break;
        }
        p->fit->bound = bound_here(p, value);
        is_refused = p->fit->bound > cutoff;
        if (is_refused || p->fit->bound <= last || step == REFUSE_STEPS || !newton_step(p, delta, bent)) {
            break;
        }
        last = p->fit->bound;
        vector_copy(s, p->start, p->x);
        vector_axpy(s, 1, p->line.direction, p->x);
        vertex_image(p, p->line.direction, p->line.image);
    }
    vector_copy(s, p->start, p->x);
    return is_refused;
}
