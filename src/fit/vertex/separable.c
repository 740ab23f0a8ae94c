/*
 * Sums of pinballs: a primal active-set method, that of Barrodale and Roberts with a ridge.
 *
 *     minimise 1/2 ||x - c||^2 + sum over kinks of up (e)_+ + down (-e)_+,      e = a'x - place
 *
 * Bounds on x are kinks as well, with a unit row for a.
 *
 * Z are the interpolated (active) kinks, A_Z' = Q [R; 0]. On the face of Z the objective is a parabola until a kink is
 * crossed. A pivot moves along -Q_2 Q_2'g, past breakpoints, to the exact minimiser of the line; at the minimiser of a
 * face the kink whose multiplier is furthest outside [-down, up] is released.
 */
#include <math.h>
#include <string.h>

#include "fit/constants.h"
#include "fit/vertex/internal.h"
#include "linalg/dense.h"
#include "linalg/vector.h"

static double slope_of(const struct vertex *p, int64_t k) {
    return p->kinks.side[k] > 0 ? p->kinks.up[k] : -p->kinks.down[k];
}

static void choose_side(struct vertex *p, int64_t k) {
    p->kinks.side[k] = p->kinks.offset[k] > 0 || (p->kinks.offset[k] == 0 && p->kinks.up[k] == 0) ? 1 : -1;
}

static void measure_offsets(struct vertex *p) {
    vertex_image(p, p->x, p->work);
    for (int64_t k = 0; k < p->kinks.count; k++) {
        p->kinks.offset[k] = p->work[p->kinks.row[k]] - p->kinks.place[k];
    }
}

/* The distance of a kink from x, in units of the residual. */
static double distance_of(const struct vertex *p, int64_t k) {
    int64_t position = p->kinks.row[k] - p->rows;
    double unit = position < 0 ? 1 : p->products.norm[position] / sqrt((double)p->rows);

    return fabs(p->kinks.offset[k]) * (unit > 0 ? unit : 1);
}

/* Set Z to the independent ones among the `nearest` kinks closest to x, or only to those that x is on. Returns 0 if
 * stopped. */
static int choose_kinks(struct vertex *p, int64_t nearest, int only_met) {
    factor_reset(p);
    for (int64_t k = 0; k < p->kinks.count; k++) {
        choose_side(p, k);
    }
    for (int64_t t = 0; t < nearest && p->set.count < p->fit->size; t++) {
        int64_t k = p->line.order[t];
        double distance = p->line.break_at[k];

        if (only_met ? distance > 0 : isinf(distance)) {
            continue;
        }
        if (vertex_must_stop(p)) {
            return 0;
        }
        if (factor_append(p, p->set.count, vertex_row(p, p->kinks.row[k]), CRASH_INDEPENDENT)) {
            p->set.Z[p->set.count++] = k;
            p->kinks.side[k] = 0;
        }
    }
    return 1;
}

/* Move x onto Z by the smallest change. */
static void step_onto(struct vertex *p) {
    for (int64_t t = 0; t < p->set.count; t++) {
        p->y[t] = -p->kinks.offset[p->set.Z[t]];
    }
    factor_solve_transposed(p, p->set.count, p->y);
    dense_add_columns(p->fit->size, p->set.count, p->factor.Q, p->fit->size, p->y, p->x);
    measure_offsets(p);
}

/* The same, and set the sides of the kinks. */
static void move_onto(struct vertex *p) {
    step_onto(p);
    for (int64_t k = 0; k < p->kinks.count; k++) {
        if (p->kinks.side[k] != 0) {
            choose_side(p, k);
        }
    }
}

static int is_within_bounds(const struct vertex *p) {
    for (int64_t k = p->kinks.of_rows; k < p->kinks.count; k++) {
        if (p->kinks.side[k] != 0 && slope_of(p, k) != 0) {
            return 0;
        }
    }
    return 1;
}

/* Interpolate as many independent kinks nearest to x as possible, and move x onto them by the smallest change. If that
 * would violate bounds, x stays, on the bounds that it is on: otherwise many more pivots would follow. Computes the
 * offsets. Returns 0 if stopped. */
static int crash(struct vertex *p) {
    int64_t want = p->fit->size < p->kinks.count ? p->fit->size : p->kinks.count;
    int64_t nearest = want + want / CRASH_SPARE + CRASH_SPARE < p->kinks.count ? want + want / CRASH_SPARE + CRASH_SPARE
                                                                               : p->kinks.count;

    for (int64_t k = 0; k < p->kinks.count; k++) {
        p->line.break_at[k] = distance_of(p, k);
        p->line.order[k] = k;
    }
    vertex_smallest(p->line.break_at, p->line.order, p->kinks.count, nearest);
    vector_copy(p->fit->size, p->x, p->centre);
    if (!choose_kinks(p, nearest, 0)) {
        return 0;
    }
    move_onto(p);
    if (is_within_bounds(p)) {
        return 1;
    }
    vector_copy(p->fit->size, p->centre, p->x);
    measure_offsets(p);
    return choose_kinks(p, nearest, 1);
}

/* Recompute the offsets and g = x - c + A'u from x and the sides. */
static void refresh(struct vertex *p) {
    measure_offsets(p);
    memset(p->fit->dual, 0, (size_t)p->rows * sizeof *p->fit->dual);
    for (int64_t k = 0; k < p->kinks.count; k++) {
        if (p->kinks.side[k] == 0) {
            p->kinks.offset[k] = 0;
        } else if (k < p->kinks.of_rows) {
            p->fit->dual[p->kinks.row[k]] += slope_of(p, k);
        }
    }
    vertex_transpose(p, p->fit->dual, p->g);
    for (int64_t j = 0; j < p->fit->size; j++) {
        p->g[j] += p->x[j] - p->centre[j];
    }
    for (int64_t k = p->kinks.of_rows; k < p->kinks.count; k++) { /* bounds that x violates */
        int64_t j = p->kinks.row[k] - p->rows;

        p->g[j] += p->kinks.side[k] != 0 ? slope_of(p, k) * p->products.scale[j] : 0;
    }
}

/* Write the breakpoints before `furthest` to order[0..count), with their places and jumps of slope. Branch-free: which
 * kinks lie ahead is unpredictable, and a mispredicted branch costs more than the arithmetic. */
static int64_t collect_breaks(struct vertex *p, double furthest) {
    const struct kinks *kinks = &p->kinks;
    int64_t count = 0;

    for (int64_t k = 0; k < kinks->count; k++) {
        double speed = p->line.image[kinks->row[k]];
        double at = -kinks->offset[k] / speed;

        at = (at + fabs(at)) / 2; /* not below zero */
        p->line.break_at[k] = at;
        p->line.break_jump[k] = (kinks->up[k] + kinks->down[k]) * fabs(speed);
        p->line.order[count] = k;
        count += (kinks->side[k] * speed < 0) & (at < furthest);
    }
    return count;
}

/* An upper estimate of where the line ends, from a sample of the breakpoints; INFINITY: the sample does not tell. */
static double sample_reach(const struct vertex *p, int64_t count, double slope) {
    double at[SAMPLES], jump[SAMPLES], sum = 0;

    for (int64_t i = 0; i < SAMPLES; i++) {
        int64_t k = p->line.order[i * count / SAMPLES], place = i;

        for (; place > 0 && at[place - 1] > p->line.break_at[k]; place--) {
            at[place] = at[place - 1];
            jump[place] = jump[place - 1];
        }
        at[place] = p->line.break_at[k];
        jump[place] = p->line.break_jump[k];
    }
    for (int64_t i = 0; i + SAMPLES_BEYOND < SAMPLES; i++) {
        sum += jump[i] * (double)count / SAMPLES;
        if (sum + slope * at[i] >= slope) {
            return at[i + SAMPLES_BEYOND];
        }
    }
    return INFINITY;
}

/* Keep those of order[0..count) up to `reach` if the line ends before it; otherwise keep all. */
static int64_t keep_near(struct vertex *p, int64_t count, double slope, double reach) {
    int64_t *order = p->line.order, kept = 0;
    double sum = 0;

    for (int64_t i = 0; i < count; i++) {
        int64_t k = order[i];
        int is_near = p->line.break_at[k] <= reach;

        order[kept] = k;
        kept += is_near;
        sum += is_near * p->line.break_jump[k];
    }
    return sum + slope * reach >= slope ? kept : collect_breaks(p, 1);
}

/* Write the breakpoints among which the line ends to order[0..count): if there are many, only some of them. */
static int64_t candidates(struct vertex *p, double slope) {
    int64_t count = collect_breaks(p, 1);
    double reach = count > 2 * SAMPLES ? sample_reach(p, count, slope) : (double)INFINITY;

    return isfinite(reach) ? keep_near(p, count, slope, reach) : count;
}

/* Three-way partition of order[low..high) by break_at around pivot: [low, lt) below, [lt, gt) equal. */
struct cut {
    int64_t lt, gt;
    double below, equal; /* sums of jumps */
};

static struct cut partition(struct vertex *p, int64_t low, int64_t high, double pivot) {
    struct cut cut = {low, high, 0, 0};
    int64_t *order = p->line.order;

    for (int64_t i = low; i < cut.gt;) {
        double at = p->line.break_at[order[i]];
        int64_t swap = order[i];

        if (at < pivot) {
            cut.below += p->line.break_jump[swap];
            order[i++] = order[cut.lt];
            order[cut.lt++] = swap;
        } else if (at > pivot) {
            order[i] = order[--cut.gt];
            order[cut.gt] = swap;
        } else {
            cut.equal += p->line.break_jump[swap];
            i++;
        }
    }
    return cut;
}

/*
 * The exact minimiser of the line, whose derivative is -slope (1 - alpha) plus the jumps passed. Returns the place in
 * `order` of the kink at the minimiser, or -1 if it lies between kinks; order[0..*passed) are the kinks strictly
 * passed.
 */
static int64_t line_search(struct vertex *p, double slope, double *alpha, int64_t *passed) {
    int64_t low = 0;
    int64_t high = candidates(p, slope);
    double jumps = 0; /* of order[0..low) */

    while (high > low) {
        double pivot = p->line.break_at[p->line.order[low + (high - low) / 2]];
        struct cut cut = partition(p, low, high, pivot);
        double before = -slope + slope * pivot + jumps + cut.below;

        if (before >= 0) {
            high = cut.lt;
        } else if (before + cut.equal >= 0) {
            int64_t largest = cut.lt;
            int64_t swap;

            for (int64_t t = cut.lt; t < cut.gt; t++) {
                largest =
                    p->line.break_jump[p->line.order[t]] > p->line.break_jump[p->line.order[largest]] ? t : largest;
            }
            swap = p->line.order[cut.lt];
            p->line.order[cut.lt] = p->line.order[largest];
            p->line.order[largest] = swap;
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

/* At the minimiser of the face: release the kink with the most violated multiplier. Returns 0 if none is violated: this
 * is the optimum. */
static int release(struct vertex *p, double *v) {
    int64_t k = p->set.count;
    int64_t worst = -1;
    double most = RELEASE_ROUNDING;
    int direction = 0;
    int64_t z;

    for (int64_t t = 0; t < k; t++) {
        p->set.multiplier[t] = -v[t];
    }
    factor_solve(p, k, p->set.multiplier); /* R u_Z = -Q_1'g */
    for (int64_t t = 0; t < k; t++) {
        double range = p->kinks.up[p->set.Z[t]] + p->kinks.down[p->set.Z[t]];
        double over = p->set.multiplier[t] - p->kinks.up[p->set.Z[t]];
        double under = -p->kinks.down[p->set.Z[t]] - p->set.multiplier[t];

        if (fmax(over, under) > most * range) {
            most = fmax(over, under) / range;
            worst = t;
            direction = over > under ? 1 : -1;
        }
    }
    if (worst < 0) {
        return 0;
    }
    z = p->set.Z[worst];
    p->kinks.side[z] = (signed char)direction;
    vector_axpy(p->fit->size, slope_of(p, z), vertex_row(p, p->kinks.row[z]), p->g);
    factor_delete(p, k, worst);
    memmove(p->set.Z + worst, p->set.Z + worst + 1, (size_t)(k - 1 - worst) * sizeof *p->set.Z);
    p->set.count = --k;
    dense_dot_columns(p->fit->size, p->fit->size - k, p->factor.Q + k * p->fit->size, p->fit->size, p->g, v + k);
    return 1;
}

/* Move along the line, change the sides of the kinks passed, and interpolate the one at the end. Returns 0 if that is
 * not possible. */
static int move(struct vertex *p, double alpha, int64_t passed, int64_t hit) {
    int64_t s = p->fit->size;

    vector_axpy(s, alpha, p->line.direction, p->x);
    vector_axpy(s, alpha, p->line.direction, p->g);
    for (int64_t k = 0; k < p->kinks.count; k++) {
        p->kinks.offset[k] += alpha * p->line.image[p->kinks.row[k]];
    }
    for (int64_t t = 0; t < passed; t++) {
        int64_t z = p->line.order[t];

        vector_axpy(s, -p->kinks.side[z] * (p->kinks.up[z] + p->kinks.down[z]), vertex_row(p, p->kinks.row[z]), p->g);
        p->kinks.side[z] = (signed char)-p->kinks.side[z];
    }
    if (hit >= 0) {
        int64_t z = p->line.order[hit];
        const double *a = vertex_row(p, p->kinks.row[z]);

        if (!factor_append(p, p->set.count, a, KINK_DEPENDENT)) {
            return 0;
        }
        vector_axpy(s, -slope_of(p, z), a, p->g);
        p->kinks.side[z] = 0;
        p->set.Z[p->set.count++] = z;
    }
    for (int64_t t = 0; t < p->set.count; t++) {
        p->kinks.offset[p->set.Z[t]] = 0;
    }
    return 1;
}

/* Set the line to the direction -Q_2 Q_2'g, given by v, times `by`, and compute its image. */
static void set_line(struct vertex *p, const double *v, double by) {
    int64_t s = p->fit->size;

    memset(p->line.direction, 0, (size_t)s * sizeof *p->line.direction);
    dense_add_columns(s, s - p->set.count, p->factor.Q + p->set.count * s, s, v + p->set.count, p->line.direction);
    vector_scale(s, -by, p->line.direction);
    vertex_image(p, p->line.direction, p->line.image);
}

/* Perturb the kinks: where many meet in a point, as with rows of zeros and ones, pivots are degenerate and may cycle.
 * The multipliers of the minimiser of the perturbed problem are also those of a minimiser of the problem itself. */
static void scatter_kinks(struct vertex *p) {
    double unit = SCATTERED * p->target.length / sqrt((double)p->rows);

    vector_copy(p->kinks.of_rows, p->kinks.place, p->kinks.kept_place);
    for (int64_t k = 0; k < p->kinks.of_rows; k++) {
        double part = (double)(k + 1) * 0.6180339887498949; /* golden ratio: no two perturbations are nearly equal */

        p->kinks.place[k] += unit * (2 * (part - floor(part)) - 1);
    }
    measure_offsets(p);
    move_onto(p);
    refresh(p);
}

/* Undo the perturbation, and move x with the interpolated kinks; the sides stay. */
static void gather_kinks(struct vertex *p) {
    vector_copy(p->kinks.of_rows, p->kinks.kept_place, p->kinks.place);
    measure_offsets(p);
    step_onto(p);
    refresh(p);
}

/* Returns nonzero if all multipliers are within their ranges. */
static int pivot_to_end(struct vertex *p) {
    int64_t s = p->fit->size;
    int64_t stuck = 0;
    double *v = p->v;

    for (int64_t pivot = 1; pivot <= KINK_PIVOTS + COLUMN_PIVOTS * s && stuck <= STUCK; pivot++) {
        double on_face, across, alpha, moved;
        int64_t hit, passed;

        if (pivot % REFRESH_PIVOTS == 0) {
            refresh(p);
        }
        if (vertex_must_stop(p)) {
            return 0;
        }
        factor_project(p, p->g, v);
        on_face = sqrt(vector_sum_squares(s - p->set.count, v + p->set.count));
        across = sqrt(vector_sum_squares(p->set.count, v));
        if (!isgreater(on_face, FACE_TOLERANCE * (across + on_face)) || on_face < FACE_VANISHED) {
            if (!release(p, v)) {
                return 1;
            }
            on_face = sqrt(vector_sum_squares(s - p->set.count, v + p->set.count));
        }
        if (!isgreater(on_face, 0)) {
            return 0;
        }
        set_line(p, v, 1);
        hit = line_search(p, on_face * on_face, &alpha, &passed);
        p->fit->steps++;
        if (!move(p, alpha, passed, hit)) {
            return 0;
        }
        moved = alpha * vector_norm_inf(s, p->line.direction);
        stuck = moved > STANDING * vector_norm_inf(s, p->x) ? 0 : stuck + 1;
    }
    return 0;
}

static int active_set(struct vertex *p) {
    int is_done;

    refresh(p);
    if (pivot_to_end(p)) {
        return 1;
    }
    if (p->fit->stop.stopped) {
        return 0;
    }
    scatter_kinks(p);
    is_done = pivot_to_end(p);
    gather_kinks(p);
    return is_done && pivot_to_end(p);
}

/* How far the minimiser of F itself lies along the line, in units of the one with the proximal term. */
static double reach_of(const struct vertex *p, double slope) {
    double bend = 0;

    for (int64_t j = 0; j < p->fit->size; j++) {
        bend += p->products.ridge[j] / p->products.H[j] * p->line.direction[j] * p->line.direction[j];
    }
    return bend * PROXIMAL_FURTHEST > slope ? slope / bend : PROXIMAL_FURTHEST;
}

/*
 * Move x down the face, each time to the exact minimiser of the line without the proximal term, until it reaches a
 * vertex or the minimiser of the face. Proximal steps would not get there for a column that nearly repeats another,
 * whose coefficient is large and whose slope is small. Returns 0 if stopped, or if it fails.
 */
static int descend(struct vertex *p) {
    for (int64_t pivot = 0; pivot < p->fit->size; pivot++) {
        double on_face, across, slope, by, alpha;
        int64_t hit, passed;

        if (vertex_must_stop(p)) {
            return 0;
        }
        vertex_set_centre(p);
        refresh(p);
        factor_project(p, p->g, p->v);
        slope = vector_sum_squares(p->fit->size - p->set.count, p->v + p->set.count);
        on_face = sqrt(slope);
        across = sqrt(vector_sum_squares(p->set.count, p->v));
        if (!isgreater(on_face, FACE_TOLERANCE * (across + on_face))) {
            return 1;
        }
        set_line(p, p->v, 1);
        by = reach_of(p, slope);
        set_line(p, p->v, by);
        hit = line_search(p, by * slope, &alpha, &passed);
        if (hit < 0 && by >= PROXIMAL_FURTHEST) { /* F is bounded, so the slope was rounding */
            return 1;
        }
        p->fit->steps++;
        if (!move(p, alpha, passed, hit)) {
            return 0;
        }
        if (hit < 0) {
            return 1;
        }
    }
    return 1;
}

/* Compute primal and dual values from x, the sides and the multipliers. */
static void certify(struct vertex *p) {
    double linear = 0;

    vertex_evaluate(p);
    memset(p->fit->dual, 0, (size_t)p->rows * sizeof *p->fit->dual);
    for (int64_t t = 0; t < p->set.count; t++) {
        int64_t z = p->set.Z[t];
        double u = fmin(fmax(p->set.multiplier[t], -p->kinks.down[z]), p->kinks.up[z]);

        p->fit->active.rows[t] = p->kinks.row[z];
        p->fit->active.signs[t] = 1;
        if (z < p->kinks.of_rows) {
            p->fit->dual[p->kinks.row[z]] += u;
            linear -= u * p->kinks.place[z];
        }
    }
    for (int64_t k = 0; k < p->kinks.of_rows; k++) {
        if (p->kinks.side[k] != 0) {
            p->fit->dual[p->kinks.row[k]] += slope_of(p, k);
            linear -= slope_of(p, k) * p->kinks.place[k];
        }
    }
    p->fit->bound = vertex_dual_value(p, linear);
    p->fit->active.count = p->set.count;
}

enum fit_outcome separable_solve(struct vertex *p, double cutoff) {
    int rounds = vertex_is_proximal(p) ? PROXIMAL_ROUNDS : 1;

    p->kinks.count = p->kinks.of_rows + (p->is_bounded ? 2 * p->fit->size : 0);
    p->fit->objective = INFINITY; /* not known */
    measure_offsets(p);
    if (separable_refuse(p, cutoff)) {
        return FIT_CUTOFF;
    }
    if (!crash(p)) {
        return FIT_INEXACT;
    }
    memset(p->centre, 0, (size_t)p->fit->size * sizeof *p->centre);
    for (int round = 0; round < rounds; round++) {
        double last = p->fit->objective, last_bound = p->fit->bound;

        p->fit->objective = INFINITY;
        if (round > 0 && !descend(p)) {
            return FIT_INEXACT;
        }
        vertex_set_centre(p);
        if (!active_set(p)) {
            return FIT_INEXACT;
        }
        certify(p);
        if (fit_is_good(p->fit)) {
            return FIT_OPTIMAL;
        }
        if (p->fit->objective == last && p->fit->bound == last_bound) { /* rounding prevents progress */
            return FIT_INEXACT;
        }
    }
    return FIT_INEXACT;
}
