/*
 * Exact minimisation over the support of the start, as a method. Started from the x of another method's run, it gives
 * the raw and the polished objective of that method from a single run.
 */
#include "method/polish/method_polish.h"

#include "base/clock.h"
#include "base/memory.h"
#include "fit/fit.h"

static spgm_error polish_start(struct run *run, int64_t *support, spgm_status *status) {
    struct fit_report report;
    struct iteration iteration = {0};
    int64_t k = fit_support_of(run->problem, run->x, support);
    spgm_error error = fit_once(run->problem, k, support, run->x, &report, run_is_late, run, status);

    if (error != SPGM_OK) {
        return error;
    }
    iteration.objective = report.objective;
    iteration.penalised = report.objective;
    iteration.support = k - run->problem->free_count;
    if (!run_iteration(run, run->x, &iteration) || run->outcome == SPGM_ITERATION_LIMIT) {
        run->outcome = SPGM_CONVERGED;
    }
    return SPGM_OK;
}

static spgm_error method_polish_run(struct run *run, spgm_status *status) {
    struct workspace workspace = {.memory = run->problem->A->memory};
    double began = clock_seconds();
    int64_t *support = workspace_integers(&workspace, run->problem->A->columns);
    spgm_error error = workspace.failed ? status_memory(status, workspace.bytes) : polish_start(run, support, status);

    run->timers[RUN_TIMER_POLISH] += clock_seconds() - began;
    workspace_free(&workspace);
    return error;
}

const struct method method_polish = {
    .name = "polish",
    .summary = "exact minimisation over the columns of the start (--start), whose choice it does not change",
    .run = method_polish_run,
};
