/*
 * The mean of models and the columns that stand for it: the mean as independent fits to copied rows give it, with ridge
 * regression by normal equations and elimination and Huber's loss by reweighting, how many columns stand for it, what
 * draws few of many columns to it, the same bits for any number of threads, what a stop leaves, and what is refused.
 * bindings/python/tests/test_choosing.py has the estimator.
 */
#define FIXTURE_SEED 83
#include "unit/model_fixture.h"

#include "select/folds.h"
#include "spgm/spgm.h"
#include "woken.h"

enum { ROWS = 60, COLUMNS = 8, MANY = 70, FOLDS = 4, CHOICES = 4, MEMBERS = 20, SPLITS = 5, SEED = 1 };

struct instance {
    int64_t columns;
    double A[ROWS * MANY], b[ROWS];
    spgm_matrix matrix;
    int64_t splits, fold_of_row[SPLITS][ROWS];
    spgm_problem *problems[2]; /* absolute errors, squares */
    spgm_options *options;     /* of the squares that follow */
    spgm_choice choices[CHOICES];
};

static spgm_options *make_options(const char *loss) {
    spgm_options *options = spgm_options_new();

    assert_non_null(options);
    assert_int_equal(spgm_options_set(options, "loss", loss, NULL), SPGM_OK);
    return options;
}

static spgm_problem *make_problem(const struct instance *in, const char *loss) {
    spgm_options *options = make_options(loss);
    spgm_problem *problem = NULL;

    assert_int_equal(spgm_problem_new(&in->matrix, in->b, options, &problem, NULL), SPGM_OK);
    spgm_options_free(options);
    return problem;
}

/* Two choices near the lowest loss, one that is too far, one that was not tried. Columns of several sizes and means;
 * those beyond the first two have effects of this size in common. */
static void make_instance_of(struct instance *in, int64_t columns, double others) {
    double shared[ROWS];

    in->columns = columns;
    in->splits = 1;
    for (int64_t i = 0; i < ROWS; i++) {
        shared[i] = fixture_normal();
        in->fold_of_row[0][i] = i % FOLDS;
    }
    for (int64_t k = 0; k < ROWS * columns; k++) {
        int64_t j = k / ROWS;

        in->A[k] = (j < 2 ? fixture_normal() : shared[k % ROWS] + fixture_normal()) * (double)(1 + j % 3) + (double)j;
    }
    for (int64_t i = 0; i < ROWS; i++) {
        in->b[i] = 5 + 3 * in->A[i] - in->A[i + ROWS] + others * shared[i] + fixture_normal();
    }
    in->matrix = spgm_dense(ROWS, columns, in->A);
    in->problems[0] = make_problem(in, "l1");
    in->problems[1] = make_problem(in, "squared");
    in->options = make_options("squared");
    in->choices[0] = (spgm_choice){in->problems[1], 2, 0, 0, 0.83};
    in->choices[1] = (spgm_choice){in->problems[0], 3, 4, 0, 0.8};
    in->choices[2] = (spgm_choice){in->problems[0], 1, 0, 0, 1.2};
    in->choices[3] = (spgm_choice){in->problems[1], 5, 0, 0, NAN};
}

static void make_instance(struct instance *in) {
    make_instance_of(in, COLUMNS, 1);
}

static void free_instance(struct instance *in) {
    spgm_problem_free(in->problems[0]);
    spgm_problem_free(in->problems[1]);
    spgm_options_free(in->options);
}

struct found {
    double target[ROWS], ridge, linear[MANY];
    int64_t s;
};

static spgm_error project(const struct instance *in, spgm_progress_function progress, struct found *found,
                          spgm_status *status) {
    return spgm_project(in->choices, CHOICES, in->fold_of_row[0], FOLDS, in->options, progress, NULL, found->target,
                        &found->s, &found->ridge, found->linear, status);
}

/* ---- the models of few columns, by fits to copied rows ----------------------------------------------------------- */

/* The coefficients of a choice on the rows outside a fold, the intercept last; added. */
static void add_member(const struct instance *in, const char *loss, int64_t s, double ridge, int64_t fold, double *x) {
    double A[ROWS * MANY], b[ROWS], found[MANY], intercept;
    int64_t rows = 0;
    spgm_options *options = make_options(loss);
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;

    for (int64_t i = 0; i < ROWS; i++) {
        rows += in->fold_of_row[0][i] != fold;
    }
    for (int64_t i = 0, at = 0; i < ROWS; i++) {
        if (in->fold_of_row[0][i] != fold) {
            for (int64_t j = 0; j < in->columns; j++) {
                A[at + j * rows] = in->A[i + j * ROWS];
            }
            b[at++] = in->b[i];
        }
    }
    spgm_matrix matrix = spgm_dense(rows, in->columns, A);
    assert_int_equal(spgm_options_set_number(options, "ridge", ridge * (double)rows / ROWS, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_new(&matrix, b, options, &problem, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_new(problem, s, options, &solver, NULL), SPGM_OK);
    assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
    spgm_solver_get_x(solver, found, &intercept);
    for (int64_t j = 0; j < in->columns; j++) {
        x[j] += found[j];
    }
    x[in->columns] += intercept;
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_options_free(options);
}

static double predicted_by(const struct instance *in, const double *x, int64_t i) {
    double sum = x[in->columns];

    for (int64_t j = 0; j < in->columns; j++) {
        sum += in->A[i + j * ROWS] * x[j];
    }
    return sum;
}

/* Mean coefficients of the members without each fold, and of all in the last place. */
static void fit_few(const struct instance *in, double x[FOLDS + 1][MANY + 1]) {
    double count[FOLDS] = {0};

    for (int64_t member = 0; member < MEMBERS; member++) {
        int is_first = member % 2 == 0; /* the lowest loss comes first */
        int64_t fold = (member + member / 2) % FOLDS;

        count[fold]++;
        add_member(in, is_first || in->choices[0].problem == in->problems[0] ? "l1" : "squared", is_first ? 3 : 2,
                   is_first ? 4 : 0, fold, x[fold]);
    }
    for (int64_t fold = 0; fold < FOLDS; fold++) {
        for (int64_t j = 0; j <= in->columns; j++) {
            x[FOLDS][j] += x[fold][j] / MEMBERS;
            x[fold][j] /= count[fold];
        }
    }
}

/* ---- ridge regression, by normal equations ----------------------------------------------------------------------- */

static double deviation(const struct instance *in, int64_t j) {
    double mean = 0, sum = 0, largest = 0;

    for (int64_t i = 0; i < ROWS; i++) {
        mean += in->A[i + j * ROWS] / ROWS;
    }
    for (int64_t i = 0; i < ROWS; i++) {
        double off = fabs(in->A[i + j * ROWS] - mean);

        sum += off * off / ROWS;
        largest = off > largest ? off : largest;
    }
    return fmax(sqrt(sum), 0.2 * largest);
}

/* G x = g by elimination with pivots; G and g are lost. */
static void eliminate(int64_t n, double G[MANY + 1][MANY + 1], double *g, double *x) {
    for (int64_t k = 0; k < n; k++) {
        int64_t pivot = k;

        for (int64_t i = k + 1; i < n; i++) {
            pivot = fabs(G[i][k]) > fabs(G[pivot][k]) ? i : pivot;
        }
        for (int64_t j = 0; j < n; j++) {
            double kept = G[k][j];
            G[k][j] = G[pivot][j];
            G[pivot][j] = kept;
        }
        double kept = g[k];
        g[k] = g[pivot];
        g[pivot] = kept;
        for (int64_t i = k + 1; i < n; i++) {
            double factor = G[i][k] / G[k][k];

            for (int64_t j = k; j < n; j++) {
                G[i][j] -= factor * G[k][j];
            }
            g[i] -= factor * g[k];
        }
    }
    for (int64_t k = n - 1; k >= 0; k--) {
        x[k] = g[k];
        for (int64_t j = k + 1; j < n; j++) {
            x[k] -= G[k][j] * x[j];
        }
        x[k] /= G[k][k];
    }
}

/* The coefficients of all columns on the rows outside a fold, the intercept last. */
static void fit_ridge(const struct instance *in, const int64_t *fold_of_row, int64_t fold, double ridge, double *x) {
    double G[MANY + 1][MANY + 1] = {{0}}, g[MANY + 1] = {0}, rows = 0;

    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t j = 0; fold_of_row[i] != fold && j <= in->columns; j++) {
            double a = j < in->columns ? in->A[i + j * ROWS] : 1;

            for (int64_t k = 0; k <= in->columns; k++) {
                G[j][k] += a * (k < in->columns ? in->A[i + k * ROWS] : 1);
            }
            g[j] += a * in->b[i];
        }
        rows += fold_of_row[i] != fold;
    }
    for (int64_t j = 0; j < in->columns; j++) {
        G[j][j] += ridge * rows / ROWS * deviation(in, j) * deviation(in, j);
    }
    eliminate(in->columns + 1, G, g, x);
}

static double error_outside(const struct instance *in, double ridge) {
    double sum = 0, x[MANY + 1];

    for (int64_t split = 0; split < in->splits; split++) {
        for (int64_t fold = 0; fold < FOLDS; fold++) {
            fit_ridge(in, in->fold_of_row[split], fold, ridge, x);
            for (int64_t i = 0; i < ROWS; i++) {
                sum += in->fold_of_row[split][i] == fold ? fabs(in->b[i] - predicted_by(in, x, i)) : 0;
            }
        }
    }
    return sum;
}

/* From columns times the unit down to a 300th of it, in steps of 4. */
static double best_ridge(const struct instance *in) {
    double mean = 0, sum = 0, squares = 0, best = 0, lowest = INFINITY;

    for (int64_t i = 0; i < ROWS; i++) {
        mean += in->b[i] / ROWS;
    }
    for (int64_t i = 0; i < ROWS; i++) {
        sum += fabs(in->b[i] - mean);
        squares += (in->b[i] - mean) * (in->b[i] - mean);
    }
    for (double times = (double)in->columns; times > 1. / 300; times /= 4) {
        double ridge = times * sum * sum / squares, error = error_outside(in, ridge);

        best = error < lowest ? ridge : best;
        lowest = fmin(error, lowest);
    }
    return best;
}

/* The normal distribution at half the standard errors by which all columns are better; 0 where it is next to nothing.
 */
static double share_of(const struct instance *in, double most, const double *outside, const double *all) {
    double sum = 0, squares = 0, share;

    for (int64_t i = 0; i < ROWS; i++) {
        double below = fabs(in->b[i] - outside[i]) - fabs(in->b[i] - all[i]);

        sum += below;
        squares += below * below;
    }
    share = most * erfc(-sum / ROWS / sqrt((squares - sum * sum / ROWS) / (ROWS - 1.) / ROWS) / 2 / sqrt(2)) / 2;
    return share > 0.05 ? share : 0;
}

/* ---- all columns by Huber's loss, by reweighting ----------------------------------------------------------------- */

/* Of the rows outside a fold. */
static double deviation_outside(const struct instance *in, int64_t fold, int64_t j) {
    struct instance part = *in;
    double mean = 0, rows = 0, sum = 0, largest = 0;

    for (int64_t i = 0; i < ROWS; i++) {
        int is_in = in->fold_of_row[0][i] != fold;

        mean += is_in ? part.A[i + j * ROWS] : 0;
        rows += is_in;
    }
    for (int64_t i = 0; i < ROWS; i++) {
        double off = in->fold_of_row[0][i] != fold ? fabs(part.A[i + j * ROWS] - mean / rows) : 0;

        sum += off * off;
        largest = fmax(largest, off);
    }
    return fmax(sqrt(sum / rows), 0.2 * largest);
}

/* Squares whose weights are delta / |r| beyond delta, to the end; a ridge of 2 % of the rows. */
static void fit_huber(const struct instance *in, double delta, int64_t fold, double *x) {
    double weights[ROWS], rows = 0;

    for (int64_t i = 0; i < ROWS; i++) {
        weights[i] = in->fold_of_row[0][i] != fold;
        rows += weights[i];
    }
    for (int round = 0; round < 2000; round++) {
        double G[MANY + 1][MANY + 1] = {{0}}, g[MANY + 1] = {0};

        for (int64_t i = 0; i < ROWS; i++) {
            for (int64_t j = 0; weights[i] > 0 && j <= in->columns; j++) {
                double a = weights[i] * (j < in->columns ? in->A[i + j * ROWS] : 1);

                for (int64_t k = 0; k <= in->columns; k++) {
                    G[j][k] += a * (k < in->columns ? in->A[i + k * ROWS] : 1);
                }
                g[j] += a * in->b[i];
            }
        }
        for (int64_t j = 0; j < in->columns; j++) {
            G[j][j] += 0.02 * rows * deviation_outside(in, fold, j) * deviation_outside(in, fold, j);
        }
        eliminate(in->columns + 1, G, g, x);
        for (int64_t i = 0; i < ROWS; i++) {
            double off = fabs(in->b[i] - predicted_by(in, x, i));

            weights[i] = in->fold_of_row[0][i] == fold ? 0 : off > delta ? delta / off : 1;
        }
    }
}

static int ascending(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;

    return (p > q) - (p < q);
}

/* Twice the median error, of an even number the upper one. */
static double width_of(const struct instance *in, const double *outside) {
    double errors[ROWS];

    for (int64_t i = 0; i < ROWS; i++) {
        errors[i] = fabs(in->b[i] - outside[i]);
    }
    qsort(errors, ROWS, sizeof *errors, ascending);
    return 2 * errors[ROWS / 2];
}

/* ---- what comes of an instance ----------------------------------------------------------------------------------- */

struct shares {
    double ridge, huber;
};

/* The mean of all: of the coefficients in z, of what each row is predicted without its fold in outside. */
static void mix(const struct instance *in, double share, double all[FOLDS][MANY + 1], double *z, double *outside) {
    for (int64_t j = 0; j <= in->columns; j++) {
        z[j] *= 1 - share;
        for (int64_t fold = 0; fold < FOLDS; fold++) {
            z[j] += share * all[fold][j] / FOLDS;
        }
    }
    for (int64_t i = 0; i < ROWS; i++) {
        outside[i] = (1 - share) * outside[i] + share * predicted_by(in, all[in->fold_of_row[0][i]], i);
    }
}

static void predict_without(const struct instance *in, double x[FOLDS][MANY + 1], double *outside) {
    for (int64_t i = 0; i < ROWS; i++) {
        outside[i] = predicted_by(in, x[in->fold_of_row[0][i]], i);
    }
}

/* Against all of the above; returns the shares. */
static struct shares compare(const struct instance *in, const struct found *found) {
    double few[FOLDS + 1][MANY + 1] = {{0}}, all[FOLDS][MANY + 1], outside[ROWS], other[ROWS], ridge = best_ridge(in);
    double *z = few[FOLDS], most = in->columns > 6 ? 6. / (double)in->columns : 1;
    struct shares shares = {0};

    fit_few(in, few);
    predict_without(in, few, outside);
    for (int64_t fold = 0; fold < FOLDS; fold++) {
        fit_ridge(in, in->fold_of_row[0], fold, ridge, all[fold]);
    }
    predict_without(in, all, other);
    shares.ridge = share_of(in, 1, outside, other);
    mix(in, shares.ridge, all, z, outside);
    for (int64_t fold = 0; 2 * in->columns <= ROWS && fold < FOLDS; fold++) {
        fit_huber(in, width_of(in, outside), fold, all[fold]);
    }
    predict_without(in, all, other);
    shares.huber = 2 * in->columns <= ROWS ? share_of(in, most, outside, other) : 0;
    mix(in, shares.huber, all, z, outside);
    for (int64_t i = 0; i < ROWS; i++) {
        assert_float_equal(found->target[i], predicted_by(in, z, i), 1e-5);
    }
    assert_float_equal(found->ridge, in->columns < ROWS ? 0 : 0.2 * ROWS, 1e-12);
    for (int64_t j = 0; j < in->columns; j++) {
        double drawn = -found->ridge * deviation(in, j) * deviation(in, j) * z[j];

        assert_true(fabs(found->linear[j] - drawn) <= 1e-5 * (1 + fabs(drawn)));
    }
    return shares;
}

static void the_mean_is_that_of_fits_without_a_fold(void **state) {
    (void)state;
    for (int64_t columns = 5; columns <= COLUMNS; columns += COLUMNS - 5) {
        struct instance in;
        struct found found;

        make_instance_of(&in, columns, 1);
        assert_int_equal(project(&in, NULL, &found, NULL), SPGM_OK);
        struct shares shares = compare(&in, &found);
        assert_true(shares.ridge > 0.1 && shares.ridge < 0.99); /* all three count */
        assert_true(shares.huber > 0.1 && shares.huber < 0.99);
        assert_in_range(found.s, 2, 5);
        free_instance(&in);
    }
}

/* Whether one split and all of them choose different ridges. */
static int splits_matter(const struct instance *in) {
    struct instance single = *in;

    single.splits = 1;
    return best_ridge(&single) != best_ridge(in);
}

/* Folds that the seed draws: the ridge is chosen on further splits too. */
static void the_ridge_is_chosen_on_several_splits(void **state) {
    struct instance in = {.columns = 0};
    struct found found;
    int64_t work[ROWS];
    (void)state;

    do {
        free_instance(&in);
        make_instance(&in);
        in.splits = SPLITS;
        for (int64_t split = 0; split < SPLITS; split++) {
            folds_draw(ROWS, NULL, 0, NULL, FOLDS, SEED, split, in.fold_of_row[split], work);
        }
    } while (!splits_matter(&in));
    assert_int_equal(project(&in, NULL, &found, NULL), SPGM_OK);
    assert_true(compare(&in, &found).ridge > 0.05); /* else it has no share, and nothing was compared */
    free_instance(&in);
}

static void few_of_many_columns_are_drawn_to_the_mean(void **state) {
    struct instance in;
    struct found found;
    (void)state;

    make_instance_of(&in, MANY, 3);
    assert_int_equal(project(&in, NULL, &found, NULL), SPGM_OK);
    assert_true(compare(&in, &found).ridge > 0.1);
    free_instance(&in);
}

/* Gross errors of the target ruin squares, and then they have no share; Huber's loss keeps its own. */
static void squares_that_are_ruined_take_no_part(void **state) {
    struct instance in;
    struct found found;
    struct shares shares;
    (void)state;

    make_instance(&in);
    in.choices[0].problem = in.problems[0]; /* no model by squares */
    for (int64_t i = 0; i < ROWS; i += 20) {
        in.b[i] = 1e4;
    }
    assert_int_equal(project(&in, NULL, &found, NULL), SPGM_OK);
    shares = compare(&in, &found);
    assert_true(shares.ridge == 0);
    assert_true(shares.huber > 0.05);
    free_instance(&in);
}

/* The smallest of the sizes in the choices whose squares cost at most this share of the error, 0.8, by fits of their
 * own.
 */
static int64_t size_at(const struct instance *in, const double *target, double price) {
    static const int64_t sizes[] = {1, 2, 3, 5};

    for (int k = 0;; k++) {
        double allowed = price * acos(-1) * 0.8 * 0.8 * (double)(ROWS - 1 - sizes[k]);
        spgm_problem *problem = NULL;
        spgm_solver *solver = NULL;

        assert_int_equal(spgm_problem_new(&in->matrix, target, in->options, &problem, NULL), SPGM_OK);
        assert_int_equal(spgm_solver_new(problem, sizes[k], in->options, &solver, NULL), SPGM_OK);
        assert_int_equal(spgm_solver_run(solver, NULL), SPGM_OK);
        double squares = 2 * spgm_solver_get_info(solver).loss_value;
        spgm_solver_free(solver);
        spgm_problem_free(problem);
        if (k == 3 || squares <= allowed) {
            return sizes[k];
        }
    }
}

/* Instances until one tells this price from another. */
static void price_is(int64_t columns, double price, double other) {
    struct instance in = {.columns = 0};
    struct found found;

    do {
        free_instance(&in);
        make_instance_of(&in, columns, 0.7);
        assert_int_equal(project(&in, NULL, &found, NULL), SPGM_OK);
    } while (size_at(&in, found.target, price) == size_at(&in, found.target, other));
    assert_int_equal(found.s, size_at(&in, found.target, price));
    free_instance(&in);
}

static void the_price_goes_by_the_columns(void **state) {
    (void)state;
    price_is(6, 0.006, 0.0125);
    price_is(20, 0.0125, 0.02);
    price_is(40, 0.01, 0.0125);
}

static void threads_change_no_bit_of(int64_t columns) {
    struct instance in;
    struct found found[2];
    long long before;

    make_instance_of(&in, columns, 3);
    assert_int_equal(spgm_options_set(in.options, "threads", "1", NULL), SPGM_OK);
    assert_int_equal(project(&in, NULL, &found[0], NULL), SPGM_OK);
    before = wakes;
    assert_int_equal(spgm_options_set(in.options, "threads", "3", NULL), SPGM_OK);
    assert_int_equal(project(&in, NULL, &found[1], NULL), SPGM_OK);
    assert_true(wakes > before);
    assert_memory_equal(found[0].target, found[1].target, sizeof found[0].target);
    assert_memory_equal(found[0].linear, found[1].linear, sizeof(double) * (size_t)in.columns);
    assert_int_equal(found[0].s, found[1].s);
    free_instance(&in);
}

static void threads_change_no_bit(void **state) {
    (void)state;
    threads_change_no_bit_of(COLUMNS);
    threads_change_no_bit_of(MANY);
}

static int at_once(const spgm_progress *progress, void *context) {
    (void)progress;
    (void)context;
    return 1;
}

static void a_stop_leaves_the_mean_of_what_is_there(void **state) {
    struct instance in;
    struct found found;
    (void)state;

    make_instance(&in);
    assert_int_equal(project(&in, at_once, &found, NULL), SPGM_OK);
    for (int64_t i = 0; i < ROWS; i++) {
        assert_true(isfinite(found.target[i]));
    }
    assert_in_range(found.s, 0, 5);
    free_instance(&in);
}

static void refused(const struct instance *in, const char *words) {
    struct found found;
    spgm_status status;

    assert_int_not_equal(project(in, NULL, &found, &status), SPGM_OK);
    assert_non_null(strstr(status.message, words));
}

static void what_is_wrong_is_said(void **state) {
    struct instance in;
    double lower[COLUMNS] = {0};
    (void)state;

    make_instance(&in);
    assert_int_equal(spgm_options_set(in.options, "ridge", "1", NULL), SPGM_OK);
    refused(&in, "without a ridge");
    assert_int_equal(spgm_options_set(in.options, "ridge", "0", NULL), SPGM_OK);
    for (int64_t c = 0; c < CHOICES; c++) {
        in.choices[c].loss = NAN;
    }
    refused(&in, "choices with losses");
    assert_int_equal(spgm_problem_set_bounds(in.problems[0], lower, NULL, NULL), SPGM_OK);
    refused(&in, "no restrictions");
    free_instance(&in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_mean_is_that_of_fits_without_a_fold),
        cmocka_unit_test(the_ridge_is_chosen_on_several_splits),
        cmocka_unit_test(few_of_many_columns_are_drawn_to_the_mean),
        cmocka_unit_test(squares_that_are_ruined_take_no_part),
        cmocka_unit_test(the_price_goes_by_the_columns),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_stop_leaves_the_mean_of_what_is_there),
        cmocka_unit_test(what_is_wrong_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
