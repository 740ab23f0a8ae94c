#include "search/prune.h"

#include <math.h>

#include "linalg/vector.h"

static const double part_of_target = 1e-11;
static const double part_of_objective = 1e-12;

static double target_norm(const struct problem *problem) {
    double squares = vector_sum_squares(problem->A->rows, problem->b);

    reduce_sum(problem->A->reduce, &squares, 1);
    return sqrt(squares);
}

/* x without what is below the limit; how much that is. */
static int64_t drop_tiny(const struct problem *problem, double limit, double *x) {
    int64_t dropped = 0;

    for (int64_t j = 0; j < problem->A->columns; j++) {
        double square;

        if (x[j] == 0 || problem->is_free[j]) {
            continue;
        }
        linop_gram(problem->A, 1, &j, NULL, &square);
        if (islessequal(fabs(x[j]) * sqrt(square), limit)) {
            x[j] = 0;
            dropped++;
        }
    }
    return dropped;
}

spgm_error prune_rounding(struct run *run, spgm_status *status) {
    const struct problem *problem = run->problem;
    struct workspace workspace = {.memory = problem->A->memory};
    double *x = workspace_doubles(&workspace, problem->A->columns);
    struct point point;
    spgm_error error = SPGM_OK;

    point_init(&point, problem, &workspace);
    if (workspace.failed) {
        error = status_memory(status, workspace.bytes);
    } else if (isfinite(run->best_objective)) {
        double zero, objective;

        point_set(&point, x);
        zero = fabs(point_objective(&point));
        vector_copy(problem->A->columns, run->best_x, x);
        if (drop_tiny(problem, part_of_target * target_norm(problem), x) > 0) {
            point_set(&point, x);
            objective = point_objective(&point);
            if (islessequal(objective, run->best_objective + part_of_objective * zero)) {
                vector_copy(problem->A->columns, x, run->best_x);
                run->best_objective = objective;
            }
        }
    }
    workspace_free(&workspace);
    return error;
}
