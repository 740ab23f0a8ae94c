/*
 * The default method `auto`.
 *
 * HOW IT WORKS: OMP first, which takes little time, and a second greedy start; the user's start; branch and bound if it
 * is likely to finish; then restarts of the exchange search. Effort e goes through the levels 1 .. e. Level 4 begins
 * with SPGM, with the seed of the run, and with the methods that the paper compares it with. A level ends when 2^(level
 * - 1) restarts in a row have not lowered F and, if the work of the level allows the check, no exchange of one column
 * lowers F. Every effort begins with everything that a smaller one does, so F never rises with effort.
 */
#include "search/auto.h"

#include <math.h>

#include "fit/fit.h"
#include "linalg/vector.h"
#include "method/admm_iht/admm_iht.h"
#include "method/cvx_l1/cvx_l1.h"
#include "method/ncvx_lp/ncvx_lp.h"
#include "method/omp/omp.h"
#include "method/psgd/psgd.h"
#include "method/spgm_bcd/spgm_bcd.h"
#include "method/spgm_iht/spgm_iht.h"
#include "search/alone.h"
#include "search/constants.h"
#include "search/enumerate.h"
#include "search/exact.h"
#include "search/islands.h"
#include "search/large.h"
#include "search/prune.h"
#include "search/share.h"

struct automatic {
    struct run *run;
    struct islands *islands; /* NULL before there is a model, and for large data */
    struct workspace workspace;
    struct alone alone;    /* runs methods as they would run alone */
    double zero;           /* h at x = 0 */
    int levels;            /* how many levels to go through */
    int is_opening;        /* an incumbent for branch and bound: no proof is tried */
    int by_time;           /* effort 0 and a time limit: go on until the time is up */
    int is_bounded;        /* branch and bound has run */
    int has_tried;         /* a bound was tried under a time limit */
    int has_run_portfolio; /* the portfolio of methods has run */
    int64_t idle;          /* restarts in a row that have not lowered F */
    struct checks checks;
};

static int effort_of(const struct run *run) {
    return run->options->effort == 0 ? DEFAULT_EFFORT : (int)run->options->effort;
}

/* Without a linear or smooth term F is never negative, so a perfect fit cannot be improved. */
static int is_perfect(const struct automatic *a) {
    const struct smooth *f = &a->run->problem->f;

    return f->linear == NULL && f->term == NULL &&
           islessequal(a->run->best_objective, a->run->problem->h.kind->perfect * a->zero);
}

static int is_stopped(struct automatic *a) {
    return a->run->outcome == SPGM_INTERRUPTED || a->run->spent >= a->run->allowance || is_perfect(a) ||
           run_must_stop(a->run);
}

/* The exchange search that checks all exchanges and improves the ends of methods. */
static struct exchange *exchange_of(struct automatic *a) {
    return islands_first(a->islands)->exchange;
}

/* The factor on the number of restarts in a row without a lower F: larger for small problems, whose restarts cost
 * little. */
static int64_t patience_of(struct automatic *a) {
    const struct run *run = a->run;
    int64_t size = run->problem->free_count + run->sparsity;
    double share = fit_work(run->problem, size, 1) / fit_work(run->problem, size, 0); /* 1: fits from scratch */
    double cost = (double)run->problem->A->nonzeros * (double)size * fmax(1, share * (double)size);
    int64_t times = run->problem->h.kind->is_quadratic ? QUADRATIC_PATIENCE : 1;

    return times * exchange_patience(exchange_of(a)) * (int64_t)fmax(1, fmin(MOST_TIMES, SMALL_COST / cost));
}

static double margin_of(struct automatic *a, double F) {
    return exchange_margin(exchange_of(a), F);
}

/* ---- the portfolio ---------------------------------------------------------------------------------------------- */

/* SPGM, and slower methods that sometimes end in a valley that exchanges from the other starts do not reach. */
static spgm_error run_portfolio(struct automatic *a, spgm_status *status) {
    static const struct method *const methods[] = {&method_spgm_bcd, &method_spgm_iht, &method_admm_iht,
                                                   &method_psgd,     &method_ncvx_lp,  &method_cvx_l1};

    a->has_run_portfolio = 1;
    return islands_try_methods(a->islands, &a->alone, (int)(sizeof methods / sizeof *methods), methods, status);
}

/* ---- the levels ------------------------------------------------------------------------------------------------- */

/* Under a time limit without effort the portfolio waits for some restarts, which lower F more at first. The order does
 * not depend on the clock: a run with a longer limit repeats one with a shorter limit and continues. */
static spgm_error portfolio_in_time(struct automatic *a, spgm_status *status) {
    spgm_error error = SPGM_OK;

    if (!a->has_run_portfolio && a->run->restarts >= PORTFOLIO_AFTER) {
        error = run_portfolio(a, status);
    }
    return error;
}

/* A run that goes on until its time limit has no end at which to compute a bound. It does so as soon as the bound takes
 * at most a certain part of the work done so far. */
static spgm_error bound_in_time(struct automatic *a, spgm_status *status) {
    struct run *run = a->run;
    double done = run_passes(run) * (double)run->problem->A->nonzeros;

    if (!isfinite(run->options->time_limit) || a->is_opening || a->has_tried) {
        return SPGM_OK;
    }
    return exact_bound(run, BOUND_PART * done, &a->has_tried, status);
}

/* ---- the check of all exchanges ---------------------------------------------------------------------------------- */

static int is_verified(const struct automatic *a) {
    return checks_done(&a->checks, a->run) >= a->run->problem->set.units;
}

/* One more round of the check, over the units that promise most among the rest. *again: an exchange lowered F. */
static spgm_error check_exchanges(struct automatic *a, int *again, spgm_status *status) {
    double before = a->run->best_objective;
    int verdict = checks_go_on(&a->checks, a->run, exchange_of(a));

    *again = verdict < 0 && isless(a->run->best_objective, before - margin_of(a, before));
    a->idle = *again ? 0 : a->idle;
    return exchange_error(exchange_of(a), status);
}

/* The whole check, unless it is done already or would take too much work. *again: an exchange lowered F. */
static spgm_error verify(struct automatic *a, int level, int *again, spgm_status *status) {
    double work = ldexp(VERIFY_WORK, level - DEFAULT_EFFORT);
    spgm_error error = SPGM_OK;

    *again = 0;
    if (a->by_time || is_verified(a) || exchange_verify_work(exchange_of(a), 0, a->run->problem->set.units) > work) {
        return SPGM_OK;
    }
    do {
        error = is_stopped(a) ? SPGM_OK : check_exchanges(a, again, status);
    } while (error == SPGM_OK && a->checks.done > 0 && !is_verified(a) && !is_stopped(a));
    return error;
}

/* Under a time limit without effort, the check gets a share of the work, and rounds are made as long as they fit into
 * it. */
static spgm_error verify_in_time(struct automatic *a, spgm_status *status) {
    double part = a->run->problem->h.kind->reweights ? VERIFY_PART : VERIFY_PART_PEAKS;
    spgm_error error = SPGM_OK;
    int goes_on = 1;

    while (error == SPGM_OK && goes_on && a->by_time && !is_verified(a) && !is_stopped(a)) {
        double work = checks_work(&a->checks, a->run, exchange_of(a));
        int again;

        if (work > VERIFY_AT_ONCE * a->run->spent || a->checks.spent + work > part * a->run->spent) {
            break;
        }
        error = check_exchanges(a, &again, status);
        goes_on = again || a->checks.done > 0;
    }
    return error;
}

/* ---- the levels ------------------------------------------------------------------------------------------------- */

/* How many restarts have not lowered F, for comparison with the number that a level allows. If at least one in
 * AGREEING_PART of them began at a higher F and ended at the best F again, each of these counts `patience` times, so
 * that 2^(level - 1) of them are enough. Of 16 starts in one valley, a lower valley half as wide has been missed once
 * in a thousand times. This applies only once the ends of the methods are among the starts, since walks alone may all
 * end in one valley, and not under a time limit. */
static int64_t idle_restarts(struct automatic *a, int level) {
    int64_t arrivals = islands_arrivals(a->islands);
    int64_t part = a->run->problem->h.kind->reweights ? AGREEING_PART : AGREEING_PART_PEAKS;
    int do_agree = !a->by_time && level >= METHODS_LEVEL && arrivals * part >= a->idle;

    return a->idle + (do_agree ? (patience_of(a) - 1) * arrivals : 0);
}

/* Whether fits are cheap and no start but the one that found the best F has ended at it. Not for losses that few rows
 * decide and losses for labels, whose fits took as long as they were allowed to. */
static int best_stands_alone(const struct automatic *a) {
    const struct loss_kind *kind = a->run->problem->h.kind;
    int64_t size = a->run->problem->A->rows * run_capacity(a->run);

    return size <= ALONE_SIZE && kind->reweights && kind->degree == 1 && !kind->is_of_sign &&
           islands_arrivals(a->islands) <= 1;
}

/* How many restarts in a row may fail to lower F: more while the best F stands alone. */
static int64_t most_idle(struct automatic *a, int level) {
    int64_t times = !a->by_time && level >= METHODS_LEVEL && best_stands_alone(a) ? ALONE_TIMES : 1;

    return times * (patience_of(a) << (level - 1));
}

/* Restart until as many restarts in a row have not lowered F. */
static spgm_error restart_while_it_pays(struct automatic *a, int level, spgm_status *status) {
    spgm_error error = SPGM_OK;

    while (idle_restarts(a, level) < most_idle(a, level) && error == SPGM_OK && !is_stopped(a)) {
        double before = a->run->best_objective;
        int64_t restarts = a->run->restarts;

        error = bound_in_time(a, status);
        error = error == SPGM_OK && !is_stopped(a) ? portfolio_in_time(a, status) : error;
        error = error == SPGM_OK && !is_stopped(a) ? verify_in_time(a, status) : error;
        if (error == SPGM_OK && !is_stopped(a)) {
            error = islands_round(a->islands, (most_idle(a, level) - idle_restarts(a, level) + ISLANDS - 1) / ISLANDS,
                                  status);
        }
        if (error == SPGM_OK && !is_stopped(a)) {
            run_note(a->run, a->run->best_objective, a->run->sparsity);
        }
        a->idle =
            isless(a->run->best_objective, before - margin_of(a, before)) ? 0 : a->idle + a->run->restarts - restarts;
    }
    return error;
}

static spgm_error climb_levels(struct automatic *a, spgm_status *status) {
    int levels = a->by_time ? MOST_LEVELS : a->levels;
    spgm_error error = SPGM_OK;

    for (int level = 1; level <= levels && error == SPGM_OK && !is_stopped(a); level++) {
        int again = 1;

        if (level == METHODS_LEVEL && !a->by_time) {
            error = run_portfolio(a, status);
        }
        while (again && error == SPGM_OK && !is_stopped(a)) {
            error = restart_while_it_pays(a, level, status);
            again = 0;
            if (error == SPGM_OK) {
                error = verify(a, level, &again, status);
            }
        }
    }
    if (error == SPGM_OK && !is_stopped(a)) {
        a->run->outcome = is_verified(a) ? SPGM_LOCAL_OPTIMUM : SPGM_SEARCHED;
    }
    return error;
}

/* ---- the opening ------------------------------------------------------------------------------------------------ */

/* OMP reports its greedy picks but not the fit at its end, which is reported here. */
static spgm_error run_omp(struct automatic *a, spgm_status *status) {
    const char *phase = a->run->phase;
    spgm_error error = alone_run(&a->alone, &method_omp, a->run, status);

    if (error == SPGM_OK && !is_stopped(a)) {
        a->run->phase = method_omp.name;
        run_note(a->run, a->run->best_objective, a->run->sparsity);
        a->run->phase = phase;
    }
    return error;
}

/* OMP comes first so that `auto` is never worse than OMP, even within a few milliseconds. */
static spgm_error open_with_omp(struct automatic *a, spgm_status *status) {
    spgm_error error = run_omp(a, status);

    if (error == SPGM_OK && !is_stopped(a)) { /* the islands take much memory, which is useless before there is a
                                                 model */
        error = islands_new(a->run, a->is_opening ? 1 : ISLANDS, a->zero, &a->islands, status);
        error = error == SPGM_OK ? islands_open(a->islands, a->alone.best, status) : error;
    }
    return error;
}

/* Branch and bound within the work of the effort, before the restarts, where it is likely to finish. */
static spgm_error prove_early(struct automatic *a, spgm_status *status) {
    struct run *run = a->run;
    double scale = ldexp(1, effort_of(run) - DEFAULT_EFFORT);
    double supports = enumerate_count(run);
    int are_some = supports <= scale * SOME_SUPPORTS && run->problem->A->columns <= SOME_COLUMNS;
    double work = supports <= scale * FEW_SUPPORTS ? FEW_WORK : are_some ? SOME_WORK : TREE_WORK;
    struct exact_limits limits = {.work = scale * work,
                                  .total = scale * fmax(work, SOME_WORK),
                                  .stuck = work == FEW_WORK ? 0 : scale * TREE_WORK, /* with few supports all of them
                                                                                        are fitted */
                                  .nodes = INT64_MAX,
                                  .bytes = TREE_BYTES};
    int is_done = 0;

    if (run->problem->A->reduce != NULL || exact_root_work(run) > limits.work) {
        return SPGM_OK;
    }
    a->is_bounded = 1;
    return exact_tree(run, &limits, &is_done, status);
}

/* The bound of the root alone, in about the work of the search. */
static spgm_error prove_late(struct automatic *a, spgm_status *status) {
    struct run *run = a->run;
    struct exact_limits limits = {.work = ldexp(BOUND_WORK, effort_of(run) - DEFAULT_EFFORT), .bytes = TREE_BYTES};
    int is_done = 0;

    if (a->is_bounded || run->problem->A->reduce != NULL || exact_root_work(run) > limits.work) {
        return SPGM_OK;
    }
    return exact_tree(run, &limits, &is_done, status);
}

/* Large data: a first model at once; OMP if its passes over the data are affordable; then searches in samples and on
 * all rows. */
static spgm_error search_large(struct automatic *a, spgm_status *status) {
    struct run *run = a->run;
    int levels = a->by_time ? MOST_LEVELS : a->levels > 0 ? a->levels : 1;
    const double *greedy = NULL;
    double *square = workspace_doubles(&a->workspace, run->problem->A->columns);
    spgm_error error = a->workspace.failed ? status_memory(status, a->workspace.bytes)
                                           : large_first(run, &large_sizes, square, status);

    if (error == SPGM_OK && !is_stopped(a) && large_affords_greedy(run, &large_sizes)) {
        a->alone.first.is_fitted_later = 1;
        error = alone_run(&a->alone, &method_omp, a->run, status);
        greedy = a->alone.x;
    }
    return error == SPGM_OK && !is_stopped(a)
               ? large_search(run, &large_sizes, square, greedy, a->alone.start, levels, status)
               : error;
}

/* Large data with rows on several processes that cannot be sampled (groups, smooth terms): only the methods are run,
 * and each end is fitted. Exchanges would need all rows in one process. */
static spgm_error search_spread(struct automatic *a, spgm_status *status) {
    static const struct method *const methods[] = {&method_omp, &method_spgm_bcd, &method_spgm_iht, &method_psgd};
    int64_t *support = workspace_integers(&a->workspace, a->run->problem->A->columns);
    spgm_error error = a->workspace.failed ? status_memory(status, a->workspace.bytes) : SPGM_OK;

    for (int i = 0; i < 4 && error == SPGM_OK && !is_stopped(a); i++) {
        struct fit_report report;
        int64_t k;

        error = alone_run(&a->alone, methods[i], a->run, status);
        k = fit_support_of(a->run->problem, a->alone.best, support);
        if (error == SPGM_OK && !is_stopped(a)) {
            error = fit_once(a->run->problem, k, support, a->alone.best, &report, run_is_late, a->run, status);
            run_offer(a->run, a->alone.best, error == SPGM_OK ? report.objective : NAN);
            a->run->restarts++;
        }
    }
    if (error == SPGM_OK && !is_stopped(a)) {
        a->run->outcome = SPGM_SEARCHED;
    }
    return error;
}

static spgm_error search(struct automatic *a, spgm_status *status) {
    struct run *run = a->run;
    spgm_error error;

    if (large_applies(run, &large_sizes)) {
        return search_large(a, status);
    }
    if (run_party(run) != NULL) {
        return search_spread(a, status);
    }
    error = open_with_omp(a, status);
    if (error == SPGM_OK && run->start_given && !is_stopped(a)) {
        exchange_start(exchange_of(a), a->alone.start, 0, INFINITY);
        island_tally(islands_first(a->islands));
        islands_tally(a->islands);
        error = exchange_error(exchange_of(a), status);
    }
    if (error != SPGM_OK || is_stopped(a)) {
        return error;
    }
    if (!a->is_opening) {
        error = prove_early(a, status);
    }
    if (error == SPGM_OK && run->outcome != SPGM_OPTIMAL && !is_stopped(a)) {
        error = climb_levels(a, status);
    }
    if (error == SPGM_OK && !a->is_opening && !a->by_time && run->outcome != SPGM_OPTIMAL && !is_stopped(a)) {
        error = prove_late(a, status);
    }
    return error;
}

/* Offer x = 0, which is the result if time is very short. Its vectors over rows are freed again. */
static spgm_error offer_zero(struct automatic *a, spgm_status *status) {
    const struct problem *problem = a->run->problem;
    struct workspace workspace = {.memory = problem->A->memory};
    struct point point;
    spgm_error error = SPGM_OK;

    point_init(&point, problem, &workspace);
    if (workspace.failed) {
        error = status_memory(status, workspace.bytes);
    } else {
        point_set(&point, a->alone.x);
        a->zero = problem->h.ops->value(&problem->h, point.residual);
        run_offer(a->run, a->alone.x, point_objective(&point));
    }
    workspace_free(&workspace);
    return error;
}

static spgm_error prepare(struct automatic *a, struct run *run, spgm_status *status) {
    *a = (struct automatic){.run = run, .checks = {.first = VERIFY_FIRST, .of = INFINITY}};
    a->by_time = run_goes_by_time(run);
    alone_init(&a->alone, run, &a->workspace);
    return a->workspace.failed ? status_memory(status, a->workspace.bytes) : offer_zero(a, status);
}

/* levels < 0: the levels of the effort, with a proof if it is cheap. */
static spgm_error run_search(struct run *run, int levels, spgm_status *status) {
    struct automatic a;
    spgm_error error = prepare(&a, run, status);

    a.is_opening = levels >= 0;
    a.levels = levels >= 0 ? levels : effort_of(run);
    a.by_time = !a.is_opening && a.by_time;
    if (error == SPGM_OK) {
        error = search(&a, status);
    }
    if (error == SPGM_OK && is_perfect(&a)) {
        run->outcome = SPGM_OPTIMAL;
        run->bound = 0;
    }
    islands_free(a.islands);
    workspace_free(&a.workspace);
    return error;
}

static spgm_error run_auto(struct run *run, spgm_status *status) {
    int is_convex = enumerate_count(run) == 1;
    spgm_error error;

    if (run_party(run) != NULL && run->source != NULL && !large_is(run, &large_sizes)) {
        return share_gathered(run, &method_auto, status); /* the rows of all processes fit into one */
    }
    error = is_convex ? enumerate_run(run, status) : run_search(run, -1, status);
    return error != SPGM_OK ? error : prune_rounding(run, status);
}

spgm_error auto_open(struct run *run, int levels, spgm_status *status) {
    return enumerate_count(run) == 1 ? enumerate_run(run, status) : run_search(run, levels, status);
}

const struct method method_auto = {
    .name = "auto",
    .summary = "exchange search from many starts, with a proof if it is cheap",
    .run = run_auto,
};
