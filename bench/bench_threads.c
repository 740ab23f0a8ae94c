/*
 * Folds of a cross-validation side by side, and the smallest product that wakes threads: the time of two threads
 * against one, by the clock, and the same bits.
 *
 *     bench_threads [rounds; default 3]
 *
 * One and two threads take turns and the fastest round of each counts. What two threads gain is only to be seen where
 * two processors are free: in each round two threads that only count say how many there are, and where these never got
 * 1.8 of them the clock is not judged. Whatever the load, two threads must not take more processor time than one, nor
 * wait for each other (voluntary switches), and a product on two threads may not take longer than on one.
 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "linalg/linop.h"
#include "spgm/io.h"

enum { SIZES = 3, FOLDS = 6, MOST_WAITS = 500 };
#define LEAST 1.6       /* times as fast with two threads   */
#define MOST_EXTRA 1.15 /* processor time, against one      */

static void check(spgm_error error, const spgm_status *status) {
    if (error != SPGM_OK) {
        fprintf(stderr, "bench_threads: %s\n", status->message);
        exit(1);
    }
}

static spgm_options *options_for(int threads) {
    static const char *const settings[][2] = {
        {"loss", "l1"}, {"ridge", "0.01"}, {"intercept", "false"}, {"effort", "1"}, {"polish", "true"}};
    spgm_options *options = spgm_options_new();
    spgm_status status;

    if (options == NULL) {
        exit(1);
    }
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        check(spgm_options_set(options, settings[i][0], settings[i][1], &status), &status);
    }
    check(spgm_options_set_number(options, "folds", FOLDS, &status), &status);
    check(spgm_options_set_number(options, "threads", threads, &status), &status);
    return options;
}

/* losses [SIZES x FOLDS] */
static void validate(const spgm_data *data, int threads, double *losses) {
    static const int64_t sizes[SIZES] = {10, 20, 30};
    spgm_matrix A = spgm_data_matrix(data);
    spgm_options *options = options_for(threads);
    spgm_problem *problem = NULL;
    spgm_cv *cv = NULL;
    spgm_status status;

    check(spgm_problem_new(&A, spgm_data_target(data), options, &problem, &status), &status);
    check(spgm_cv_new(problem, sizes, SIZES, options, &cv, &status), &status);
    check(spgm_cv_run(cv, &status), &status);
    for (int64_t i = 0; i < SIZES; i++) {
        spgm_cv_get(cv, i, losses + i * FOLDS, NULL, NULL);
    }
    spgm_cv_free(cv);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

struct cost {
    double wall, processor;
    long waits;
};

static double processor_seconds(void) {
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static struct cost cost_now(void) {
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (struct cost){clock_seconds(), processor_seconds(), usage.ru_nvcsw};
}

static void count_a_while(void *context, int64_t first, int64_t last) {
    double until = clock_seconds() + 0.2;

    (void)context, (void)first, (void)last;
    while (clock_seconds() < until) {
    }
}

/* How many processors two threads get at this moment. */
static double free_processors(void) {
    struct team *team = team_new(2);
    double wall = clock_seconds(), processor = processor_seconds();

    parallel_for(team, 2, 1, count_a_while, NULL);
    wall = clock_seconds() - wall;
    processor = processor_seconds() - processor;
    team_free(team);
    return processor / wall;
}

/* The cheapest of each. */
static void keep_least(struct cost before, struct cost after, struct cost *least) {
    least->wall = fmin(least->wall, after.wall - before.wall);
    least->processor = fmin(least->processor, after.processor - before.processor);
    least->waits = after.waits - before.waits < least->waits ? after.waits - before.waits : least->waits;
}

/* Nonzero if the threads miss a requirement. */
static int judge(const struct cost cost[2], double processors) {
    double gain = cost[0].wall / cost[1].wall;
    double extra = cost[1].processor / cost[0].processor;
    int failed = extra > MOST_EXTRA || cost[1].waits > MOST_WAITS;

    printf("cv         %d folds: one thread %.2f s, two %.2f s: %.2f times as fast; %.2f of two processors were free\n",
           FOLDS, cost[0].wall, cost[1].wall, gain, processors);
    printf("cv         processor time of two threads to one %.2f, at most %.2f; waits %ld, at most %d: %s\n", extra,
           MOST_EXTRA, cost[1].waits, MOST_WAITS, failed ? "NO" : "yes");
    if (processors < 1.8) {
        printf("cv         the machine is busy: the clock is not judged\n");
        return failed;
    }
    printf("cv         at least %.1f times as fast: %s\n", LEAST, gain >= LEAST ? "yes" : "NO");
    return failed || gain < LEAST;
}

/* ---- products ---------------------------------------------------------------------------------------------------- */

enum { SIDE = 2048, PRODUCTS = 200 };
#define MOST_LONGER 1.1 /* of a product on two threads, against one */

/* A'u for the smallest A that is worth waking threads; in turns, taking the fastest of each. Nonzero if two threads are
 * slower than allowed or the bits differ. */
static int products(void) {
    double *A = malloc(sizeof *A * SIDE * SIDE), *u = malloc(sizeof *u * SIDE), *g = malloc(2 * sizeof *g * SIDE);
    spgm_matrix matrix = spgm_dense(SIDE, SIDE, A);
    struct linop *linop = A == NULL || u == NULL || g == NULL ? NULL : linop_new(&matrix);
    struct team *team = team_new(2);
    double least[2] = {INFINITY, INFINITY};
    int failed;

    if (linop == NULL || team == NULL || !parallel_is_worth((int64_t)SIDE * SIDE)) {
        exit(1);
    }
    for (int64_t i = 0; i < SIDE * SIDE; i++) {
        A[i] = sin((double)i);
        u[i % SIDE] = cos((double)i);
    }
    for (int k = 0; k < 2 * PRODUCTS; k++) {
        double began = clock_seconds();

        linop->team = k % 2 ? team : NULL;
        linop_transpose(linop, u, g + k % 2 * SIDE);
        least[k % 2] = fmin(least[k % 2], clock_seconds() - began);
    }
    failed = least[1] > MOST_LONGER * least[0] || memcmp(g, g + SIDE, sizeof *g * SIDE) != 0;
    printf(
        "product    of %d x %d: one thread %.0f us, two %.0f us; the same bits, and at most %.1f times as long: %s\n",
        SIDE, SIDE, 1e6 * least[0], 1e6 * least[1], MOST_LONGER, failed ? "NO" : "yes");
    linop_free(linop);
    team_free(team);
    free(A);
    free(u);
    free(g);
    return failed;
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 3;
    spgm_generate_options how = {.support = 20, .noise = 1};
    struct cost cost[2] = {{INFINITY, INFINITY, LONG_MAX}, {INFINITY, INFINITY, LONG_MAX}};
    double processors = 0;
    spgm_data *data = NULL;
    spgm_status status;
    int differ = 0;

    check(spgm_data_generate("random-256-1024", 1, &how, &data, &status), &status);
    for (int round = 0; round < rounds; round++) {
        double losses[2][SIZES * FOLDS] = {{0}};

        processors = fmax(processors, free_processors());
        for (int t = 0; t < 2; t++) {
            struct cost before = cost_now();

            validate(data, t + 1, losses[t]);
            keep_least(before, cost_now(), &cost[t]);
        }
        differ |= memcmp(losses[0], losses[1], sizeof losses[0]) != 0;
    }
    spgm_data_free(data);
    printf("cv         the same bits: %s\n", differ ? "NO" : "yes");
    differ |= judge(cost, processors);
    return products() || differ;
}
