/* One run of a method: raw, then polished from where it ended. */
#include "trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CURVE_MAX = 800 };

/* ---- the curve of a run ---------------------------------------------------------------------------------- */

/* Record that F fell, replacing the last point if that is within three per cent of the time. */
static void curve_add(struct trial *trial, double seconds, double best) {
    struct trial_point *curve = trial->curve;
    int64_t count = trial->curve_count;
    if (count > 0 && !(best < curve[count - 1].best)) {
        return;
    }
    int near = count > 1 && seconds < 1.03 * curve[count - 2].seconds;
    if (near || count == CURVE_MAX) {
        trial->curve_count--;
    }
    curve[trial->curve_count++] = (struct trial_point){seconds, best};
}

static int on_progress(const spgm_progress *progress, void *context) {
    struct trial *trial = context;
    if (trial->curve && isfinite(progress->best)) {
        curve_add(trial, progress->seconds, progress->best);
    }
    return signals_asked();
}

/* ---- the two runs ------------------------------------------------------------------------------------------ */

static int out_of_memory(void) {
    return CLI_FAILED;
}

/* The support, and x, zero before, for the run that follows: of many columns few are written to. */
static int keep_support(struct trial *trial, const spgm_solver *solver, double *x) {
    int64_t count = spgm_solver_get_nonzeros(solver, NULL, NULL);
    double *values = malloc(((size_t)count + 1) * sizeof *values);
    trial->support = malloc(((size_t)count + 1) * sizeof *trial->support);
    if (!trial->support || !values) {
        free(values);
        return out_of_memory();
    }
    trial->nonzeros = spgm_solver_get_nonzeros(solver, trial->support, values);
    for (int64_t k = 0; k < count; k++) {
        x[trial->support[k]] = values[k];
    }
    free(values);
    return CLI_DONE;
}

static int refuse(struct trial *trial, const spgm_status *status) {
    if (status->code == SPGM_ERROR_MEMORY) {
        return out_of_memory();
    }
    trial->state = TRIAL_REFUSED;
    trial->message = strdup(status->message);
    return trial->message ? CLI_DONE : out_of_memory();
}

/* Of this thread. */
static double processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int run_raw(struct trial *trial, spgm_solver *solver, double *x, double *intercept) {
    spgm_status status;
    double began = processor_time();
    spgm_solver_set_progress(solver, on_progress, trial);
    if (spgm_solver_run(solver, &status)) {
        return refuse(trial, &status);
    }
    trial->processor_seconds = processor_time() - began;
    spgm_info info = spgm_solver_get_info(solver);
    trial->objective = info.objective;
    trial->seconds = info.seconds;
    trial->bound = info.bound;
    trial->iterations = info.iterations;
    trial->passes = info.passes;
    trial->outcome = info.outcome;
    trial->state = info.outcome == SPGM_INTERRUPTED ? TRIAL_INTERRUPTED : TRIAL_DONE;
    if (trial->curve) {
        curve_add(trial, info.seconds, info.objective);
    }
    spgm_solver_get_x(solver, NULL, intercept);
    return keep_support(trial, solver, x);
}

/* Exact minimisation over the support at hand. */
static int run_polish(struct trial *trial, const spgm_problem *problem, int64_t sparsity, spgm_options *options,
                      const double *x, double intercept) {
    spgm_solver *solver = NULL;
    spgm_status status;
    spgm_error error = spgm_options_set(options, "method", "polish", &status);
    if (!error) {
        error = spgm_solver_new(problem, sparsity, options, &solver, &status);
    }
    if (!error) {
        error = spgm_solver_set_start(solver, x, intercept, &status);
    }
    if (!error) {
        error = spgm_solver_run(solver, &status);
    }
    if (!error) {
        spgm_info info = spgm_solver_get_info(solver);
        trial->polished = fmin(info.objective, trial->objective);
        trial->polish_seconds = info.seconds;
    }
    spgm_solver_free(solver);
    return error ? refuse(trial, &status) : CLI_DONE;
}

static int run_both(struct trial *trial, const spgm_problem *problem, int64_t sparsity, spgm_options *options,
                    double *x) {
    spgm_solver *solver = NULL;
    spgm_status status;
    double intercept = 0;
    if (spgm_options_set(options, "threads", "1", &status) || spgm_options_set(options, "polish", "false", &status) ||
        spgm_solver_new(problem, sparsity, options, &solver, &status)) {
        return refuse(trial, &status);
    }
    int result = run_raw(trial, solver, x, &intercept);
    spgm_solver_free(solver);
    if (result == CLI_DONE && trial->state == TRIAL_DONE) {
        result = run_polish(trial, problem, sparsity, options, x, intercept);
    }
    return result;
}

int trial_run(struct trial *trial, const spgm_problem *problem, int64_t sparsity, const spgm_options *options,
              int keep_curve) {
    spgm_options *copy = spgm_options_copy(options);
    double *x = calloc((size_t)spgm_problem_columns(problem) + 1, sizeof *x);
    *trial = (struct trial){.bound = -INFINITY};
    if (keep_curve) {
        trial->curve = malloc(CURVE_MAX * sizeof *trial->curve);
    }
    int result = out_of_memory();
    if (copy && x && (trial->curve || !keep_curve)) {
        result = run_both(trial, problem, sparsity, copy, x);
    }
    free(x);
    spgm_options_free(copy);
    return result;
}

void trial_free(struct trial *trial) {
    free(trial->support);
    free(trial->curve);
    free(trial->message);
    *trial = (struct trial){0};
}

/* ---- several models as one run ------------------------------------------------------------------------------ */

static int add_support(struct trial *sum, const struct trial *part, int64_t offset) {
    size_t count = (size_t)(sum->nonzeros + part->nonzeros);
    int64_t *support = realloc(sum->support, (count + 1) * sizeof *support);
    if (!support) {
        return out_of_memory();
    }
    sum->support = support;
    for (int64_t i = 0; i < part->nonzeros; i++) {
        support[sum->nonzeros++] = offset + part->support[i];
    }
    return CLI_DONE;
}

/* The weakest outcome of the parts becomes that of the sum. */
int trial_add(struct trial *sum, const struct trial *part, int64_t offset) {
    int is_first = sum->state == TRIAL_WAITING;
    sum->state = part->state;
    if (part->state != TRIAL_DONE) {
        sum->message = part->message ? strdup(part->message) : NULL;
        return part->message && !sum->message ? out_of_memory() : CLI_DONE;
    }
    sum->objective += part->objective;
    sum->polished += part->polished;
    sum->seconds += part->seconds;
    sum->polish_seconds += part->polish_seconds;
    sum->processor_seconds += part->processor_seconds;
    sum->bound += part->bound;
    sum->iterations += part->iterations;
    sum->passes += part->passes;
    if (is_first || sum->outcome == SPGM_OPTIMAL) {
        sum->outcome = part->outcome;
    }
    return add_support(sum, part, offset);
}

/* ---- what is left ----------------------------------------------------------------------------------------- */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void forecast_begin(struct forecast *forecast) {
    forecast->began = now();
}

double forecast_passed(const struct forecast *forecast) {
    return now() - forecast->began;
}

void forecast_ended(struct forecast *forecast, int kind, double seconds) {
    forecast->ended[kind]++;
    forecast->left[kind]--;
    forecast->spent[kind] += seconds;
}

double forecast_left(const struct forecast *forecast) {
    double spent = 0, left = 0;
    int64_t ended = 0;
    for (int k = 0; k < KINDS_MAX; k++) {
        spent += forecast->spent[k];
        ended += forecast->ended[k];
    }
    for (int k = 0; k < KINDS_MAX && ended; k++) {
        int64_t own = forecast->ended[k];
        left += (double)forecast->left[k] * (own ? forecast->spent[k] / (double)own : spent / (double)ended);
    }
    return left;
}
