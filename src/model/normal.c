/* The option normal: h of the correlations A'(Ax - b), by the problem with A'A and A'b in place of A and b. */
#include <inttypes.h>
#include <string.h>

#include "base/parallel.h"
#include "linalg/matrix.h"
#include "linalg/vector.h"
#include "model/constants.h"
#include "model/problem.h"

spgm_error problem_refuse_normal(const char *what, spgm_status *status) {
    return status_set(status, SPGM_ERROR_UNSUPPORTED,
                      "option normal, the loss of the correlations A'(Ax - b), does not go with %s", what);
}

static spgm_error check_options(const struct spgm_problem *problem, spgm_status *status) {
    if (problem->options.intercept) {
        return status_set(status, SPGM_ERROR_UNSUPPORTED,
                          "option normal, the loss of the correlations A'(Ax - b), has no intercept: switch the "
                          "intercept off, and centre the columns and the target first if the model needs one");
    }
    return problem_has_labels(problem) ? problem_refuse_normal("a loss of labels", status) : SPGM_OK;
}

/* room [rows]; squares [columns] receives ||a_j||^2. */
static spgm_error check_sizes(const struct linop *root, const int64_t *all, double *squares, double *room,
                              spgm_status *status) {
    linop_column_squares(root, squares);
    for (int64_t j = 0; j < root->columns; j++) {
        double size = squares[j];

        if (size == 0) { /* zero or too small to be squared */
            linop_gather(root, 1, all + j, room, root->rows);
            size = vector_norm_inf(root->rows, room);
            size = size == 0 ? 1 : size * size;
        }
        if (!(size >= SQUARE_LOW && size <= SQUARE_HIGH)) {
            return status_set(status, SPGM_ERROR_DATA,
                              "column %" PRId64 " of A is too %s for A'A, in which it is squared (option normal): "
                              "rescale the column",
                              j + 1, size < SQUARE_LOW ? "small" : "large");
        }
    }
    return SPGM_OK;
}

static int is_formed(const struct spgm_problem *problem) {
    const char *choice = problem->options.normal;

    return strcmp(choice, "formed") == 0 || (strcmp(choice, "auto") == 0 && normal_is_cheaper_formed(&problem->A));
}

/* A'A in the memory of the problem; NULL: out of memory. */
static const spgm_matrix *form(struct spgm_problem *problem, const struct linop *root, const int64_t *all,
                               spgm_matrix *matrix) {
    int64_t n = root->columns;
    double *G = n > INT64_MAX / 8 / n ? NULL : workspace_doubles(&problem->owned, n * n);

    if (G == NULL) {
        return NULL;
    }
    linop_gram(root, n, all, NULL, G);
    *matrix = spgm_dense(n, n, G);
    return matrix;
}

/* The view of A'A and its data in the memory of the problem; NULL: out of memory. */
static const spgm_matrix *imply(struct spgm_problem *problem, const struct linop *root, const int64_t *all,
                                spgm_matrix *matrix) {
    struct spgm_normal *normal = workspace_array(&problem->owned, 1, sizeof *normal);
    double *norms = workspace_doubles(&problem->owned, root->columns);

    if (problem->owned.failed || !normal_norms(&problem->A, root, all, norms)) {
        return NULL;
    }
    *normal = (struct spgm_normal){problem->A, norms};
    *matrix = normal_view(normal);
    return matrix;
}

static spgm_error replace_data(struct spgm_problem *problem, struct linop *root, struct workspace *workspace,
                               spgm_status *status) {
    int64_t n = root->columns;
    int64_t *all = workspace_integers(workspace, n);
    double *squares = workspace_doubles(workspace, n), *room = workspace_doubles(workspace, root->rows);
    double *target = workspace_doubles(&problem->owned, n);
    spgm_error error;
    spgm_matrix matrix;

    if (workspace->failed || problem->owned.failed) {
        return status_memory(status, workspace->bytes + problem->owned.bytes);
    }
    for (int64_t j = 0; j < n; j++) {
        all[j] = j;
    }
    error = check_sizes(root, all, squares, room, status);
    if (error != SPGM_OK) {
        return error;
    }
    linop_transpose(root, problem->b, target);
    if ((is_formed(problem) ? form : imply)(problem, root, all, &matrix) == NULL) {
        return status_memory(status, is_formed(problem) ? (size_t)n * (size_t)n * sizeof(double)
                                                        : problem->owned.bytes + workspace->bytes);
    }
    problem->A = matrix;
    problem->b = target;
    return array_check(target, n, "A'b", status);
}

spgm_error problem_make_normal(struct spgm_problem *problem, spgm_status *status) {
    spgm_error error = check_options(problem, status);
    struct workspace workspace = {.memory = problem->A.memory};
    struct linop *root;
    struct team *team;

    if (error != SPGM_OK) {
        return error;
    }
    root = linop_new(&problem->A);
    team = team_new(parallel_threads(problem->options.threads));
    if (root == NULL || team == NULL) {
        error = status_memory(status, sizeof *root);
    } else {
        linop_set_team(root, team);
        error = replace_data(problem, root, &workspace, status);
    }
    linop_free(root);
    team_free(team);
    workspace_free(&workspace);
    return error;
}
