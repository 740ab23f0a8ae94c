/*
 * Branch and bound over units in or out, best-first in rounds, and the method `exact`.
 *
 * HOW IT WORKS: a round takes the SLOTS open nodes with the lowest bounds. Each is followed down by a dive of a few
 * nodes, on a thread of its own, with the incumbent as it was when the round began. The results of the dives are merged
 * in the order of the slots. So the tree and its result are the same for any number of threads.
 */
#include "search/exact.h"
#include "search/constants.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "linalg/vector.h"
#include "search/auto.h"
#include "search/exact/internal.h"
#include "search/prune.h"
#include "search/share.h"

struct search {
    struct tree tree;
    struct slot slots[SLOTS];
    int slot_count;
};

/* ---- the problem ------------------------------------------------------------------------------------------ */

static void set_upper(struct tree *tree, double upper) {
    tree->upper = upper;
    tree->cutoff = cutoff_of(tree, upper);
}

/* Whether free columns fill the group of the column, so that it has no room for others. */
static int has_no_room(const struct feasible *set, int64_t j) {
    return set->room != NULL && set->unit_of[j] >= 0 && set->group_of[j] >= 0 && set->room[set->group_of[j]] <= 0;
}

/* A zero column without a slope of its own does not affect F: it stays out. */
static int is_idle(const struct tree *tree, int64_t j) {
    const struct smooth *f = &tree->problem->f;

    return tree->square[j] == 0 && f->linear == NULL && f->term == NULL;
}

static void describe_columns(struct tree *tree) {
    const struct problem *p = tree->problem;
    const struct smooth *f = &p->f;

    linop_column_squares(p->A, tree->square);
    for (int64_t j = 0; j < tree->n; j++) {
        double slack = problem_rounding(p, j);

        tree->norm[j] = sqrt(tree->square[j]) * (1 + ((double)tree->m + 8) * DBL_EPSILON + slack);
        tree->ridge[j] = f->ridge[j] * (1 - slack);
        tree->place[j] = -1;
        if (!(p->set.is_barred != NULL && p->set.is_barred[j]) && !has_no_room(&p->set, j) && !is_idle(tree, j)) {
            tree->place[j] = tree->count;
            tree->columns[tree->count++] = j;
        }
        tree->square[j] = tree->square[j] > 0 ? tree->square[j] : 1;
        tree->norm[j] = tree->norm[j] > 0 ? tree->norm[j] : DBL_MIN;
    }
}

/* slope = p + grad phi(0) */
static void describe_slopes(struct tree *tree, double *state) {
    const struct smooth *f = &tree->problem->f;

    memset(tree->slope, 0, (size_t)tree->n * sizeof *tree->slope);
    if (f->term != NULL) {
        f->term->reset(f, state);
        f->term->gradient(f, state, tree->slope);
    }
    for (int64_t j = 0; f->linear != NULL && j < tree->n; j++) {
        tree->slope[j] += f->linear[j];
    }
}

static void open_root(struct tree *tree, struct node *root) {
    const struct problem *p = tree->problem;

    for (int64_t j = 0; j < tree->n; j++) {
        double slack = 1 + problem_rounding(p, j);

        root->state[j] = tree->place[j] < 0 ? COLUMN_OUT : p->is_free[j] ? COLUMN_IN : COLUMN_OPEN;
        root->low[j] = p->lower == NULL ? -INFINITY : p->lower[j] * slack;
        root->high[j] = p->upper == NULL ? INFINITY : p->upper[j] * slack;
    }
    root->bound = -INFINITY;
    root->origin = root->decided = -1;
}

/* The steps of the root become record 0, the parent of its node's record. */
static void record_root(struct search *search) {
    struct slot *slot = &search->slots[0];
    struct ledger *ledger = search->tree.run->ledger;

    if (ledger != NULL) {
        ledger->rough = slot->ledger->rough;
        ledger->has_boxes = search->tree.has_boxes;
        ledger_append(ledger, slot->ledger);
        slot->now.origin = 0;
    }
}

static spgm_error prepare(struct search *search, struct run *run, const struct exact_limits *limits,
                          spgm_status *status) {
    struct tree *tree = &search->tree;
    struct workspace *w = &tree->workspace;
    const struct problem *p = run->problem;
    double *state;
    spgm_error error;

    w->memory = p->A->memory;
    tree->run = run;
    tree->problem = p;
    tree->m = tree->whole_rows = p->A->rows;
    tree->n = p->A->columns;
    tree->s = run->sparsity;
    tree->limits = *limits;
    tree->limits.gap = fmax(limits->gap, LEAST_GAP);
    tree->limits.rounds = limits->rounds > 0 ? limits->rounds : ROOT_ROUNDS;
    tree->unproven = INFINITY;
    tree->norm = workspace_doubles(w, tree->n);
    tree->square = workspace_doubles(w, tree->n);
    tree->ridge = workspace_doubles(w, tree->n);
    tree->slope = workspace_doubles(w, tree->n);
    tree->columns = workspace_integers(w, tree->n);
    tree->place = workspace_integers(w, tree->n);
    tree->refused = workspace_array(w, CORE_SETS, sizeof *tree->refused);
    node_take(tree, 1, &tree->root, w);
    state = workspace_doubles(w, smooth_state_size(&p->f));
    if (w->failed) {
        return status_memory(status, w->bytes);
    }
    describe_columns(tree);
    describe_slopes(tree, state);
    tree->has_boxes = 1; /* assumed until boxes_init finds that there are none */
    error = slot_init(&search->slots[0], tree, status);
    search->slot_count = 1; /* so that it is freed in any case */
    return error;
}

/* ---- the root ------------------------------------------------------------------------------------------ */

/* Fit the incumbent: its dual vector, and rho from the ratio of dual vector and residual. */
static spgm_error begin_at_incumbent(struct search *search, spgm_status *status) {
    struct tree *tree = &search->tree;
    struct slot *slot = &search->slots[0];
    int64_t size = fit_support_of(tree->problem, tree->run->best_x, slot->fits.support);
    spgm_error error;

    vector_copy(tree->n, tree->run->best_x, slot->best_x);
    fit_set_support(slot->fits.leaf, size, slot->fits.support);
    fit_gather(slot->fits.leaf, slot->best_x);
    fit_warm(slot->fits.leaf, INFINITY);
    error = fit_error(slot->fits.leaf, status);
    if (error != SPGM_OK) {
        return error;
    }
    fit_scatter(slot->fits.leaf, slot->fits.x);
    if (isless(fit_objective(slot->fits.leaf), tree->run->best_objective) && !tree->limits.keeps_x) {
        fit_scatter(slot->fits.leaf, slot->best_x);
        run_offer(tree->run, slot->best_x, fit_objective(slot->fits.leaf));
    }
    tree->zero = fabs(problem_loss_at_zero(tree->problem, slot->split.c));
    vector_copy(tree->m, fit_dual(slot->fits.leaf), slot->dual.alpha);
    tree->rho = rho_of(tree->problem, vector_norm(tree->m, fit_residual(slot->fits.leaf)),
                       vector_norm(tree->m, slot->dual.alpha));
    set_upper(tree, tree->run->best_objective);
    slot->upper = tree->upper;
    slot->cutoff = tree->cutoff;
    return SPGM_OK;
}

/* The multiplications of one round of bound tightening. */
static double shrink_cost(const struct tree *tree) {
    if (pulls_apply(tree)) {
        return pulls_work(tree);
    }
    return SHRINK_STEPS * (double)tree->count * (double)(tree->count * (2 * tree->m + tree->count));
}

/* Tighten the boxes of the root until that no longer pays by its effect on the gap. */
static void shrink_root(struct search *search) {
    struct tree *tree = &search->tree;
    struct slot *slot = &search->slots[0];
    int is_pulled = pulls_apply(tree);
    double most = fmin(is_pulled ? PULL_WORK : SHRINK_WORK, tree->limits.work / SHRINK_PART);

    for (int round = 0; round < (is_pulled ? 1 : SHRINK_ROUNDS) && shrink_cost(tree) <= most && !slot_is_late(slot);
         round++) {
        double before = slot->dual.best;

        if (!(is_pulled ? pulls_shrink_boxes(slot) : split_shrink_boxes(slot))) {
            slot->dual.best = INFINITY;
            return;
        }
        slot->dual.best = fmax(slot->dual.best, split_run(slot, ROOT_ROUNDS));
        if (slot->dual.best >= tree->cutoff || tree->cutoff - slot->dual.best > SHRINK_PAYS * (tree->cutoff - before)) {
            return;
        }
    }
}

/* A lower bound for every x, from h >= 0 and phi >= 0. */
static double trivial_bound(const struct tree *tree) {
    return tree->problem->f.linear == NULL && tree->problem->f.term == NULL ? 0 : -(double)INFINITY;
}

/* The bound of the root, for the node slots[0].now. */
static spgm_error bound_root(struct search *search, spgm_status *status) {
    struct tree *tree = &search->tree;
    struct slot *slot = &search->slots[0];
    spgm_error error = begin_at_incumbent(search, status);

    if (error != SPGM_OK) {
        return error;
    }
    open_root(tree, &slot->now);
    slot->now.bound = slot->dual.best = trivial_bound(tree);
    if (slot->ledger != NULL) {
        slot->record = ledger_open(slot->ledger, -1, -1, 0);
    }
    if (slot->dual.best >= tree->cutoff) {
        memset(slot->dual.alpha, 0, (size_t)tree->m * sizeof *slot->dual.alpha);
        dual_record(slot, -1);
        return SPGM_OK;
    }
    if (tree->limits.is_quick) {
        return bound_quickly(tree, slot, status);
    }
    dual_list(slot);
    error = boxes_init(tree, slot, status);
    if (error != SPGM_OK || !tree->has_boxes) {
        return error != SPGM_OK ? error : slot_take_whole(slot, status);
    }
    error = tree->limits.has_all ? bound_apply_all(slot, status) : SPGM_OK;
    error = error == SPGM_OK ? rows_reduce(tree, slot, status) : error;
    if (error != SPGM_OK) {
        return error;
    }
    for (int64_t i = 0; i < tree->m; i++) {
        slot->now.u[i] = (float)(slot->dual.alpha[i] / tree->rho);
    }
    for (int64_t j = 0; j < tree->n; j++) {
        slot->now.z[j] = (float)fmin(fmax(slot->best_x[j], slot->now.low[j]), slot->now.high[j]);
        slot->now.w[j] = 0;
    }
    if (!split_prepare(tree, slot)) {
        return status_memory(status, tree->workspace.bytes);
    }
    split_load(slot, &slot->now);
    if (isinf(slot->now.bound) && slot->now.bound > 0) {
        slot->dual.best = INFINITY;
        return SPGM_OK;
    }
    slot->dual.best = fmax(slot->dual.best, slot->now.bound);
    slot->dual.best = split_run(slot, tree->limits.rounds);
    if (slot->dual.best < tree->cutoff && slot->pool.is_crowded) {
        if (!split_invert(tree, slot)) {
            return status_memory(status, tree->workspace.bytes);
        }
        slot->dual.best = split_run(slot, tree->limits.rounds);
    }
    if (slot->dual.best < tree->cutoff && slot->ledger != NULL) { /* with a certificate now, so that its steps belong
                                                                     to the record of the root */
        shrink_root(search);
    }
    split_store(slot, &slot->now);
    return SPGM_OK;
}

/* ---- late bound tightening -------------------------------------------------------------------------------------- */

/* Apply what is now proven at the root to a node that was opened before: boxes, and columns that are out. */
static void inherit(const struct tree *tree, const struct node *root, struct node *node) {
    for (int64_t i = 0; i < tree->count; i++) {
        int64_t j = tree->columns[i];

        if (root->state[j] != COLUMN_OUT) {
            node->low[j] = fmax(node->low[j], root->low[j]);
            node->high[j] = fmin(node->high[j], root->high[j]);
        } else if (node->state[j] == COLUMN_OPEN) {
            node->state[j] = COLUMN_OUT;
        }
    }
    node->bound = fmax(node->bound, root->bound);
}

/* Bound tightening after the tree has taken long enough: small trees end before it would pay. Every open node inherits
 * what it proves. */
static void shrink_late(struct search *search) {
    struct tree *tree = &search->tree;
    struct slot *slot = &search->slots[0];

    node_copy(tree, &tree->root, &slot->now);
    split_load(slot, &slot->now);
    dual_list(slot);
    slot->dual.best = tree->root.bound;
    slot->upper = tree->upper;
    slot->cutoff = tree->cutoff;
    slot->work = 0;
    shrink_root(search);
    slot->now.bound = slot->dual.best;
    tree->work += slot->work;
    memcpy(tree->root.low, slot->now.low, (size_t)tree->n * sizeof *tree->root.low);
    memcpy(tree->root.high, slot->now.high, (size_t)tree->n * sizeof *tree->root.high);
    for (int64_t i = 0; i < tree->open; i++) {
        inherit(tree, &slot->now, tree->heap[i]);
    }
    heap_order(tree);
    tree->is_shrunk = 1;
}

/* ---- rounds ------------------------------------------------------------------------------------------ */

static void run_slots(void *context, int64_t first, int64_t last) {
    struct search *search = context;

    for (int64_t i = first; i < last; i++) {
        if (search->slots[i].is_busy) {
            slot_run(&search->slots[i]);
        }
    }
}

static void load_slots(struct search *search) {
    struct tree *tree = &search->tree;

    for (int i = 0; i < search->slot_count; i++) {
        struct slot *slot = &search->slots[i];

        slot->is_busy = tree->open > 0 && tree->heap[0]->bound < tree->cutoff;
        slot->upper = tree->upper;
        slot->cutoff = tree->cutoff;
        slot->has_better = 0;
        if (slot->is_busy) {
            heap_pop(tree, &slot->now);
        }
    }
}

/* Returns 0 if there is no room for an open node, whose bound *lost then accounts for. */
static int merge_slot(struct tree *tree, struct slot *slot, double *lost) {
    int fits = 1;

    if (slot->has_better && isless(slot->upper, tree->upper)) {
        run_offer(tree->run, slot->best_x, slot->upper);
        set_upper(tree, slot->upper);
    }
    cores_merge(tree, slot);
    tree->unproven = fmin(tree->unproven, slot->unproven);
    tree->nodes += slot->used;
    tree->work += slot->work;
    tree->beyond += slot->beyond;
    if (slot->ledger != NULL) {
        int64_t base = ledger_append(tree->run->ledger, slot->ledger);

        for (int64_t i = 0; i < slot->child_count; i++) {
            int64_t origin = slot->children[i].origin;

            slot->children[i].origin = origin <= -2 ? base - 2 - origin : origin;
        }
    }
    for (int64_t i = 0; i < slot->child_count; i++) {
        if (slot->children[i].bound < tree->cutoff && !heap_push(tree, &slot->children[i])) {
            *lost = fmin(*lost, slot->children[i].bound);
            fits = 0;
        }
    }
    return fits;
}

/* The proven lower bound on F. */
static double bound_of(const struct tree *tree, double lost) {
    double bound = fmin(tree->cutoff, fmin(tree->unproven, lost));

    return (tree->open > 0 ? fmin(bound, tree->heap[0]->bound) : bound) - tree->tail;
}

/* Whether the work allowed by the limits is done. A leaf without a proof (where a column has no end, such as one of
 * ones that all have the same label) may leave no room for a higher bound; then the tree only looks for better points,
 * within the limit `stuck`. */
static int is_worked_off(struct tree *tree) {
    int is_stuck = tree->limits.stuck > 0 && tree->unproven < tree->cutoff && tree->heap[0]->bound >= tree->unproven;

    tree->most = is_stuck ? tree->limits.stuck : tree->limits.total > 0 ? tree->limits.total : (double)INFINITY;
    return tree->work >= tree->limits.work || tree->work + tree->beyond >= tree->most;
}

/* Make as many slots as there are open nodes, at most SLOTS: a small tree needs few. */
static spgm_error grow_slots(struct search *search, spgm_status *status) {
    spgm_error error = SPGM_OK;

    while (search->slot_count < SLOTS && search->slot_count < search->tree.open && error == SPGM_OK) {
        error = slot_init(&search->slots[search->slot_count], &search->tree, status);
        search->slot_count++;
    }
    return error;
}

static spgm_error branch(struct search *search, double *lost, spgm_status *status) {
    struct tree *tree = &search->tree;
    double began = tree->work;
    int has_room = heap_push(tree, &search->slots[0].now);
    spgm_error error = has_room ? SPGM_OK : status_memory(status, tree->workspace.bytes);

    while (error == SPGM_OK && has_room && tree->open > 0 && tree->heap[0]->bound < tree->cutoff &&
           tree->nodes < tree->limits.nodes && !is_worked_off(tree) && !run_must_stop(tree->run)) {
        if (!tree->is_shrunk &&
            tree->work - began > (pulls_apply(tree) ? PULL_WAIT : SHRINK_WAIT) * shrink_cost(tree)) {
            shrink_late(search);
            continue;
        }
        error = grow_slots(search, status);
        if (error != SPGM_OK) {
            break;
        }
        load_slots(search);
        parallel_for(tree->problem->team, search->slot_count, 1, run_slots, search);
        for (int i = 0; i < search->slot_count; i++) {
            struct slot *slot = &search->slots[i];

            if (slot->is_busy && slot->error_code != SPGM_OK) {
                error = fit_error(slot->fits.leaf, status);
                error = error == SPGM_OK && slot->fits.all != NULL ? fit_error(slot->fits.all, status) : error;
                error = error == SPGM_OK && slot->fits.whole != NULL ? fit_error(slot->fits.whole, status) : error;
            }
            has_room &= !slot->is_busy || merge_slot(tree, slot, lost);
        }
        tree->run->bound = fmax(tree->run->bound, bound_of(tree, *lost));
        tree->run->open = tree->open;
        run_note(tree->run, tree->upper, tree->s);
    }
    return error;
}

/* ---- the method ------------------------------------------------------------------------------------------ */

/* Set the bound and the outcome of the run: whether the best F equals the bound up to rounding, or is within the gap
 * that was asked for. */
static void conclude(struct search *search, double lost, int *is_done) {
    struct tree *tree = &search->tree;
    struct run *run = tree->run;
    double rounding = tree->problem->h.kind->perfect * tree->zero, gap;

    run->bound = fmax(run->bound, fmin(fmax(bound_of(tree, lost), trivial_bound(tree)), run->best_objective));
    gap = run->best_objective - run->bound;
    *is_done = islessequal(gap, fmax(OPTIMAL_GAP, tree->limits.gap * (1 + 1e-9)) * fabs(tree->upper) + rounding);
    if (*is_done) {
        run->outcome = islessequal(gap, OPTIMAL_GAP * fabs(tree->upper) + rounding) ? SPGM_OPTIMAL : SPGM_CONVERGED;
    } else if (tree->open == 0 && lost == (double)INFINITY && run->outcome == SPGM_NOT_RUN) {
        run->outcome = SPGM_LOCAL_OPTIMUM; /* every support was fitted or excluded, but rounding kept a bound below F */
        *is_done = 1;
    }
}

spgm_error exact_tree(struct run *run, const struct exact_limits *limits, int *is_done, spgm_status *status) {
    struct search *search = memory_array(1, sizeof *search);
    double began = clock_seconds(), lost = INFINITY;
    const char *phase = run->phase;
    spgm_error error;

    *is_done = 0;
    if (run->ledger != NULL) {
        ledger_clear(run->ledger);
    }
    run->phase = "exact";
    if (!limits->keeps_x) { /* not counted if called from a method that has ended */
        run_note(run, run->best_objective, run->sparsity);
    }
    if (search == NULL) {
        run->phase = phase;
        return status_memory(status, sizeof *search);
    }
    error = prepare(search, run, limits, status);
    if (error == SPGM_OK) {
        error = bound_root(search, status);
    }
    if (error == SPGM_OK) {
        struct slot *slot = &search->slots[0];

        record_root(search);
        slot->now.bound = slot->dual.best;
        search->tree.work = slot->work;
        search->tree.is_shrunk = !search->tree.has_boxes || run->ledger != NULL;
        if (slot->dual.best < search->tree.cutoff) {
            run->bound = fmax(run->bound, slot->dual.best - search->tree.tail);
            node_copy(&search->tree, &slot->now, &search->tree.root);
            error = limits->is_quick ? SPGM_OK : branch(search, &lost, status);
            lost = limits->is_quick ? slot->dual.best : lost;
        }
    }
    if (error == SPGM_OK) {
        conclude(search, lost, is_done);
        if (run->ledger != NULL) {
            run->ledger->bound = fmin(bound_of(&search->tree, lost), run->best_objective);
        }
        run->open = 0;
        run->nodes += search->tree.nodes;
    }
    for (int i = 0; i < search->slot_count; i++) {
        slot_free(&search->slots[i]);
    }
    rows_free(&search->tree);
    workspace_free(&search->tree.workspace);
    memory_free(search);
    run->phase = phase;
    run->timers[RUN_TIMER_SEARCH] += clock_seconds() - began;
    return error;
}

/* Rows of several processes are gathered if one process has the memory. */
static spgm_error run_spread(struct run *run, spgm_status *status) {
    double bytes = run->source == NULL ? INFINITY : share_bytes(run);

    if (run->ledger != NULL) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "a certificate needs all rows in one process: solve without a communicator to keep one");
    }
    if (!(bytes <= 1048576.0 * run->options->memory_limit)) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "the method exact needs all rows in one process, where they take %.0f MB: raise memory_limit "
                          "(%.0f MB) if process 0 has the memory, or use auto",
                          bytes / 1048576.0, run->options->memory_limit);
    }
    return share_gathered(run, &method_exact, status);
}

static spgm_error run_exact(struct run *run, spgm_status *status) {
    struct exact_limits limits = {.gap = run->options->gap,
                                  .work = INFINITY,
                                  .nodes = run->options->node_limit,
                                  .bytes = 1048576.0 * run->options->memory_limit};
    spgm_error error;
    int is_done = 0;

    if (run->problem->A->is_implied) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "method exact needs the entries of A'A, which are not formed: use normal formed, or the "
                          "method auto");
    }
    if (run->problem->A->reduce != NULL) {
        return run_spread(run, status);
    }
    error = auto_open(run, 0, status);
    limits.work = OPENING_WORK;
    for (int attempt = 0; attempt < 2; attempt++) {
        int is_proven = run->outcome == SPGM_OPTIMAL && (attempt > 0 || run->ledger == NULL);

        if (error == SPGM_OK && !is_done && !is_proven && !run_must_stop(run)) {
            run->outcome = SPGM_NOT_RUN;
            error = exact_tree(run, &limits, &is_done, status);
            is_done |= run->nodes >= run->options->node_limit;
        }
        if (attempt == 0 && error == SPGM_OK && !is_done && run->outcome != SPGM_OPTIMAL && !run_must_stop(run)) {
            error = auto_open(run, INCUMBENT_LEVELS, status); /* a large tree is worth a better incumbent */
            limits.work = INFINITY;
        }
    }
    if (error == SPGM_OK && run->outcome == SPGM_NOT_RUN) {
        run->outcome = SPGM_ITERATION_LIMIT;
    }
    return error != SPGM_OK ? error : prune_rounding(run, status);
}

const struct method method_exact = {
    .name = "exact",
    .summary = "branch and bound: the optimum with a proof, or a lower bound",
    .run = run_exact,
};
