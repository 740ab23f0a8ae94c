/*
 * A dual vector for all columns from one factor of A'A, for runs of methods that take less time than a fit over all
 * columns.
 *
 * HOW IT WORKS: ADMM for min h(y) subject to y = A x - b over all columns that may be in, from the residual and the
 * dual vector of the incumbent. Every iterate u = rho w is in dom h*. It is projected so that A'u = 0 and then scaled
 * towards 0, which is in dom h*, until it is inside again. Its dual value is a bound up to rounding, which the
 * certificate of the fit takes care of.
 */
#include <math.h>
#include <string.h>

#include "base/stop.h"
#include "linalg/dense.h"
#include "linalg/vector.h"
#include "search/exact/internal.h"

struct all {
    struct slot *slot;
    const struct problem *problem;
    int64_t m, k, *columns;
    double *H;          /* the inverse of A'A + ridge / rho [k x k] */
    double *x, *slopes; /* [k] */
    double *y, *w, *c;  /* [m] */
    double *best;       /* the dual vector with the dual value `value` [m] */
    double value;
};

/* out = A H^-1 A'v; v is not changed. */
static void project(struct all *a, const double *v, double *out) {
    linop_transpose_columns(a->problem->A, a->k, a->columns, v, a->slopes);
    dense_dot_columns(a->k, a->k, a->H, a->k, a->slopes, a->x);
    memset(out, 0, (size_t)a->m * sizeof *out);
    linop_add_columns(a->problem->A, a->k, a->columns, a->x, out);
}

static void iterate(struct all *a) {
    const struct problem *p = a->problem;
    double rho = a->slot->tree->rho;

    for (int64_t i = 0; i < a->m; i++) {
        a->w[i] -= a->y[i] + p->b[i];
    }
    vector_scale(a->m, -1, a->w); /* y + b - w, the target of A x */
    project(a, a->w, a->c);
    for (int64_t i = 0; i < a->m; i++) {
        double w = a->y[i] + p->b[i] - a->w[i];

        a->c[i] = RELAXED * (a->c[i] - p->b[i]) + (1 - RELAXED) * a->y[i] + w;
    }
    p->h.ops->prox(&p->h, 1 / rho, a->c, a->y);
    for (int64_t i = 0; i < a->m; i++) {
        a->w[i] = a->c[i] - a->y[i];
    }
}

/* The largest factor, about, by which u can be multiplied to be in dom h*, which contains 0. */
static double part_inside(const struct loss *h, int64_t m, const double *u, double *scratch) {
    double inside = 0, outside = 1;

    for (int step = 0; step < ALL_HALVES; step++) {
        double part = step == 0 ? 1 : (inside + outside) / 2;

        vector_copy(m, u, scratch);
        vector_scale(m, part, scratch);
        if (isfinite(h->ops->conjugate(h, scratch))) {
            inside = part;
        } else {
            outside = part;
        }
        if (inside == 1) {
            break;
        }
    }
    return inside;
}

/* The bound of w after projection and scaling. */
static void measure(struct all *a) {
    const struct loss *h = &a->problem->h;
    double *u = a->slot->dual.alpha, *scratch = a->slot->dual.room, value;

    project(a, a->w, u);
    for (int64_t i = 0; i < a->m; i++) {
        u[i] = a->slot->tree->rho * (a->w[i] - u[i]);
    }
    vector_scale(a->m, (1 - ALL_MARGIN) * part_inside(h, a->m, u, scratch), u);
    value = -vector_dot(a->m, a->problem->b, u) - h->ops->conjugate(h, u);
    if (value > a->value) {
        a->value = value;
        vector_copy(a->m, u, a->best);
    }
}

/* Returns 0 if A'A is singular or a stop was requested. */
static int factor(struct all *a, double *scratch) {
    const struct tree *tree = a->slot->tree;
    struct stop stop = {.must_stop = slot_is_late, .context = a->slot};

    if (!linop_gram_until(a->problem->A, a->k, a->columns, NULL, a->H, &stop)) {
        return 0;
    }
    for (int64_t i = 0; i < a->k; i++) {
        a->H[i + i * a->k] += tree->ridge[a->columns[i]] / tree->rho;
    }
    return dense_factor_until(a->k, a->H, a->k, &stop) && dense_invert_until(a->k, a->H, scratch, &stop);
}

static void run(struct all *a) {
    const struct fit *leaf = a->slot->fits.leaf;

    vector_copy(a->m, fit_residual(leaf), a->y);
    vector_copy(a->m, fit_dual(leaf), a->w);
    vector_scale(a->m, 1 / a->slot->tree->rho, a->w);
    for (int round = 1; round <= ALL_ROUNDS && !slot_is_late(a->slot); round++) {
        for (int i = 0; i < ITERATIONS; i++) {
            iterate(a);
        }
        measure(a);
        if (all_work(a->problem, a->k, round + 1) > a->slot->tree->limits.work) {
            break;
        }
    }
}

double all_work(const struct problem *p, int64_t k, int rounds) {
    double passes = (double)p->A->rows * (double)k, gram = passes * (double)k / 2 * GRAM_COST;

    return 3 * gram + (2 * rounds * (ITERATIONS + 1) + 40) * passes + (double)k * (double)k * (double)k * GRAM_COST;
}

/* Not for losses for labels: zero is on the boundary of dom h* there, a projected vector leaves dom h* on both sides,
 * and no multiple of it is inside. */
int all_applies(const struct problem *p) {
    return p->h.kind->target != LOSS_OF_TWO_LABELS && p->f.term == NULL && p->f.linear == NULL && p->lower == NULL;
}

double all_bound(struct slot *slot, struct fit *fit) {
    const struct tree *tree = slot->tree;
    struct workspace w = {.memory = tree->problem->A->memory};
    struct all a = {.slot = slot, .problem = tree->problem, .m = tree->m, .k = tree->count, .columns = tree->columns};
    double *scratch, bound = -INFINITY;

    a.value = -INFINITY;
    a.H = workspace_doubles(&w, a.k * a.k);
    scratch = workspace_doubles(&w, a.k * a.k);
    a.x = workspace_doubles(&w, a.k);
    a.slopes = workspace_doubles(&w, a.k);
    a.y = workspace_doubles(&w, a.m);
    a.w = workspace_doubles(&w, a.m);
    a.c = workspace_doubles(&w, a.m);
    a.best = workspace_doubles(&w, a.m);
    if (!w.failed && factor(&a, scratch)) {
        run(&a);
        if (a.value > 0) {
            fit_bring(fit, slot->best_x, a.best);
            bound = fit_bound_until(fit, a.value * (1 - ALL_NEAR));
        }
    }
    workspace_free(&w);
    return bound;
}
