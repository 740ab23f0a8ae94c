/* Descent by exchanges with exact fits, and the check of all exchanges. */
#include <math.h>
#include <string.h>

#include "linalg/select.h"
#include "linalg/vector.h"
#include "search/exchange/internal.h"

double exchange_swing(const struct problem *problem) {
    int degree = problem->h.kind->degree;

    return degree > 2 ? degree : 1;
}

double exchange_margin(const struct exchange *a, double F) {
    double margin = IMPROVES * fabs(F);
    int degree = a->problem->h.kind->degree;

    if (degree == 0) { /* losses for labels: where columns separate the labels, F falls towards zero without reaching
                          it */
        return margin + RESIDUAL_ROUNDING * a->zero;
    }
    return degree == 2 ? margin + RESIDUAL_ROUNDING * sqrt(fabs(F) * a->zero) : margin;
}

static int is_lower(const struct exchange *a, double F, double than) {
    return isless(F, than - exchange_margin(a, than));
}

/* The exact F after a trial, or INFINITY if it is proven not to be below the cutoff. The fit keeps the solution. */
static double exact_value(struct exchange *a, const struct trial *trial, int64_t *size, double cutoff) {
    *size = current_after(a, trial);
    fit_set_support(a->fit, *size, a->T);
    fit_set_x(a->fit, a->Tx);
    fit_set_active(a->fit, &a->current.active);
    return fit_warm(a->fit, cutoff) == FIT_CUTOFF ? INFINITY : fit_objective(a->fit);
}

/* Make the fit of T the current one. */
static void adopt(struct exchange *a, int64_t size) {
    current_load(a, size, a->T);
    current_take(a);
}

/* Fit the first trials in order and take the first that lowers F. */
static int try_trials(struct exchange *a) {
    int64_t size, most = trials_wanted(a);

    for (int64_t t = 0; t < a->trials.count && t < most && !exchange_late(a); t++) {
        if (is_lower(a, exact_value(a, &a->trials.list[t], &size, a->current.objective), a->current.objective)) {
            adopt(a, size);
            return 1;
        }
    }
    fit_set_support(a->fit, a->current.size, a->current.columns);
    return 0;
}

/* Descent where the surrogate is F itself. Products are kept, and only the candidates become outdated. It ends where F
 * does not follow the surrogate, whose changes are then rounding. */
static void descend_quickly(struct exchange *a) {
    struct current *c = &a->current;
    double before = INFINITY;

    while (!exchange_late(a) && stroll_build(a, 0, NEAR_CANDIDATES + c->size) &&
           (isinf(before) || is_lower(a, c->objective, before))) {
        before = c->objective;
        if (stroll_descend(a, EXACT_RUN, exchange_margin(a, before)) == 0) {
            break;
        }
        stroll_leave(a);
        c->is_rough = 1;
    }
    if (c->is_rough) {
        current_warm(a, c->x);
        a->is_stopped |= run_note(a->run, c->objective, c->unit_count);
    }
}

void exchange_descend(struct exchange *a) {
    int levels = a->problem->h.kind->levels, failures = 0, level = 0;

    if (a->is_steady) {
        descend_quickly(a);
        return;
    }
    while (!exchange_late(a) && !exchange_is_spent(a) && failures < levels) {
        a->tabu.step++;
        if (surrogate_build(a, level, NEAR_CANDIDATES + a->current.size)) {
            trials_choose(a);
            trials_value(a);
            if (try_trials(a)) {
                failures = a->is_doubtful = 0;
                a->is_stopped |= run_note(a->run, a->current.objective, a->current.unit_count);
                continue;
            }
        }
        level = (level + 1) % levels;
        failures = sight_widen(a) ? 0 : failures + 1;
        a->is_doubtful = 1;
    }
    a->is_doubtful = 0;
}

/* ---- the check of all exchanges ---------------------------------------------------------------------------------- */

static int exchange_lowers(struct exchange *a, int64_t out, int64_t unit) {
    const struct current *c = &a->current;
    int64_t size = 0, entering = a->set->unit_start[unit], left = unit_size(a, unit);

    for (int64_t k = 0; k < c->size; k++) {
        if (k < a->problem->free_count || a->set->unit_of[c->columns[k]] != out) {
            a->T[size] = c->columns[k];
            a->Tx[size++] = c->x[k];
        } else if (left > 0) { /* in the same position, so that the fit changes by this column alone */
            a->T[size] = a->set->unit_columns[entering++];
            a->Tx[size++] = 0;
            left--;
        }
    }
    for (; left > 0; left--) {
        a->T[size] = a->set->unit_columns[entering++];
        a->Tx[size++] = 0;
    }
    fit_set_support(a->fit, size, a->T);
    fit_set_x(a->fit, a->Tx);
    fit_set_active(a->fit, &c->active);
    if (fit_warm(a->fit, c->objective) == FIT_CUTOFF || !is_lower(a, fit_objective(a->fit), c->objective)) {
        return 0;
    }
    adopt(a, size);
    return 1;
}

static int check_unit(struct exchange *a, int64_t unit) {
    for (int64_t i = 0; i < a->current.unit_count; i++) {
        int64_t out = a->current.units[i];

        if (exchange_late(a)) {
            return 0;
        }
        if (!a->set->is_plain && !a->set->rule->may_enter(a->set, a->current.used, unit, out)) {
            continue;
        }
        if (excluded_is(a, i, unit)) {
            continue;
        }
        if (exchange_lowers(a, out, unit)) {
            return -1;
        }
        excluded_learn(a, i, unit);
    }
    return 1;
}

/* The promise of each unit at the current support, into score. Norms and prices are those of start_from. */
static void score_units(struct exchange *a) {
    struct surrogate *s = &a->surrogate;

    for (int64_t unit = 0; unit < a->set->units; unit++) {
        s->score[unit] = 0;
        for (int64_t k = a->set->unit_start[unit]; k < a->set->unit_start[unit + 1]; k++) {
            int64_t q = a->set->unit_columns[k];

            s->score[unit] += a->current.position[q] < 0 ? surrogate_promise(a, q, s->norm[q]) : 0;
        }
    }
}

/* The `count`-th highest score; INFINITY for count 0, a value below all scores for all of them. */
static double score_of_rank(struct exchange *a, int64_t count) {
    struct surrogate *s = &a->surrogate;
    double least = INFINITY;

    if (count >= a->set->units) {
        return -1;
    }
    select_largest(a->set->units, s->score, count, s->chosen, s->spare);
    for (int64_t k = 0; k < count; k++) {
        least = fmin(least, s->score[s->chosen[k]]);
    }
    return least;
}

/* Check the candidates in `unit` where the surrogate is F itself: only exchanges that it does not exclude are fitted.
 */
static int check_candidates(struct exchange *a, int64_t count) {
    if (!stroll_begin(a, count)) {
        return 0;
    }
    for (int64_t q = 0; q < count; q++) {
        if (exchange_late(a)) {
            return 0;
        }
        for (int64_t j = a->problem->free_count; j < a->current.size; j++) {
            if (!stroll_excludes(a, j, q) &&
                exchange_lowers(a, a->set->unit_of[a->current.columns[j]], a->surrogate.unit[q])) {
                return -1;
            }
        }
    }
    return 1;
}

/* Check the units outside the support with least <= score < above: `most` at once by surrogates, or for 0 one by one by
 * fits alone. */
static int check_units(struct exchange *a, double least, double above, int64_t most) {
    struct surrogate *s = &a->surrogate;
    int64_t count = 0;
    int verdict = 1;

    for (int64_t unit = 0; unit < a->set->units && verdict > 0; unit++) {
        if (!(s->score[unit] < above && s->score[unit] >= least) || a->current.position[unit_first(a, unit)] >= 0) {
            continue;
        }
        if (most == 0) {
            verdict = check_unit(a, unit);
            continue;
        }
        s->unit[count++] = unit;
        if (count == most) {
            verdict = check_candidates(a, count);
            count = 0;
        }
    }
    return verdict > 0 && count > 0 ? check_candidates(a, count) : verdict;
}

int exchange_verify(struct exchange *a, int64_t first, int64_t last) {
    double above, least, spent = a->run->spent;
    int64_t most;
    int verdict;

    start_from(a, a->run->best_x, 1);
    excluded_begin(a, first == 0);
    most = a->is_steady && surrogate_prepare(a, 0, 1) ? a->stroll.most : 0;
    score_units(a);
    above = score_of_rank(a, first);
    least = score_of_rank(a, last);
    verdict = check_units(a, least, above, most);
    fit_set_support(a->fit, a->current.size, a->current.columns);
    if (verdict < 0) {
        exchange_descend(a);
        elites_remember(a);
    }
    exchange_count_fits(a);
    a->excluded.spent = a->run->spent - spent;
    return verdict;
}

/* The more units have been checked, the more of the remaining exchanges are excluded by their fits. So four times as
 * many units need no more fits than the units before them, roughly. */
double exchange_verify_work(const struct exchange *a, int64_t first, int64_t last) {
    double size = (double)a->full, units = (double)(last - first), work;

    if (a->is_steady) {
        return units * size * (size + (a->products.most == a->columns ? 1 : (double)a->rows));
    }
    work = (double)a->current.unit_count * units * fit_work(a->problem, a->full, 1);
    return first > 0 && a->excluded.size > 0 ? fmin(work, VERIFY_RISE * a->excluded.spent) : work;
}
