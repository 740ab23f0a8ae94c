#include "search/folds.h"

#include <string.h>

#include "base/random.h"

/* The stream of the seed that draws folds: not the one that draws starts. */
enum { FOLD_STREAM = 0x666f6c64 };

static void shuffle(struct random *random, int64_t count, int64_t *list) {
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t other = random_below(random, i + 1);
        int64_t kept = list[i];

        list[i] = list[other];
        list[other] = kept;
    }
}

void folds_draw(int64_t rows, const double *labels, double upper, int64_t folds, uint64_t seed, int64_t *fold_of_row,
                int64_t *work) {
    struct random random;
    int64_t dealt = 0;

    random_seed(&random, seed, FOLD_STREAM);
    for (int is_upper = 0; is_upper < 2; is_upper++) {
        int64_t count = 0;

        for (int64_t i = 0; i < rows; i++) {
            if ((labels != NULL && labels[i] == upper) == is_upper) {
                work[count++] = i;
            }
        }
        shuffle(&random, count, work);
        for (int64_t i = 0; i < count; i++) { /* the second class goes on where the first one ended */
            fold_of_row[work[i]] = dealt++ % folds;
        }
    }
}

static spgm_matrix copy_dense(const spgm_matrix *A, int64_t count, const int64_t *place, struct workspace *workspace) {
    int64_t entries = A->columns > 0 && count > INT64_MAX / 8 / A->columns ? -1 : count * A->columns;
    double *values = workspace_doubles(workspace, entries);

    for (int64_t j = 0; !workspace->failed && j < A->columns; j++) {
        const double *from = A->values + j * A->leading_dimension;

        for (int64_t i = 0; i < A->rows; i++) {
            if (place[i] >= 0) {
                values[place[i] + j * count] = from[i];
            }
        }
    }
    return spgm_dense(count, A->columns, values);
}

/* Row indices stay ascending because places ascend with rows. */
static spgm_matrix copy_sparse(const spgm_matrix *A, int64_t count, const int64_t *place, struct workspace *workspace) {
    int64_t *start = workspace_integers(workspace, A->columns + 1);
    int64_t stored = 0;
    int32_t *row_index;
    double *values;

    for (int64_t k = 0; k < A->column_start[A->columns]; k++) {
        stored += place[A->row_index[k]] >= 0;
    }
    row_index = workspace_array(workspace, stored, sizeof *row_index);
    values = workspace_doubles(workspace, stored);
    stored = 0;
    for (int64_t j = 0; !workspace->failed && j < A->columns; j++) {
        start[j] = stored;
        for (int64_t k = A->column_start[j]; k < A->column_start[j + 1]; k++) {
            if (place[A->row_index[k]] >= 0) {
                row_index[stored] = (int32_t)place[A->row_index[k]];
                values[stored++] = A->values[k];
            }
        }
    }
    if (!workspace->failed) {
        start[A->columns] = stored;
    }
    return spgm_sparse(count, A->columns, start, row_index, values);
}

spgm_matrix folds_copy_rows(const spgm_matrix *A, int64_t count, const int64_t *place, struct workspace *workspace) {
    return A->column_start == NULL ? copy_dense(A, count, place, workspace) : copy_sparse(A, count, place, workspace);
}
