/*
 * Equal rows of (A, b) are merged into one with the sum of their weights; rows without weight are left out. The sum
 * over rows, and therefore F, stays the same, with fewer rows to process.
 *
 * HOW IT WORKS: the hash of a row is the sum of the hashes of its target, slopes and nonzeros, so that it can be
 * computed column by column. From time to time the hashes are sorted, and rows with a unique hash are dropped from the
 * search. In real data all rows are soon dropped, after a few columns, and the rest of A is not read. Rows that share a
 * hash to the end are compared with the first of them, entry by entry, and merged with it if they are equal.
 *
 * LIMITATIONS: rows that share a hash with an unequal earlier row stay separate. That may miss a merge but never makes
 * a wrong one. The work is bounded for any data: two passes over A and a few radix sorts. Under a time limit a merge
 * that takes more than MERGE_SHARE of it is given up, and the rows stay as they are.
 */
#include "model/merge.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "linalg/matrix.h"
#include "linalg/vector.h"
#include "model/constants.h"
#include "model/part.h"

/* The hashes are first sorted after this many entries per row, then each time after FACTOR times as many. */
enum { FIRST_ENTRIES = 16, FACTOR = 4, DIGIT = 8, DIGITS = 64 / DIGIT, BUCKETS = 1 << DIGIT };

struct pair {
    uint64_t hash;
    int64_t row;
};

struct merger {
    const struct spgm_problem *problem;
    uint64_t (*mix)(uint64_t word);
    int64_t rows;
    uint64_t *hash;            /* [rows] of the entries read so far                        */
    int64_t *nonzeros;         /* [rows] number of these entries that are not zero, for sparse A */
    int64_t *open;             /* [rows] rows that share their hash, ascending             */
    int64_t count;             /* number of open rows */
    unsigned char *is_open;    /* [rows]                                                   */
    struct pair *pairs, *room; /* [rows] each, for sorting                                 */
    int64_t *first;            /* [rows] the first row equal to this one; -1: this row has no weight */
    double *column;            /* [rows] a column of sparse A, zero between uses; or a copy of a column of dense A */
    double deadline;           /* clock_seconds at which to give up                        */
    struct workspace workspace;
};

static int is_late(const struct merger *m) {
    return isfinite(m->deadline) && isgreaterequal(clock_seconds(), m->deadline);
}

uint64_t merge_mix(uint64_t word) { /* the last step of splitmix64 */
    word = (word ^ (word >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    word = (word ^ (word >> 27)) * UINT64_C(0x94d049bb133111eb);
    return word ^ (word >> 31);
}

/* The hash of one entry; zeros of either sign contribute nothing. `place` distinguishes the columns and the other
 * vectors. */
static inline uint64_t entry_hash(const struct merger *m, int64_t place, double value) {
    uint64_t word;

    memcpy(&word, &value, sizeof word);
    return value == 0 ? 0 : m->mix(word + (uint64_t)place * UINT64_C(0x9e3779b97f4a7c15));
}

/* ---- rows that share a hash ---------------------------------------------------------------------------- */

/* Sort by hash; equal ones keep their order. The result is in m->pairs. */
static void sort_pairs(struct merger *m) {
    for (int digit = 0; digit < DIGITS; digit++) {
        int64_t start[BUCKETS + 1] = {0};
        struct pair *sorted = m->room;

        for (int64_t k = 0; k < m->count; k++) {
            start[(m->pairs[k].hash >> (digit * DIGIT)) % BUCKETS + 1]++;
        }
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            start[bucket + 1] += start[bucket];
        }
        for (int64_t k = 0; k < m->count; k++) {
            sorted[start[(m->pairs[k].hash >> (digit * DIGIT)) % BUCKETS]++] = m->pairs[k];
        }
        m->room = m->pairs;
        m->pairs = sorted;
    }
}

/* Keep the rows that share their hash; each gets the first row with that hash. */
static void refine(struct merger *m) {
    int64_t left = 0;

    for (int64_t k = 0; k < m->count; k++) {
        m->pairs[k] = (struct pair){m->hash[m->open[k]], m->open[k]};
    }
    sort_pairs(m);
    for (int64_t k = 0, run = 0; k < m->count; k++) {
        int64_t row = m->pairs[k].row;
        int is_shared;

        run = m->pairs[k].hash == m->pairs[run].hash ? run : k;
        is_shared = run < k || (k + 1 < m->count && m->pairs[k + 1].hash == m->pairs[k].hash);
        m->is_open[row] = (unsigned char)is_shared;
        m->first[row] = m->pairs[run].row;
    }
    for (int64_t k = 0; k < m->count; k++) {
        if (m->is_open[m->open[k]]) {
            m->open[left++] = m->open[k];
        }
    }
    m->count = left;
}

static void hash_vector(struct merger *m, int64_t place, const double *values) {
    for (int64_t k = 0; values != NULL && k < m->count; k++) {
        m->hash[m->open[k]] += entry_hash(m, place, values[m->open[k]]);
    }
}

/* Column j of a dense A, as a copy if it cannot be read in place; valid until the next call. */
static const double *dense_column(struct merger *m, int64_t j) {
    const spgm_matrix *A = &m->problem->A;

    if (matrix_is_plain(A)) {
        return A->values + j * A->leading_dimension;
    }
    spgm_matrix_column(A, j, m->column);
    return m->column;
}

/* Returns the number of entries read. */
static int64_t hash_column(struct merger *m, int64_t j) {
    const spgm_matrix *A = &m->problem->A;

    if (A->column_start == NULL) {
        hash_vector(m, j, dense_column(m, j));
        return m->count;
    }
    for (int64_t k = A->column_start[j]; k < A->column_start[j + 1]; k++) {
        int64_t row = A->row_index[k];

        if (m->is_open[row]) {
            m->hash[row] += entry_hash(m, j, A->values[k]);
            m->nonzeros[row] += A->values[k] != 0;
        }
    }
    return A->column_start[j + 1] - A->column_start[j];
}

/* 0: given up. */
static int hash_all(struct merger *m) {
    const struct spgm_problem *problem = m->problem;
    int64_t entries = 0;
    int64_t limit = FIRST_ENTRIES * m->rows;

    hash_vector(m, -1, problem->b);
    hash_vector(m, -2, problem->up);
    hash_vector(m, -3, problem->down);
    hash_vector(m, -4, problem->dead);
    refine(m);
    for (int64_t j = 0; m->count > 0 && j < problem->A.columns; j++) {
        if (is_late(m)) {
            return 0;
        }
        entries += hash_column(m, j);
        if (entries >= limit || j + 1 == problem->A.columns) {
            refine(m);
            limit = limit > INT64_MAX / FACTOR ? INT64_MAX : limit * FACTOR;
        }
    }
    return 1;
}

/* ---- are they equal? -------------------------------------------------------------------------------------- */

static void compare_vector(struct merger *m, const double *values) {
    for (int64_t k = 0; values != NULL && k < m->count; k++) {
        int64_t row = m->open[k];

        m->first[row] = values[row] == values[m->first[row]] ? m->first[row] : row;
    }
}

/* Mark rows with a nonzero whose first row does not have the same value. Both have equally many nonzeros, so none is
 * missing in the other. */
static void compare_sparse_column(struct merger *m, int64_t j) {
    const spgm_matrix *A = &m->problem->A;
    int64_t last = A->column_start[j + 1];

    for (int64_t k = A->column_start[j]; k < last; k++) {
        m->column[A->row_index[k]] = A->values[k];
    }
    for (int64_t k = A->column_start[j]; k < last; k++) {
        int64_t row = A->row_index[k];

        if (m->is_open[row] && A->values[k] != m->column[m->first[row]]) {
            m->first[row] = row;
        }
    }
    for (int64_t k = A->column_start[j]; k < last; k++) {
        m->column[A->row_index[k]] = 0;
    }
}

/* 0: given up. */
static int compare_all(struct merger *m) {
    const struct spgm_problem *problem = m->problem;
    const spgm_matrix *A = &problem->A;

    compare_vector(m, problem->b);
    compare_vector(m, problem->up);
    compare_vector(m, problem->down);
    compare_vector(m, problem->dead);
    for (int64_t k = 0; A->column_start != NULL && k < m->count; k++) {
        int64_t row = m->open[k];

        m->first[row] = m->nonzeros[row] == m->nonzeros[m->first[row]] ? m->first[row] : row;
    }
    for (int64_t j = 0; m->count > 0 && j < A->columns; j++) {
        if (is_late(m)) {
            return 0;
        }
        if (A->column_start == NULL) {
            compare_vector(m, dense_column(m, j));
        } else {
            compare_sparse_column(m, j);
        }
    }
    return 1;
}

/* ---- the rows that are left ------------------------------------------------------------------------------- */

static double weight_of(const struct spgm_problem *problem, int64_t i) {
    return problem->weights == NULL ? 1 : problem->weights[i];
}

/* List the first rows, which remain, and the place of each among them; returns their number. */
static int64_t number_rows(const struct merger *m, int64_t *left, int64_t *place) {
    int64_t count = 0;

    for (int64_t i = 0; i < m->rows; i++) {
        if (m->first[i] == i) {
            left[count] = i;
            place[i] = count++;
        }
    }
    return count;
}

/* Returns zero if a sum of weights overflows. */
static int add_weights(const struct merger *m, const int64_t *place, int64_t count, double *weights) {
    for (int64_t i = 0; i < m->rows; i++) {
        if (m->first[i] >= 0) {
            weights[place[m->first[i]]] += weight_of(m->problem, i);
        }
    }
    return vector_first_bad(count, weights) < 0;
}

static void copy_rows(const struct merger *m, const int64_t *left, const int64_t *place, int64_t count,
                      struct merged_rows *merged) {
    const struct spgm_problem *problem = m->problem;
    struct workspace *workspace = &merged->workspace;

    merged->weights = workspace_doubles(workspace, count);
    if (workspace->failed || !add_weights(m, place, count, merged->weights)) {
        return;
    }
    merged->b = part_doubles(problem->b, count, left, workspace);
    merged->up = part_doubles(problem->up, count, left, workspace);
    merged->down = part_doubles(problem->down, count, left, workspace);
    merged->dead = part_doubles(problem->dead, count, left, workspace);
    merged->A = matrix_pick_rows(&problem->A, count, left, workspace);
}

/* ---- all of it -------------------------------------------------------------------------------------------- */

static int merger_init(struct merger *m) {
    struct workspace *workspace = &m->workspace;

    m->hash = workspace_array(workspace, m->rows, sizeof *m->hash);
    m->nonzeros = workspace_integers(workspace, m->rows);
    m->open = workspace_integers(workspace, m->rows);
    m->is_open = workspace_array(workspace, m->rows, 1);
    m->pairs = workspace_array(workspace, m->rows, sizeof *m->pairs);
    m->room = workspace_array(workspace, m->rows, sizeof *m->room);
    m->first = workspace_integers(workspace, m->rows);
    m->column = workspace_doubles(workspace, m->rows);
    for (int64_t i = 0; !workspace->failed && i < m->rows; i++) {
        m->first[i] = weight_of(m->problem, i) > 0 ? i : -1;
        m->is_open[i] = m->first[i] == i;
        if (m->is_open[i]) {
            m->open[m->count++] = i;
        }
    }
    return !workspace->failed;
}

static spgm_error merge(struct spgm_problem *problem, uint64_t (*mix)(uint64_t word), spgm_status *status) {
    struct merger m = {.problem = problem,
                       .mix = mix,
                       .rows = problem->A.rows,
                       .deadline = clock_seconds() + MERGE_SHARE * problem->options.time_limit,
                       .workspace.memory = problem->A.memory};
    struct merged_rows merged = {.workspace.memory = problem->A.memory};
    spgm_error error = SPGM_OK;
    int64_t count;

    if (!merger_init(&m)) {
        error = status_memory(status, m.workspace.bytes);
        workspace_free(&m.workspace);
        return error;
    }
    count = hash_all(&m) && compare_all(&m) ? number_rows(&m, m.open, m.nonzeros) : m.rows; /* whose work is done */
    if (count < m.rows) {
        copy_rows(&m, m.open, m.nonzeros, count, &merged);
        error = merged.workspace.failed ? status_memory(status, merged.workspace.bytes) : SPGM_OK;
    }
    workspace_free(&m.workspace);
    if (error == SPGM_OK && merged.A.rows > 0) {
        problem->merged = merged;
    } else {
        workspace_free(&merged.workspace);
    }
    return error;
}

spgm_error merge_rows(struct spgm_problem *problem, uint64_t (*mix)(uint64_t word), int64_t *rows_left,
                      spgm_status *status) {
    double began = clock_seconds();
    spgm_error error = SPGM_OK;

    problem_unmerge(problem);
    if (problem->loss->is_sum && !problem_is_normal(problem)) {
        error = merge(problem, mix, status);
    }
    if (error == SPGM_OK && rows_left != NULL) {
        *rows_left = problem_merged(problem).A.rows;
    }
    problem->merged.seconds = clock_seconds() - began;
    return error != SPGM_OK ? error : status_clear(status);
}

spgm_error spgm_problem_merge_rows(spgm_problem *problem, int64_t *rows_left, spgm_status *status) {
    if (problem == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "spgm_problem_merge_rows: the problem is NULL");
    }
    return merge_rows(problem, merge_mix, rows_left, status);
}

void problem_unmerge(struct spgm_problem *problem) {
    workspace_free(&problem->merged.workspace);
    problem->merged = (struct merged_rows){0};
}

struct spgm_problem problem_merged(const struct spgm_problem *problem) {
    struct spgm_problem merged = *problem;

    if (problem->merged.A.rows > 0) {
        merged.A = problem->merged.A;
        merged.b = problem->merged.b;
        merged.weights = problem->merged.weights;
        merged.up = problem->merged.up;
        merged.down = problem->merged.down;
        merged.dead = problem->merged.dead;
    }
    return merged;
}

double problem_began(const struct spgm_problem *problem) {
    return clock_seconds() - problem->merged.seconds - problem->seconds;
}
