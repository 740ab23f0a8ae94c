/*
 * Newton's method for smooth sums over rows, over a support that changes by one column at a time.
 *
 * HOW IT WORKS: H = A_S'W A_S + Q is formed at the weights W of some point and kept, with its factor, while columns are
 * exchanged: an exchange costs a row of H and O(size^2). Steps reuse the same H (the chord method) as long as each of
 * them reduces the gap by the factor NEWTON_SLOW or better; then H is formed anew at the weights of the current point.
 * A loss with constant weights (squared) needs one step, and a second one to remove rounding. Bounds on x are an active
 * set: a step ends at the first bound that it meets, which is then held until its multiplier has the wrong sign.
 *
 * The gradient is always that of the loss itself, computed with A: H affects only the speed of convergence.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "fit/constants.h"
#include "fit/newton/internal.h"
#include "linalg/vector.h"
#include "model/line.h"

/* ---- the point ------------------------------------------------------------------------------------------------- */

/* u and w at the current residual. */
static void differentiate(struct newton *n) {
    struct fit_state *s = n->state;
    const struct loss *h = &s->problem->h;

    if (n->rho > 0) {
        for (int64_t i = 0; i < n->rows; i++) {
            s->dual[i] = s->residual[i] / n->rho;
            n->curvature[i] = 1; /* times c */
        }
    } else {
        h->ops->derivatives(h, s->residual, s->dual, n->curvature);
    }
}

/* Approximate multiplications for the loss of one row. */
static double row_work(const struct problem *problem) {
    return problem->h.kind->is_quadratic ? 1 : FIT_ROW_WORK;
}

void newton_measure(struct newton *n) {
    struct fit_state *s = n->state;

    s->spent += (double)n->rows * (2 * (double)s->size + row_work(s->problem));
    s->objective = fit_value(s, s->x, s->residual);
    differentiate(n);
    linop_transpose_columns(s->problem->A, s->size, s->columns, s->dual, n->gradient);
    smooth_gradient_columns(&s->problem->f, s->full, s->smooth, s->size, s->columns, n->smooth);
    vector_axpy(s->size, 1, n->smooth, n->gradient);
}

double newton_merit(const struct newton *n) {
    const struct fit_state *s = n->state;
    double length;

    if (n->rho == 0) {
        return s->objective;
    }
    length = s->problem->h.ops->value(&s->problem->h, s->residual);
    return s->objective - length + (length / n->rho * length + n->rho) / 2;
}

/* ---- the matrix ------------------------------------------------------------------------------------------------ */

/* Form H at new weights: the second derivatives plus a small share of a wider curvature, or, far from the end, the
 * wider curvature alone. */
static int form_anew(struct newton *n, int is_far) {
    struct fit_state *s = n->state;
    const struct loss *h = &s->problem->h;

    if (n->rho == 0 && !h->kind->is_quadratic) {
        h->ops->curvature(h, s->residual, s->dual, 0, n->image);
        for (int64_t i = 0; i < n->rows; i++) {
            n->curvature[i] =
                is_far ? fmax(n->image[i], n->curvature[i]) : n->curvature[i] + NEWTON_NEARLY_FLAT * n->image[i];
        }
    }
    n->is_far = is_far;
    n->age = 0;
    return normal_form(n, n->curvature) && face_factor(n);
}

/* The position whose column differs from that of the factor; -1: none, -2: several. */
static int64_t changed_position(const struct newton *n) {
    int64_t changed = -1;

    for (int64_t i = 0; i < n->state->size; i++) {
        if (n->normal.column[i] != n->state->columns[i]) {
            changed = changed == -1 ? i : -2;
        }
    }
    return changed;
}

/* Whether all columns are in the factor: it may have as many, but one beyond the end of a support that was larger, in
 * the place of one that rested there. */
static int face_is_complete(const struct newton *n) {
    int64_t inside = 0;

    for (int64_t i = 0; i < n->face.count; i++) {
        inside += n->face.order[i] < n->state->size;
    }
    return n->face.count == n->state->size && inside == n->face.count && n->face.c == n->normal.c &&
           !newton_has_bounds(n->state) && n->state->problem->f.term == NULL;
}

int newton_begin(struct newton *n, int has_weights) {
    int64_t changed = changed_position(n);
    int is_update = has_weights && changed >= 0 && face_is_complete(n);

    normal_add_smooth(n);
    bounds_hold(n);
    if (!has_weights) {
        return form_anew(n, 1);
    }
    n->age = 1;
    if (is_update) {
        face_remove(n, changed);
    }
    if (!normal_form(n, NULL)) {
        return 0;
    }
    if (is_update || (changed == -1 && face_is_complete(n))) {
        return !is_update || face_append(n, changed) || face_factor(n);
    }
    return face_factor(n);
}

/* ---- steps ----------------------------------------------------------------------------------------------------- */

/* The step and its decrement, by the factor of H or, if columns are nearly dependent, by an orthogonal factor. */
static int find_step(struct newton *n) {
    if (n->face.least < NEWTON_DEPENDENCE && qr_step(n)) {
        return 1;
    }
    if (n->state->stop.stopped) {
        return 0;
    }
    n->decrement = face_step(n, n->gradient, n->d);
    return 1;
}

static struct parabola smooth_line(const struct newton *n) {
    const struct fit_state *s = n->state;
    struct parabola f = {fit_smooth_value(s), vector_dot(s->size, n->smooth, n->d), 0};

    for (int64_t j = 0; j < s->size; j++) {
        f.quadratic += n->normal.diagonal[j] * n->d[j] * n->d[j];
        for (int64_t i = 0; s->problem->f.term != NULL && i < s->size; i++) {
            f.quadratic += (n->normal.Q[i + j * s->size] - (i == j ? n->normal.diagonal[j] : 0)) * n->d[i] * n->d[j];
        }
    }
    return f;
}

/* F did not decrease enough at x + alpha d: go back to the minimum along the line. Returns 0 if F decreases nowhere on
 * it. */
static int search_line(struct newton *n, double alpha) {
    struct fit_state *s = n->state;
    double back = alpha, reach = alpha;

    s->spent += (double)n->rows * ((double)s->size + LINE_USUAL * row_work(s->problem));
    vector_axpy(s->size, -alpha, n->d, s->x);
    newton_measure(n);
    memset(n->image, 0, (size_t)n->rows * sizeof *n->image);
    linop_add_columns(s->problem->A, s->size, s->columns, n->d, n->image);
    for (int tries = 0; tries < LINE_TRIES;
         tries++, reach /= LINE_NEARER) { /* the bracket shrinks slowly from its far end */
        back = reach;
        line_minimise(&s->problem->h, s->residual, n->image, smooth_line(n), 0, reach, LINE_STEPS, INFINITY, &back);
        if (back > 0) {
            break;
        }
    }
    vector_axpy(s->size, back, n->d, s->x);
    bounds_clip(s);
    newton_measure(n);
    return back > 0;
}

void newton_advance(struct newton *n, double alpha, int64_t meets) {
    struct fit_state *s = n->state;

    vector_axpy(s->size, alpha, n->d, s->x);
    if (meets >= 0) {
        s->x[meets] = n->d[meets] < 0 ? newton_lower(s, meets) : newton_upper(s, meets);
    }
    bounds_clip(s);
    newton_measure(n);
    s->steps++;
}

enum step { WHOLE, CUT, LOST, HELD };

/* Whether x is so far out that rounding of A x dominates F, which was `before`. Along columns that together separate
 * one label no curvature is left, and H is rounding, too. */
static int is_drowned(struct newton *n, double before) {
    const struct fit_state *s = n->state;
    double *square = n->weighted + n->rows, size = 0;

    if (islessequal(vector_norm_inf(s->size, s->x), NEWTON_FAR_OUT)) {
        return 0;
    }
    for (int64_t i = 0; i < n->rows; i++) {
        n->weighted[i] = 1;
    }
    linop_weighted_squares(s->problem->A, s->size, s->columns, n->weighted, square);
    for (int64_t i = 0; i < s->size; i++) {
        size += sqrt(square[i]) * fabs(s->x[i]);
    }
    return !islessequal(DBL_EPSILON * sqrt(problem_rows(s->problem)) * size,
                        NEWTON_DROWNED * fmax(before, s->zero_objective));
}

/* Take the step as far as possible. The result: all of it was taken, and F decreased as predicted; it was cut short by
 * a line search, or to nothing; or it met a bound, which is now held. */
static enum step take_step(struct newton *n) {
    struct fit_state *s = n->state;
    int is_quadratic = n->rho > 0 || s->problem->h.kind->is_quadratic;
    double before = newton_merit(n), trusted = NEWTON_TRUSTED * newton_size(s), after;
    int64_t meets;
    double alpha = bounds_room(n, 1, &meets);

    vector_copy(s->size, s->x, n->face.rhs);
    newton_advance(n, alpha, meets);
    if (!is_quadratic && is_drowned(n, before)) {
        vector_copy(s->size, n->face.rhs, s->x);
        alpha = fmin(alpha, NEWTON_FAR_OUT / vector_norm_inf(s->size, n->d));
        meets = -1;
        newton_advance(n, alpha, meets);
    }
    after = newton_merit(n);
    if (!is_quadratic && !islessequal(after, before - NEWTON_SUFFICIENT * alpha * n->decrement) &&
        /* this is not the rounding of a small step */
        (n->decrement > trusted || !islessequal(after, before + trusted))) {
        return search_line(n, alpha) ? CUT : LOST;
    }
    if (meets >= 0) {
        bounds_meet(n, meets);
        return HELD;
    }
    return WHOLE;
}

/* Whether resting columns have a gradient, which H at its weights does not show. */
static int is_blind(const struct newton *n) {
    const struct fit_state *s = n->state;

    for (int64_t i = 0; i < s->size; i++) {
        double whole = normal_entry(n, i, i);

        if (n->face.state[i] == RESTS && n->gradient[i] != 0 &&
            (!(whole > 0) || n->gradient[i] * (n->gradient[i] / whole) > NEWTON_BLIND * newton_size(s))) {
            return 1;
        }
    }
    return 0;
}

/* The best point so far, and how many steps made no progress. */
struct progress {
    double best, *x;
    int idle;
};

static void note_progress(struct newton *n, struct progress *progress) {
    double now = newton_merit(n);

    if (isless(now, progress->best)) {
        progress->idle = now < progress->best - NEWTON_ENOUGH * newton_size(n->state) ? 0 : progress->idle + 1;
        progress->best = now;
        vector_copy(n->state->size, n->state->x, progress->x);
    } else {
        progress->idle++;
    }
}

/* The expected number of steps left at the rate of the last one. */
static double steps_left(const struct newton *n, double last) {
    return log(n->decrement / (NEWTON_ENOUGH * newton_size(n->state))) / log(last / n->decrement);
}

/* The last step and its decrement. */
struct last {
    enum step step;
    double decrement; /* INFINITY: of another face, or no step yet */
};

/* Whether the current step, by an H of other points, is too weak to be worth taking. */
static int is_stale(const struct newton *n, const struct last *last) {
    if (n->rho > 0 || n->state->problem->h.kind->is_quadratic) {
        return 0;
    }
    if (last->step == LOST) {
        return !n->is_far;
    }
    if (n->age == 0) {
        return 0;
    }
    return last->step == CUT || n->decrement > NEWTON_SLOW * last->decrement ||
           (isfinite(last->decrement) &&
            steps_left(n, last->decrement) > NEWTON_QUICK + (double)n->state->size / NEWTON_DEAR) ||
           is_blind(n);
}

/* Whether the first step, by the H of another fit, predicts a decrease far beyond F, although h and the ridge are at
 * least 0. H then has only the curvature of rows beyond a break (separable labels), and the step would go so far that A
 * x has no accurate digits. */
static int is_wild(const struct newton *n) {
    const struct fit_state *s = n->state;

    return s->problem->h.kind->has_breaks && s->problem->f.linear == NULL && n->age > 0 &&
           NEWTON_NEARLY_FLAT * n->decrement > NEWTON_WILD * newton_size(s);
}

/* Release a bound before the minimum of the face is found, if slow steps would find it late or never: where labels are
 * separable every step on a face may gain less than the last one, and another face is far lower. */
static int lets_go(struct newton *n, const struct last *last) {
    return newton_has_bounds(n->state) && n->decrement > NEWTON_SLOW * last->decrement &&
           bounds_release(n, NEWTON_DWARFED * n->decrement);
}

/* Returns zero if stopped. */
static int renew(struct newton *n, int is_far) {
    return form_anew(n, is_far) && find_step(n);
}

static int is_small(const struct newton *n, double gap) {
    return islessequal(n->decrement / 2, fmax(gap / 4, NEWTON_ENOUGH) * newton_size(n->state));
}

/* The resting column with the steepest slope; -1: no slope is nonzero. */
static int64_t steepest_resting(const struct newton *n) {
    const struct fit_state *s = n->state;
    int64_t worst = -1;

    for (int64_t i = 0; newton_has_bounds(s) && i < s->size; i++) {
        if (n->face.state[i] == RESTS && n->gradient[i] != 0 &&
            (worst < 0 || fabs(n->gradient[i]) > fabs(n->gradient[worst]))) {
            worst = i;
        }
    }
    return worst;
}

/* At the minimum of a face, F is linear along a resting column if the moving ones give way. Move along it to a bound;
 * without a bound either F has no minimum, or the slope is rounding. Returns 0 if there is nothing to gain. */
static int slide(struct newton *n) {
    struct fit_state *s = n->state;
    int is_quadratic = n->rho > 0 || s->problem->h.kind->is_quadratic;
    int64_t i = steepest_resting(n), meets;
    double before = newton_merit(n), alpha;

    if (i < 0) {
        return 0;
    }
    face_give_way(n, i, n->d);
    vector_scale(s->size, n->gradient[i] > 0 ? -1 : 1, n->d);
    alpha = bounds_room(n, INFINITY, &meets);
    if (meets < 0 || !isgreater(-alpha * vector_dot(s->size, n->gradient, n->d), NEWTON_ENOUGH * newton_size(s))) {
        return 0;
    }
    newton_advance(n, alpha, meets);
    if (!is_quadratic && !isless(newton_merit(n), before)) {
        return search_line(n, alpha);
    }
    bounds_meet(n, meets);
    return isless(newton_merit(n), before);
}

/* 1: this is the minimum; 0: a bound was released, or H was formed anew to make sure; -1: stopped, or there is no
 * minimum. */
static int conclude(struct newton *n) {
    if (n->is_far && n->rho == 0 && !n->state->problem->h.kind->is_quadratic) {
        return form_anew(n, 0) ? 0 : -1;
    }
    if (bounds_release(n, 0) || slide(n)) {
        return 0;
    }
    return !ray_follow(n) ? 1 : n->is_endless ? -1 : 0;
}

/* F is flat at its minimum: when it is exact to the last digit, only half the digits of x are. A few more steps compute
 * the rest. */
static void sharpen(struct newton *n) {
    struct fit_state *s = n->state;
    double decrement = n->decrement;
    int64_t meets;

    for (int step = 0; step < SHARPENING && find_step(n) && n->decrement > NEWTON_SHARP * newton_size(s); step++) {
        double before = newton_merit(n);

        if (bounds_room(n, 1, &meets) < 1) {
            break;
        }
        vector_copy(s->size, s->x, n->best);
        newton_advance(n, 1, -1);
        if (!islessequal(newton_merit(n), before + NEWTON_ENOUGH * newton_size(s))) {
            vector_copy(s->size, n->best, s->x);
            newton_measure(n);
            break;
        }
    }
    n->decrement = decrement;
}

/* F is zero up to rounding, and h is flat beyond a break (separable labels): move x a little further, beyond the
 * breaks. */
static void pass_breaks(struct newton *n) {
    struct fit_state *s = n->state;
    const struct loss_kind *kind = s->problem->h.kind;
    double before = newton_merit(n);

    if (!kind->has_breaks || newton_has_bounds(s) || !(before > 0 && before <= kind->perfect * s->zero_objective)) {
        return;
    }
    vector_copy(s->size, s->x, n->best);
    vector_scale(s->size, 1 + NEWTON_BEYOND, s->x);
    newton_measure(n);
    if (!isless(newton_merit(n), before)) {
        vector_copy(s->size, n->best, s->x);
        newton_measure(n);
    }
}

enum fit_outcome newton_minimise(struct newton *n, double gap) {
    struct fit_state *s = n->state;
    struct progress progress = {INFINITY, n->best, 0};
    struct last last = {WHOLE, INFINITY};
    int64_t most = MOST_STEPS + (newton_has_bounds(s) ? BOUND_STEPS * s->size : 0);
    int verdict = 0;

    note_progress(n, &progress);
    for (int64_t step = 0; step < most && progress.idle < IDLE && verdict == 0 && find_step(n); step++) {
        if (stop_ask(&s->stop) || s->objective < s->enough) {
            break;
        }
        if (newton_is_hopeless(n)) {
            return FIT_CUTOFF;
        }
        if (step == 0 && is_wild(n)
                ? !renew(n, 0)
                : is_stale(n, &last) && !renew(n, last.step == LOST || (last.step == CUT && n->is_far))) {
            break;
        }
        if (is_small(n, gap)) {
            verdict = conclude(n);
            last = (struct last){WHOLE, INFINITY};
            continue;
        }
        if (lets_go(n, &last)) {
            last = (struct last){WHOLE, INFINITY};
            continue;
        }
        last.decrement = n->decrement;
        last.step = take_step(n);
        last.decrement = last.step == HELD ? (double)INFINITY : last.decrement;
        n->age++;
        note_progress(n, &progress);
        progress.idle = last.step == HELD ? 0 : progress.idle; /* meeting a bound is progress */
    }
    if (isless(progress.best, newton_merit(n))) {
        vector_copy(s->size, progress.x, s->x);
        newton_measure(n);
    }
    if (verdict == 0 && progress.idle >= IDLE && is_small(n, NEWTON_IDLE_GAP)) {
        verdict = !ray_follow(n);
    }
    if (verdict > 0 && gap == 0 && n->rho == 0 && !s->problem->h.kind->is_quadratic) {
        sharpen(n);
        pass_breaks(n);
    }
    return verdict > 0 ? FIT_OPTIMAL : FIT_INEXACT;
}

/* From state->x, or from 0 if that is better: of two nearly dependent columns with large coefficients one may have
 * left. H starts with the weights of the last fit, if there was one. */
static enum fit_outcome smooth_minimise(struct newton *n, double gap) {
    struct fit_state *s = n->state;
    int has_weights = n->has_weights;

    newton_measure(n);
    if (!islessequal(s->objective, s->zero_objective)) {
        memset(s->x, 0, (size_t)s->size * sizeof *s->x);
        bounds_enter(n);
        newton_measure(n);
        has_weights = 0;
    }
    n->has_weights = newton_begin(n, has_weights);
    return n->has_weights ? newton_minimise(n, gap) : FIT_INEXACT;
}

/* ---- the engine ------------------------------------------------------------------------------------------------ */

static int newton_applies(const struct problem *problem) {
    return problem->h.kind->engine == LOSS_BY_CURVATURE || problem->h.kind->engine == LOSS_BY_LENGTH;
}

static size_t newton_bytes(const struct problem *problem, int64_t capacity) {
    double k = (double)capacity, m = (double)problem->A->rows;

    return (size_t)(sizeof(double) * ((problem->f.term == NULL ? 4 : 5) * k * k + 16 * k + 4 * m));
}

static void newton_destroy(void *engine) {
    struct newton *n = engine;

    if (n != NULL) {
        memory_free(n->late_basis);
        gram_plan_free(&n->normal.plan);
        workspace_free(&n->workspace);
        memory_free(n);
    }
}

static void take_arrays(struct newton *n) {
    struct workspace *w = &n->workspace;
    int64_t k = n->state->capacity, square = k <= INT32_MAX ? k * k : -1;

    n->normal.product = workspace_doubles(w, square);
    n->normal.block = workspace_doubles(w, square);
    n->normal.Q = n->state->problem->f.term == NULL ? NULL : workspace_doubles(w, square);
    n->normal.W = workspace_doubles(w, n->rows);
    n->normal.diagonal = workspace_doubles(w, k);
    n->normal.column = workspace_integers(w, k);
    n->normal.plan.columns = workspace_integers(w, k);
    n->face.R = workspace_doubles(w, square);
    n->face.order = workspace_integers(w, k);
    n->face.state = workspace_array(w, k, 1);
    n->face.rhs = workspace_doubles(w, k);
    n->curvature = workspace_doubles(w, n->rows);
    n->image = workspace_doubles(w, n->rows);
    n->gradient = workspace_doubles(w, k);
    n->smooth = workspace_doubles(w, k);
    n->d = workspace_doubles(w, k);
    n->best = workspace_doubles(w, k);
    n->basis = qr_is_large(n) ? NULL : workspace_doubles(w, (n->rows + k) * k);
    n->weighted = workspace_doubles(w, n->rows + 3 * k);
}

static void *newton_create(struct fit_state *state) {
    struct newton *n = memory_array(1, sizeof *n);

    if (n == NULL) {
        return NULL;
    }
    n->workspace.memory = state->problem->A->memory;
    n->state = state;
    n->rows = state->problem->A->rows;
    n->normal.c = 1;
    n->normal.is_plain = 1;
    take_arrays(n);
    if (n->workspace.failed) {
        newton_destroy(n);
        return NULL;
    }
    for (int64_t i = 0; i < state->capacity; i++) {
        n->normal.column[i] = -1;
    }
    return n;
}

/* Warm: one row of H and a few passes over the columns. Cold: the Gram matrix, several times if the weights change. */
static double newton_work(const struct problem *problem, int64_t size, int is_warm) {
    double m = (double)problem->A->rows, k = (double)size;
    double forms = problem->h.kind->is_quadratic ? 1 : 5;

    return is_warm ? m * k * (problem->h.kind->is_quadratic ? 5 : 20) + k * k * k / 6
                   : forms * (m * k * k / 2 + k * k * k / 6) + 10 * m * k;
}

static enum fit_outcome newton_solve(void *engine, double gap, double cutoff) {
    struct newton *n = engine;
    struct fit_state *s = n->state;
    enum fit_outcome outcome;

    n->cutoff = s->problem->h.kind->engine == LOSS_BY_LENGTH || (s->low == NULL && gap > 0) ? INFINITY : cutoff;
    n->is_endless = 0;
    bounds_enter(n);
    outcome = s->problem->h.kind->engine == LOSS_BY_LENGTH ? length_minimise(n, gap) : smooth_minimise(n, gap);
    if (outcome == FIT_CUTOFF) {
        s->objective = INFINITY; /* not known */
        s->active.count = 0;
        return FIT_CUTOFF;
    }
    if (s->stop.stopped && !islessequal(s->objective, s->zero_objective)) {
        memset(s->x, 0, (size_t)s->size * sizeof *s->x);
        s->objective = fit_value(s, s->x, s->residual);
        s->problem->h.ops->subgradient(&s->problem->h, s->residual, s->dual);
    }
    /* twice the predicted decrease */
    s->bound = s->stop.stopped || n->is_endless ? -INFINITY : s->objective - n->decrement;
    s->active.count = 0;
    return s->stop.stopped ? FIT_INEXACT : outcome;
}

const struct fit_engine fit_newton = {
    .name = "newton",
    .refuses = 1,
    .applies = newton_applies,
    .bytes = newton_bytes,
    .create = newton_create,
    .destroy = newton_destroy,
    .work = newton_work,
    .solve = newton_solve,
};
