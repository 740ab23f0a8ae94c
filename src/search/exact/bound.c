/* A lower bound without a tree, as good as the allowed work permits: that of the root, or of one or two dual vectors.
 */
#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "search/constants.h"
#include "search/enumerate.h"
#include "search/exact.h"
#include "search/exact/internal.h"

/* The number of columns that may be in and have neither ridge nor bounds, such as the intercept. */
static int64_t count_bare(const struct problem *p) {
    int64_t bare = 0;

    for (int64_t j = 0; j < p->A->columns; j++) {
        int is_boxed = p->f.ridge[j] > 0 ||
                       (p->lower != NULL && isfinite(p->lower[j]) && p->upper != NULL && isfinite(p->upper[j]));

        bare += !is_boxed && !(p->set.is_barred != NULL && p->set.is_barred[j]);
    }
    return bare;
}

/* The work of the fit over k columns with its proof. */
static double whole_work(const struct problem *p, int64_t k) {
    double passes = (double)p->A->rows * (double)k, gram = passes * (double)k / 2 * GRAM_COST;
    int steps = p->h.kind->is_quadratic ? 2 : p->h.ops->derivatives != NULL ? WHOLE_STEPS / 2 : WHOLE_STEPS;

    return steps * (gram + 10 * passes) + 4 * gram + 20 * passes;
}

/* Apply the dual vector of the fit over all columns, which tightens the boxes of a small ridge at once. */
spgm_error bound_apply_all(struct slot *slot, spgm_status *status) {
    const struct tree *tree = slot->tree;
    spgm_error error = slot_take_whole(slot, status);

    if (error != SPGM_OK) {
        return error;
    }
    fit_set_support(slot->fits.whole, tree->count, tree->columns);
    fit_gather(slot->fits.whole, slot->best_x);
    fit_rough(slot->fits.whole, QUICK_GAP, INFINITY);
    vector_copy(tree->m, fit_dual(slot->fits.whole), slot->dual.alpha);
    if (dual_measure(slot)) {
        slot->dual.best = fmax(slot->dual.best, dual_bound(slot));
    }
    return fit_error(slot->fits.whole, status);
}

/* The bound of slot->dual.alpha and of a multiple of it: the loss to the ridge falls with the square of the factor. */
static void apply_scaled(struct slot *slot) {
    for (int round = 0; round < 2; round++) {
        double D = dual_measure(slot) ? dual_bound(slot) : -(double)INFINITY;
        double part = slot->dual.base / (2 * (slot->dual.base - D));

        slot->dual.best = fmax(slot->dual.best, D);
        if (!isfinite(D) || !(slot->dual.base > 0) || part >= 1) {
            return;
        }
        vector_scale(slot->tree->m, part, slot->dual.alpha);
    }
}

/* The bound of the dual vector of the incumbent, or of the fit over all columns. */
spgm_error bound_quickly(struct tree *tree, struct slot *slot, spgm_status *status) {
    spgm_error error = SPGM_OK;

    dual_list(slot);
    if (count_bare(tree->problem) <= FEW_BARE) {
        error = boxes_init(tree, slot, status);
        vector_copy(tree->m, fit_dual(slot->fits.leaf), slot->dual.alpha); /* boxes_init used other vectors */
        if (error == SPGM_OK && tree->has_boxes) { /* without boxes a dual vector proves nothing */
            apply_scaled(slot);
            error = tree->limits.has_all ? bound_apply_all(slot, status) : SPGM_OK;
        }
    } else if (tree->count < tree->m) {
        error = slot_take_whole(slot, status);
        if (error == SPGM_OK) {
            fit_set_support(slot->fits.whole, tree->count, tree->columns);
            if (whole_work(tree->problem, tree->count) > tree->limits.work) {
                slot->dual.best = fmax(slot->dual.best, all_bound(slot, slot->fits.whole));
                return fit_error(slot->fits.whole, status);
            }
            fit_gather(slot->fits.whole, slot->best_x);
            fit_set_enough(slot->fits.whole, WHOLE_ENOUGH * tree->cutoff); /* separable labels: F has no minimum */
            fit_rough(slot->fits.whole, QUICK_GAP, INFINITY);
            error = fit_error(slot->fits.whole, status);
            if (!slot_says_nothing(slot)) {
                slot->dual.best = fmax(slot->dual.best, fit_bound(slot->fits.whole));
            }
        }
    }
    return error;
}

double exact_root_work(const struct run *run) {
    const struct problem *p = run->problem;
    double k = (double)(p->A->columns - p->set.barred_count), m = (double)p->A->rows, bare = (double)count_bare(p);

    if (p->A->is_implied || (bare > m && enumerate_count(run) > FITS_DO)) {
        return INFINITY;
    }
    return 16 * m * bare * bare + 2 * k * k * k + 10 * ROOT_ROUNDS * k * (2 * m + k);
}

/* The number of ADMM rounds at the root that the work allows, including what comes before them: up to ROOT_ROUNDS; 0:
 * none. */
static int rounds_within(const struct run *run, double work) {
    const struct problem *p = run->problem;
    double k = (double)(p->A->columns - p->set.barred_count), m = (double)p->A->rows, all = exact_root_work(run);
    double round = ITERATIONS * k * (2 * m + k), before = all - ROOT_ROUNDS * round + GRAM_COST * m * k * k / 2;
    double rounds = floor((work - before) / round);

    return all <= work ? ROOT_ROUNDS : rounds >= LEAST_ROUNDS ? (int)fmin(rounds, ROOT_ROUNDS) : 0;
}

/* Whether the fit over k columns gives a useful bound and has enough memory. */
static int is_whole_possible(const struct problem *p, int64_t k) {
    double m = (double)p->A->rows, bytes = (double)fit_bytes(p, k) + WHOLE_PROOF * m + ALL_BYTES(m, (double)k);

    return k < p->A->rows && bytes <= (p->A->is_mapped ? WHOLE_MAPPED : WHOLE_ROOM);
}

/* The work of bound_quickly; INFINITY: there is no bound. */
static double quick_work(const struct run *run) {
    const struct problem *p = run->problem;
    double m = (double)p->A->rows, bare = (double)count_bare(p);
    int64_t k = p->A->columns - p->set.barred_count;

    if (bare > FEW_BARE) {
        double least = all_applies(p) ? fmin(whole_work(p, k), all_work(p, k, 1)) : whole_work(p, k);

        return is_whole_possible(p, k) ? least : INFINITY;
    }
    return 4 * m * (double)k * (1 + bare) + fit_work(p, run_capacity(run), 0);
}

double exact_bound_work(const struct run *run, double passes, double iterations) {
    const struct linop *A = run->problem->A;
    int searches = strcmp(run->options->method, "auto") == 0; /* whose iterations are starts and fits, and passes */
    double rows = searches ? 0 : iterations * (double)A->rows;

    return fmax(passes * (double)A->nonzeros + BOUND_ROW * rows, BOUND_LEAST);
}

spgm_error exact_bound(struct run *run, double work, int *is_tried, spgm_status *status) {
    struct exact_limits limits = {.bytes = QUICK_BYTES, .keeps_x = 1};
    const struct problem *p = run->problem;
    int64_t k = p->A->columns - p->set.barred_count;
    spgm_outcome outcome = run->outcome;
    int is_done;
    spgm_error error;

    *is_tried = 0;
    if (p->A->reduce != NULL || p->A->is_implied || run->ledger != NULL || run->bound > -INFINITY) {
        return SPGM_OK;
    }
    work /= p->A->nonzeros <= CACHED ? CACHED_COST : 1;
    limits.work = work;
    if (count_bare(p) <= FEW_BARE && is_whole_possible(p, k) && whole_work(p, k) <= work) {
        limits.has_all = 1;
        work -= whole_work(p, k);
    }
    limits.rounds = rounds_within(run, work);
    limits.is_quick = limits.rounds == 0;
    if (limits.is_quick && quick_work(run) > work) {
        return SPGM_OK;
    }
    *is_tried = limits.is_quick && count_bare(p) > FEW_BARE ? BOUND_OF_ALL : 1;
    error = exact_tree(run, &limits, &is_done, status);
    run->outcome = run->outcome == SPGM_OPTIMAL ? SPGM_OPTIMAL : outcome;
    return error;
}
