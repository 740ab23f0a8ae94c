/*
 * The best sparse solution in the time given.
 *
 * HOW IT WORKS: OMP, which takes next to no time; a greedy start; the start of the user; all supports, when
 * there are few enough; then restarts. Effort e goes through the levels 1 .. e; level 4 begins with SPGM, with the seed
 * of the run, and the methods that the paper compares it with. A level ends when 2^(level - 1) restarts in a row have
 * brought nothing and, where the work of the level allows, when no exchange of one column lowers F. Every effort thus
 * begins with all that a smaller one does: more is never worse.
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
    struct islands *islands; /* NULL: before there is a model, and on large data */
    struct workspace workspace;
    struct alone alone; /* methods, as they would run alone                            */
    double zero;        /* h at x = 0                                                  */
    int levels;         /* to climb                                                    */
    int is_opening;     /* of branch and bound: nothing is proven                      */
    int by_time;        /* effort 0 and a time limit: go on until it                   */
    int is_bounded;     /* branch and bound has run                                    */
    int has_tried;      /* a bound has been looked for under a time limit               */
    int shown;          /* the portfolio has run                                       */
    int64_t idle;       /* restarts in a row that have brought nothing                 */
    struct checks checks;
};

static int effort_of(const struct run *run) {
    return run->options->effort == 0 ? DEFAULT_EFFORT : (int)run->options->effort;
}

/* F is never negative without a linear or smooth term, so that a perfect fit cannot be improved. */
static int is_perfect(const struct automatic *a) {
    const struct smooth *f = &a->run->problem->f;

    return f->linear == NULL && f->term == NULL &&
           islessequal(a->run->best_objective, a->run->problem->h.kind->perfect * a->zero);
}

static int is_stopped(struct automatic *a) {
    return a->run->outcome == SPGM_INTERRUPTED || a->run->spent >= a->run->allowance || is_perfect(a) ||
           run_must_stop(a->run);
}

/* The search that checks all exchanges, and takes the ends of methods. */
static struct exchange *exchange_of(struct automatic *a) {
    return islands_first(a->islands)->exchange;
}

/* How many times as many restarts a level may waste: more on small problems, where they cost next to nothing. */
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

/* SPGM, and slower ones that are now and then in a valley that exchanges from the other starts do not enter. */
static spgm_error run_portfolio(struct automatic *a, spgm_status *status) {
    static const struct method *const methods[] = {&method_spgm_bcd, &method_spgm_iht, &method_admm_iht,
                                                   &method_psgd,     &method_ncvx_lp,  &method_cvx_l1};

    a->shown = 1;
    return islands_try_methods(a->islands, &a->alone, (int)(sizeof methods / sizeof *methods), methods, status);
}

/* ---- the levels ------------------------------------------------------------------------------------------------- */

/* Under a time limit alone the portfolio waits for some restarts, which bring more at first. No choice depends on the
 * clock: a longer limit goes the way of a shorter one, and on. */
static spgm_error portfolio_in_time(struct automatic *a, spgm_status *status) {
    spgm_error error = SPGM_OK;

    if (!a->shown && a->run->restarts >= PORTFOLIO_AFTER) {
        error = run_portfolio(a, status);
    }
    return error;
}

/* A run that goes on until its limit has no end to compute a bound at: it does so as soon as that is a part of the work
 * done by then. */
static spgm_error bound_in_time(struct automatic *a, spgm_status *status) {
    struct run *run = a->run;
    double done = run_passes(run) * (double)run->problem->A->nonzeros;

    if (!isfinite(run->options->time_limit) || a->is_opening || a->has_tried) {
        return SPGM_OK;
    }
    return exact_bound(run, BOUND_PART * done, &a->has_tried, status);
}

/* ---- every exchange of the best support -------------------------------------------------------------------------- */

static int is_verified(const struct automatic *a) {
    return checks_done(&a->checks, a->run) >= a->run->problem->set.units;
}

/* Go on fitting them, those with the units that promise most first. *again: one helped. */
static spgm_error check_exchanges(struct automatic *a, int *again, spgm_status *status) {
    double before = a->run->best_objective;
    int verdict = checks_go_on(&a->checks, a->run, exchange_of(a));

    *again = verdict < 0 && isless(a->run->best_objective, before - margin_of(a, before));
    a->idle = *again ? 0 : a->idle;
    return exchange_error(exchange_of(a), status);
}

/* Unless it is known or too much work. *again: one helped. */
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

/* Under a time limit alone a share of the work goes into the same, as far as it takes it. */
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

/* Restarts that have brought nothing. Where one in so many of them, or more, came from elsewhere and ended at the best
 * F again, each of these counts as many times as the patience is long: then 2^(level - 1) of them are enough. Of 16
 * starts in one valley, a lower one half as wide has been missed once in a thousand times. Not before the ends of the
 * methods are among them: walks alone may all end in one valley. Nor where time is the limit. */
static int64_t wasted_of(struct automatic *a, int level) {
    int64_t arrivals = islands_arrivals(a->islands);
    int64_t part = a->run->problem->h.kind->reweights ? AGREEING_PART : AGREEING_PART_PEAKS;
    int do_agree = !a->by_time && level >= METHODS_LEVEL && arrivals * part >= a->idle;

    return a->idle + (do_agree ? (patience_of(a) - 1) * arrivals : 0);
}

/* Whether fits are cheap and no other start has come to the best F than that which found it. Not for losses of a few
 * rows or of signs, whose fits took as long as they may. */
static int is_alone(const struct automatic *a) {
    const struct loss_kind *kind = a->run->problem->h.kind;
    int64_t size = a->run->problem->A->rows * run_capacity(a->run);

    return size <= ALONE_SIZE && kind->reweights && kind->degree == 1 && !kind->is_of_sign &&
           islands_arrivals(a->islands) <= 1;
}

/* Restarts in a row that a level may waste: more while the best F stands alone. */
static int64_t most_wasted(struct automatic *a, int level) {
    int64_t times = !a->by_time && level >= METHODS_LEVEL && is_alone(a) ? ALONE_TIMES : 1;

    return times * (patience_of(a) << (level - 1));
}

/* Until so many have brought nothing. */
static spgm_error restart_while_it_pays(struct automatic *a, int level, spgm_status *status) {
    spgm_error error = SPGM_OK;

    while (wasted_of(a, level) < most_wasted(a, level) && error == SPGM_OK && !is_stopped(a)) {
        double before = a->run->best_objective;
        int64_t restarts = a->run->restarts;

        error = bound_in_time(a, status);
        error = error == SPGM_OK && !is_stopped(a) ? portfolio_in_time(a, status) : error;
        error = error == SPGM_OK && !is_stopped(a) ? verify_in_time(a, status) : error;
        if (error == SPGM_OK && !is_stopped(a)) {
            error = islands_round(a->islands, (most_wasted(a, level) - wasted_of(a, level) + ISLANDS - 1) / ISLANDS,
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

/* ---- the way in ------------------------------------------------------------------------------------------------- */

/* OMP says how it picks its columns, and nothing of the fit at its end: that is said here. */
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

/* Never worse than OMP even in a few milliseconds. */
static spgm_error open_with_omp(struct automatic *a, spgm_status *status) {
    spgm_error error = run_omp(a, status);

    if (error == SPGM_OK && !is_stopped(a)) { /* its memory is much, and worth nothing before there is a model */
        error = islands_new(a->run, a->is_opening ? 1 : ISLANDS, a->zero, &a->islands, status);
        error = error == SPGM_OK ? islands_open(a->islands, a->alone.best, status) : error;
    }
    return error;
}

/* Branch and bound within the work of the effort, before anything else where that is likely to be the end of it. */
static spgm_error prove_early(struct automatic *a, spgm_status *status) {
    struct run *run = a->run;
    double scale = ldexp(1, effort_of(run) - DEFAULT_EFFORT);
    double supports = enumerate_count(run);
    int are_some = supports <= scale * SOME_SUPPORTS && run->problem->A->columns <= SOME_COLUMNS;
    double work = supports <= scale * FEW_SUPPORTS ? FEW_WORK : are_some ? SOME_WORK : TREE_WORK;
    struct exact_limits limits = {.work = scale * work,
                                  .total = scale * fmax(work, SOME_WORK),
                                  .stuck = work == FEW_WORK ? 0 : scale * TREE_WORK, /* few supports are all fitted */
                                  .nodes = INT64_MAX,
                                  .bytes = TREE_BYTES};
    int is_done = 0;

    if (run->problem->A->reduce != NULL || exact_root_work(run) > limits.work) {
        return SPGM_OK;
    }
    a->is_bounded = 1;
    return exact_tree(run, &limits, &is_done, status);
}

/* A bound at least, for about as much work as the search. */
static spgm_error prove_late(struct automatic *a, spgm_status *status) {
    struct run *run = a->run;
    struct exact_limits limits = {.work = ldexp(BOUND_WORK, effort_of(run) - DEFAULT_EFFORT), .bytes = TREE_BYTES};
    int is_done = 0;

    if (a->is_bounded || run->problem->A->reduce != NULL || exact_root_work(run) > limits.work) {
        return SPGM_OK;
    }
    return exact_tree(run, &limits, &is_done, status);
}

/* A model at once; OMP, where its passes over the data are affordable; then samples, and all rows. */
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

/* Large, and what cannot be sampled (groups, smooth terms), with rows that live elsewhere: the methods alone, each end
 * fitted. Exchanges need rows in one place. */
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

/* x = 0, which a short time may leave as the best. Its vectors over rows are not kept. */
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

/* levels < 0: those of the effort, and a proof where that is cheap. */
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
        return share_gathered(run, &method_auto, status); /* rows that live elsewhere, and fit in one place */
    }
    error = is_convex ? enumerate_run(run, status) : run_search(run, -1, status);
    return error != SPGM_OK ? error : prune_rounding(run, status);
}

spgm_error auto_open(struct run *run, int levels, spgm_status *status) {
    return enumerate_count(run) == 1 ? enumerate_run(run, status) : run_search(run, levels, status);
}

const struct method method_auto = {
    .name = "auto",
    .summary = "the best sparse solution in the time given",
    .run = run_auto,
};
