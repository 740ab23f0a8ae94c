/*
 * The time limit, by a clock that multiplications drive: every method, loss and feasible set ends in time, with a model
 * of s units as soon as there was time for a second pass over A.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <spgm/spgm.h>

#include "alone.h"
#include "base/random.h"
#include "fake_clock.h"

enum { NUMBERS = 200000, MOST_COLUMNS = 400, S = 5, WIDTH = 5 };

static const char *const losses[] = {"l1", "quantile", "hinge",    "epsilon",       "linf",
                                     "l2", "huber",    "logistic", "squared_hinge", "squared"};
static const char *const methods[] = {"auto", "exact", "spgm-bcd", "spgm-iht", "psgd", "admm-iht",
                                      "diht", "pdm",   "cvx-l1",   "ncvx-lp",  "omp"};
static const char *const sets[] = {"plain", "nonnegative", "groups"};

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

static double A[NUMBERS], b[NUMBERS], labels[NUMBERS];

struct trial {
    int64_t rows, columns; /* NUMBERS in all */
    const char *loss, *method, *set, *ridge;
    double passes, slack; /* the limit, and how much later a run may end */
};

static void must(spgm_error error, const spgm_status *status) {
    if (error != SPGM_OK) {
        fail_msg("%s", status->message);
    }
}

static void make_data(int64_t rows) {
    struct random random;

    random_seed(&random, 71, 3);
    for (int64_t i = 0; i < NUMBERS; i++) {
        A[i] = random_normal(&random);
    }
    for (int64_t i = 0; i < rows; i++) {
        b[i] = random_normal(&random);
        for (int64_t j = 0; j < 2 * S; j++) {
            b[i] += (j % 2 ? -1 : 1) * A[i + rows * 3 * j];
        }
        labels[i] = b[i] > 0 ? 1 : -1;
    }
}

static void restrict_to(spgm_problem *problem, const char *set) {
    double lower[MOST_COLUMNS];
    int64_t group[MOST_COLUMNS];
    spgm_status status;

    for (int64_t j = 0; j < MOST_COLUMNS; j++) {
        lower[j] = 0;
        group[j] = j / WIDTH;
    }
    if (strcmp(set, "nonnegative") == 0) {
        must(spgm_problem_set_bounds(problem, lower, NULL, &status), &status);
    } else if (strcmp(set, "groups") == 0) {
        must(spgm_problem_set_groups(problem, group, 0, &status), &status);
    }
}

static void try_limit(const struct trial *t) {
    int is_labelled = strstr("hinge logistic squared_hinge", t->loss) != NULL;
    spgm_matrix matrix = spgm_dense(t->rows, t->columns, A);
    double pass = 1e-9 * NUMBERS, began = clock_seconds(), took;
    spgm_options *options = spgm_options_new();
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;
    spgm_status status;
    spgm_info info;

    must(spgm_options_set(options, "loss", t->loss, &status), &status);
    must(spgm_options_set(options, "method", t->method, &status), &status);
    must(spgm_options_set(options, "ridge", t->ridge, &status), &status);
    must(spgm_options_set_number(options, "time_limit", t->passes * pass, &status), &status);
    must(spgm_problem_new(&matrix, is_labelled ? labels : b, options, &problem, &status), &status);
    restrict_to(problem, t->set);
    must(spgm_solver_new(problem, S, options, &solver, &status), &status);
    must(spgm_solver_run(solver, &status), &status);
    info = spgm_solver_get_info(solver);
    took = (clock_seconds() - began) / pass;
    if (info.units != S) {
        fail_msg("%s, %s, %s, %g passes: %d of %d units", t->loss, t->method, t->set, t->passes, (int)info.units, S);
    }
    if (!(took <= 1.02 * t->passes + t->slack)) {
        fail_msg("%s, %s, %s: a limit of %g passes ended after %.3g", t->loss, t->method, t->set, t->passes, took);
    }
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

/* With a ridge, which diht needs. The clock counts the Gram matrix of a search (and that of all columns, which a proof
 * takes) as passes, all at once. */
static void every_method_keeps_the_limit(void **state) {
    static const double limits[] = {1, 12, 60};

    (void)state;
    make_data(2000);
    for (int i = 0; i < COUNT(losses) * COUNT(methods); i++) {
        for (int k = 0; k < COUNT(sets) * COUNT(limits); k++) {
            const char *method = methods[i % COUNT(methods)];
            struct trial trial = {.rows = 2000,
                                  .columns = 100,
                                  .loss = losses[i / COUNT(methods)],
                                  .method = method,
                                  .set = sets[k / COUNT(limits)],
                                  .ridge = "1",
                                  .passes = limits[k % COUNT(limits)],
                                  .slack = strcmp(method, "exact") == 0 ? 125 : 30};

            try_limit(&trial);
        }
    }
}

/* Without a ridge boxes come from inverses over all columns: one Gram matrix is 200 passes, and there is no second. */
static void boxes_of_a_proof_keep_the_limit(void **state) {
    (void)state;
    make_data(500);
    for (int i = 0; i < COUNT(losses); i++) {
        struct trial trial = {.rows = 500,
                              .columns = 400,
                              .loss = losses[i],
                              .method = "exact",
                              .set = "nonnegative",
                              .ridge = "0",
                              .passes = 100,
                              .slack = 200};

        try_limit(&trial);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        unit_test_alone(every_method_keeps_the_limit),
        unit_test_alone(boxes_of_a_proof_keep_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
