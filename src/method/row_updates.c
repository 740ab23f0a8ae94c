#include "method/row_updates.h"
#include "method/constants.h"

#include "linalg/kernels.h"
#include "linalg/vector.h"

/* Whether row updates pay. Not if the rows are spread over processes: the updates would have to be summed. */
static int pays(const struct linop *A) {
    return A->reduce == NULL && A->rows > 0 && A->columns <= ROW_ENTRIES / A->rows &&
           2 * A->nonzeros >= A->rows * A->columns;
}

void row_updates_init(struct row_updates *updates, const struct linop *A, struct workspace *workspace) {
    *updates = (struct row_updates){.A = A, .updates = -1};
    if (!pays(A)) {
        return;
    }
    updates->At = workspace_doubles(workspace, A->rows * A->columns);
    updates->u = workspace_doubles(workspace, A->rows);
    updates->g = workspace_doubles(workspace, A->columns);
    updates->change = workspace_doubles(workspace, ROW_BLOCK * A->rows);
    updates->rows = workspace_integers(workspace, A->rows);
}

void row_updates_fill(struct row_updates *updates) {
    const struct linop *A = updates->A;
    double *block = updates->change;

    for (int64_t first = 0; updates->At != NULL && first < A->columns; first += ROW_BLOCK) {
        int64_t list[ROW_BLOCK], count = 0;

        for (; count < ROW_BLOCK && first + count < A->columns; count++) {
            list[count] = first + count;
        }
        linop_gather(A, count, list, block, A->rows);
        for (int64_t i = 0; i < A->rows; i++) {
            for (int64_t c = 0; c < count; c++) {
                updates->At[first + c + i * A->columns] = block[i + c * A->rows];
            }
        }
    }
}

static int64_t list_changed(struct row_updates *updates, const double *u) {
    int64_t count = 0;

    for (int64_t i = 0; i < updates->A->rows; i++) {
        updates->rows[count] = i;
        updates->change[count] = u[i] - updates->u[i];
        count += updates->change[count] != 0;
    }
    return count;
}

void row_updates_transpose(struct row_updates *updates, const double *u, double *g) {
    const struct linop *A = updates->A;
    int64_t changed = A->rows;

    if (updates->At == NULL) {
        linop_transpose(A, u, g);
        return;
    }
    if (updates->updates >= 0 && updates->updates < ROW_UPDATES) {
        changed = list_changed(updates, u);
    }
    if (changed <= A->rows / ROW_SHARE) {
        linop_count(A, 0, changed * A->columns);
        kernels_best()->add_columns(A->columns, changed, updates->rows, updates->At, A->columns, updates->change,
                                    updates->g);
        updates->updates++;
    } else {
        linop_transpose(A, u, updates->g);
        updates->updates = 0;
    }
    vector_copy(A->rows, u, updates->u);
    vector_copy(A->columns, updates->g, g);
}
