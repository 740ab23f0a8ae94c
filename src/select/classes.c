/*
 * More than two labels: the intercepts of the one-against-the-rest models, chosen together.
 *
 * HOW IT WORKS: each model is fitted by itself, so their scores are not comparable. A class that lies between two
 * others cannot be separated from both by a line, and the hinge loss gives it a nearly constant model that never has
 * the highest score. With one shift c_k for each class,
 *
 *     P_ik = exp(z_ik + c_k) / sum_l exp(z_il + c_l)
 *
 * is a multinomial model of the labels. Its likelihood is highest where every class has its share of the probability,
 *
 *     sum_i w_i P_ik = sum_{i of class k} w_i   for all k.
 *
 * In each round c_k is increased by the logarithm of the right side over the left side: iterative proportional fitting,
 * which never lowers the likelihood (Deming and Stephan 1940; Darroch and Ratcliff 1972).
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"
#include "select/constants.h"
#include "spgm/spgm.h"

static double weight_of(const double *weights, int64_t i) {
    return weights == NULL ? 1 : weights[i];
}

/* The sums over i of w_i P_ik; share [classes] is scratch. */
static void probabilities(int64_t rows, int64_t classes, const double *scores, const double *weights,
                          const double *shifts, double *share, double *there) {
    memset(there, 0, (size_t)classes * sizeof *there);
    for (int64_t i = 0; i < rows; i++) {
        const double *z = scores + i * classes;
        double highest = -INFINITY, sum = 0;

        for (int64_t k = 0; k < classes; k++) {
            highest = fmax(highest, z[k] + shifts[k]);
        }
        for (int64_t k = 0; k < classes; k++) {
            share[k] = exp(z[k] + shifts[k] - highest);
            sum += share[k];
        }
        for (int64_t k = 0; k < classes; k++) {
            there[k] += weight_of(weights, i) * share[k] / sum;
        }
    }
}

static void fit_shifts(int64_t rows, int64_t classes, const double *scores, const double *weights, const double *wanted,
                       double *share, double *there, double *shifts) {
    double rounds = fmin(fmax(CLASSES_WORK / ((double)rows * (double)classes), CLASSES_LEAST), CLASSES_MOST), mean = 0;
    double moved = INFINITY;

    memset(shifts, 0, (size_t)classes * sizeof *shifts);
    for (int64_t round = 0; round < (int64_t)rounds && moved > CLASSES_AGREE; round++) {
        probabilities(rows, classes, scores, weights, shifts, share, there);
        moved = 0;
        for (int64_t k = 0; k < classes; k++) {
            double step = wanted[k] > 0 && there[k] > 0 ? log(wanted[k] / there[k]) : 0;

            shifts[k] += step;
            moved = fmax(moved, fabs(step));
        }
    }
    for (int64_t k = 0; k < classes; k++) {
        mean += shifts[k] / (double)classes;
    }
    for (int64_t k = 0; k < classes; k++) {
        shifts[k] -= mean;
    }
}

spgm_error spgm_class_shifts(const double *scores, const int64_t *class_of_row, const double *weights, int64_t rows,
                             int64_t classes, double *shifts, spgm_status *status) {
    struct workspace workspace = {0};
    double *wanted, *there, *share;
    spgm_error error = SPGM_OK;

    if (scores == NULL || class_of_row == NULL || shifts == NULL || rows < 1 || classes < 2) {
        return status_set(
            status, SPGM_ERROR_ARGUMENT,
            "spgm_class_shifts needs scores, classes of rows, a place for the result, a row and two classes");
    }
    wanted = workspace_doubles(&workspace, classes);
    there = workspace_doubles(&workspace, classes);
    share = workspace_doubles(&workspace, classes);
    error = workspace.failed ? status_memory(status, workspace.bytes) : SPGM_OK;
    for (int64_t i = 0; error == SPGM_OK && i < rows; i++) {
        if (class_of_row[i] < 0 || class_of_row[i] >= classes) {
            error = status_set(status, SPGM_ERROR_DATA, "row %" PRId64 " is of class %" PRId64 ": there are %" PRId64,
                               i + 1, class_of_row[i], classes);
        } else {
            wanted[class_of_row[i]] += weight_of(weights, i);
        }
    }
    if (error == SPGM_OK) {
        fit_shifts(rows, classes, scores, weights, wanted, share, there, shifts);
        error = status_clear(status);
    }
    workspace_free(&workspace);
    return error;
}
