/*
 * Bounds on x in the interior-point methods: two more complementary pairs for a column, whatever the loss is.
 *
 *     low <= z <= high:   (z - low) low_dual = mu,   (high - z) high_dual = mu,   A'u + grad f(z) = low_dual -
 * high_dual
 *
 * In Newton's equations they are a diagonal, low_dual / (z - low) + high_dual / (high - z), and terms of the right-hand
 * side. The distances are kept beside z, so that they are accurate where they are small. A column that may only be zero
 * is held: its row of the system is a unit row.
 */
#include <math.h>

#include "fit/constants.h"
#include "fit/interior/internal.h"

void walls_load(struct interior *p) {
    struct walls *walls = &p->walls;
    const struct problem *problem = p->problem;

    walls->count = 0;
    walls->is_there = problem->lower != NULL;
    for (int64_t j = 0; walls->is_there && j < p->k; j++) {
        walls->low[j] = problem->lower[p->support[j]];
        walls->high[j] = problem->upper[p->support[j]];
        walls->is_held[j] = walls->low[j] == 0 && walls->high[j] == 0;
        if (!walls->is_held[j]) {
            walls->count += isfinite(walls->low[j]) + isfinite(walls->high[j]);
        }
    }
}

double walls_distance(const struct interior *p, int64_t j, double direction) {
    const struct walls *walls = &p->walls;

    if (!walls->is_there) {
        return INFINITY;
    }
    return direction < 0 ? p->z[j] - walls->low[j] : walls->high[j] - p->z[j];
}

void walls_enter(struct interior *p) {
    const struct walls *walls = &p->walls;

    for (int64_t j = 0; walls->is_there && j < p->k; j++) {
        double width = walls->high[j] - walls->low[j];
        double margin = INTERIOR_INSIDE * fmin(width, fmax(fabs(p->z[j]), p->reach[j] > 0 ? p->reach[j] : 1));

        if (walls->is_held[j]) {
            p->z[j] = 0;
            continue;
        }
        p->z[j] = fmax(p->z[j], walls->low[j] + margin);
        p->z[j] = fmin(p->z[j], walls->high[j] - margin);
    }
}

void walls_centre(struct interior *p, double mu) {
    struct walls *walls = &p->walls;

    for (int64_t j = 0; walls->is_there && j < p->k; j++) {
        walls->below[j] = p->z[j] - walls->low[j];
        walls->above[j] = walls->high[j] - p->z[j];
        walls->low_dual[j] = isfinite(walls->below[j]) && !walls->is_held[j] ? mu / walls->below[j] : 0;
        walls->high_dual[j] = isfinite(walls->above[j]) && !walls->is_held[j] ? mu / walls->above[j] : 0;
        walls->dlow[j] = walls->dhigh[j] = 0;
    }
}

void walls_close_system(struct interior *p, int has_duals) {
    const struct walls *walls = &p->walls;
    int64_t size = p->system.size;
    double *N = p->system.N;

    for (int64_t j = 0; walls->is_there && j < p->k; j++) {
        for (int64_t i = 0; walls->is_held[j] && i < size; i++) {
            N[i + j * size] = N[j + i * size] = 0;
        }
        N[j + j * size] += walls->is_held[j] ? 1
                           : has_duals ? walls->low_dual[j] / walls->below[j] + walls->high_dual[j] / walls->above[j]
                                       : 0;
    }
}

/* The required changes of the products, with the second-order terms of the current direction. */
void walls_wish(struct interior *p, double target, int correct) {
    struct walls *walls = &p->walls;

    for (int64_t j = 0; walls->is_there && j < p->k; j++) {
        double low = target, high = target;

        if (correct) {
            low -= p->dz[j] * walls->dlow[j];
            high += p->dz[j] * walls->dhigh[j];
        }
        walls->wish_low[j] = walls->low_dual[j] > 0 ? low - walls->below[j] * walls->low_dual[j] : 0;
        walls->wish_high[j] = walls->high_dual[j] > 0 ? high - walls->above[j] * walls->high_dual[j] : 0;
    }
}

void walls_direct(struct interior *p) {
    struct walls *walls = &p->walls;

    for (int64_t j = 0; walls->is_there && j < p->k; j++) {
        walls->dlow[j] = walls->dhigh[j] = 0;
        if (walls->low_dual[j] > 0) {
            walls->dlow[j] = (walls->wish_low[j] - walls->low_dual[j] * p->dz[j]) / walls->below[j];
        }
        if (walls->high_dual[j] > 0) {
            walls->dhigh[j] = (walls->wish_high[j] + walls->high_dual[j] * p->dz[j]) / walls->above[j];
        }
    }
}

void walls_add_residual(struct interior *p) {
    struct walls *walls = &p->walls;

    walls_direct(p);
    for (int64_t j = 0; walls->is_there && j < p->k; j++) {
        p->rhs[j] += walls->low_dual[j] + walls->dlow[j] - walls->high_dual[j] - walls->dhigh[j];
        p->rhs[j] = walls->is_held[j] ? 0 : p->rhs[j];
    }
}

double walls_complementarity(const struct interior *p, double primal, double dual) {
    const struct walls *walls = &p->walls;
    double sum = 0;

    for (int64_t j = 0; walls->is_there && j < p->k; j++) {
        if (walls->low_dual[j] > 0) {
            sum += (walls->below[j] + primal * p->dz[j]) * (walls->low_dual[j] + dual * walls->dlow[j]);
        }
        if (walls->high_dual[j] > 0) {
            sum += (walls->above[j] - primal * p->dz[j]) * (walls->high_dual[j] + dual * walls->dhigh[j]);
        }
    }
    return sum;
}

void walls_lengths(const struct interior *p, double *primal, double *dual) {
    const struct walls *walls = &p->walls;
    double by_primal = 0;
    double by_dual = 0;

    for (int64_t j = 0; walls->is_there && j < p->k; j++) {
        if (walls->low_dual[j] > 0) {
            by_primal = larger_ratio(by_primal, -p->dz[j], walls->below[j]);
            by_dual = larger_ratio(by_dual, -walls->dlow[j], walls->low_dual[j]);
        }
        if (walls->high_dual[j] > 0) {
            by_primal = larger_ratio(by_primal, p->dz[j], walls->above[j]);
            by_dual = larger_ratio(by_dual, -walls->dhigh[j], walls->high_dual[j]);
        }
    }
    *primal = fmin(*primal, 1 / fmax(by_primal, 1e-3));
    *dual = fmin(*dual, 1 / fmax(by_dual, 1e-3));
}

/* z_j has moved. The distance to the nearer bound is accurate even where it is small, so z_j is recomputed from it.
 * That has only as many digits as the bound itself, so a bound of larger magnitude than z_j is not used. */
static void settle(struct interior *p, int64_t j, double below, double above) {
    struct walls *walls = &p->walls;
    int is_low = below < above;
    double wall = is_low ? walls->low[j] : walls->high[j];

    if (fabs(wall) > 2 * fabs(p->z[j])) {
        walls->below[j] = p->z[j] - walls->low[j];
        walls->above[j] = walls->high[j] - p->z[j];
    } else {
        p->z[j] = is_low ? wall + below : wall - above;
        walls->below[j] = is_low ? below : p->z[j] - walls->low[j];
        walls->above[j] = is_low ? walls->high[j] - p->z[j] : above;
    }
}

void walls_move(struct interior *p, double primal, double dual) {
    struct walls *walls = &p->walls;

    for (int64_t j = 0; walls->is_there && j < p->k; j++) {
        if (walls->is_held[j]) {
            p->z[j] = 0;
            continue;
        }
        settle(p, j, larger(walls->below[j] + primal * p->dz[j], INTERIOR_POSITIVE),
               larger(walls->above[j] - primal * p->dz[j], INTERIOR_POSITIVE));
        if (walls->low_dual[j] > 0) {
            walls->low_dual[j] = larger(walls->low_dual[j] + dual * walls->dlow[j], INTERIOR_POSITIVE);
        }
        if (walls->high_dual[j] > 0) {
            walls->high_dual[j] = larger(walls->high_dual[j] + dual * walls->dhigh[j], INTERIOR_POSITIVE);
        }
    }
}

void walls_lean(struct interior *p, double length) {
    const struct walls *walls = &p->walls;

    for (int64_t j = 0; walls->is_there && j < p->k; j++) {
        double size = p->reach[j] + fabs(p->z[j]), slope = p->lengths[j] * length + fabs(p->gradient[j]);

        if (walls->low_dual[j] > 0 && walls->below[j] * slope < walls->low_dual[j] * size) {
            p->z[j] = walls->low[j];
        } else if (walls->high_dual[j] > 0 && walls->above[j] * slope < walls->high_dual[j] * size) {
            p->z[j] = walls->high[j];
        }
    }
}
