/* A'u by rows that change against A'u as a whole: dense, scaled and with a constant column; few changes, many, none,
 * more in a row than are allowed without a whole product; and matrices for which no rows are kept. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/random.h"
#include "method/row_updates.h"

enum { ROWS = 53, COLUMNS = 37, PRODUCTS = 300 };

static void fill(struct random *random, int64_t n, double *x) {
    for (int64_t i = 0; i < n; i++)
        x[i] = random_normal(random);
}

/* A walk over u: now and then all of it, mostly a few signs; every product against long double sums. */
static void check_walk(const struct linop *A, const double *full, int kept) {
    struct workspace workspace = {0};
    struct row_updates updates;
    struct random random;
    double u[ROWS], g[COLUMNS + 1];
    row_updates_init(&updates, A, &workspace);
    assert_false(workspace.failed);
    assert_int_equal(updates.At != NULL, kept);
    row_updates_fill(&updates);
    random_seed(&random, 3, 0);
    fill(&random, ROWS, u);
    for (int t = 0; t < PRODUCTS; t++) {
        for (int64_t i = 0; i < t % 4; i++)
            u[(t * 7 + i * 11) % ROWS] *= -1;
        if (t % 100 == 99)
            fill(&random, ROWS, u);
        row_updates_transpose(&updates, u, g);
        for (int64_t j = 0; j < A->columns; j++) {
            long double sum = 0, size = 0;
            for (int64_t i = 0; i < ROWS; i++) {
                sum += (long double)full[i + j * ROWS] * u[i];
                size += fabsl((long double)full[i + j * ROWS] * u[i]);
            }
            assert_true(fabsl(g[j] - sum) <= 1e-13L * size);
        }
    }
    workspace_free(&workspace);
}

static void products_by_changed_rows(void **state) {
    double full[ROWS * (COLUMNS + 1)], scaled[ROWS * (COLUMNS + 1)], scale[COLUMNS];
    spgm_matrix matrix = {.rows = ROWS, .columns = COLUMNS, .values = full, .leading_dimension = ROWS};
    struct random random;
    (void)state;
    random_seed(&random, 1, 0);
    fill(&random, ROWS * COLUMNS, full);
    fill(&random, COLUMNS, scale);
    for (int64_t i = 0; i < ROWS; i++) {
        for (int64_t j = 0; j < COLUMNS; j++)
            scaled[i + j * ROWS] = full[i + j * ROWS] * scale[j];
        scaled[i + COLUMNS * ROWS] = 2.5;
    }
    struct linop *A = linop_new(&matrix), *framed = linop_framed_new(A, scale, 1, 2.5);
    assert_true(A != NULL && framed != NULL);
    check_walk(A, full, 1);
    check_walk(framed, scaled, 1);
    linop_free(framed);
    linop_free(A);
}

static void few_entries_are_not_kept(void **state) {
    double full[ROWS * COLUMNS] = {0}, values[COLUMNS];
    int64_t start[COLUMNS + 1];
    int32_t row[COLUMNS];
    spgm_matrix matrix = {.rows = ROWS, .columns = COLUMNS, .values = values, .column_start = start, .row_index = row};
    (void)state;
    for (int64_t j = 0; j < COLUMNS; j++) { /* one entry in each column */
        start[j] = j;
        row[j] = (int32_t)((3 * j) % ROWS);
        values[j] = full[row[j] + j * ROWS] = 1.0 + (double)j;
    }
    start[COLUMNS] = COLUMNS;
    struct linop *A = linop_new(&matrix);
    assert_non_null(A);
    check_walk(A, full, 0);
    linop_free(A);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_by_changed_rows),
        cmocka_unit_test(few_entries_are_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
