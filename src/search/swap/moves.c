/* Supports: how one becomes the current one, and the descent by exchanges with exact fits. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"
#include "search/swap/internal.h"

#define IMPROVES (1 - 1e-9) /* an exchange must lower F by more than rounding */

int swap_late(struct swap *a) {
    a->stopped = a->stopped || run_must_stop(a->run);
    return a->stopped;
}

int64_t swap_near(const struct swap *a) {
    return SWAP_NEAR + a->size;
}

double swap_objective(const struct swap *a) {
    return a->objective;
}

static void offer(struct swap *a) {
    if (!isless(a->objective, a->best * (1 - 1e-12))) {
        return;
    }
    a->best = a->objective;
    memset(a->full, 0, (size_t)a->columns * sizeof *a->full);
    for (int64_t k = 0; k < a->size; k++) {
        a->full[a->S[k]] = a->x[k];
    }
    run_offer(a->run, a->full, a->objective);
}

void swap_take(struct swap *a) {
    vector_copy(a->size, fit_x(a->fit), a->x);
    vector_copy(a->rows, fit_residual(a->fit), a->r);
    vector_copy(a->rows, fit_dual(a->fit), a->u);
    a->objective = fit_objective(a->fit);
    fit_get_active(a->fit, &a->active);
    a->rough = 0;
    linop_transpose(a->problem->A, a->u, a->price);
    offer(a);
}

void swap_load(struct swap *a, const int64_t *support) {
    for (int64_t k = 0; k < a->size; k++) {
        a->position[a->S[k]] = -1;
    }
    fit_set_size(a->fit, a->size);
    for (int64_t k = 0; k < a->size; k++) {
        a->S[k] = support[k];
        a->position[support[k]] = k;
        fit_set_column(a->fit, k, support[k]);
    }
    linop_gather(a->problem->A, a->size, a->S, a->As, a->rows);
}

void swap_replace(struct swap *a, const struct pair *pair) {
    a->position[a->S[pair->position]] = -1;
    a->S[pair->position] = pair->column;
    a->position[pair->column] = pair->position;
    linop_gather(a->problem->A, 1, &pair->column, a->As + pair->position * a->rows, a->rows);
}

/* The exact F of a pair, or INFINITY when it is proven not to be below the cutoff; the fit keeps the solution. */
static double exact_value(struct swap *a, const struct pair *pair, double cutoff) {
    funnel_line(a, pair, a->x0, a->dx);
    vector_axpy(a->size, pair->alpha, a->dx, a->x0);
    fit_set_column(a->fit, pair->position, pair->column);
    fit_set_x(a->fit, a->x0);
    fit_set_active(a->fit, &a->active);
    return fit_warm(a->fit, cutoff) == FIT_CUTOFF ? INFINITY : fit_objective(a->fit);
}

/* The first improvement among the first `most` pairs. */
static int try_pairs(struct swap *a, int64_t most) {
    for (int64_t t = 0; t < a->pair_count && t < most && !swap_late(a); t++) {
        if (exact_value(a, &a->pairs[t], a->objective) < a->objective * IMPROVES) {
            swap_replace(a, &a->pairs[t]);
            swap_take(a);
            return 1;
        }
        fit_set_column(a->fit, a->pairs[t].position, a->S[a->pairs[t].position]);
    }
    return 0;
}

void swap_descend(struct swap *a, int thorough) {
    int64_t most = a->is_maximum ? 4 : 2;
    int failures = 0;
    int level = 0;

    while (!swap_late(a) && failures < (thorough ? 2 : 1) * SWAP_LEVELS) {
        a->step++;
        if (model_build(a, level, failures >= SWAP_LEVELS ? a->columns : swap_near(a))) {
            model_best_pairs(a);
            funnel_values(a);
            if (try_pairs(a, most)) {
                failures = 0;
                a->stopped |= run_note(a->run, a->objective, a->size - a->free);
                continue;
            }
        }
        level = (level + 1) % SWAP_LEVELS;
        failures++;
    }
}

/* The position of the column that costs least to lose, by the model, is not needed: S is filled up by prices alone. */
static int64_t best_price(const struct swap *a, const double *squares) {
    double highest = -1;
    int64_t best = -1;

    for (int64_t q = 0; q < a->columns; q++) {
        double promise = squares[q] > 0 ? a->price[q] * a->price[q] / squares[q] : 0;

        if (a->slot_of[q] == 0 && promise > highest) {
            highest = promise;
            best = q;
        }
    }
    return best;
}

/* S: the nonzeros of x, filled up. */
static void load_from(struct swap *a, const double *x) {
    int64_t count = a->free;

    linop_column_squares(a->problem->A, a->score);
    memset(a->slot_of, 0, (size_t)a->columns * sizeof *a->slot_of);
    for (int64_t q = 0; q < a->columns; q++) {
        if (a->problem->is_free[q]) {
            a->slot_of[q] = 1;
        } else if (x[q] != 0 && count < a->size) {
            a->slot_of[q] = 1;
            a->T[count++] = q;
        }
    }
    memcpy(a->T, a->problem->free_columns, (size_t)a->free * sizeof *a->T);
    linop_multiply(a->problem->A, x, a->r);
    vector_axpy(a->rows, -1, a->problem->b, a->r);
    a->problem->h.ops->subgradient(&a->problem->h, a->r, a->u);
    linop_transpose(a->problem->A, a->u, a->price);
    while (count < a->size) {
        a->T[count] = best_price(a, a->score);
        a->slot_of[a->T[count++]] = 1;
    }
    swap_load(a, a->T);
}

void swap_start_from(struct swap *a, const double *x) {
    load_from(a, x);
    fit_cold(a->fit);
    swap_take(a);
}

void swap_start_near(struct swap *a, const double *x) {
    load_from(a, x);
    for (int64_t k = 0; k < a->size; k++) {
        a->x0[k] = x[a->S[k]];
    }
    fit_set_x(a->fit, a->x0);
    fit_set_active(a->fit, &(struct fit_active){0});
    fit_warm(a->fit, INFINITY);
    swap_take(a);
}

/* ---- every exchange ---------------------------------------------------------------------------------- */

/* Column q for the one at position j, by an exact fit. Nonzero: F is lower, and the exchange is made. */
static int exchange_lowers(struct swap *a, int64_t j, int64_t q) {
    struct pair pair = {.position = j, .column = q};

    vector_copy(a->size, a->x, a->x0);
    a->x0[j] = 0;
    fit_set_column(a->fit, j, q);
    fit_set_x(a->fit, a->x0);
    fit_set_active(a->fit, &a->active);
    if (fit_warm(a->fit, a->objective) != FIT_CUTOFF && fit_objective(a->fit) < a->objective * IMPROVES) {
        swap_replace(a, &pair);
        swap_take(a);
        return 1;
    }
    return 0;
}

static int check_column(struct swap *a, int64_t q) {
    for (int64_t j = a->free; j < a->size; j++) {
        if (swap_late(a)) {
            return 0;
        }
        if (exchange_lowers(a, j, q)) {
            return -1;
        }
        fit_set_column(a->fit, j, a->S[j]);
    }
    return 1;
}

int swap_verify(struct swap *a) {
    int verdict = 1;

    swap_start_from(a, a->run->best_x);
    for (int64_t q = 0; q < a->columns && verdict > 0; q++) {
        if (a->position[q] < 0 && !a->problem->is_free[q]) {
            verdict = check_column(a, q);
        }
    }
    if (verdict < 0) {
        swap_descend(a, 0);
        pool_remember(a);
    }
    return verdict;
}

double swap_verify_work(const struct swap *a) {
    double size = (double)a->size;
    double pairs = (double)(a->size - a->free) * (double)(a->columns - a->size);

    return pairs * (double)a->rows * size * (10 + size / 2);
}
