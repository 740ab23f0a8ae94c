/*
 * Companions of a problem: the same problem under a smoother loss, whose good supports are often good for the loss
 * itself. Least squares is a companion for every loss if the support is a large share of the rows. The largest residual
 * has a second companion, a power of the residuals: on supports at which short searches ended (256 x 1024, s = 10 and
 * 30), its minimum has a correlation of 0.4 to 0.9 with that of the largest residual, the minimum of squares one of
 * -0.2 to -0.7.
 */
#include <math.h>

#include "linalg/rows.h"
#include "linalg/vector.h"
#include "model/problem.h"

extern const struct loss_kind loss_kind_squared;
extern const struct loss_kind loss_kind_power;

/* The weight of row i in h. */
static double row_share(const struct loss *h, int64_t i) {
    if (h->up != NULL) {
        int64_t k = h->are_same ? 0 : i;

        return (h->up[k] + h->down[k]) / 2;
    }
    return h->weight == NULL ? 1 : h->weight[i];
}

/* sum_i w_i r_i^2 / 2, with weights in proportion to those of h, such that both losses are equal at r. */
static void squares(const struct problem *p, const double *r, struct workspace *workspace, struct loss *h) {
    struct loss_input input = {.b = p->b, .unit = 1};
    double *share = workspace_doubles(workspace, p->A->rows), sum = 0, value;

    if (share == NULL) {
        return;
    }
    for (int64_t i = 0; i < p->A->rows; i++) {
        share[i] = row_share(&p->h, i);
        sum += share[i] * r[i] * r[i] / 2;
    }
    reduce_sum(p->A->reduce, &sum, 1);
    value = p->h.ops->value(&p->h, r);
    if (isnormal(value / sum)) {
        vector_scale(p->A->rows, value / sum, share);
    }
    input.weights = share;
    loss_prepare(h, &loss_kind_squared, p->A->rows, &input, workspace);
}

/* A power of |r_i| / ||r||_inf, which cannot overflow. */
static void powers(const struct problem *p, const double *r, struct workspace *workspace, struct loss *h) {
    double largest = p->h.ops->value(&p->h, r);
    struct loss_input input = {.b = p->b, .unit = isnormal(largest) ? largest : 1};

    loss_prepare(h, &loss_kind_power, p->A->rows, &input, workspace);
}

int64_t problem_companions(const struct problem *p) {
    return p->h.kind->is_quadratic ? 0 : p->h.kind->is_peaked ? 2 : 1;
}

int problem_is_of_few_rows(const struct problem *p) {
    const struct loss *h = &p->h;

    return h->kind->is_peaked && p->A->reduce == NULL && h->up == NULL && h->weight == NULL && h->label == NULL;
}

void problem_of_rows(const struct problem *p, int64_t count, const int64_t *rows, struct workspace *workspace,
                     struct problem *part) {
    double *b = workspace_doubles(workspace, count);

    *part = *p;
    part->A = linop_rows_new(p->A, count, rows, NULL, workspace);
    part->b = b;
    part->h.rows = count;
    for (int64_t i = 0; i < count && b != NULL; i++) {
        b[i] = p->b[rows[i]];
    }
}

void problem_companion(const struct problem *p, int64_t number, const double *r, struct workspace *workspace,
                       struct problem *companion) {
    *companion = *p;
    (number == 0 ? squares : powers)(p, r, workspace, &companion->h);
    companion->h.reduce = p->h.reduce;
}

int problem_guide(const struct problem *p, struct workspace *workspace, struct problem *guide) {
    struct loss_input input = {.b = p->b, .unit = 1};
    double *weights;

    if (p->h.kind->guide == NULL) {
        return 0;
    }
    weights = workspace_doubles(workspace, p->A->rows);
    for (int64_t i = 0; weights != NULL && i < p->A->rows; i++) {
        weights[i] = p->h.kind->guide_share * fmax(p->h.up[i], p->h.down[i]);
    }
    *guide = *p;
    if (weights != NULL) {
        input.weights = weights;
        loss_prepare(&guide->h, p->h.kind->guide, p->A->rows, &input, workspace);
    }
    guide->h.reduce = p->h.reduce;
    return 1;
}
