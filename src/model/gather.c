/*
 * HOW IT WORKS: one process after the other broadcasts the arrays of its part in pieces of at most PIECE bytes, and the
 * owner puts them into place. The other processes need memory for one piece only.
 */
#include "model/gather.h"

#include <string.h>

#include "base/party.h"
#include "linalg/matrix.h"

enum { PIECE = 1 << 20 };

struct stack {
    struct party *party;
    struct workspace scratch;
    char *piece;               /* [PIECE] */
    int64_t *count;            /* rows of every process [size] */
    int64_t rows, first, root; /* rows of all processes; rows before the root; the sending process */
    int64_t owner;             /* the process that receives the whole */
    int64_t *start, *next;     /* column starts of the root, and where its entries go [columns + 1] */
    struct spgm_problem *whole;
};

/* Entries [first, first + count) of an array of the root. */
typedef void (*put_function)(const struct stack *stack, void *to, int64_t first, int64_t count, const void *from);

static void stream(struct stack *s, const void *mine, int64_t count, int64_t size, put_function put, void *to) {
    int is_owner = s->party->all.rank == s->owner;

    for (int64_t first = 0, most = PIECE / size; first < count; first += most) {
        int64_t part = count - first < most ? count - first : most;
        const void *from = mine == NULL ? NULL : (const char *)mine + first * size;

        if (s->root != s->owner) {
            if (from != NULL && s->party->all.rank == s->root) {
                memcpy(s->piece, from, (size_t)(part * size));
            }
            if (party_broadcast(s->party, s->piece, part * size, s->root)) {
                return;
            }
            from = s->piece;
        }
        if (is_owner) {
            put(s, to, first, part, from);
        }
    }
}

static void put_rows(const struct stack *s, void *to, int64_t first, int64_t count, const void *from) {
    memcpy((double *)to + s->first + first, from, (size_t)count * sizeof(double));
}

static void put_dense(const struct stack *s, void *to, int64_t first, int64_t count, const void *from) {
    int64_t rows = s->count[s->root];

    for (int64_t k = 0; k < count; k++) {
        int64_t i = (first + k) % rows, j = (first + k) / rows;

        ((double *)to)[s->first + i + j * s->rows] = ((const double *)from)[k];
    }
}

static void put_start(const struct stack *s, void *to, int64_t first, int64_t count, const void *from) {
    (void)s;
    memcpy((int64_t *)to + first, from, (size_t)count * sizeof(int64_t));
}

/* The column of entry k of the root. */
static int64_t column_of(const struct stack *s, int64_t k) {
    int64_t low = 0, high = s->whole->A.columns; /* start[low] <= k < start[high] */

    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;

        if (s->start[middle] <= k) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void put_values(const struct stack *s, void *to, int64_t first, int64_t count, const void *from) {
    int64_t j = column_of(s, first);

    for (int64_t k = 0; k < count; k++) {
        for (; first + k >= s->start[j + 1]; j++) {
        }
        ((double *)to)[s->next[j] + first + k - s->start[j]] = ((const double *)from)[k];
    }
}

static void put_row_index(const struct stack *s, void *to, int64_t first, int64_t count, const void *from) {
    int64_t j = column_of(s, first);

    for (int64_t k = 0; k < count; k++) {
        for (; first + k >= s->start[j + 1]; j++) {
        }
        ((int32_t *)to)[s->next[j] + first + k - s->start[j]] = ((const int32_t *)from)[k] + (int32_t)s->first;
    }
}

/* ---- room for all of it ------------------------------------------------------------------------------------------ */

/* Collect the row counts of all processes, and where the entries of each column begin in the whole. After this only the
 * owner may allocate. */
static void count_all(struct stack *s, const spgm_matrix *mine, int is_sparse, double *sums) {
    int64_t size = s->party->all.size;

    memset(sums, 0, (size_t)size * sizeof *sums);
    sums[s->party->all.rank] = (double)mine->rows;
    party_sum(s->party, sums, size);
    for (int64_t k = 0; k < size; k++) {
        s->count[k] = (int64_t)sums[k];
        s->rows += s->count[k];
    }
    for (int64_t j = 0; is_sparse && j < mine->columns; j++) {
        sums[j] = (double)(mine->column_start[j + 1] - mine->column_start[j]);
    }
    if (is_sparse) {
        party_sum(s->party, sums, mine->columns);
    }
}

static double *room_for(struct stack *s, const double *mine) {
    return mine == NULL ? NULL : workspace_doubles(&s->whole->owned, s->rows);
}

/* On the owner: allocate the arrays of the whole that the parts have. */
static void take_whole(struct stack *s, const struct spgm_problem *mine, int is_sparse, const double *sums) {
    struct spgm_problem *whole = s->whole;
    int64_t n = mine->A.columns;

    whole->b = room_for(s, mine->b);
    whole->weights = room_for(s, mine->weights);
    whole->up = room_for(s, mine->up);
    whole->down = room_for(s, mine->down);
    whole->dead = room_for(s, mine->dead);
    if (is_sparse) {
        int64_t *start = workspace_integers(&whole->owned, n + 1);

        for (int64_t j = 0; start != NULL && j < n; j++) {
            start[j + 1] = start[j] + (int64_t)sums[j];
        }
        whole->A = spgm_sparse(s->rows, n, start, NULL, NULL);
        whole->A.row_index = start == NULL ? NULL : workspace_array(&whole->owned, start[n], sizeof(int32_t));
        whole->A.values = start == NULL ? NULL : workspace_doubles(&whole->owned, start[n]);
        for (int64_t j = 0; start != NULL && j < n; j++) {
            s->next[j] = start[j];
        }
    } else {
        whole->A = spgm_dense(s->rows, n, workspace_doubles(&whole->owned, s->rows * n));
    }
}

/* ---- process after process --------------------------------------------------------------------------------------- */

static void send_sparse(struct stack *s, const spgm_matrix *mine) {
    int64_t n = mine->columns, entries;
    spgm_matrix *all = &s->whole->A;

    stream(s, mine->column_start, n + 1, sizeof(int64_t), put_start, s->start);
    if (s->party->all.rank == s->root) {
        memcpy(s->start, mine->column_start, (size_t)(n + 1) * sizeof(int64_t));
    }
    entries = s->start[n];
    if (s->root != s->owner && party_broadcast(s->party, &entries, sizeof entries, s->root)) {
        return;
    }
    stream(s, mine->row_index, entries, sizeof(int32_t), put_row_index, (int32_t *)all->row_index);
    stream(s, mine->values, entries, sizeof(double), put_values, (double *)all->values);
    for (int64_t j = 0; s->party->all.rank == s->owner && j < n; j++) {
        s->next[j] += s->start[j + 1] - s->start[j];
    }
}

static void send_all(struct stack *s, const struct spgm_problem *mine, int is_sparse) {
    const double *from[] = {mine->b, mine->weights, mine->up, mine->down, mine->dead};
    double *to[] = {(double *)s->whole->b, s->whole->weights, s->whole->up, s->whole->down, s->whole->dead};

    for (s->root = s->first = 0; s->root < s->party->all.size; s->first += s->count[s->root++]) {
        int64_t rows = s->count[s->root];

        for (int k = 0; k < 5; k++) {
            stream(s, from[k], from[k] == NULL ? 0 : rows, sizeof(double), put_rows, to[k]);
        }
        if (is_sparse) {
            send_sparse(s, &mine->A);
        } else {
            stream(s, mine->A.values, rows * mine->A.columns, sizeof(double), put_dense, (double *)s->whole->A.values);
        }
    }
}

/* If any process has a sparse part, the others (mostly without rows) make theirs sparse, too. */
static int agree_on_kind(struct party *party, struct spgm_problem *mine) {
    double is_sparse = mine->A.column_start != NULL;

    party_max(party, &is_sparse, 1);
    if (is_sparse > 0 && mine->A.column_start == NULL) {
        mine->A = matrix_compress(&mine->A, matrix_nonzeros(&mine->A, INT64_MAX - 1), &mine->owned);
    }
    return is_sparse > 0;
}

/* Replace the owner's part by the rows of all parts; what belongs to columns stays the owner's. */
static spgm_error stack_parts(struct party *party, int64_t owner, struct spgm_problem *part, spgm_status *status) {
    struct stack s = {.party = party, .owner = owner, .whole = part};
    int is_sparse = agree_on_kind(party, part);
    const struct spgm_problem mine = *part;
    int64_t n = mine.A.columns, size = party->all.size;
    double *sums = workspace_doubles(&s.scratch, n > size ? n : size);
    spgm_error error;

    s.piece = workspace_array(&s.scratch, PIECE, 1);
    s.count = workspace_integers(&s.scratch, size);
    s.start = workspace_integers(&s.scratch, n + 1);
    s.next = workspace_integers(&s.scratch, n + 1);
    error =
        part->owned.failed || s.scratch.failed ? status_memory(status, part->owned.bytes + s.scratch.bytes) : SPGM_OK;
    error = party_agree(party, error, status);
    if (error == SPGM_OK) {
        count_all(&s, &mine.A, is_sparse, sums);
        if (party->all.rank == owner) {
            take_whole(&s, &mine, is_sparse, sums);
            error = part->owned.failed ? status_memory(status, part->owned.bytes) : SPGM_OK;
        }
        error = party_agree(party, error, status);
    }
    if (error == SPGM_OK) {
        send_all(&s, &mine, is_sparse);
    }
    workspace_free(&s.scratch);
    return error;
}

spgm_error part_gather(const struct spgm_problem *problem, int64_t row_count, const int64_t *rows, const double *times,
                       int64_t column_count, const int64_t *columns, int64_t owner, struct stop *stop,
                       struct spgm_problem *part, spgm_status *status) {
    struct party *party = problem_party(problem);
    spgm_status said = {0};
    spgm_error error;

    if (party == NULL) {
        return part_make(problem, row_count, rows, times, column_count, columns, stop, part, status);
    }
    error =
        party_agree(party, part_make(problem, row_count, rows, times, column_count, columns, NULL, part, &said), &said);
    if (error == SPGM_OK) {
        error = stack_parts(party, owner, part, &said);
    }
    if (error != SPGM_OK) {
        workspace_free(&part->owned);
        if (status != NULL) {
            *status = said;
        }
    }
    return error;
}

spgm_error part_gather_all(const struct spgm_problem *problem, struct spgm_problem *part, spgm_status *status) {
    struct workspace workspace = {0};
    int64_t rows = problem_merged(problem).A.rows, n = problem->A.columns;
    int64_t *every_row = workspace_integers(&workspace, rows);
    int64_t *every_column = workspace_integers(&workspace, n);
    spgm_status said = {0};
    spgm_error error = workspace.failed ? status_memory(&said, workspace.bytes) : SPGM_OK;

    error = problem_party(problem) == NULL ? error : party_agree(problem_party(problem), error, &said);
    for (int64_t i = 0; error == SPGM_OK && i < rows; i++) {
        every_row[i] = i;
    }
    for (int64_t j = 0; error == SPGM_OK && j < n; j++) {
        every_column[j] = j;
    }
    if (error == SPGM_OK) {
        error = part_gather(problem, rows, every_row, NULL, n, every_column, 0, NULL, part, &said);
    }
    workspace_free(&workspace);
    if (error != SPGM_OK && status != NULL) {
        *status = said;
    }
    return error;
}
