/*
 * Branch and bound against a referee that shares nothing with the library: every support, and on each the minimum by
 * its definition. A sum of pinballs has a minimum where as many rows as columns are on their kinks, the largest
 * residual one where one row more is level: all of these points are tried, with an elimination and the formulas of the
 * losses written down here. Squares are minimised by their normal equations. What has not full rank is left out, for
 * then a smaller support does as well.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "alone.h"
#include "base/random.h"
#include "method/method.h"
#include "model/problem.h"
#include "search/exact.h"
#include "share.h"

enum { ROWS = 14, COLUMNS = 8, MOST = 6 }; /* MOST: columns of a support with the intercept, and a level */

#define TAU 0.8

struct instance {
    const char *loss;
    int64_t m, n, s;
    int has_intercept;
    double A[ROWS * COLUMNS], b[ROWS];
    char text[100];
};

static int is(const struct instance *in, const char *loss) {
    return strcmp(in->loss, loss) == 0;
}

/* Normal; small integers, full of ties and of supports without full rank; columns of 0 and 1; columns of all sizes. */
static void make(struct instance *in, const char *loss, uint64_t seed) {
    int kind = (int)(seed % 4), is_level = strcmp(loss, "linf") == 0;
    struct random random;

    memset(in, 0, sizeof *in);
    random_seed(&random, seed, 0);
    in->loss = loss;
    in->m = ROWS - (int64_t)(seed % 5);
    in->n = COLUMNS - (int64_t)(seed % 3);
    in->has_intercept = seed / 4 % 2;
    in->s = (is_level ? 3 : 4) - in->has_intercept * is_level - (int64_t)(seed / 8 % 2);
    for (int64_t j = 0; j < in->n; j++) {
        double scale = kind == 3 ? pow(10, (double)(j % 7) - 3) : 1;

        for (int64_t i = 0; i < in->m; i++) {
            double z = random_normal(&random);

            in->A[i + j * in->m] = scale * (kind == 1 ? (double)(int)(1.5 * z) : kind == 2 ? z > 0.3 : z);
        }
    }
    for (int64_t i = 0; i < in->m; i++) {
        double z = random_normal(&random), sum = kind == 1 ? (double)(int)z : z;

        for (int64_t j = 0; j < 4; j++) {
            sum += (j % 2 ? -1 : 1) * in->A[i + j * in->m] / (kind == 3 ? pow(10, (double)(j % 7) - 3) : 1);
        }
        in->b[i] = is(in, "hinge") ? (sum > 0.5 ? 1 : -1) : sum;
    }
    if (is(in, "hinge")) {
        in->b[0] = -in->b[1];
    }
    snprintf(in->text, sizeof in->text, "%s, seed %llu: %lld x %lld, s = %lld, intercept %d", loss,
             (unsigned long long)seed, (long long)in->m, (long long)in->n, (long long)in->s, in->has_intercept);
}

/* ---- the referee ------------------------------------------------------------------------------------------------- */

/* The columns of a support, the intercept last, by rows. */
struct part {
    const struct instance *in;
    int k;
    double row[ROWS][MOST];
    double best;
};

static double value(const struct part *p, const double *x) {
    double F = 0;

    for (int64_t i = 0; i < p->in->m; i++) {
        double score = 0, r, h;

        for (int j = 0; j < p->k; j++) {
            score += p->row[i][j] * x[j];
        }
        r = score - p->in->b[i];
        h = is(p->in, "hinge")      ? fmax(1 - p->in->b[i] * score, 0)
            : is(p->in, "quantile") ? fmax(-TAU * r, (1 - TAU) * r)
            : is(p->in, "squared")  ? r * r / 2
                                    : fabs(r);
        F = is(p->in, "linf") ? fmax(F, h) : F + h;
    }
    return F;
}

/* x = M^-1 y by elimination, the largest of a column first, whose sizes may differ by 1e6. 0: singular. */
static int eliminate(int k, double M[MOST][MOST], double *y, double *x) {
    double size[MOST] = {0};

    for (int i = 0; i < k; i++) {
        for (int j = 0; j < k; j++) {
            size[j] = fmax(size[j], fabs(M[i][j]));
        }
    }
    for (int c = 0; c < k; c++) {
        int at = c;

        for (int i = c + 1; i < k; i++) {
            at = fabs(M[i][c]) > fabs(M[at][c]) ? i : at;
        }
        if (fabs(M[at][c]) <= 1e-10 * size[c]) {
            return 0;
        }
        for (int j = 0; j < k; j++) {
            double other = M[c][j];

            M[c][j] = M[at][j];
            M[at][j] = other;
        }
        x[0] = y[c];
        y[c] = y[at];
        y[at] = x[0];
        for (int i = c + 1; i < k; i++) {
            double by = M[i][c] / M[c][c];

            for (int j = c; j < k; j++) {
                M[i][j] -= by * M[c][j];
            }
            y[i] -= by * y[c];
        }
    }
    for (int c = k - 1; c >= 0; c--) {
        x[c] = y[c];
        for (int j = c + 1; j < k; j++) {
            x[c] -= M[c][j] * x[j];
        }
        x[c] /= M[c][c];
    }
    return 1;
}

/* The point where the residuals of these rows are zero, or with a level those of signs by `signs`, level. */
static void try_rows(struct part *p, int count, const int *rows, int signs) {
    double M[MOST][MOST], y[MOST], x[MOST];

    for (int t = 0; t < count; t++) {
        memcpy(M[t], p->row[rows[t]], (size_t)p->k * sizeof(double));
        y[t] = p->in->b[rows[t]]; /* of a label: a'x = b is where 1 - b a'x = 0 */
        if (count > p->k) {
            M[t][p->k] = (signs >> t) & 1 ? -1 : 1;
        }
    }
    if (eliminate(count, M, y, x)) {
        p->best = fmin(p->best, value(p, x));
    }
}

static void try_vertices(struct part *p, int chosen, int *rows) {
    int is_level = is(p->in, "linf"), count = p->k + is_level;

    if (chosen == count) {
        for (int signs = 0; signs < (is_level ? 1 << p->k : 1); signs++) { /* all signs turned: the same point */
            try_rows(p, count, rows, signs);
        }
        return;
    }
    for (rows[chosen] = chosen > 0 ? rows[chosen - 1] + 1 : 0; rows[chosen] < p->in->m; rows[chosen]++) {
        try_vertices(p, chosen + 1, rows);
    }
}

static void try_squares(struct part *p) {
    double M[MOST][MOST] = {{0}}, y[MOST] = {0}, x[MOST];

    for (int64_t i = 0; i < p->in->m; i++) {
        for (int j = 0; j < p->k; j++) {
            for (int l = 0; l < p->k; l++) {
                M[j][l] += p->row[i][j] * p->row[i][l];
            }
            y[j] += p->row[i][j] * p->in->b[i];
        }
    }
    if (eliminate(p->k, M, y, x)) {
        p->best = fmin(p->best, value(p, x));
    }
}

static double least_of_all(const struct instance *in) {
    double least = INFINITY;

    for (unsigned mask = 0; mask < 1u << in->n; mask++) {
        struct part p = {.in = in, .best = INFINITY};
        double zero[MOST] = {0};
        int rows[MOST], size = 0;

        for (int64_t j = 0; j < in->n; j++) {
            size += (int)((mask >> j) & 1);
        }
        if (size > in->s) {
            continue;
        }
        for (int64_t j = 0; j <= in->n; j++) {
            int is_in = j < in->n ? (int)((mask >> j) & 1) : in->has_intercept;

            for (int64_t i = 0; i < in->m && is_in; i++) {
                p.row[i][p.k] = j < in->n ? in->A[i + j * in->m] : 1;
            }
            p.k += is_in;
        }
        p.best = value(&p, zero);
        if (is(in, "squared")) {
            try_squares(&p);
        } else {
            try_vertices(&p, 0, rows);
        }
        least = fmin(least, p.best);
    }
    return least;
}

/* ---- what the library says --------------------------------------------------------------------------------------- */

struct problem_of {
    spgm_matrix matrix;
    spgm_options *options;
    spgm_problem *problem;
};

static void check(const struct instance *in, spgm_error error, const spgm_status *status) {
    if (error != SPGM_OK) {
        fail_msg("%s: %s", in->text, status->message);
    }
}

static void set(const struct instance *in, spgm_options *options, const char *name, const char *text) {
    spgm_status status;

    check(in, spgm_options_set(options, name, text, &status), &status);
}

static void open_problem(const struct instance *in, struct problem_of *of) {
    spgm_status status;

    of->matrix = spgm_dense(in->m, in->n, in->A);
    of->options = spgm_options_new();
    set(in, of->options, "loss", in->loss);
    set(in, of->options, "quantile", "0.8");
    set(in, of->options, "ridge", "0");
    set(in, of->options, "threads", "1");
    set(in, of->options, "intercept", in->has_intercept ? "true" : "false");
    check(in, spgm_problem_new(&of->matrix, in->b, of->options, &of->problem, &status), &status);
}

static void close_problem(struct problem_of *of) {
    spgm_problem_free(of->problem);
    spgm_options_free(of->options);
}

static void judge(const struct instance *in, const char *who, double F, double bound, double least, int is_optimal) {
    double rounding = 1e-9 * (1 + fabs(least));

    if (!(bound <= least + rounding)) {
        fail_msg("%s: %s has a bound of %.17g, but the referee has F = %.17g", in->text, who, bound, least);
    }
    if (!(F >= least - rounding)) {
        fail_msg("%s: %s has F = %.17g, and the referee none below %.17g", in->text, who, F, least);
    }
    if (is_optimal && !(F <= least + 2e-6 * fabs(least) + rounding)) {
        fail_msg("%s: %s says that F = %.17g is optimal, but the referee has %.17g", in->text, who, F, least);
    }
}

static int judge_method(const struct instance *in, struct problem_of *of, const char *method, double least) {
    spgm_solver *solver;
    spgm_status status;
    spgm_info info;

    set(in, of->options, "method", method);
    check(in, spgm_solver_new(of->problem, in->s, of->options, &solver, &status), &status);
    check(in, spgm_solver_run(solver, &status), &status);
    info = spgm_solver_get_info(solver);
    judge(in, method, info.objective, info.bound, least, info.outcome == SPGM_OPTIMAL);
    spgm_solver_free(solver);
    return info.outcome == SPGM_OPTIMAL;
}

/* The tree alone, below x = 0: methods begin at what is mostly the optimum, and no bound is above the incumbent. */
static void judge_tree(const struct instance *in, struct problem_of *of, double least) {
    struct exact_limits limits = {.work = 1e8, .nodes = 1000000, .bytes = 1e9};
    struct workspace workspace = {0};
    struct problem framed = {0};
    struct point point;
    struct run run;
    spgm_status status;
    int is_done;

    check(in, problem_frame(of->problem, 1, &framed, &status), &status);
    run_init(&run, &framed, in->s < framed.set.most ? in->s : framed.set.most, of->options, &workspace);
    point_init(&point, &framed, &workspace);
    assert_false(workspace.failed);
    memset(run.x, 0, (size_t)framed.A->columns * sizeof *run.x);
    run_start(&run, &point);
    check(in, exact_tree(&run, &limits, &is_done, &status), &status);
    judge(in, "the tree below x = 0", framed.objective_unit * run.best_objective, framed.objective_unit * run.bound,
          least, is_done && run.outcome == SPGM_OPTIMAL);
    workspace_free(&workspace);
    problem_unframe(&framed);
}

static void a_referee_agrees(void **state) {
    static const char *const losses[] = {"l1", "quantile", "hinge", "linf", "squared"};
    int runs = 0, proven = 0;

    (void)state;
    for (size_t l = 0; l < sizeof losses / sizeof *losses; l++) {
        for (uint64_t seed = 0; seed < SHARE(48, 8); seed++) {
            struct instance in;
            struct problem_of of;
            double least;

            make(&in, losses[l], seed);
            open_problem(&in, &of);
            least = least_of_all(&in);
            judge_tree(&in, &of, least);
            proven += judge_method(&in, &of, "exact", least) + judge_method(&in, &of, "auto", least);
            runs += 2;
            close_problem(&of);
        }
    }
    if (proven < runs - runs / 20) {
        fail_msg("only %d of %d runs say that they are optimal", proven, runs);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {unit_test_alone(a_referee_agrees)};

    return cmocka_run_group_tests_name("referee", tests, NULL, NULL);
}
