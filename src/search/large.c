/*
 * HOW IT WORKS
 *
 * The first model has the columns that promise most each on its own, by the squared loss: a pass for the correlations,
 * one for the norms and, with an intercept, one for the means. F is minimised along one line. Then, level by level,
 *   1. the model is fitted on all rows, and its dual vector prices all columns: one pass;
 *   2. a sample of rows, and of the columns those that are priced best, become a problem of their own, in which `auto`
 *      searches from its own starts and from the model, for a bounded amount of work;
 *   3. the support that it ends with is fitted on all rows. The lower F stays;
 *   4. where m x s numbers are little beside the data, exchanges on all rows go on from there, for a bounded amount of
 *      work.
 * A level looks at twice as many rows as the one before and does twice the work, and begins with all that the one
 * before did: F never rises with effort. Nothing is decided by the clock.
 *
 * LIMITATIONS: groups and smooth terms other than a ridge and a linear part are not sampled. A loss that is no sum over
 * rows keeps all rows, and only columns are left out.
 */
#include "search/large.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "fit/fit.h"
#include "linalg/select.h"
#include "linalg/vector.h"
#include "model/line.h"
#include "model/part.h"
#include "search/auto.h"
#include "search/constants.h"
#include "search/exchange.h"

/* Chosen on the cases of bench_scale. */
const struct large_sizes large_sizes = {
    .entries = 4e6,
    .sample_rows = 524288,
    .fewest_rows = 4096,
    .columns = 512,
    .sample_work = 2.5e8,
    .full_work = 4e9,
    .cached_rows = 131072,
    .passes = 30,
};

enum {
    PART_LEVELS = 3,    /* of auto in a sample                                        */
    MOST_DOUBLINGS = 3, /* of the size of a sample                                    */
    MOST_WORK = 12,     /* doublings of the work of a level                           */
    QUIET_LEVELS = 2,   /* in a row that bring nothing: the search ends               */
    MOST_EFFORT = 9,    /* more levels than these are a time limit's                  */
    DESCENT_STEPS = 4   /* for less than these no search on all rows is begun         */
};
#define ROOM 67108864.0   /* bytes of an m x s block that are allowed whatever the data */
#define SHARE 0.25        /* of the data: what an m x s block may take                  */
#define ROW_SHARE 0.125   /* of the rows: what a sample may take                        */
#define WORTH_ROWS 0.2    /* of the rows: a sample of more is no better than all        */
#define OCCUPANCY 64.0    /* entries of a column that a sample should have              */
#define QUICK 6           /* times the work where vectors over rows stay in the cache   */
#define GREEDY_SHARE 0.34 /* of the work: what OMP, with a pass for each column, may take */
#define SAME 1e-9         /* of F: differences below this are rounding                  */
#define LINE_STEPS 8      /* evaluations of F along the first line                      */
#define JUDGE_GAP 1e-4    /* of F: to tell supports apart on all rows                   */

struct large {
    struct run *run;
    const struct problem *problem;
    const struct large_sizes *sizes;
    struct workspace workspace;
    struct fit *fit;           /* on all rows                              */
    struct exchange *exchange; /* on all rows, NULL until it is used       */
    double *sums, *square;     /* of the columns; less the mean [columns]  */
    double *price;             /* [columns]                                */
    double *score, *spare;     /* [columns]                                */
    double *x;                 /* [columns]                                */
    double *r, *d;             /* [rows]                                   */
    int64_t *support, *chosen; /* [columns]                                */
    unsigned char *is_in;      /* [columns] of a part                      */
    int64_t *rows, *columns;   /* of a part [rows], [columns]; the latter as the data has them */
    double *times;             /* how many rows a row stands for [rows]    */
    double *x_data, *x_part;   /* [data_columns]                           */
    double zero;               /* h at x = 0                               */
    double exact;              /* F of the best model that was fitted to the last digit     */
    double descended;          /* F from which exchanges on all rows have led no further     */
    int has_begun;             /* exchanges on all rows have                                 */
    double saved;              /* work that levels have left for exchanges on all rows       */
};

/* ---- what is large ----------------------------------------------------------------------------------------------- */

static double block_entries(const struct run *run) {
    return (double)run->problem->A->rows * (double)run_capacity(run);
}

static int is_large(const struct run *run, const struct large_sizes *sizes) {
    return fmax((double)run->problem->A->nonzeros, block_entries(run)) >= sizes->entries;
}

int large_applies(const struct run *run, const struct large_sizes *sizes) {
    return run->source != NULL && run->sparsity > 0 && part_is_possible(run->source) && is_large(run, sizes);
}

static double doubled(double amount, int times, int most) {
    return ldexp(amount, times < most ? times : most);
}

double large_work(const struct run *run, const struct large_sizes *sizes, int level) {
    double passes = sizes->passes * (double)run->problem->A->nonzeros;

    double quick = (double)run->problem->A->rows <= sizes->cached_rows ? QUICK : 1;

    return is_large(run, sizes) ? doubled(fmax(quick * sizes->full_work, passes), level - 5, MOST_WORK) : INFINITY;
}

/* A step of a descent on all rows, about: exchange_count. */
static double step_work(const struct run *run) {
    const struct linop *A = run->problem->A;
    double k = (double)run_capacity(run), mean = (double)A->nonzeros / (double)A->columns;

    return 2 * (double)A->nonzeros + mean * k * (1.5 * k + NEAR_CANDIDATES) + 30.0 * (double)A->rows * TRIALS;
}

int large_affords_greedy(const struct run *run, const struct large_sizes *sizes) {
    double passes = (double)run->sparsity * (double)run->problem->A->nonzeros;

    return passes <= GREEDY_SHARE * large_work(run, sizes, 5);
}

static double data_bytes(const struct run *run) {
    const spgm_matrix *A = &run->source->A;
    double entry = A->column_start != NULL ? 12.0 : A->singles != NULL ? 4.0 : 8.0;

    return entry * (double)run->problem->A->nonzeros;
}

/* Whether exchanges on all rows keep within memory. */
static int fits_memory(const struct run *run) {
    return 8 * block_entries(run) <= fmax(ROOM, SHARE * data_bytes(run));
}

static int is_stopped(struct large *L) {
    const struct smooth *f = &L->problem->f;
    int is_perfect = f->linear == NULL && f->term == NULL &&
                     islessequal(L->run->best_objective, L->problem->h.kind->perfect * L->zero);

    return L->run->outcome == SPGM_INTERRUPTED || is_perfect || run_must_stop(L->run);
}

/* ---- the first model --------------------------------------------------------------------------------------------- */

static int64_t intercept_of(const struct problem *p) {
    return p->has_intercept ? p->data->columns : -1;
}

/* r: the residual at the mean of b, or at zero; returns that mean. */
static double begin_residual(struct large *L) {
    const struct problem *p = L->problem;
    int64_t m = p->A->rows;
    double mean = 0;

    for (int64_t i = 0; p->has_intercept && i < m; i++) {
        mean += p->b[i];
    }
    mean /= (double)m;
    for (int64_t i = 0; i < m; i++) {
        L->r[i] = mean - p->b[i];
    }
    return mean;
}

/* The squares of the columns, with an intercept less their means. */
static void measure_columns(struct large *L) {
    const struct linop *A = L->problem->A;

    linop_column_squares(A, L->square);
    if (L->problem->has_intercept) {
        for (int64_t i = 0; i < A->rows; i++) {
            L->d[i] = 1;
        }
        linop_transpose(A, L->d, L->sums);
    }
    for (int64_t j = 0; j < A->columns; j++) {
        double left = L->square[j] - L->sums[j] * (L->sums[j] / (double)A->rows);

        L->square[j] = isgreater(left, 1e-10 * L->square[j]) ? left + L->problem->f.ridge[j] : 0;
    }
}

/* p_j^2 / ||a_j||^2, 0 where a bound is in the way. */
static double promise(const struct large *L, int64_t j) {
    double p = L->price[j], square = L->square[j];

    return isgreater(square, 0) && problem_clip(L->problem, j, -p / square) != 0 ? p * (p / square) : 0;
}

/* The step of every chosen column alone, and what makes up for their means, into x; f along it. */
static struct parabola first_direction(struct large *L) {
    const struct problem *p = L->problem;
    struct run *run = L->run;
    int64_t n = p->A->columns, last = intercept_of(p), kept;
    struct parabola f = {0, 0, 0};

    for (int64_t j = 0; j < n; j++) {
        run->keys[j] = p->is_free[j] ? 0 : p->set.rule->adds ? promise(L, j) : sqrt(promise(L, j));
        L->x[j] = 0;
    }
    kept = p->set.rule->choose(&p->set, run->sparsity, n, NULL, run->keys, &run->work, run->chosen);
    for (int64_t i = 0; i < kept; i++) {
        int64_t j = run->chosen[i];

        if (!p->is_free[j] && isgreater(promise(L, j), 0)) {
            L->x[j] = problem_clip(p, j, -L->price[j] / L->square[j]);
            f.linear += p->f.linear == NULL ? 0 : p->f.linear[j] * L->x[j];
            f.quadratic += p->f.ridge[j] * L->x[j] * L->x[j];
        }
    }
    for (int64_t j = 0; last >= 0 && j < n; j++) {
        L->x[last] -= j == last ? 0 : L->x[j] * L->sums[j] / (double)p->A->rows;
    }
    return f;
}

/* Along the steps of the columns chosen by the prices at hand; 0: F does not fall there. */
static int offer_along(struct large *L, double mean) {
    const struct problem *p = L->problem;
    int64_t n = p->A->columns, last = intercept_of(p);
    struct parabola f = first_direction(L);
    double alpha = 1, F;

    linop_multiply(p->A, L->x, L->d);
    F = line_minimise(&p->h, L->r, L->d, f, 0, p->lower == NULL ? INFINITY : 1, LINE_STEPS, INFINITY, &alpha);
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

/* By the squared loss, which sees all rows; where that leads nowhere (few rows decide), by the loss itself. */
static void first_model(struct large *L) {
    const struct problem *p = L->problem;
    double mean = begin_residual(L);

    measure_columns(L);
    linop_transpose(p->A, L->r, L->price);
    if (!offer_along(L, mean)) {
        p->h.ops->subgradient(&p->h, L->r, L->d);
        linop_transpose(p->A, L->d, L->price);
        offer_along(L, mean);
    }
}

/* ---- all rows judge ---------------------------------------------------------------------------------------------- */

static int has_best_support(const struct large *L, const double *x) {
    for (int64_t j = 0; j < L->problem->A->columns; j++) {
        if ((x[j] != 0) != (L->run->best_x[j] != 0) && !L->problem->is_free[j]) {
            return 0;
        }
    }
    return 1;
}

/* Fit the support of x on all rows, until F is this near its minimum. The lower F stays the best. */
static spgm_error judge(struct large *L, const double *x, double gap, spgm_status *status) {
    int64_t k = fit_support_of(L->problem, x, L->support);

    fit_set_support(L->fit, k, L->support);
    fit_gather(L->fit, x);
    fit_rough(L->fit, gap, INFINITY);
    fit_scatter(L->fit, L->x);
    run_offer(L->run, L->x, fit_objective(L->fit));
    run_note(L->run, fit_objective(L->fit), L->run->sparsity);
    return fit_error(L->fit, status);
}

/* The prices of all columns at the best model: r = A x - b, its dual vector, A'u. */
static void price_all(struct large *L) {
    const struct problem *p = L->problem;

    linop_multiply(p->A, L->run->best_x, L->r);
    vector_axpy(p->A->rows, -1, p->b, L->r);
    p->h.ops->subgradient(&p->h, L->r, L->d);
    linop_transpose(p->A, L->d, L->price);
    if (p->f.linear != NULL) {
        vector_axpy(p->A->columns, 1, p->f.linear, L->price);
    }
}

/* ---- a sample ---------------------------------------------------------------------------------------------------- */

static int64_t rows_of(const struct large *L, int level) {
    const struct linop *A = L->problem->A;
    double m = (double)A->rows, k = (double)run_capacity(L->run);
    double density = fmax((double)A->nonzeros, 1) / m / (double)A->columns;
    double want = doubled(fmax((double)L->sizes->fewest_rows, L->sizes->sample_rows / k), level - 1, MOST_DOUBLINGS);

    want = fmax(want, fmin(ROW_SHARE * m, OCCUPANCY / density)); /* few rows hold nothing of a sparse column */
    return (int64_t)fmin(want, fmax(ROW_SHARE * m, fmin(0.5 * m, L->sizes->cached_rows / 4)));
}

/*
 * About `count` of the rows, ascending, and how many rows each stands for. Row i is in with the probability
 * p_i = count (1 / m + |u_i| / sum |u|) / 2, at most 1, and counts 1 / p_i times: F of the sample has the mean F, and
 * rows that pull at the model (of a classifier the few of the rare class, mostly) are seen more often. Returns how
 * many.
 */
static int64_t draw_rows(struct large *L, int64_t count, uint64_t stream) {
    const double *u = L->d;
    int64_t m = L->problem->A->rows, taken = 0;
    double sum = vector_norm1(m, u), pull = isgreater(sum, 0) ? 0.5 * (double)count / sum : 0;
    double even = (pull > 0 ? 0.5 : 1) * (double)count / (double)m;
    struct random random;

    random_seed(&random, (uint64_t)L->run->options->seed, stream);
    for (int64_t i = 0; i < m; i++) {
        double chance = even + pull * fabs(u[i]), drawn = random_uniform(&random);

        if (drawn < chance) {
            L->rows[taken] = i;
            L->times[taken++] = chance < 1 ? 1 / chance : 1;
        }
    }
    return taken;
}

static int64_t columns_wanted(const struct large *L) {
    return L->sizes->columns + 4 * run_capacity(L->run);
}

/* The columns of the best model, the free ones and those with the best prices, as the data numbers them. */
static int64_t choose_columns(struct large *L) {
    const struct problem *p = L->problem;
    int64_t n = p->data->columns, want = columns_wanted(L), count = 0;
    int is_all = n <= 2 * want;

    for (int64_t j = 0; j < n; j++) {
        L->score[j] = promise(L, j);
        L->is_in[j] = (unsigned char)(is_all || p->is_free[j] || L->run->best_x[j] != 0);
    }
    if (!is_all) {
        select_largest(n, L->score, want, L->chosen, L->spare);
        for (int64_t i = 0; i < want; i++) {
            L->is_in[L->chosen[i]] = 1;
        }
    }
    for (int64_t j = 0; j < n; j++) {
        if (L->is_in[j]) {
            L->columns[count++] = problem_column(p, j);
        }
    }
    return count;
}

/* A sample's progress: what is known of all rows. */
static int forward_progress(const spgm_progress *progress, void *context) {
    const struct run *run = context;
    spgm_progress mine = *progress;

    mine.method = run->phase;
    mine.iteration += run->iterations;
    mine.best = mine.objective = mine.penalised = run->problem->objective_unit * run->best_objective;
    return run->progress(&mine, run->progress_context);
}

static void begin_child(struct large *L, struct run *child, int level, double work) {
    struct run *run = L->run;

    random_seed(&child->random, (uint64_t)run->options->seed, (uint64_t)level);
    child->began = run->began;
    child->deadline = run->deadline;
    child->interrupted = run->interrupted;
    child->progress = run->progress == NULL ? NULL : forward_progress;
    child->progress_context = run;
    child->allowance = work;
    child->start_given = 1;
}

/* From the best model to a start of the part, and back to L->x. */
static void to_part(struct large *L, int64_t count, const struct problem *framed, double *z) {
    double intercept;

    problem_unscale(L->problem, L->run->best_x, L->x_data, &intercept);
    for (int64_t i = 0; i < count; i++) {
        L->x_part[i] = L->x_data[L->columns[i]];
    }
    problem_scale(framed, L->x_part, intercept, z);
}

static void from_part(struct large *L, int64_t count, const struct problem *framed, const double *z) {
    double intercept;

    problem_unscale(framed, z, L->x_part, &intercept);
    memset(L->x_data, 0, (size_t)L->problem->data_columns * sizeof *L->x_data);
    for (int64_t i = 0; i < count; i++) {
        L->x_data[L->columns[i]] = L->x_part[i];
    }
    problem_scale(L->problem, L->x_data, intercept, L->x);
}

/* auto in the framed part; its end in L->x. */
static spgm_error search_framed(struct large *L, int64_t count, const struct problem *framed, int level,
                                spgm_status *status) {
    struct workspace workspace = {0};
    struct run child;
    struct point point;
    spgm_error error = SPGM_OK;

    run_init(&child, framed, L->run->sparsity, L->run->options, &workspace);
    point_init(&point, framed, &workspace);
    if (workspace.failed) {
        error = status_memory(status, workspace.bytes);
    } else {
        begin_child(L, &child, level, doubled(L->sizes->sample_work, level - 1, MOST_WORK));
        to_part(L, count, framed, child.x);
        run_project(&child, child.x);
        run_start(&child, &point);
        error = auto_open(&child, PART_LEVELS, status);
        L->run->iterations += child.iterations;
        L->run->restarts += child.restarts;
        L->run->outcome = child.outcome == SPGM_INTERRUPTED ? SPGM_INTERRUPTED : L->run->outcome;
        from_part(L, count, framed, child.best_x);
    }
    workspace_free(&workspace);
    return error;
}

/* Not where it has all columns and so many of the rows that these may as well be searched themselves. */
static int is_worth_a_sample(const struct large *L, int level) {
    int64_t rows = L->problem->h.kind->is_sum ? rows_of(L, level) : L->problem->A->rows;
    int is_all = L->problem->data->columns <= 2 * columns_wanted(L);

    return !is_all || !fits_memory(L->run) || (double)rows < WORTH_ROWS * (double)L->problem->A->rows;
}

static spgm_error search_sample(struct large *L, int level, spgm_status *status) {
    int64_t row_count, column_count;
    struct spgm_problem part;
    struct problem framed;
    spgm_error error;

    int is_sum = L->problem->h.kind->is_sum;

    price_all(L);
    row_count = draw_rows(L, is_sum ? rows_of(L, level) : 2 * L->problem->A->rows, (uint64_t)level);
    column_count = choose_columns(L);
    error = row_count == 0 ? SPGM_OK
                           : part_make(L->run->source, row_count, L->rows, is_sum ? L->times : NULL, column_count,
                                       L->columns, &part, status);
    if (error != SPGM_OK || row_count == 0) {
        return error;
    }
    error = problem_frame(&part, parallel_threads(L->run->options->threads), &framed, status);
    if (error == SPGM_OK) {
        error = search_framed(L, column_count, &framed, level, status);
        problem_unframe(&framed);
    }
    workspace_free(&part.owned);
    return error != SPGM_OK || is_stopped(L) || has_best_support(L, L->x) ? error : judge(L, L->x, JUDGE_GAP, status);
}

/* ---- all rows ---------------------------------------------------------------------------------------------------- */

/* Exchanges from the best model, until none helps or the work is done; what is left goes into restarts. */
static void descend(struct large *L) {
    struct run *run = L->run;

    if (L->descended > run->best_objective) {
        vector_copy(L->problem->A->columns, run->best_x, L->x);
        if (!L->has_begun && large_affords_greedy(run, L->sizes)) {
            exchange_begin(L->exchange, L->x);
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
    descend(L);
    while (idle < patience && run->spent < run->allowance && !is_stopped(L)) {
        double before = run->best_objective;

        exchange_restart(L->exchange);
        run->restarts++;
        run_note(run, exchange_objective(L->exchange), run->sparsity);
        idle = isless(run->best_objective, before - exchange_margin(L->exchange, before)) ? 0 : idle + 1;
    }
    L->saved = fmax(0, run->allowance - run->spent);
    return exchange_error(L->exchange, status);
}

/* ---- the way in -------------------------------------------------------------------------------------------------- */

static spgm_error prepare(struct large *L, spgm_status *status) {
    struct workspace *w = &L->workspace;
    int64_t n = L->problem->A->columns, m = L->problem->A->rows;

    L->sums = workspace_doubles(w, n);
    L->square = workspace_doubles(w, n);
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
    L->r = workspace_doubles(w, m);
    L->d = workspace_doubles(w, m);
    L->rows = workspace_integers(w, m);
    L->times = workspace_doubles(w, m);
    if (w->failed) {
        return status_memory(status, w->bytes);
    }
    L->zero = problem_loss_at_zero(L->problem, L->r);
    return SPGM_OK;
}

/* The best model, fitted to the last digit. */
static spgm_error settle(struct large *L, spgm_status *status) {
    spgm_error error = SPGM_OK;

    if (L->exact > L->run->best_objective && !is_stopped(L)) {
        error = judge(L, L->run->best_x, 0, status);
        L->exact = L->run->best_objective;
    }
    return error;
}

/* Levels until two in a row have brought nothing; under a time limit alone until that. */
static spgm_error climb(struct large *L, int levels, spgm_status *status) {
    int quiet = 0, most = levels > MOST_EFFORT ? levels : QUIET_LEVELS;
    spgm_error error = SPGM_OK;

    for (int level = 1; level <= levels && quiet < most && error == SPGM_OK && !is_stopped(L); level++) {
        double before = L->run->best_objective;

        error = is_worth_a_sample(L, level) ? search_sample(L, level, status) : SPGM_OK;
        if (error == SPGM_OK && fits_memory(L->run) && !is_stopped(L)) {
            error = search_all_rows(L, level, status);
        }
        quiet = isless(L->run->best_objective, before - SAME * fabs(before)) ? 0 : quiet + 1;
    }
    return error == SPGM_OK ? settle(L, status) : error;
}

spgm_error large_first(struct run *run, const struct large_sizes *sizes, spgm_status *status) {
    struct large L = {.run = run, .problem = run->problem, .sizes = sizes};
    spgm_error error = prepare(&L, status);

    if (error == SPGM_OK) {
        first_model(&L);
    }
    workspace_free(&L.workspace);
    return error;
}

/* The first model and the user's start, fitted. */
static spgm_error begin(struct large *L, const double *start, spgm_status *status) {
    spgm_error error = judge(L, L->run->best_x, JUDGE_GAP, status);

    return error == SPGM_OK && L->run->start_given && !is_stopped(L) ? judge(L, start, JUDGE_GAP, status) : error;
}

spgm_error large_search(struct run *run, const struct large_sizes *sizes, const double *start, int levels,
                        spgm_status *status) {
    struct large L = {.run = run, .problem = run->problem, .sizes = sizes, .exact = INFINITY, .descended = INFINITY};
    spgm_error error = prepare(&L, status);

    if (error == SPGM_OK) {
        measure_columns(&L);
        L.fit = is_stopped(&L) ? NULL : fit_new(run->problem, run_capacity(run));
        if (L.fit != NULL) {
            fit_set_stop(L.fit, run_is_late, run);
            error = begin(&L, start, status);
            error = error == SPGM_OK ? climb(&L, levels, status) : error;
        } else if (!is_stopped(&L)) {
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
