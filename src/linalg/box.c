#include "linalg/box.h"

#include <float.h>
#include <math.h>

#include "linalg/cholesky.h"

/* A pivot below this times its diagonal entry is rounding error, and so is a multiplier below this times its terms. */
static const double tiny = 64 * DBL_EPSILON;

void box_init(struct box *box, int64_t capacity, struct workspace *workspace) {
    box->capacity = capacity;
    box->L = workspace_doubles(workspace, capacity * capacity);
    box->step = workspace_doubles(workspace, capacity);
    box->r = workspace_doubles(workspace, capacity);
    box->moving = workspace_integers(workspace, capacity);
    box->bound = workspace_array(workspace, capacity, 1);
}

/* r = p - H z; *size receives a bound on its rounding error at coordinate i. */
static double slope(int64_t k, const double *H, int64_t ld, const double *p, const double *z, int64_t i, double *size) {
    double sum = p[i];

    *size = fabs(p[i]);
    for (int64_t j = 0; j < k; j++) {
        sum -= H[i * ld + j] * z[j];
        *size += fabs(H[i * ld + j] * z[j]);
    }
    return sum;
}

/* The free coordinates that do not depend on earlier ones, and their Newton step in `step`. */
static int64_t newton(struct box *box, int64_t k, const double *H, int64_t ld) {
    int64_t rank = 0;

    for (int64_t i = 0; i < k; i++) {
        for (int64_t f = 0; box->bound[i] == 0 && f < rank; f++) {
            box->step[f] = H[i * ld + box->moving[f]];
        }
        if (box->bound[i] == 0 && cholesky_append(rank, box->L, box->capacity, box->step, H[i * ld + i], tiny)) {
            box->moving[rank++] = i;
        }
    }
    for (int64_t f = 0; f < rank; f++) {
        box->step[f] = box->r[box->moving[f]];
    }
    cholesky_solve(rank, box->L, box->capacity, box->step);
    return rank;
}

/* Move as far as the box allows; returns nonzero if a bound was hit. */
static int move(struct box *box, int64_t rank, const double *lower, const double *upper, double *z) {
    double length = 1;
    int64_t hit = -1;

    for (int64_t f = 0; f < rank; f++) {
        int64_t i = box->moving[f];
        double room = box->step[f] < 0 ? lower[i] - z[i] : upper[i] - z[i];

        if (isgreater(fabs(box->step[f]) * length, fabs(room))) {
            length = room / box->step[f];
            hit = f;
        }
    }
    for (int64_t f = 0; f < rank; f++) {
        int64_t i = box->moving[f];

        z[i] = fmin(fmax(z[i] + length * box->step[f], lower[i]), upper[i]);
    }
    if (hit >= 0) {
        int64_t i = box->moving[hit];

        box->bound[i] = box->step[hit] < 0 ? -1 : 1;
        z[i] = box->step[hit] < 0 ? lower[i] : upper[i];
    }
    return hit >= 0;
}

/* Release the bound with the most violated multiplier; returns 0 if none is violated. r must be up to date. */
static int release(struct box *box, int64_t k, const double *H, int64_t ld, const double *p, const double *lower,
                   const double *upper, const double *z) {
    double most = 0;
    int64_t best = -1;

    for (int64_t i = 0; i < k; i++) {
        double size, force = slope(k, H, ld, p, z, i, &size) * -box->bound[i];

        if (isgreater(force, tiny * size) && lower[i] < upper[i] && isgreater(force, most)) {
            most = force;
            best = i;
        }
    }
    if (best >= 0) {
        box->bound[best] = 0;
    }
    return best >= 0;
}

void box_minimise(struct box *box, int64_t k, const double *H, int64_t ld, const double *p, const double *lower,
                  const double *upper, double *z) {
    int goes_on = 1;

    for (int64_t i = 0; i < k; i++) {
        box->bound[i] = z[i] <= lower[i] ? -1 : z[i] >= upper[i] ? 1 : 0;
    }
    for (int64_t t = 0; goes_on && t < BOX_STEPS(k); t++) {
        double size;

        for (int64_t i = 0; i < k; i++) {
            box->r[i] = slope(k, H, ld, p, z, i, &size);
        }
        goes_on = move(box, newton(box, k, H, ld), lower, upper, z) || release(box, k, H, ld, p, lower, upper, z);
    }
}
