#include "method/baseline.h"

#include <math.h>

#include "base/clock.h"
#include "linalg/vector.h"

static int64_t norm_work_size(const struct problem *problem) {
    int64_t rows = problem->A->rows;

    if (problem->f.C != NULL && problem->f.C->rows > rows) {
        rows = problem->f.C->rows;
    }
    return 2 * problem->A->columns + rows;
}

void baseline_init(struct baseline *base, struct run *run, struct workspace *workspace) {
    int64_t n = run->problem->A->columns;

    *base = (struct baseline){.run = run, .problem = run->problem};
    point_init(&base->point, run->problem, workspace);
    base->x = workspace_doubles(workspace, n);
    base->g = workspace_doubles(workspace, n);
    base->slope = workspace_doubles(workspace, n);
    base->keys = workspace_doubles(workspace, n);
    base->scratch = workspace_doubles(workspace, n);
    base->chosen = workspace_integers(workspace, n);
    base->norm_work = workspace_doubles(workspace, norm_work_size(run->problem));
}

void baseline_measure(struct baseline *base) {
    const struct problem *problem = base->problem;
    struct mu_schedule schedule;
    double sum = 0;
    int64_t count = 0;

    mu_schedule_init(&schedule, base->run, base->norm_work);
    base->mu = schedule.start;
    linop_column_squares(problem->A, base->norm_work);
    for (int64_t j = 0; j < problem->A->columns; j++) {
        sum += base->norm_work[j];
        count += base->norm_work[j] > 0;
    }
    base->squares = count > 0 ? sum / (double)count : 1;
    base->length_b = baseline_norm(problem, problem->b);
    base->M = smooth_smoothness(&problem->f, base->norm_work);
    base->norm = linop_norm(problem->A, base->norm_work);
    base->clock = clock_seconds();
}

double baseline_dot(const struct problem *problem, const double *u, const double *v) {
    double sum = vector_dot(problem->A->rows, u, v);

    reduce_sum(problem->A->reduce, &sum, 1);
    return sum;
}

double baseline_norm(const struct problem *problem, const double *v) {
    return sqrt(baseline_dot(problem, v, v));
}

void baseline_project(struct baseline *base, double *x) {
    run_project(base->problem, base->run->sparsity, x, base->keys, base->scratch, base->chosen);
}

void baseline_move(struct baseline *base, const double *x) {
    const double *old = base->point.x;
    double sum = 0;

    for (int64_t j = 0; j < base->problem->A->columns; j++) {
        sum += (x[j] - old[j]) * (x[j] - old[j]);
    }
    base->iteration.step = sqrt(sum);
    point_set(&base->point, x);
    base->iteration.objective = point_objective(&base->point);
    base->iteration.support = base->point.counted;
}

void baseline_stage(struct baseline *base, const double *x) {
    baseline_move(base, x);
    run_stage(base->run, base->iteration.objective);
}

int baseline_record(struct baseline *base) {
    int stop = run_iteration(base->run, base->point.x, &base->iteration);

    baseline_lap(base, RUN_TIMER_OBJECTIVE);
    return stop;
}

void baseline_lap(struct baseline *base, enum run_timer timer) {
    double now = clock_seconds();

    base->run->timers[timer] += now - base->clock;
    base->clock = now;
}
