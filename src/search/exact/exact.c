/*
 * Branch and bound over columns in or out, best bound first, in rounds.
 *
 * HOW IT WORKS: a round takes the SLOTS open nodes with the lowest bounds; each is followed down by a dive of a few
 * nodes, on a thread of its own, with the incumbent as it was when the round began. What the dives found is merged in
 * the order of the slots. So the tree, and all that comes of it, is the same for any number of threads.
 */
#include "search/exact.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "linalg/vector.h"
#include "search/auto.h"
#include "search/enumerate.h"
#include "search/exact/internal.h"
#include "search/prune.h"
#include "search/share.h"

#define LEAST_GAP 5e-8  /* what is within this of the incumbent counts as equal                      */
#define SHRINK_WORK 4e8 /* multiplications that boxes may be shrunk for at the root                  */
#define SHRINK_PAYS 0.9 /* of the gap: boxes are shrunk again while the bound of the root rises like this */
#define RHO_OF_KINKS                                                                                                   \
    0.1                /* of |dual| / |residual|: 0.03 to 0.1 within noise, 1 three times slower (l1, quantile, linf) */
#define QUICK_WORK 5e9 /* multiplications after which a better incumbent is looked for              */
#define FEW_SUPPORTS 1e5 /* up to which fits alone may do                                            */
enum { SHRINK_ROUNDS = 4, ROOT_ROUNDS = 40, INCUMBENT_LEVELS = 3, CHUNK = 64 };

struct search {
    struct tree tree;
    struct slot slots[SLOTS];
    int slot_count;
};

/* ---- the heap ------------------------------------------------------------------------------------------ */

static int is_before(const struct node *a, const struct node *b) {
    return a->bound < b->bound || (a->bound == b->bound && a->number < b->number);
}

static void sift_up(struct tree *tree, int64_t at) {
    struct node *node = tree->heap[at];

    for (; at > 0 && is_before(node, tree->heap[(at - 1) / 2]); at = (at - 1) / 2) {
        tree->heap[at] = tree->heap[(at - 1) / 2];
    }
    tree->heap[at] = node;
}

static void sift_down(struct tree *tree) {
    struct node *node = tree->heap[0];
    int64_t at = 0;

    for (;;) {
        int64_t child = 2 * at + 1;

        child += child + 1 < tree->open && is_before(tree->heap[child + 1], tree->heap[child]);
        if (child >= tree->open || !is_before(tree->heap[child], node)) {
            break;
        }
        tree->heap[at] = tree->heap[child];
        at = child;
    }
    tree->heap[at] = node;
}

static size_t bytes_of_node(const struct tree *tree) {
    return sizeof(struct node) + (size_t)tree->n * (1 + 2 * sizeof(double) + 2 * sizeof(float)) +
           (size_t)tree->m * sizeof(float);
}

/* Twice the places in the heap and among the spare nodes. */
static int widen(struct tree *tree, int64_t room) {
    struct node **heap = workspace_array(&tree->workspace, room, sizeof *heap);
    struct node **spare = workspace_array(&tree->workspace, room, sizeof *spare);

    if (heap == NULL || spare == NULL) {
        return 0;
    }
    for (int64_t i = 0; i < tree->open; i++) {
        heap[i] = tree->heap[i];
    }
    for (int64_t i = 0; i < tree->spares; i++) {
        spare[i] = tree->spare[i];
    }
    tree->heap = heap;
    tree->spare = spare;
    tree->places = room;
    return 1;
}

/* Room for CHUNK more open nodes; 0: out of memory, or of what the limits allow. */
static int grow(struct tree *tree) {
    int64_t room = tree->room + CHUNK;
    struct node *nodes;

    if ((double)room * (double)bytes_of_node(tree) > tree->limits.bytes) {
        return 0;
    }
    nodes = workspace_array(&tree->workspace, CHUNK, sizeof *nodes);
    node_take(tree, CHUNK, nodes, &tree->workspace);
    if (tree->workspace.failed || (room > tree->places && !widen(tree, 2 * room))) {
        return 0;
    }
    for (int i = 0; i < CHUNK; i++) {
        tree->spare[tree->spares++] = &nodes[i];
    }
    tree->room = room;
    return 1;
}

/* 0: there is no room. */
static int push(struct tree *tree, const struct node *node) {
    struct node *mine;

    if (tree->spares == 0 && !grow(tree)) {
        return 0;
    }
    mine = tree->spare[--tree->spares];
    node_copy(tree, node, mine);
    mine->number = tree->numbers++;
    tree->heap[tree->open++] = mine;
    sift_up(tree, tree->open - 1);
    return 1;
}

static void pop(struct tree *tree, struct node *node) {
    struct node *top = tree->heap[0];

    node_copy(tree, top, node);
    tree->spare[tree->spares++] = top;
    tree->heap[0] = tree->heap[--tree->open];
    if (tree->open > 0) {
        sift_down(tree);
    }
}

/* ---- the problem ------------------------------------------------------------------------------------------ */

static void set_upper(struct tree *tree, double upper) {
    tree->upper = upper;
    tree->cutoff = cutoff_of(tree, upper);
}

/* A group that free columns fill has no room for others. */
static int has_no_room(const struct feasible *set, int64_t j) {
    return set->room != NULL && set->unit_of[j] >= 0 && set->group_of[j] >= 0 && set->room[set->group_of[j]] <= 0;
}

/* A column that is zero and has no slope of its own changes nothing: it stays out. */
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

/* The steps of the root become record 0, which its own node goes on from. */
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

    tree->run = run;
    tree->problem = p;
    tree->m = p->A->rows;
    tree->n = p->A->columns;
    tree->s = run->sparsity;
    tree->limits = *limits;
    tree->limits.gap = fmax(limits->gap, LEAST_GAP);
    tree->unproven = INFINITY;
    tree->norm = workspace_doubles(w, tree->n);
    tree->square = workspace_doubles(w, tree->n);
    tree->ridge = workspace_doubles(w, tree->n);
    tree->slope = workspace_doubles(w, tree->n);
    tree->columns = workspace_integers(w, tree->n);
    tree->place = workspace_integers(w, tree->n);
    state = workspace_doubles(w, smooth_state_size(&p->f));
    if (w->failed) {
        return status_memory(status, w->bytes);
    }
    describe_columns(tree);
    describe_slopes(tree, state);
    tree->has_boxes = 1; /* until it turns out that there are none */
    error = slot_init(&search->slots[0], tree, status);
    search->slot_count = 1; /* to be freed whatever came of it */
    return error;
}

/* ---- the root ------------------------------------------------------------------------------------------ */

/* The fit of the incumbent: its dual vector, and the ratio of dual and residual. */
static spgm_error begin_at_incumbent(struct search *search, spgm_status *status) {
    struct tree *tree = &search->tree;
    struct slot *slot = &search->slots[0];
    int64_t size = fit_support_of(tree->problem, tree->run->best_x, slot->support);
    double residual, dual;
    spgm_error error;

    vector_copy(tree->n, tree->run->best_x, slot->best_x);
    fit_set_support(slot->fit, size, slot->support);
    fit_gather(slot->fit, slot->best_x);
    fit_cold(slot->fit);
    error = fit_error(slot->fit, status);
    if (error != SPGM_OK) {
        return error;
    }
    slot->fitted = 1;
    if (isless(fit_objective(slot->fit), tree->run->best_objective)) {
        fit_scatter(slot->fit, slot->best_x);
        run_offer(tree->run, slot->best_x, fit_objective(slot->fit));
    }
    tree->zero = fabs(problem_loss_at_zero(tree->problem, slot->c));
    vector_copy(tree->m, fit_dual(slot->fit), slot->alpha);
    residual = vector_norm(tree->m, fit_residual(slot->fit));
    dual = vector_norm(tree->m, slot->alpha);
    tree->rho = residual > 0 && dual > 0 ? dual / residual : 1;
    tree->rho *= tree->problem->h.ops->derivatives == NULL ? RHO_OF_KINKS : 1;
    set_upper(tree, tree->run->best_objective);
    slot->upper = tree->upper;
    slot->cutoff = tree->cutoff;
    return SPGM_OK;
}

/* Boxes shrink, and with them the gap, until that does not pay. */
static void shrink_root(struct search *search) {
    struct tree *tree = &search->tree;
    struct slot *slot = &search->slots[0];
    double cost = 60 * (double)tree->count * (double)(tree->count * (2 * tree->m + tree->count));
    double most = fmin(SHRINK_WORK, tree->limits.work / 3);

    for (int round = 0; round < SHRINK_ROUNDS && cost <= most && !slot_is_late(slot); round++) {
        double before = slot->best;

        if (!split_shrink_boxes(slot)) {
            slot->best = INFINITY;
            return;
        }
        slot->best = fmax(slot->best, split_run(slot, ROOT_ROUNDS));
        if (slot->best >= tree->cutoff || tree->cutoff - slot->best > SHRINK_PAYS * (tree->cutoff - before)) {
            return;
        }
    }
}

/* F is not below this whatever x is: h >= 0, phi >= 0. */
static double trivial_bound(const struct tree *tree) {
    return tree->problem->f.linear == NULL && tree->problem->f.term == NULL ? 0 : -(double)INFINITY;
}

/* The bound of the root, in slots[0].now. */
static spgm_error bound_root(struct search *search, spgm_status *status) {
    struct tree *tree = &search->tree;
    struct slot *slot = &search->slots[0];
    spgm_error error = begin_at_incumbent(search, status);

    if (error != SPGM_OK) {
        return error;
    }
    open_root(tree, &slot->now);
    slot->now.bound = slot->best = trivial_bound(tree);
    if (slot->ledger != NULL) {
        slot->record = ledger_open(slot->ledger, -1, -1, 0);
    }
    if (slot->best >= tree->cutoff) {
        memset(slot->alpha, 0, (size_t)tree->m * sizeof *slot->alpha);
        dual_record(slot, -1);
        return SPGM_OK;
    }
    dual_list(slot);
    error = boxes_init(tree, slot, status);
    if (error != SPGM_OK || !tree->has_boxes) {
        return error != SPGM_OK ? error : slot_take_whole(slot, status);
    }
    for (int64_t i = 0; i < tree->m; i++) {
        slot->now.u[i] = (float)(slot->alpha[i] / tree->rho);
    }
    for (int64_t j = 0; j < tree->n; j++) {
        slot->now.z[j] = (float)slot->best_x[j];
        slot->now.w[j] = 0;
    }
    if (!split_prepare(tree)) {
        return status_memory(status, tree->workspace.bytes);
    }
    split_load(slot, &slot->now);
    if (isinf(slot->now.bound) && slot->now.bound > 0) {
        slot->best = INFINITY;
        return SPGM_OK;
    }
    slot->best = fmax(slot->best, slot->now.bound);
    slot->best = split_run(slot, ROOT_ROUNDS);
    if (slot->best < tree->cutoff && slot->is_crowded) {
        if (!split_invert(tree)) {
            return status_memory(status, tree->workspace.bytes);
        }
        slot->best = split_run(slot, ROOT_ROUNDS);
    }
    if (slot->best < tree->cutoff) {
        shrink_root(search);
    }
    split_store(slot, &slot->now);
    return SPGM_OK;
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
            pop(tree, &slot->now);
        }
    }
}

/* 0: no room for what is open: the bound must account for it. */
static int merge_slot(struct tree *tree, struct slot *slot, double *lost) {
    int fits = 1;

    if (slot->has_better && isless(slot->upper, tree->upper)) {
        run_offer(tree->run, slot->best_x, slot->upper);
        set_upper(tree, slot->upper);
    }
    tree->unproven = fmin(tree->unproven, slot->unproven);
    tree->nodes += slot->used;
    tree->work += slot->work;
    if (slot->ledger != NULL) {
        int64_t base = ledger_append(tree->run->ledger, slot->ledger);

        for (int64_t i = 0; i < slot->child_count; i++) {
            int64_t origin = slot->children[i].origin;

            slot->children[i].origin = origin <= -2 ? base - 2 - origin : origin;
        }
    }
    for (int64_t i = 0; i < slot->child_count; i++) {
        if (slot->children[i].bound < tree->cutoff && !push(tree, &slot->children[i])) {
            *lost = fmin(*lost, slot->children[i].bound);
            fits = 0;
        }
    }
    return fits;
}

/* What is proven: no x has F below it. */
static double bound_of(const struct tree *tree, double lost) {
    double bound = fmin(tree->cutoff, fmin(tree->unproven, lost));

    return tree->open > 0 ? fmin(bound, tree->heap[0]->bound) : bound;
}

/* As many as there are open nodes, at most SLOTS: a small tree needs few. */
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
    int has_room = push(tree, &search->slots[0].now);
    spgm_error error = has_room ? SPGM_OK : status_memory(status, tree->workspace.bytes);

    while (error == SPGM_OK && has_room && tree->open > 0 && tree->heap[0]->bound < tree->cutoff &&
           tree->nodes < tree->limits.nodes && tree->work < tree->limits.work && !run_must_stop(tree->run)) {
        error = grow_slots(search, status);
        if (error != SPGM_OK) {
            break;
        }
        load_slots(search);
        parallel_for(tree->problem->team, search->slot_count, 1, run_slots, search);
        for (int i = 0; i < search->slot_count; i++) {
            struct slot *slot = &search->slots[i];

            if (slot->is_busy && slot->error_code != SPGM_OK) {
                error = fit_error(slot->fit, status);
                error = error == SPGM_OK && slot->whole != NULL ? fit_error(slot->whole, status) : error;
            }
            has_room &= !slot->is_busy || merge_slot(tree, slot, lost);
        }
        tree->run->bound = fmax(tree->run->bound, bound_of(tree, *lost));
        tree->run->open = tree->open;
        run_note(tree->run, tree->upper, tree->s);
    }
    return error;
}

/* ---- the way in ------------------------------------------------------------------------------------------ */

/* Whether the best F is that of the bound, up to rounding; or as near as was asked for. */
static void conclude(struct search *search, double lost, int *is_done) {
    struct tree *tree = &search->tree;
    struct run *run = tree->run;
    double rounding = tree->problem->h.kind->perfect * tree->zero, gap;

    run->bound = fmax(run->bound, fmin(bound_of(tree, lost), run->best_objective));
    gap = run->best_objective - run->bound;
    *is_done = islessequal(gap, fmax(1e-6, tree->limits.gap * (1 + 1e-9)) * fabs(tree->upper) + rounding);
    if (*is_done) {
        run->outcome = islessequal(gap, 1e-6 * fabs(tree->upper) + rounding) ? SPGM_OPTIMAL : SPGM_CONVERGED;
    } else if (tree->open == 0 && isinf(lost) && run->outcome == SPGM_NOT_RUN) {
        run->outcome = SPGM_LOCAL_OPTIMUM; /* every support was fitted or excluded; rounding kept a bound from F */
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
    run_note(run, run->best_objective, run->sparsity);
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
        slot->now.bound = slot->best;
        search->tree.work = slot->work;
        if (slot->best < search->tree.cutoff) {
            run->bound = fmax(run->bound, slot->best);
            error = branch(search, &lost, status);
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
    workspace_free(&search->tree.workspace);
    memory_free(search);
    run->phase = phase;
    run->timers[RUN_TIMER_SEARCH] += clock_seconds() - began;
    return error;
}

double exact_root_work(const struct run *run) {
    const struct problem *p = run->problem;
    double k = (double)(p->A->columns - p->set.barred_count), m = (double)p->A->rows, bare = 0;

    for (int64_t j = 0; j < p->A->columns; j++) {
        int is_boxed = p->f.ridge[j] > 0 ||
                       (p->lower != NULL && isfinite(p->lower[j]) && p->upper != NULL && isfinite(p->upper[j]));

        bare += !is_boxed;
    }
    if (bare > m && enumerate_count(run) > FEW_SUPPORTS) {
        return INFINITY;
    }
    return 16 * m * bare * bare + 2 * k * k * k + 10 * ROOT_ROUNDS * k * (2 * m + k);
}

/* Rows that live elsewhere are gathered, where one process has the room. */
static spgm_error run_spread(struct run *run, spgm_status *status) {
    double bytes = run->source == NULL ? INFINITY : share_bytes(run);

    if (run->ledger != NULL) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "a certificate needs all rows in one process: solve without a communicator to keep one");
    }
    if (!(bytes <= 1048576.0 * run->options->memory_limit)) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "the method exact needs all rows in one process, and they take %.0f MB: raise memory_limit "
                          "(%.0f MB) where process 0 has the room, or use auto",
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

    if (run->problem->A->reduce != NULL) {
        return run_spread(run, status);
    }
    error = auto_open(run, 0, status);
    limits.work = QUICK_WORK;
    for (int attempt = 0; attempt < 2; attempt++) {
        int is_proven = run->outcome == SPGM_OPTIMAL && (attempt > 0 || run->ledger == NULL);

        if (error == SPGM_OK && !is_done && !is_proven && !run_must_stop(run)) {
            run->outcome = SPGM_NOT_RUN;
            error = exact_tree(run, &limits, &is_done, status);
            is_done |= run->nodes >= run->options->node_limit;
        }
        if (attempt == 0 && error == SPGM_OK && !is_done && run->outcome != SPGM_OPTIMAL && !run_must_stop(run)) {
            error = auto_open(run, INCUMBENT_LEVELS, status); /* a tree that large is worth a better incumbent */
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
    .summary = "branch and bound: the optimum, proven, or a bound on what is left",
    .run = run_exact,
};
