/*
 * spgm paper --theory: the statements of the paper along runs on small generated problems. Constants are computed from
 * the data, (x^t, y^t) are recorded from the runs, and every inequality is evaluated from these.
 */
#ifndef SPGM_CLI_THEORY_H
#define SPGM_CLI_THEORY_H

#include "cli.h"

enum { THEORY_ROWS = 40, THEORY_COLUMNS = 12, THEORY_SPARSITY = 3, THEORY_BLOCK = 4 };
enum { THEORY_POINTS = 33, THEORY_LINES = 3 };

enum theory_variant { VARIANT_IHT, VARIANT_BCD, VARIANTS };
enum theory_schedule { SCHEDULE_CONSTANT, SCHEDULE_DIMINISHING, SCHEDULE_HALVING, SCHEDULES };

const char *theory_variant_name(enum theory_variant variant);
const char *theory_schedule_name(enum theory_schedule schedule);

/* ---- problems and runs (theory_run.c) ------------------------------------------------------------------------- */

/* f(x) = ridge/2 ||x||^2, so that V_s = M_s = ridge and M~ = ridge I. */
struct theory_problem {
    const char *loss, *target; /* l1 or linf; "planted", "zero" or "dense" */
    spgm_data *data;
    spgm_problem *problem;
    const double *A; /* [THEORY_ROWS x THEORY_COLUMNS], by columns */
    double b[THEORY_ROWS];
    double ridge, L_h;
    int is_sum;       /* the loss is a sum over rows: L_h = sqrt(rows); figures show these problems */
    double norm;      /* ||A||                                                       */
    double high, low; /* A-bar and A-underbar: eigenvalues of (A'A)_BB over all |B| = THEORY_BLOCK */
    double x1[THEORY_COLUMNS];
    double optimum[THEORY_COLUMNS], F_optimum; /* a global minimum, proven by branch and bound */
};

int theory_problem_make(struct theory_problem *p, const char *loss, const char *target, uint64_t seed);
void theory_problem_free(struct theory_problem *p);
double theory_norm(int64_t count, const double *v);
double theory_distance(int64_t count, const double *v, const double *w);

struct theory_setting {
    enum theory_variant variant;
    enum theory_schedule schedule;
    double mu; /* mu^1, but for the diminishing schedule: eta / (t + t0) */
    double eta, t0;
    int64_t period; /* of the halvings */
    double theta, theta1, theta2;
    int64_t iterations;
    int64_t seed;
};

/* Entry i is x^{i+1} and what was made with it: mu^i (mu^0 = mu^1), y^{i+1} = P_{mu^i}(A x^{i+1} - b). */
struct theory_trace {
    const struct theory_problem *p;
    struct theory_setting how;
    int64_t T;
    double *x, *y, *mu, *F, *J; /* [T + 1] of each, times columns and rows for x and y */
};

/* Runs the method. `with_y`: y too, and F and J are recomputed at every point; else they are those of the callback. */
int theory_trace_make(struct theory_trace *trace, const struct theory_problem *p, const struct theory_setting *how,
                      int with_y);
void theory_trace_free(struct theory_trace *trace);
/* r^t = grad f(x) + A'(A x - b - y) / mu^t of the step that leaves point i. Returns its norm. */
double theory_gradient(const struct theory_trace *trace, int64_t i, double *r);
/* mean over all |B| = THEORY_BLOCK of dist^2(x_B, argmin of M-double-dot over x_B) at point i. */
double theory_block_distance(const struct theory_trace *trace, int64_t i);
/* By how much the majoriser of SPGM-BCD at (x, P_mu(A x - b)), theta_1 = theta_2 = 1e-3, can fall when a block of
 * THEORY_BLOCK columns may change the support, beyond what it falls on the support: 0 at a block-k stationary point. */
int theory_block_gain(const struct theory_problem *p, const double *x, double mu, double *gain);
double theory_L_f(const struct theory_trace *trace); /* ridge times the largest ||x|| of the run and of the optimum */

/* ---- what is collected ------------------------------------------------------------------------------------------ */

struct theory_claim {
    const char *label;     /* of the .tex                                  */
    const char *statement; /* measured <= proved, in words                 */
    const char *loss, *target;
    enum theory_variant variant;
    enum theory_schedule schedule;
    double measured, proved;
    int at_least; /* nonzero: measured >= proved is what is claimed */
};

int theory_holds(const struct theory_claim *claim);

enum theory_figure {
    FIGURE_SANDWICH,
    FIGURE_FEASIBILITY,
    FIGURE_DECREASE,
    FIGURE_STATIONARITY,
    FIGURE_GLOBAL,
    FIGURES
};

struct theory_curves {
    enum theory_figure figure;
    char title[96];
    const char *y_label;
    int log_y;
    int points, lines;
    const char *name[THEORY_LINES];
    double t[THEORY_POINTS], value[THEORY_LINES][THEORY_POINTS];
};

enum theory_kind { KIND_BASIC, KIND_LIPSCHITZ, KIND_BLOCK_2, KIND_BLOCK_4, KIND_GLOBAL, KINDS };

/* The points of one kind, over all supports of all problems. */
struct theory_kind_count {
    int64_t points;   /* of this kind                                                       */
    int64_t stronger; /* of them, of the next kind too                                      */
    double excess;    /* sum of (F - optimum) / optimum                                     */
    double lower;     /* sum over those that are not of the next kind: (F - lowest F of the next larger blocks) / F */
};

enum { THEORY_MUS = 4, THEORY_ENDS = 4 };

struct theory_kinds {
    int64_t problems, supports;
    struct theory_kind_count count[KINDS];
    int64_t lipschitz[THEORY_MUS];      /* basic points that are Lipschitz stationary at theory_mu_share of mu^1 */
    int64_t asked;                      /* basic points that were asked the next ... */
    int64_t block[THEORY_MUS];          /* ... block-k stationary by the definition of the paper, at that mu      */
    int64_t disputed;                   /* points that are block-2 stationary by one count and not by the other   */
    int64_t outside;                    /* block-2 stationary points that are not Lipschitz stationary            */
    int64_t ends;                       /* of runs of each method                                                 */
    int64_t end_of[THEORY_ENDS][KINDS]; /* whose strongest kind is this one                                       */
    double end_excess[THEORY_ENDS];     /* sum of (F - optimum) / optimum                                         */
};

struct theory {
    const struct args *args;
    const char *folder;
    int quick;
    struct theory_claim *claims;
    int64_t claim_count, claim_room;
    struct theory_curves *curves;
    int64_t curve_count, curve_room;
    struct theory_kinds kinds;
};

extern const double theory_mu_share[THEORY_MUS];
extern const struct theory_end {
    const char *name, *method;
    double period, iterations, tolerance;
} theory_end[THEORY_ENDS];

/* Copies. Nonzero: out of memory, which has been said. */
int theory_claim(struct theory *theory, struct theory_claim claim);
int theory_curves(struct theory *theory, const struct theory_curves *curves);
/* Up to THEORY_POINTS numbers 1 .. last, evenly spaced on a logarithmic axis; how many. */
int theory_times(int64_t last, int64_t times[THEORY_POINTS]);

/* What holds along single runs: smoothing, feasibility, decrease, stationarity (theory_lemmas.c). */
int theory_lemmas(struct theory *theory);
/* The four theorems about the way to the optimum (theory_rates.c). */
int theory_rates(struct theory *theory);
/* Which points are of which kind (theory_kinds.c). */
int theory_count_kinds(struct theory *theory);
void put_theory(FILE *file, const struct theory *theory); /* theory_page.c */

/* All of it, into the folder. */
int theory_run(const struct args *args, const char *folder);

#endif
