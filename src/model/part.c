#include "model/part.h"

#include <string.h>

#include "linalg/matrix.h"

int part_is_possible(const struct spgm_problem *problem) {
    return problem->group_of == NULL && problem->term == NULL;
}

double *part_doubles(const double *values, int64_t count, const int64_t *places, struct workspace *workspace) {
    double *picked = values == NULL ? NULL : workspace_doubles(workspace, count);

    for (int64_t i = 0; picked != NULL && i < count; i++) {
        picked[i] = values[places[i]];
    }
    return picked;
}

unsigned char *part_marks(const unsigned char *marks, int64_t count, const int64_t *places,
                          struct workspace *workspace) {
    unsigned char *picked = marks == NULL ? NULL : workspace_array(workspace, count, 1);

    for (int64_t i = 0; picked != NULL && i < count; i++) {
        picked[i] = marks[places[i]];
    }
    return picked;
}

static spgm_matrix pick_dense(const spgm_matrix *A, int64_t row_count, const int64_t *rows, int64_t column_count,
                              const int64_t *columns, struct stop *stop, struct workspace *workspace) {
    double *values =
        workspace_doubles(workspace, row_count > INT64_MAX / 8 / column_count ? -1 : row_count * column_count);

    if (values != NULL) {
        matrix_pick(A, row_count, rows, column_count, columns, stop, values);
    }
    return matrix_beside(A, spgm_dense(row_count, column_count, values));
}

/* The number of entries of the columns in the selected rows. */
static int64_t count_entries(const spgm_matrix *A, int64_t column_count, const int64_t *columns, const int32_t *place) {
    int64_t entries = 0;

    for (int64_t j = 0; j < column_count; j++) {
        for (int64_t k = A->column_start[columns[j]]; k < A->column_start[columns[j] + 1]; k++) {
            entries += place[A->row_index[k]] >= 0;
        }
    }
    return entries;
}

static spgm_matrix pick_sparse(const spgm_matrix *A, int64_t row_count, const int64_t *rows, int64_t column_count,
                               const int64_t *columns, struct stop *stop, struct workspace *workspace) {
    struct workspace scratch = {.memory = A->memory};
    int32_t *place = workspace_array(&scratch, A->rows, sizeof *place);
    int64_t *start = workspace_integers(workspace, column_count + 1), stored = 0;
    int32_t *row_index;
    double *values;

    workspace->failed |= scratch.failed;
    if (workspace->failed) {
        workspace_free(&scratch);
        return spgm_sparse(row_count, column_count, NULL, NULL, NULL);
    }
    memset(place, 0xff, (size_t)A->rows * sizeof *place);
    for (int64_t i = 0; i < row_count; i++) {
        place[rows[i]] = (int32_t)i;
    }
    stored = count_entries(A, column_count, columns, place);
    row_index = workspace_array(workspace, stored, sizeof *row_index);
    values = workspace_doubles(workspace, stored);
    stored = 0;
    for (int64_t j = 0; !workspace->failed && j < column_count; j++) {
        if (stop_after(stop, A->column_start[columns[j] + 1] - A->column_start[columns[j]])) {
            break;
        }
        for (int64_t k = A->column_start[columns[j]]; k < A->column_start[columns[j] + 1]; k++) {
            if (place[A->row_index[k]] >= 0) {
                row_index[stored] = place[A->row_index[k]];
                values[stored++] = A->values[k];
            }
        }
        start[j + 1] = stored;
    }
    workspace_free(&scratch);
    return matrix_beside(A, spgm_sparse(row_count, column_count, start, row_index, values));
}

/* The weights of the rows, each multiplied by its number of times. */
static double *pick_weights(const struct spgm_problem *whole, int64_t count, const int64_t *rows, const double *times,
                            struct workspace *workspace) {
    double *picked =
        times == NULL ? part_doubles(whole->weights, count, rows, workspace) : workspace_doubles(workspace, count);

    for (int64_t i = 0; times != NULL && picked != NULL && i < count; i++) {
        picked[i] = times[i] * (whole->weights == NULL ? 1 : whole->weights[rows[i]]);
    }
    return picked;
}

spgm_error part_make(const struct spgm_problem *problem, int64_t row_count, const int64_t *rows, const double *times,
                     int64_t column_count, const int64_t *columns, struct stop *stop, struct spgm_problem *part,
                     spgm_status *status) {
    const struct spgm_problem whole = problem_merged(problem);
    struct workspace *own = &part->owned;

    *part = whole; /* the options, the loss, the labels */
    part->owned = (struct workspace){.memory = whole.A.memory};
    part->reduce = NULL;
    part->shared = NULL;
    part->merged = (struct merged_rows){0};
    part->A = whole.A.column_start == NULL ? pick_dense(&whole.A, row_count, rows, column_count, columns, stop, own)
                                           : pick_sparse(&whole.A, row_count, rows, column_count, columns, stop, own);
    part->b = part_doubles(whole.b, row_count, rows, own);
    part->weights = pick_weights(&whole, row_count, rows, times, own);
    part->up = part_doubles(whole.up, row_count, rows, own);
    part->down = part_doubles(whole.down, row_count, rows, own);
    part->dead = part_doubles(whole.dead, row_count, rows, own);
    part->linear = part_doubles(whole.linear, column_count, columns, own);
    part->deviations = part_doubles(whole.deviations, column_count, columns, own);
    part->lower = part_doubles(whole.lower, column_count, columns, own);
    part->upper = part_doubles(whole.upper, column_count, columns, own);
    part->is_free = part_marks(whole.is_free, column_count, columns, own);
    part->is_excluded = part_marks(whole.is_excluded, column_count, columns, own);
    part->numbers = NULL;
    if (own->failed) {
        size_t bytes = own->bytes;

        workspace_free(own);
        return status_memory(status, bytes);
    }
    return SPGM_OK;
}
