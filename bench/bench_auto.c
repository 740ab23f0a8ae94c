/*
 * auto in counts and ratios, which do not depend on the machine. One thread.
 *
 *     bench_auto [seeds; default 20] [noise; default: all levels]
 *
 * fit        pivots of a warm fit after an exchange of one column, on random-256-1024
 * outliers   random-256-1024-O with 20 true columns: how many of them each method finds at each level of noise, and its
 *            F over that of auto. A seed counts as identifiable when no method has found a support with a lower F than
 *            the true one has: otherwise a better search finds fewer true columns, not more. Over these seeds auto must
 *            find as many columns as any method and clearly more than omp, and it must have the lowest F on every seed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "fit/fit.h"
#include "model/problem.h"
#include "spgm/io.h"

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

/* ---- fits ------------------------------------------------------------------------------------------------------- */

/* Random exchanges, each fitted from the last solution; returns the mean number of pivots. */
static double pivots_per_exchange(struct fit *fit, int64_t s, int64_t columns) {
    struct random random;
    int64_t support[1024], before;

    random_seed(&random, 1, 0);
    random_subset(&random, columns, s, support);
    fit_set_size(fit, s);
    for (int64_t j = 0; j < s; j++) {
        fit_set_column(fit, j, support[j]);
    }
    fit_cold(fit);
    before = fit_steps(fit);
    for (int t = 0; t < EXCHANGES; t++) {
        int64_t position = random_below(&random, s);
        int64_t column = random_below(&random, columns);
        double x[1024];

        memcpy(x, fit_x(fit), sizeof(double) * (size_t)s);
        x[position] = 0;
        fit_set_column(fit, position, column);
        fit_set_x(fit, x);
        fit_warm(fit, INFINITY);
    }
    return (double)(fit_steps(fit) - before) / EXCHANGES;
}

static void bench_fit(const char *loss) {
    spgm_data *data = generate("random-256-1024", 1, 100, 10);
    spgm_matrix A = spgm_data_matrix(data);
    spgm_options *options = options_of(loss);
    spgm_problem *user = NULL;
    struct problem problem = {0};
    spgm_status status;

    check(spgm_problem_new(&A, spgm_data_target(data), options, &user, &status), &status);
    check(problem_frame(user, 1, &problem, &status), &status);
    for (int64_t s = 10; s <= 90; s += 40) {
        struct fit *fit = fit_new(&problem, s);

        if (fit == NULL) {
            exit(1);
        }
        printf("fit        %-5s s = %2d    %6.1f pivots after an exchange\n", loss, (int)s,
               pivots_per_exchange(fit, s, A.columns));
        fit_free(fit);
    }
    problem_unframe(&problem);
    spgm_problem_free(user);
    spgm_options_free(options);
    spgm_data_free(data);
}

/* ---- outliers --------------------------------------------------------------------------------------------------- */

struct total {
    int64_t found;      /* true columns, over all seeds             */
    int64_t identified; /* of them where the true support fits best */
    double ratio;       /* of F to that of auto, summed             */
};

/* F of a method from the start x, or from its own start if `from` is NULL; also the number of true columns that it
 * finds. */
static double solve(const spgm_data *data, const char *method, const double *from, int64_t *found) {
    spgm_options *options = options_of("l1");
    spgm_matrix A = spgm_data_matrix(data);
    double *x = calloc((size_t)A.columns, sizeof *x);
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;
    spgm_info info;
    spgm_status status;

    if (x == NULL) {
        exit(1);
    }
    set(options, "method", method);
    set(options, "polish", "true");
    check(spgm_problem_new(&A, spgm_data_target(data), options, &problem, &status), &status);
    check(spgm_solver_new(problem, SUPPORT, options, &solver, &status), &status);
    if (from != NULL) {
        check(spgm_solver_set_start(solver, from, 0, &status), &status);
    }
    check(spgm_solver_run(solver, &status), &status);
    info = spgm_solver_get_info(solver);
    spgm_solver_get_x(solver, x, NULL);
    for (int64_t j = 0; j < A.columns; j++) {
        *found += x[j] != 0 && spgm_data_truth(data)[j] != 0;
    }
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    free(x);
    spgm_options_free(options);
    return info.objective;
}

/* Whether to run a method: not `polish`, which needs a start, nor `exact`, which begins with auto and might take days
 * to prove. */
static int is_method(int64_t i) {
    return strcmp(spgm_method_name(i), "polish") != 0 && strcmp(spgm_method_name(i), "exact") != 0;
}

/* One seed; returns nonzero if some method has a lower F than auto. *identified counts the seeds whose true support has
 * the lowest F. */
static int bench_seed(int seed, double noise, struct total *totals, int64_t count, int64_t *identified) {
    spgm_data *data = generate("random-256-1024-O", (uint64_t)seed, SUPPORT, noise);
    double F[MOST_METHODS] = {0}, best = INFINITY, ours = INFINITY, truth;
    int64_t found[MOST_METHODS] = {0}, ignored = 0;
    int is_identified;

    truth = solve(data, "polish", spgm_data_truth(data), &ignored);
    for (int64_t i = 0; i < count; i++) {
        if (is_method(i)) {
            F[i] = solve(data, spgm_method_name(i), NULL, &found[i]);
            best = fmin(best, F[i]);
            ours = strcmp(spgm_method_name(i), "auto") == 0 ? F[i] : ours;
        }
    }
    is_identified = islessequal(truth, best * (1 + 1e-9));
    *identified += is_identified;
    for (int64_t i = 0; i < count; i++) {
        totals[i].found += found[i];
        totals[i].identified += is_identified ? found[i] : 0;
        totals[i].ratio += F[i] / ours;
    }
    spgm_data_free(data);
    return best < ours * (1 - 1e-7);
}

/* Nonzero: auto does not keep its word. */
static int bench_outliers(int seeds, double noise) {
    struct total totals[MOST_METHODS] = {{0}};
    int64_t count = spgm_method_count() < MOST_METHODS ? spgm_method_count() : MOST_METHODS;
    int64_t identified = 0, ours = 0, most = 0, omp = 0;
    int is_above = 0, is_beaten;

    for (int seed = 1; seed <= seeds; seed++) {
        is_above |= bench_seed(seed, noise, totals, count, &identified);
    }
    printf("outliers   noise %g: the true support fits best on %d of %d seeds\n", noise, (int)identified, seeds);
    for (int64_t i = 0; i < count; i++) {
        const char *name = spgm_method_name(i);
        int64_t found = totals[i].identified;

        if (is_method(i)) {
            printf("  %-9s %4d of %4d true columns, on those seeds %4d of %4d, F / F(auto) %.4f\n", name,
                   (int)totals[i].found, seeds * SUPPORT, (int)found, (int)identified * SUPPORT,
                   totals[i].ratio / seeds);
            ours = strcmp(name, "auto") == 0 ? found : ours;
            omp = strcmp(name, "omp") == 0 ? found : omp;
            most = found > most ? found : most;
        }
    }
    is_beaten = most > ours || 10 * omp > 9 * ours;
    printf(
        "  auto has the lowest F on every seed: %s; on those seeds it finds as many as any and a tenth more than omp: "
        "%s\n",
        is_above ? "NO" : "yes", is_beaten ? "NO" : "yes");
    fflush(stdout);
    return is_above || is_beaten;
}

int main(int argc, char **argv) {
    static const double levels[] = {0.05, 0.2, 1};
    int seeds = argc > 1 && atoi(argv[1]) > 0 ? atoi(argv[1]) : 20;
    int failed = 0;

    bench_fit("l1");
    bench_fit("linf");
    if (argc > 2) {
        return bench_outliers(seeds, atof(argv[2]));
    }
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        failed |= bench_outliers(seeds, levels[i]);
    }
    return failed;
}
