/*
 * SPGM-BCD: minimise f(x) + h(A x - b) subject to ||x||_0 <= s by smoothing and global search over small blocks.
 *
 *     G. Yuan, Smoothing Proximal Gradient Methods for Nonsmooth Sparsity Constrained Optimization, Algorithm 1, Option
 * II; the greedy half of the working set is that of Yuan, Shen, Zheng, A Block Decomposition Algorithm for Sparse
 *     Optimization, KDD 2020.
 */
#include "method/spgm_bcd/spgm_bcd.h"

#include <math.h>
#include <string.h>

#include "linalg/vector.h"

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
    bcd->random_count = smaller(run->options->random_coordinates, bcd->candidate_count);
    bcd->greedy_count = smaller(run->options->greedy_coordinates, bcd->candidate_count - bcd->random_count);
    bcd->theta1 = run->options->theta1;
    bcd->theta2 = run->options->theta2;
    bcd->support_share = run->options->support_share;
    k = bcd->random_count + bcd->greedy_count + smaller(problem->free_count, BCD_MOST_FREE);
    smoothing_init(&bcd->base, run, workspace);
    block_init(&bcd->block, k, workspace);
    bcd->candidates = workspace_integers(workspace, bcd->candidate_count);
    bcd->square = workspace_doubles(workspace, n);
    bcd->curvature = workspace_doubles(workspace, n);
    bcd->taken = workspace_array(workspace, n, 1);
    bcd->B = workspace_integers(workspace, k);
    bcd->moved = workspace_integers(workspace, k);
    bcd->change = workspace_doubles(workspace, k);
    bcd->M = workspace_doubles(workspace, k * k);
    if (workspace->failed) {
        return status_memory(status, workspace->bytes);
    }
    for (int64_t j = 0, i = 0; j < n; j++) {
        if (!problem->is_free[j]) {
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

/* Free columns: all of them when few, else those that decrease the majoriser most, or random ones without the gradient.
 */
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
            double decrease = bcd->greedy_count > 0 ? bcd->base.g[j] * bcd->base.g[j] / diagonal(bcd, j)
                                                    : random_uniform(&bcd->base.run->random);

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

/* A column that counts towards s and is not taken yet: of the support with chance support_share, else of all. */
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

static void take_random(struct bcd *bcd) {
    int64_t support_left = bcd->base.point.counted;

    for (int64_t i = 0; i < bcd->random_count; i++) {
        int64_t j = draw_coordinate(bcd, support_left);

        support_left -= bcd->base.point.x[j] != 0;
        take(bcd, j);
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

/* The zero whose release lowers the majoriser most, g_j^2 / (2 H_jj); -1: none. Quotients are compared crosswise. */
static int64_t best_to_free(const struct bcd *bcd) {
    const double *restrict g = bcd->base.g;
    const double *restrict x = bcd->base.point.x;
    const unsigned char *is_free = bcd->base.problem->is_free;
    double best_square = -1;
    double best_diagonal = 1;
    int64_t best = -1;

    for (int64_t j = 0; j < bcd->base.problem->A->columns; j++) {
        double h = diagonal(bcd, j);

        if (isgreater(g[j] * g[j] * best_diagonal, best_square * h) && x[j] == 0 && !is_free[j] && !bcd->taken[j]) {
            best_square = g[j] * g[j];
            best_diagonal = h;
            best = j;
        }
    }
    return best;
}

/* Half from the support, half (and the odd one) from the zeros; where one side has too few, the other fills up. */
static void take_greedy(struct bcd *bcd) {
    for (int64_t i = 0; i < bcd->greedy_count; i++) {
        int64_t j = i < bcd->greedy_count / 2 ? cheapest_to_drop(bcd) : best_to_free(bcd);

        if (j < 0) {
            j = i < bcd->greedy_count / 2 ? best_to_free(bcd) : cheapest_to_drop(bcd);
        }
        if (j >= 0) {
            take(bcd, j);
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

/* mu H_BB, mu r_B and x_B. Returns how many of B may be nonzero besides the free columns. */
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
    if (bcd->greedy_count > 0) {
        for (int64_t i = 0; i < k; i++) {
            bcd->block.g[i] = bcd->base.g[bcd->B[i]];
        }
    } else {
        smoothing_gradient_columns(&bcd->base, k, bcd->B, bcd->block.g);
    }
    return bcd->base.run->sparsity - outside;
}

/* Move x_B, and A x - b by the columns that change. */
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
    if (bcd->base.t % bcd->base.run->options->refresh_period == 0) {
        point_refresh(point);
    }
}

/* x^{t+1} in argmin M-ddot(x, x^t, y^t; mu^t) over ||x||_0 <= s with x outside B fixed.   (eq. 7) */
static void x_step(struct bcd *bcd) {
    int64_t budget;

    choose_working_set(bcd);
    budget = gather_block(bcd);
    block_minimise(&bcd->block, bcd->k, bcd->mandatory, budget);
    move_block(bcd);
}

void bcd_step(struct bcd *bcd) {
    smoothing_next(&bcd->base); /* mu^t                                                                   (S3) */
    if (bcd->greedy_count > 0) {
        smoothing_gradient(&bcd->base); /* r^t = grad f(x^t) + A'(A x^t - b - y^t) / mu^t                      */
        smoothing_lap(&bcd->base, RUN_TIMER_GRADIENT);
    }
    x_step(bcd); /* x^{t+1}: best subset of the working set B^t                                           (S1) */
    smoothing_lap(&bcd->base, RUN_TIMER_XSTEP);
    smoothing_y_step(&bcd->base); /* y^{t+1} = P_mu^t(A x^{t+1} - b)                                      (S2) */
    smoothing_lap(&bcd->base, RUN_TIMER_YSTEP);
}

static spgm_error bcd_run(struct run *run, spgm_status *status) {
    struct workspace workspace = {0};
    struct bcd bcd;
    spgm_error error = bcd_init(&bcd, run, &workspace, status);

    if (error != SPGM_OK) {
        goto cleanup;
    }
    bcd_start(&bcd);
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
