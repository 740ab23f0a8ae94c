/*
 * Large data: a first model after three passes over A, then searches in samples of rows and columns.
 *
 * HOW IT WORKS: the first model consists of the columns that promise most, each by itself, for the squared loss. This
 * takes a pass for the correlations, one for the norms and, with an intercept, one for the means. F is minimised along
 * one line. Then, level by level,
 *   1. the model is fitted on all rows, and its dual vector prices all columns: one pass;
 *   2. a sample of the rows, and of the columns those that are priced best, become a problem of their own. It is
 *      searched for a bounded amount of work, by exchanges from the model and then by `auto` from its own starts;
 *   3. the support at the end is fitted on all rows, and the lower F stays;
 *   4. if an m x s block is small beside the data, exchanges on all rows follow, for a bounded amount of work.
 * A level samples twice as many rows as the one before and does twice the work. It begins with everything that the one
 * before does, so F never rises with effort. Nothing depends on the clock.
 *
 * If rows live elsewhere there is no step 4, and a level has LARGE_SAMPLES samples, each with half as many rows and its
 * share of the work. The processes search them in turn, so the samples and the result do not depend on the number of
 * processes.
 *
 * For a loss that few rows decide (linf), most of a sample are the rows with the largest residuals. Beside a large
 * mapped file, samples and the search on all rows use memory in turn.
 *
 * LIMITATIONS: problems with groups, or with smooth terms other than a ridge and a linear part, are not sampled. For
 * l2, which is not a sum over rows, a sample keeps all rows if memory allows, and only columns are left out.
 */
#include "search/large_inside.h"

#include <math.h>
#include <string.h>

#include "fit/fit.h"
#include "linalg/matrix.h"
#include "linalg/vector.h"
#include "model/line.h"
#include "model/part.h"
#include "search/constants.h"
#include "search/exchange.h"
#include "search/share.h"

const struct large_sizes large_sizes = {
    .entries = LARGE_ENTRIES,
    .sample_rows = LARGE_SAMPLE_ROWS,
    .fewest_rows = LARGE_FEWEST_ROWS,
    .columns = LARGE_COLUMNS,
    .sample_work = LARGE_SAMPLE_WORK,
    .full_work = LARGE_FULL_WORK,
    .cached_rows = LARGE_CACHED_ROWS,
    .passes = LARGE_PASSES,
};

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static double block_entries(const struct run *run) {
    return problem_rows(run->problem) * (double)run_capacity(run);
}

int large_is(const struct run *run, const struct large_sizes *sizes) {
    return fmax(problem_nonzeros(run->problem), block_entries(run)) >= sizes->entries;
}

int large_applies(const struct run *run, const struct large_sizes *sizes) {
    return run->source != NULL && run->sparsity > 0 && part_is_possible(run->source) && large_is(run, sizes);
}

double large_work(const struct run *run, const struct large_sizes *sizes, int level) {
    double passes = sizes->passes * problem_nonzeros(run->problem);

    double quick = problem_rows(run->problem) <= sizes->cached_rows ? LARGE_QUICK : 1;

    return large_is(run, sizes) ? doubled(fmax(quick * sizes->full_work, passes), level - 5, MOST_WORK) : INFINITY;
}

/* Estimate of the work of one exchange on all rows, as exchange_count counts it. */
static double step_work(const struct run *run) {
    double nonzeros = problem_nonzeros(run->problem), rows = problem_rows(run->problem);
    double k = (double)run_capacity(run), mean = nonzeros / (double)run->problem->A->columns;

    return 2 * nonzeros + mean * k * (1.5 * k + NEAR_CANDIDATES) + 30.0 * rows * TRIALS;
}

int large_affords_greedy(const struct run *run, const struct large_sizes *sizes) {
    double passes = (double)run->sparsity * problem_nonzeros(run->problem);

    return passes <= GREEDY_SHARE * large_work(run, sizes, 5);
}

/* Memory left beside a mapped file for samples and for the search on all rows. */
static double mapped_room(const struct run *run) {
    double vector = 8 * problem_rows(run->problem);

    return MAPPED_SHARE * share_bytes(run) - MAPPED_PROCESS - MAPPED_VECTORS * vector;
}

static int fits_beside_map(const struct run *run) {
    double vector = 8 * problem_rows(run->problem), images = 8 * exchange_image_room(run->problem->A);

    return 8 * block_entries(run) + images + LARGE_VECTORS * vector <= mapped_room(run);
}

int large_is_beside_map(const struct run *run) {
    return spgm_matrix_is_large(&run->source->A) && run_party(run) == NULL;
}

double large_sample_bytes(const struct run *run) {
    return large_is_beside_map(run) ? fmax(mapped_room(run), MAPPED_SAMPLE) : INFINITY;
}

/* Whether the search on all rows may take its memory, an m x s block and LARGE_VECTORS vectors over rows: as much as
 * LARGE_ROOM, as LARGE_SHARE of the data, or as that block, LARGE_FEW_VECTORS vectors and LARGE_ROOM. */
int large_fits_memory(const struct run *run) {
    double block = 8 * block_entries(run), vector = 8 * problem_rows(run->problem);
    double room = fmax(LARGE_ROOM, LARGE_SHARE * share_bytes(run));

    if (large_is_beside_map(run)) {
        return fits_beside_map(run);
    }
    return run_party(run) == NULL && block <= room &&
           block + LARGE_VECTORS * vector <= fmax(room, block + LARGE_FEW_VECTORS * vector + LARGE_ROOM);
}

int large_is_stopped(struct large *L) {
    const struct smooth *f = &L->problem->f;
    int is_perfect = f->linear == NULL && f->term == NULL &&
                     islessequal(L->run->best_objective, L->problem->h.kind->perfect * L->zero);

    return L->run->outcome == SPGM_INTERRUPTED || is_perfect || run_must_stop(L->run);
}

/* ---- the first model --------------------------------------------------------------------------------------------- */

static int64_t intercept_of(const struct problem *p) {
    return p->has_intercept ? p->data->columns : -1;
}

/* r: the residual at the constant model, with the mean of b or zero; returns that constant. */
static double begin_residual(struct large *L) {
    const struct problem *p = L->problem;
    int64_t m = p->A->rows;
    double mean = 0;

    for (int64_t i = 0; p->has_intercept && i < m; i++) {
        mean += p->b[i];
    }
    reduce_sum(p->A->reduce, &mean, 1);
    mean /= problem_rows(p);
    for (int64_t i = 0; i < m; i++) {
        L->r[i] = mean - p->b[i];
    }
    return mean;
}

/* The squared norms of the columns; with an intercept, of the centred columns. */
static void measure_columns(struct large *L, double *square) {
    const struct linop *A = L->problem->A;
    int64_t ones = intercept_of(L->problem);

    linop_column_squares(A, square);
    if (ones >= 0) { /* the column of ones is known to the frame: this takes no pass */
        linop_cross(A, 1, &ones, NULL, L->sums);
    }
    for (int64_t j = 0; j < A->columns; j++) {
        double left = square[j] - L->sums[j] * (L->sums[j] / problem_rows(L->problem));

        square[j] = isgreater(left, START_VANISHED * square[j]) ? left + L->problem->f.ridge[j] : 0;
    }
    L->square = square;
}

double large_promise(const struct large *L, int64_t j) {
    double p = L->price[j], square = L->square[j];

    return isgreater(square, 0) && problem_clip(L->problem, j, -p / square) != 0 ? p * (p / square) : 0;
}

/* The least-squares step of every chosen column by itself, with the intercept that makes up for their means, into x;
 * the coefficients of f along x. */
static struct parabola first_direction(struct large *L) {
    const struct problem *p = L->problem;
    struct run *run = L->run;
    int64_t n = p->A->columns, last = intercept_of(p), kept;
    struct parabola f = {0, 0, 0};

    for (int64_t j = 0; j < n; j++) {
        run->scores[j] = p->is_free[j] ? 0 : sqrt(large_promise(L, j));
        run->keys[j] = p->is_free[j] ? 0 : p->set.rule->adds ? large_promise(L, j) : run->scores[j];
        L->x[j] = 0;
    }
    kept = p->set.rule->choose(&p->set, run->sparsity, n, NULL, run->keys, &run->work, run->chosen);
    for (int64_t i = 0; i < kept; i++) {
        int64_t j = run->chosen[i];

        if (!p->is_free[j] && isgreater(large_promise(L, j), 0)) {
            L->x[j] = problem_clip(p, j, -L->price[j] / L->square[j]);
            f.linear += p->f.linear == NULL ? 0 : p->f.linear[j] * L->x[j];
            f.quadratic += p->f.ridge[j] * L->x[j] * L->x[j];
        }
    }
    for (int64_t j = 0; last >= 0 && j < n; j++) {
        L->x[last] -= j == last ? 0 : L->x[j] * L->sums[j] / problem_rows(p);
    }
    return f;
}

/* Offer the minimum of F along the steps of the columns that the current prices choose; returns 0 if F does not fall
 * there. */
static int offer_along(struct large *L, double mean) {
    const struct problem *p = L->problem;
    int64_t n = p->A->columns, last = intercept_of(p);
    struct parabola f = first_direction(L);
    double alpha = 1, F;

    linop_multiply(p->A, L->x, L->d);
    F = line_minimise(&p->h, L->r, L->d, f, 0, p->lower == NULL ? INFINITY : 1, LARGE_LINE_STEPS, INFINITY, &alpha);
    for (int64_t j = 0; j < n; j++) {
        L->x[j] *= alpha;
    }
    if (last >= 0) {
        L->x[last] += mean;
    }
    run_offer(L->run, L->x, F);
    run_note(L->run, F, L->run->sparsity);
    return alpha > 0;
}

/* Choose columns by the squared loss, which sees all rows. If F does not fall there (few rows decide), choose them by
 * the loss itself. */
static void first_model(struct large *L, double *square) {
    const struct problem *p = L->problem;
    double mean = begin_residual(L);

    measure_columns(L, square);
    linop_transpose(p->A, L->r, L->price);
    if (!offer_along(L, mean)) {
        p->h.ops->subgradient(&p->h, L->r, L->d);
        linop_transpose(p->A, L->d, L->price);
        offer_along(L, mean);
    }
}

/* ---- the judgement of all rows ----------------------------------------------------------------------------------- */

spgm_error large_judge(struct large *L, const double *x, double gap, spgm_status *status) {
    int64_t k = fit_support_of(L->problem, x, L->support);

    fit_set_support(L->fit, k, L->support);
    fit_gather(L->fit, x);
    fit_rough(L->fit, gap, INFINITY);
    fit_scatter(L->fit, L->x);
    run_offer(L->run, L->x, fit_objective(L->fit));
    run_note(L->run, fit_objective(L->fit), L->run->sparsity);
    return fit_error(L->fit, status);
}

void large_price(struct large *L) {
    const struct problem *p = L->problem;

    linop_multiply(p->A, L->run->best_x, L->r);
    vector_axpy(p->A->rows, -1, p->b, L->r);
    p->h.ops->subgradient(&p->h, L->r, L->d);
    linop_transpose(p->A, L->d, L->price);
    if (p->f.linear != NULL) {
        vector_axpy(p->A->columns, 1, p->f.linear, L->price);
    }
}

/* ---- exchanges on all rows --------------------------------------------------------------------------------------- */

/* Exchanges from the best model until none lowers F or the work is done; the work that is left goes into restarts. */
static void descend(struct large *L) {
    struct run *run = L->run;

    if (L->descended > run->best_objective) {
        vector_copy(L->problem->A->columns, run->best_x, L->x);
        if (!L->has_begun && large_affords_greedy(run, L->sizes)) {
            exchange_begin(L->exchange, L->x);
            exchange_descend_starts(L->exchange, INFINITY);
        } else {
            exchange_start(L->exchange, L->x, 1, INFINITY);
        }
        L->has_begun = 1;
        L->descended = run->spent < run->allowance ? run->best_objective : INFINITY;
    }
}

static spgm_error search_all_rows(struct large *L, int level, spgm_status *status) {
    struct run *run = L->run;
    int64_t idle = 0, patience = INT64_C(1) << (level < 40 ? level - 1 : 39);
    spgm_error error = SPGM_OK;

    L->saved += large_work(run, L->sizes, level);
    if (L->saved < DESCENT_STEPS * step_work(run)) {
        return SPGM_OK;
    }
    if (L->exchange == NULL) {
        error = exchange_new(run, &L->exchange, status);
    }
    if (error != SPGM_OK) {
        return error;
    }
    run->allowance = run->spent + L->saved;
    patience *= exchange_patience(L->exchange);
    fit_release(L->fit);
    descend(L);
    while (idle < patience && run->spent < run->allowance && !large_is_stopped(L)) {
        double before = run->best_objective;

        exchange_restart(L->exchange);
        run->restarts++;
        run_note(run, exchange_objective(L->exchange), run->sparsity);
        idle = isless(run->best_objective, before - exchange_margin(L->exchange, before)) ? 0 : idle + 1;
    }
    L->saved = fmax(0, run->allowance - run->spent);
    return exchange_error(L->exchange, status);
}

/* ---- begin and climb --------------------------------------------------------------------------------------------- */

static spgm_error prepare(struct large *L, spgm_status *status) {
    struct workspace *w = &L->workspace;
    int64_t n = L->problem->A->columns, m = L->problem->A->rows;

    L->sums = workspace_doubles(w, n);
    L->price = workspace_doubles(w, n);
    L->score = workspace_doubles(w, n);
    L->spare = workspace_doubles(w, n);
    L->x = workspace_doubles(w, n);
    L->support = workspace_integers(w, n);
    L->chosen = workspace_integers(w, n);
    L->is_in = workspace_array(w, n, 1);
    L->columns = workspace_integers(w, n);
    L->x_data = workspace_doubles(w, L->problem->data_columns);
    L->x_part = workspace_doubles(w, n);
    L->samples = run_party(L->run) == NULL ? 1 : LARGE_SAMPLES;
    L->ends = workspace_doubles(w, L->samples * n);
    L->found = workspace_doubles(w, L->problem->data_columns);
    L->r = workspace_doubles(w, m);
    L->d = workspace_doubles(w, m);
    if (w->failed) {
        return status_memory(status, w->bytes);
    }
    L->zero = problem_loss_at_zero(L->problem, L->r);
    L->first_row = run_party(L->run) == NULL ? 0 : party_before(run_party(L->run), m);
    return SPGM_OK;
}

/* Fit the best model to full accuracy. */
static spgm_error settle(struct large *L, spgm_status *status) {
    spgm_error error = SPGM_OK;

    if (L->exact > L->run->best_objective && !large_is_stopped(L)) {
        error = large_judge(L, L->run->best_x, 0, status);
        L->exact = L->run->best_objective;
    }
    return error;
}

/* Levels until two in a row have not lowered F; under a time limit without effort, until the time is up. */
static spgm_error climb(struct large *L, int levels, spgm_status *status) {
    int quiet = 0, most = levels > MOST_EFFORT ? levels : QUIET_LEVELS;
    spgm_error error = SPGM_OK;

    for (int level = 1; level <= levels && quiet < most && error == SPGM_OK && !large_is_stopped(L); level++) {
        double before = L->run->best_objective;

        error = large_is_worth_a_sample(L, level) ? large_search_samples(L, level, status) : SPGM_OK;
        if (error == SPGM_OK && large_fits_memory(L->run) && !large_is_stopped(L)) {
            error = search_all_rows(L, level, status);
        }
        quiet = isless(L->run->best_objective, before - SAME * fabs(before)) ? 0 : quiet + 1;
    }
    return error == SPGM_OK ? settle(L, status) : error;
}

spgm_error large_first(struct run *run, const struct large_sizes *sizes, double *square, spgm_status *status) {
    struct large L = {.run = run, .problem = run->problem, .sizes = sizes, .workspace.memory = run->problem->A->memory};
    spgm_error error = prepare(&L, status);

    if (error == SPGM_OK) {
        first_model(&L, square);
    }
    workspace_free(&L.workspace);
    return error;
}

/* Start from the end of OMP fitted to full accuracy, so that F is never above it, or from the first model; and from the
 * user's start. */
static spgm_error begin(struct large *L, const double *greedy, const double *start, spgm_status *status) {
    spgm_error error =
        greedy != NULL ? large_judge(L, greedy, 0, status) : large_judge(L, L->run->best_x, JUDGE_GAP, status);

    L->exact = greedy != NULL ? fit_objective(L->fit) : INFINITY;

    return error == SPGM_OK && L->run->start_given && !large_is_stopped(L) ? large_judge(L, start, JUDGE_GAP, status)
                                                                           : error;
}

spgm_error large_search(struct run *run, const struct large_sizes *sizes, const double *square, const double *greedy,
                        const double *start, int levels, spgm_status *status) {
    struct large L = {.run = run,
                      .problem = run->problem,
                      .sizes = sizes,
                      .square = square,
                      .descended = INFINITY,
                      .workspace.memory = run->problem->A->memory};
    spgm_error error = prepare(&L, status);

    if (error == SPGM_OK) {
        L.fit = large_is_stopped(&L) ? NULL : fit_new(run->problem, run_capacity(run));
        if (L.fit != NULL) {
            fit_set_stop(L.fit, run_is_late, run);
            error = begin(&L, greedy, start, status);
            error = error == SPGM_OK ? climb(&L, levels, status) : error;
        } else if (!large_is_stopped(&L)) {
            error = status_memory(status, fit_bytes(run->problem, run_capacity(run)));
        }
    }
    if (error == SPGM_OK && !run_is_over(run)) {
        run->outcome = SPGM_SEARCHED;
    }
    run->allowance = INFINITY;
    exchange_free(L.exchange);
    fit_free(L.fit);
    workspace_free(&L.workspace);
    return error;
}
