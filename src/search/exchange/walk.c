/*
 * Walks (tabu search): forced exchanges away from a local optimum, where units that moved may not move back for some
 * steps. If one reweighted least-squares step comes near a fit, every step of a walk is fitted by one such step, which
 * is many times cheaper than an exact fit and guides the walk as well. The end of the walk is fitted exactly.
 */
#include <math.h>
#include <string.h>

#include "linalg/vector.h"
#include "search/constants.h"
#include "search/exchange/internal.h"

/* The tabu tenure. Where the surrogate is F itself it is such that the walk stays near minima. */
static int64_t draw_tenure(struct exchange *a) {
    struct random *random = &a->run->random;
    double root = sqrt((double)a->current.unit_count);

    return a->is_steady ? llround(STEADY_TENURE * root) + random_below(random, llround(STEADY_CHANCE * root) + 1)
                        : 1 + TENURE / 2 + random_below(random, TENURE + 1);
}

void walk_bar(struct exchange *a, int64_t left, int64_t entered) {
    int64_t tenure = draw_tenure(a);

    a->tabu.enter[left] = a->tabu.step + 2 * tenure;
    a->tabu.leave[entered] = a->tabu.step + tenure;
}

/* The number of candidates of a step beyond the size of the support: fewer if only the columns in sight are priced,
 * since those were chosen. */
static int64_t usual_candidates(const struct exchange *a) {
    return a->sight.most > 0 ? SIGHT_NEAR : NEAR_CANDIDATES;
}

/* The same for the first step of a walk: `usual`, unless it is time to look at all of very many columns. */
static int64_t first_candidates(struct exchange *a, int64_t usual) {
    if (a->sight.most == 0) {
        return usual;
    }
    if (sight_is_due(a)) {
        sight_close(a);
    }
    return a->sight.count == 0 ? SIGHT_FIRST : usual;
}

/* Build a surrogate and find the best trial. Returns 0 if there is none. */
static int best_trial(struct exchange *a, int64_t candidates, struct trial *trial) {
    int level = (int)random_below(&a->run->random, a->problem->h.kind->levels);

    a->tabu.step++;
    if (!surrogate_build(a, level, candidates + a->current.size)) {
        return 0;
    }
    sight_narrow(a);
    trials_choose(a);
    trials_value(a);
    if (a->trials.count == 0) {
        return 0;
    }
    *trial = a->trials.list[0];
    return 1;
}

static void move_roughly(struct exchange *a, const struct trial *trial) {
    int64_t entered = a->surrogate.unit[trial->in], size = current_after(a, trial);

    current_load(a, size, a->T);
    current_set(a, a->Tx);
    walk_bar(a, trial->out, entered);
}

static void walk_roughly(struct exchange *a) {
    int64_t length =
        2 * a->current.unit_count < a->habits->walk_length ? 2 * a->current.unit_count : a->habits->walk_length;
    double last = INFINITY;
    struct trial trial;

    for (int64_t t = 0; t < length && !exchange_is_spent(a) && !exchange_late(a); t++) {
        double F;

        a->current.is_rough = 1;
        if (!best_trial(a, t == 0 ? first_candidates(a, FIRST_CANDIDATES) : usual_candidates(a), &trial)) {
            break;
        }
        F = a->current.objective;
        if (t >= WALK_LEAST && F < elites_worthwhile(a) && trial.line > F - LEVEL * fabs(F) && F < last) {
            break;
        }
        last = F;
        move_roughly(a, &trial);
    }
    current_warm(a, a->current.x);
}

static void move_exactly(struct exchange *a, const struct trial *trial) {
    int64_t entered = a->surrogate.unit[trial->in], size = current_after(a, trial);

    fit_set_active(a->fit, &a->current.active);
    current_load(a, size, a->T);
    current_warm(a, a->Tx);
    walk_bar(a, trial->out, entered);
}

/* The number of exchanges on one surrogate: a few, and fewer if they would replace much of the support. */
static int64_t exchanges_per_surrogate(const struct exchange *a) {
    int64_t share = a->current.unit_count / QUICK_UNITS;

    if (a->problem->h.kind->is_quadratic) {
        return EXACT_RUN;
    }
    return share < 1 ? 1 : share < QUICK_RUN ? share : QUICK_RUN;
}

/* A walk on surrogates, each for several exchanges: until a minimum after `least` exchanges, or `length` exchanges. */
static void walk_by_surrogates(struct exchange *a, int64_t length, int64_t least) {
    int64_t run = exchanges_per_surrogate(a);
    double enough = least > 0 ? elites_worthwhile(a) : INFINITY;
    int is_over = 0;

    for (int64_t t = 0; t < length && !is_over && !exchange_is_spent(a) && !exchange_late(a); t += run) {
        a->current.is_rough = 1;
        if (!stroll_build(a, (int)random_below(&a->run->random, a->problem->h.kind->levels),
                          usual_candidates(a) + a->current.size)) {
            break;
        }
        is_over = stroll_walk(a, run, t == 0 ? least : 0, enough);
        stroll_leave(a);
    }
    current_warm(a, a->current.x);
}

/* A walk for sums over rows: several exchanges on each surrogate, which costs as much as dozens of them. The first
 * exchange is made by itself because it has more candidates than such a surrogate has room for. */
static void walk_quickly(struct exchange *a) {
    int64_t units = a->current.unit_count, length = 2 * units < QUICK_LENGTH ? 2 * units : QUICK_LENGTH;
    struct trial trial;

    a->current.is_rough = 1;
    if (best_trial(a, first_candidates(a, FIRST_CANDIDATES), &trial)) {
        move_roughly(a, &trial);
    }
    walk_by_surrogates(a, length, (int64_t)WALK_LEAST << a->unrest);
}

void walk_down(struct exchange *a) {
    if (a->stroll.most > 0) {
        walk_by_surrogates(a, DOWN_LENGTH * a->current.unit_count, 0);
    }
}

static void walk_exactly(struct exchange *a) {
    double target = a->best - IMPROVES * fabs(a->best);
    int64_t length = (int64_t)a->habits->walk_length << a->unrest;
    struct trial trial;

    for (int64_t t = 0; t < length && !exchange_late(a) && !isless(a->current.objective, target); t++) {
        if (!best_trial(a, t == 0 ? first_candidates(a, usual_candidates(a)) : usual_candidates(a), &trial)) {
            break;
        }
        move_exactly(a, &trial);
    }
}

/* Exchange one random unit of the current support for another one, if the feasible set allows it; x starts at 0 there.
 */
static void kick_once(struct exchange *a) {
    struct random *random = &a->run->random;
    struct current *c = &a->current;
    int64_t out = c->units[random_below(random, c->unit_count)], in = random_below(random, a->set->units), size = 0;

    if (c->position[unit_first(a, in)] >= 0 ||
        (!a->set->is_plain && !a->set->rule->may_enter(a->set, c->used, in, out))) {
        return;
    }
    for (int64_t k = 0; k < c->size; k++) {
        if (k < a->problem->free_count || a->set->unit_of[c->columns[k]] != out) {
            a->T[size] = c->columns[k];
            a->Tx[size++] = c->x[k];
        }
    }
    for (int64_t k = a->set->unit_start[in]; k < a->set->unit_start[in + 1]; k++) {
        a->T[size] = a->set->unit_columns[k];
        a->Tx[size++] = 0;
    }
    current_load(a, size, a->T);
    vector_copy(size, a->Tx, c->x);
}

void walk_kick(struct exchange *a, int64_t moves) {
    for (int64_t t = 0; t < moves; t++) {
        kick_once(a);
    }
    a->current.active.count = 0;
    fit_set_active(a->fit, &a->current.active);
    current_warm(a, a->current.x);
}

/* EXACT_RUN exchanges on a surrogate in double precision. Returns 0 if it cannot be built or the time is up. */
static int stroll_on(struct exchange *a) {
    int goes;

    a->current.is_rough = 1;
    goes = stroll_build(a, 0, NEAR_CANDIDATES + a->current.size);
    if (goes) {
        goes = stroll_wander(a, EXACT_RUN);
        stroll_leave(a);
    }
    return goes;
}

void trail_keep(struct trail *trail, double F, int64_t size, const int64_t *columns, const double *x) {
    trail->lowest = F;
    trail->kept = size;
    memcpy(trail->best, columns, (size_t)size * sizeof *columns);
    vector_copy(size, x, trail->best_x);
}

static void stroll_far(struct exchange *a, int64_t length) {
    struct trail *trail = &a->trail;
    struct current *c = &a->current;

    if (trail->size > 0) {
        current_load(a, trail->size, trail->columns);
        current_set(a, trail->x);
    }
    for (int64_t t = 0; t < length && !exchange_late(a) && stroll_on(a); t += EXACT_RUN) {
    }
    trail->size = c->size;
    memcpy(trail->columns, c->columns, (size_t)c->size * sizeof *c->columns);
    vector_copy(c->size, c->x, trail->x);
}

/* The walk where the surrogate is F itself. It continues from where the last walk ended. Its result is the lowest
 * minimum on the way; the next walk does not begin there, or it would never leave that minimum. */
static void walk_on(struct exchange *a) {
    struct trail *trail = &a->trail;
    struct current *c = &a->current;
    int64_t length = a->current.unit_count + EXACT_LENGTH;

    trail->kept = 0;
    trail->lowest = INFINITY;
    if (a->tour.is_open && (tour_go(a, length) || a->tour.is_live)) {
        tour_end(a);
    } else {
        stroll_far(a, length);
    }
    current_load(a, trail->kept > 0 ? trail->kept : trail->size, trail->kept > 0 ? trail->best : trail->columns);
    vector_copy(c->size, trail->kept > 0 ? trail->best_x : trail->x, c->x);
    current_warm(a, c->x);
}

void walk_away(struct exchange *a) {
    if (a->is_steady) {
        walk_on(a);
        return; /* the tabu list is kept for the next walk */
    }
    if (a->stroll.most > 0) {
        walk_quickly(a);
    } else if (a->habits->walks_roughly) {
        walk_roughly(a);
    } else {
        walk_exactly(a);
    }
    a->tabu.step += 1000000; /* the tabu list is empty now */
}
