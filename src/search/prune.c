#include "search/prune.h"
#include "search/constants.h"

#include <math.h>

#include "linalg/vector.h"

static double target_norm(const struct problem *problem) {
    double squares = vector_sum_squares(problem->A->rows, problem->b);

    reduce_sum(problem->A->reduce, &squares, 1);
    return sqrt(squares);
}

/* Set to zero the entries of x that change the residual by at most the limit; returns how many. */
static int64_t drop_tiny(const struct problem *problem, double limit, struct workspace *w, double *x) {
    int64_t *columns = workspace_integers(w, problem->A->columns), count = 0, dropped = 0;
    double *squares = workspace_doubles(w, problem->A->columns), *ones = workspace_doubles(w, problem->A->rows);

    if (w->failed) {
        return 0;
    }
    for (int64_t i = 0; i < problem->A->rows; i++) {
        ones[i] = 1;
    }
    for (int64_t j = 0; j < problem->A->columns; j++) {
        if (x[j] != 0 && !problem->is_free[j]) {
            columns[count++] = j;
        }
    }
    linop_weighted_squares(problem->A, count, columns, ones, squares);
    for (int64_t i = 0; i < count; i++) {
        if (islessequal(fabs(x[columns[i]]) * sqrt(squares[i]), limit)) {
            x[columns[i]] = 0;
            dropped++;
        }
    }
    return dropped;
}

/* F of x, and |F(0)|. */
static double objectives_of(const struct problem *problem, const double *x, struct workspace *w, double *zero) {
    struct point point;

    point_init(&point, problem, w);
    if (w->failed) {
        return INFINITY;
    }
    *zero = fabs(point_objective(&point));
    point_set(&point, x);
    return point_objective(&point);
}

spgm_error prune_rounding(struct run *run, spgm_status *status) {
    const struct problem *problem = run->problem;
    struct workspace workspace = {.memory = problem->A->memory};
    double *x = workspace_doubles(&workspace, problem->A->columns);
    spgm_error error;

    if (!workspace.failed && isfinite(run->best_objective)) {
        vector_copy(problem->A->columns, run->best_x, x);
        if (drop_tiny(problem, PRUNE_OF_TARGET * target_norm(problem), &workspace, x) > 0) {
            double zero = 0, objective = objectives_of(problem, x, &workspace, &zero);

            if (islessequal(objective, run->best_objective + PRUNE_OF_OBJECTIVE * zero)) {
                vector_copy(problem->A->columns, x, run->best_x);
                run->best_objective = objective;
            }
        }
    }
    error = workspace.failed ? status_memory(status, workspace.bytes) : SPGM_OK;
    workspace_free(&workspace);
    return error;
}
