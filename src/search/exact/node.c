/*
 * One node: its bound, what follows from it, and how it is branched on.
 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "linalg/vector.h"
#include "search/exact/internal.h"

/* ---- memory ------------------------------------------------------------------------------------------ */

/* The arrays of all nodes are stored one after the other. */
void node_take(const struct tree *tree, int64_t count, struct node *nodes, struct workspace *w) {
    struct node all = {.state = workspace_array(w, count * tree->n, sizeof *all.state),
                       .low = workspace_doubles(w, count * tree->n),
                       .high = workspace_doubles(w, count * tree->n),
                       .u = workspace_array(w, count * tree->m, sizeof *all.u),
                       .w = workspace_array(w, count * tree->n, sizeof *all.w),
                       .z = workspace_array(w, count * tree->n, sizeof *all.z)};

    for (int64_t i = 0; i < count && !w->failed; i++) {
        nodes[i].state = all.state + i * tree->n;
        nodes[i].low = all.low + i * tree->n;
        nodes[i].high = all.high + i * tree->n;
        nodes[i].u = all.u + i * tree->m;
        nodes[i].w = all.w + i * tree->n;
        nodes[i].z = all.z + i * tree->n;
    }
}

void node_copy(const struct tree *tree, const struct node *from, struct node *to) {
    struct node arrays = *to;
    size_t n = (size_t)tree->n, m = (size_t)tree->m;

    *to = *from;
    to->state = arrays.state;
    to->low = arrays.low;
    to->high = arrays.high;
    to->u = arrays.u;
    to->w = arrays.w;
    to->z = arrays.z;
    memcpy(to->state, from->state, n);
    memcpy(to->low, from->low, n * sizeof *to->low);
    memcpy(to->high, from->high, n * sizeof *to->high);
    memcpy(to->u, from->u, m * sizeof *to->u);
    memcpy(to->w, from->w, n * sizeof *to->w);
    memcpy(to->z, from->z, n * sizeof *to->z);
}

static void take_doubles(struct slot *slot) {
    struct workspace *w = &slot->workspace;
    int64_t m = slot->tree->m, n = slot->tree->n;
    double **over_rows[] = {&slot->split.u,   &slot->split.y,    &slot->split.c,         &slot->dual.alpha,
                            &slot->dual.room, &slot->dual.steep, &slot->dual.first_alpha};
    double **over_columns[] = {&slot->split.x,       &slot->split.z,      &slot->split.w,    &slot->dual.t,
                               &slot->split.rhs,     &slot->split.step,   &slot->dual.value, &slot->dual.gain,
                               &slot->dual.error,    &slot->split.unsure, &slot->fits.x,     &slot->fits.stem_x,
                               &slot->fits.branch_x, &slot->best_x};

    for (size_t i = 0; i < sizeof over_rows / sizeof *over_rows; i++) {
        *over_rows[i] = workspace_doubles(w, m);
    }
    for (size_t i = 0; i < sizeof over_columns / sizeof *over_columns; i++) {
        *over_columns[i] = workspace_doubles(w, n);
    }
}

spgm_error slot_init(struct slot *slot, const struct tree *tree, spgm_status *status) {
    const struct problem *p = tree->problem;
    struct workspace *w = &slot->workspace;
    int64_t capacity = run_capacity(tree->run);

    *slot = (struct slot){.tree = tree, .split.tilt_column = -1, .workspace.memory = p->A->memory};
    take_doubles(slot);
    slot->split.factor_room = tree->count < MOST_AT_WORK ? tree->count : MOST_AT_WORK;
    slot->split.inverse = workspace_doubles(w, slot->split.factor_room * slot->split.factor_room);
    slot->split.scratch = workspace_doubles(w, slot->split.factor_room * slot->split.factor_room);
    slot->split.factored = workspace_integers(w, tree->n);
    slot->active = workspace_integers(w, tree->n);
    slot->pool.columns = workspace_integers(w, tree->n);
    slot->pool.is_in = workspace_array(w, tree->n, 1);
    slot->dual.chosen = workspace_integers(w, tree->n);
    slot->fits.support = workspace_integers(w, tree->n);
    slot->fits.tried = workspace_integers(w, tree->n);
    slot->fits.stem_active.rows = workspace_integers(w, capacity + 2);
    slot->fits.stem_active.signs = workspace_array(w, capacity + 2, 1);
    slot->fits.branch_active.rows = workspace_integers(w, capacity + 2);
    slot->fits.branch_active.signs = workspace_array(w, capacity + 2, 1);
    slot->units = workspace_integers(w, p->set.units);
    slot->dual.unit_value = workspace_doubles(w, p->set.units);
    slot->dual.is_chosen = workspace_array(w, p->set.units, 1);
    slot->dual.term_slope = workspace_array(w, tree->n, sizeof *slot->dual.term_slope);
    slot->dual.term_state = workspace_doubles(w, smooth_state_size(&p->f));
    slot->dual.term_work = workspace_doubles(w, p->f.term == NULL ? 0 : p->f.C->rows);
    feasible_work_init(&slot->dual.feasible, &p->set, w);
    pairs_take(slot);
    node_take(tree, 1, &slot->now, w);
    node_take(tree, 1, &slot->saved, w);
    cores_take(slot);
    node_take(tree, cores_apply(tree) ? MOST_CHILDREN : DIVE + 2, slot->children, w);
    slot->split.factored_count = -1;
    if (tree->run->ledger != NULL) {
        slot->ledger = ledger_new(tree->m, tree->run->ledger->most_bytes);
        w->failed |= slot->ledger == NULL;
    }
    slot->fits.leaf = w->failed ? NULL : fit_new(p, leaf_capacity(tree));
    slot->fits.all = w->failed || tree->whole == NULL ? NULL : fit_new(tree->whole, capacity);
    if (slot->fits.leaf == NULL || (tree->whole != NULL && slot->fits.all == NULL)) {
        return status_memory(status, w->bytes + fit_bytes(p, leaf_capacity(tree)));
    }
    fit_set_stop(slot->fits.leaf, slot_is_late, slot);
    if (slot->fits.all != NULL) {
        fit_set_stop(slot->fits.all, slot_is_late, slot);
    }
    vector_copy(tree->n, tree->run->best_x, slot->fits.x);
    for (int64_t j = 0; j < tree->n; j++) {
        slot->split.unsure[j] = 1 / tree->norm[j];
    }
    return tree->has_boxes ? SPGM_OK : slot_take_whole(slot, status);
}

spgm_error slot_take_whole(struct slot *slot, spgm_status *status) {
    const struct tree *tree = slot->tree;

    slot->fits.whole = fit_new(tree->problem, tree->count);
    if (slot->fits.whole == NULL) {
        return status_memory(status, fit_bytes(tree->problem, tree->count));
    }
    fit_set_stop(slot->fits.whole, slot_is_late, slot);
    return SPGM_OK;
}

void slot_free(struct slot *slot) {
    fit_free(slot->fits.leaf);
    fit_free(slot->fits.all);
    fit_free(slot->fits.whole);
    ledger_free(slot->ledger);
    workspace_free(&slot->workspace);
}

int slot_is_late(void *context) {
    struct slot *slot = context;
    const struct run *run = slot->tree->run;

    if (!slot->is_stopped) {
        slot->is_stopped = (run->interrupted != NULL && *run->interrupted) ||
                           (isfinite(run->deadline) && isgreaterequal(clock_seconds(), run->deadline));
    }
    return slot->is_stopped;
}

/* ---- what is decided ------------------------------------------------------------------------------------------ */

int64_t node_unit_column(const struct slot *slot, int64_t unit) {
    const struct feasible *set = &slot->tree->problem->set;
    int64_t k = set->unit_start[unit];

    while (k + 1 < set->unit_start[unit + 1] && slot->tree->place[set->unit_columns[k]] < 0) {
        k++;
    }
    return set->unit_columns[k];
}

int64_t node_units_in(const struct slot *slot) {
    const struct feasible *set = &slot->tree->problem->set;
    int64_t count = 0;

    for (int64_t u = 0; u < set->units; u++) {
        count += slot->now.state[node_unit_column(slot, u)] == COLUMN_IN;
    }
    return count;
}

/* A group that is full excludes its other columns. */
static void close_group(const struct slot *slot, struct node *node, int64_t column) {
    const struct feasible *set = &slot->tree->problem->set;
    int64_t g = set->room == NULL ? -1 : set->group_of[column], in = 0;

    if (g < 0) {
        return;
    }
    for (int64_t k = set->group_start[g]; k < set->group_start[g + 1]; k++) {
        in += node->state[set->group_columns[k]] == COLUMN_IN;
    }
    for (int64_t k = set->group_start[g]; in >= set->room[g] && k < set->group_start[g + 1]; k++) {
        if (node->state[set->group_columns[k]] == COLUMN_OPEN) {
            node->state[set->group_columns[k]] = COLUMN_OUT;
        }
    }
}

void node_set_unit(const struct slot *slot, struct node *node, int64_t unit, unsigned char state) {
    const struct feasible *set = &slot->tree->problem->set;

    for (int64_t k = set->unit_start[unit]; k < set->unit_start[unit + 1]; k++) {
        node->state[set->unit_columns[k]] = state;
    }
    if (state == COLUMN_IN) {
        close_group(slot, node, node_unit_column(slot, unit));
    }
}

int64_t slot_list_units(struct slot *slot) {
    const struct feasible *set = &slot->tree->problem->set;
    int64_t count = 0;

    for (int64_t u = 0; u < set->units; u++) {
        if (slot->now.state[node_unit_column(slot, u)] == COLUMN_OPEN) {
            slot->units[count++] = u;
        }
    }
    return count;
}

/* ---- a better incumbent ------------------------------------------------------------------------------------------ */

/* Fit the support with the largest weights in the relaxation. */
static void try_support(struct slot *slot) {
    const struct tree *tree = slot->tree;
    const struct feasible *set = &tree->problem->set;
    double largest = 1;
    int64_t size;

    memset(slot->dual.gain, 0, (size_t)tree->n * sizeof *slot->dual.gain);
    for (int64_t i = 0; i < slot->active_count; i++) {
        int64_t j = slot->active[i];

        slot->dual.gain[j] = fabs(slot->split.z[j]) * tree->norm[j];
        slot->dual.gain[j] = set->rule->adds ? slot->dual.gain[j] * slot->dual.gain[j] : slot->dual.gain[j];
        largest += slot->dual.gain[j];
    }
    for (int64_t i = 0; i < slot->active_count; i++) {
        slot->dual.gain[slot->active[i]] =
            slot->now.state[slot->active[i]] == COLUMN_IN ? largest : slot->dual.gain[slot->active[i]];
    }
    size = set->rule->choose(set, tree->s, tree->n, NULL, slot->dual.gain, &slot->dual.feasible, slot->fits.support);
    if (size != slot->fits.tried_size ||
        memcmp(slot->fits.support, slot->fits.tried, (size_t)size * sizeof *slot->fits.tried) != 0) {
        memcpy(slot->fits.tried, slot->fits.support, (size_t)size * sizeof *slot->fits.tried);
        slot->fits.tried_size = size;
        slot_try(slot, size, slot->fits.support);
    }
}

/* ---- branching ------------------------------------------------------------------------------------------ */

/* The weight of an open unit in the relaxation: |x_j| divided by its standard error among the columns that are allowed,
 * since without it the loss rises by about the square of that. A column with a near copy has a small weight. */
static double weight_of(const struct slot *slot, int64_t unit) {
    const struct feasible *set = &slot->tree->problem->set;
    double sum = 0;

    for (int64_t k = set->unit_start[unit]; k < set->unit_start[unit + 1]; k++) {
        int64_t j = set->unit_columns[k];

        sum += fabs(slot->split.z[j]) / slot->split.unsure[j];
    }
    return sum;
}

/* The heaviest open unit: the bound rises most without it. */
int64_t slot_heaviest(struct slot *slot) {
    int64_t open = slot_list_units(slot), best = slot->units[0];
    double top = -1;

    for (int64_t i = 0; i < open; i++) {
        double weight = weight_of(slot, slot->units[i]);

        if (weight > top) {
            top = weight;
            best = slot->units[i];
        }
    }
    return best;
}

/* The bound of a child after a few rounds of ADMM; INFINITY: it is closed. The node is in slot->saved. */
static double probe(struct slot *slot, int64_t unit, unsigned char state, double parent) {
    double D = -INFINITY;

    node_copy(slot->tree, &slot->saved, &slot->now);
    node_set_unit(slot, &slot->now, unit, state);
    split_load(slot, &slot->now);
    dual_list(slot);
    slot->dual.best = parent;
    D = split_run(slot, STRONG_ROUNDS);
    return D;
}

static int64_t strong_depth(const struct slot *slot) {
    return slot->tree->count <= STRONG_FEW ? 0 : STRONG_DEPTH;
}

/* Strong branching: try the heaviest units both ways. Returns the unit to branch on; -1: the node is closed; -2: a unit
 * was decided, and the node should be processed again. */
static int64_t choose_by_trying(struct slot *slot) {
    int64_t open = slot_list_units(slot), tried[STRONG_CHOICES], count = 0, best = -1;
    double gap = slot->cutoff - slot->dual.best, parent = slot->dual.best, top = -1;
    int decided = 0;

    for (; count < STRONG_CHOICES && count < open; count++) {
        int64_t at = count;

        for (int64_t i = count + 1; i < open; i++) {
            at = weight_of(slot, slot->units[i]) > weight_of(slot, slot->units[at]) ? i : at;
        }
        tried[count] = slot->units[at];
        slot->units[at] = slot->units[count];
        slot->units[count] = tried[count];
    }
    split_store(slot, &slot->now);
    slot->now.bound = slot->dual.best;
    node_copy(slot->tree, &slot->now, &slot->saved);
    for (int64_t i = 0; i < count && !slot_is_late(slot); i++) {
        double out, in;

        if (slot->saved.state[node_unit_column(slot, tried[i])] != COLUMN_OPEN) {
            continue;
        }
        out = probe(slot, tried[i], COLUMN_OUT, parent);
        in = probe(slot, tried[i], COLUMN_IN, parent);
        if (isinf(out) && isinf(in) && out > 0 && in > 0) {
            return -1;
        }
        if ((isinf(out) && out > 0) || (isinf(in) && in > 0)) {
            node_set_unit(slot, &slot->saved, tried[i], isinf(out) && out > 0 ? COLUMN_IN : COLUMN_OUT);
            decided = 1;
            continue;
        }
        out = (out - parent) / gap;
        in = (in - parent) / gap;
        if ((out + STRONG_FLOOR) * (in + STRONG_FLOOR) > top) {
            top = (out + STRONG_FLOOR) * (in + STRONG_FLOOR);
            best = tried[i];
        }
    }
    node_copy(slot->tree, &slot->saved, &slot->now);
    split_load(slot, &slot->now);
    dual_list(slot);
    slot->dual.best = parent;
    return decided || best < 0 ? -2 : best;
}

/* Put one child into the slot's list and the other into slot->now, which is processed next. */
static void split_node(struct slot *slot, int64_t unit) {
    struct node *other = &slot->children[slot->child_count++];
    int64_t depth = slot->now.depth + 1;

    if (slot->tree->has_boxes) {
        split_store(slot, &slot->now);
    }
    slot->now.bound = slot->dual.best;
    slot->now.depth = depth;
    slot->now.is_same = 0;
    slot->now.origin = -2 - slot->record;
    slot->now.decided = node_unit_column(slot, unit);
    slot->now.is_in = 0;
    if (slot->ledger != NULL && !slot->ledger->is_lost) {
        slot->ledger->record[slot->record].branch = slot->now.decided;
    }
    node_copy(slot->tree, &slot->now, other);
    node_set_unit(slot, other, unit, COLUMN_OUT);
    node_set_unit(slot, &slot->now, unit, COLUMN_IN);
    slot->now.is_in = 1;
    slot->now.is_same = 1;
}

/* ---- a node ------------------------------------------------------------------------------------------ */

int slot_says_nothing(const struct slot *slot) {
    return fit_objective(slot->fits.whole) < WHOLE_ENOUGH * slot->cutoff;
}

/* The fit over all columns that are allowed, from the parent's x in node->z. Returns 0 if stopped or out of memory. */
static int fit_whole(struct slot *slot) {
    const struct tree *tree = slot->tree;

    fit_set_support(slot->fits.whole, slot->active_count, slot->active);
    for (int64_t j = 0; j < tree->n; j++) {
        slot->fits.x[j] = slot->now.z[j];
    }
    fit_gather(slot->fits.whole, slot->fits.x);
    if (!fit_is_warm(tree->problem)) {
        fit_set_enough(slot->fits.whole, WHOLE_ENOUGH * slot->cutoff);
        if (fit_rough(slot->fits.whole, WHOLE_GAP, INFINITY) == FIT_INEXACT && !slot_says_nothing(slot)) {
            fit_rough(slot->fits.whole, 0, INFINITY);
        }
    } else if (slot->fits.has_whole) {
        fit_warm(slot->fits.whole, INFINITY);
    } else {
        fit_cold(slot->fits.whole);
    }
    slot->fits.has_whole = 1;
    leaf_plan(slot, tree->problem, slot->active_count);
    slot->error_code = fit_error(slot->fits.whole, NULL);
    return slot->error_code == SPGM_OK && !slot->is_stopped;
}

/* Apply the dual vector of the stem (the fit of the columns that are in): where few units may enter, it is the one that
 * best decides which of the open ones may. */
static void screen_by_fit(struct slot *slot) {
    int64_t left = slot->tree->s - node_units_in(slot);

    if (left > FEW_LEFT || slot_list_units(slot) <= SCREEN_UNITS) {
        return;
    }
    slot_fit_stem(slot);
    if (slot->is_stopped || slot->error_code != SPGM_OK) {
        return;
    }
    vector_copy(slot->tree->m, fit_dual(slot->fits.leaf), slot->dual.alpha);
    if (dual_measure(slot)) {
        slot->dual.best = fmax(slot->dual.best, dual_bound(slot));
    }
}

/* Process a node with boxes. Returns the unit to branch on; -1: closed; -3: it has its children. */
static int64_t process_boxed(struct slot *slot) {
    int64_t unit = -2;
    int how;

    split_load(slot, &slot->now);
    vector_copy(slot->tree->m, slot->split.u, slot->dual.alpha);
    vector_scale(slot->tree->m, slot->tree->rho, slot->dual.alpha);
    if (dual_measure(slot)) {
        slot->dual.best = fmax(slot->dual.best, dual_bound(slot));
    }
    if (slot->dual.best < slot->cutoff) {
        screen_by_fit(slot);
    }
    while (unit == -2) {
        if (slot->dual.best >= slot->cutoff || leaf_close(slot, FEW_FITS) || pairs_close(slot)) {
            unit = -1;
        } else if (split_run(slot, ROUNDS) >= slot->cutoff || leaf_close(slot, slot->tree->n) || pairs_close(slot) ||
                   leaf_close(slot, slot->tree->n)) {
            unit = -1;
        }
        if (unit == -1 || slot_is_late(slot)) {
            return -1;
        }
        try_support(slot);
        if (slot->dual.best >= slot->cutoff) {
            return -1;
        }
        how = cores_split(slot);
        if (how != CORES_NONE) {
            return how == CORES_CLOSED ? -1 : -3;
        }
        unit =
            slot->now.depth < strong_depth(slot) && slot->ledger == NULL ? choose_by_trying(slot) : slot_heaviest(slot);
    }
    return unit;
}

int slot_bound_whole(struct slot *slot, int is_to_close) {
    const struct tree *tree = slot->tree;

    if (!fit_whole(slot)) {
        return 0;
    }
    if (is_to_close && fit_objective(slot->fits.whole) >= slot->cutoff) {
        slot->dual.best = fmax(slot->dual.best, fit_bound_until(slot->fits.whole, slot->cutoff));
    } else if (!is_to_close && !slot_says_nothing(slot)) {
        slot->dual.best = fmax(slot->dual.best, fit_bound(slot->fits.whole));
    }
    fit_scatter(slot->fits.whole, slot->split.z);
    for (int64_t j = 0; j < tree->n; j++) {
        slot->now.z[j] = (float)slot->split.z[j];
    }
    return 1;
}

/* Process a node without boxes; returns the same. */
static int64_t process_bare(struct slot *slot) {
    const struct tree *tree = slot->tree;

    if (leaf_close(slot, tree->n)) {
        return -1;
    }
    if (!slot->now.is_same && slot->active_count < tree->m) {
        if (!slot_bound_whole(slot, 0) || slot->dual.best >= slot->cutoff) {
            return -1;
        }
        try_support(slot);
    } else {
        for (int64_t j = 0; j < tree->n; j++) {
            slot->split.z[j] = slot->now.z[j];
        }
    }
    return slot->dual.best >= slot->cutoff || pairs_close(slot) ? -1 : slot_heaviest(slot);
}

int slot_is_spent(struct slot *slot) {
    const struct tree *tree = slot->tree;

    slot->beyond = fmax(0, leaf_spent(slot) - slot->before - slot->planned);
    return tree->work + tree->beyond + slot->work + slot->beyond >= tree->most;
}

void slot_run(struct slot *slot) {
    slot->child_count = 0;
    slot->cores.count = 0;
    slot->used = 0;
    slot->unproven = INFINITY;
    slot->work = slot->beyond = slot->planned = 0;
    slot->before = leaf_spent(slot);
    if (slot->ledger != NULL) {
        ledger_clear(slot->ledger);
    }
    for (int depth = 0; depth <= DIVE; depth++) {
        int64_t unit;
        int is_over;

        slot->dual.best = slot->now.bound;
        if (slot->dual.best >= slot->cutoff) {
            return;
        }
        slot->fits.has_stem = 0;
        dual_list(slot);
        slot->used++;
        if (slot->ledger != NULL) {
            slot->record = ledger_open(slot->ledger, slot->now.origin, slot->now.decided, slot->now.is_in);
        }
        unit = slot->tree->has_boxes ? process_boxed(slot) : process_bare(slot);
        is_over = slot_is_spent(slot);
        if (slot->is_stopped || slot->error_code != SPGM_OK) { /* stopped: the node stays open as it was */
            slot->now.bound = fmax(slot->now.bound, isfinite(slot->dual.best) ? slot->dual.best : slot->now.bound);
            break;
        }
        if (unit == -1) {
            return;
        }
        if (unit >= 0) {
            split_node(slot, unit);
        }
        if (is_over) {
            break;
        }
    }
    node_copy(slot->tree, &slot->now, &slot->children[slot->child_count++]);
}
