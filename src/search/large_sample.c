/* Large data: searches in samples of rows and columns. large.c explains their part in the whole. */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "fit/fit.h"
#include "linalg/select.h"
#include "linalg/vector.h"
#include "model/gather.h"
#include "search/auto.h"
#include "search/constants.h"
#include "search/exchange.h"
#include "search/large_inside.h"

/* ---- rows and columns -------------------------------------------------------------------------------------------- */

static int64_t columns_wanted(const struct large *L) {
    return L->sizes->columns + COLUMNS_FOR_EACH * run_capacity(L->run);
}

/* The largest number of columns in a sample. */
static double width_of(const struct large *L) {
    return fmin(2.0 * (double)columns_wanted(L), (double)L->problem->data->columns);
}

static double density_of(const struct large *L) {
    double m = problem_rows(L->problem), n = (double)L->problem->A->columns;

    return fmax(problem_nonzeros(L->problem), 1) / m / n;
}

/* The number of rows at which a sample and the search in it fill the memory that they may take. */
static double rows_for_memory(const struct large *L) {
    double n = (double)L->problem->data->columns, want = (double)columns_wanted(L);
    double k = (double)run_capacity(L->run), width = n <= 2 * want ? n : want + k;

    return large_sample_bytes(L->run) / 8 / (density_of(L) * width + SEARCH_VECTORS + 4 * k);
}

static int64_t rows_of(const struct large *L, int level) {
    double m = problem_rows(L->problem), k = (double)run_capacity(L->run);
    double density = density_of(L);
    double want = doubled(fmax((double)L->sizes->fewest_rows, L->sizes->sample_rows / k), level - 1, MOST_DOUBLINGS);

    double room = fmax(SAMPLE_ROOM, SAMPLE_SHARE * problem_nonzeros(L->problem)) / density / width_of(L);

    want = fmin(want, fmax(fmin(ROW_SHARE * m, room), fmin(0.5 * m, L->sizes->cached_rows / 4)));
    want = fmin(want, rows_for_memory(L));
    want = L->samples > 1 ? fmax(want / 2, (double)L->sizes->fewest_rows) : want;
    return (int64_t)fmax(want, fmin(ROW_SHARE * m, OCCUPANCY / density)); /* few rows hold hardly any entries of a
                                                                             sparse column */
}

static double total(const struct large *L, double part) {
    reduce_sum(L->problem->A->reduce, &part, 1);
    return part;
}

/* A random number for row i. If rows live elsewhere it depends on the row's number among all rows, whichever process
 * has it. */
static double draw_for(const struct large *L, int64_t i, uint64_t stream, struct random *random) {
    if (run_party(L->run) != NULL) {
        random_seed(random, (uint64_t)L->run->options->seed, (stream << 48) + (uint64_t)(L->first_row + i));
    }
    return random_uniform(random);
}

static double count_beyond(const struct large *L, double size) {
    int64_t count = 0;

    for (int64_t i = 0; i < L->problem->A->rows; i++) {
        count += fabs(L->r[i]) > size;
    }
    return total(L, (double)count);
}

/* The residual size that at most about `count` residuals of the best model exceed. */
static double size_of_largest(const struct large *L, double count) {
    double low = 0, high = vector_norm_inf(L->problem->A->rows, L->r);

    reduce_max(L->problem->A->reduce, &high, 1);
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = low + (high - low) / 2;

        if (count_beyond(L, middle) > count) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

/* For a loss that few rows decide: most of the sample are the rows with the largest residuals, the rest are drawn from
 * all. */
static int64_t draw_largest(struct large *L, int64_t count, uint64_t stream) {
    double size = size_of_largest(L, LARGEST_SHARE * (double)count);
    double even = (1 - LARGEST_SHARE) * (double)count / problem_rows(L->problem);
    int64_t taken = 0;
    struct random random;

    random_seed(&random, (uint64_t)L->run->options->seed, stream);
    for (int64_t i = 0; i < L->problem->A->rows; i++) {
        if (draw_for(L, i, stream, &random) < even || fabs(L->r[i]) > size) {
            L->rows[taken++] = i;
        }
    }
    return taken;
}

/*
 * Draw about `count` of the rows, ascending, with weights. Row i is drawn with probability p_i = min(1, count (1 / m +
 * |u_i| / sum |u|) / 2) and has the weight 1 / p_i. So the expectation of F over samples is F, and rows that pull on
 * the model (for a classifier mostly the few of the rare class) are drawn more often. If the loss is not a sum over
 * rows, weights mean nothing and all rows have the same probability. Returns the number of rows.
 */
static int64_t draw_rows(struct large *L, int64_t count, uint64_t stream) {
    const double *u = L->d;
    int64_t m = L->problem->A->rows, taken = 0;
    double sum = total(L, L->problem->h.kind->is_sum ? vector_norm1(m, u) : 0);
    double pull = isgreater(sum, 0) ? 0.5 * (double)count / sum : 0;
    double even = (pull > 0 ? 0.5 : 1) * (double)count / problem_rows(L->problem);
    struct random random;

    random_seed(&random, (uint64_t)L->run->options->seed, stream);
    for (int64_t i = 0; i < m; i++) {
        double chance = even + pull * fabs(u[i]), drawn = draw_for(L, i, stream, &random);

        if (drawn < chance) {
            L->rows[taken] = i;
            L->times[taken++] = chance < 1 ? 1 / chance : 1;
        }
    }
    return taken;
}

/* Columns of a sample: those of the best model, the free ones and those with the best prices, as the data numbers them.
 */
static int64_t choose_columns(struct large *L) {
    const struct problem *p = L->problem;
    int64_t n = p->data->columns, want = columns_wanted(L), count = 0;
    int is_all = n <= 2 * want;

    for (int64_t j = 0; j < n; j++) {
        L->score[j] = large_promise(L, j);
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

/* The stream of random numbers for a sample. */
static uint64_t stream_of(int level, int64_t sample) {
    return (uint64_t)level + ((uint64_t)sample << 8);
}

static void begin_child(struct large *L, struct run *child, int level, int64_t sample) {
    double work = doubled(L->sizes->sample_work, level - 1, MOST_WORK);

    share_begin(L->run, child);
    random_seed(&child->random, (uint64_t)L->run->options->seed, stream_of(level, sample));
    child->allowance = work / (double)L->samples;
    child->start_given = 1;
    if (run_party(L->run) != NULL && run_party(L->run)->all.rank != 0) {
        child->progress = NULL; /* only process 0 calls the callback */
    }
}

/* Convert the best model to a start of the sample's problem, and its end back to x over the columns of the data. */
static void to_part(struct large *L, int64_t count, const struct problem *framed, double *z) {
    double intercept;

    problem_unscale(L->problem, L->run->best_x, L->x_data, &intercept);
    for (int64_t i = 0; i < count; i++) {
        L->x_part[i] = L->x_data[L->columns[i]];
    }
    problem_scale(framed, L->x_part, intercept, z);
}

static void from_part(struct large *L, int64_t count, const struct problem *framed, const double *z,
                      double *intercept) {
    problem_unscale(framed, z, L->x_part, intercept);
    memset(L->x_data, 0, (size_t)L->problem->data_columns * sizeof *L->x_data);
    for (int64_t i = 0; i < count; i++) {
        L->x_data[L->columns[i]] = L->x_part[i];
    }
}

/* Use half of the work for exchanges from the model. `auto` begins on squares, which may use up all of the work and
 * lead nowhere where there are outliers. */
static spgm_error descend_first(struct run *child, spgm_status *status) {
    double allowance = child->allowance;
    struct exchange *exchange = NULL;
    spgm_error error = exchange_new(child, &exchange, status);

    if (error == SPGM_OK) {
        child->allowance = allowance / 2;
        exchange_start(exchange, child->x, 1, INFINITY);
        error = exchange_error(exchange, status);
        vector_copy(child->problem->A->columns, child->best_x, child->x);
        child->allowance = allowance;
    }
    exchange_free(exchange);
    return error;
}

/* Run `auto` on the framed sample; its end is in L->x_data. */
static void search_framed(struct large *L, int64_t count, const struct problem *framed, int level, int64_t sample,
                          struct finding *found) {
    struct workspace workspace = {.memory = framed->A->memory};
    struct run child;
    struct point point;

    run_init(&child, framed, L->run->sparsity, L->run->options, &workspace);
    point_init(&point, framed, &workspace);
    if (workspace.failed) {
        found->error = status_memory(&found->status, workspace.bytes);
    } else {
        begin_child(L, &child, level, sample);
        to_part(L, count, framed, child.x);
        run_project(&child, child.x);
        run_start(&child, &point);
        if (!run_must_stop(&child)) { /* time may have run out while the sample was prepared */
            found->error = descend_first(&child, &found->status);
        }
        if (found->error == SPGM_OK && !run_must_stop(&child)) {
            found->error = auto_open(&child, PART_LEVELS, &found->status);
        }
        found->iterations = child.iterations;
        found->restarts = child.restarts;
        found->outcome = child.outcome;
        from_part(L, count, framed, child.best_x, &found->intercept);
    }
    workspace_free(&workspace);
}

/* Search the sample, on the process that owns it. */
static void search_part(struct large *L, int64_t count, const struct spgm_problem *part, int level, int64_t sample,
                        struct finding *found) {
    struct problem framed;

    found->error = problem_frame(part, parallel_threads(L->run->options->threads), &framed, &found->status);
    if (found->error == SPGM_OK) {
        search_framed(L, count, &framed, level, sample, found);
        problem_unframe(&framed);
    }
}

/* Send the end of the search in a sample to all processes, into L->ends. */
static spgm_error share_end(struct large *L, int64_t owner, int64_t sample, struct finding *found,
                            spgm_status *status) {
    spgm_error error = share_finding(L->run, owner, found, L->x_data, status);

    L->run->iterations += found->iterations;
    L->run->restarts += found->restarts;
    L->run->outcome = found->outcome == SPGM_INTERRUPTED ? SPGM_INTERRUPTED : L->run->outcome;
    problem_scale(L->problem, L->x_data, found->intercept, L->ends + sample * L->problem->A->columns);
    return error;
}

/* Whether a sample has all rows: for a loss that is neither a sum over rows nor decided by few of them, if the rows are
 * not too many for one process or for the memory beside a mapped file. */
static int keeps_rows(const struct large *L) {
    const struct loss_kind *kind = L->problem->h.kind;
    double m = problem_rows(L->problem);

    return !kind->is_sum && !kind->is_peaked && m <= rows_for_memory(L) &&
           (run_party(L->run) == NULL || m * width_of(L) <= GATHERED);
}

int large_is_worth_a_sample(const struct large *L, int level) {
    double rows = keeps_rows(L) ? problem_rows(L->problem) : (double)rows_of(L, level);
    int is_all = L->problem->data->columns <= 2 * columns_wanted(L);

    return !is_all || !large_fits_memory(L->run) || rows < WORTH_ROWS * problem_rows(L->problem);
}

static int64_t sample_size(const struct large *L, int level) {
    return keeps_rows(L) ? (int64_t)(2 * problem_rows(L->problem)) : rows_of(L, level);
}

/* Copy the sample on its owner; *is_empty: it has no rows, or there was no time to copy them. */
static spgm_error take_sample(struct large *L, int level, int64_t sample, int64_t owner, int64_t column_count,
                              struct spgm_problem *part, int *is_empty, spgm_status *status) {
    int64_t size = sample_size(L, level);
    int by_pull = !L->problem->h.kind->is_peaked || (double)size > problem_rows(L->problem);
    int64_t count =
        by_pull ? draw_rows(L, size, stream_of(level, sample)) : draw_largest(L, size, stream_of(level, sample));
    struct stop stop = run_stop(L->run);
    spgm_error error = SPGM_OK;

    *is_empty = total(L, (double)count) == 0;
    if (!*is_empty) {
        error = part_gather(L->run->source, count, L->rows, L->problem->h.kind->is_sum ? L->times : NULL, column_count,
                            L->columns, owner, &stop, part, status);
    }
    if (error == SPGM_OK && stop.stopped) {
        workspace_free(&part->owned);
        *is_empty = 1;
    }
    return error;
}

/* Samples [first, last), at most one for each process: draw them, search them side by side, share their ends. */
static spgm_error search_samples(struct large *L, int level, int64_t first, int64_t last, int64_t column_count,
                                 spgm_status *status) {
    const struct party *party = run_party(L->run);
    int64_t rank = party == NULL ? 0 : party->all.rank;
    struct spgm_problem mine = {0};
    struct finding found = {0};
    spgm_error error = SPGM_OK;
    int is_empty = 0;

    for (int64_t sample = first; error == SPGM_OK && !is_empty && sample < last; sample++) {
        struct spgm_problem part = {0};

        error = take_sample(L, level, sample, sample - first, column_count, &part, &is_empty, status);
        if (error == SPGM_OK && rank == sample - first) {
            mine = part;
        } else if (error == SPGM_OK) {
            workspace_free(&part.owned);
        }
    }
    if (error == SPGM_OK && !is_empty && rank < last - first) {
        search_part(L, column_count, &mine, level, first + rank, &found);
        vector_copy(L->problem->data_columns, L->x_data, L->found);
    }
    for (int64_t sample = first; error == SPGM_OK && !is_empty && sample < last; sample++) {
        struct finding theirs = found;

        vector_copy(L->problem->data_columns, L->found, L->x_data);
        error = share_end(L, sample - first, sample, &theirs, status);
    }
    workspace_free(&mine.owned);
    return error;
}

static int has_best_support(const struct large *L, const double *x) {
    for (int64_t j = 0; j < L->problem->A->columns; j++) {
        if ((x[j] != 0) != (L->run->best_x[j] != 0) && !L->problem->is_free[j]) {
            return 0;
        }
    }
    return 1;
}

/* Fit the ends of all searches on all rows. */
static spgm_error judge_ends(struct large *L, spgm_status *status) {
    int64_t n = L->problem->A->columns;
    spgm_error error = SPGM_OK;

    for (int64_t sample = 0; error == SPGM_OK && sample < L->samples && !large_is_stopped(L); sample++) {
        if (!has_best_support(L, L->ends + sample * n)) {
            error = large_judge(L, L->ends + sample * n, JUDGE_GAP, status);
        }
    }
    return error;
}

/* Free what a sample does not need: the memory of fits and, beside a mapped file, of exchanges on all rows. */
static spgm_error make_room(struct large *L, struct workspace *workspace, spgm_status *status) {
    fit_release(L->fit);
    if (large_is_beside_map(L->run)) {
        exchange_free(L->exchange);
        L->exchange = NULL;
    }
    L->rows = workspace_integers(workspace, L->problem->A->rows);
    L->times = workspace_doubles(workspace, L->problem->A->rows);
    return workspace->failed ? status_memory(status, workspace->bytes) : SPGM_OK;
}

/* The samples of a level: one after the other, or as many side by side as there are processes. */
static spgm_error search_level(struct large *L, int level, spgm_status *status) {
    const struct party *party = run_party(L->run);
    int64_t abreast = party == NULL || party->all.size > L->samples ? L->samples : party->all.size;
    int64_t column_count = choose_columns(L);
    spgm_error error = SPGM_OK;

    for (int64_t sample = 0; sample < L->samples; sample++) {
        vector_copy(L->problem->A->columns, L->run->best_x, L->ends + sample * L->problem->A->columns);
    }
    for (int64_t first = 0; error == SPGM_OK && first < L->samples; first += abreast) {
        int64_t last = first + abreast < L->samples ? first + abreast : L->samples;

        error = search_samples(L, level, first, last, column_count, status);
    }
    return error;
}

spgm_error large_search_samples(struct large *L, int level, spgm_status *status) {
    struct workspace workspace = {.memory = L->problem->A->memory};
    spgm_error error;

    large_price(L);
    error = make_room(L, &workspace, status);
    error = error == SPGM_OK ? search_level(L, level, status) : error;
    workspace_free(&workspace);
    return error == SPGM_OK ? judge_ends(L, status) : error;
}
