/*
 * Large data: processor time, memory beyond the data and F of auto, on one thread, on instances made here.
 *
 *     bench_scale [--limit SECONDS] [--effort N] [--method NAME] [--part SHARE] [--write FILE] [case ...; default: all]
 *
 * Each case is fitted by the default effort, then with a time limit that is far too short for it; with one of the next
 * three once, as asked for.
 *
 * --limit    a time limit instead of the default effort. LD_PRELOAD a clock of processor time where the machine is busy
 * --part     of the rows, so that the whole table can be tried in little memory
 * --write    the instance as LIBSVM text, or a dense one as CSV of six digits, for other programs, and no fit
 *
 * Exits with an error if a default fit takes more processor time than the table below allows, a fit more memory than
 * memory_allowed, a time limit is overrun by more than 2 % and 50 ms, or a model has fewer columns than it may.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "spgm/spgm.h"

enum kind { UNIFORM, TEXT, FACTORS, BASKETS };

struct instance {
    const char *name, *loss, *quantile;
    enum kind kind;
    int64_t rows, columns, entries; /* entries of a row, 0: dense */
    int64_t sparsity;
    double allowed;    /* seconds of processor time at the default effort */
    const char *limit; /* a short time limit, in seconds                  */
};

static const struct instance instances[] = {
    {"sparse-1e6-1e4", "l1", NULL, UNIFORM, 1000000, 10000, 5, 100, 30, "1"},
    {"sparse-1e6-1e5", "l1", NULL, UNIFORM, 1000000, 100000, 50, 100, 30, "10"},
    {"dense-6e4-3e3", "quantile", "0.9", FACTORS, 61296, 2846, 0, 20, 20, "3"},
    {"text-2e4-2e5", "l1", NULL, TEXT, 16087, 150360, 1240, 100, 60, "3"},
    {"dense-1e6-200", "l1", NULL, FACTORS, 1000000, 200, 0, 10, 20, "3"},
    {"hinge-5e4-300", "hinge", NULL, BASKETS, 49749, 300, 12, 100, 20, "1"},
    {"dense-1e6-60", "l1", NULL, FACTORS, 1120000, 60, 0, 3, 20, "1"},
};

struct made {
    spgm_matrix A;
    double *values, *b;
    int64_t *start;
    int32_t *rows;
};

static void *take(int64_t count, size_t size) {
    void *array = calloc((size_t)count, size);

    if (array == NULL) {
        fprintf(stderr, "bench_scale: no memory for %lld numbers\n", (long long)count);
        exit(1);
    }
    return array;
}

static void check(spgm_error error, const spgm_status *status) {
    if (error != SPGM_OK) {
        fprintf(stderr, "bench_scale: %s\n", status->message);
        exit(1);
    }
}

/* ---- instances --------------------------------------------------------------------------------------------------- */

/* Columns in groups of ten that share a factor. */
static void fill_factors(struct made *d, int64_t m, int64_t n, struct random *random) {
    double *factor = take(m, sizeof *factor);

    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = 0; i < m; i++) {
            factor[i] = j % 10 == 0 ? random_normal(random) : factor[i];
            d->values[i + j * m] = 0.7 * factor[i] + 0.7 * (random_uniform(random) * 3.4641 - 1.7320);
        }
    }
    free(factor);
}

/* Column of an entry: uniform, or mostly one of the first few. */
static int64_t draw_column(enum kind kind, int64_t n, struct random *random) {
    double u = random_uniform(random);

    return (int64_t)((double)n * (kind == UNIFORM ? u : u * u * u));
}

static int compare(const void *left, const void *right) {
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return a < b ? -1 : a > b;
}

/* The distinct columns of a row, ascending, drawn anew from the row's own stream. */
static int64_t draw_row(const struct instance *c, int64_t i, int64_t *columns, struct random *random) {
    int64_t count = 0;

    random_seed(random, 7, (uint64_t)i);
    for (int64_t k = 0; k < c->entries; k++) {
        columns[k] = draw_column(c->kind, c->columns, random);
    }
    qsort(columns, (size_t)c->entries, sizeof *columns, compare);
    for (int64_t k = 0; k < c->entries; k++) {
        if (count == 0 || columns[k] != columns[count - 1]) {
            columns[count++] = columns[k];
        }
    }
    return count;
}

static void fill_sparse(const struct instance *c, struct made *d, int64_t m) {
    int64_t *columns = take(c->entries, sizeof *columns);
    struct random random;

    for (int64_t i = 0; i < m; i++) {
        for (int64_t k = draw_row(c, i, columns, &random) - 1; k >= 0; k--) {
            d->start[columns[k] + 1]++;
        }
    }
    for (int64_t j = 0; j < c->columns; j++) {
        d->start[j + 1] += d->start[j];
    }
    d->rows = take(d->start[c->columns], sizeof *d->rows);
    d->values = take(d->start[c->columns], sizeof *d->values);
    for (int64_t i = 0; i < m; i++) {
        int64_t count = draw_row(c, i, columns, &random);

        for (int64_t k = 0; k < count; k++) {
            int64_t place = d->start[columns[k]]++;

            d->rows[place] = (int32_t)i;
            d->values[place] = c->kind == BASKETS ? 1
                               : c->kind == TEXT  ? random_uniform(&random)
                                                  : random_normal(&random);
        }
    }
    memmove(d->start + 1, d->start, (size_t)c->columns * sizeof *d->start);
    d->start[0] = 0;
    free(columns);
}

/* score += value * column j */
static void add_column(const struct made *d, int64_t j, double value, double *score) {
    if (d->start == NULL) {
        for (int64_t i = 0; i < d->A.rows; i++) {
            score[i] += value * d->values[i + j * d->A.rows];
        }
        return;
    }
    for (int64_t k = d->start[j]; k < d->start[j + 1]; k++) {
        score[d->rows[k]] += value * d->values[k];
    }
}

/* The 97th percentile, for labels. */
static double high(const double *score, int64_t m) {
    double low = -1e6, top = 1e6;

    for (int step = 0; step < 100; step++) {
        double middle = (low + top) / 2;
        int64_t above = 0;

        for (int64_t i = 0; i < m; i++) {
            above += score[i] > middle;
        }
        *(above > m * 3 / 100 ? &low : &top) = middle;
    }
    return low;
}

/* Twice as many true columns as the model may have, with decreasing coefficients, and heavy-tailed noise. */
static void fill_target(const struct instance *c, struct made *d, struct random *random) {
    int64_t m = d->A.rows, count = 2 * c->sparsity;
    int64_t *columns = take(count, sizeof *columns);

    random_subset(random, c->columns / (c->kind == TEXT ? 20 : 1), count, columns);
    for (int64_t k = 0; k < count; k++) {
        add_column(d, columns[k], (random_uniform(random) < 0.5 ? -1 : 1) * 2 / (1 + 3.0 * (double)k / (double)count),
                   d->b);
    }
    for (int64_t i = 0; i < m; i++) {
        double tail = c->kind == BASKETS ? 0.3 : random_uniform(random) < 0.05 ? 10 : 1;

        d->b[i] += tail * random_normal(random);
    }
    if (c->kind == BASKETS) {
        double limit = high(d->b, m);

        for (int64_t i = 0; i < m; i++) {
            d->b[i] = d->b[i] > limit ? 1 : -1;
        }
    }
    free(columns);
}

static struct made make(const struct instance *c, double part) {
    int64_t m = (int64_t)((double)c->rows * part);
    struct made d = {.b = take(m, sizeof(double))};
    struct random random;

    random_seed(&random, 1, 0);
    if (c->entries == 0) {
        d.values = take(m * c->columns, sizeof *d.values);
        fill_factors(&d, m, c->columns, &random);
        d.A = spgm_dense(m, c->columns, d.values);
    } else {
        d.start = take(c->columns + 1, sizeof *d.start);
        fill_sparse(c, &d, m);
        d.A = spgm_sparse(m, c->columns, d.start, d.rows, d.values);
    }
    fill_target(c, &d, &random);
    return d;
}

static void release(struct made *d) {
    free(d->values);
    free(d->b);
    free(d->start);
    free(d->rows);
}

static FILE *open_file(const char *path) {
    FILE *file = fopen(path, "w");

    if (file == NULL) {
        fprintf(stderr, "bench_scale: %s cannot be written\n", path);
        exit(1);
    }
    return file;
}

static void write_csv(const struct made *d, const char *path) {
    FILE *file = open_file(path);

    for (int64_t j = 0; j <= d->A.columns; j++) {
        fprintf(file, j < d->A.columns ? "x%lld," : "y\n", (long long)j + 1);
    }
    for (int64_t i = 0; i < d->A.rows; i++) {
        for (int64_t j = 0; j < d->A.columns; j++) {
            fprintf(file, "%.6g,", d->values[i + j * d->A.rows]);
        }
        fprintf(file, "%.6g\n", d->b[i]);
    }
    fclose(file);
}

/* Row by row, with one cursor per column. */
static void write_libsvm(const struct made *d, const char *path) {
    int64_t *place = take(d->A.columns, sizeof *place);
    FILE *file = open_file(path);

    memcpy(place, d->start, (size_t)d->A.columns * sizeof *place);
    for (int64_t i = 0; i < d->A.rows; i++) {
        fprintf(file, "%.17g", d->b[i]);
        for (int64_t j = 0; j < d->A.columns; j++) {
            if (place[j] < d->start[j + 1] && d->rows[place[j]] == i) {
                fprintf(file, " %lld:%.17g", (long long)j + 1, d->values[place[j]++]);
            }
        }
        fputc('\n', file);
    }
    free(place);
    fclose(file);
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static double processor_seconds(void) {
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double wall_seconds(void) {
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A line of /proc/self/status in MB; NaN if it is missing. */
static double status_mb(const char *key) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    double found = NAN;

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, key, strlen(key)) == 0) {
            found = strtod(line + strlen(key), NULL) / 1024;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return found;
}

static void forget_peak(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");

    if (file != NULL) {
        fputs("5", file);
        fclose(file);
    }
}

struct asked {
    const char *limit, *effort, *method, *write;
    double part;
};

static void set(spgm_options *options, const char *name, const char *value) {
    spgm_status status;

    if (value != NULL) {
        check(spgm_options_set(options, name, value, &status), &status);
    }
}

struct watch {
    double began;
    int is_loud;
    double best;
};

static int watch_progress(const spgm_progress *progress, void *context) {
    struct watch *w = context;

    if (w->is_loud && progress->best < w->best * (1 - 1e-6)) {
        printf("    %8.2f s  %-10s F %.8g\n", wall_seconds() - w->began, progress->method, progress->best);
        w->best = progress->best;
    }
    return 0;
}

struct measured {
    double seconds, wall, peak, beyond; /* processor time, that of the clock; MB in all, and beyond the data */
    spgm_info info;
};

static struct measured measure(const struct instance *c, const struct made *d, const struct asked *asked, int is_loud) {
    spgm_options *options = spgm_options_new();
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;
    spgm_status status;
    struct watch watch = {.is_loud = is_loud, .best = INFINITY};
    struct measured found;
    double base, began;

    set(options, "loss", c->loss);
    set(options, "quantile", c->quantile);
    set(options, "threads", "1");
    set(options, "time_limit", asked->limit);
    set(options, "effort", asked->effort);
    set(options, "method", asked->method);
    forget_peak();
    base = status_mb("VmRSS:");
    began = processor_seconds();
    watch.began = wall_seconds();
    check(spgm_problem_new(&d->A, d->b, options, &problem, &status), &status);
    check(spgm_solver_new(problem, c->sparsity, options, &solver, &status), &status);
    spgm_solver_set_progress(solver, watch_progress, &watch);
    check(spgm_solver_run(solver, &status), &status);
    found.wall = wall_seconds() - watch.began;
    found.seconds = processor_seconds() - began;
    found.peak = status_mb("VmHWM:");
    found.beyond = found.peak - base;
    found.info = spgm_solver_get_info(solver);
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
    return found;
}

/* MB beyond the data: a block of m x s of at most 64 MB or a quarter of the data, 24 vectors over rows, 64 over
 * columns, and 64; or a quarter of the data, for samples. */
static double memory_allowed(const struct instance *c, const struct made *d, double data) {
    double m = (double)d->A.rows, block = 8 * m * (double)(c->sparsity + 1) / 1048576;
    double vectors = (24 * m + 64 * (double)d->A.columns) * 8 / 1048576;

    return fmax(fmin(block, fmax(64, data / 4)) + vectors + 64, data / 4);
}

/* One fit and its line of output; returns 1 if it misses a requirement. */
static int fit(const struct instance *c, const struct made *d, const struct asked *asked, int is_loud) {
    double data = (double)(d->start == NULL ? d->A.rows * d->A.columns * 8 : d->start[d->A.columns] * 12) / 1048576;
    struct measured f = measure(c, d, asked, is_loud);
    int is_default = asked->limit == NULL && asked->effort == NULL && asked->method == NULL;
    int failed = f.info.support < c->sparsity || f.beyond > memory_allowed(c, d, data);

    failed |= is_default && f.seconds > c->allowed * asked->part;
    failed |= asked->limit != NULL && f.wall > 1.02 * strtod(asked->limit, NULL) + 0.05;
    printf("%-15s %-10s data %5.0f MB  peak RSS %5.0f, beyond %4.0f (may %4.0f) MB  %7.2f s (wall %.2f, reported %.2f) "
           " F %.8g  support "
           "%lld  restarts %lld  %s%s\n",
           c->name, asked->limit == NULL ? "" : asked->limit, data, f.peak, f.beyond, memory_allowed(c, d, data),
           f.seconds, f.wall, f.info.seconds, f.info.objective, (long long)f.info.support, (long long)f.info.restarts,
           spgm_outcome_name(f.info.outcome), failed ? "  <- missed" : "");
    fflush(stdout);
    return failed;
}

/* The same in a process of its own, so that no fit benefits from memory left by an earlier one. */
static int fit_apart(const struct instance *c, const struct made *d, const struct asked *asked, int is_loud) {
    pid_t child = fork();
    int status = 0;

    if (child == 0) {
        exit(fit(c, d, asked, is_loud));
    }
    return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

static int run(const struct instance *c, const struct asked *asked, int is_loud) {
    struct made d = make(c, asked->part);
    struct asked short_time = *asked;
    int failed = 0;

    if (asked->write != NULL) {
        (d.start == NULL ? write_csv : write_libsvm)(&d, asked->write);
    } else {
        failed = fit_apart(c, &d, asked, is_loud);
        if (asked->limit == NULL && asked->effort == NULL && asked->method == NULL) {
            short_time.limit = c->limit;
            failed |= fit_apart(c, &d, &short_time, is_loud);
        }
    }
    release(&d);
    return failed;
}

int main(int count, char **arguments) {
    struct asked asked = {.part = 1};
    int failed = 0, named = 0, is_loud = 0;

    for (int i = 1; i < count; i++) {
        const char *word = arguments[i], *next = i + 1 < count ? arguments[i + 1] : "";

        if (strcmp(word, "--loud") == 0) {
            is_loud = 1;
        } else if (strncmp(word, "--", 2) == 0) {
            asked.limit = strcmp(word, "--limit") == 0 ? next : asked.limit;
            asked.effort = strcmp(word, "--effort") == 0 ? next : asked.effort;
            asked.method = strcmp(word, "--method") == 0 ? next : asked.method;
            asked.write = strcmp(word, "--write") == 0 ? next : asked.write;
            asked.part = strcmp(word, "--part") == 0 ? strtod(next, NULL) : asked.part;
            i++;
        }
        named += strncmp(word, "--", 2) != 0;
    }
    for (size_t k = 0; k < sizeof instances / sizeof *instances; k++) {
        int wanted = named == 0;

        for (int i = 1; i < count; i++) {
            wanted |= strcmp(arguments[i], instances[k].name) == 0;
        }
        failed |= wanted && run(&instances[k], &asked, is_loud);
    }
    return failed;
}
