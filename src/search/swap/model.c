/*
 * The model of an exchange. At a fitted support S with dual vector u
 *
 *     F(x + d) ~ F(x) + u'A d + 1/2 d'(A'W A + ridge) d
 *
 * first order exact, curvature W from the residuals: 1 / max(|r_i|, floor) for the pinball family, multipliers mixed
 * with a power of |r_i| for the maximum. With G = A_S'WA_C, M = (A_S'WA_S + ridge)^-1, V = M G and the Schur
 * complements c_q = a_q'Wa_q + ridge_q - g_q'v_q, the best step with column q in and column j out changes the model by
 *
 *     -p_q^2 / (2 c_q) + (x_j + v_jq p_q / c_q)^2 / (2 (M_jj + v_jq^2 / c_q)),        p = A'u
 *
 * so that all exchanges cost O(1) each after one product of size rows x |S| x |C|.
 */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/select.h"
#include "linalg/vector.h"
#include "search/swap/internal.h"

/* Steps after which the norms of columns that are only ranked by them are taken anew, while walking. */
enum { NORM_AGE = 8 };

static void pinball_weights(struct swap *a, int level) {
    static const double share[SWAP_LEVELS] = {1, 0.5, 3};
    const struct loss *h = &a->problem->h;

    a->floor =
        share[level] * vector_norm1(a->rows, a->r) / (double)a->rows + 1e-12 * vector_norm_inf(a->rows, a->problem->b);
    if (!(a->floor > 0)) {
        a->floor = 1;
    }
    for (int64_t i = 0; i < a->rows; i++) {
        double r = a->r[i];
        double dead = h->dead[i];

        a->w[i] = dead > 0 ? 0.5 * h->up[i] / fmax(fabs(r - dead), a->floor) +
                                 0.5 * h->down[i] / fmax(fabs(r + dead), a->floor)
                           : 0.5 * (h->up[i] + h->down[i]) / fmax(fabs(r), a->floor);
    }
}

static double power_of(double base, int level) {
    double square = base * base;
    double fourth = square * square;

    return level == 0 ? fourth : level == 1 ? fourth * fourth * square : square; /* 4, 10, 2 */
}

static void maximum_weights(struct swap *a, int level) {
    double top = vector_norm_inf(a->rows, a->r);
    double sum = 0;

    top = top > 0 ? top : 1;
    for (int64_t i = 0; i < a->rows; i++) {
        a->w[i] = power_of(fabs(a->r[i]) / top, level);
        sum += a->w[i];
    }
    for (int64_t i = 0; i < a->rows; i++) {
        a->w[i] = 0.5 * (fabs(a->u[i]) + a->w[i] / (sum > 0 ? sum : 1)) / top;
    }
}

void model_weights(struct swap *a, int level) {
    if (a->is_maximum) {
        maximum_weights(a, level);
    } else {
        pinball_weights(a, level);
    }
}

/* The columns outside S that promise most: p_q^2 / (norm_q + ridge_q), corrected by what S last left of the column. */
static void choose_candidates(struct swap *a, int64_t count) {
    int64_t outside = 0;

    for (int64_t q = 0; q < a->columns; q++) {
        double size = a->norm[q] + a->problem->f.ridge[q];

        if (a->position[q] < 0 && !a->problem->is_free[q] && a->norm[q] > 0) {
            a->score[outside] = a->price[q] * a->price[q] / (size * a->left[q]);
            a->candidate[outside++] = q;
        }
    }
    a->candidates = count < a->most_candidates ? count : a->most_candidates;
    if (a->candidates >= outside) {
        a->candidates = outside;
        return;
    }
    select_largest(outside, a->score, a->candidates, a->slot_of, a->spare);
    for (int64_t c = 0; c < a->candidates; c++) {
        a->candidate[c] = a->candidate[a->slot_of[c]]; /* ascending, so that none is overwritten before it is read */
    }
}

/* M for the columns of a support. 0: it cannot be had, or someone asked to stop. */
int model_inverse(struct swap *a, const int64_t *support, int64_t size) {
    double largest = 0;

    if (!linop_gram_until(a->problem->A, size, support, a->w, a->M, &a->stop)) {
        return 0;
    }
    for (int64_t k = 0; k < size; k++) {
        largest = fmax(largest, a->M[k * size + k]);
    }
    for (int64_t k = 0; k < size; k++) {
        a->M[k * size + k] += a->problem->f.ridge[support[k]] + 1e-10 * largest;
    }
    return dense_factor_until(size, a->M, size, &a->stop) && dense_invert_until(size, a->M, a->square, &a->stop);
}

/* The weighted norms of the candidates. */
static void candidate_norms(struct swap *a) {
    linop_weighted_squares(a->problem->A, a->candidates, a->candidate, a->w, a->schur);
    for (int64_t c = 0; c < a->candidates; c++) {
        a->norm[a->candidate[c]] = a->schur[c];
    }
}

/* G, and while walking the norms as well. 0: the time is up. */
static int candidate_products(struct swap *a) {
    const struct linop *A = a->problem->A;

    for (int64_t c = 0; c < a->candidates; c += SWAP_BLOCK) {
        int64_t count = a->candidates - c < SWAP_BLOCK ? a->candidates - c : SWAP_BLOCK;

        if (c > 0 && swap_late(a)) {
            return 0;
        }
        A->ops->cross(A, a->size, a->S, count, a->candidate + c, a->w, a->G + c * a->size, a->size);
    }
    if (a->rough) {
        candidate_norms(a);
    }
    return 1;
}

/* The gradient of the reweighted model at r: the derivative where |r_i| >= floor, a straight line through 0 inside. */
static void model_gradient(struct swap *a) {
    const struct loss *h = &a->problem->h;

    for (int64_t i = 0; i < a->rows; i++) {
        double r = a->r[i];
        double dead = h->dead[i];

        if (dead > 0) {
            double above = 0.5 * h->up[i] / fmax(fabs(r - dead), a->floor);
            double below = 0.5 * h->down[i] / fmax(fabs(r + dead), a->floor);

            a->u[i] = above * (r - dead) + 0.5 * h->up[i] + below * (r + dead) - 0.5 * h->down[i];
        } else {
            a->u[i] = a->w[i] * r + 0.5 * (h->up[i] - h->down[i]);
        }
    }
}

static double objective_at(const struct swap *a) {
    double ridge = 0;

    for (int64_t k = 0; k < a->size; k++) {
        ridge += 0.5 * a->problem->f.ridge[a->S[k]] * a->x[k] * a->x[k];
    }
    return ridge + a->problem->h.ops->value(&a->problem->h, a->r);
}

/* One reweighted least-squares step on S instead of an exact fit, then its dual estimate and prices. */
static void rough_fit(struct swap *a) {
    double *g = a->x0;
    double *d = a->dx;

    model_gradient(a);
    dense_dot_columns(a->rows, a->size, a->As, a->rows, a->u, g);
    for (int64_t k = 0; k < a->size; k++) {
        g[k] = -(g[k] + a->problem->f.ridge[a->S[k]] * a->x[k]);
    }
    dense_dot_columns(a->size, a->size, a->M, a->size, g, d); /* M is symmetric */
    vector_axpy(a->size, 1, d, a->x);
    dense_add_columns(a->rows, a->size, a->As, a->rows, d, a->r);
    model_gradient(a);
    a->objective = objective_at(a);
    linop_transpose(a->problem->A, a->u, a->price);
}

int model_build(struct swap *a, int level, int64_t count) {
    model_weights(a, level);
    if (!model_inverse(a, a->S, a->size)) {
        return 0;
    }
    if (a->rough) {
        rough_fit(a);
    }
    if (!a->rough || a->norm_age++ % NORM_AGE == 0) {
        linop_weighted_squares(a->problem->A, a->columns, NULL, a->w, a->norm);
    }
    choose_candidates(a, count);
    if (!candidate_products(a)) {
        return 0;
    }
    memset(a->V, 0, (size_t)(a->size * a->candidates) * sizeof *a->V);
    dense_multiply(a->size, a->candidates, a->size, 1, a->M, a->size, a->G, a->size, a->V, a->size);
    for (int64_t c = 0; c < a->candidates; c++) {
        int64_t q = a->candidate[c];
        double whole = a->norm[q] + a->problem->f.ridge[q];

        a->schur[c] = whole - vector_dot(a->size, a->G + c * a->size, a->V + c * a->size);
        a->left[q] = fmax(a->schur[c] / whole, 1e-4);
    }
    return 1;
}

/* The `want` pairs with the lowest model value to the front, in no order. */
static void select_pairs(struct pair *pairs, int64_t count, int64_t want) {
    int64_t low = 0;
    int64_t high = count;

    while (high - low > 1 && want > low && want < high) {
        double pivot = pairs[low + (high - low) / 2].model;
        int64_t i = low;
        int64_t j = high - 1;

        while (i <= j) {
            while (pairs[i].model < pivot) {
                i++;
            }
            while (pairs[j].model > pivot) {
                j--;
            }
            if (i <= j) {
                struct pair swap = pairs[i];
                pairs[i++] = pairs[j];
                pairs[j--] = swap;
            }
        }
        if (want <= j + 1) {
            high = j + 1;
        } else if (want >= i) {
            low = i;
        } else {
            return;
        }
    }
}

/* Model values of candidate c against every position; returns the lowest. */
static double pair_values(struct swap *a, int64_t c) {
    const double *v = a->V + c * a->size;
    double price = a->price[a->candidate[c]];
    double inverse = 1 / a->schur[c];
    double lowest = INFINITY;

    for (int64_t j = a->free; j < a->size; j++) {
        double x = a->x[j] + v[j] * price * inverse;
        double room = a->M[j * a->size + j] + v[j] * v[j] * inverse;

        a->value[j] = 0.5 * (x * x / room - price * price * inverse);
        lowest = a->value[j] < lowest ? a->value[j] : lowest;
    }
    return lowest;
}

static double cut_pairs(struct swap *a) {
    double worst = -INFINITY;

    select_pairs(a->pairs, a->pair_count, SWAP_PAIRS);
    a->pair_count = SWAP_PAIRS;
    for (int64_t t = 0; t < SWAP_PAIRS; t++) {
        worst = fmax(worst, a->pairs[t].model);
    }
    return worst;
}

void model_best_pairs(struct swap *a) {
    double limit = INFINITY;

    a->pair_count = 0;
    for (int64_t c = 0; c < a->candidates; c++) {
        int64_t q = a->candidate[c];

        if (!isgreater(a->schur[c], 1e-9 * a->norm[q]) || a->barred_in[q] > a->step || pair_values(a, c) >= limit) {
            continue;
        }
        for (int64_t j = a->free; j < a->size; j++) {
            if (a->value[j] < limit && a->barred_out[a->S[j]] <= a->step) {
                a->pairs[a->pair_count++] =
                    (struct pair){.model = a->value[j], .position = j, .column = q, .candidate = c};
                if (a->pair_count == 4 * SWAP_PAIRS) {
                    limit = cut_pairs(a);
                }
            }
        }
    }
    if (a->pair_count > SWAP_PAIRS) {
        cut_pairs(a);
    }
}
