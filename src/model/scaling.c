/* Which columns are centred, and the units of columns and target. */
#include "model/scaling.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "linalg/matrix.h"
#include "linalg/vector.h"
#include "model/constants.h"

/* The nonzeros of a column, or all of its entries. */
struct stored {
    const double *values;
    int64_t count;
};

/* room [rows]: for a copy, if the column cannot be read in place. */
static struct stored column_of(const spgm_matrix *A, int64_t j, double *room) {
    if (!matrix_is_plain(A)) {
        spgm_matrix_column(A, j, room);
        return (struct stored){room, A->rows};
    }
    if (A->column_start == NULL) {
        return (struct stored){A->values + j * A->leading_dimension, A->rows};
    }
    return (struct stored){A->values + A->column_start[j], A->column_start[j + 1] - A->column_start[j]};
}

static double power_of_two_near(double value) {
    int exponent = 0;

    frexp(value, &exponent);
    return ldexp(1.0, exponent - 1);
}

static double power_of_four_near(double value) {
    int exponent = 0;

    frexp(value, &exponent);
    return ldexp(1.0, 2 * (exponent / 2));
}

static int is_extreme(double norm) {
    return norm != 0 && (norm < NORM_LOW || norm > NORM_HIGH);
}

static double all_rows(int64_t rows, const struct reduction *reduce) {
    double count = (double)rows;

    reduce_sum(reduce, &count, 1);
    return count;
}

/* ---- sizes ---------------------------------------------------------------------------------------------------- */

enum { TILE_ROWS = 256, TILE_COLUMNS = 16 };

/* The columns of the tile that begins at `from`, and their number. */
static int64_t list_tile(const spgm_matrix *A, int64_t from, int64_t *list) {
    int64_t count = A->columns - from < TILE_COLUMNS ? A->columns - from : TILE_COLUMNS;

    for (int64_t c = 0; c < count; c++) {
        list[c] = from + c;
    }
    return count;
}

static void add_squares_of_tile(const spgm_matrix *A, int64_t first, int64_t rows, int64_t from, double *sums) {
    double tile[TILE_ROWS * TILE_COLUMNS];
    int64_t list[TILE_COLUMNS] = {0}, count = list_tile(A, from, list);

    matrix_tile(A, first, rows, count, list, tile, TILE_ROWS);
    for (int64_t c = 0; c < count; c++) {
        sums[list[c]] += vector_sum_squares(rows, tile + c * TILE_ROWS);
    }
}

/* ||a_j|| of a dense matrix that is not plain, for all columns in one pass over its rows. Columns whose squares leave
 * the range of a double are rare; such a column is read again, into room [rows]. */
static void measure_tiles(const spgm_matrix *A, double *norms, double *room) {
    int64_t down = (A->rows + TILE_ROWS - 1) / TILE_ROWS, across = (A->columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
    int by_rows = matrix_lies_by_rows(A);

    for (int64_t i = 0; by_rows && i < A->rows; i++) {
        int64_t run;

        for (int64_t j = 0; j < A->columns; j += run) {
            run = matrix_run(A, j, A->columns);
            vector_add_squares(run, 1, A->values + i * A->leading_dimension + matrix_column_of(A, j), norms + j);
        }
    }
    for (int64_t k = 0; !by_rows && k < down * across; k++) { /* in storage order */
        int64_t first = (A->by_rows ? k / across : k % down) * TILE_ROWS;
        int64_t rows = A->rows - first < TILE_ROWS ? A->rows - first : TILE_ROWS;

        add_squares_of_tile(A, first, rows, (A->by_rows ? k % across : k / down) * TILE_COLUMNS, norms);
    }
    for (int64_t j = 0; j < A->columns; j++) {
        if (isgreater(norms[j], 1e-270) && isless(norms[j], DBL_MAX)) {
            norms[j] = sqrt(norms[j]);
        } else {
            spgm_matrix_column(A, j, room);
            norms[j] = vector_norm(A->rows, room);
        }
    }
}

/* ||a_j|| over all rows, safe for any finite values; norms are zero on entry; work [columns], room [rows] or, for a
 * plain matrix, NULL. */
static void measure_norms(const spgm_matrix *A, const struct reduction *reduce, double *norms, double *work,
                          double *room) {
    int64_t n = A->columns;

    if (A->normal != NULL) {
        vector_copy(n, A->normal->norms, norms);
    } else if (!matrix_is_plain(A)) {
        measure_tiles(A, norms, room);
    }
    for (int64_t j = 0; j < n; j++) {
        if (matrix_is_plain(A)) {
            struct stored column = column_of(A, j, NULL);

            norms[j] = vector_norm(column.count, column.values);
        }
        work[j] = norms[j];
    }
    if (reduce == NULL) {
        return;
    }
    reduce_max(reduce, work, n);
    for (int64_t j = 0; j < n; j++) {
        norms[j] = work[j] == 0 ? 0 : norms[j] / work[j] * (norms[j] / work[j]);
    }
    reduce_sum(reduce, norms, n);
    for (int64_t j = 0; j < n; j++) {
        norms[j] = work[j] * sqrt(norms[j]);
    }
}

/* ---- centres -------------------------------------------------------------------------------------------------- */

/* A power of two that brings a column near 1: scaling is exact, and squares and sums stay in range. */
static double factor_for(double norm) {
    return 1 / power_of_two_near(fmax(norm, 0x1p-1000));
}

/* Whether |mean| > offset spread can be ruled out, usually from few rows. With the deviations d from means of blocks of
 * rows, sum d^2 <= rows spread^2, while rows mean^2 <= ||a||^2; zeros are far from the mean of the other entries. */
static int is_near_zero(struct stored column, double zeros, double rows, double norm, double offset) {
    enum { BLOCK = 16 };
    double factor = factor_for(norm);
    double deviation = 0;

    if (norm == 0 || zeros > rows / (offset * offset)) {
        return 1;
    }
    for (int64_t first = 0; first < column.count; first += BLOCK) {
        int64_t last = column.count - first < BLOCK ? column.count : first + BLOCK;
        double sum = 0, squares = 0;

        for (int64_t i = first; i < last; i++) {
            double d = factor * column.values[i] - factor * column.values[first];

            sum += d;
            squares += d * d;
        }
        deviation += squares - sum * sum / (double)(last - first);
        if (factor * norm * (factor * norm) <= offset * offset * deviation) {
            return 1;
        }
    }
    return 0;
}

/* sum of factor (a_i - centre), or of its square */
static double sum_from(struct stored column, double zeros, double centre, double factor, int square) {
    double from = factor * centre;
    double sum = zeros * (square ? from * from : -from);

    for (int64_t i = 0; i < column.count; i++) {
        double d = factor * column.values[i] - from;

        sum += square ? d * d : d;
    }
    return sum;
}

/* A number with few digits within half the spread of the mean: subtracting it is exact, so that equal entries stay
 * equal. */
static double round_centre(double mean, double spread) {
    double grid = power_of_two_near(spread);

    return grid * round(mean / grid);
}

/* The centre of a column, and its norm after centring; both stay unchanged unless |mean| is at least `offset` times the
 * spread. The mean is computed twice, the second time relative to the first, so that its error is small compared with
 * the spread. */
static void choose_centre(struct stored column, double zeros, double rows, double offset,
                          const struct reduction *reduce, double *norm, double *centre) {
    double factor = factor_for(*norm);
    double mean = 0;
    double sum, spread;

    for (int pass = 0; pass < 2; pass++) {
        sum = sum_from(column, zeros, mean, factor, 0);
        reduce_sum(reduce, &sum, 1);
        mean += sum / rows / factor;
    }
    sum = sum_from(column, zeros, mean, factor, 1);
    reduce_sum(reduce, &sum, 1);
    spread = sqrt(sum / rows);
    if (fabs(factor * mean) > offset * spread) {
        if (fabs(factor * mean) <= FRAME_OFFSET * spread) {
            mean = round_centre(factor * mean, spread) / factor;
            sum = sum_from(column, zeros, mean, factor, 1);
            reduce_sum(reduce, &sum, 1);
        }
        *centre = mean;
        *norm = sqrt(sum) / factor;
    }
}

/* For a matrix that is not plain. The first rows usually decide; otherwise all rows are read. */
static void rule_out_by_tiles(const spgm_matrix *A, double rows, double offset, const double *norms, double *are_near,
                              double *room) {
    double tile[TILE_ROWS * TILE_COLUMNS];
    int64_t list[TILE_COLUMNS] = {0}, seen = A->rows < TILE_ROWS ? A->rows : TILE_ROWS;

    for (int64_t from = 0; from < A->columns; from += TILE_COLUMNS) {
        int64_t count = list_tile(A, from, list);

        matrix_tile(A, 0, seen, count, list, tile, TILE_ROWS);
        for (int64_t c = 0; c < count; c++) {
            are_near[list[c]] =
                is_near_zero((struct stored){tile + c * TILE_ROWS, seen}, 0, rows, norms[list[c]], offset) ||
                is_near_zero(column_of(A, list[c], room), 0, rows, norms[list[c]], offset);
        }
    }
}

/* For all columns; centre is zero on entry. work [columns], room [rows] or, for a plain matrix, NULL. */
static void choose_centres(const spgm_matrix *A, double offset, const struct reduction *reduce, double *norms,
                           double *centre, double *work, double *room) {
    double rows = all_rows(A->rows, reduce);

    if (!matrix_is_plain(A)) {
        rule_out_by_tiles(A, rows, offset, norms, work, room);
    }
    for (int64_t j = 0; matrix_is_plain(A) && j < A->columns; j++) {
        struct stored column = column_of(A, j, NULL);

        work[j] = is_near_zero(column, (double)(A->rows - column.count), rows, norms[j], offset);
    }
    reduce_max(reduce, work, A->columns); /* what the rows of one process rule out is ruled out for all */
    for (int64_t j = 0; j < A->columns; j++) {
        if (work[j] == 0) {
            struct stored column = column_of(A, j, room);

            choose_centre(column, (double)(A->rows - column.count), rows, offset, reduce, &norms[j], &centre[j]);
        }
    }
}

/* ---- the target ------------------------------------------------------------------------------------------------ */

/* A constant target is not shifted: it cannot lose digits, and its size is the reference for what counts as zero. */
static double choose_shift(const struct spgm_problem *problem) {
    spgm_matrix b = spgm_dense(problem->A.rows, 1, problem->b);
    double norm = 0, work, centre = 0;

    measure_norms(&b, problem->reduce, &norm, &work, NULL);
    choose_centres(&b, FRAME_OFFSET, problem->reduce, &norm, &centre, &work, NULL);
    return norm == 0 ? 0 : centre;
}

static spgm_error check_target(const struct spgm_problem *problem, double size, spgm_status *status) {
    double rows = all_rows(problem->A.rows, problem->reduce);
    double power = problem->loss->degree * log10(size);

    if (fabs(power) > log10(LOSS_HIGH) || power + log10(rows) > log10(OBJECTIVE_HIGH)) {
        return status_set(status, SPGM_ERROR_DATA,
                          "the target has entries of size %g, for which the loss %s is of size 1e%+.0f, beyond what a "
                          "double can hold: rescale the target",
                          size, problem->loss->name, power + log10(rows));
    }
    return SPGM_OK;
}

spgm_error scaling_choose_units(const struct spgm_problem *problem, struct units *units, spgm_status *status) {
    spgm_error error = SPGM_OK;
    double size = 0;

    *units = (struct units){1, 1, 0, 1};
    if (problem_has_labels(problem) || problem->loss->degree == 0) {
        return SPGM_OK;
    }
    if (problem->options.intercept) {
        units->shift = choose_shift(problem);
    }
    for (int64_t i = 0; i < problem->A.rows; i++) {
        size = fmax(size, fabs(problem->b[i] - units->shift));
    }
    reduce_max(problem->reduce, &size, 1);
    if (size == 0) {
        return SPGM_OK;
    }
    units->size = size;
    error = check_target(problem, size, status);
    if (error == SPGM_OK && is_extreme(size)) {
        units->target = power_of_four_near(size);
        units->objective = problem->loss->degree == 1 ? units->target : units->target * units->target;
    }
    return error;
}

/* ---- the columns ----------------------------------------------------------------------------------------------- */

/* The root mean square of ||a_j|| / sqrt(m) over the nonzero columns; 1 if there are none. Columns of extreme size
 * count only if there are no others, because one of them would outweigh all the rest. */
static double typical_entry(int64_t n, const double *norms, double root) {
    double top = 0;
    double sum = 0;
    int64_t count = 0;
    int some_are_ordinary = 0;

    for (int64_t j = 0; j < n; j++) {
        some_are_ordinary |= norms[j] != 0 && !is_extreme(norms[j]);
        top = fmax(top, norms[j]);
    }
    top = some_are_ordinary || top == 0 ? 1 : power_of_two_near(top);
    for (int64_t j = 0; j < n; j++) {
        if (norms[j] != 0 && !(some_are_ordinary && is_extreme(norms[j]))) {
            sum += norms[j] / top / root * (norms[j] / top / root);
            count++;
        }
    }
    return count > 0 ? top * sqrt(sum / (double)count) : 1;
}

static void choose_scales(int64_t n, const double *norms, double root, int standardize, double *scale) {
    double typical = typical_entry(n, norms, root);
    /* 1 unless entries are far from 1: theta, the start and the constant column assume entries of about that size */
    double common = typical < ENTRY_LOW || typical > ENTRY_HIGH ? 1 / power_of_two_near(typical) : 1;

    for (int64_t j = 0; j < n; j++) {
        double entry = norms[j] / root;

        if (norms[j] == 0) {
            scale[j] = 1;
        } else if (standardize) {
            scale[j] = root / norms[j];
        } else if (entry / typical > APART || typical / entry > APART) {
            scale[j] = 1 / power_of_two_near(entry);
        } else {
            scale[j] = common;
        }
    }
}

/* The coefficient of a column is of size |b| / |a_j|, and |centre_j| times that enters the intercept. */
static spgm_error check_column(int64_t j, double entry, double centre, double size, spgm_status *status) {
    double most = log10(NUMBER_HIGH);
    double coefficient = log10(size) - log10(entry);

    if (fabs(log10(entry)) > most) {
        return status_set(status, SPGM_ERROR_DATA,
                          "column %" PRId64
                          " of A has entries of size %g, at the limit of what a double can hold: rescale the column",
                          j + 1, entry);
    }
    if (fabs(coefficient) > most || (centre != 0 && coefficient + log10(fabs(centre)) > most)) {
        return status_set(status, SPGM_ERROR_DATA,
                          "column %" PRId64 " of A has entries of size %g and the target of size %g: a coefficient of "
                          "size 1e%+.0f, or the intercept with it, is beyond what a double can hold; rescale the "
                          "column or the target",
                          j + 1, entry, size, coefficient);
    }
    return SPGM_OK;
}

/* Scale columns down, by powers of two, until the ridge on them is at most RIDGE_HIGH. */
static void tame_ridge(const struct spgm_problem *problem, const struct units *units, double *scale) {
    for (int64_t j = 0; problem->options.ridge > 0 && j < problem->A.columns; j++) {
        double step = log2(scale[j]) + log2(units->target);
        double excess = log2(problem_ridge(problem, j)) + 2 * step - log2(units->objective) - log2(RIDGE_HIGH);

        if (excess > 0) {
            scale[j] *= exp2(-ceil(excess / 2));
        }
    }
}

/* Whether all of A may be copied. Then columns are also centred where centring is not needed for accuracy. */
static int has_room(const struct spgm_problem *problem) {
    const spgm_matrix *A = &problem->A;
    double size = all_rows(A->rows, problem->reduce) * (double)A->columns, nonzeros;

    if (A->normal != NULL || size > CENTRE_ROOM) {
        return 0;
    }
    nonzeros =
        (double)(A->column_start != NULL ? A->column_start[A->columns] : matrix_nonzeros(A, A->rows * A->columns));
    reduce_sum(problem->reduce, &nonzeros, 1);
    return nonzeros >= CENTRE_SHARE * size;
}

spgm_error scaling_choose(const struct spgm_problem *problem, const struct units *units, struct workspace *workspace,
                          struct scaling *scaling, spgm_status *status) {
    const spgm_matrix *A = &problem->A;
    int64_t n = A->columns;
    double root = sqrt(all_rows(A->rows, problem->reduce));
    double *norms = workspace_doubles(workspace, n);
    double *work = workspace_doubles(workspace, n);
    double *room = matrix_is_plain(A) ? NULL : workspace_doubles(workspace, A->rows);
    spgm_error error = SPGM_OK;

    scaling->scale = workspace_doubles(workspace, n);
    scaling->centre = workspace_doubles(workspace, n);
    scaling->is_copied = workspace_array(workspace, n, 1);
    scaling->rest = workspace_doubles(workspace, n);
    scaling->is_idle = workspace_array(workspace, n, 1);
    scaling->is_whole = 0;
    if (workspace->failed) {
        return status_memory(status, workspace->bytes);
    }
    measure_norms(A, problem->reduce, norms, work, room);
    for (int64_t j = 0; j < n; j++) {
        scaling->is_copied[j] = (unsigned char)is_extreme(norms[j]);
    }
    if (problem->options.intercept) {
        int is_small = has_room(problem);

        choose_centres(A, is_small ? CENTRE_OFFSET : FRAME_OFFSET, problem->reduce, norms, scaling->centre, work, room);
        for (int64_t j = 0; is_small && j < n; j++) {
            scaling->is_whole |= scaling->centre[j] != 0;
        }
    }
    choose_scales(n, norms, root, problem->options.standardize, scaling->scale);
    tame_ridge(problem, units, scaling->scale);
    for (int64_t j = 0; error == SPGM_OK && j < n; j++) {
        scaling->is_copied[j] |= scaling->centre[j] != 0;
        scaling->rest[j] = scaling->is_copied[j] ? 1 : scaling->scale[j];
        scaling->is_idle[j] = norms[j] == 0;
        error = norms[j] == 0 ? SPGM_OK
                              : check_column(problem_number(problem, j), norms[j] / root, scaling->centre[j],
                                             units->size, status);
    }
    return error;
}

void scaling_set(const spgm_matrix *M, double *scale, struct workspace *workspace, struct scaling *scaling) {
    double *norms = workspace_doubles(workspace, 2 * M->columns);

    *scaling = (struct scaling){.scale = scale,
                                .is_copied = workspace_array(workspace, M->columns, 1),
                                .rest = workspace_doubles(workspace, M->columns)};
    if (workspace->failed) {
        return;
    }
    measure_norms(M, NULL, norms, norms + M->columns, NULL); /* of a term: plain */
    for (int64_t j = 0; j < M->columns; j++) {
        scaling->is_copied[j] = (unsigned char)is_extreme(norms[j]);
        scaling->rest[j] = scaling->is_copied[j] ? 1 : scale[j];
    }
}

/* ---- the operator ---------------------------------------------------------------------------------------------- */

/* A dense matrix that is mostly zeros is solved as a sparse one, so that a pass costs only its nonzeros. */
static spgm_matrix compress(const spgm_matrix *A, struct workspace *workspace) {
    double size = (double)A->rows * (double)A->columns;
    int64_t most = (int64_t)((spgm_matrix_is_large(A) ? SPARSE_SHARE_MAPPED : SPARSE_SHARE) * size);
    int64_t nonzeros;

    if (A->column_start != NULL || A->normal != NULL || size < SPARSE_SIZE || A->rows > INT32_MAX) {
        return *A;
    }
    nonzeros = matrix_nonzeros(A, most);
    return nonzeros > most ? *A : matrix_compress(A, nonzeros, workspace);
}

/* The values of a sparse matrix, with extreme columns scaled. */
static const double *scale_values(const spgm_matrix *M, const struct scaling *scaling, struct workspace *workspace) {
    double *values = workspace_doubles(workspace, M->column_start[M->columns]);

    for (int64_t j = 0; !workspace->failed && j < M->columns; j++) {
        for (int64_t k = M->column_start[j]; k < M->column_start[j + 1]; k++) {
            values[k] = scaling->is_copied[j] ? scaling->scale[j] * M->values[k] : M->values[k];
        }
    }
    return values;
}

/* scale (a_j - centre 1) */
static void copy_column(const spgm_matrix *M, int64_t j, double scale, double centre, double *copy) {
    struct stored column = column_of(M, j, copy);
    const int32_t *row = M->column_start == NULL ? NULL : M->row_index + M->column_start[j];

    for (int64_t i = 0; row != NULL && i < M->rows; i++) {
        copy[i] = scale * -centre;
    }
    for (int64_t i = 0; i < column.count; i++) {
        copy[row == NULL ? i : row[i]] = scale * (column.values[i] - centre);
    }
}

/* All columns in one dense copy; those with is_copied are centred and scaled. */
static struct linop *copy_whole(const spgm_matrix *M, const struct scaling *scaling, struct workspace *workspace) {
    double *values = workspace_doubles(workspace, M->rows * M->columns);
    spgm_matrix copy = spgm_dense(M->rows, M->columns, values);

    for (int64_t j = 0; !workspace->failed && j < M->columns; j++) {
        copy_column(M, j, scaling->is_copied[j] ? scaling->scale[j] : 1, scaling->centre[j], values + j * M->rows);
    }
    return workspace->failed ? NULL : linop_new(&copy);
}

/* The operator with `count` columns in dense copies. */
static struct linop *patch(struct linop *data, const spgm_matrix *M, const struct scaling *scaling,
                           const unsigned char *is_dense, int64_t count, struct workspace *workspace) {
    int64_t *replaced = workspace_integers(workspace, count);
    double *values = M->rows > INT64_MAX / count ? NULL : workspace_doubles(workspace, count * M->rows);
    int64_t next = 0;

    if (replaced == NULL || values == NULL) {
        linop_free(data);
        return NULL;
    }
    for (int64_t j = 0; j < M->columns; j++) {
        if (is_dense[j]) {
            copy_column(M, j, scaling->scale[j], scaling->centre == NULL ? 0 : scaling->centre[j],
                        values + next * M->rows);
            replaced[next++] = j;
        }
    }
    return linop_patched_new(data, count, replaced, values);
}

static struct linop *place(struct linop *data, struct team *team, const struct reduction *reduce) {
    if (data != NULL) {
        linop_set_team(data, team);
        data->reduce = reduce;
    }
    return data;
}

struct linop *scaling_operator(const spgm_matrix *M, const struct scaling *scaling, struct team *team,
                               const struct reduction *reduce, struct workspace *workspace) {
    unsigned char *is_dense;
    int64_t dense = 0, sparse = 0;
    spgm_matrix matrix;
    struct linop *data;

    if (scaling->is_whole) {
        return place(copy_whole(M, scaling, workspace), team, reduce);
    }
    matrix = compress(M, workspace);
    is_dense = workspace_array(workspace, M->columns, 1);
    for (int64_t j = 0; !workspace->failed && j < M->columns; j++) {
        int is_centred = scaling->centre != NULL && scaling->centre[j] != 0; /* then it has hardly any zeros */

        is_dense[j] = scaling->is_copied[j] && (is_centred || matrix.column_start == NULL);
        dense += is_dense[j];
        sparse += scaling->is_copied[j] && !is_dense[j];
    }
    if (!workspace->failed && sparse > 0) {
        matrix.values = scale_values(&matrix, scaling, workspace);
    }
    data = place(workspace->failed ? NULL : linop_new(&matrix), team, reduce);
    return data == NULL || dense == 0 ? data : patch(data, M, scaling, is_dense, dense, workspace);
}
