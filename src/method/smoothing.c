#include "method/smoothing.h"

#include <math.h>

#include "base/clock.h"
#include "linalg/vector.h"

void smoothing_init(struct smoothing *smoothing, struct run *run, struct workspace *workspace) {
    const struct problem *problem = run->problem;

    smoothing->run = run;
    smoothing->problem = problem;
    smoothing->d = workspace_doubles(workspace, problem->A->rows);
    smoothing->g = workspace_doubles(workspace, problem->A->columns);
    smoothing->f_slope = workspace_doubles(workspace, problem->A->columns);
    point_init(&smoothing->point, problem, workspace);
}

void smoothing_start(struct smoothing *smoothing) {
    smoothing->t = 0;
    mu_schedule_init(&smoothing->schedule, smoothing->run, smoothing->d);
    smoothing->mu = mu_schedule_at(&smoothing->schedule, 1);
    smoothing->iteration.step = 0;
    point_set(&smoothing->point, smoothing->run->x);
    smoothing_y_step(smoothing);
    smoothing->clock = clock_seconds();
}

void smoothing_next(struct smoothing *smoothing) {
    smoothing->t++;
    smoothing->mu = mu_schedule_at(&smoothing->schedule, smoothing->t);
}

void smoothing_gradient(struct smoothing *smoothing) {
    const struct problem *problem = smoothing->problem;
    double mu = smoothing->mu;
    double *restrict g = smoothing->g;
    double *restrict f_slope = smoothing->f_slope;

    linop_transpose(problem->A, smoothing->d, g); /* A'(A x - b - y) */
    smooth_gradient(&problem->f, smoothing->point.x, smoothing->point.state, f_slope);
    for (int64_t j = 0; j < problem->A->columns; j++) {
        g[j] += mu * f_slope[j];
    }
    run_score(smoothing->run, g);
}

void smoothing_gradient_columns(struct smoothing *smoothing, int64_t k, const int64_t *columns, double *g) {
    const struct problem *problem = smoothing->problem;

    linop_transpose_columns(problem->A, k, columns, smoothing->d, g);
    smooth_gradient_columns(&problem->f, smoothing->point.x, smoothing->point.state, k, columns, smoothing->f_slope);
    vector_axpy(k, smoothing->mu, smoothing->f_slope, g);
}

void smoothing_y_step(struct smoothing *smoothing) {
    const struct problem *problem = smoothing->problem;
    const struct loss *h = &problem->h;
    struct iteration *iteration = &smoothing->iteration;
    double mu = smoothing->mu;
    double f = point_smooth_value(&smoothing->point);
    struct loss_split values;

    h->ops->split(h, mu, smoothing->point.residual, smoothing->d, &values); /* y = P_mu(A x - b)     (eq. 6) */
    iteration->mu = mu;
    iteration->objective = f + values.at_c;                           /* F(x)                  (eq. 1) */
    iteration->penalised = f + values.at_y + values.squares / mu / 2; /* J(x, y; mu)           (eq. 4) */
    iteration->infeasibility = sqrt(values.squares);
    iteration->support = smoothing->point.counted;
}

void smoothing_lap(struct smoothing *smoothing, enum run_timer timer) {
    double now = clock_seconds();

    smoothing->run->timers[timer] += now - smoothing->clock;
    smoothing->clock = now;
}
