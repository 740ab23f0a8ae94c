/*
 * How strong the kinds of stationary points are (Proposition proposition:hierarchy). The minimum over every support of
 * s columns is a basic stationary point; all of them are made, and each is asked which kinds it is of. A point is
 * block-k stationary when no support within k columns of its own has a lower F; that is read off the table of all
 * minima, and for k = 2 spgm_problem_stationary says it once more. Lipschitz stationarity is its word.
 */
#include "theory.h"

#include <math.h>
#include <stdlib.h>

enum { N = THEORY_COLUMNS, SUPPORTS = 220 /* 12 over 3 */ };

const double theory_mu_share[THEORY_MUS] = {1, 0.1, 0.01, 0.001};
const struct theory_end theory_end[THEORY_ENDS] = {
    {"spgm-iht", "spgm-iht", 10, 1000, 1e-5},
    {"spgm-bcd", "spgm-bcd", 10, 1000, 1e-5},
    {"spgm-bcd, mu halved every 250 of 5000 iterations", "spgm-bcd", 250, 5000, 0},
    {"auto", "auto", 10, 1000, 1e-5}};

/* A relative difference below this counts as equal, as in spgm_problem_stationary. */
static const double equal_part = 1e-6;

struct table {
    const struct theory_problem *p;
    spgm_options *options;
    unsigned support[SUPPORTS]; /* bit j: column j */
    double F[SUPPORTS], x[SUPPORTS][N];
    int level[SUPPORTS]; /* the strongest kind */
};

static int bits(unsigned set) {
    int count = 0;
    for (; set; set &= set - 1) {
        count++;
    }
    return count;
}

static void list_supports(struct table *table) {
    int count = 0;
    for (unsigned set = 0; set < 1u << N; set++) {
        if (bits(set) == THEORY_SPARSITY) {
            table->support[count++] = set;
        }
    }
}

/* The run of a method from `start` (NULL: its own); x and F of its end. */
static int run(const struct table *table, const char *method, int polish, const double *start, double *x, double *F) {
    spgm_solver *solver = NULL;
    spgm_status status;
    int failed = spgm_options_set(table->options, "method", method, &status) ||
                 spgm_options_set_number(table->options, "polish", polish, &status) ||
                 spgm_solver_new(table->p->problem, THEORY_SPARSITY, table->options, &solver, &status) ||
                 (start && spgm_solver_set_start(solver, start, 0, &status)) || spgm_solver_run(solver, &status);
    if (!failed) {
        spgm_solver_get_x(solver, x, NULL);
        *F = spgm_solver_get_info(solver).objective;
    }
    spgm_solver_free(solver);
    return failed ? cli_status(&status) : CLI_DONE;
}

static int fill(struct table *table) {
    int result = CLI_DONE;
    for (int i = 0; result == CLI_DONE && i < SUPPORTS; i++) {
        double start[N];
        for (int j = 0; j < N; j++) {
            start[j] = table->support[i] >> j & 1;
        }
        result = run(table, "polish", 0, start, table->x[i], &table->F[i]);
    }
    return result;
}

/* The lowest F over supports that differ from that of point i in at most k columns. */
static double lowest_within(const struct table *table, int i, int k) {
    double lowest = table->F[i];
    for (int other = 0; other < SUPPORTS; other++) {
        if (bits(table->support[i] ^ table->support[other]) <= k) {
            lowest = fmin(lowest, table->F[other]);
        }
    }
    return lowest;
}

static int is_lower(double F, double than) {
    return than - F > equal_part * fabs(than);
}

/* The kinds of point i, from the weakest on; a point that is not of one kind counts for none of the stronger ones. */
static int judge(struct theory_kinds *kinds, struct table *table, int i, double *mu1) {
    static const int within[KINDS] = {[KIND_BLOCK_2] = 2, [KIND_BLOCK_4] = 4, [KIND_GLOBAL] = 2 * THEORY_SPARSITY};
    static const int next[KINDS] = {2, 2, 4, 2 * THEORY_SPARSITY, 0};
    double F = table->F[i], optimum = table->p->F_optimum;
    spgm_stationarity found;
    spgm_status status;
    if (spgm_problem_stationary(table->p->problem, table->x[i], 0, THEORY_SPARSITY, 2, table->options, &found, NULL,
                                NULL, &status)) {
        return cli_status(&status);
    }
    *mu1 = 1000 * found.mu; /* found.mu is a thousandth of where the schedule starts */
    int is_block = !is_lower(lowest_within(table, i, 2), F);
    kinds->disputed += is_block != found.is_block;
    kinds->outside += is_block && !found.is_lipschitz;
    for (int k = 0; k < THEORY_MUS; k++) {
        kinds->lipschitz[k] += found.largest_mu >= theory_mu_share[k] * *mu1;
    }
    int level = KIND_BASIC;
    for (int kind = KIND_LIPSCHITZ; kind < KINDS; kind++) {
        int is_of = kind == KIND_LIPSCHITZ ? found.is_lipschitz : !is_lower(lowest_within(table, i, within[kind]), F);
        if (!is_of) {
            break;
        }
        level = kind;
    }
    table->level[i] = level;
    for (int kind = KIND_BASIC; kind <= level; kind++) {
        struct theory_kind_count *count = &kinds->count[kind];
        count->points++;
        count->excess += (F - optimum) / optimum;
        if (kind < level) {
            count->stronger++;
        } else if (kind < KIND_GLOBAL) {
            count->lower += (F - lowest_within(table, i, next[kind])) / F;
        }
    }
    return CLI_DONE;
}

/* Definition def:point:K as it stands, with the majoriser at some mu, for k = THEORY_BLOCK. */
static int judge_block(struct theory_kinds *kinds, const struct table *table, double mu1) {
    for (int i = 0; i < SUPPORTS; i++) {
        for (int k = 0; k < THEORY_MUS; k++) {
            double gain;
            if (theory_block_gain(table->p, table->x[i], theory_mu_share[k] * mu1, &gain)) {
                return CLI_FAILED;
            }
            kinds->block[k] += gain <= equal_part * table->F[i];
        }
        kinds->asked++;
    }
    return CLI_DONE;
}

/* Where runs end: both variants of the paper in the plain form, and auto. */
static int judge_ends(struct theory_kinds *kinds, struct table *table, int starts) {
    spgm_status status;
    for (int start = 1; start <= starts; start++) {
        for (int e = 0; e < THEORY_ENDS; e++) {
            double x[N], F;
            unsigned set = 0;
            int at = 0;
            if (spgm_options_set_number(table->options, "seed", start, &status) ||
                spgm_options_set_number(table->options, "mu_period", theory_end[e].period, &status) ||
                spgm_options_set_number(table->options, "max_iterations", theory_end[e].iterations, &status) ||
                spgm_options_set_number(table->options, "tolerance", theory_end[e].tolerance, &status)) {
                return cli_status(&status);
            }
            if (run(table, theory_end[e].method, 1, NULL, x, &F)) {
                return CLI_FAILED;
            }
            for (int j = 0; j < N; j++) {
                set |= (unsigned)(x[j] != 0) << j;
            }
            for (int i = 0; i < SUPPORTS; i++) { /* the support, or the best one around a smaller support */
                int holds = (set & ~table->support[i]) == 0, held = (set & ~table->support[at]) == 0;
                at = holds && (!held || table->F[i] < table->F[at]) ? i : at;
            }
            kinds->end_of[e][table->level[at]]++;
            kinds->end_excess[e] += (table->F[at] - table->p->F_optimum) / table->p->F_optimum;
        }
        kinds->ends++;
    }
    return CLI_DONE;
}

static int judge_problem(struct theory *theory, struct table *table, const char *loss, uint64_t seed) {
    struct theory_problem p;
    spgm_status status;
    double mu1 = 0;
    int result = theory_problem_make(&p, loss, "dense", seed);
    table->p = &p;
    table->options = spgm_options_new();
    if (result == CLI_DONE && !table->options) {
        result = cli_out_of_memory();
    }
    if (result == CLI_DONE && (spgm_options_set(table->options, "loss", loss, &status) ||
                               spgm_options_set(table->options, "tuning", "plain", &status) ||
                               spgm_options_set_number(table->options, "ridge", p.ridge, &status) ||
                               spgm_options_set_number(table->options, "intercept", 0, &status) ||
                               spgm_options_set_number(table->options, "threads", 1, &status) ||
                               spgm_options_set_number(table->options, "random_coordinates", THEORY_BLOCK, &status) ||
                               spgm_options_set_number(table->options, "greedy_coordinates", 0, &status))) {
        result = cli_status(&status);
    }
    if (result == CLI_DONE) {
        result = fill(table);
    }
    for (int i = 0; result == CLI_DONE && i < SUPPORTS; i++) {
        result = judge(&theory->kinds, table, i, &mu1);
    }
    if (result == CLI_DONE && theory->kinds.asked < 2 * SUPPORTS) { /* one problem under each loss */
        result = judge_block(&theory->kinds, table, mu1);
    }
    if (result == CLI_DONE) {
        result = judge_ends(&theory->kinds, table, 5);
    }
    spgm_options_free(table->options);
    theory_problem_free(&p);
    return result;
}

int theory_count_kinds(struct theory *theory) {
    static const char *const losses[] = {"l1", "linf"};
    struct table *table = calloc(1, sizeof *table);
    int problems = theory->quick ? 2 : 20, result = table ? CLI_DONE : cli_out_of_memory();
    if (table) {
        list_supports(table);
    }
    theory->kinds = (struct theory_kinds){.problems = problems, .supports = SUPPORTS};
    for (int i = 0; result == CLI_DONE && i < problems; i++) {
        screen_note(theory->args, "stationary points: problem %d of %d", i + 1, problems);
        result = judge_problem(theory, table, losses[i % 2], (uint64_t)(100 + i));
    }
    free(table);
    return result;
}
