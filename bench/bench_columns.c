/*
 * Many columns: what a restart of the search costs in passes over the data, counted by multiplications. One thread.
 *
 *     bench_columns [seed; default 3]
 *
 * Prices (A'u and the squares of columns, of all or of those in sight) are what a pass over all columns is about: a
 * restart must take less than one of them. Beside them stands the whole, with exact fits and the products of the
 * support with candidates, which do not grow with the columns. Exits with an error where one is more than is allowed.
 * Half of the tables have independent columns, the others share factors, as genes do.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "model/problem.h"
#include "search/exchange.h"

enum { RESTARTS = 200, SUPPORT = 15, FACTORS = 8 };

struct table {
    int64_t rows, columns, factors;
    double most[2]; /* passes of a restart in all, for s = 10 and 20 */
};

static const struct table tables[] = {
    {300, 20000, 0, {1.8, 3.5}},
    {100, 100000, 0, {0.6, 1}},
    {150, 16000, FACTORS, {2.5, 4.5}},
    {100, 60000, FACTORS, {0.8, 1.5}},
};
static const char *const losses[] = {"l1", "linf", "huber", "hinge"};

static void check(spgm_error error, const spgm_status *status) {
    if (error != SPGM_OK) {
        fprintf(stderr, "bench_columns: %s\n", status->message);
        exit(1);
    }
}

/* A = L K + noise with factors, otherwise noise; b = A x + noise, with the first columns in the model. */
static void fill(const struct table *t, struct random *random, double *A, double *b) {
    double *loads = memory_array(t->rows * (t->factors + 1), sizeof *loads);

    if (loads == NULL) {
        exit(1);
    }
    for (int64_t i = 0; i < t->rows * t->factors; i++) {
        loads[i] = random_normal(random);
    }
    for (int64_t i = 0; i < t->rows; i++) {
        b[i] = 2 * random_normal(random);
    }
    for (int64_t j = 0; j < t->columns; j++) {
        double *column = A + j * t->rows, x = j < SUPPORT ? random_normal(random) : 0;

        for (int64_t i = 0; i < t->rows; i++) {
            column[i] = random_normal(random);
        }
        for (int64_t k = 0; k < t->factors; k++) {
            double load = random_normal(random);

            for (int64_t i = 0; i < t->rows; i++) {
                column[i] += load * loads[k * t->rows + i];
            }
        }
        for (int64_t i = 0; i < t->rows; i++) {
            b[i] += x * column[i];
        }
    }
    memory_free(loads);
}

/* 1: within what is allowed. */
static int restart(const struct table *t, const char *loss, const struct problem *problem, int64_t s,
                   const spgm_options *options) {
    struct workspace workspace = {0};
    struct exchange *search = NULL;
    struct run run;
    spgm_status status;
    double whole, prices, most = t->most[s > 10];

    run_init(&run, problem, s, options, &workspace);
    if (workspace.failed) {
        exit(1);
    }
    check(exchange_new(&run, &search, &status), &status);
    exchange_start(search, run.x, 0, INFINITY);
    whole = run_passes(&run);
    prices = linop_price_passes(problem->A);
    for (int i = 0; i < RESTARTS; i++) {
        exchange_restart(search);
    }
    check(exchange_error(search, &status), &status);
    whole = (run_passes(&run) - whole) / RESTARTS;
    prices = (linop_price_passes(problem->A) - prices) / RESTARTS;
    printf(
        "columns    %lld x %lld%s %-5s s = %lld: passes of a restart: prices %.2f (must be < 1), in all %.2f (< %g)\n",
        (long long)t->rows, (long long)t->columns, t->factors > 0 ? ", factors" : "", loss, (long long)s, prices, whole,
        most);
    fflush(stdout);
    exchange_free(search);
    workspace_free(&workspace);
    return prices < 1 && whole < most;
}

static int measure(const struct table *t, const char *loss, const double *A, const double *b) {
    spgm_matrix matrix = spgm_dense(t->rows, t->columns, A);
    spgm_options *options = spgm_options_new();
    spgm_problem *user = NULL;
    spgm_status status;
    int good = 1;

    if (options == NULL) {
        exit(1);
    }
    check(spgm_options_set(options, "loss", loss, &status), &status);
    check(spgm_options_set(options, "ridge", "0.1", &status), &status);
    check(spgm_problem_new(&matrix, b, options, &user, &status), &status);
    for (int64_t s = 10; s <= 20; s += 10) {
        struct problem problem = {0};

        check(problem_frame(user, 1, &problem, &status), &status);
        good &= restart(t, loss, &problem, s, options);
        problem_unframe(&problem);
    }
    spgm_problem_free(user);
    spgm_options_free(options);
    return good;
}

int main(int count, char **words) {
    struct random random;
    int good = 1;

    random_seed(&random, count > 1 ? strtoull(words[1], NULL, 10) : 3, 0);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const struct table *t = &tables[i];
        double *A = memory_array(t->rows * t->columns, sizeof *A), *b = memory_array(t->rows, sizeof *b);

        if (A == NULL || b == NULL) {
            return 1;
        }
        fill(t, &random, A, b);
        for (int k = 0; k < 3; k++) {
            good &= measure(t, losses[k], A, b);
        }
        for (int64_t r = 0; r < t->rows; r++) {
            b[r] = b[r] > 0 ? 1 : -1;
        }
        good &= measure(t, losses[3], A, b);
        memory_free(A);
        memory_free(b);
    }
    return !good;
}
