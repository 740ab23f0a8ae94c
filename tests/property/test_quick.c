/* The search of a fold: what its guide finds is no lower, recomputed by fits of our own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alone.h"
#include "base/random.h"
#include "select/quick.h"
#include "spgm/spgm.h"

enum { ROWS = 120, COLUMNS = 60, SIZES = 6 };

static const int64_t sizes[SIZES] = {1, 2, 3, 4, 6, 8};

struct sample {
    double A[ROWS * COLUMNS], b[ROWS], share[ROWS];
};

/* Most entries are 0, as in texts: the slopes of hinge hardly tell such columns apart. */
static struct sample *sample_new(uint64_t seed) {
    struct sample *sample = calloc(1, sizeof *sample);
    struct random random;
    assert_non_null(sample);
    random_seed(&random, seed, 0);
    for (int i = 0; i < ROWS * COLUMNS; i++)
        sample->A[i] = random_below(&random, 4) == 0 ? fabs(random_normal(&random)) : 0;
    for (int i = 0; i < ROWS; i++) {
        double score = 0.4 * random_normal(&random);
        for (int j = 0; j < 12; j++)
            score += (j % 2 ? -0.6 : 0.6) * sample->A[i + j * ROWS];
        sample->b[i] = score > 0 ? 1 : -1;
        sample->share[i] = 0.25; /* at which the same ridge shrinks as much under the squared hinge */
    }
    return sample;
}

/* What a quick search finds: a model for each size. */
struct models {
    double x[SIZES][COLUMNS], intercept[SIZES];
};

static spgm_error keep(void *context, int64_t i, int64_t k, const double *x, double intercept, spgm_status *status) {
    struct models *models = context;
    (void)k;
    (void)status;
    memcpy(models->x[i], x, sizeof models->x[i]);
    models->intercept[i] = intercept;
    return SPGM_OK;
}

static spgm_options *options_new(const char *loss) {
    spgm_options *options = spgm_options_new();
    assert_non_null(options);
    assert_int_equal(spgm_options_set(options, "loss", loss, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "ridge", "0.5", NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(options, "threads", "1", NULL), SPGM_OK);
    return options;
}

static spgm_problem *problem_new(const struct sample *sample, const spgm_options *options) {
    spgm_matrix A = spgm_dense(ROWS, COLUMNS, sample->A);
    spgm_problem *problem = NULL;
    assert_int_equal(spgm_problem_new(&A, sample->b, options, &problem, NULL), SPGM_OK);
    return problem;
}

static void search(const struct sample *sample, const char *loss, struct models *models) {
    static const double ridge = 0.5;
    spgm_options *options = options_new(loss);
    spgm_problem *problem = problem_new(sample, options);
    struct quick_trail trail = {0};
    atomic_int stop = 0;
    struct quick quick = {.problem = problem,
                          .options = options,
                          .count = SIZES,
                          .sparsities = sizes,
                          .ridge_count = 1,
                          .ridges = &ridge,
                          .last_ridge = 1,
                          .trail = &trail,
                          .stop = &stop,
                          .found = keep,
                          .found_context = models};
    if (strcmp(loss, "hinge") != 0)
        assert_int_equal(spgm_problem_set_weights(problem, sample->share, NULL), SPGM_OK);
    assert_int_equal(quick_run(&quick, NULL), SPGM_OK);
    quick_forget(&trail);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

/* The lowest F of hinge with the columns of a model and no other. */
static double refitted(const struct sample *sample, const double *x, int64_t size) {
    spgm_options *options = options_new("hinge");
    spgm_problem *problem = problem_new(sample, options);
    spgm_solver *solver = NULL;
    int64_t others[COLUMNS], count = 0;
    double objective;
    for (int64_t j = 0; j < COLUMNS; j++)
        if (x[j] == 0)
            others[count++] = j;
    assert_int_equal(spgm_problem_set_excluded(problem, others, count, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_new(problem, size, options, &solver, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
    objective = spgm_solver_get_info(solver).objective;
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
    return objective;
}

static void hinge_is_no_higher_than_on_the_columns_of_its_guide(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct sample *sample = sample_new(seed);
        struct models *hinge = calloc(2, sizeof *hinge), *guide = hinge + 1;
        spgm_options *options = options_new("hinge");
        spgm_problem *problem = problem_new(sample, options);
        assert_non_null(hinge);
        search(sample, "hinge", hinge);
        search(sample, "squared_hinge", guide);
        for (int i = 0; i < SIZES; i++) {
            double found;
            assert_int_equal(spgm_problem_evaluate(problem, hinge->x[i], hinge->intercept[i], &found, NULL, NULL, NULL),
                             SPGM_OK);
            assert_true(found <= refitted(sample, guide->x[i], sizes[i]) * (1 + 1e-6));
        }
        spgm_problem_free(problem);
        spgm_options_free(options);
        free(hinge);
        free(sample);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {unit_test_alone(hinge_is_no_higher_than_on_the_columns_of_its_guide)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
