#include "method/baseline.h"
#include "method/constants.h"

#include <math.h>

#include "base/clock.h"
#include "linalg/select.h"
#include "linalg/vector.h"

int baseline_is_tall(const struct run *run) {
    return (int64_t)problem_rows(run->problem) / TALL >= run->sparsity;
}

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
    base->every = workspace_integers(workspace, n);
    base->watched = workspace_integers(workspace, n);
    base->columns = workspace_integers(workspace, n);
    base->values = workspace_doubles(workspace, n);
    base->is_watched = workspace_array(workspace, n, sizeof *base->is_watched);
    for (int64_t j = 0; j < n && !workspace->failed; j++) {
        base->every[j] = j;
    }
    base->longest_period = run_is_plain(run) ? 1 : baseline_is_tall(run) ? TALL_PERIOD : LONGEST_PERIOD;
    baseline_look_next(base);
}

/* ---- watched columns ------------------------------------------------------------------------------------------- */

int baseline_look(struct baseline *base) {
    int all = ++base->age >= base->period;

    base->active = all ? base->every : base->watched;
    base->active_count = all ? base->problem->A->columns : base->watched_count;
    base->age = all ? 0 : base->age;
    return all;
}

void baseline_look_next(struct baseline *base) {
    base->period = 1;
    base->age = 0;
}

void baseline_watch(struct baseline *base, int64_t count, int64_t needed, int64_t missed) {
    for (int64_t i = 0; i < base->watched_count; i++) {
        base->is_watched[base->watched[i]] = 0;
    }
    for (int64_t i = 0; i < count; i++) {
        base->watched[i] = base->chosen[i];
        base->is_watched[base->chosen[i]] = 1;
    }
    base->watched_count = count;
    if (count > base->problem->A->columns / 2) { /* no gain */
        baseline_look_next(base);
    } else if (missed > needed / 2) {
        base->period = base->period > 2 ? base->period / 2 : 1;
    } else {
        base->period = 2 * base->period < base->longest_period ? 2 * base->period : base->longest_period;
    }
}

void baseline_gradient(struct baseline *base, const double *u, double weight, const double *x, const double *state) {
    const struct problem *problem = base->problem;
    const struct feasible *set = &problem->set;
    int64_t k = base->active_count;

    if (base->active == base->every) {
        if (base->updates != NULL) {
            row_updates_transpose(base->updates, u, base->g);
        } else {
            linop_transpose(problem->A, u, base->g);
        }
        smooth_gradient(&problem->f, x, state, base->slope);
        vector_axpy(k, weight, base->slope, base->g);
    } else {
        linop_transpose_columns(problem->A, k, base->active, u, base->keys);
        smooth_gradient_columns(&problem->f, x, state, k, base->active, base->slope);
        for (int64_t i = 0; i < k; i++) {
            base->g[base->active[i]] = base->keys[i] + weight * base->slope[i];
        }
    }
    for (int64_t i = 0; i < set->barred_count; i++) {
        base->g[set->barred[i]] = 0;
    }
    if (base->active == base->every) {
        run_score(base->run, base->g);
    }
}

/* At a look: write the `count` largest, to be watched, to `chosen`, and the `kept` largest of these to `columns`. */
static void choose_and_watch(struct baseline *base, int64_t kept, int64_t count) {
    int64_t missed = 0;

    select_largest(base->problem->A->columns, base->keys, count, base->chosen, base->scratch);
    for (int64_t i = 0; i < count; i++) {
        base->keys[i] = base->keys[base->chosen[i]]; /* chosen is ascending */
    }
    select_largest(count, base->keys, kept, base->columns, base->scratch);
    for (int64_t i = 0; i < kept; i++) {
        base->columns[i] = base->chosen[base->columns[i]];
        missed += !base->is_watched[base->columns[i]];
    }
    baseline_watch(base, count, kept, missed);
}

/* At a look: watch the k chosen columns and those with the next largest keys; if groups count as one, whole groups. */
static void watch_by_rule(struct baseline *base, int64_t k) {
    const struct feasible *set = &base->problem->set;
    int64_t spare = base->run->sparsity / 2 + SPARE_COLUMNS;
    int64_t count = k + spare, missed = 0;

    for (int64_t i = 0; i < k; i++) {
        missed += !base->is_watched[base->columns[i]];
    }
    if (set->rule->adds) {
        count = set->rule->choose(set, base->run->sparsity + spare, set->columns, NULL, base->keys, &base->run->work,
                                  base->chosen);
    }
    if (count > set->columns / 2) {
        return;
    }
    if (!set->rule->adds) {
        for (int64_t i = 0; i < k; i++) {
            base->keys[base->columns[i]] = INFINITY;
        }
        select_largest(set->columns, base->keys, count, base->chosen, base->scratch);
    }
    baseline_watch(base, count, k, missed);
}

/* The same under groups or with barred columns. */
static int64_t choose_by_rule(struct baseline *base) {
    const struct feasible *set = &base->problem->set;
    int all = base->active == base->every;
    int64_t k = set->rule->choose(set, base->run->sparsity, base->active_count, all ? NULL : base->active, base->keys,
                                  &base->run->work, base->columns);

    if (all) {
        watch_by_rule(base, k);
        return k;
    }
    for (int64_t i = 0; i < k; i++) {
        base->columns[i] = base->active[base->columns[i]];
    }
    return k;
}

int64_t baseline_choose(struct baseline *base) {
    int64_t kept = base->problem->free_count + base->run->sparsity;
    int64_t watched = kept + base->run->sparsity / 2 + SPARE_COLUMNS;

    if (!base->problem->set.is_plain) {
        return choose_by_rule(base);
    }
    if (base->active == base->every && watched <= base->active_count / 2) {
        choose_and_watch(base, kept, watched);
        return kept;
    }
    select_largest(base->active_count, base->keys, kept, base->columns, base->scratch);
    for (int64_t i = 0; i < kept; i++) {
        base->columns[i] = base->active[base->columns[i]];
    }
    return kept;
}

int64_t baseline_threshold(struct baseline *base, double length) {
    const double *x = base->point.x;
    int64_t k;

    for (int64_t i = 0; i < base->active_count; i++) {
        int64_t j = base->active[i];

        base->keys[i] =
            base->problem->is_free[j] ? INFINITY : problem_key(base->problem, j, x[j] - length * base->g[j]);
    }
    k = baseline_choose(base);
    for (int64_t i = 0; i < k; i++) {
        int64_t j = base->columns[i];

        base->values[i] = problem_clip(base->problem, j, x[j] - length * base->g[j]);
    }
    return k;
}

/* ||x+ - x||, over the new columns and the columns of x that are not among them. */
static double distance(const struct baseline *base, int64_t k) {
    const struct point *point = &base->point;
    double sum = 0;
    int64_t i = 0;

    for (int64_t l = 0; l < point->support_size; l++) {
        int64_t j = point->support[l];

        for (; i < k && base->columns[i] < j; i++) {
            sum += base->values[i] * base->values[i];
        }
        if (i < k && base->columns[i] == j) {
            sum += (base->values[i] - point->x[j]) * (base->values[i] - point->x[j]);
            i++;
        } else {
            sum += point->x[j] * point->x[j];
        }
    }
    for (; i < k; i++) {
        sum += base->values[i] * base->values[i];
    }
    return sqrt(sum);
}

void baseline_move_columns(struct baseline *base, int64_t k) {
    base->iteration.step = distance(base, k);
    point_set_columns(&base->point, k, base->columns, base->values);
    base->iteration.objective = point_objective(&base->point);
    base->iteration.support = base->point.counted;
}

/* ---- the constants and the point -------------------------------------------------------------------------------- */

void baseline_measure(struct baseline *base) {
    const struct problem *problem = base->problem;
    struct stop stop = run_stop(base->run);
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
    base->M = smooth_smoothness(&problem->f, base->norm_work, &stop);
    base->clock = clock_seconds();
}

void baseline_measure_norm(struct baseline *base) {
    struct stop stop = run_stop_half(base->run);

    base->norm = linop_norm_until(base->problem->A, base->norm_work, &stop);
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

double baseline_distance(const struct problem *problem, const double *u, const double *v) {
    double sum = 0;

#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < problem->A->rows; i++) {
        sum += (u[i] - v[i]) * (u[i] - v[i]);
    }
    reduce_sum(problem->A->reduce, &sum, 1);
    return sqrt(sum);
}

void baseline_project(struct baseline *base, double *x) {
    run_project(base->run, x);
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

int64_t baseline_try(struct baseline *base, int64_t count, int64_t share,
                     double (*run_way)(struct baseline *base, int64_t way, int64_t steps)) {
    int64_t steps = (base->run->options->max_iterations + share - 1) / share;
    double least = INFINITY;
    int64_t best = 0;

    for (int64_t way = 0; way < count && !run_is_over(base->run); way++) {
        double value = run_way(base, way, steps);

        if (isless(value, least)) {
            least = value;
            best = way;
        }
    }
    return run_is_over(base->run) ? -1 : best;
}

void baseline_lap(struct baseline *base, enum run_timer timer) {
    double now = clock_seconds();

    base->run->timers[timer] += now - base->clock;
    base->clock = now;
}
