/*
 * The interior-point method for sums of pinballs, h(r) = sum_i high_i max(r_i, 0) - low_i max(-r_i, 0), low <= 0 <=
 * high.
 *
 * A row with a zone without loss is two pinballs on the same row of A:
 *     up (r - dead)_+ + down (-r - dead)_+  =  [0, up] at shift dead  +  [-down, 0] at shift -dead.
 *
 *     minimise   f(z) + high's - low't     subject to   A z - b - shift = s - t,   s, t >= 0
 *     optimal    A'u + grad f(z) = 0,   (high - u) s = 0,   (u - low) t = 0,   low <= u <= high
 *
 * s = primal and t = primal2 have the partners high - u = dual and u - low = dual2, which are kept both, so that each
 * is accurate where it is small. Eliminating ds, dt and du from Newton's equations leaves one k x k system:
 *
 *     (Q + A'W A) dz = -w - A'W g,   du = W (A dz + g),   W = 1 / (s / (high - u) + t / (u - low))
 *
 * Pinballs with low = high are no part of it.
 */
#include <math.h>

#include "fit/interior/internal.h"
#include "linalg/vector.h"

static void set_slopes(struct interior *p) {
    const struct loss *h = &p->problem->h;
    struct pairs *in = &p->pairs;
    int64_t m = h->rows;
    double count = 0;

    for (int64_t i = 0; i < m; i++) {
        int split = h->dead[i] > 0;

        in->high[i] = h->up[i];
        in->low[i] = split ? 0 : -h->down[i];
        in->shift[i] = h->dead[i];
        count += 2 * (in->high[i] > in->low[i]);
        if (in->parts == 2) {
            in->high[m + i] = 0;
            in->low[m + i] = split ? -h->down[i] : 0;
            in->shift[m + i] = -h->dead[i];
            count += 2 * (in->high[m + i] > in->low[m + i]);
        }
    }
    in->count = fmax(interior_sum(p, count), 1);
}

static double rows_dual(const struct pairs *in, int64_t i) {
    return in->dual[i] < in->dual2[i] ? in->high[i] - in->dual[i] : in->low[i] + in->dual2[i];
}

/* p->u from the parts */
static void gather_dual(struct interior *p) {
    const struct pairs *in = &p->pairs;
    int64_t m = p->problem->A->rows;

    for (int64_t i = 0; i < m; i++) {
        p->u[i] = rows_dual(in, i) + (in->parts == 2 ? rows_dual(in, m + i) : 0);
    }
}

/* The largest |r| (high - low) / 2 over the pinballs: a mu above this makes all of them nearly quadratic. */
static double largest_product(const struct interior *p) {
    const struct pairs *in = &p->pairs;
    int64_t m = p->problem->A->rows;
    double largest = 0;

    for (int64_t part = 0; part < in->parts * m; part += m) {
        for (int64_t i = 0; i < m; i++) {
            int64_t k = part + i;

            largest = larger(largest, fabs(p->r[i] - in->shift[k]) * (in->high[k] - in->low[k]) / 2);
        }
    }
    return interior_max(p, largest);
}

/*
 * The barrier with parameter mu turns a pinball into a smooth function with derivative c + r e^2 / (mu + sqrt(mu^2 +
 * r^2 e^2)), c = (high + low) / 2, e = (high - low) / 2: for large mu it is the parabola c r + r^2 e^2 / (4 mu), whose
 * minimiser is one Newton step away.
 */
static void step_to_parabolas(struct interior *p, double mu) {
    struct pairs *in = &p->pairs;
    int64_t m = p->problem->A->rows;

    vector_scale(m, 0, in->scratch);
    vector_scale(m, 0, in->weight);
    for (int64_t part = 0; part < in->parts * m; part += m) {
        for (int64_t i = 0; i < m; i++) {
            int64_t k = part + i;
            double e = (in->high[k] - in->low[k]) / 2;
            double curvature = e / mu * e / 2;

            in->weight[i] += curvature;
            in->scratch[i] += (in->high[k] + in->low[k]) / 2 + curvature * (p->r[i] - in->shift[k]);
        }
    }
    mehrotra_newton(p, in->weight, in->scratch);
}

/*
 * Centre: for any z and mu make all products equal. s (high - u) = t (u - low) = mu with s - t = r holds for s + t =
 * (mu + sqrt(mu^2 + r^2 e^2)) / e.
 */
static void centre_one(struct pairs *in, int64_t k, double r, double mu) {
    double e = (in->high[k] - in->low[k]) / 2;
    double sum;

    in->primal[k] = in->primal2[k] = in->dual[k] = in->dual2[k] = in->ddual[k] = 0;
    if (e > 0) {
        sum = (mu + hypot(mu, r * e)) / e;                                   /* s + t */
        in->primal[k] = r > 0 ? (sum + r) / 2 : mu * sum / (e * (sum - r));  /* the larger one directly, */
        in->primal2[k] = r > 0 ? mu * sum / (e * (sum + r)) : (sum - r) / 2; /* the smaller one without cancellation */
        in->dual[k] = mu / in->primal[k];
        in->dual2[k] = mu / in->primal2[k];
    }
}

static void centre(struct interior *p, double mu) {
    struct pairs *in = &p->pairs;
    int64_t m = p->problem->A->rows;

    for (int64_t part = 0; part < in->parts * m; part += m) {
        for (int64_t i = 0; i < m; i++) {
            centre_one(in, part + i, p->r[i] - in->shift[part + i], mu);
        }
    }
    gather_dual(p);
}

static void rows_start(struct interior *p) {
    double first, mu;

    set_slopes(p);
    first = largest_product(p);
    first = first > 0 ? first : 1;
    step_to_parabolas(p, first);
    mu = fmax(largest_product(p), INTERIOR_LEAST * first);
    step_to_parabolas(p, mu);
    if (stop_ask(&p->fit->stop)) {
        return;
    }
    centre(p, fmax(largest_product(p), INTERIOR_LEAST * first));
}

static double rows_complementarity(const struct interior *p, double primal, double dual) {
    const struct pairs *in = &p->pairs;
    double sum = 0;

    for (int64_t i = 0; i < in->parts * p->problem->A->rows; i++) {
        sum += (in->primal[i] + primal * in->dprimal[i]) * (in->dual[i] - dual * in->ddual[i]);
        sum += (in->primal2[i] + primal * in->dprimal2[i]) * (in->dual2[i] + dual * in->ddual[i]);
    }
    return interior_sum(p, sum);
}

static int rows_assemble(struct interior *p) {
    struct pairs *in = &p->pairs;
    int64_t m = p->problem->A->rows;

    vector_scale(m, 0, in->weight);
    for (int64_t part = 0; part < in->parts * m; part += m) {
        for (int64_t i = 0; i < m; i++) {
            int64_t k = part + i;

            in->W[k] = 0;
            if (in->high[k] > in->low[k]) {
                in->W[k] = 1 / larger(in->primal[k] / in->dual[k] + in->primal2[k] / in->dual2[k], INTERIOR_WEIGHT);
            }
            in->weight[i] += in->W[k];
        }
    }
    return system_assemble(p, p->k, in->weight, 1);
}

/*
 * The required changes of the products, c_s - s (high - u) and c_t - t (u - low), with the second-order terms, and the
 * resulting constant g of du:
 *
 *     g = (r - shift - s + t) - c_s / (high - u) + c_t / (u - low)
 */
static void rows_wish(struct pairs *in, int64_t k, double r, double target, int correct) {
    double c_s = target - in->primal[k] * in->dual[k];
    double c_t = target - in->primal2[k] * in->dual2[k];

    if (correct) {
        c_s += in->dprimal[k] * in->ddual[k];
        c_t -= in->dprimal2[k] * in->ddual[k];
    }
    in->dprimal[k] = c_s; /* stored here until du is known */
    in->dprimal2[k] = c_t;
    in->g[k] = r - in->primal[k] + in->primal2[k] - c_s / in->dual[k] + c_t / in->dual2[k];
}

/*
 * du = W (A dz + g) for every pinball, with image = A dz; rhs = -(w + Q dz + A'du), the residual of the dual equations.
 */
static void rows_residual(struct interior *p) {
    struct pairs *in = &p->pairs;
    int64_t m = p->problem->A->rows;

    vector_scale(m, 0, in->scratch);
    for (int64_t part = 0; part < in->parts * m; part += m) {
        for (int64_t i = 0; i < m; i++) {
            in->ddual[part + i] = in->W[part + i] * (in->image[i] + in->g[part + i]);
            in->scratch[i] += in->ddual[part + i];
        }
    }
    interior_dual_residual(p, in->scratch);
}

/*
 * HOW IT WORKS: dz starts at 0. Each pass solves for the residual of the dual equations with the current du. The
 * residual is measured with A itself, because rounding spoils the normal matrix when columns are nearly dependent.
 */
static void rows_direction(struct interior *p, double target, int correct) {
    struct pairs *in = &p->pairs;
    int64_t m = p->problem->A->rows;

    for (int64_t part = 0; part < in->parts * m; part += m) {
        for (int64_t i = 0; i < m; i++) {
            if (in->high[part + i] > in->low[part + i]) {
                rows_wish(in, part + i, p->r[i] - in->shift[part + i], target, correct);
            }
        }
    }
    vector_scale(m, 0, in->image);
    vector_scale(p->k, 0, p->dz);
    rows_residual(p);
    for (int pass = 0; pass < INTERIOR_PASSES && interior_is_left(p); pass++) {
        interior_add_solution(p);
        rows_residual(p);
    }
    for (int64_t i = 0; i < in->parts * m; i++) {
        if (in->high[i] > in->low[i]) {
            in->dprimal[i] = (in->dprimal[i] + in->primal[i] * in->ddual[i]) / in->dual[i];
            in->dprimal2[i] = (in->dprimal2[i] - in->primal2[i] * in->ddual[i]) / in->dual2[i];
        }
    }
}

static void rows_lengths(const struct interior *p, double *primal, double *dual) {
    const struct pairs *in = &p->pairs;
    double by_primal = 0;
    double by_dual = 0;

    for (int64_t i = 0; i < in->parts * p->problem->A->rows; i++) {
        if (in->high[i] > in->low[i]) {
            by_primal = larger_ratio(by_primal, -in->dprimal[i], in->primal[i]);
            by_primal = larger_ratio(by_primal, -in->dprimal2[i], in->primal2[i]);
            by_dual = larger_ratio(by_dual, in->ddual[i], in->dual[i]);
            by_dual = larger_ratio(by_dual, -in->ddual[i], in->dual2[i]);
        }
    }
    *primal = 1 / fmax(interior_max(p, by_primal), 1e-3);
    *dual = 1 / fmax(interior_max(p, by_dual), 1e-3);
}

static void rows_move(struct interior *p, double primal, double dual) {
    struct pairs *in = &p->pairs;

    vector_axpy(p->k, primal, p->dz, p->z);
    for (int64_t i = 0; i < in->parts * p->problem->A->rows; i++) {
        if (in->high[i] > in->low[i]) {
            in->primal[i] = larger(in->primal[i] + primal * in->dprimal[i], INTERIOR_POSITIVE);
            in->primal2[i] = larger(in->primal2[i] + primal * in->dprimal2[i], INTERIOR_POSITIVE);
            in->dual[i] = larger(in->dual[i] - dual * in->ddual[i], INTERIOR_POSITIVE);
            in->dual2[i] = larger(in->dual2[i] + dual * in->ddual[i], INTERIOR_POSITIVE);
        }
    }
    gather_dual(p);
}

const struct mehrotra_ops mehrotra_rows = {
    .unknowns = 0,
    .start = rows_start,
    .complementarity = rows_complementarity,
    .assemble = rows_assemble,
    .direction = rows_direction,
    .lengths = rows_lengths,
    .move = rows_move,
};
