/*
 * SPGM-BCD: minimise f(x) + h(A x - b) subject to ||x||_0 <= s by smoothing and global search over small blocks.
 *
 *     G. Yuan, Smoothing Proximal Gradient Methods for Nonsmooth Sparsity Constrained Optimization, Algorithm 1, Option
 * II; the greedy half of the working set is that of Yuan, Shen, Zheng, A Block Decomposition Algorithm for Sparse
 *     Optimization, KDD 2020.
 */
#include "method/spgm_bcd/spgm_bcd.h"
#include "method/constants.h"

#include <math.h>
#include <string.h>

#include "linalg/select.h"
#include "linalg/vector.h"
#include "method/smoothing_stages.h"

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static spgm_error check_working_set(const struct spgm_options *options, spgm_status *status) {
    int64_t k = options->random_coordinates + options->greedy_coordinates;

    if (k < 1 || k > BCD_MOST_COORDINATES) {
        return status_set(status, SPGM_ERROR_OPTION,
                          "random_coordinates + greedy_coordinates is %lld: a working set of spgm-bcd has 1 to %d "
                          "coordinates, because all its subsets are tried",
                          (long long)k, BCD_MOST_COORDINATES);
    }
    return SPGM_OK;
}

/* The diagonal of mu H^t is square_j + mu curvature_j. */
static void fill_diagonal(struct bcd *bcd) {
    const struct problem *problem = bcd->base.problem;

    linop_column_squares(problem->A, bcd->square);
    for (int64_t j = 0; j < problem->A->columns; j++) {
        bcd->square[j] += bcd->theta1;
        bcd->curvature[j] = bcd->theta2;
        smooth_add_curvature(&problem->f, 1, &j, &bcd->curvature[j]);
    }
}

spgm_error bcd_init(struct bcd *bcd, struct run *run, struct workspace *workspace, spgm_status *status) {
    const struct problem *problem = run->problem;
    int64_t n = problem->A->columns;
    int64_t k;

    if (check_working_set(run->options, status) != SPGM_OK) {
        return SPGM_ERROR_OPTION;
    }
    memset(bcd, 0, sizeof *bcd);
    bcd->candidate_count = problem_candidates(problem);
    bcd->random_count = run_is_tuned(run) ? TUNED_RANDOM : run->options->random_coordinates;
    bcd->greedy_count = run_is_tuned(run) ? TUNED_GREEDY : run->options->greedy_coordinates;
    bcd->random_count = smaller(bcd->random_count, bcd->candidate_count);
    bcd->greedy_count = smaller(bcd->greedy_count, bcd->candidate_count - bcd->random_count);
    bcd->theta1 = run->options->theta1;
    bcd->theta2 = run->options->theta2;
    bcd->support_share = run_is_plain(run) ? 0 : run_is_tuned(run) ? TUNED_SHARE : run->options->support_share;
    bcd->is_within = !problem->set.is_plain || problem->lower != NULL;
    bcd->most = problem->set.rule->adds ? smaller(bcd->candidate_count, BCD_MOST_COORDINATES)
                                        : bcd->random_count + bcd->greedy_count;
    k = bcd->most + smaller(problem->free_count, BCD_MOST_FREE);
    smoothing_init(&bcd->base, run, workspace);
    block_init(&bcd->block, k, workspace);
    if (bcd->is_within) {
        block_init_within(&bcd->block, workspace);
        bcd->count = workspace_integers(workspace, n > problem->set.groups ? n : problem->set.groups);
        bcd->rise = workspace_doubles(workspace, problem->set.rule->adds ? problem->set.units : 0);
    }
    bcd->candidates = workspace_integers(workspace, bcd->candidate_count);
    bcd->square = workspace_doubles(workspace, n);
    bcd->curvature = workspace_doubles(workspace, n);
    bcd->taken = workspace_array(workspace, n, 1);
    bcd->B = workspace_integers(workspace, k);
    bcd->moved = workspace_integers(workspace, k);
    bcd->change = workspace_doubles(workspace, k);
    bcd->M = workspace_doubles(workspace, k * k);
    bcd->looks = run_is_tuned(run) && bcd->greedy_count > 0 ? LOOK_PERIOD : 1;
    bcd->watched = workspace_integers(workspace, bcd->looks > 1 ? n : 0);
    bcd->watched_g = workspace_doubles(workspace, bcd->looks > 1 ? n : 0);
    if (workspace->failed) {
        return status_memory(status, workspace->bytes);
    }
    for (int64_t j = 0, i = 0; j < n; j++) {
        if (problem->set.unit_of[j] >= 0) {
            bcd->candidates[i++] = j;
        }
    }
    fill_diagonal(bcd);
    return SPGM_OK;
}

void bcd_start(struct bcd *bcd) {
    smoothing_start(&bcd->base);
}

static void take(struct bcd *bcd, int64_t j) {
    bcd->B[bcd->k++] = j;
    bcd->taken[j] = 1;
}

static double diagonal(const struct bcd *bcd, int64_t j) {
    return bcd->square[j] + bcd->base.mu * bcd->curvature[j]; /* mu H_jj */
}

/* Twice the decrease of the majoriser along column j alone, within its bounds. */
static double decrease_along(const struct bcd *bcd, int64_t j) {
    const struct problem *problem = bcd->base.problem;
    double g = bcd->base.g[j], h = diagonal(bcd, j), x = bcd->base.point.x[j];
    double z = x - g / h;
    double step = problem_clip(problem, j, z) - x;

    return x + step == z || problem->lower == NULL ? g * g / h : -step * (2 * g + h * step);
}

/* Take the free columns: all of them if there are few, otherwise those that decrease the majoriser most; if there is no
 * gradient, random ones. */
static void take_free(struct bcd *bcd) {
    const struct problem *problem = bcd->base.problem;
    int64_t count = smaller(problem->free_count, BCD_MOST_FREE);

    for (int64_t chosen = 0; chosen < count; chosen++) {
        int64_t best = -1;
        double best_decrease = -1;

        if (problem->free_count == count) {
            take(bcd, problem->free_columns[chosen]);
            continue;
        }
        for (int64_t i = 0; i < problem->free_count; i++) {
            int64_t j = problem->free_columns[i];
            double decrease = bcd->greedy_count > 0 ? decrease_along(bcd, j) : random_uniform(&bcd->base.run->random);

            if (!bcd->taken[j] && isgreater(decrease, best_decrease)) {
                best_decrease = decrease;
                best = j;
            }
        }
        if (best >= 0) {
            take(bcd, best);
        }
    }
    bcd->mandatory = bcd->k;
}

/* Draw a column that counts towards s and is not taken yet: from the support with probability support_share, otherwise
 * from all columns. */
static int64_t draw_coordinate(struct bcd *bcd, int64_t support_left) {
    struct random *random = &bcd->base.run->random;
    const struct point *point = &bcd->base.point;
    int of_support = support_left > 0 && random_uniform(random) < bcd->support_share;

    for (;;) {
        int64_t j = of_support ? point->support[random_below(random, point->support_size)]
                               : bcd->candidates[random_below(random, bcd->candidate_count)];

        if (!bcd->taken[j] && !bcd->base.problem->is_free[j]) {
            return j;
        }
    }
}

/* If groups count as one, take the whole group of j as far as there is room, otherwise j. Returns how many of these
 * columns are in the support. */
static int64_t take_unit(struct bcd *bcd, int64_t j) {
    const struct feasible *set = &bcd->base.problem->set;
    int64_t unit = set->unit_of[j];
    int64_t in_support = bcd->base.point.x[j] != 0;

    take(bcd, j);
    for (int64_t i = set->unit_start[unit]; i < set->unit_start[unit + 1]; i++) {
        int64_t mate = set->unit_columns[i];

        if (!bcd->taken[mate] && bcd->k - bcd->mandatory < bcd->most) {
            in_support += bcd->base.point.x[mate] != 0;
            take(bcd, mate);
        }
    }
    return in_support;
}

static void take_random(struct bcd *bcd) {
    int64_t support_left = bcd->base.point.counted;

    for (int64_t i = 0; i < bcd->random_count && bcd->k - bcd->mandatory < bcd->most; i++) {
        support_left -= take_unit(bcd, draw_coordinate(bcd, support_left));
    }
}

/* The coordinate of the support whose return to zero raises the majoriser least; -1: none. */
static int64_t cheapest_to_drop(const struct bcd *bcd) {
    const struct point *point = &bcd->base.point;
    const unsigned char *is_free = bcd->base.problem->is_free;
    double best_increase = INFINITY;
    int64_t best = -1;

    for (int64_t i = 0; i < point->support_size; i++) {
        int64_t j = point->support[i];
        double x = point->x[j];
        double increase = x * (x * diagonal(bcd, j) / 2 - bcd->base.g[j]);

        if (isless(increase, best_increase) && !is_free[j] && !bcd->taken[j]) {
            best_increase = increase;
            best = j;
        }
    }
    return best;
}

/* g_j^2, or less if a bound limits x_j on its way from zero: H_jj times twice the decrease. */
static double square_within(const struct bcd *bcd, int64_t j, double h) {
    double g = bcd->base.g[j];
    double z = problem_clip(bcd->base.problem, j, -g / h);

    return z == -g / h ? g * g : -z * (2 * g + h * z) * h;
}

/* The zero whose release lowers the majoriser most, g_j^2 / (2 H_jj); -1: none. Quotients are compared by
 * cross-multiplication. */
static int64_t best_to_free(const struct bcd *bcd) {
    const double *restrict g = bcd->base.g;
    const double *restrict x = bcd->base.point.x;
    const unsigned char *is_free = bcd->base.problem->is_free;
    double best_square = -1;
    double best_diagonal = 1;
    int64_t best = -1;

    for (int64_t j = 0; j < bcd->base.problem->A->columns; j++) {
        double h = diagonal(bcd, j);
        double square = bcd->is_within ? square_within(bcd, j, h) : g[j] * g[j];

        if (isgreater(square * best_diagonal, best_square * h) && x[j] == 0 && !is_free[j] && !bcd->taken[j]) {
            best_square = square;
            best_diagonal = h;
            best = j;
        }
    }
    return best;
}

/* The same if groups count as one: a column of the group whose return to zero raises the majoriser least, each column
 * taken alone. */
static int64_t cheapest_group_to_drop(const struct bcd *bcd) {
    const struct point *point = &bcd->base.point;
    const int64_t *unit_of = bcd->base.problem->set.unit_of;
    double best_increase = INFINITY;
    int64_t best = -1;

    for (int64_t i = 0; i < point->support_size; i++) {
        int64_t j = point->support[i];

        if (unit_of[j] >= 0) {
            bcd->rise[unit_of[j]] += point->x[j] * (point->x[j] * diagonal(bcd, j) / 2 - bcd->base.g[j]);
        }
    }
    for (int64_t i = 0; i < point->support_size; i++) {
        int64_t j = point->support[i];

        if (unit_of[j] >= 0 && !bcd->taken[j] && isless(bcd->rise[unit_of[j]], best_increase)) {
            best_increase = bcd->rise[unit_of[j]];
            best = j;
        }
    }
    for (int64_t i = 0; i < point->support_size; i++) {
        if (unit_of[point->support[i]] >= 0) {
            bcd->rise[unit_of[point->support[i]]] = 0;
        }
    }
    return best;
}

/* Set bcd->count [groups] from the nonzeros that count towards s and are not in B; clear: back to zero. */
static void count_outside(const struct bcd *bcd, const int64_t *list_of, int clear) {
    const struct point *point = &bcd->base.point;

    for (int64_t i = 0; i < point->support_size; i++) {
        int64_t j = point->support[i];

        if (bcd->base.problem->set.unit_of[j] >= 0 && list_of[j] >= 0) {
            bcd->count[list_of[j]] = clear ? 0 : bcd->count[list_of[j]] + !bcd->taken[j];
        }
    }
}

/* The same under groups or with barred columns, by the gain of a column or group. A column cannot enter if the nonzeros
 * outside B leave no room in its group. */
static int64_t best_to_free_by_rule(const struct bcd *bcd) {
    const struct feasible *set = &bcd->base.problem->set;
    struct run *run = bcd->base.run;
    int64_t size;

    if (set->room != NULL) {
        count_outside(bcd, set->group_of, 0);
    }
    for (int64_t j = 0; j < set->columns; j++) {
        int is_open = set->unit_of[j] >= 0 && !bcd->taken[j] && bcd->base.point.x[j] == 0;

        if (is_open && set->room != NULL && set->group_of[j] >= 0) {
            is_open = bcd->count[set->group_of[j]] < set->room[set->group_of[j]];
        }
        run->keys[j] = is_open ? decrease_along(bcd, j) : 0;
    }
    if (set->room != NULL) {
        count_outside(bcd, set->group_of, 1);
    }
    size = set->rule->choose(set, 1, set->columns, NULL, run->keys, &run->work, run->chosen);
    for (int64_t i = 0; i < size; i++) {
        if (isgreater(run->keys[run->chosen[i]], 0)) {
            return run->chosen[i];
        }
    }
    return -1;
}

static int64_t greedy_drop(const struct bcd *bcd) {
    return bcd->base.problem->set.rule->adds ? cheapest_group_to_drop(bcd) : cheapest_to_drop(bcd);
}

static int64_t greedy_free(const struct bcd *bcd) {
    return bcd->base.problem->set.is_plain ? best_to_free(bcd) : best_to_free_by_rule(bcd);
}

/* Half of the greedy columns from the support, half (and the odd one) from the zeros; if one side has too few, the
 * other fills up. */
static void take_greedy(struct bcd *bcd) {
    for (int64_t i = 0; i < bcd->greedy_count && bcd->k - bcd->mandatory < bcd->most; i++) {
        int64_t j = i < bcd->greedy_count / 2 ? greedy_drop(bcd) : greedy_free(bcd);

        if (j < 0) {
            j = i < bcd->greedy_count / 2 ? greedy_free(bcd) : greedy_drop(bcd);
        }
        if (j >= 0) {
            take_unit(bcd, j);
        }
    }
}

/* The working set B^t. */
static void choose_working_set(struct bcd *bcd) {
    for (int64_t i = 0; i < bcd->k; i++) {
        bcd->taken[bcd->B[i]] = 0;
    }
    bcd->k = 0;
    take_free(bcd);
    take_random(bcd);
    take_greedy(bcd);
}

/* s, or the size to which the model has grown. */
static int64_t sparsity_now(const struct bcd *bcd) {
    int64_t s = bcd->base.run->sparsity;

    return bcd->base.t < bcd->growth ? smaller(s, 1 + bcd->base.t * s / bcd->growth) : s;
}

/* Move a column of B that costs nothing to the mandatory ones. */
static void make_mandatory(struct bcd *bcd, int64_t i) {
    int64_t j = bcd->B[i];

    for (; i > bcd->mandatory; i--) {
        bcd->B[i] = bcd->B[i - 1];
    }
    bcd->B[bcd->mandatory++] = j;
}

/* With the rule `grouped`: columns of B cost nothing if a column outside B has their group in the model; sort the
 * others by group. */
static void arrange_groups(struct bcd *bcd) {
    const struct feasible *set = &bcd->base.problem->set;
    const struct point *point = &bcd->base.point;

    count_outside(bcd, set->unit_of, 0);
    bcd->budget = sparsity_now(bcd);
    for (int64_t i = 0; i < point->support_size; i++) { /* a group is counted at its first column */
        int64_t u = set->unit_of[point->support[i]];

        if (u >= 0 && bcd->count[u] > 0) {
            bcd->budget--;
            bcd->count[u] = -1;
        }
    }
    for (int64_t i = bcd->mandatory; i < bcd->k; i++) {
        if (bcd->count[set->unit_of[bcd->B[i]]] < 0) {
            make_mandatory(bcd, i);
        }
    }
    count_outside(bcd, set->unit_of, 1);
    for (int64_t i = bcd->mandatory + 1; i < bcd->k; i++) { /* insertion sort by unit, because B is short */
        int64_t j = bcd->B[i], at = i;

        for (; at > bcd->mandatory && set->unit_of[bcd->B[at - 1]] > set->unit_of[j]; at--) {
            bcd->B[at] = bcd->B[at - 1];
        }
        bcd->B[at] = j;
    }
}

/* The caps of the groups that occur in B: the room that the nonzeros outside B leave. */
static void cap_items(struct bcd *bcd) {
    const struct feasible *set = &bcd->base.problem->set;
    struct block *block = &bcd->block;

    count_outside(bcd, set->group_of, 0);
    for (int64_t i = 0; i < block->items; i++) {
        int64_t g = set->group_of[bcd->B[block->item_start[i]]];

        block->item_cap[i] = -1;
        for (int64_t l = 0; g >= 0 && l < i && block->item_cap[i] < 0; l++) {
            block->item_cap[i] = set->group_of[bcd->B[block->item_start[l]]] == g ? block->item_cap[l] : -1;
        }
        if (g >= 0 && block->item_cap[i] < 0) {
            block->cap_room[block->caps] = set->room[g] - bcd->count[g];
            block->item_cap[i] = block->caps++;
        }
    }
    count_outside(bcd, set->group_of, 1);
}

/* Describe which columns of B may be nonzero together, and their bounds. */
static void arrange(struct bcd *bcd) {
    const struct problem *problem = bcd->base.problem;
    const struct feasible *set = &problem->set;
    struct block *block = &bcd->block;

    if (set->rule->adds) {
        arrange_groups(bcd);
    }
    block->items = block->caps = 0;
    for (int64_t i = bcd->mandatory; i < bcd->k; i++) {
        if (i == bcd->mandatory || set->unit_of[bcd->B[i]] != set->unit_of[bcd->B[i - 1]]) {
            block->item_cap[block->items] = -1;
            block->item_start[block->items++] = i;
        }
    }
    block->item_start[block->items] = bcd->k;
    if (set->room != NULL) {
        cap_items(bcd);
    }
    block->is_bounded = problem->lower != NULL;
    for (int64_t i = 0; block->is_bounded && i < bcd->k; i++) {
        block->lower[i] = problem->lower[bcd->B[i]];
        block->upper[i] = problem->upper[bcd->B[i]];
    }
}

/* Set up mu H_BB, mu r_B and x_B. Returns how many columns of B may be nonzero besides the free ones. */
static int64_t gather_block(struct bcd *bcd) {
    const struct problem *problem = bcd->base.problem;
    const double *x = bcd->base.point.x;
    double mu = bcd->base.mu;
    int64_t k = bcd->k;
    int64_t outside = bcd->base.point.counted;

    linop_gram(problem->A, k, bcd->B, NULL, bcd->block.H);
    memset(bcd->M, 0, (size_t)(k * k) * sizeof *bcd->M);
    smooth_add_curvature(&problem->f, k, bcd->B, bcd->M);
    vector_axpy(k * k, mu, bcd->M, bcd->block.H);
    for (int64_t i = 0; i < k; i++) {
        bcd->block.H[i * k + i] += bcd->theta1 + mu * bcd->theta2; /* A'A + theta_1 I + mu (M~ + theta_2 I) */
        bcd->block.x[i] = x[bcd->B[i]];
        outside -= i >= bcd->mandatory && x[bcd->B[i]] != 0;
    }
    if (bcd->is_whole) {
        for (int64_t i = 0; i < k; i++) {
            bcd->block.g[i] = bcd->base.g[bcd->B[i]];
        }
    } else {
        smoothing_gradient_columns(&bcd->base, k, bcd->B, bcd->block.g);
    }
    return sparsity_now(bcd) - outside;
}

/* Move x_B, and update A x - b for the columns that change. */
static void move_block(struct bcd *bcd) {
    struct point *point = &bcd->base.point;
    int64_t count = 0;

    for (int64_t i = 0; i < bcd->k; i++) {
        if (bcd->block.change[i] != 0) {
            bcd->moved[count] = bcd->B[i];
            bcd->change[count++] = bcd->block.change[i];
        }
    }
    bcd->base.iteration.step = vector_norm(count, bcd->change);
    point_change(point, count, bcd->moved, bcd->change);
    for (int64_t i = 0; bcd->block.is_bounded && i < count; i++) { /* rounding of the sum */
        point->x[bcd->moved[i]] = problem_clip(point->problem, bcd->moved[i], point->x[bcd->moved[i]]);
    }
    if (bcd->base.t % bcd->base.run->options->refresh_period == 0) {
        point_refresh(point);
    }
}

/* x^{t+1} in argmin M-ddot(x, x^t, y^t; mu^t) over the feasible set with x outside B fixed.   (eq. 7) */
static void x_step(struct bcd *bcd) {
    int64_t budget;

    choose_working_set(bcd);
    if (bcd->is_within) {
        arrange(bcd);
    }
    budget = gather_block(bcd);
    if (bcd->is_within) {
        budget = bcd->base.problem->set.rule->adds ? bcd->budget : budget;
        block_minimise_within(&bcd->block, bcd->k, bcd->mandatory, budget);
    } else {
        block_minimise(&bcd->block, bcd->k, bcd->mandatory, budget);
    }
    move_block(bcd);
}

/* After a look at all columns: watch those whose release lowers the majoriser most. */
static void watch(struct bcd *bcd) {
    const struct problem *problem = bcd->base.problem;
    struct run *run = bcd->base.run;
    int64_t n = problem->A->columns;

    for (int64_t j = 0; j < n; j++) {
        int is_zero = bcd->base.point.x[j] == 0 && problem->set.unit_of[j] >= 0;

        run->keys[j] = is_zero ? decrease_along(bcd, j) : -1;
    }
    bcd->watched_count = smaller(n, run->sparsity / 2 + SPARE_COLUMNS);
    select_largest(n, run->keys, bcd->watched_count, bcd->watched, bcd->watched_g);
}

/* Compute g for the watched columns, those of the support and the free ones; elsewhere it is 0, so that the greedy
 * choice ignores them. */
static void look_at_watched(struct bcd *bcd) {
    const struct problem *problem = bcd->base.problem;
    const struct point *point = &bcd->base.point;
    const int64_t *lists[] = {bcd->watched, point->support, problem->free_columns};
    int64_t sizes[] = {bcd->watched_count, point->support_size, problem->free_count};

    memset(bcd->base.g, 0, (size_t)problem->A->columns * sizeof *bcd->base.g);
    for (int l = 0; l < 3; l++) {
        smoothing_gradient_columns(&bcd->base, sizes[l], lists[l], bcd->watched_g);
        for (int64_t i = 0; i < sizes[l]; i++) {
            bcd->base.g[lists[l][i]] = bcd->watched_g[i];
        }
    }
}

/* Compute the part of g^t that the greedy choice needs. */
static void look(struct bcd *bcd) {
    bcd->is_whole = (bcd->base.t - 1) % bcd->looks == 0;
    if (!bcd->is_whole) {
        look_at_watched(bcd);
        return;
    }
    smoothing_gradient(&bcd->base);
    if (bcd->looks > 1) {
        watch(bcd);
    }
}

void bcd_step(struct bcd *bcd) {
    smoothing_next(&bcd->base); /* mu^t                                                                   (S3) */
    if (bcd->greedy_count > 0) {
        look(bcd); /* r^t = grad f(x^t) + A'(A x^t - b - y^t) / mu^t                      */
        smoothing_lap(&bcd->base, RUN_TIMER_GRADIENT);
    }
    x_step(bcd); /* x^{t+1}: best subset of the working set B^t                                           (S1) */
    smoothing_lap(&bcd->base, RUN_TIMER_XSTEP);
    smoothing_y_step(&bcd->base); /* y^{t+1} = P_mu^t(A x^{t+1} - b)                                      (S2) */
    smoothing_lap(&bcd->base, RUN_TIMER_YSTEP);
}

static void step(void *bcd) {
    bcd_step(bcd);
}

/* Passes of a step of the tuned form: the full gradients, the watched columns, the Gram matrix, and the columns of B
 * once more. */
static double passes_of_step(const struct bcd *bcd) {
    int64_t k = bcd->most, columns = bcd->base.problem->A->columns;
    int64_t watched = smaller(columns, 3 * bcd->base.run->sparsity / 2 + SPARE_COLUMNS);

    return 1.0 / LOOK_PERIOD + (double)(watched + k * (k + 1) / 2 + 2 * k) / (double)columns;
}

static spgm_error bcd_run(struct run *run, spgm_status *status) {
    struct workspace workspace = {.memory = run->problem->A->memory};
    struct bcd bcd;
    spgm_error error = bcd_init(&bcd, run, &workspace, status);

    if (error != SPGM_OK) {
        goto cleanup;
    }
    bcd_start(&bcd);
    if (run_is_tuned(run)) {
        error = stages_run(&(struct stages){&bcd.base, step, &bcd, passes_of_step(&bcd), &bcd.growth, 0, 0}, status);
        goto cleanup;
    }
    do {
        bcd_step(&bcd);
    } while (!run_iteration(run, bcd.base.point.x, &bcd.base.iteration));
cleanup:
    workspace_free(&workspace);
    return error;
}

const struct method method_spgm_bcd = {
    .name = "spgm-bcd",
    .summary = "smoothing proximal gradient method with global search over small blocks (better points)",
    .run = bcd_run,
};
