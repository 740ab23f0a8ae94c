/* A view of a problem with sparse data without its empty columns. */
#include "linalg/matrix.h"
#include "model/part.h"

/* Whether a column, empty or not, is free and so takes a place in a group with a limit. */
static int takes_a_place(const struct spgm_problem *problem, int64_t j) {
    return problem->group_of != NULL && problem->group_limit > 0 && problem->is_free != NULL && problem->is_free[j] &&
           problem->group_of[j] >= 0;
}

static int is_seen(const struct spgm_problem *problem, int64_t j) {
    return problem->A.column_start[j + 1] > problem->A.column_start[j] || takes_a_place(problem, j);
}

static int64_t count_seen(const struct spgm_problem *problem) {
    int64_t count = 0;

    for (int64_t j = 0; j < problem->A.columns; j++) {
        count += is_seen(problem, j);
    }
    return count;
}

static int64_t *pick_integers(const int64_t *values, int64_t count, const int64_t *columns,
                              struct workspace *workspace) {
    int64_t *picked = values == NULL ? NULL : workspace_integers(workspace, count);

    for (int64_t k = 0; picked != NULL && k < count; k++) {
        picked[k] = values[columns[k]];
    }
    return picked;
}

/* List the columns that stay, and where their entries begin: the nonempty ones and the first `spare` others. */
static void list_columns(const struct spgm_problem *problem, int64_t count, int64_t spare, int64_t *columns,
                         int64_t *start) {
    for (int64_t j = 0, k = 0; k < count; j++) {
        int is_there = is_seen(problem, j);

        if (is_there || spare > 0) {
            spare -= !is_there;
            columns[k++] = j;
            start[k] = problem->A.column_start[j + 1];
        }
    }
}

int64_t *problem_drop_empty(struct spgm_problem *problem, int64_t least, struct workspace *workspace) {
    const spgm_matrix A = problem->A;
    int may_drop =
        A.column_start != NULL && problem->linear == NULL && problem->term == NULL && problem->reduce == NULL;
    int64_t seen = may_drop ? count_seen(problem) : A.columns, count = seen > least ? seen : least;
    int64_t *columns, *start;

    if (count >= A.columns) {
        return NULL;
    }
    columns = workspace_integers(workspace, count);
    start = workspace_integers(workspace, count + 1);
    if (workspace->failed) {
        return NULL;
    }
    list_columns(problem, count, count - seen, columns, start);
    problem->A = matrix_beside(&A, spgm_sparse(A.rows, count, start, A.row_index, A.values));
    problem->is_free = part_marks(problem->is_free, count, columns, workspace);
    problem->is_excluded = part_marks(problem->is_excluded, count, columns, workspace);
    problem->lower = part_doubles(problem->lower, count, columns, workspace);
    problem->upper = part_doubles(problem->upper, count, columns, workspace);
    problem->deviations = part_doubles(problem->deviations, count, columns, workspace);
    problem->group_of = pick_integers(problem->group_of, count, columns, workspace);
    problem->numbers = problem->numbers == NULL ? columns : pick_integers(problem->numbers, count, columns, workspace);
    return columns;
}
