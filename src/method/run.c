/* What all methods share: best point, stopping rule, limits, callback. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/party.h"
#include "linalg/vector.h"
#include "method/method.h"

void run_init(struct run *run, const struct problem *problem, int64_t sparsity, const struct spgm_options *options,
              struct workspace *workspace) {
    memset(run, 0, sizeof *run);
    run->problem = problem;
    run->sparsity = sparsity < problem->set.most ? sparsity : problem->set.most;
    run->options = options;
    random_seed(&run->random, (uint64_t)options->seed, 0);
    run->x = workspace_doubles(workspace, problem->A->columns);
    run->best_x = workspace_doubles(workspace, problem->A->columns);
    run->keys = workspace_doubles(workspace, problem->A->columns);
    run->chosen = workspace_integers(workspace, problem->A->columns);
    run->scores = workspace_doubles(workspace, problem->A->columns);
    feasible_work_init(&run->work, &problem->set, workspace);
    run->changes = workspace_doubles(workspace, options->window);
    run->best_objective = INFINITY;
    run->last_objective = NAN;
    run->bound = -INFINITY;
    run->outcome = SPGM_NOT_RUN;
    run->phase = options->method;
    run->began = clock_seconds();
    run->deadline = run->began + options->time_limit;
    run->allowance = INFINITY;
    run->pass_limit = INFINITY;
}

void run_draw(struct run *run, double *x) {
    for (int64_t j = 0; j < run->problem->A->columns; j++) {
        x[j] = run->options->start_scale * random_normal(&run->random);
    }
}

void run_start(struct run *run, struct point *point) {
    point_set(point, run->x);
    run->last_objective = point_objective(point);
    run_offer(run, run->x, run->last_objective);
}

int run_offer(struct run *run, const double *x, double objective) {
    if (run->offered != NULL) {
        run->offered(run->offered_context, x);
    }
    if (!isless(objective, run->best_objective)) {
        return 0;
    }
    run->best_objective = objective;
    vector_copy(run->problem->A->columns, x, run->best_x);
    return 1;
}

void run_stage(struct run *run, double objective) {
    run->stage = run->iterations;
    run->last_objective = objective;
    run->change_sum = 0;
    memset(run->changes, 0, sizeof(double) * (size_t)run->options->window);
}

int run_is_over(const struct run *run) {
    return run->outcome == SPGM_TIME_LIMIT || run->outcome == SPGM_INTERRUPTED || run->outcome == SPGM_PASS_LIMIT;
}

double run_passes(const struct run *run) {
    return linop_passes(run->problem->A);
}

/* The mean of the last min(t, window) changes. The sum is recomputed once per turn of the ring buffer, to limit
 * accumulated rounding. */
static double mean_change(struct run *run, double change) {
    int64_t window = run->options->window;
    int64_t t = run->iterations - run->stage;
    int64_t slot = (t - 1) % window;

    run->change_sum += change - run->changes[slot];
    run->changes[slot] = change;
    if (slot == window - 1 || change == 0) {
        run->change_sum = 0;
        for (int64_t i = 0; i < (t < window ? t : window); i++) {
            run->change_sum += run->changes[i];
        }
    }
    return run->change_sum / (double)(t < window ? t : window);
}

static int ask_callback(struct run *run, const struct iteration *iteration) {
    double unit = run->problem->objective_unit;
    spgm_progress progress = {
        .method = run->phase,
        .iteration = run->iterations,
        .mu = iteration->mu,
        .objective = unit * iteration->objective,
        .best = unit * run->best_objective,
        .penalised = unit * iteration->penalised,
        .step = iteration->step,
        .infeasibility = iteration->infeasibility,
        .support = iteration->support,
        .seconds = clock_seconds() - run->began,
        .bound = unit * run->bound,
        .open = run->open,
    };
    return run->progress(&progress, run->progress_context);
}

/* The processes that share the rows; NULL: this process has all of them, or the problem was made by a test. */
static struct party *party_of(const struct run *run) {
    const struct reduction *reduce = run->problem->A->reduce;

    return reduce == NULL ? NULL : reduce->party;
}

static int is_past(const struct run *run) {
    return isfinite(run->deadline) && isgreaterequal(clock_seconds(), run->deadline);
}

static int is_asked(const struct run *run) {
    return (run->interrupted != NULL && *run->interrupted) || (run->called_off != NULL && *run->called_off);
}

static enum party_request ask_run(void *context) {
    const struct run *run = context;

    return party_of(run)->wants_stop || is_asked(run) ? PARTY_INTERRUPTED : is_past(run) ? PARTY_OUT_OF_TIME : 0;
}

void run_lead(struct run *run) {
    struct party *party = party_of(run);

    if (party != NULL) {
        party->ask = ask_run;
        party->ask_context = run;
        party->wants_stop = 0;
        party_ask(party);
    }
}

void run_leave(struct run *run) {
    struct party *party = party_of(run);

    if (party != NULL) {
        party->ask = NULL;
        party->request = PARTY_GO_ON;
    }
}

void run_extend(struct run *run, double seconds) {
    struct party *party = party_of(run);

    run->deadline += seconds;
    if (party != NULL) {
        party_ask(party);
    }
}

static int is_interrupted(const struct run *run) {
    const struct party *party = party_of(run);

    return run->outcome == SPGM_INTERRUPTED ||
           (party == NULL ? is_asked(run) : party->has_failed || party->request == PARTY_INTERRUPTED);
}

static int is_time_up(const struct run *run) {
    const struct party *party = party_of(run);

    return party == NULL ? is_past(run) : party->request == PARTY_OUT_OF_TIME;
}

/* Whether the callback asks to stop. Only process 0 calls it; the others learn of the answer later. */
static int callback_stops(struct run *run, const struct iteration *iteration) {
    struct party *party = party_of(run);

    if (run->progress == NULL || (party != NULL && (party->all.rank > 0 || party->wants_stop))) {
        return 0;
    }
    if (party == NULL) {
        return ask_callback(run, iteration);
    }
    party->wants_stop = ask_callback(run, iteration) != 0;
    return 0;
}

int run_goes_by_time(const struct run *run) {
    return run->options->effort == 0 && isfinite(run->options->time_limit);
}

int run_must_stop(struct run *run) {
    if (is_interrupted(run)) {
        run->outcome = SPGM_INTERRUPTED;
        return 1;
    }
    if (is_time_up(run)) {
        run->outcome = SPGM_TIME_LIMIT;
        return 1;
    }
    return 0;
}

static int is_due(void *run) {
    return is_interrupted(run) || is_time_up(run);
}

struct stop run_stop(struct run *run) {
    return (struct stop){.must_stop = is_due, .context = run, .is_eager = run->problem->A->reduce != NULL};
}

static int is_half_over(void *context) {
    const struct run *run = context;

    return is_due(context) || (party_of(run) == NULL && isgreaterequal(clock_seconds(), run->half_time));
}

struct stop run_stop_half(struct run *run) {
    struct stop stop = run_stop(run);

    run->half_time = isfinite(run->deadline) ? run->deadline - (run->deadline - clock_seconds()) / 2 : INFINITY;
    stop.must_stop = is_half_over;
    return stop;
}

int run_is_late(void *run) {
    return run_must_stop(run);
}

int run_note(struct run *run, double objective, int64_t support) {
    struct iteration iteration = {.objective = objective, .penalised = objective, .support = support};

    if (run->outcome == SPGM_INTERRUPTED) { /* within a search: after a stop request the callback is not called again */
        return 1;
    }
    run->iterations++;
    if (callback_stops(run, &iteration)) {
        run->outcome = SPGM_INTERRUPTED;
        return 1;
    }
    return run_must_stop(run);
}

int run_iteration(struct run *run, const double *x, const struct iteration *iteration) {
    double F = iteration->objective;
    double change = fabs(run->last_objective - F) / (1 + fabs(run->last_objective)); /* d_t */
    double mean;
    int stops;

    run->iterations++;
    run_offer(run, x, F);
    run->last_objective = F;
    mean = mean_change(run, change);
    run->current = x;
    stops = callback_stops(run, iteration);
    run->current = NULL;
    if (stops) {
        run->outcome = SPGM_INTERRUPTED;
        return 1;
    }
    if (run_must_stop(run)) {
        return 1;
    }
    if (isgreaterequal(run_passes(run), run->pass_limit)) {
        run->outcome = SPGM_PASS_LIMIT;
        return 1;
    }
    if (islessequal(mean, run->options->tolerance) &&
        (run->options->tolerance > 0 || run->iterations - run->stage >= run->options->window)) {
        run->outcome = SPGM_CONVERGED;
        return 1;
    }
    if (run->iterations - run->stage >= run->options->max_iterations) {
        run->outcome = SPGM_ITERATION_LIMIT;
        return 1;
    }
    return 0;
}

int run_is_plain(const struct run *run) {
    return strcmp(run->options->tuning, "plain") == 0;
}

int run_is_tuned(const struct run *run) {
    return strcmp(run->options->tuning, "tuned") == 0;
}

void run_project(struct run *run, double *x) {
    const struct problem *problem = run->problem;
    int64_t n = problem->A->columns;
    int64_t kept, next = 0;

    for (int64_t j = 0; j < n; j++) {
        run->keys[j] = problem_key(problem, j, x[j]);
    }
    kept = problem->set.rule->choose(&problem->set, run->sparsity, n, NULL, run->keys, &run->work, run->chosen);
    for (int64_t j = 0; j < n; j++) {
        if (next < kept && run->chosen[next] == j) {
            x[j] = problem_clip(problem, j, x[j]);
            next++;
        } else {
            x[j] = 0;
        }
    }
}
