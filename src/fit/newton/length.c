/*
 * h(r) = ||r||_2 by one equation in one unknown.
 *
 * ||r|| = min over rho > 0 of (||r||^2 / rho + rho) / 2, and for given rho the minimiser in x is that of a weighted
 * least-squares problem, H = A_S'A_S / rho + Q, whose products are kept from one rho to the next. Every rho gives a
 * stationary pair with u = r / rho, feasible for the dual as soon as ||u|| <= 1, with the gap ||r|| (1 - ||u||). ||u||
 * falls as rho rises; the optimum is ||u|| = 1, or rho -> 0 where the optimal residual is zero. The root of log ||u||
 * in log rho is found by Newton's method between brackets.
 */
#include <math.h>
#include <string.h>

#include "fit/constants.h"
#include "fit/newton/internal.h"
#include "linalg/vector.h"

static double length_of(const struct newton *n) {
    const struct loss *h = &n->state->problem->h;

    return h->ops->value(h, n->state->residual);
}

/* d log ||r|| / d log rho = rho grad f' H^-1 grad f / ||r||^2, in [0, 1] */
static double slope(struct newton *n, double length) {
    double decrement = face_step(n, n->smooth, n->d);

    return fmin(fmax(n->rho / length * (decrement / length), 0), 1);
}

static double next_rho(struct newton *n, double length, double *low, double *high) {
    double rho = n->rho, excess = log(length / rho);
    double next = rho * fmax(exp(excess / fmax(1 - slope(n, length), 1 / LENGTH_STEP)), 1 / LENGTH_STEP);

    *low = excess > 0 ? rho : *low;
    *high = excess > 0 ? *high : rho;
    if (isgreater(next, *low) && isless(next, *high)) {
        return next;
    }
    return *low == 0 ? *high / LENGTH_STEP : isinf(*high) ? LENGTH_STEP * *low : sqrt(*low) * sqrt(*high);
}

/* Without curvature or slope of f the minimiser is the least-squares solution for every rho. */
static int is_plain(const struct newton *n) {
    const struct smooth *f = &n->state->problem->f;

    for (int64_t i = 0; i < n->state->size; i++) {
        if (f->ridge[n->state->columns[i]] != 0) {
            return 0;
        }
    }
    return f->term == NULL && f->linear == NULL;
}

/* u = r / ||r||; where the residual vanishes, u of the last rho, if that is meaningful. */
static void set_dual(struct newton *n, double length, int once) {
    struct fit_state *s = n->state;
    double divisor = once ? length : fmax(length, n->rho);

    for (int64_t i = 0; i < n->rows; i++) {
        s->dual[i] = divisor > 0 ? s->residual[i] / divisor : 0;
    }
}

/* The largest |A_j'u + (grad f)_j| of a column that moves, for u = state->dual; leaves the gradient in place. */
static double defect(struct newton *n) {
    struct fit_state *s = n->state;
    double most = 0;

    linop_transpose_columns(s->problem->A, s->size, s->columns, s->dual, n->gradient);
    vector_axpy(s->size, 1, n->smooth, n->gradient);
    for (int64_t i = 0; i < n->face.count; i++) {
        most = fmax(most, fabs(n->gradient[n->face.order[i]]));
    }
    return most;
}

/*
 * Where the residual vanishes, r / rho has lost its digits. Recompute u from A'u + grad f = 0 over the columns that
 * move, with x fixed: d = -H^-1 (A'u + grad f), u += A d / rho, which leaves Q H^-1 of the defect. H is accurate if rho
 * is not too small.
 */
static void refine_dual(struct newton *n) {
    struct fit_state *s = n->state;
    double *before = n->curvature, was, norm;

    n->rho = LENGTH_VANISHED * s->zero_objective;
    n->normal.c = 1 / n->rho;
    vector_copy(n->rows, s->dual, before);
    if (!newton_begin(n, 1)) {
        return;
    }
    was = defect(n);
    for (int round = 0; round < LENGTH_ROUNDS; round++) {
        face_step(n, n->gradient, n->d);
        memset(n->image, 0, (size_t)n->rows * sizeof *n->image);
        linop_add_columns(s->problem->A, s->size, s->columns, n->d, n->image);
        vector_axpy(n->rows, 1 / n->rho, n->image, s->dual);
        if (!isless(defect(n), was)) {
            vector_copy(n->rows, before, s->dual);
            return;
        }
    }
    norm = s->problem->h.ops->value(&s->problem->h, s->dual);
    vector_scale(n->rows, 1 / fmax(norm, 1), s->dual);
}

enum fit_outcome length_minimise(struct newton *n, double gap) {
    struct fit_state *s = n->state;
    enum fit_outcome outcome = FIT_INEXACT;
    double low = 0, high = INFINITY, length;
    int once = is_plain(n);

    n->rho = 1;
    newton_measure(n);
    length = length_of(n);
    length =
        length > 0 ? fmax(length, LENGTH_VANISHED * s->zero_objective) : s->zero_objective; /* H must stay accurate */
    n->rho = once || !(length > 0) ? 1 : length;
    for (int root = 0; root < MOST_ROOTS && !s->stop.stopped && n->rho > 0; root++) {
        n->normal.c = 1 / n->rho;
        newton_measure(n);
        if (!newton_begin(n, n->has_weights)) {
            break;
        }
        n->has_weights = 1;
        outcome = newton_minimise(n, gap);
        length = length_of(n);
        if (n->is_endless || once || length == 0 || fabs(length - n->rho) <= LENGTH_ROOT * n->rho ||
            length <= FIT_PERFECT * s->zero_objective) {
            break;
        }
        n->rho = next_rho(n, length, &low, &high);
        outcome = FIT_INEXACT;
    }
    set_dual(n, length, once);
    if (!once && !s->stop.stopped && !n->is_endless && length <= LENGTH_VANISHED * s->zero_objective) {
        refine_dual(n);
    }
    n->rho = 0;
    return outcome;
}
