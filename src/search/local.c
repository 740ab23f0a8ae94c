/*
 * HOW IT WORKS: at an exactly fitted support the model of exchange.h gives the change of F for every exchange of one
 * column of the support for one of the best priced others, all from one inverse and one product A_S'WA_C. The best few
 * are fitted exactly, the first that lowers F is taken. When none does, the model is made with other weights.
 */
#include "search/local.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "linalg/dense.h"
#include "linalg/select.h"
#include "linalg/vector.h"
#include "search/exchange.h"

enum { CANDIDATES = 512, PAIRS = 8 };

/* F must fall by more than this part of itself: less is rounding. */
static const double worth = 1e-9;

struct pair {
    double change; /* of F, by the model                                         */
    int64_t out;   /* position in the support; -1: nothing leaves                */
    int64_t in;    /* column                                                     */
};

struct local {
    struct run *run;
    const struct problem *problem;
    struct exchange *exchange;
    struct workspace workspace;
    int64_t count;       /* of candidates             */
    int64_t *candidates; /* [CANDIDATES]              */
    double *keys;        /* [columns]                 */
    double *scratch;     /* [columns]                 */
    double *G, *V;       /* A_S'WA_C, M G [capacity x CANDIDATES] */
    double *x;           /* the point at hand [columns]           */
    double objective;    /* there                                 */
    int64_t size;        /* of its support                        */
    int64_t *support;    /* [capacity] in any order               */
    int64_t *trial;      /* [capacity]                            */
    int64_t pairs;
    struct pair best[PAIRS]; /* ascending in change */
};

static int64_t limit(int64_t n) {
    return n < CANDIDATES ? n : CANDIDATES;
}

static spgm_error local_init(struct local *local, struct run *run, spgm_status *status) {
    const struct problem *problem = run->problem;
    struct workspace *workspace = &local->workspace;
    int64_t n = problem->A->columns;
    int64_t capacity = problem->free_count + run->sparsity;

    *local = (struct local){.run = run, .problem = problem};
    local->candidates = workspace_integers(workspace, limit(n));
    local->keys = workspace_doubles(workspace, n);
    local->scratch = workspace_doubles(workspace, n);
    local->G = workspace_doubles(workspace, capacity * limit(n));
    local->V = workspace_doubles(workspace, capacity * limit(n));
    local->x = workspace_doubles(workspace, n);
    local->support = workspace_integers(workspace, n);
    local->trial = workspace_integers(workspace, capacity);
    if (!workspace->failed) {
        local->exchange = exchange_new(problem, capacity);
    }
    if (local->exchange != NULL) {
        exchange_set_stop(local->exchange, run_is_late, run);
    }
    return local->exchange == NULL ? status_memory(status, workspace->bytes + exchange_bytes(problem, capacity))
                                   : SPGM_OK;
}

/* Fit over a support; what it finds is offered to the run. */
static spgm_error fit(struct local *local, int64_t size, const int64_t *support, spgm_status *status) {
    struct run *run = local->run;
    double began = clock_seconds();
    spgm_error error = exchange_fit(local->exchange, size, support, local->x, status);

    run->timers[RUN_TIMER_POLISH] += clock_seconds() - began;
    if (error == SPGM_OK) {
        run_offer(run, local->exchange->x, local->exchange->objective);
    }
    return error;
}

/* The fit at hand becomes the point at hand. */
static void take(struct local *local) {
    const struct exchange *exchange = local->exchange;

    vector_copy(local->problem->A->columns, exchange->x, local->x);
    memcpy(local->support, exchange->support, sizeof(int64_t) * (size_t)exchange->size);
    local->size = exchange->size;
    local->objective = exchange->objective;
}

/* Nonzero: the run must stop. The callback sees every exchange; the rule for the change of F does not apply here. */
static int stopped(struct local *local) {
    struct run *run = local->run;
    struct iteration iteration = {.objective = local->objective, .support = local->size - local->problem->free_count};

    return run_iteration(run, local->x, &iteration) &&
           (run->outcome == SPGM_INTERRUPTED || run->outcome == SPGM_TIME_LIMIT);
}

/* ---- which exchanges to try ----------------------------------------------------------------------------------- */

/* Keep the PAIRS smallest changes, earlier ones first among equals. */
static void keep(struct local *local, struct pair pair) {
    int64_t i = local->pairs;

    if (!isless(pair.change, 0) || (i == PAIRS && !isless(pair.change, local->best[PAIRS - 1].change))) {
        return;
    }
    if (i == PAIRS) {
        i--;
    } else {
        local->pairs++;
    }
    for (; i > 0 && pair.change < local->best[i - 1].change; i--) {
        local->best[i] = local->best[i - 1];
    }
    local->best[i] = pair;
}

static void choose_candidates(struct local *local) {
    int64_t n = local->problem->A->columns;
    int64_t count = 0;

    for (int64_t j = 0; j < n; j++) {
        local->keys[j] = exchange_gain(local->exchange, j);
    }
    local->count = limit(n);
    select_largest(n, local->keys, local->count, local->candidates, local->scratch);
    for (int64_t i = 0; i < local->count; i++) {
        if (local->keys[local->candidates[i]] > 0) {
            local->candidates[count++] = local->candidates[i];
        }
    }
    local->count = count;
}

/*
 * Candidate q with g = A_S'Wa_q, v = M g, c = a_q'Wa_q + M~_qq - g'v: free to move, everything moves by
 * d_q = -p/c, d_S = v p/c and F changes by -p^2/(2c). Position j must end at zero, d_j = -x_j, which costs
 * (x_j + v_j p/c)^2 / (2 (M_jj + v_j^2/c)).
 */
static void price_candidate(struct local *local, int64_t index) {
    const struct exchange *e = local->exchange;
    int64_t k = e->size;
    int64_t q = local->candidates[index];
    const double *v = local->V + index * k;
    double curvature = 0;
    double p = e->price[q];
    double c, gain;

    linop_gram(local->problem->A, 1, &q, e->weight, &curvature);
    curvature += e->diagonal[q];
    c = fmax(curvature - vector_dot(k, local->G + index * k, v), 1e-8 * curvature);
    if (!isgreater(c, 0)) {
        return;
    }
    gain = p * (p / c) / 2;
    if (k - local->problem->free_count < local->run->sparsity) {
        keep(local, (struct pair){-gain, -1, q});
    }
    for (int64_t j = 0; j < k; j++) {
        double shift = e->x[e->support[j]] + v[j] * p / c;

        if (!local->problem->is_free[e->support[j]]) {
            keep(local, (struct pair){shift * (shift / (e->inverse[j + j * k] + v[j] * (v[j] / c))) / 2 - gain, j, q});
        }
    }
}

static void rank_exchanges(struct local *local, int level) {
    const struct exchange *e = local->exchange;
    const struct linop *A = local->problem->A;
    double began = clock_seconds();
    int64_t k = e->size;

    local->pairs = 0;
    if (!exchange_model(local->exchange, level)) {
        return;
    }
    choose_candidates(local);
    if (k > 0 && local->count > 0) {
        A->ops->cross(A, k, e->support, local->count, local->candidates, e->weight, local->G, k);
        reduce_sum(A->reduce, local->G, k * local->count);
        memset(local->V, 0, sizeof(double) * (size_t)(k * local->count));
        dense_multiply(k, local->count, k, 1, e->inverse, k, local->G, k, local->V, k);
    }
    for (int64_t i = 0; i < local->count; i++) {
        price_candidate(local, i);
    }
    local->run->timers[RUN_TIMER_SEARCH] += clock_seconds() - began;
}

/* ---- the search ----------------------------------------------------------------------------------------------- */

/* Fit the ranked exchanges until one lowers F; *moved says whether one did. */
static spgm_error try_exchanges(struct local *local, int *moved, spgm_status *status) {
    *moved = 0;
    for (int64_t i = 0; i < local->pairs && !run_must_stop(local->run); i++) {
        struct pair pair = local->best[i];
        int64_t size = local->size + (pair.out < 0);
        spgm_error error;

        memcpy(local->trial, local->support, sizeof(int64_t) * (size_t)local->size);
        local->trial[pair.out < 0 ? local->size : pair.out] = pair.in;
        error = fit(local, size, local->trial, status);
        if (error != SPGM_OK) {
            return error;
        }
        if (isless(local->exchange->objective, local->objective - worth * fabs(local->objective))) {
            take(local);
            *moved = 1;
            return SPGM_OK;
        }
    }
    return SPGM_OK;
}

/* Back to the fit at hand after exchanges that did not help. */
static spgm_error return_home(struct local *local, spgm_status *status) {
    return fit(local, local->size, local->support, status);
}

static spgm_error search(struct local *local, spgm_status *status) {
    spgm_error error = SPGM_OK;
    int level = 0;

    while (error == SPGM_OK && level < EXCHANGE_LEVELS && !stopped(local)) {
        int moved = 0;

        rank_exchanges(local, level);
        error = try_exchanges(local, &moved, status);
        level = moved ? 0 : level + 1;
        if (error == SPGM_OK && !moved && level < EXCHANGE_LEVELS) {
            error = return_home(local, status);
        }
    }
    if (level == EXCHANGE_LEVELS) {
        local->run->outcome = SPGM_SEARCHED;
    }
    return error;
}

spgm_error local_improve(struct local *local, int64_t size, const int64_t *support, const double *x,
                         spgm_status *status) {
    spgm_error error;

    vector_copy(local->problem->A->columns, x, local->x);
    memcpy(local->trial, support, sizeof(int64_t) * (size_t)size);
    error = fit(local, size, local->trial, status);
    if (error == SPGM_OK) {
        take(local);
        error = search(local, status);
    }
    return error;
}

/* ---- every exchange ------------------------------------------------------------------------------------------- */

/* Column q for the one at position i, or (i = size) added. */
static spgm_error try_one(struct local *local, int64_t i, int64_t q, int *verdict, spgm_status *status) {
    int64_t size = local->size + (i == local->size);
    spgm_error error;

    memcpy(local->trial, local->support, sizeof(int64_t) * (size_t)local->size);
    local->trial[i] = q;
    error = fit(local, size, local->trial, status);
    if (error == SPGM_OK && isless(local->exchange->objective, local->objective - worth * fabs(local->objective))) {
        take(local);
        *verdict = -1;
    }
    return error;
}

static int is_inside(const struct local *local, int64_t q) {
    for (int64_t i = 0; i < local->size; i++) {
        if (local->support[i] == q) {
            return 1;
        }
    }
    return 0;
}

spgm_error local_verify(struct local *local, int *verdict, spgm_status *status) {
    const struct problem *problem = local->problem;
    spgm_error error = SPGM_OK;
    int has_room = local->size - problem->free_count < local->run->sparsity;

    *verdict = 1;
    for (int64_t q = 0; q < problem->A->columns; q++) {
        if (problem->is_free[q] || is_inside(local, q)) {
            continue;
        }
        for (int64_t i = 0; i < local->size + has_room; i++) {
            if (i < local->size && (has_room || problem->is_free[local->support[i]])) {
                continue; /* with room for one more, adding q is at least as good as exchanging it */
            }
            if (run_must_stop(local->run)) {
                *verdict = 0;
                return SPGM_OK;
            }
            error = try_one(local, i, q, verdict, status);
            if (error != SPGM_OK || *verdict < 0) {
                return error;
            }
        }
    }
    return error;
}

/* ---- the way in ----------------------------------------------------------------------------------------------- */

spgm_error local_new(struct run *run, struct local **local, spgm_status *status) {
    struct local *made = memory_array(1, sizeof *made);
    spgm_error error;

    *local = NULL;
    if (made == NULL) {
        return status_memory(status, sizeof *made);
    }
    error = local_init(made, run, status);
    if (error != SPGM_OK) {
        local_free(made);
        return error;
    }
    *local = made;
    return SPGM_OK;
}

void local_free(struct local *local) {
    if (local != NULL) {
        exchange_free(local->exchange);
        workspace_free(&local->workspace);
        memory_free(local);
    }
}

const double *local_x(const struct local *local) {
    return local->x;
}

double local_objective(const struct local *local) {
    return local->objective;
}

int64_t local_support(const struct local *local, const int64_t **support) {
    *support = local->support;
    return local->size;
}
