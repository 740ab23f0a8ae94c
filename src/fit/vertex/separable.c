/*
 * Sums of pinballs: a primal active-set method, Barrodale and Roberts' with a ridge.
 *
 *     minimise 1/2 ||x - c||^2 + sum over kinks of up (e)_+ + down (-e)_+,      e = a'x - place
 *
 * Z are the interpolated kinks, A_Z' = Q [R; 0]. On the face of Z the objective is a parabola until a kink is crossed.
 * A pivot moves along -Q_2 Q_2'g and walks through all breakpoints to the exact minimiser of the line; at the minimiser
 * of a face the kink whose multiplier is furthest outside [-down, up] is released.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"
#include "search/refit/internal.h"

#define FACE_TOLERANCE 1e-10 /* of the projected gradient at a minimiser of the face */
#define REFRESH_PIVOTS 60    /* offsets and gradient are recomputed this often       */
#define STOP_PIVOTS 8        /* the clock is looked at this often                    */
#define PROXIMAL_ROUNDS 8

static double slope_of(const struct refit *p, int64_t k) {
    return p->side[k] > 0 ? p->up[k] : -p->down[k];
}

static void choose_side(struct refit *p, int64_t k) {
    p->side[k] = p->offset[k] > 0 || (p->offset[k] == 0 && p->up[k] == 0) ? 1 : -1;
}

static void measure_offsets(struct refit *p) {
    refit_multiply(p, p->x, p->work);
    for (int64_t k = 0; k < p->kinks; k++) {
        p->offset[k] = p->work[p->kink_row[k]] - p->place[k];
    }
}

/* Interpolate the kinks nearest to x, as many as are independent, and move x onto them by the smallest change. */
static void crash(struct refit *p) {
    int64_t want = p->size < p->kinks ? p->size : p->kinks;
    int64_t pool = want + want / 4 + 4 < p->kinks ? want + want / 4 + 4 : p->kinks;

    measure_offsets(p);
    for (int64_t k = 0; k < p->kinks; k++) {
        choose_side(p, k);
        p->break_at[k] = fabs(p->offset[k]);
        p->order[k] = k;
    }
    refit_smallest(p->break_at, p->order, p->kinks, pool);
    factor_reset(p);
    for (int64_t t = 0; t < pool && p->active < want; t++) {
        int64_t k = p->order[t];

        if (factor_append(p, p->active, refit_row(p, p->kink_row[k]), 1e-2)) {
            p->Z[p->active++] = k;
            p->side[k] = 0;
        }
    }
    for (int64_t t = 0; t < p->active; t++) {
        p->y[t] = -p->offset[p->Z[t]];
    }
    factor_solve_transposed(p, p->active, p->y);
    dense_add_columns(p->size, p->active, p->Q, p->size, p->y, p->x);
    measure_offsets(p);
    for (int64_t k = 0; k < p->kinks; k++) {
        if (p->side[k] != 0) {
            choose_side(p, k);
        }
    }
}

/* Offsets and g = x - c + A'u from x and the sides. */
static void refresh(struct refit *p) {
    measure_offsets(p);
    memset(p->dual, 0, (size_t)p->rows * sizeof *p->dual);
    for (int64_t k = 0; k < p->kinks; k++) {
        if (p->side[k] == 0) {
            p->offset[k] = 0;
        } else {
            p->dual[p->kink_row[k]] += slope_of(p, k);
        }
    }
    refit_transpose(p, p->dual, p->g);
    for (int64_t j = 0; j < p->size; j++) {
        p->g[j] += p->x[j] - p->centre[j];
    }
}

/* The breakpoints before `furthest` into order[0..count), with their places and jumps of slope. */
static int64_t collect_breaks(struct refit *p, double furthest) {
    int64_t count = 0;

    for (int64_t k = 0; k < p->kinks; k++) {
        double speed = p->image[p->kink_row[k]];
        double at;

        if (p->side[k] * speed >= 0) {
            continue;
        }
        at = fmax(-p->offset[k] / speed, 0);
        if (at < furthest) {
            p->break_at[k] = at;
            p->break_jump[k] = (p->up[k] + p->down[k]) * fabs(speed);
            p->order[count++] = k;
        }
    }
    return count;
}

/* Three-way partition of order[low..high) by break_at around pivot: [low, lt) below, [lt, gt) equal. */
struct cut {
    int64_t lt, gt;
    double below, equal; /* sums of jumps */
};

static struct cut partition(struct refit *p, int64_t low, int64_t high, double pivot) {
    struct cut cut = {low, high, 0, 0};
    int64_t *order = p->order;

    for (int64_t i = low; i < cut.gt;) {
        double at = p->break_at[order[i]];
        int64_t swap = order[i];

        if (at < pivot) {
            cut.below += p->break_jump[swap];
            order[i++] = order[cut.lt];
            order[cut.lt++] = swap;
        } else if (at > pivot) {
            order[i] = order[--cut.gt];
            order[cut.gt] = swap;
        } else {
            cut.equal += p->break_jump[swap];
            i++;
        }
    }
    return cut;
}

/*
 * The exact minimiser of the line, whose derivative is -slope (1 - alpha) plus the jumps passed. Returns the place in
 * `order` of the kink that stops it, or -1 when the parabola does; order[0..*passed) are the kinks strictly passed.
 */
static int64_t line_search(struct refit *p, double slope, double *alpha, int64_t *passed) {
    int64_t low = 0;
    int64_t high = collect_breaks(p, 1);
    double jumps = 0; /* of order[0..low) */

    while (high > low) {
        double pivot = p->break_at[p->order[low + (high - low) / 2]];
        struct cut cut = partition(p, low, high, pivot);
        double before = -slope + slope * pivot + jumps + cut.below;

        if (before >= 0) {
            high = cut.lt;
        } else if (before + cut.equal >= 0) {
            int64_t largest = cut.lt;
            int64_t swap;

            for (int64_t t = cut.lt; t < cut.gt; t++) {
                largest = p->break_jump[p->order[t]] > p->break_jump[p->order[largest]] ? t : largest;
            }
            swap = p->order[cut.lt];
            p->order[cut.lt] = p->order[largest];
            p->order[largest] = swap;
            *alpha = pivot;
            *passed = cut.lt;
            return cut.lt;
        } else {
            jumps += cut.below + cut.equal;
            low = cut.gt;
        }
    }
    *alpha = (slope - jumps) / slope;
    *passed = low;
    return -1;
}

/* At the minimiser of the face: release the kink with the worst multiplier. 0: none is wrong, this is the optimum. */
static int release(struct refit *p, double *v) {
    int64_t k = p->active;
    int64_t worst = -1;
    double most = 1e-10;
    int direction = 0;
    int64_t z;

    for (int64_t t = 0; t < k; t++) {
        p->multiplier[t] = -v[t];
    }
    factor_solve(p, k, p->multiplier); /* R u_Z = -Q_1'g */
    for (int64_t t = 0; t < k; t++) {
        double range = p->up[p->Z[t]] + p->down[p->Z[t]];
        double over = p->multiplier[t] - p->up[p->Z[t]];
        double under = -p->down[p->Z[t]] - p->multiplier[t];

        if (fmax(over, under) > most * range) {
            most = fmax(over, under) / range;
            worst = t;
            direction = over > under ? 1 : -1;
        }
    }
    if (worst < 0) {
        return 0;
    }
    z = p->Z[worst];
    p->side[z] = (signed char)direction;
    vector_axpy(p->size, slope_of(p, z), refit_row(p, p->kink_row[z]), p->g);
    factor_delete(p, k, worst);
    memmove(p->Z + worst, p->Z + worst + 1, (size_t)(k - 1 - worst) * sizeof *p->Z);
    p->active = --k;
    dense_dot_columns(p->size, p->size - k, p->Q + k * p->size, p->size, p->g, v + k);
    return 1;
}

/* Move along the line, change the sides of the kinks passed, interpolate the one that stopped it. 0: it cannot be. */
static int move(struct refit *p, double alpha, int64_t passed, int64_t hit) {
    int64_t s = p->size;

    vector_axpy(s, alpha, p->direction, p->x);
    vector_axpy(s, alpha, p->direction, p->g);
    for (int64_t k = 0; k < p->kinks; k++) {
        p->offset[k] += alpha * p->image[p->kink_row[k]];
    }
    for (int64_t t = 0; t < passed; t++) {
        int64_t z = p->order[t];

        vector_axpy(s, -p->side[z] * (p->up[z] + p->down[z]), refit_row(p, p->kink_row[z]), p->g);
        p->side[z] = (signed char)-p->side[z];
    }
    if (hit >= 0) {
        int64_t z = p->order[hit];
        const double *a = refit_row(p, p->kink_row[z]);

        if (!factor_append(p, p->active, a, 1e-9)) {
            return 0;
        }
        vector_axpy(s, -slope_of(p, z), a, p->g);
        p->side[z] = 0;
        p->Z[p->active++] = z;
    }
    for (int64_t t = 0; t < p->active; t++) {
        p->offset[p->Z[t]] = 0;
    }
    return 1;
}

/* Nonzero: all multipliers are inside. */
static int active_set(struct refit *p) {
    int64_t s = p->size;
    int64_t stuck = 0;
    double *v = p->v;

    refresh(p);
    for (int64_t pivot = 1; pivot <= 60 + 20 * s && stuck <= 2 * s + 20; pivot++) {
        double on_face, across, alpha;
        int64_t hit, passed;

        if (pivot % REFRESH_PIVOTS == 0) {
            refresh(p);
        }
        if (pivot % STOP_PIVOTS == 0 && refit_must_stop(p)) {
            return 0;
        }
        factor_project(p, p->g, v);
        on_face = sqrt(vector_sum_squares(s - p->active, v + p->active));
        across = sqrt(vector_sum_squares(p->active, v));
        if (!isgreater(on_face, FACE_TOLERANCE * (across + on_face)) || on_face < 1e-13) {
            if (!release(p, v)) {
                return 1;
            }
            on_face = sqrt(vector_sum_squares(s - p->active, v + p->active));
        }
        if (!isgreater(on_face, 0)) {
            return 0;
        }
        memset(p->direction, 0, (size_t)s * sizeof *p->direction);
        dense_add_columns(s, s - p->active, p->Q + p->active * s, s, v + p->active, p->direction);
        vector_scale(s, -1, p->direction);
        refit_multiply(p, p->direction, p->image);
        hit = line_search(p, on_face * on_face, &alpha, &passed);
        p->pivots++;
        if (!move(p, alpha, passed, hit)) {
            return 0;
        }
        stuck = alpha > 0 ? 0 : stuck + 1;
    }
    return 0;
}

/* Primal and dual values from x, the sides and the multipliers. */
static void certify(struct refit *p) {
    double linear = 0;

    refit_evaluate(p);
    memset(p->dual, 0, (size_t)p->rows * sizeof *p->dual);
    for (int64_t t = 0; t < p->active; t++) {
        int64_t z = p->Z[t];
        double u = fmin(fmax(p->multiplier[t], -p->down[z]), p->up[z]);

        p->dual[p->kink_row[z]] += u;
        linear -= u * p->place[z];
        p->out_rows[t] = p->kink_row[z];
        p->out_signs[t] = 1;
    }
    for (int64_t k = 0; k < p->kinks; k++) {
        if (p->side[k] != 0) {
            p->dual[p->kink_row[k]] += slope_of(p, k);
            linear -= slope_of(p, k) * p->place[k];
        }
    }
    p->bound = refit_dual_value(p, linear);
    p->out_count = p->active;
}

enum refit_outcome separable_solve(struct refit *p) {
    int proximal = refit_is_proximal(p);

    crash(p);
    memset(p->centre, 0, (size_t)p->size * sizeof *p->centre);
    for (int round = 0; round < (proximal ? PROXIMAL_ROUNDS : 1); round++) {
        refit_set_centre(p);
        if (!active_set(p)) {
            return REFIT_INEXACT;
        }
        certify(p);
        if (refit_is_good(p)) {
            return REFIT_OPTIMAL;
        }
    }
    return REFIT_INEXACT;
}
