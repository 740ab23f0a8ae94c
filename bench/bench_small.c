/*
 * What small problems take at default effort, and whether they end proven.
 *
 *     bench_small [rows; 500] [columns; 30] [s; 6] [problems; 20] [correlation; 0] [loss; all] [first seed; 1]
 *                 [kind; normal] [threads; 1]
 *
 * iid normal columns, or with equal correlations; s true columns with normal coefficients, noise 1, the signs of that
 * for losses of labels. Kinds: heavy has noise of Student's t with 3 degrees of freedom, lognormal columns exp(z),
 * binary columns that are 1 in three of ten rows, neighbours columns with correlations 0.8^|j - k|, copies pairs of
 * columns with a correlation of 0.98. Milliseconds of spgm_solve: processor time with one thread, else those of the
 * clock (threads 0: one per core). Exits with 1 where one is not proven.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "spgm/spgm.h"

struct instance {
    int64_t m, n, s;
    double *A, *b, *labels, *x;
};

static void *take(int64_t count) {
    void *memory = calloc((size_t)count, sizeof(double));

    if (memory == NULL) {
        exit(1);
    }
    return memory;
}

/* Student's t with 3 degrees of freedom. */
static double random_heavy(struct random *random) {
    double z = random_normal(random), sum = 0;

    for (int i = 0; i < 3; i++) {
        double other = random_normal(random);

        sum += other * other / 3;
    }
    return z / sqrt(sum);
}

/* Transform a row of normal columns according to the kind. */
static void shape_row(double *a, int64_t n, int64_t ld, const char *kind) {
    for (int64_t j = 0; j < n; j++) {
        double *z = a + j * ld;

        if (strcmp(kind, "lognormal") == 0) {
            *z = exp(*z);
        } else if (strcmp(kind, "binary") == 0) {
            *z = *z > 0.524;
        } else if (strcmp(kind, "neighbours") == 0 && j > 0) {
            *z = 0.8 * a[(j - 1) * ld] + 0.6 * *z;
        } else if (strcmp(kind, "copies") == 0 && j % 2 == 1) {
            *z = 0.98 * a[(j - 1) * ld] + 0.199 * *z;
        }
    }
}

static void draw(struct instance *p, double correlation, const char *kind, uint64_t seed) {
    struct random random;
    int64_t *columns = take(p->s);
    double common = sqrt(correlation), own = sqrt(1 - correlation);

    random_seed(&random, seed, 0);
    for (int64_t i = 0; i < p->m; i++) {
        double shared = random_normal(&random);

        for (int64_t j = 0; j < p->n; j++) {
            p->A[i + j * p->m] = own * random_normal(&random) + common * shared;
        }
        shape_row(p->A + i, p->n, p->m, kind);
        p->b[i] = strcmp(kind, "heavy") == 0 ? random_heavy(&random) : random_normal(&random);
    }
    random_subset(&random, p->n, p->s, columns);
    for (int64_t k = 0; k < p->s; k++) {
        double x = random_normal(&random);

        for (int64_t i = 0; i < p->m; i++) {
            p->b[i] += x * p->A[i + columns[k] * p->m];
        }
    }
    for (int64_t i = 0; i < p->m; i++) {
        p->labels[i] = p->b[i] > 0 ? 1 : -1;
    }
    free(columns);
}

static void set(spgm_options *options, const char *name, const char *value) {
    spgm_status status;

    if (spgm_options_set(options, name, value, &status) != SPGM_OK) {
        fprintf(stderr, "bench_small: %s\n", status.message);
        exit(1);
    }
}

static double seconds_of(clockid_t clock) {
    struct timespec now;

    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Nonzero: one is not proven. */
static int bench_loss(struct instance *p, const char *loss, int takes_labels, int64_t count, double correlation,
                      const char *kind, uint64_t first, const char *threads) {
    clockid_t clock = strcmp(threads, "1") == 0 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    spgm_options *options = spgm_options_new();
    double *ms = take(count), sum = 0, nodes = 0, total = 0;
    int64_t proven = 0;

    set(options, "loss", loss);
    set(options, "threads", threads);
    if (strcmp(loss, "quantile") == 0) {
        set(options, "quantile", "0.9");
    }
    for (int64_t k = 0; k < count; k++) {
        spgm_matrix A = spgm_dense(p->m, p->n, p->A);
        spgm_status status;
        spgm_info info;
        double began, intercept;

        draw(p, correlation, kind, first + (uint64_t)k);
        began = seconds_of(clock);
        if (spgm_solve(&A, takes_labels ? p->labels : p->b, p->s, options, p->x, &intercept, &info, &status) !=
            SPGM_OK) {
            fprintf(stderr, "bench_small: %s\n", status.message);
            exit(1);
        }
        ms[k] = 1e3 * (seconds_of(clock) - began);
        sum += ms[k];
        nodes += (double)info.nodes;
        total += info.objective;
        proven += info.outcome == SPGM_OPTIMAL;
    }
    qsort(ms, (size_t)count, sizeof *ms, ascending);
    printf("%-14s mean %7.2f  median %7.2f  95 %% %7.2f  worst %7.2f ms  nodes %7.1f  proven %d of %d  F %.10g\n", loss,
           sum / (double)count, ms[count / 2], ms[(count * 95 - 1) / 100], ms[count - 1], nodes / (double)count,
           (int)proven, (int)count, total / (double)count);
    fflush(stdout);
    free(ms);
    spgm_options_free(options);
    return proven < count;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        int takes_labels;
    } losses[] = {{"squared", 0}, {"l2", 0},       {"huber", 0}, {"squared_hinge", 1}, {"l1", 0},
                  {"epsilon", 0}, {"quantile", 0}, {"hinge", 1}, {"linf", 0},          {"logistic", 1}};
    struct instance p = {
        .m = argc > 1 ? atoll(argv[1]) : 500, .n = argc > 2 ? atoll(argv[2]) : 30, .s = argc > 3 ? atoll(argv[3]) : 6};
    int64_t count = argc > 4 ? atoll(argv[4]) : 20;
    double correlation = argc > 5 ? atof(argv[5]) : 0;
    int failed = 0;

    p.A = take(p.m * p.n);
    p.b = take(p.m);
    p.labels = take(p.m);
    p.x = take(p.n);
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        if (argc <= 6 || strcmp(argv[6], "all") == 0 || strcmp(argv[6], losses[i].name) == 0) {
            failed |= bench_loss(&p, losses[i].name, losses[i].takes_labels, count, correlation,
                                 argc > 8 ? argv[8] : "normal", argc > 7 ? (uint64_t)atoll(argv[7]) : 1,
                                 argc > 9 ? argv[9] : "1");
        }
    }
    free(p.A);
    free(p.b);
    free(p.labels);
    free(p.x);
    return failed;
}
