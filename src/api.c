/* Public entry points for solvers: check the arguments, frame the problem, run the method, report the result. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/parallel.h"
#include "base/party.h"
#include "base/status.h"
#include "constants.h"
#include "fit/fit.h"
#include "linalg/matrix.h"
#include "linalg/vector.h"
#include "model/bounded.h"
#include "search/exact.h"
#include "search/ledger.h"
#include "search/registry.h"
#include "solver.h"

/* ---- solver ------------------------------------------------------------------------------------------ */

spgm_error spgm_solver_new(const spgm_problem *problem, int64_t sparsity, const spgm_options *options,
                           spgm_solver **solver, spgm_status *status) {
    spgm_solver *created;

    if (problem == NULL || solver == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "spgm_solver_new needs a problem and a place for the solver");
    }
    if (sparsity < 0 || sparsity > problem->A.columns) {
        return status_set(status, SPGM_ERROR_ARGUMENT,
                          "the sparsity is %" PRId64 ": it must be at least 0 and at most the %" PRId64
                          " column%s of the data",
                          sparsity, problem->A.columns, problem->A.columns == 1 ? "" : "s");
    }
    created = memory_array(1, sizeof *created);
    if (created == NULL) {
        return status_memory(status, sizeof *created);
    }
    created->problem = problem;
    created->sparsity = sparsity;
    options_take(&created->options, options);
    created->start_count = -1;
    created->info.bound = -INFINITY;
    created->info.gap = INFINITY;
    created->info.passes = NAN;
    *solver = created;
    return status_clear(status);
}

void spgm_solver_free(spgm_solver *solver) {
    if (solver == NULL) {
        return;
    }
    memory_free(solver->start_columns);
    memory_free(solver->start_values);
    memory_free(solver->columns);
    memory_free(solver->values);
    memory_free(solver->centre);
    ledger_free(solver->ledger);
    memory_free(solver);
}

/* Keep only the nonzeros of a start: there may be many columns, and few are in it. */
static spgm_error keep_start(struct spgm_solver *solver, const double *x, double intercept, spgm_status *status) {
    int64_t n = solver->problem->A.columns, count = 0, *columns;
    double *values;

    for (int64_t j = 0; j < n; j++) {
        count += x[j] != 0;
    }
    columns = memory_array(count, sizeof *columns);
    values = memory_array(count, sizeof *values);
    if (columns == NULL || values == NULL) {
        memory_free(columns);
        memory_free(values);
        return status_memory(status, (size_t)count * (sizeof *columns + sizeof *values));
    }
    count = 0;
    for (int64_t j = 0; j < n; j++) {
        if (x[j] != 0) {
            columns[count] = j;
            values[count++] = x[j];
        }
    }
    memory_free(solver->start_columns);
    memory_free(solver->start_values);
    solver->start_count = count;
    solver->start_columns = columns;
    solver->start_values = values;
    solver->start_intercept = intercept;
    return status_clear(status);
}

spgm_error spgm_solver_set_start(spgm_solver *solver, const double *x, double intercept, spgm_status *status) {
    int64_t n = solver->problem->A.columns;
    spgm_error error = array_check(x, n, "the start x", status);

    if (error == SPGM_OK) {
        error = array_check(&intercept, 1, "the intercept of the start", status);
    }
    if (error != SPGM_OK) {
        return error;
    }
    return keep_start(solver, x, intercept, status);
}

void spgm_solver_set_progress(spgm_solver *solver, spgm_progress_function function, void *context) {
    solver->progress = function;
    solver->progress_context = context;
}

void spgm_solver_interrupt(spgm_solver *solver) {
    solver->interrupted = 1;
}

/* run->x: the user's start, or start_scale * randn, projected onto the feasible set. */
static void make_start(const struct spgm_solver *solver, struct run *run, struct point *point) {
    const struct problem *problem = run->problem;

    run->start_given = solver->start_count >= 0;
    if (run->start_given) {
        problem_scale_nonzeros(problem, solver->start_count, solver->start_columns, solver->start_values,
                               solver->start_intercept, run->x);
    } else {
        run_draw(run, run->x);
    }
    run_project(run, run->x);
    run_start(run, point);
}

/* If f has at most a ridge, a column that is zero (or becomes zero once its mean is moved to the intercept) does not
 * affect F. Its coefficient is left over from the random start. */
static void clear_idle_columns(const struct problem *framed, double *z) {
    if (framed->f.linear != NULL || framed->f.term != NULL) {
        return;
    }
    for (int64_t k = 0; k < framed->data->columns; k++) {
        if (framed->is_idle[k]) {
            z[k] = 0;
        }
    }
}

/* The nonzeros of x for the best point z of the frame, and how many of them count towards s. */
static spgm_error take_nonzeros(struct spgm_solver *solver, const struct problem *framed, const double *z,
                                spgm_status *status) {
    int64_t n = framed->data->columns;
    int64_t most = 0;

    for (int64_t k = 0; k < n; k++) {
        most += z[k] != 0;
    }
    memory_free(solver->columns);
    memory_free(solver->values);
    solver->columns = memory_array(most, sizeof *solver->columns);
    solver->values = memory_array(most, sizeof *solver->values);
    solver->count = 0;
    solver->info.support = 0;
    if (solver->columns == NULL || solver->values == NULL) {
        return status_memory(status, (size_t)most * (sizeof *solver->columns + sizeof *solver->values));
    }
    for (int64_t k = 0; k < n; k++) {
        double value = z[k] == 0 ? 0 : problem_coefficient(framed, k, z[k]);

        if (value != 0) {
            solver->columns[solver->count] = k;
            solver->values[solver->count++] = value;
            solver->info.support += !framed->is_free[k];
        }
    }
    solver->intercept =
        framed->has_intercept ? problem_intercept(framed, solver->count, solver->columns, solver->values, z[n]) : 0;
    for (int64_t i = 0; i < solver->count; i++) {
        solver->columns[i] = problem_column(framed, solver->columns[i]);
    }
    return SPGM_OK;
}

/* Take the best point, in the units of the data. F is recomputed from the raw data. */
static spgm_error take_best(struct spgm_solver *solver, const struct problem *framed, const double *z,
                            spgm_status *status) {
    spgm_info *info = &solver->info;
    spgm_error error = take_nonzeros(solver, framed, z, status);

    return error != SPGM_OK
               ? error
               : problem_evaluate(solver->problem, solver->count, solver->columns, solver->values, solver->intercept,
                                  &info->objective, &info->loss_value, &info->smooth_value, status);
}

/* Set x and info from the best point. */
static spgm_error report(struct spgm_solver *solver, struct run *run, spgm_status *status) {
    const struct problem *framed = run->problem;
    spgm_info *info = &solver->info;
    spgm_error error;

    clear_idle_columns(framed, run->best_x);
    error = take_best(solver, framed, run->best_x, status);
    if (error == SPGM_OK &&
        fit_has_drowned(solver->problem, framed->objective_unit * run->best_objective, info->objective)) {
        error = fit_shorten(solver->problem, framed, info->objective, run->best_x, run->interrupted, status);
        error = error == SPGM_OK ? take_best(solver, framed, run->best_x, status) : error;
    }
    if (error != SPGM_OK) {
        return error;
    }
    info->bound = framed->objective_unit * run->bound;
    info->iterations = run->iterations;
    info->nodes = run->nodes;
    info->restarts = run->restarts;
    info->agreeing = run->agreeing;
    info->spread = run->spread;
    info->passes = run_passes(run);
    memcpy(solver->timers, run->timers, sizeof solver->timers);
    info->bound = fmin(info->bound, info->objective); /* rounding may put the bound above the recomputed F */
    info->outcome = problem_outcome(solver->problem, run->outcome, info->objective, info->bound);
    info->gap = run_gap(info->outcome, info->objective, info->bound);
    error = bounded_at(solver->problem, solver->count, solver->columns, solver->values, solver->intercept,
                       info->objective, status);
    if (error == SPGM_OK) {
        error = problem_check_feasible(solver->problem, solver->count, solver->columns, solver->values,
                                       solver->sparsity, info, status);
    }
    info->seconds = clock_seconds() - run->began;
    return error;
}

/* An exact fit on the support of the best point. */
static spgm_error polish_best(struct run *run, int64_t *support, spgm_status *status) {
    double began = clock_seconds();
    struct fit_report report;
    int64_t k = fit_support_of(run->problem, run->best_x, support);
    spgm_error error;

    vector_copy(run->problem->A->columns, run->best_x, run->x);
    run_extend(run, POLISH_SHARE * run->options->time_limit);
    if (run_is_late(run)) {
        return SPGM_OK;
    }
    error = fit_once(run->problem, k, support, run->x, &report, run_is_late, run, status);
    if (error == SPGM_OK) {
        run_offer(run, run->x, report.objective);
    }
    run->timers[RUN_TIMER_POLISH] += clock_seconds() - began;
    return error;
}

/* Is F bounded below along the support that was found? A method of small steps may stop near the beginning of a ray on
 * which F falls without limit. An exact fit on the same support ends far out on that ray, where bounded_at notices it.
 * The best point of the run does not change. */
static spgm_error check_bounded(struct spgm_solver *solver, struct run *run, int64_t *support, spgm_status *status) {
    const struct problem *framed = run->problem;
    spgm_info *info = &solver->info;
    spgm_error error;
    int64_t k;

    if (solver->problem->linear == NULL || solver->problem->options.ridge > 0) {
        return SPGM_OK;
    }
    k = fit_support_of(framed, run->best_x, support);
    vector_copy(framed->A->columns, run->best_x, run->x);
    error = fit_once(framed, k, support, run->x, NULL, run_is_late, run, status);
    error = error != SPGM_OK ? error : take_nonzeros(solver, framed, run->x, status);
    error = error != SPGM_OK ? error
                             : problem_evaluate(solver->problem, solver->count, solver->columns, solver->values,
                                                solver->intercept, &info->objective, NULL, NULL, status);
    return error != SPGM_OK ? error
                            : bounded_at(solver->problem, solver->count, solver->columns, solver->values,
                                         solver->intercept, info->objective, status);
}

/* Compute a lower bound after the method, in at most about the work of the run; not after a stop. The solution does not
 * change. */
static spgm_error bound_best(struct run *run, spgm_status *status) {
    double work = exact_bound_work(run, run_passes(run), (double)run->iterations);
    spgm_outcome outcome = run->outcome;
    int is_tried;
    spgm_error error = run_must_stop(run) ? SPGM_OK : exact_bound(run, work, &is_tried, status);

    run->outcome = run->outcome == SPGM_OPTIMAL || run->outcome == SPGM_INTERRUPTED ? run->outcome : outcome;
    return error;
}

/* Start an empty ledger if the run is to keep its proof. */
static spgm_error open_ledger(struct spgm_solver *solver, spgm_status *status) {
    memory_free(solver->centre);
    ledger_free(solver->ledger);
    solver->centre = NULL;
    solver->ledger = NULL;
    if (solver->keeps_certificate) {
        solver->ledger = ledger_new(solver->problem->A.rows, 1048576.0 * solver->options.memory_limit);
        if (solver->ledger == NULL) {
            return status_memory(status, sizeof *solver->ledger);
        }
    }
    return SPGM_OK;
}

/* Convert the ledger to the data's columns and units. */
static spgm_error close_ledger(struct spgm_solver *solver, const struct problem *framed, spgm_status *status) {
    struct ledger *ledger = solver->ledger;

    if (ledger == NULL) {
        return SPGM_OK;
    }
    solver->centre = memory_array(framed->data_columns, sizeof *solver->centre);
    if (solver->centre == NULL) {
        return status_memory(status, (size_t)framed->data_columns * sizeof *solver->centre);
    }
    for (int64_t k = 0; k < framed->data->columns && framed->centre != NULL; k++) {
        solver->centre[problem_column(framed, k)] = framed->centre[k];
    }
    solver->shift = framed->shift;
    ledger->bound *= framed->objective_unit;
    vector_scale(ledger->steps * ledger->rows, framed->objective_unit / framed->target_unit, ledger->alpha);
    for (int64_t k = 0; k < ledger->steps; k++) {
        ledger->column[k] = ledger->column[k] < 0 ? -1 : problem_column(framed, ledger->column[k]);
    }
    for (int64_t i = 0; i < ledger->records; i++) {
        struct ledger_record *record = &ledger->record[i];

        record->column = record->column < 0 ? -1 : problem_column(framed, record->column);
        record->branch = record->branch < 0 ? -1 : problem_column(framed, record->branch);
    }
    return SPGM_OK;
}

/* Is there room for another, longer run of the method? Only in the tuned form, with passes left, and if the method
 * ended by its own rule or its number of iterations; a search ends otherwise. */
static int may_go_on(const struct run *run) {
    return run_is_tuned(run) && isfinite(run->pass_limit) && run_passes(run) < run->pass_limit &&
           (run->outcome == SPGM_CONVERGED || run->outcome == SPGM_ITERATION_LIMIT) &&
           run->options->max_iterations <= INT64_MAX / 4;
}

/*
 * Run the method. In the tuned form under a pass limit it is run repeatedly from the same start, each time with twice
 * the iterations, so that trials, stages and schedules become as long as the limit allows. This ends at the limit, or
 * when more iterations no longer change the run.
 */
static spgm_error run_method(struct run *run, double *start, spgm_status *status) {
    const struct method *method = method_find(run->options->method);
    struct spgm_options options = *run->options;
    const struct spgm_options *given = run->options;
    int64_t last = 0;
    spgm_error error;

    vector_copy(run->problem->A->columns, run->x, start);
    run->options = &options;
    run->pass_limit = options.pass_limit;
    error = method->run(run, status);
    while (error == SPGM_OK && may_go_on(run) && run->iterations - run->round != last) {
        last = run->iterations - run->round;
        run->round = run->iterations;
        options.max_iterations *= 2;
        vector_copy(run->problem->A->columns, start, run->x);
        run_stage(run, run->best_objective);
        error = method->run(run, status);
    }
    run->options = given;
    run->pass_limit = INFINITY;
    return error;
}

static spgm_error run_framed(struct spgm_solver *solver, const struct problem *framed, double began,
                             struct workspace *workspace, spgm_status *status) {
    struct run run;
    struct point point;
    double passes; /* of the method, without the bound computed at the end */
    int64_t *chosen = workspace_integers(workspace, framed->A->columns);
    double *start = workspace_doubles(workspace, framed->A->columns);
    spgm_error error;

    run_init(&run, framed, solver->sparsity, &solver->options, workspace);
    point_init(&point, framed, workspace);
    if (workspace->failed) {
        return status_memory(status, workspace->bytes);
    }
    run.began = began;
    run.deadline = began + problem_search_time(framed, run_capacity(&run), 1, solver->options.time_limit);
    run.source = solver->problem;
    run.progress = solver->progress;
    run.progress_context = solver->progress_context;
    run.interrupted = &solver->interrupted;
    run.ledger = solver->ledger;
    run_lead(&run);
    make_start(solver, &run, &point);
    solver->running = &run;
    error = run_method(&run, start, status);
    solver->running = NULL;
    if (error == SPGM_OK) {
        run_fill(&run);
    }
    if (error == SPGM_OK && solver->options.polish) {
        error = polish_best(&run, chosen, status);
    }
    error = error != SPGM_OK ? error : check_bounded(solver, &run, chosen, status);
    passes = run_passes(&run);
    error = error != SPGM_OK ? error : bound_best(&run, status);
    /* Keep what was found, for which the memory is there already. With several processes it is an error, since the
     * others would wait for this one. */
    if (error == SPGM_ERROR_MEMORY && run.iterations > 0 && framed->A->reduce == NULL) {
        run.outcome = SPGM_OUT_OF_MEMORY;
        error = SPGM_OK;
    }
    run_leave(&run);
    error = error != SPGM_OK ? error : report(solver, &run, status);
    solver->info.passes = passes;
    return error != SPGM_OK ? error : close_ledger(solver, framed, status);
}

static spgm_error run_solver(struct spgm_solver *solver, spgm_status *status) {
    struct problem framed;
    struct spgm_problem rows_as_given = *solver->problem;
    struct workspace workspace = {.memory = solver->problem->A.memory};
    double began = problem_began(solver->problem);
    spgm_error error;

    solver->interrupted = 0;
    rows_as_given.merged = (struct merged_rows){0};
    error = open_ledger(solver, status);
    error = error != SPGM_OK ? error : bounded_columns(solver->problem, solver->sparsity, status);
    if (error == SPGM_OK) {
        error = problem_frame(solver->keeps_certificate ? &rows_as_given : solver->problem,
                              parallel_threads(solver->options.threads), &framed, status);
    }
    if (error != SPGM_OK) {
        return error;
    }
    error = run_framed(solver, &framed, began, &workspace, status);
    workspace_free(&workspace);
    problem_unframe(&framed);
    if (error != SPGM_OK) {
        solver->count = 0;
        solver->info = (spgm_info){.bound = -INFINITY, .gap = INFINITY, .passes = NAN};
    }
    return error;
}

spgm_error spgm_solver_run(spgm_solver *solver, spgm_status *status) {
    spgm_status said = {0};
    spgm_error error = problem_check_shared(solver->problem, solver->sparsity, &solver->options, &said);

    error = error != SPGM_OK ? error : run_solver(solver, &said);
    error = party_end(problem_party(solver->problem), error, &said);
    if (error == SPGM_OK) {
        return status_clear(status);
    }
    if (status != NULL) {
        *status = said;
    }
    return error;
}

const spgm_problem *spgm_solver_get_problem(const spgm_solver *solver) {
    return solver->problem;
}

int64_t spgm_solver_get_sparsity(const spgm_solver *solver) {
    return solver->sparsity;
}

const spgm_options *spgm_solver_get_options(const spgm_solver *solver) {
    return &solver->options;
}

void spgm_solver_get_x(const spgm_solver *solver, double *x, double *intercept) {
    if (x != NULL) {
        memset(x, 0, sizeof *x * (size_t)solver->problem->A.columns);
        for (int64_t k = 0; k < solver->count; k++) {
            x[solver->columns[k]] = solver->values[k];
        }
    }
    if (intercept != NULL) {
        *intercept = solver->intercept;
    }
}

int spgm_solver_get_iterate(const spgm_solver *solver, double *x, double *intercept) {
    const struct run *run = solver->running;
    double constant;

    if (run == NULL || run->current == NULL) {
        return 0;
    }
    problem_unscale(run->problem, run->current, x, &constant);
    if (intercept != NULL) {
        *intercept = constant;
    }
    return 1;
}

int64_t spgm_solver_get_nonzeros(const spgm_solver *solver, int64_t *columns, double *values) {
    for (int64_t k = 0; k < solver->count; k++) {
        if (columns != NULL) {
            columns[k] = solver->columns[k];
        }
        if (values != NULL) {
            values[k] = solver->values[k];
        }
    }
    return solver->count;
}

spgm_info spgm_solver_get_info(const spgm_solver *solver) {
    return solver->info;
}

int spgm_solver_get_time(const spgm_solver *solver, int64_t index, const char **name, double *seconds) {
    static const char *const names[RUN_TIMER_COUNT] = {"gradient", "x-step", "y-step", "objective", "polish", "search"};

    if (index < 0 || index >= RUN_TIMER_COUNT) {
        return 0;
    }
    *name = names[index];
    *seconds = solver->timers[index];
    return 1;
}

/* ---- one call ---------------------------------------------------------------------------------------- */

spgm_error spgm_solve(const spgm_matrix *A, const double *b, int64_t sparsity, const spgm_options *options, double *x,
                      double *intercept, spgm_info *info, spgm_status *status) {
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;
    spgm_error error = spgm_problem_new(A, b, options, &problem, status);

    if (error == SPGM_OK) {
        error = spgm_solver_new(problem, sparsity, options, &solver, status);
    }
    if (error == SPGM_OK) {
        error = spgm_solver_run(solver, status);
    }
    if (error == SPGM_OK) {
        spgm_solver_get_x(solver, x, intercept);
        if (info != NULL) {
            *info = spgm_solver_get_info(solver);
        }
    }
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    return error;
}

/* ---- names and tables -------------------------------------------------------------------------------- */

const char *spgm_version(void) {
    return SPGM_VERSION;
}

const char *spgm_error_name(spgm_error code) {
    static const char *const names[SPGM_ERROR_COUNT] = {"ok",     "memory", "argument",    "option",    "data",
                                                        "format", "file",   "unsupported", "unbounded", "process"};

    return (int)code >= 0 && code < SPGM_ERROR_COUNT ? names[code] : "unknown";
}

static const char *const outcome_names[SPGM_OUTCOME_COUNT] = {
    "not_run",       "converged", "iteration_limit", "time_limit",    "interrupted",
    "local_optimum", "optimal",   "searched",        "out_of_memory", "pass_limit"};

const char *spgm_outcome_name(spgm_outcome outcome) {
    return (int)outcome >= 0 && outcome < SPGM_OUTCOME_COUNT ? outcome_names[outcome] : "unknown";
}

const char *spgm_outcome_text(spgm_outcome outcome) {
    static const char *const texts[SPGM_OUTCOME_COUNT] = {
        "the solver has not run",
        "the relative change of F fell below the tolerance",
        "the limit of iterations was reached",
        "the time limit was reached",
        "stopped on request; this is the best point so far",
        "no exchange of one column lowers F: all were tried",
        "proven: no model of this size has a lower F",
        "the search is done: no exchange that it tried lowers F",
        "there was no memory to go on; this is the best point so far",
        "the limit of passes over A was reached",
    };

    return (int)outcome >= 0 && outcome < SPGM_OUTCOME_COUNT ? texts[outcome] : "unknown";
}

spgm_outcome spgm_outcome_from_name(const char *name) {
    int outcome = 0;

    while (name != NULL && outcome < SPGM_OUTCOME_COUNT && strcmp(name, outcome_names[outcome]) != 0) {
        outcome++;
    }
    return name == NULL ? SPGM_OUTCOME_COUNT : (spgm_outcome)outcome;
}

int64_t spgm_method_count(void) {
    int64_t count = 0;

    while (method_at(count) != NULL) {
        count++;
    }
    return count;
}

const char *spgm_method_name(int64_t index) {
    return method_at(index) == NULL ? NULL : method_at(index)->name;
}

const char *spgm_method_summary(int64_t index) {
    return method_at(index) == NULL ? NULL : method_at(index)->summary;
}

int64_t spgm_loss_count(void) {
    int64_t count = 0;

    while (loss_kind_at(count) != NULL) {
        count++;
    }
    return count;
}

const char *spgm_loss_name(int64_t index) {
    return loss_kind_at(index) == NULL ? NULL : loss_kind_at(index)->name;
}

const char *spgm_loss_aliases(int64_t index) {
    return loss_kind_at(index) == NULL ? NULL : loss_kind_at(index)->aliases;
}

const char *spgm_loss_formula(int64_t index) {
    return loss_kind_at(index) == NULL ? NULL : loss_kind_at(index)->formula;
}

const char *spgm_loss_parameter(int64_t index) {
    return loss_kind_at(index) == NULL ? NULL : loss_kind_at(index)->parameter;
}

int spgm_loss_is_sum(int64_t index) {
    return loss_kind_at(index) != NULL && loss_kind_at(index)->is_sum;
}

int spgm_loss_has_labels(int64_t index) {
    return loss_kind_at(index) != NULL && loss_kind_at(index)->target == LOSS_OF_TWO_LABELS;
}

int64_t spgm_loss_candidate(int64_t place) {
    for (int64_t i = 0; place > 0 && loss_kind_at(i) != NULL; i++) {
        if (loss_kind_at(i)->candidate == place) {
            return i;
        }
    }
    return -1;
}

double spgm_loss_probability(int64_t index, double score) {
    const struct loss_kind *kind = loss_kind_at(index);

    return kind == NULL || kind->probability == NULL ? NAN : kind->probability(score);
}
