/* The problem with squared residuals instead of its loss: what is near in one is often near in the other. */
#include <math.h>

#include "linalg/vector.h"
#include "model/problem.h"

extern const struct loss_kind loss_kind_squared;

/* How much row i counts in h. */
static double row_share(const struct loss *h, int64_t i) {
    if (h->up != NULL) {
        int64_t k = h->are_same ? 0 : i;

        return (h->up[k] + h->down[k]) / 2;
    }
    return h->weight == NULL ? 1 : h->weight[i];
}

void problem_squares(const struct problem *p, const double *r, struct workspace *workspace, struct problem *squares) {
    struct loss_input input = {.b = p->b, .unit = 1};
    double *share = workspace_doubles(workspace, p->A->rows), sum = 0, value;

    *squares = *p;
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
    loss_prepare(&squares->h, &loss_kind_squared, p->A->rows, &input, workspace);
    squares->h.reduce = p->h.reduce;
}
