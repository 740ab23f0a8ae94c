/*
 * auto in counts and ratios, which do not depend on the machine. One thread.
 *
 *     bench_auto [seeds; default 20]
 *
 * refit      pivots of a refit after an exchange of one column, on random-256-1024
 * outliers   random-256-1024-O with 20 true columns and a strong signal: how many of them each method finds, and its F
 *            over that of auto. auto must find as many as any method and more than omp.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/problem.h"
#include "search/refit/refit.h"
#include "spgm/spgm.h"

enum { SUPPORT = 20, MOST_METHODS = 32, EXCHANGES = 200 };

static void check(spgm_error error, const spgm_status *status) {
    if (error != SPGM_OK) {
        fprintf(stderr, "bench_auto: %s\n", status->message);
        exit(1);
    }
}

static void set(spgm_options *options, const char *name, const char *value) {
    spgm_status status;

    check(spgm_options_set(options, name, value, &status), &status);
}

static spgm_options *options_of(const char *loss) {
    spgm_options *options = spgm_options_new();

    if (options == NULL) {
        exit(1);
    }
    set(options, "loss", loss);
    set(options, "ridge", "0.01");
    set(options, "intercept", "false");
    set(options, "threads", "1");
    return options;
}

static spgm_data *generate(const char *name, uint64_t seed, int64_t support, double noise) {
    spgm_generate_options how = {.support = support, .noise = noise};
    spgm_data *data = NULL;
    spgm_status status;

    check(spgm_data_generate(name, seed, &how, &data, &status), &status);
    return data;
}

/* ---- refits ----------------------------------------------------------------------------------------------------- */

/* Random exchanges, each from the last solution; the mean number of pivots. */
static double pivots_per_exchange(struct refit *refit, int64_t s, int64_t columns) {
    struct random random;
    int64_t support[1024], before;

    random_seed(&random, 1, 0);
    random_subset(&random, columns, s, support);
    refit_set_size(refit, s);
    for (int64_t j = 0; j < s; j++) {
        refit_set_column(refit, j, support[j]);
    }
    refit_solve_cold(refit);
    before = refit_pivots(refit);
    for (int t = 0; t < EXCHANGES; t++) {
        int64_t position = random_below(&random, s);
        int64_t column = random_below(&random, columns);
        double x[1024];

        memcpy(x, refit_x(refit), sizeof(double) * (size_t)s);
        x[position] = 0;
        refit_set_column(refit, position, column);
        refit_set_x(refit, x);
        refit_solve_warm(refit, INFINITY);
    }
    return (double)(refit_pivots(refit) - before) / EXCHANGES;
}

static void bench_refit(const char *loss) {
    spgm_data *data = generate("random-256-1024", 1, 100, 10);
    spgm_matrix A = spgm_data_matrix(data);
    spgm_options *options = options_of(loss);
    spgm_problem *user = NULL;
    struct problem problem = {0};
    spgm_status status;

    check(spgm_problem_new(&A, spgm_data_target(data), options, &user, &status), &status);
    check(problem_frame(user, 1, &problem, &status), &status);
    for (int64_t s = 10; s <= 90; s += 40) {
        struct refit *refit = refit_new(&problem, s);

        if (refit == NULL) {
            exit(1);
        }
        printf("refit      %-5s s = %2d    %6.1f pivots after an exchange\n", loss, (int)s,
               pivots_per_exchange(refit, s, A.columns));
        refit_free(refit);
    }
    problem_unframe(&problem);
    spgm_problem_free(user);
    spgm_options_free(options);
    spgm_data_free(data);
}

/* ---- outliers --------------------------------------------------------------------------------------------------- */

struct total {
    int64_t found;
    double ratio; /* of F to that of auto, summed */
};

static double solve(const spgm_data *data, const char *method, int64_t *found) {
    spgm_options *options = options_of("l1");
    spgm_matrix A = spgm_data_matrix(data);
    double *x = calloc((size_t)A.columns, sizeof *x);
    spgm_info info = {0};
    spgm_status status;

    if (x == NULL) {
        exit(1);
    }
    set(options, "method", method);
    set(options, "polish", "true");
    check(spgm_solve(&A, spgm_data_target(data), SUPPORT, options, x, NULL, &info, &status), &status);
    for (int64_t j = 0; j < A.columns; j++) {
        *found += x[j] != 0 && spgm_data_truth(data)[j] != 0;
    }
    free(x);
    spgm_options_free(options);
    return info.objective;
}

/* Nonzero: auto does not keep its word. */
static int bench_outliers(int seeds) {
    struct total totals[MOST_METHODS] = {{0}};
    int64_t count = spgm_method_count() < MOST_METHODS ? spgm_method_count() : MOST_METHODS;
    int64_t ours = 0;
    int failed = 0;

    for (int seed = 1; seed <= seeds; seed++) {
        spgm_data *data = generate("random-256-1024-O", (uint64_t)seed, SUPPORT, 0.2);
        int64_t ignored = 0;
        double best = solve(data, "auto", &ignored);

        for (int64_t i = 0; i < count; i++) {
            double ratio = solve(data, spgm_method_name(i), &totals[i].found) / best;

            totals[i].ratio += ratio;
            failed |= strcmp(spgm_method_name(i), "polish") != 0 && ratio < 1 - 1e-7;
        }
        spgm_data_free(data);
        ours += ignored;
    }
    for (int64_t i = 0; i < count; i++) {
        const char *name = spgm_method_name(i);

        if (strcmp(name, "polish") != 0) {
            printf("outliers   %-9s %4d of %4d true columns, F / F(auto) %.4f\n", name, (int)totals[i].found,
                   seeds * SUPPORT, totals[i].ratio / seeds);
            failed |= totals[i].found > ours || (strcmp(name, "omp") == 0 && 10 * totals[i].found > 9 * ours);
        }
    }
    printf("outliers   auto finds as many as any and a tenth more than omp: %s\n", failed ? "NO" : "yes");
    return failed;
}

int main(int argc, char **argv) {
    int seeds = argc > 1 ? atoi(argv[1]) : 20;

    bench_refit("l1");
    bench_refit("linf");
    return bench_outliers(seeds > 0 ? seeds : 1);
}
