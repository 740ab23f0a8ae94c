#include "fit/block.h"

#include <math.h>

#include "fit/constants.h"
#include "linalg/linop.h"

struct fit_block {
    struct linop *A;  /* an operator on `values` */
    double *values;   /* [rows x capacity] */
    int64_t *held;    /* the column held at each position, -1: none [capacity] */
    int64_t *numbers; /* 0, 1, 2, ... [capacity] */
    struct workspace workspace;
};

static int is_wanted(const struct problem *problem, int64_t capacity) {
    const struct linop *A = problem->A;
    double size = (double)A->rows * (double)capacity, all = (double)A->nonzeros;
    int is_tight = A->is_mapped && A->columns >= FIT_MAPPED_COLUMNS;
    double room = is_tight ? FIT_BLOCK_SHARE_MAPPED * all : fmax(FIT_BLOCK_SHARE * all, FIT_BLOCK_ROOM);

    return A->is_apart && size <= room;
}

size_t fit_block_bytes(const struct problem *problem, int64_t capacity) {
    return is_wanted(problem, capacity) ? (size_t)(problem->A->rows * capacity) * sizeof(double) : 0;
}

void fit_block_free(struct fit_block *block) {
    if (block != NULL) {
        linop_free(block->A);
        workspace_free(&block->workspace);
        memory_free(block);
    }
}

int fit_block_new(struct fit_state *state) {
    const struct linop *A = state->problem->A;
    struct fit_block *block;
    spgm_matrix matrix;

    if (!is_wanted(state->problem, state->capacity)) {
        return 1;
    }
    block = state->block = memory_array(1, sizeof *block);
    if (block == NULL) {
        return 0;
    }
    block->workspace.memory = A->memory;
    block->values = workspace_doubles(&block->workspace, A->rows * state->capacity);
    block->held = workspace_integers(&block->workspace, state->capacity);
    block->numbers = workspace_integers(&block->workspace, state->capacity);
    if (block->workspace.failed) {
        return 0;
    }
    for (int64_t i = 0; i < state->capacity; i++) {
        block->held[i] = -1;
        block->numbers[i] = i;
    }
    matrix = spgm_dense(A->rows, state->capacity, block->values);
    matrix.memory = A->memory;
    block->A = linop_dense_new(&matrix);
    if (block->A != NULL) {
        block->A->reduce = A->reduce;
        block->A->team = A->team;
    }
    return block->A != NULL;
}

const int64_t *fit_places(struct fit_state *state, const struct linop **A) {
    struct fit_block *block = state->block;

    *A = block == NULL ? state->problem->A : block->A;
    for (int64_t i = 0, last; block != NULL && i < state->size; i = last) {
        last = i + 1;
        if (block->held[i] != state->columns[i]) {
            for (; last < state->size && block->held[last] != state->columns[last]; last++) {
            }
            linop_gather(state->problem->A, last - i, state->columns + i, block->values + i * block->A->rows,
                         block->A->rows);
            for (int64_t k = i; k < last; k++) {
                block->held[k] = state->columns[k];
            }
        }
    }
    return block == NULL ? state->columns : block->numbers;
}
