/*
 * The fits of a node: its leaves, their warm starts, and groups of columns that are refused together.
 */
#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "search/exact/internal.h"

double cutoff_of(const struct tree *tree, double upper) {
    return upper - fmax(tree->limits.gap * fabs(upper), tree->problem->h.kind->perfect * tree->zero);
}

int64_t leaf_capacity(const struct tree *tree) {
    int64_t group = cores_apply(tree) ? tree->count : pairs_apply(tree) ? PAIR_GROUP - 1 : 0;

    return run_capacity(tree->run) + group;
}

void leaf_plan(struct slot *slot, const struct problem *problem, int64_t size) {
    double work = fit_work(problem, size, 1);

    slot->work += work;
    slot->planned += work;
}

double leaf_spent(const struct slot *slot) {
    return fit_spent(slot->fits.leaf) + (slot->fits.all == NULL ? 0 : fit_spent(slot->fits.all)) +
           (slot->fits.whole == NULL ? 0 : fit_spent(slot->fits.whole));
}

/* A fit with a cutoff; with NAN a cold start. */
static enum fit_outcome fit_with(struct slot *slot, struct fit *fit, int64_t size, const int64_t *support,
                                 double cutoff) {
    const struct tree *tree = slot->tree;
    enum fit_outcome outcome;

    fit_set_support(fit, size, support);
    fit_gather(fit, slot->fits.x);
    fit_set_reach(fit, tree->has_boxes && fit == slot->fits.leaf ? slot->now.low : NULL, slot->now.high);
    outcome = isnan(cutoff) ? fit_cold(fit) : fit_warm(fit, cutoff);
    leaf_plan(slot, fit == slot->fits.all ? tree->whole : tree->problem, size);
    slot->error_code = fit_error(fit, NULL);
    if (slot->error_code == SPGM_OK) {
        fit_scatter(fit, slot->fits.x);
    }
    return outcome;
}

/* Make a better fit the slot's incumbent, if it is on all rows. */
static void keep_better(struct slot *slot, const struct fit *fit, enum fit_outcome outcome) {
    int has_all_rows = fit != slot->fits.leaf || slot->tree->whole == NULL;

    if (has_all_rows && outcome != FIT_CUTOFF && isless(fit_objective(fit), slot->upper)) {
        slot->upper = fit_objective(fit);
        slot->cutoff = cutoff_of(slot->tree, slot->upper);
        slot->has_better = 1;
        fit_scatter(fit, slot->best_x);
    }
}

/* The bound of the dual vector of the last fit for its support, within the boxes of the node. */
static double bound_of_leaf(struct slot *slot, int64_t size, const int64_t *support) {
    if (!slot->tree->has_boxes) {
        return -INFINITY;
    }
    vector_copy(slot->tree->m, fit_dual(slot->fits.leaf), slot->dual.alpha);
    for (int64_t i = 0; i < size; i++) {
        slot->split.x[support[i]] = fit_x(slot->fits.leaf)[i];
    }
    return dual_support(slot, size, support);
}

/* Whether a leaf with this bound would lower the bound of the tree. Not if an unproven leaf has a lower one already. */
static int has_say(const struct slot *slot, double bound) {
    return bound < slot->cutoff && fmax(bound, slot->now.bound) < fmin(slot->unproven, slot->tree->unproven);
}

/* Fit a support and keep a better incumbent; returns a proven bound over the support. cutoff as in fit_with; INFINITY:
 * the bound does not matter. If the tree has fewer rows and these do not refuse the support, it is fitted on all rows.
 */
static double fit_until(struct slot *slot, int64_t size, const int64_t *support, double cutoff) {
    struct fit *fit = slot->fits.leaf;
    double bound = -INFINITY;
    enum fit_outcome outcome;

    if (slot->fits.all == NULL || !isnan(cutoff)) {
        outcome = fit_with(slot, fit, size, support, cutoff);
        if (slot->error_code != SPGM_OK) {
            return -INFINITY;
        }
        keep_better(slot, fit, outcome);
        bound = bound_of_leaf(slot, size, support);
        if (slot->fits.all != NULL && (outcome == FIT_CUTOFF || fit_objective(fit) >= slot->upper) &&
            (bound >= slot->cutoff || !isfinite(cutoff))) {
            return bound;
        }
    }
    if (slot->fits.all != NULL) {
        fit = slot->fits.all;
        outcome = fit_with(slot, fit, size, support, cutoff);
        if (slot->error_code != SPGM_OK) {
            return -INFINITY;
        }
        keep_better(slot, fit, outcome);
    }
    if (isinf(cutoff) || slot->ledger != NULL || !has_say(slot, bound)) {
        return bound;
    }
    return fmax(bound, fit_bound_until(fit, slot->cutoff));
}

void slot_try(struct slot *slot, int64_t size, const int64_t *support) {
    struct fit *fits[] = {slot->fits.leaf, slot->fits.all};
    int is_better = 1;

    for (int i = 0; i < 2 && fits[i] != NULL && is_better; i++) {
        enum fit_outcome outcome = fit_with(slot, fits[i], size, support, slot->upper);

        is_better = slot->error_code == SPGM_OK && outcome != FIT_CUTOFF && fit_objective(fits[i]) < slot->upper;
        if (is_better) {
            keep_better(slot, fits[i], outcome);
        }
    }
}

/* List the columns that are in, followed by those of the unit, so that consecutive fits load only the latter. */
static int64_t support_with(struct slot *slot, int64_t unit) {
    const struct feasible *set = &slot->tree->problem->set;
    int64_t size = 0;

    for (int64_t i = 0; i < slot->tree->count; i++) {
        int64_t j = slot->tree->columns[i];

        if (slot->now.state[j] == COLUMN_IN) {
            slot->fits.support[size++] = j;
        }
    }
    for (int64_t k = unit < 0 ? 0 : set->unit_start[unit]; unit >= 0 && k < set->unit_start[unit + 1]; k++) {
        if (slot->tree->place[set->unit_columns[k]] >= 0) {
            slot->fits.support[size++] = set->unit_columns[k];
        }
    }
    return size;
}

/* Fit a leaf with these columns; `column` identifies it in a certificate. */
static void fit_leaf_of(struct slot *slot, int64_t size, int64_t column) {
    double bound = fit_until(slot, size, slot->fits.support, slot->upper), first = bound;

    if (!slot->is_stopped && has_say(slot, bound)) { /* not refused: perhaps because of rounding, which a cold start
                                                        may avoid */
        vector_copy(slot->tree->m, slot->dual.alpha, slot->dual.first_alpha);
        bound = fmax(first, fit_until(slot, size, slot->fits.support, NAN));
        if (bound == first && slot->ledger != NULL) { /* a certificate must have the vector that proves the bound */
            vector_copy(slot->tree->m, slot->dual.first_alpha, slot->dual.alpha);
        }
    }
    dual_record(slot, column);
    if (!slot->is_stopped && bound < slot->cutoff) {
        slot->unproven = fmin(slot->unproven, fmax(bound, slot->now.bound));
    }
}

static void fit_leaf(struct slot *slot, int64_t unit) {
    fit_leaf_of(slot, support_with(slot, unit), unit < 0 ? -1 : node_unit_column(slot, unit));
}

void slot_fit_stem(struct slot *slot) {
    if (!slot->fits.has_stem) {
        fit_until(slot, support_with(slot, -1), slot->fits.support, INFINITY);
        vector_copy(slot->tree->n, slot->fits.x, slot->fits.stem_x);
        fit_get_active(slot->fits.leaf, &slot->fits.stem_active);
        slot->fits.has_stem = 1;
    }
}

/* Begin the next fit at the stem, if there is one. */
static void begin_at_stem(struct slot *slot) {
    if (slot->fits.has_stem) {
        vector_copy(slot->tree->n, slot->fits.stem_x, slot->fits.x);
        fit_set_active(slot->fits.leaf, &slot->fits.stem_active);
    }
}

void slot_fit_branch(struct slot *slot, int64_t column) {
    int64_t size = support_with(slot, -1);

    slot->fits.support[size] = column;
    begin_at_stem(slot);
    fit_until(slot, size + 1, slot->fits.support, INFINITY);
    vector_copy(slot->tree->n, slot->fits.x, slot->fits.branch_x);
    fit_get_active(slot->fits.leaf, &slot->fits.branch_active);
}

void slot_fit_pair(struct slot *slot, int64_t first, int64_t second) {
    int64_t size = support_with(slot, -1);

    slot->fits.support[size] = first;
    slot->fits.support[size + 1] = second;
    vector_copy(slot->tree->n, slot->fits.branch_x, slot->fits.x);
    fit_set_active(slot->fits.leaf, &slot->fits.branch_active);
    fit_leaf_of(slot, size + 2, -1);
}

/* Fit slot->fits.support, which may be larger than s. Returns whether F over it is proven not to be below the cutoff.
 * Without boxes the proof is made only if it could matter for the bound of the tree. */
int slot_refuses(struct slot *slot, int64_t size) {
    enum fit_outcome outcome = fit_with(slot, slot->fits.leaf, size, slot->fits.support, slot->upper);

    if (slot->tree->has_boxes) {
        return slot->error_code == SPGM_OK && bound_of_leaf(slot, size, slot->fits.support) >= slot->cutoff;
    }
    if (slot->error_code != SPGM_OK || slot->is_stopped || outcome == FIT_INEXACT ||
        (outcome != FIT_CUTOFF && !(fit_objective(slot->fits.leaf) >= slot->upper))) {
        return 0;
    }
    return !has_say(slot, -INFINITY) || fit_bound_until(slot->fits.leaf, slot->cutoff) >= slot->cutoff;
}

int slot_refuses_group(struct slot *slot, int64_t first, int64_t count, const int64_t *others) {
    int64_t size = support_with(slot, -1);

    slot->fits.support[size++] = first;
    for (int64_t i = 0; i < count; i++) {
        slot->fits.support[size++] = others[i];
    }
    vector_copy(slot->tree->n, slot->fits.branch_x, slot->fits.x);
    fit_set_active(slot->fits.leaf, &slot->fits.branch_active);
    return slot_refuses(slot, size);
}

/* Whether all open columns may be in together. */
static int is_all_allowed(struct slot *slot) {
    return feasible_allows(&slot->tree->problem->set, slot->tree->s, slot->active_count, slot->active,
                           &slot->dual.feasible);
}

/* Whether F over the columns that are in and these units together reaches the cutoff. */
static int refuses_units(struct slot *slot, int64_t count, const int64_t *units) {
    int64_t size = support_with(slot, -1);

    for (int64_t i = 0; i < count; i++) {
        slot->fits.support[size++] = node_unit_column(slot, units[i]);
    }
    begin_at_stem(slot);
    return slot_refuses(slot, size);
}

/* Close the leaves of a node with one unit left. Where there are no half-planes to refuse them by (pairs.c), they are
 * fitted in groups, because a larger subset never has a higher minimum. */
static void close_leaves(struct slot *slot, int64_t open) {
    int64_t most = !slot->tree->has_boxes && pairs_apply(slot->tree) ? PAIR_GROUP : 1, group = most, count;

    for (int64_t i = 0; i < open && !slot_is_late(slot) && slot->error_code == SPGM_OK; i += count) {
        count = group < open - i ? group : open - i;
        if (count > 1 && !refuses_units(slot, count, slot->units + i)) {
            count = group = 1;
        }
        if (count == 1) {
            if (open > 1) {
                begin_at_stem(slot);
            }
            fit_leaf(slot, slot->units[i]);
        }
        group = group < most ? group + 1 : most;
    }
}

int leaf_close(struct slot *slot, int64_t most) {
    int64_t left = slot->tree->s - node_units_in(slot), open = slot_list_units(slot);

    if (left <= 0 || open == 0) {
        fit_leaf(slot, -1);
        return 1;
    }
    if (is_all_allowed(slot)) {
        for (int64_t i = 0; i < open; i++) {
            node_set_unit(slot, &slot->now, slot->units[i], COLUMN_IN);
        }
        fit_leaf(slot, -1);
        return 1;
    }
    if (left > 1 || open > most) {
        return 0;
    }
    if (open > 1) {
        slot_fit_stem(slot);
    }
    close_leaves(slot, open);
    return 1;
}
