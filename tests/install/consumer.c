/* A user's program, both C11 and C++11: fits b = 2 a_2 with one outlier and recomputes what it is told. */
#include <math.h>
#include <spgm/spgm.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 8, COLUMNS = 3 };

/* ||A x - b||_1 by the definition */
static double objective(const double *A, const double *b, const double *x) {
    double sum = 0;
    for (int i = 0; i < ROWS; i++) {
        double r = -b[i];
        for (int j = 0; j < COLUMNS; j++)
            r += A[i + j * ROWS] * x[j];
        sum += fabs(r);
    }
    return sum;
}

static int fit(void) {
    const double A[ROWS * COLUMNS] = {1, 0, 2, 1, 0, 1, 3, 1, /* */
                                      1, 2, 3, 4, 5, 6, 7, 8, /* */
                                      0, 1, 0, 2, 1, 0, 1, -1};
    double b[ROWS], x[COLUMNS] = {0, 0, 0};
    for (int i = 0; i < ROWS; i++)
        b[i] = 2 * A[i + ROWS];
    b[5] = 100; /* the outlier */

    spgm_status status;
    spgm_info info;
    spgm_matrix matrix = spgm_dense(ROWS, COLUMNS, A);
    spgm_options *options = spgm_options_new();
    if (!options || spgm_options_set(options, "intercept", "false", &status) != SPGM_OK ||
        spgm_solve(&matrix, b, 1, options, x, NULL, &info, &status) != SPGM_OK) {
        fprintf(stderr, "consumer: %s\n", options ? status.message : "out of memory");
        return 1;
    }
    spgm_options_free(options);
    printf("x = (%g, %g, %g), F = %.17g, %s\n", x[0], x[1], x[2], info.objective, spgm_outcome_text(info.outcome));
    int right = x[0] == 0 && x[2] == 0 && fabs(x[1] - 2) < 0.05 && fabs(objective(A, b, x) - info.objective) < 1e-9;
    return right ? 0 : 1;
}

int main(int count, char **arguments) {
    if (count != 2 || strcmp(spgm_version(), arguments[1]) != 0) {
        fprintf(stderr, "consumer: the library is %s\n", spgm_version());
        return 1;
    }
    return fit();
}
