/*
 * Folds elsewhere: pieces that another object runs, in any order, give the bits of a run without them; what is left out
 * counts as interrupted; what does not fit is refused.
 */
#define FIXTURE_SEED 47
#include "unit/model_fixture.h"

#include "spgm/spgm.h"

enum { ROWS = 60, COLUMNS = 24, FOLDS = 3, MOST = 40, RIDGES = 7 };

struct instance {
    double A[ROWS * COLUMNS], b[ROWS], other[ROWS];
    spgm_matrix matrix;
    spgm_options *options;
    spgm_problem *problems[2];
};

static struct instance *make_instance(const char *loss, const char *method) {
    struct instance *in = calloc(1, sizeof *in);

    assert_non_null(in);
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t j = 0; j < COLUMNS; j++) {
            in->A[i + j * ROWS] = fixture_normal();
            in->b[i] += j < 12 ? (1 + 0.1 * (double)j) * in->A[i + j * ROWS] : 0;
        }
        in->b[i] += 0.1 * fixture_normal();
        in->other[i] = in->b[i] * in->b[i];
        if (strcmp(loss, "hinge") == 0) {
            in->b[i] = in->b[i] > 0 ? 1 : -1;
            in->other[i] = i % 3 == 0 ? 1 : -1;
        }
    }
    in->matrix = spgm_dense(ROWS, COLUMNS, in->A);
    in->options = spgm_options_new();
    assert_int_equal(spgm_options_set(in->options, "folds", "3", NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(in->options, "repeats", "1", NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(in->options, "loss", loss, NULL), SPGM_OK);
    assert_int_equal(spgm_options_set(in->options, "method", method, NULL), SPGM_OK);
    assert_int_equal(spgm_problem_new(&in->matrix, in->b, in->options, &in->problems[0], NULL), SPGM_OK);
    assert_int_equal(spgm_problem_new(&in->matrix, in->other, in->options, &in->problems[1], NULL), SPGM_OK);
    return in;
}

static void free_instance(struct instance *in) {
    spgm_problem_free(in->problems[0]);
    spgm_problem_free(in->problems[1]);
    spgm_options_free(in->options);
    free(in);
}

/* Both problems, an open list or the s given, ridges in proportion to the data or none. */
static spgm_cv *make_cv(const struct instance *in, const int64_t *sparsities, int64_t count, int is_scaled) {
    spgm_cv *cv = NULL;

    assert_int_equal(spgm_cv_new(in->problems[0], sparsities, count, in->options, &cv, NULL), SPGM_OK);
    assert_int_equal(spgm_cv_add(cv, in->problems[1], NULL), SPGM_OK);
    assert_int_equal(is_scaled ? spgm_cv_set_ridges(cv, NULL, 0, NULL) : SPGM_OK, SPGM_OK);
    return cv;
}

struct elsewhere {
    spgm_cv *there;
    int64_t rounds, left_out; /* the piece that is left alone, or -1 */
    int answer;
};

/* From the last piece to the first, with losses and trail in places of their own. */
static int run_there(spgm_cv_piece *pieces, int64_t count, void *context) {
    struct elsewhere *elsewhere = context;

    elsewhere->rounds++;
    for (int64_t t = count - 1; t >= 0; t--) {
        spgm_cv_piece piece = pieces[t];
        size_t losses = (size_t)((piece.last - piece.first) * piece.ridges), trail = (size_t)piece.trail_size;
        spgm_status status;

        assert_int_equal(piece.number, t % 2 * FOLDS + t / 2); /* fold by fold */
        if (t == elsewhere->left_out) {
            continue;
        }
        piece.losses = calloc(losses, sizeof *piece.losses);
        piece.trail = calloc(trail + 1, sizeof *piece.trail);
        memcpy(piece.trail, pieces[t].trail, trail * sizeof *piece.trail);
        if (spgm_cv_run_piece(elsewhere->there, &piece, &status) != SPGM_OK) {
            fail_msg("%s", status.message);
        }
        memcpy(pieces[t].losses, piece.losses, losses * sizeof *piece.losses);
        memcpy(pieces[t].trail, piece.trail, trail * sizeof *piece.trail);
        free(piece.losses);
        free(piece.trail);
    }
    return elsewhere->answer;
}

static void assert_same(const spgm_cv *one, const spgm_cv *other) {
    double left[2 * FOLDS], right[2 * FOLDS];

    assert_int_equal(spgm_cv_count(one), spgm_cv_count(other));
    assert_int_equal(spgm_cv_ridge_count(one), spgm_cv_ridge_count(other));
    assert_int_equal(spgm_cv_folds(one), FOLDS);
    for (int64_t i = 0; i < spgm_cv_count(one); i++) {
        for (int64_t k = 0; k < spgm_cv_ridge_count(one); k++) {
            assert_int_equal(spgm_cv_get_at(one, i, k, left, NULL, NULL),
                             spgm_cv_get_at(other, i, k, right, NULL, NULL));
            assert_memory_equal(left, right, FOLDS * sizeof *left);
            /* after the first round not every ridge is tried, but where one is it is in every fold */
            assert_true(isfinite(left[0]) || spgm_cv_get(one, i, NULL, NULL, NULL) > 8);
            for (int64_t fold = 1; fold < FOLDS; fold++) {
                assert_int_equal(isnan(left[fold]), isnan(left[0]));
            }
        }
    }
}

static void pieces_give_the_same_bits(void **state) {
    static const int64_t list[] = {1, 4};

    (void)state;
    for (int kind = 0; kind < 5; kind++) { /* open or given; quick, with a guide (4) or without, or by paths */
        struct instance *in =
            make_instance(kind % 2 || kind == 4 ? "hinge" : "l1", kind < 2 || kind == 4 ? "auto" : "omp");
        int is_open = kind != 1, is_scaled = kind == 0 || kind == 4;
        spgm_cv *here = make_cv(in, is_open ? NULL : list, is_open ? 0 : 2, is_scaled);
        spgm_cv *there = make_cv(in, is_open ? NULL : list, is_open ? 0 : 2, is_scaled);
        spgm_cv *cv = make_cv(in, is_open ? NULL : list, is_open ? 0 : 2, is_scaled);
        struct elsewhere elsewhere = {there, 0, -1, 0};

        spgm_cv_set_rounds(cv, run_there, &elsewhere);
        assert_int_equal(spgm_cv_run(here, NULL), SPGM_OK);
        assert_int_equal(spgm_cv_run(cv, NULL), SPGM_OK);
        assert_same(cv, here);
        assert_int_equal(elsewhere.rounds > 1, is_open && spgm_cv_get(cv, spgm_cv_count(cv) - 1, NULL, NULL, NULL) > 8);
        assert_true(!is_scaled || elsewhere.rounds > 1);
        spgm_cv_set_rounds(cv, NULL, NULL); /* and back */
        assert_int_equal(spgm_cv_run(cv, NULL), SPGM_OK);
        assert_same(cv, here);
        spgm_cv_free(cv);
        spgm_cv_free(there);
        spgm_cv_free(here);
        free_instance(in);
    }
}

static void what_is_left_out_is_not_known(void **state) {
    static const int64_t list[] = {1, 4};
    struct instance *in = make_instance("l1", "omp");
    spgm_cv *there = make_cv(in, list, 2, 0), *cv = make_cv(in, list, 2, 0);
    struct elsewhere elsewhere = {there, 0, 2, 0};
    double losses[FOLDS], mean;

    (void)state;
    spgm_cv_set_rounds(cv, run_there, &elsewhere);
    for (elsewhere.answer = 0; elsewhere.answer < 2; elsewhere.answer++) {
        assert_int_equal(spgm_cv_run(cv, NULL), SPGM_OK);
        assert_int_equal(spgm_cv_get(cv, 1, losses, &mean, NULL), 4);
        assert_true(isnan(losses[1]));
        assert_true(mean == (losses[0] + losses[2]) / 2);
    }
    spgm_cv_free(cv);
    spgm_cv_free(there);
    free_instance(in);
}

/* Under a time limit the folds before the one that was left out count, and no others. */
static void folds_without_time_are_left_out(void **state) {
    static const int64_t list[] = {1, 4};
    struct instance *in = make_instance("l1", "omp");
    spgm_cv *here = make_cv(in, list, 2, 0), *there = make_cv(in, list, 2, 0), *cv;
    struct elsewhere elsewhere = {there, 0, 3, 0};
    double all[FOLDS], losses[FOLDS], mean;

    (void)state;
    assert_int_equal(spgm_options_set(in->options, "time_limit", "1e6", NULL), SPGM_OK);
    cv = make_cv(in, list, 2, 0);
    spgm_cv_set_rounds(cv, run_there, &elsewhere);
    assert_int_equal(spgm_cv_run(here, NULL), SPGM_OK);
    assert_int_equal(spgm_cv_run(cv, NULL), SPGM_OK);
    assert_int_equal(spgm_cv_get(here, 1, all, NULL, NULL), 4);
    assert_int_equal(spgm_cv_get(cv, 1, losses, &mean, NULL), 4);
    assert_true(losses[0] == all[0] && mean == all[0]);
    assert_true(isnan(losses[1]) && isnan(losses[2])); /* one of the two problems of fold 1 was left out */
    spgm_cv_free(cv);
    spgm_cv_free(there);
    spgm_cv_free(here);
    free_instance(in);
}

static void refuse(const struct instance *in, spgm_cv_piece piece, const char *expected) {
    spgm_cv *cv = make_cv(in, NULL, 0, 0);
    spgm_status status;

    assert_int_equal(spgm_cv_run_piece(cv, &piece, &status), SPGM_ERROR_ARGUMENT);
    if (strstr(status.message, expected) == NULL) {
        fail_msg("%s", status.message);
    }
    spgm_cv_free(cv);
}

static void what_does_not_fit_is_refused(void **state) {
    struct instance *in = make_instance("l1", "auto");
    double losses[MOST], trail[1 + 2 * MOST] = {0};
    const spgm_cv_piece good = {.last = 3,
                                .ridges = 1,
                                .last_ridge = 1,
                                .seconds = INFINITY,
                                .losses = losses,
                                .trail_size = 1 + 2 * MOST,
                                .trail = trail};
    spgm_cv_piece piece = good;

    (void)state;
    piece.number = 2 * FOLDS;
    refuse(in, piece, "piece 6 (sparsities 0 to 3, 1 ridges) is not one of this cross-validation, which has 6 folds");
    piece = good, piece.last = 1000;
    refuse(in, piece, "is not one of this");
    piece = good, piece.ridges = 2;
    refuse(in, piece, "is not one of this");
    piece = good, piece.last_ridge = 2;
    refuse(in, piece, "is not one of this");
    piece = good, piece.first_ridge = 1;
    refuse(in, piece, "is not one of this");
    piece = good, piece.losses = NULL;
    refuse(in, piece, "piece 0 has no room for its losses or its trail");
    piece = good, piece.trail_size = 6; /* of s = 2 with the intercept: 7 */
    refuse(in, piece, "has no room");
    piece = good, piece.first = 2, trail[0] = 2, trail[1] = COLUMNS + 1;
    refuse(in, piece, "the trail of piece 0 is not one");
    trail[1] = 1, trail[4] = INFINITY;
    refuse(in, piece, "the trail of piece 0 is not one");
    trail[0] = 30;
    refuse(in, piece, "the trail of piece 0 is not one");
    free_instance(in);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_give_the_same_bits),
        cmocka_unit_test(what_is_left_out_is_not_known),
        cmocka_unit_test(folds_without_time_are_left_out),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
