/*
 * A proven bound from a pair (x, u) that an engine left behind; ../README.md has the proof.
 *
 * HOW IT WORKS: u is drawn in a little from the edge of dom h*, so that there is room around it. Columns whose slope
 * costs little wherever it is within its error are minimised over as they stand; the others (no ridge and no bounds,
 * mostly) are pinned: u is corrected until their slopes are nearly what x asks for, and what is then missing is known
 * to be mended by a vector that need not be computed, because it is shorter than the room. Its length is charged.
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

/* min over 0 <= t <= top of s t + ridge t^2 / 2, or a little less */
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

/* What x_j may be and its ridge, both on the safe side of what the frame's scaling rounded. */
static struct box box_of(const struct certificate *c, int64_t i) {
    const struct problem *p = c->fit->problem;
    int64_t j = c->fit->columns[i];
    long double slack = problem_rounding(p, j);
    struct box box = {-INFINITY, INFINITY, p->f.ridge[j] * (1 - slack)};

    if (p->lower != NULL && isfinite(p->lower[j])) { /* long doubles are slow where they are infinite */
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

/* a times b, 0 where a is */
static long double times(long double a, long double b) {
    return a > 0 ? a * b : 0;
}

/* How far below its value at slope -target the minimum of a column may be: what it costs not to pin it. The slope may
 * also change by what becomes of u for the sake of others, some part of the room. */
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

/* What is small is small beside this; F is not known after a cutoff. */
static double size_of(const struct certificate *c) {
    return fmax(isfinite(c->fit->objective) ? fabs(c->fit->objective) : 0, FIT_SMALL_GOOD * c->fit->zero_objective);
}

/* Pin the columns that cost more than this. Nonzero: some of them cost no more than a finite amount. */
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

/* The slope of f at 0 but for its term, and what the frame's scaling may have done to it. */
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

/* A tangent of phi near x, whose slopes are drawn in as u is, so that they still balance each other. */
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

/* slope = smooth + A_S'u. 0: stopped. */
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

/* t = room / roominess, a little less against rounding, and || t (|b| + steep) ||. Where u is to stay put, rows weigh
 * little beside the tangent of phi, which may move as far as it likes. */
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

/* The room around u, and the slopes there. 0: u is not inside, or stopped. */
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

/* Whether nothing but a_j'u = 0 will do for a column: no ridge, no bounds, no slope of f. */
static int is_bare(const struct certificate *c, int64_t i) {
    struct box box = box_of(c, i);

    return box.ridge == 0 && isinf(box.low) && isinf(box.high) && c->smooth[i].value == 0 && c->smooth[i].error == 0;
}

/* The only row of a column that is not clear yet; -1: there are more, or it lives elsewhere. */
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

/* A bare column that has but one row says that u_i = 0 there, which may leave another one with one row: columns that
 * are dependent because they are so sparse. Returns how many rows there were. */
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
 * F(x') >= constant - u'b - h*(u) + sum_j min over t of slope_j t + ridge_j t^2 / 2, not for the u and v at hand but
 * for some vectors within t q and q of them, ||q|| <= length, for which the slopes of the pinned columns are exact.
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

/* u = 0 and phi >= 0: what f alone says. */
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

/* Correct u while that shortens what is left; returns that, NaN: stopped. */
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
 * The value with the pins at hand. FAR: u had to move beyond its room, and is worth another survey. So it is where the
 * columns are dependent: a ridge forgives what a correction that proves nothing leaves.
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

/* u from what the fit left, drawn in. */
static void begin(struct certificate *c, double shrink) {
    const struct problem *p = c->fit->problem;

    vector_copy(p->A->rows, c->fit->dual, c->u);
    p->h.ops->project_dual(&p->h, c->u);
    for (int64_t i = 0; i < p->A->rows; i++) {
        c->u[i] = c->is_clear[i] ? 0 : (1 - shrink) * c->u[i];
    }
    begin_smooth(c, shrink);
}

/* u, which was moved beyond its room, to the nearest point of (1 - shrink) dom h*. */
static void draw_in(struct certificate *c, double shrink) {
    const struct problem *p = c->fit->problem;

    vector_scale(p->A->rows, 1 / (1 - shrink), c->u);
    p->h.ops->project_dual(&p->h, c->u);
    vector_scale(p->A->rows, 1 - shrink, c->u);
}

/* One u, drawn in by `shrink`, with the columns pinned that cost more than `cheap`. 0: all pins are those that must be.
 */
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

/* Draw u in further and further until what is proven is enough, or nothing more is to be had. */
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
