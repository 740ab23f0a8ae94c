/*
 * A proven bound from the pair (x, u) that an engine left behind; ../README.md has the proof.
 *
 * HOW IT WORKS: u is shrunk a little towards the interior of dom h*, which leaves room around it. A column is minimised
 * over directly if that costs little for every slope within its error. The other columns (mostly those with neither
 * ridge nor bounds) are pinned: u is corrected until their slopes are nearly those that x requires. The remaining error
 * could be removed by a further correction that is shorter than the room. That correction need not be computed, but the
 * bound is charged for its length.
 */
#include "fit/certificate/certificate.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "fit/certificate/internal.h"
#include "fit/constants.h"
#include "linalg/vector.h"

static const double shrinks[] = CERTIFICATE_SHRINKS;

/* ---- memory ---------------------------------------------------------------------------------------------------- */

void certificate_free(struct certificate *c) {
    if (c != NULL) {
        workspace_free(&c->workspace);
        memory_free(c);
    }
}

static void take_rows(struct certificate *c, int64_t rows) {
    double **arrays[] = {&c->u, &c->from, &c->room, &c->steep, &c->weight, &c->column, &c->scratch};

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = workspace_doubles(&c->workspace, rows);
    }
    c->is_clear = workspace_array(&c->workspace, rows, 1);
}

static void take_support(struct certificate *c, int64_t k) {
    struct workspace *w = &c->workspace;
    struct directions *d = &c->directions;
    double **arrays[] = {&c->at, &c->reach, &d->scale, &d->blur, &d->hidden, &d->work, &d->more};
    int64_t square = k <= INT32_MAX ? k * k : -1;

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = workspace_doubles(w, k);
    }
    c->smooth = workspace_array(w, k, sizeof *c->smooth);
    c->slope = workspace_array(w, k, sizeof *c->slope);
    c->target = workspace_array(w, k, sizeof *c->target);
    c->is_pinned = workspace_array(w, k, 1);
    c->pins = workspace_integers(w, k);
    d->columns = workspace_integers(w, k);
    d->kept = workspace_integers(w, k);
    d->defect = workspace_array(w, k, sizeof *d->defect);
    d->gram = workspace_doubles(w, square);
    d->factor = workspace_doubles(w, square);
}

static void take_term(struct certificate *c, const struct smooth *f) {
    c->state = workspace_doubles(&c->workspace, smooth_state_size(f));
    c->term_work = workspace_doubles(&c->workspace, f->term == NULL ? 0 : f->C->rows);
}

struct certificate *certificate_new(struct fit_state *fit) {
    struct certificate *c = memory_array(1, sizeof *c);
    double whole[2] = {(double)fit->problem->A->rows, 1};

    if (c == NULL) {
        return NULL;
    }
    c->workspace.memory = fit->problem->A->memory;
    c->fit = fit;
    take_rows(c, fit->problem->A->rows);
    take_support(c, fit->capacity);
    take_term(c, &fit->problem->f);
    if (c->workspace.failed) {
        certificate_free(c);
        return NULL;
    }
    reduce_sum(fit->problem->A->reduce, whole, 2);
    c->rows = whole[0];
    c->parts = whole[1];
    if (fit->problem->f.term != NULL) {
        c->term_rows = (double)fit->problem->f.C->rows;
        reduce_sum(fit->problem->f.C->reduce, &c->term_rows, 1);
    }
    return c;
}

/* ---- a column -------------------------------------------------------------------------------------------------- */

/* a lower bound on min over 0 <= t <= top of s t + ridge t^2 / 2, close to it */
static long double fall(long double s, long double ridge, long double top) {
    const long double more = 1 + 8 * LDBL_EPSILON;

    if (s >= 0 || top == 0) {
        return 0;
    }
    if (ridge > 0 && -s <= ridge * top) {
        return -s * s / (2 * ridge) * more;
    }
    return isinf(top) ? -INFINITY : s * top * more + ridge * top * top / 2 * (2 - more);
}

struct box {
    long double low, high, ridge; /* low <= 0 <= high */
};

/* The bounds of x_j and its ridge, relaxed by what the scaling of the frame may have rounded. */
static struct box box_of(const struct certificate *c, int64_t i) {
    const struct problem *p = c->fit->problem;
    int64_t j = c->fit->columns[i];
    long double slack = problem_rounding(p, j);
    struct box box = {-INFINITY, INFINITY, p->f.ridge[j] * (1 - slack)};

    if (p->lower != NULL && isfinite(p->lower[j])) { /* arithmetic with infinite long doubles is slow */
        box.low = p->lower[j] * (1 + slack);
    }
    if (p->upper != NULL && isfinite(p->upper[j])) {
        box.high = p->upper[j] * (1 + slack);
    }
    return box;
}

/* min over the box of slope t + ridge t^2 / 2, for every slope within its error and `more` of its value */
static long double column_value(struct box box, struct number slope, long double more) {
    long double error = slope.error + more;

    return fminl(fall(slope.value - error, box.ridge, box.high), fall(-slope.value - error, box.ridge, -box.low));
}

/* a times b, but 0 if a is 0 */
static long double times(long double a, long double b) {
    return a > 0 ? a * b : 0;
}

/* The cost of not pinning a column: how far its minimum may be below its value at slope -target. It allows for a
 * further change of the slope, by a share of the room, when u is corrected for other columns. */
static long double cost_of(const struct certificate *c, int64_t i) {
    struct box box = box_of(c, i);
    long double x = c->fit->x[i], defect = c->slope[i].value + c->target[i];
    long double error = c->slope[i].error + 0x1p-10L * c->roominess * c->reach[i], by_ridge;

    if (!(box.ridge > 0) && isinf(box.low) && isinf(box.high)) {
        return defect == 0 && error == 0 ? 0 : INFINITY;
    }
    by_ridge = box.ridge > 0 ? (fabsl(defect) + error) * (fabsl(defect) + error) / (2 * box.ridge) : INFINITY;
    return fminl(by_ridge, times(defect + error, x - box.low) + times(error - defect, box.high - x));
}

/* The reference size for tolerances; F is not known after a cutoff. */
static double size_of(const struct certificate *c) {
    return fmax(isfinite(c->fit->objective) ? fabs(c->fit->objective) : 0, FIT_SMALL_GOOD * c->fit->zero_objective);
}

/* Pin the columns that cost more than this. Returns nonzero if the cost of some of them is finite. */
static int choose_pins(struct certificate *c, long double cheap) {
    int is_choice = 0;

    c->pin_count = 0;
    for (int64_t i = 0; i < c->fit->size; i++) {
        long double cost = cost_of(c, i);

        c->is_pinned[i] = (unsigned char)!islessequal(cost, cheap);
        if (c->is_pinned[i]) {
            c->pins[c->pin_count++] = i;
            is_choice |= isless(cost, INFINITY);
        }
    }
    return is_choice;
}

/* ---- slopes ---------------------------------------------------------------------------------------------------- */

/* The slope of f at 0 without its term, with the error of the frame's scaling. */
static struct number linear_of(const struct certificate *c, int64_t i) {
    const struct smooth *f = &c->fit->problem->f;
    int64_t j = c->fit->columns[i];
    double p = f->linear == NULL ? 0 : f->linear[j];

    return (struct number){p, problem_rounding(c->fit->problem, j) * fabs(p)};
}

void certificate_touch(struct certificate *c) {
    const struct fit_state *s = c->fit;
    const struct smooth *f = &s->problem->f;

    c->tangent = (struct smooth_tangent){{0, 0}, 0};
    memset(c->smooth, 0, (size_t)s->size * sizeof *c->smooth);
    if (f->term != NULL) {
        c->tangent = f->term->tangent(f, s->size, s->columns, c->at, c->state, c->term_work, c->smooth);
    }
    for (int64_t i = 0; i < s->size; i++) {
        c->smooth[i] = number_add(c->smooth[i], 1, linear_of(c, i));
    }
}

/* A tangent of phi near x. Its slopes are shrunk as u is, so that the two still balance. */
static void begin_smooth(struct certificate *c, double shrink) {
    struct fit_state *s = c->fit;
    const struct smooth *f = &s->problem->f;

    for (int64_t i = 0; i < s->size; i++) {
        c->at[i] = (1 - shrink) * s->x[i];
        c->target[i] = (long double)f->ridge[s->columns[i]] * s->x[i];
    }
    smooth_refresh_columns(f, s->size, s->columns, s->x, c->state);
    vector_scale(smooth_state_size(f), 1 - shrink, c->state);
    certificate_touch(c);
}

/* slope = smooth + A_S'u. Returns 0 if stopped. */
static int measure_slopes(struct certificate *c) {
    struct fit_state *s = c->fit;
    const struct linop *A = s->problem->A;

    s->spent += 4 * (double)A->rows * (double)s->size;
    for (int64_t i = 0; i < s->size; i++) {
        double relative = problem_rounding(s->problem, s->columns[i]);

        if (A->reduce == NULL && stop_after(&s->stop, 4 * A->rows)) {
            return 0;
        }
        linop_gather(A, 1, s->columns + i, c->column, A->rows);
        c->slope[i] = number_add(c->smooth[i], 1, sum_close(sum_dot(A->rows, c->u, c->column), relative, A->reduce));
    }
    return 1;
}

/* ---- the room around u ----------------------------------------------------------------------------------------- */

static double largest(const struct certificate *c, const double *v) {
    double top = vector_norm_inf(c->fit->problem->A->rows, v);

    reduce_max(c->fit->problem->A->reduce, &top, 1);
    return top;
}

/* t = room / roominess, slightly reduced against rounding, and || t (|b| + steep) ||. If `stays`, u should hardly move:
 * rows then have little weight compared with the tangent of phi, which may move freely. */
static void weigh_rows(struct certificate *c, int stays) {
    const struct problem *p = c->fit->problem;
    double sum = 0;

    c->roominess = largest(c, c->room) * (stays ? CERTIFICATE_TERM : 1);
    for (int64_t i = 0; i < p->A->rows; i++) {
        double t = c->roominess > 0 ? c->room[i] / c->roominess * (1 - 8 * DBL_EPSILON) : 0;
        double length = fabs(p->b[i]) + c->steep[i];

        c->weight[i] = t * t;
        sum += t * length * (t * length);
    }
    reduce_sum(p->A->reduce, &sum, 1);
    c->spread = sqrt(sum) * (1 + rounding_of(c->rows + c->parts + 16));
}

/* Measure the room around u, and the slopes there. Returns 0 if u is not inside dom h*, or if stopped. */
static int survey(struct certificate *c, double shrink, int stays) {
    struct fit_state *s = c->fit;
    const struct problem *p = s->problem;
    double top = largest(c, c->u);

    s->spent += FIT_ROW_WORK * (double)p->A->rows;
    vector_copy(p->A->rows, c->u, c->from);
    c->conjugate =
        p->h.ops->conjugate_above(&p->h, c->u, CERTIFICATE_WIDE * shrink * (top > 0 ? top : 1), c->room, c->steep);
    if (!isfinite(c->conjugate)) {
        return 0;
    }
    for (int64_t i = 0; i < p->A->rows; i++) {
        c->room[i] = c->is_clear[i] ? 0 : c->room[i];
    }
    weigh_rows(c, stays);
    linop_weighted_squares(p->A, s->size, s->columns, c->weight, c->reach);
    for (int64_t i = 0; i < s->size; i++) {
        c->reach[i] = sqrt(c->reach[i]) * (1 + rounding_of(c->rows + c->parts + 16));
    }
    return measure_slopes(c);
}

/* ---- rows that must be zero ------------------------------------------------------------------------------------ */

/* Whether a column needs a_j'u = 0 exactly: it has no ridge, no bounds and no slope of f. */
static int is_bare(const struct certificate *c, int64_t i) {
    struct box box = box_of(c, i);

    return box.ridge == 0 && isinf(box.low) && isinf(box.high) && c->smooth[i].value == 0 && c->smooth[i].error == 0;
}

/* The only uncleared row of a column; -1 if there are several, or if it is in another process. */
static int64_t only_row(struct certificate *c, int64_t column) {
    const struct linop *A = c->fit->problem->A;
    double count = 0;
    int64_t row = -1;

    linop_gather(A, 1, &column, c->column, A->rows);
    for (int64_t i = 0; i < A->rows && count < 2; i++) {
        if (c->column[i] != 0 && !c->is_clear[i]) {
            count++;
            row = i;
        }
    }
    reduce_sum(A->reduce, &count, 1);
    return count == 1 ? row : -1;
}

/* A bare column with a single row i requires u_i = 0, which may leave another column with a single row: this treats
 * columns that are dependent because they are so sparse. Returns the number of rows cleared. */
static double clear_rows(struct certificate *c) {
    const struct fit_state *s = c->fit;
    double cleared = 0, last = -1;

    while (cleared > last) {
        last = cleared;
        for (int64_t i = 0; i < s->size; i++) {
            int64_t row = is_bare(c, i) ? only_row(c, s->columns[i]) : -1;

            if (row >= 0) {
                c->is_clear[row] = 1;
                cleared++;
            }
        }
        reduce_max(s->problem->A->reduce, &cleared, 1);
    }
    return cleared;
}

/* ||q|| of u - from = room q, rounded up */
static double moved(const struct certificate *c) {
    const struct linop *A = c->fit->problem->A;
    double sum = 0;

    for (int64_t i = 0; i < A->rows; i++) {
        double by = c->u[i] - c->from[i];

        sum += by == 0 ? 0 : by / c->room[i] * (by / c->room[i]);
    }
    reduce_sum(A->reduce, &sum, 1);
    return sqrt(sum) * (1 + rounding_of(c->rows + c->parts + 16));
}

/* ---- the bound ------------------------------------------------------------------------------------------------- */

/*
 * F(x') >= constant - u'b - h*(u) + sum_j min over t of slope_j t + ridge_j t^2 / 2. The bound holds not for the
 * current u and v but for some vectors within t q and q of them, ||q|| <= length, for which the slopes of the pinned
 * columns are exact.
 */
static double value(const struct certificate *c, double length) {
    const struct fit_state *s = c->fit;
    const struct problem *p = s->problem;
    long double charge = (long double)length * (c->spread + c->tangent.length + length);
    struct number total = c->tangent.constant;

    for (int64_t i = 0; i < s->size; i++) {
        long double least = c->is_pinned[i]
                                ? column_value(box_of(c, i), (struct number){-c->target[i], 0}, 0)
                                : column_value(box_of(c, i), c->slope[i], 1.0000001L * length * c->reach[i]);

        if (!isfinite(least)) {
            return -INFINITY;
        }
        total = number_add(total, 1, (struct number){least, fabsl(least) * LDBL_EPSILON});
    }
    total = number_add(total, -1, sum_close(sum_dot(p->A->rows, c->u, p->b), 0, p->A->reduce));
    total = number_add(total, -1, (struct number){c->conjugate, 0});
    total = number_add(total, -1.0000001L, (struct number){charge, 0});
    return number_below(total);
}

/* The bound with u = 0 and phi >= 0, from f alone. */
static double trivial_value(struct certificate *c) {
    struct number total = {0, 0};

    for (int64_t i = 0; i < c->fit->size; i++) {
        long double least = column_value(box_of(c, i), linear_of(c, i), 0);

        if (!isfinite(least)) {
            return -INFINITY;
        }
        total = number_add(total, 1, (struct number){least, fabsl(least) * LDBL_EPSILON});
    }
    return total.value == 0 ? 0 : number_below(total);
}

enum verdict { FAILED, PROVEN, FAR };

/* Correct u as long as that shortens the remaining correction; returns the length of that, NaN if stopped. */
static double correct(struct certificate *c) {
    double length, last = INFINITY;

    directions_measure(c);
    length = directions_length(c);
    for (int step = 0; step < CORRECTIONS && length > 0 && isless(length, CORRECTION_PAYS * last); step++) {
        last = length;
        directions_correct(c);
        if (!measure_slopes(c)) {
            return NAN;
        }
        directions_measure(c);
        length = directions_length(c);
    }
    return length;
}

/*
 * The bound with the current pins. FAR: u had to move beyond its room, so a new survey is worthwhile. The same holds
 * for dependent columns: with a ridge, a correction that proves nothing may still leave a small error.
 */
static enum verdict pin(struct certificate *c, double *best) {
    const struct problem *p = c->fit->problem;
    int is_proof = directions_by_columns(c) || (!c->fit->stop.stopped && directions_by_basis(c));
    double length;

    if (!is_proof && (c->fit->stop.stopped || !directions_by_force(c))) {
        return FAILED;
    }
    length = correct(c);
    if (!is_proof || isnan(length)) {
        return isnan(length) ? FAILED : FAR;
    }
    if (!isless(moved(c) + length / c->roominess * (1 + 1e-9), 1)) {
        return FAR;
    }
    c->conjugate = p->h.ops->conjugate_above(&p->h, c->u, 0, c->room, c->steep);
    *best = isfinite(c->conjugate) ? fmax(*best, value(c, length)) : *best;
    return PROVEN;
}

/* Set u to that of the fit, shrunk. */
static void begin(struct certificate *c, double shrink) {
    const struct problem *p = c->fit->problem;

    vector_copy(p->A->rows, c->fit->dual, c->u);
    p->h.ops->project_dual(&p->h, c->u);
    for (int64_t i = 0; i < p->A->rows; i++) {
        c->u[i] = c->is_clear[i] ? 0 : (1 - shrink) * c->u[i];
    }
    begin_smooth(c, shrink);
}

/* Project u, which has moved beyond its room, onto (1 - shrink) dom h*. */
static void draw_in(struct certificate *c, double shrink) {
    const struct problem *p = c->fit->problem;

    vector_scale(p->A->rows, 1 / (1 - shrink), c->u);
    p->h.ops->project_dual(&p->h, c->u);
    vector_scale(p->A->rows, 1 - shrink, c->u);
}

/* One attempt: u shrunk by `shrink`, with the columns pinned that cost more than `cheap`. Returns 0 if only columns are
 * pinned that must be. */
static int attempt(struct certificate *c, double shrink, long double cheap, double enough, double *best) {
    int has_term = c->fit->problem->f.term != NULL, is_choice = 0;
    enum verdict verdict = FAR;

    begin(c, shrink);
    for (int round = 0; round < CERTIFICATE_ROUNDS && verdict == FAR && survey(c, shrink, has_term && round > 0);
         round++) {
        choose_pins(c, INFINITY); /* none */
        *best = fmax(*best, value(c, 0));
        if (*best >= enough) {
            return 0;
        }
        is_choice |= choose_pins(c, cheap);
        verdict = c->pin_count > 0 ? pin(c, best) : PROVEN;
        if (verdict == FAR) {
            draw_in(c, shrink);
        }
    }
    return is_choice;
}

/* Shrink u further and further until the proven bound is good enough, or does not improve. */
static void try_shrinks(struct certificate *c, double enough, double *best) {
    struct fit_state *s = c->fit;
    double cheap = CERTIFICATE_CHEAP * size_of(c);

    for (size_t t = 0; t < (isfinite(s->objective) ? sizeof shrinks / sizeof *shrinks : 1); t++) {
        double shrink = shrinks[t] + 4 * (c->rows + c->parts) * (double)LDBL_EPSILON + 4 * c->parts * DBL_EPSILON;

        if (!s->stop.stopped && !(*best >= enough) && attempt(c, shrink, cheap, enough, best) && !s->stop.stopped &&
            !(*best >= enough)) {
            attempt(c, shrink, LDBL_MAX, enough, best);
        }
    }
}

int certificate_bound(struct certificate *c, double want, double *bound) {
    struct fit_state *s = c->fit;
    double best = trivial_value(c), enough = fmin(want, s->objective - CERTIFICATE_ENOUGH * size_of(c));

    memset(c->is_clear, 0, (size_t)s->problem->A->rows);
    try_shrinks(c, enough, &best);
    if (!s->stop.stopped && best < enough && clear_rows(c) > 0) {
        try_shrinks(c, enough, &best);
    }
    *bound = fmin(best, s->objective);
    return !c->is_short;
}
