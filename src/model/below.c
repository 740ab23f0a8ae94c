/*
 * A problem with fewer rows whose F is a lower bound on F of another: used in proofs once the slopes of most rows are
 * settled.
 *
 * HOW IT WORKS: a row whose residual is far from every kink has the same slope u_i for every x that matters. By the
 * definition of the conjugate its loss is at least u_i r_i - h_i*(u_i) for every x, with equality if the slope is
 * right. All these rows are added up to one aggregate row,
 *
 *     sum_i h_i(r_i) >= max(sum_i (u_i r_i - h_i*(u_i)), 0) = max(a'x - b, 0),   a = sum_i u_i a_i,
 *
 * because no loss is negative. The kink of the aggregate row is far away: there the rows that were added up have no
 * loss at all. For the largest residual the other rows are simply left out.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/rows.h"
#include "linalg/vector.h"
#include "model/problem.h"

static int is_of_kinks(const struct problem *p) {
    return p->h.kind->engine == LOSS_BY_KINKS && p->A->reduce == NULL && !p->A->is_implied;
}

int problem_has_below(const struct problem *p) {
    return is_of_kinks(p) || (problem_is_of_few_rows(p) && !p->A->is_implied);
}

void problem_reaches(const struct problem *p, const double *r, double *reach) {
    const struct loss *h = &p->h;
    double top = h->up == NULL ? vector_norm_inf(h->rows, r) : 0;

    for (int64_t i = 0; i < h->rows; i++) {
        if (h->up == NULL) {
            reach[i] = top - fabs(r[i]);
        } else {
            double above = h->up[i] > 0 || h->dead[i] == 0 ? fabs(r[i] - h->dead[i]) : INFINITY;
            double below = h->down[i] > 0 || h->dead[i] == 0 ? fabs(r[i] + h->dead[i]) : INFINITY;

            reach[i] = fmin(above, below);
        }
    }
}

/* The slopes u of the aggregated rows, 0 elsewhere; returns the target of the aggregate row. */
static double add_up(const struct problem *p, int64_t count, const int64_t *rows, const double *r, double *u,
                     struct below *below) {
    double target = 0, size = 0;

    p->h.ops->subgradient(&p->h, r, u);
    for (int64_t k = 0; k < count; k++) {
        u[rows[k]] = 0;
    }
    for (int64_t i = 0; i < p->A->rows; i++) {
        target += u[i] * p->b[i] + p->h.dead[i] * fabs(u[i]);
        size += fabs(u[i] * p->b[i]) + p->h.dead[i] * fabs(u[i]);
    }
    below->length = vector_norm(p->A->rows, u);
    below->is_there = below->length > 0;
    below->error = 2 * ((double)p->A->rows + 8) * DBL_EPSILON * size;
    return target;
}

/* The arrays of the loss, for the kept rows and the aggregate row. */
static void take_slopes(const struct problem *p, int64_t count, const int64_t *rows, int is_there,
                        struct workspace *workspace, struct loss *h) {
    int64_t all = count + is_there;

    h->up = workspace_doubles(workspace, all);
    h->down = workspace_doubles(workspace, all);
    h->dead = workspace_doubles(workspace, all);
    h->rows = all;
    h->are_same = 0;
    for (int64_t k = 0; k < count && !workspace->failed; k++) {
        h->up[k] = p->h.up[rows[k]];
        h->down[k] = p->h.down[rows[k]];
        h->dead[k] = p->h.dead[rows[k]];
    }
    if (is_there && !workspace->failed) {
        h->up[count] = 1;
        h->down[count] = h->dead[count] = 0;
    }
}

void problem_below(const struct problem *p, int64_t count, const int64_t *rows, const double *r,
                   struct workspace *workspace, struct problem *part, struct below *below) {
    struct workspace scratch = {.memory = p->A->memory};
    double *u, *last, *b, target;

    *below = (struct below){0};
    if (!is_of_kinks(p)) {
        problem_of_rows(p, count, rows, workspace, part);
        return;
    }
    *part = *p;
    part->A = NULL;
    u = workspace_doubles(&scratch, p->A->rows);
    last = workspace_doubles(&scratch, p->A->columns);
    b = workspace_doubles(workspace, count + 1);
    workspace->failed |= scratch.failed;
    if (!workspace->failed) {
        target = add_up(p, count, rows, r, u, below);
        linop_transpose(p->A, u, last);
        for (int64_t k = 0; k < count; k++) {
            b[k] = p->b[rows[k]];
        }
        b[count] = target;
        part->b = b;
        part->A = linop_rows_new(p->A, count, rows, below->is_there ? last : NULL, workspace);
        take_slopes(p, count, rows, below->is_there, workspace, &part->h);
    }
    workspace_free(&scratch);
}
