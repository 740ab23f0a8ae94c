/* Orthogonal least squares: a greedy support for the squared loss, by modified Gram and Schmidt against all columns at
 * once: one A'q a step. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"
#include "search/swap/internal.h"

/* What is left of the correlations with b and of the squared norms, orthogonal to the columns chosen. */
struct greedy {
    double *correlation, *square, *whole, *image; /* [columns] */
    double *basis;                                /* [rows x chosen] */
    int64_t chosen;
};

static int64_t best_column(const struct swap *a, const struct greedy *g) {
    double highest = -1;
    int64_t best = -1;

    for (int64_t q = 0; q < a->columns; q++) {
        double gain;

        if (a->slot_of[q] != 0) {
            continue;
        }
        gain = g->square[q] > 1e-10 * g->whole[q]
                   ? g->correlation[q] * g->correlation[q] / g->square[q]
                   : -0.5; /* depends on the columns chosen: only when nothing else is left */
        if (gain > highest) {
            highest = gain;
            best = q;
        }
    }
    return best;
}

static void include(struct swap *a, struct greedy *g, int64_t q) {
    double *fresh = g->basis + g->chosen * a->rows;
    double norm, share;

    a->slot_of[q] = 1;
    a->T[g->chosen] = q;
    linop_gather(a->problem->A, 1, &q, fresh, a->rows);
    for (int pass = 0; g->chosen > 0 && pass < 2; pass++) {
        dense_dot_columns(a->rows, g->chosen, g->basis, a->rows, fresh, a->Tx);
        vector_scale(g->chosen, -1, a->Tx);
        dense_add_columns(a->rows, g->chosen, g->basis, a->rows, a->Tx, fresh);
    }
    g->chosen++;
    norm = sqrt(vector_sum_squares(a->rows, fresh));
    if (!isgreater(norm * norm, 1e-12 * g->whole[q])) {
        memset(fresh, 0, (size_t)a->rows * sizeof *fresh);
        return;
    }
    vector_scale(a->rows, 1 / norm, fresh);
    linop_transpose(a->problem->A, fresh, g->image);
    share = vector_dot(a->rows, fresh, a->problem->b);
    for (int64_t j = 0; j < a->columns; j++) {
        g->correlation[j] -= share * g->image[j];
        g->square[j] -= g->image[j] * g->image[j];
    }
}

/* The time is up: a fit of the columns chosen so far is better than none. The search ends here. */
static void fit_what_is_there(struct swap *a, int64_t chosen) {
    fit_set_size(a->fit, chosen);
    for (int64_t k = 0; k < chosen; k++) {
        fit_set_column(a->fit, k, a->T[k]);
    }
    fit_cold(a->fit);
    a->objective = fit_objective(a->fit);
    memset(a->full, 0, (size_t)a->columns * sizeof *a->full);
    for (int64_t k = 0; k < chosen; k++) {
        a->full[a->T[k]] = fit_x(a->fit)[k];
    }
    run_offer(a->run, a->full, a->objective);
}

void swap_start_greedy(struct swap *a) {
    struct greedy g = {
        .correlation = a->price, .square = a->norm, .whole = a->score, .image = a->spare, .basis = a->basis};

    memset(a->slot_of, 0, (size_t)a->columns * sizeof *a->slot_of);
    linop_transpose(a->problem->A, a->problem->b, g.correlation);
    linop_column_squares(a->problem->A, g.whole);
    vector_copy(a->columns, g.whole, g.square);
    for (int64_t i = 0; i < a->free; i++) {
        a->slot_of[a->problem->free_columns[i]] = 1;
    }
    for (int64_t i = 0; i < a->free; i++) {
        include(a, &g, a->problem->free_columns[i]);
    }
    while (g.chosen < a->size && !swap_late(a)) {
        include(a, &g, best_column(a, &g));
    }
    if (g.chosen < a->size) {
        fit_what_is_there(a, g.chosen);
        return;
    }
    swap_load(a, a->T);
    fit_cold(a->fit);
    swap_take(a);
}
