/*
 * spgm - sparse models under losses that ordinary sparse solvers cannot take.
 *
 *     minimise  F(x) = f(x) + h(A x - b)   subject to   ||x||_0 <= s
 *
 * f smooth and convex, h convex and possibly nonsmooth, at most s nonzeros.
 *
 * This header is all that solves (libspgm, which needs libm and threads only), in order of need; files are read and
 * written by spgm/io.h (libspgm-io):
 *
 *     1. Errors, outcomes, matrices     what every call shares
 *     2. One call                       spgm_solve
 *     3. Options                        every setting by name
 *     4. Problem                        weights, the feasible set, smooth terms
 *     5. Solver                         start, progress, results in full
 *     6. Path and choice of s           a model for every s; cross-validation over s and ridge, criteria
 *     7. Bands                          several quantiles at once, calibrated
 *     8. Stability                      how often columns are selected, how far coefficients move
 *     9. Names and tables               what there is to choose from
 *    10. Rows on many machines          a problem whose rows are spread over processes
 *
 * Rules that hold everywhere:
 *   - Inputs are borrowed and const; they must outlive the object that was given them.
 *   - Outputs are allocated by the caller. On error they are untouched unless said otherwise.
 *   - Every function that can fail returns an spgm_error and takes an spgm_status, which may be
 *     NULL; where it is not, it receives the code and a sentence that says what is wrong, where,
 *     and what to do.
 *   - Every *_free function accepts NULL and then does nothing.
 *   - The library never prints, exits, aborts, installs a signal handler, reads the environment
 *     or keeps global state. Different objects may be used from different threads at once.
 *   - The same input, options and seed give the same bits for any number of threads.
 */
#ifndef SPGM_H
#define SPGM_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(SPGM_STATIC)
#define SPGM_API __attribute__((visibility("default")))
#else
#define SPGM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1. Errors, outcomes, matrices ---------------------------------------------------------- */

/* What went wrong with a call. Never says how a run ended: that is spgm_outcome. */
typedef enum spgm_error {
    SPGM_OK = 0,
    SPGM_ERROR_MEMORY,      /* an allocation failed                                     */
    SPGM_ERROR_ARGUMENT,    /* a size, pointer or combination of arguments is wrong     */
    SPGM_ERROR_OPTION,      /* an unknown option, or a value out of its bounds          */
    SPGM_ERROR_DATA,        /* a number in the data that cannot be used (NaN, label...) */
    SPGM_ERROR_FORMAT,      /* a file that is not what it should be                     */
    SPGM_ERROR_FILE,        /* a file that cannot be opened, read or written            */
    SPGM_ERROR_UNSUPPORTED, /* a combination the chosen method cannot solve             */
    SPGM_ERROR_UNBOUNDED,   /* F has no minimum: p'x falls faster than all else rises   */
    SPGM_ERROR_PROCESS,     /* another process of a communicator has given up           */
    SPGM_ERROR_COUNT
} spgm_error;

/* Why a run stopped. A run that stops, for whatever reason, has a feasible best point. */
typedef enum spgm_outcome {
    SPGM_NOT_RUN = 0,
    SPGM_CONVERGED,       /* the stopping rule of the method holds                         */
    SPGM_ITERATION_LIMIT, /* max_iterations were done                                      */
    SPGM_TIME_LIMIT,      /* time_limit seconds have passed                                */
    SPGM_INTERRUPTED,     /* the progress callback asked to stop                           */
    SPGM_LOCAL_OPTIMUM,   /* search: every exchange of one column was tried, none lowers F */
    SPGM_OPTIMAL,         /* proven: no feasible point is below `bound`, within 1e-6 of F  */
    SPGM_SEARCHED,        /* search: the work of `effort` is done                          */
    SPGM_OUT_OF_MEMORY,   /* no memory to go on; before there is a point that is an error  */
    SPGM_PASS_LIMIT,      /* pass_limit passes over A were done                            */
    SPGM_OUTCOME_COUNT
} spgm_outcome;

#define SPGM_MESSAGE_SIZE 512

/* Filled by every call that can fail: {SPGM_OK, ""} on success. */
typedef struct spgm_status {
    spgm_error code;
    char message[SPGM_MESSAGE_SIZE]; /* one sentence, no newline, always terminated */
} spgm_status;

/*
 * Memory of the caller's for what is large beside a matrix: a file mapped into memory, say (spgm/io.h has that), whose
 * pages the system can write to the disk. Both functions are called by several threads at once.
 */
typedef struct spgm_memory {
    void *(*take)(void *context, size_t bytes); /* zeros, aligned to 64 bytes; NULL: none, and memory is allocated */
    void (*give)(void *context, void *array, size_t bytes); /* back, with the bytes that were taken */
    void *context;
} spgm_memory;

/*
 * A borrowed view of a matrix. Build it with spgm_dense or spgm_sparse.
 *   dense   values[i + j * leading_dimension], column-major, leading_dimension >= rows
 *   sparse  compressed columns: column j is row_index[k], values[k] for
 *           column_start[j] <= k < column_start[j + 1]; row indices ascending within a column
 */
typedef struct spgm_matrix {
    int64_t rows, columns;
    const double *values;
    int64_t leading_dimension;   /* dense only                                  */
    const int64_t *column_start; /* sparse only [columns + 1]; NULL means dense */
    const int32_t *row_index;    /* sparse only [column_start[columns]]         */
    const float *singles;        /* dense only, in the place of values          */
    int by_rows;   /* dense only: entry (i, j) is at i * leading_dimension + j, not at i + j * leading_dimension */
    int is_mapped; /* dense only: in a mapped file. From 2^25 numbers on (256 MB) it is large: what a run takes beside
                      it is small */
    const struct spgm_normal *normal; /* NULL; the library's own, for the option `normal`            */
    const int64_t *row_of; /* NULL; the library's own: row i is row row_of[i] of the numbers, for subsets of the rows */
    const int64_t *column_of;  /* NULL, or, dense only [columns]: column j is column column_of[j] of the numbers, of
                                  which others are left out where they stand */
    const spgm_memory *memory; /* NULL, or where arrays of 128 KB and more come from that a run on this matrix takes;
                                  borrowed as A is */
} spgm_matrix;

SPGM_API spgm_matrix spgm_dense(int64_t rows, int64_t columns, const double *values);
SPGM_API spgm_matrix spgm_sparse(int64_t rows, int64_t columns, const int64_t *column_start, const int32_t *row_index,
                                 const double *values);
/* Dense as it lies in a file: row after row; in single precision, column after column or row after row. Neither is
 * copied as a whole. What is small is solved faster by columns of doubles. For A only, not for the terms of f. */
SPGM_API spgm_matrix spgm_dense_by_rows(int64_t rows, int64_t columns, const double *values);
SPGM_API spgm_matrix spgm_dense_single(int64_t rows, int64_t columns, const float *values, int by_rows);
/* Nonzero: is_mapped, and so large that what a run takes beside it stays small. 5 % of less is hardly the program. */
SPGM_API int spgm_matrix_is_large(const spgm_matrix *matrix);
/* Column j of a matrix of any kind, zeros included.                                            column [rows] */
SPGM_API void spgm_matrix_column(const spgm_matrix *matrix, int64_t j, double *column);

/* ---- 2. One call ------------------------------------------------------------------------------ */

typedef struct spgm_options spgm_options;

/* What a run found. All values are recomputed from the data as given, at the point returned. */
typedef struct spgm_info {
    double objective;    /* F(x) = loss_value + smooth_value                                 */
    double loss_value;   /* h(A x - b)                                                       */
    double smooth_value; /* f(x)                                                             */
    double bound;        /* a proven lower bound on F over the feasible set, or -INFINITY    */
    double gap;          /* (F - bound) / |F|; 0: they are equal, but for rounding where F is 0; INFINITY: no bound */
    int64_t support;     /* nonzeros among the columns that count towards s                  */
    int64_t units;       /* what s counts: the same, or the groups that have such nonzeros   */
    int feasible;        /* nonzero: x is in the feasible set, checked as spgm_problem_check */
    int64_t iterations;  /* of the method                                                    */
    int64_t nodes;       /* of branch and bound                                              */
    int64_t restarts;    /* of the search: how many starts were tried                        */
    int64_t agreeing;    /* of the search: how many starts ended at the F returned           */
    double spread;       /* of the search: (worst - best) / best over the ends of the starts */
    double seconds;      /* of the solver, reading and checking the data not included        */
    spgm_outcome outcome;
    double passes; /* over A, for any number of threads the same: products A x and A'u, and in part by the share of
                      the columns or rows that took part; a Gram matrix of k columns as k (k + 1) / 2 of them. Work on
                      samples of the rows and on smooth terms is not counted. NaN: not known (models of a path share
                      their work) */
} spgm_info;

/* How sure a result is. */
typedef enum spgm_certainty {
    SPGM_UNKNOWN = 0, /* one start, or none: nothing to compare with                              */
    SPGM_PROVEN,      /* no feasible point is better                                              */
    SPGM_STABLE,      /* at least three starts, or all, ended at the F returned, or all within 0.1 % of it; where
                         the worst ended at twice that F or more, at least a quarter of the starts                */
    SPGM_UNSTABLE,    /* fewer did: another start may well find better                            */
    SPGM_UNFINISHED,  /* stopped by a limit, on request or for lack of memory                     */
    SPGM_CERTAINTY_COUNT
} spgm_certainty;

/* The verdict on a result, and in text [size] (NULL is skipped) as a sentence that says what to do: "unstable: 46
 * starts, one ended here, ...". 160 characters hold it. */
SPGM_API spgm_certainty spgm_info_verdict(const spgm_info *info, char *text, size_t size);
SPGM_API const char *spgm_certainty_name(spgm_certainty certainty);

/*
 * Minimise F with at most `sparsity` nonzeros.
 *   b          [A->rows]     target; for the hinge loss two label values, the larger one is +1
 *   options    NULL: defaults. loss, ridge, intercept, method, time_limit, ...
 *   x          [A->columns]  receives the coefficients; NULL is skipped
 *   intercept  NULL, or receives the intercept (0 when the option `intercept` is off)
 *   info       NULL, or receives what is known about the result
 */
SPGM_API spgm_error spgm_solve(const spgm_matrix *A, const double *b, int64_t sparsity, const spgm_options *options,
                               double *x, double *intercept, spgm_info *info, spgm_status *status);

/* ---- 3. Options ------------------------------------------------------------------------------- */

/* All settings, at their defaults. options.def lists every one of them. NULL: out of memory. */
SPGM_API spgm_options *spgm_options_new(void);
SPGM_API spgm_options *spgm_options_copy(const spgm_options *options);
SPGM_API void spgm_options_free(spgm_options *options);

/* Set by name from text ("ridge", "0.01"); flags take "true"/"false"/"1"/"0". */
SPGM_API spgm_error spgm_options_set(spgm_options *options, const char *name, const char *value, spgm_status *status);
/* The same from a number, for real, integer and flag options. */
SPGM_API spgm_error spgm_options_set_number(spgm_options *options, const char *name, double value, spgm_status *status);
/* Write the value as text that spgm_options_set reads back exactly. */
SPGM_API spgm_error spgm_options_get(const spgm_options *options, const char *name, char *value, size_t size,
                                     spgm_status *status);

typedef enum spgm_option_type {
    SPGM_OPTION_FLAG,
    SPGM_OPTION_INTEGER,
    SPGM_OPTION_REAL,
    SPGM_OPTION_CHOICE
} spgm_option_type;

typedef struct spgm_option_info {
    const char *name;
    const char *group; /* "problem", "run", "method" or "search"                   */
    spgm_option_type type;
    const char *default_value;
    const char *choices; /* "a|b|c" for a choice, else ""                          */
    double low, high;    /* bounds of a number; both ends allowed unless `open`    */
    int open;            /* nonzero: low and high themselves are not allowed       */
    const char *help;    /* one sentence                                           */
} spgm_option_info;

SPGM_API int64_t spgm_option_count(void);
/* NULL when index is out of range. */
SPGM_API const spgm_option_info *spgm_option_describe(int64_t index);

/* ---- 4. Problem ------------------------------------------------------------------------------- */

typedef struct spgm_problem spgm_problem;

/*
 * Check A and b and take the options of the group "problem" (loss, quantile, epsilon, ridge,
 * intercept, standardize). A and b are borrowed until spgm_problem_free. With the option `normal` the problem has A'A
 * and A'b in their place, made here: its rows are the columns of A, and it takes no intercept, weights, slopes or
 * subsets.
 */
SPGM_API spgm_error spgm_problem_new(const spgm_matrix *A, const double *b, const spgm_options *options,
                                     spgm_problem **problem, spgm_status *status);
SPGM_API void spgm_problem_free(spgm_problem *problem);

/* Another ridge than that of the options, and what it acts on: the coefficients in the data's units, or, with
 * by_deviation, each times the deviation of its column (option ridge_scale). */
SPGM_API spgm_error spgm_problem_set_ridge(spgm_problem *problem, double ridge, int by_deviation, spgm_status *status);
/* Row weights [rows], >= 0 and not all zero; separable losses only (not linf, l2). Copied. */
SPGM_API spgm_error spgm_problem_set_weights(spgm_problem *problem, const double *weights, spgm_status *status);
/*
 * The separable family in full: h(r) = sum_i up_i max(r_i - dead_i, 0) + down_i max(-r_i - dead_i, 0)
 * with r = A x - b; up, down, dead [rows], all >= 0; dead may be NULL for zeros. Replaces the loss. Copied.
 */
SPGM_API spgm_error spgm_problem_set_slopes(spgm_problem *problem, const double *up, const double *down,
                                            const double *dead, spgm_status *status);

/*
 * The feasible set: what x may be besides at most s nonzeros. Each setter copies and replaces what it set before; what
 * contradicts itself is an error, and then nothing has changed. Every method stays in the set. An s beyond what the set
 * allows is cut to that, as one beyond the columns that are not free.
 */
/* Columns that are always in the model and do not count towards s. */
SPGM_API spgm_error spgm_problem_set_free_columns(spgm_problem *problem, const int64_t *columns, int64_t count,
                                                  spgm_status *status);
/* Columns that are never in the model. */
SPGM_API spgm_error spgm_problem_set_excluded(spgm_problem *problem, const int64_t *columns, int64_t count,
                                              spgm_status *status);
/* lower_j <= x_j <= upper_j, in the data's units, for free columns too; not for the intercept. lower, upper [columns],
 * a NULL for none; lower_j <= 0 <= upper_j; infinite: no bound. */
SPGM_API spgm_error spgm_problem_set_bounds(spgm_problem *problem, const double *lower, const double *upper,
                                            spgm_status *status);
/*
 * Groups of columns: group_of_column [columns] holds any number >= 0 as the name of the group, -1 for none; NULL: no
 * groups.
 *   limit 0   s counts groups, however many columns of each are in the model; a column without a group is a group of
 *             its own, and a free column is in none
 *   limit K   s counts columns, and of each group at most K are in the model, free ones included
 */
SPGM_API spgm_error spgm_problem_set_groups(spgm_problem *problem, const int64_t *group_of_column, int64_t limit,
                                            spgm_status *status);
/* Whether x [columns] is in the feasible set, from x itself: bounds exactly, excluded columns, groups, s.
 * SPGM_ERROR_DATA and a sentence where it is not. *units (NULL is skipped) receives what s counts. */
SPGM_API spgm_error spgm_problem_check(const spgm_problem *problem, const double *x, int64_t sparsity, int64_t *units,
                                       spgm_status *status);

/* The caller took `seconds` to bring the data into place, for a copy by columns, say: they count in the time limit and
 * the seconds of every run. Calls add up; what is not above 0 is ignored. */
SPGM_API void spgm_problem_charge(spgm_problem *problem, double seconds);

/* Add p'x to f; p [columns] is copied. Where nothing holds p'x, F is unbounded below: a run that finds it so returns
 * SPGM_ERROR_UNBOUNDED. */
SPGM_API spgm_error spgm_problem_set_linear(spgm_problem *problem, const double *p, spgm_status *status);
/* Add x'Qx/2 to f; Q [columns x columns] symmetric positive semidefinite, borrowed. An eigenvalue below -1e-6, Q scaled
 * to a unit diagonal, is refused: by a factorisation up to 3000 columns, beyond that as far as 60 steps of Lanczos's
 * method find it. */
SPGM_API spgm_error spgm_problem_set_quadratic(spgm_problem *problem, const spgm_matrix *Q, spgm_status *status);
/* Add ||C x - d||^2/2 to f; C [any x columns] and d [C->rows] are borrowed. */
SPGM_API spgm_error spgm_problem_set_least_squares(spgm_problem *problem, const spgm_matrix *C, const double *d,
                                                   spgm_status *status);

/*
 * Solve with equal rows of (A, b) as one row that has the sum of their weights, and without rows of weight 0: the same
 * F at every x, in fewer rows. For losses that take row weights; others stay as they are, and so do rows whose slopes
 * differ. Where no row is equal to another, A stays borrowed; otherwise the rows that are left, in the order of their
 * first occurrence, are copied. spgm_problem_rows and spgm_problem_evaluate go on speaking of the rows as given. Call
 * it after set_weights and set_slopes, which undo it. The time it takes counts in the time limit and the seconds of
 * every run. rows_left (or NULL) receives how many rows the methods see.
 */
SPGM_API spgm_error spgm_problem_merge_rows(spgm_problem *problem, int64_t *rows_left, spgm_status *status);

/* The rows rows[0..count) of a problem, in that order and possibly more than once, with all that was set on it:
 * weights, slopes, free columns, smooth terms, and the two labels even where only one of them is left. Rows are those
 * given; where equal ones were merged, those of the subset are too. A and b are copied, but for an A in a large mapped
 * file (is_mapped) without memory for a copy (spgm_matrix.memory): that stays borrowed, as the matrix of a smooth term
 * does. */
SPGM_API spgm_error spgm_problem_subset(const spgm_problem *problem, const int64_t *rows, int64_t count,
                                        spgm_problem **subset, spgm_status *status);

/* What was set, borrowed from the problem; NULL: nothing. Bounds [columns], infinite where there are none; nonzero for
 * the columns that are excluded [columns]; the group of each column, numbered anew without gaps, -1: none [columns]. */
SPGM_API void spgm_problem_bounds(const spgm_problem *problem, const double **lower, const double **upper);
SPGM_API const unsigned char *spgm_problem_excluded(const spgm_problem *problem);
SPGM_API const int64_t *spgm_problem_groups(const spgm_problem *problem, int64_t *limit);

SPGM_API int64_t spgm_problem_rows(const spgm_problem *problem);
SPGM_API int64_t spgm_problem_columns(const spgm_problem *problem);
/* Nonzero when the loss classifies; labels (NULL: skipped) then receives the two values of b, the lower one first. */
SPGM_API int spgm_problem_labels(const spgm_problem *problem, double labels[2]);
/* F, h and f at any x [columns]; NULL pointers are skipped. */
SPGM_API spgm_error spgm_problem_evaluate(const spgm_problem *problem, const double *x, double intercept,
                                          double *objective, double *loss_value, double *smooth_value,
                                          spgm_status *status);
/* The smoothing of F at any x [columns], mu > 0: G(x; mu) = min over y of f(x) + h(y) + ||A x - b - y||^2 / (2 mu), and
 * the y where the minimum is, P_mu(A x - b) [rows]. NULL pointers are skipped. Labels are -1 and +1. */
SPGM_API spgm_error spgm_problem_smoothing(const spgm_problem *problem, const double *x, double intercept, double mu,
                                           double *value, double *y, spgm_status *status);

/* ---- 5. Solver -------------------------------------------------------------------------------- */

typedef struct spgm_solver spgm_solver;

/* One iteration as the callback sees it, and one line of a trace. */
typedef struct spgm_progress {
    const char *method;   /* the method or phase that is running                         */
    int64_t iteration;    /* t                                                           */
    double mu;            /* smoothing or penalty parameter; 0 where there is none       */
    double objective;     /* F(x^t)                                                      */
    double best;          /* the lowest F so far                                         */
    double penalised;     /* J(x^t, y^t; mu), or the method's own merit function         */
    double step;          /* ||x^t - x^{t-1}||                                           */
    double infeasibility; /* ||A x^t - b - y^t||                                        */
    int64_t support;      /* nonzeros that count towards s                               */
    double seconds;       /* since the run began                                         */
    double fraction;      /* of all the work, about, for the time remaining; 0: unknown  */
    double bound;         /* what is proven so far, or -INFINITY                         */
    int64_t open;         /* nodes of branch and bound that wait                          */
} spgm_progress;

/* Called after every iteration, from the thread that called spgm_solver_run. Nonzero: stop. */
typedef int (*spgm_progress_function)(const spgm_progress *progress, void *context);

/* The problem is borrowed; the options are copied. */
SPGM_API spgm_error spgm_solver_new(const spgm_problem *problem, int64_t sparsity, const spgm_options *options,
                                    spgm_solver **solver, spgm_status *status);
SPGM_API void spgm_solver_free(spgm_solver *solver);
/* Start from x [columns] (projected onto the feasible set: cut to its s largest entries) instead of a seeded random
 * point. Copied. */
SPGM_API spgm_error spgm_solver_set_start(spgm_solver *solver, const double *x, double intercept, spgm_status *status);
SPGM_API void spgm_solver_set_progress(spgm_solver *solver, spgm_progress_function function, void *context);
/* From the progress callback: the x^t [columns] that it is told about, in the data's units, and its intercept (or
 * NULL). Returns 0, and leaves both as they are, outside a callback and where a search shows no single point. */
SPGM_API int spgm_solver_get_iterate(const spgm_solver *solver, double *x, double *intercept);
/* May be called again; each call starts afresh. */
SPGM_API spgm_error spgm_solver_run(spgm_solver *solver, spgm_status *status);
/* Ask a running solver to stop soon. The only call allowed from another thread or a signal handler. */
SPGM_API void spgm_solver_interrupt(spgm_solver *solver);

/* What the solver was made from. They live as long as the solver (the problem: as long as its owner lets it). */
SPGM_API const spgm_problem *spgm_solver_get_problem(const spgm_solver *solver);
SPGM_API int64_t spgm_solver_get_sparsity(const spgm_solver *solver);
SPGM_API const spgm_options *spgm_solver_get_options(const spgm_solver *solver);
/* x [columns]; before a run: zeros. */
SPGM_API void spgm_solver_get_x(const spgm_solver *solver, double *x, double *intercept);
/* How many nonzeros x has; columns (from 0, ascending) and values receive them, each unless it is NULL. */
SPGM_API int64_t spgm_solver_get_nonzeros(const spgm_solver *solver, int64_t *columns, double *values);
SPGM_API spgm_info spgm_solver_get_info(const spgm_solver *solver);
/* Seconds by component, "name" in order of time; returns 0 past the last one. */
SPGM_API int spgm_solver_get_time(const spgm_solver *solver, int64_t index, const char **name, double *seconds);

/*
 * Keep the proof of the runs to come (method exact), so that others can check it: the tree with the dual vectors of its
 * nodes. It takes memory, up to the option memory_limit besides, and branching at the top is simpler, so that the tree
 * may be another one. Merged rows are taken as they were given.
 */
SPGM_API void spgm_solver_keep_certificate(spgm_solver *solver, int keep);
/* Receives text piece by piece. Nonzero: stop. */
typedef int (*spgm_write_function)(const char *text, size_t size, void *context);
/* The certificate of the last run, lines of JSON (docs/proof.md), which tools/check_certificate.py verifies from the
 * raw data. SPGM_ERROR_UNSUPPORTED and a sentence where the proof cannot be written down like that. */
SPGM_API spgm_error spgm_solver_write_certificate(const spgm_solver *solver, spgm_write_function write, void *context,
                                                  spgm_status *status);

/* How good a point is, by the definitions of the paper: basic, Lipschitz and block-k stationary. */
typedef struct spgm_stationarity {
    double objective;       /* F(x)                                                                              */
    double support_minimum; /* the lowest F over the support of x: by an exact fit                               */
    double support_bound;   /* proven: no x with this support is below                                           */
    int is_basic;           /* F(x) is that minimum                                                              */
    int is_lipschitz;       /* basic, and x is nearest to x - r / H in the feasible set, at mu                    */
    double mu;              /* the option mu_start where it is set, else a thousandth of where its schedule starts */
    double largest_mu;      /* up to which x is Lipschitz stationary; 0: for none                                */
    int64_t block;          /* k                                                                                 */
    int is_block;           /* no support that differs in at most k units and was tried has a lower F            */
    int is_sampled;         /* only some were tried: there are too many                                          */
    int is_stopped;         /* fewer were tried than meant to be: time_limit                                     */
    int64_t changes;        /* of the support that were tried, without those that lie in another                  */
    double all_changes;     /* how many there are                                                                */
    int64_t supports;       /* fits                                                                              */
    double lowest;          /* the lowest F seen                                                                 */
} spgm_stationarity;

/*
 * Measure x [columns], which must be feasible (spgm_problem_check). Lower by 1e-6 of |F| or less counts as equal.
 *   block      k, 0 to 8. All changes of the support are tried where that takes at most about 1e10 multiplications,
 *              else as many as that, drawn at random by the seed. 0: none
 *   options    NULL: defaults. seed, threads, time_limit, theta, mu_start
 *   better     NULL, or receives the x of the lowest F seen [columns]; better_intercept likewise
 * r and H are those of the definitions in the limit mu -> 0 of y, at the problem as methods see it (columns scaled).
 */
SPGM_API spgm_error spgm_problem_stationary(const spgm_problem *problem, const double *x, double intercept,
                                            int64_t sparsity, int64_t block, const spgm_options *options,
                                            spgm_stationarity *result, double *better, double *better_intercept,
                                            spgm_status *status);

/* ---- 6. Path and choice of s -------------------------------------------------------------------- */

/* A model for every s of a list, from one run: warm-started forwards and backwards until F does not rise
 * with s and nothing improves. The method of the options finds each model; `auto` searches over exchanges of columns.
 * The time limit is that of the whole path. */
typedef struct spgm_path spgm_path;

/* sparsities [count], each 0..columns, no two equal, in any order; kept ascending. The options are copied, the
 * problem is borrowed. */
SPGM_API spgm_error spgm_path_new(const spgm_problem *problem, const int64_t *sparsities, int64_t count,
                                  const spgm_options *options, spgm_path **path, spgm_status *status);
SPGM_API void spgm_path_free(spgm_path *path);
/* progress->iteration counts the models tried, support is that of the one at hand, method says "forwards" or
 * "backwards". */
SPGM_API void spgm_path_set_progress(spgm_path *path, spgm_progress_function function, void *context);
/* May be called again; each call starts afresh. A path that is stopped has a model for every s all the same. */
SPGM_API spgm_error spgm_path_run(spgm_path *path, spgm_status *status);
SPGM_API void spgm_path_interrupt(spgm_path *path); /* as spgm_solver_interrupt */
SPGM_API int64_t spgm_path_count(const spgm_path *path);
/* The i-th smallest s, i from 0; -1 past the end. x [columns], intercept and info may be NULL. F does not rise with s,
 * to the last bit. In info, restarts counts the starts that were tried for this s. */
SPGM_API int64_t spgm_path_get(const spgm_path *path, int64_t i, double *x, double *intercept, spgm_info *info);
/* Seconds of the whole path. */
SPGM_API double spgm_path_seconds(const spgm_path *path);

/* Information criteria along a path that has run: "bic", "ebic" or "gic" in the form for the loss (README of
 * src/select); one value for each s into values [count], lower is better, and the index of the lowest into *lowest
 * (the smallest s among equals). Either may be NULL. +INFINITY where there are as many parameters as rows. */
SPGM_API spgm_error spgm_path_criterion(const spgm_path *path, const char *criterion, double *values, int64_t *lowest,
                                        spgm_status *status);

/*
 * Cross-validation over s and the ridge: for every fold a path on the other rows for each ridge, judged by its loss on
 * the rows of the fold. Options: folds, seed (which draws them), threads (folds run side by side, each on one thread),
 * time_limit (of the whole; each fold has a path for one ridge at least, and further ridges as far as it lasts; folds
 * that could not end in time do not begin, but the first, and their losses are NaN), and those of every fit. For a
 * classifier the two labels are spread evenly over the folds.
 *
 * With the method `auto`, an effort of at most SPGM_CV_EFFORT and no time_limit a fold is searched quickly: each (s,
 * ridge) starts from its neighbours, the models with the next smaller s and with the next larger ridge, and exchanges
 * columns until none helps. Otherwise each ridge has a path of that effort (spgm_path).
 */
typedef struct spgm_cv spgm_cv;

/* The problem is borrowed, with all that was set on it; the options are copied. sparsities NULL and count 0: s goes
 * from 0 up, one by one and then in wider steps, to 32 and on until the largest tried is at least twice the one with
 * the lowest loss, or half the rows of a fold's path; for logistic models with a ridge twice these rows, if that is not
 * above 128. */
SPGM_API spgm_error spgm_cv_new(const spgm_problem *problem, const int64_t *sparsities, int64_t count,
                                const spgm_options *options, spgm_cv **cv, spgm_status *status);
SPGM_API void spgm_cv_free(spgm_cv *cv);
/* Another problem with as many rows and columns, as one label against the rest: all have the same folds, s and ridge,
 * and losses are means over the problems. Its folds run beside those of the others. */
SPGM_API spgm_error spgm_cv_add(spgm_cv *cv, const spgm_problem *problem, spgm_status *status);
/* The folds judge by the loss of this problem, which has the same rows and columns and is borrowed, whatever loss the
 * models minimise: so that cross-validations of several losses can be compared. NULL: by that of each problem again. */
SPGM_API spgm_error spgm_cv_judge_by(spgm_cv *cv, const spgm_problem *problem, spgm_status *status);
/* Given folds instead of drawn ones: fold_of_row [rows], numbered 0..folds-1, each nonempty. Copied. */
SPGM_API spgm_error spgm_cv_set_folds(spgm_cv *cv, const int64_t *fold_of_row, int64_t folds, spgm_status *status);
/*
 * Ridges to choose from instead of that of the problem: ridges [count], each >= 0, no two equal, in any order; kept
 * descending. They are those of a fit to all rows, and a fold has its share of them, by the weight of its rows. NULL
 * and count 0: seven values from one that shrinks everything down to none, in proportion to the data, on columns
 * divided by their deviation (option ridge_scale, whatever it is set to). Where the range of s follows the data, ridges
 * that are clearly beaten up to s = 8, 16, 32, ... are left out beyond, and their losses there are NaN.
 */
SPGM_API spgm_error spgm_cv_set_ridges(spgm_cv *cv, const double *ridges, int64_t count, spgm_status *status);
/* Called from the thread that called spgm_cv_run. progress->iteration counts finished (fold, s) pairs, fraction tells
 * how far all of it is; the other fields are those of one of the folds, or NaN. */
SPGM_API void spgm_cv_set_progress(spgm_cv *cv, spgm_progress_function function, void *context);
/* May be called again; each call starts afresh. Folds that were finished when it was stopped keep their losses. */
SPGM_API spgm_error spgm_cv_run(spgm_cv *cv, spgm_status *status);
SPGM_API void spgm_cv_interrupt(spgm_cv *cv); /* as spgm_solver_interrupt */
/*
 * Folds elsewhere, in other processes or on other machines. A run goes by rounds (one, where s is given), and a round
 * has a piece for each fold of each problem. A function that is set here has them run, each by spgm_cv_run_piece on an
 * object that was made in the same way from the same data, with the losses and the trail copied there and back. The
 * losses have the same bits as in a run without it. Pieces come fold by fold. A piece whose losses it leaves alone
 * counts as interrupted, or where there is a time limit as one that there was no time for, as all of the folds after
 * it; nonzero ends the run. The option threads tells how many pieces run at a time, where there is a time limit to
 * share.
 */
typedef struct spgm_cv_piece {
    int64_t number;                  /* in its round: fold number % folds of problem number / folds             */
    int64_t first, last;             /* its sparsities, as places in the list                                   */
    int64_t ridges;                  /* their number                                                            */
    int64_t first_ridge, last_ridge; /* which of them are tried: [first_ridge, last_ridge)                      */
    double seconds;                  /* what it may take; INFINITY: no limit                                    */
    double *losses;                  /* [(last - first) x ridges] it finds; NaN for ridges that are not tried   */
    int64_t trail_size;              /* 0: there is none                                                        */
    double *trail;                   /* [trail_size] what it goes on from after the first round, and what it leaves */
} spgm_cv_piece;
typedef int (*spgm_cv_round_function)(spgm_cv_piece *pieces, int64_t count, void *context);
SPGM_API void spgm_cv_set_rounds(spgm_cv *cv, spgm_cv_round_function function, void *context); /* NULL: here */
/* The progress function of this object is called, and may stop it: its losses are then NaN. */
SPGM_API spgm_error spgm_cv_run_piece(spgm_cv *cv, spgm_cv_piece *piece, spgm_status *status);
SPGM_API int64_t spgm_cv_count(const spgm_cv *cv);       /* of sparsities; where they are not given, of those tried */
SPGM_API int64_t spgm_cv_ridge_count(const spgm_cv *cv); /* 1 unless ridges were set */
SPGM_API int64_t spgm_cv_folds(const spgm_cv *cv);       /* after a run: of all its splits (option repeats) */
/* The i-th smallest s and the k-th largest ridge, from 0; NaN past the end, and for ridges that are in proportion to
 * the data before the first run. */
SPGM_API double spgm_cv_ridge(const spgm_cv *cv, int64_t k);
/* The i-th smallest s, i from 0; -1 past the end. losses [folds] receives the out-of-sample loss of each fold: the mean
 * over its rows, by weight; the root of the mean square for l2, the maximum for linf. NaN: the fold was interrupted.
 * mean and standard error are over the finished folds; NaN with none, or for the standard error fewer than two. NULL
 * pointers are skipped. With the k-th largest ridge; -1: with the ridge that has the lowest mean for this s. */
SPGM_API int64_t spgm_cv_get_at(const spgm_cv *cv, int64_t i, int64_t k, double *losses, double *mean,
                                double *standard_error);
/* The same with k = -1. */
SPGM_API int64_t spgm_cv_get(const spgm_cv *cv, int64_t i, double *losses, double *mean, double *standard_error);
/*
 * Which s and which ridge a rule of the option `rule` takes, as indices:
 *   min     the lowest mean
 *   1se     the smallest s that is within one standard error of it with some ridge, and its best ridge
 *   shrunk  the s of the lowest mean, and the largest ridge that is within one standard error of it with that s
 *   projected  as min: what comes of all cells together spgm_project finds
 * -1 for both when no fold has finished. NULL pointers are skipped.
 */
SPGM_API spgm_error spgm_cv_choose(const spgm_cv *cv, const char *rule, int64_t *i, int64_t *k, spgm_status *status);
/* Half the work of the default effort, for the fit to all rows that follows: on generated data of eight kinds a last
 * fit with effort 3 instead of 5 changed the held-out error by -0.014 +- 0.014 %. */
#define SPGM_CV_EFFORT 4
/* Of a time limit for both, what that fit has at least; the folds have the rest. */
#define SPGM_CV_FIT_SHARE 0.2
/* Of the loss of x = 0: a mean loss of the folds up to this is rounding, and no other loss can do better. */
#define SPGM_CV_PERFECT 1e-12
/* Nonzero when every fold is done. Means over some of them cannot be compared with those of another loss. */
SPGM_API int spgm_cv_is_whole(const spgm_cv *cv);
/* Nonzero when no other loss can do better: the lowest mean is at most SPGM_CV_PERFECT of the mean loss of x = 0. */
SPGM_API int spgm_cv_is_perfect(const spgm_cv *cv);
/* The s of `min` and of `1se`, as indices; -1 when no fold has finished. */
SPGM_API int64_t spgm_cv_best(const spgm_cv *cv);
SPGM_API int64_t spgm_cv_one_standard_error(const spgm_cv *cv);
/* [rows], of the first split */
SPGM_API void spgm_cv_get_fold_of_row(const spgm_cv *cv, int64_t *fold_of_row);

/*
 * The mean of many models, and few columns that stand for it: the rule "projected". `choices` [count] are what
 * cross-validations of one target tried under several losses, all judged by the absolute error: all of their cells, in
 * any order. Those within 5 % of the lowest loss take part, twenty at most. Twenty models are fitted to these in turn,
 * each without the rows of one of the folds (numbered 0..folds-1, fold_of_row [rows]). Ridge regression on all columns
 * takes part beside them, where the data are not too large for it, with a weight that grows with how much better it
 * predicts the rows outside the folds; so does Huber's loss on all columns, the less the more columns there are. Then
 *   target [rows]  receives what their mean predicts,
 *   *sparsity      the smallest number of columns that predict nearly the same, by squares: at a price of 0.1 % of
 *                  the error for each column there is, at most 1.25 %, or 1 % with more than half as many as rows,
 *   *ridge         0, or with at least as many columns as rows a ridge of these squares, by deviations,
 *   linear         [columns] a linear term that belongs to it, else zeros: together they draw the coefficients to those
 *                  of the mean, since few of many columns fit some rows by chance.
 *
 * The model is then that of a problem with this target, squares, ridge and linear term, to which `options` belong: it
 * minimises no F of the data. time_limit is that of all of this, without the last fit. The problems must be without
 * labels and restrictions. progress may be NULL, or stop it: the mean is then that of the models there are, one at
 * least.
 */
typedef struct spgm_choice {
    const spgm_problem *problem; /* borrowed; its own ridge does not matter                */
    int64_t sparsity;
    double ridge;     /* of a fit to all rows                                      */
    int by_deviation; /* nonzero: it acts on columns divided by their deviation    */
    double loss;      /* the mean outside the folds; NaN: not known, takes no part */
} spgm_choice;
SPGM_API spgm_error spgm_project(const spgm_choice *choices, int64_t count, const int64_t *fold_of_row, int64_t folds,
                                 const spgm_options *options, spgm_progress_function progress, void *context,
                                 double *target, int64_t *sparsity, double *ridge, double *linear, spgm_status *status);

/* ---- 7. Bands --------------------------------------------------------------------------------- */

/*
 * Several quantiles of b at once, with at most s columns, that do not cross and are calibrated on rows that did not
 * take part in the fit (conformalised quantile regression: Romano, Patterson and Candes 2019, one side at a time).
 *   cross  every row is predicted by models of the other folds (options folds and seed). What these predictions miss,
 *          beside what the same models predict at a row x, gives the limit of CV+ there (Barber et al. 2021). The shift
 *          of a level, which is applied to the models of all rows, is the median over (up to 100) rows x of how far
 *          that limit is from what the models of all rows predict. No row is wasted; a guarantee whatever the data are
 *          it is not
 *   split  models of three quarters of the rows, calibrated on the others: the chance that a new row of the same kind
 *          lies below a lower level, or above an upper one, is at most what it says, whatever the data are
 *   none   as fitted, which covers too little on new rows
 * Levels below 1/2 are shifted so that at most that share of new rows lies below, levels above it so that at most the
 * rest lies above; 1/2 stays.
 */
typedef struct spgm_band spgm_band;

/* Zero-initialise for the defaults. */
typedef struct spgm_band_settings {
    int common_columns;      /* nonzero: all quantiles use the same s columns, chosen by the sum of their losses; else
                                each has its own s                                                                    */
    const char *calibration; /* NULL, "cross"; "split"; "none"                                                        */
} spgm_band_settings;

/* levels [count], ascending between 0 and 1. The loss of the problem is quantile; its level does not matter. The
 * problem is borrowed; the options are copied; settings may be NULL. Common columns do not go with at most K of each
 * group, nor with linear, quadratic and least-squares terms. */
SPGM_API spgm_error spgm_band_new(const spgm_problem *problem, const double *levels, int64_t count, int64_t sparsity,
                                  const spgm_options *options, const spgm_band_settings *settings, spgm_band **band,
                                  spgm_status *status);
SPGM_API void spgm_band_free(spgm_band *band);
/* As spgm_cv_set_progress; progress->iteration counts the finished folds. */
SPGM_API void spgm_band_set_progress(spgm_band *band, spgm_progress_function function, void *context);
/* May be called again; each call starts afresh. The time limit is that of the whole. One that is stopped keeps the best
 * models so far and calibrates by the folds that are done, if these have rows enough; where a level has no model yet it
 * is an error. */
SPGM_API spgm_error spgm_band_run(spgm_band *band, spgm_status *status);
SPGM_API void spgm_band_interrupt(spgm_band *band); /* as spgm_solver_interrupt */
SPGM_API int64_t spgm_band_count(const spgm_band *band);
/* How often rows are held out: the folds of `cross`, 1 of `split`, 0 of `none`; *done (NULL is skipped): how many of
 * these the shifts are from, fewer after a run that was stopped; 0: there are no shifts. */
SPGM_API int64_t spgm_band_folds(const spgm_band *band, int64_t *done);
/* The k-th level; *shift (NULL is skipped) is what calibration adds to its prediction. NaN past the end. */
SPGM_API double spgm_band_level(const spgm_band *band, int64_t k, double *shift);
/* The fit of the k-th level, as long as the band lives and is not run again; NULL before a run and past the end. */
SPGM_API const spgm_solver *spgm_band_solver(const spgm_band *band, int64_t k);
/* values [rows x count], row by row: what models that have not seen the row predict, in ascending order and without
 * shifts; NaN where there is none (rows of the fit in `split`, all in `none`). */
SPGM_API void spgm_band_get_held_out(const spgm_band *band, double *values);
/* What a band predicts for one row: values [count] are the predictions of the models, sorted, shifted, and made wider
 * from the middle outwards where shifts have made them cross. Where one is NaN all become NaN. */
SPGM_API void spgm_band_arrange(const double *levels, const double *shifts, int64_t count, double *values);
/* The smallest t such that the rows with score <= t have at least the share p (1 + 1/count) of the weights [count]
 * (NULL: equal); rows of weight 0 do not count. INFINITY: there are too few for that p. */
SPGM_API spgm_error spgm_conformal_quantile(const double *scores, const double *weights, int64_t count, double p,
                                            double *quantile, spgm_status *status);

/*
 * More than two labels, a model for each against the rest: what to add to their scores [rows x classes], row by row, so
 * that exp(score) is in proportion to the probability of a class: the shifts [classes], of mean 0, with the highest
 * multinomial likelihood of the classes [rows], numbered from 0. weights [rows] may be NULL. For losses whose scores
 * are not compared with anything in the fit, as those of hinge (spgm_model_balance).
 */
SPGM_API spgm_error spgm_class_shifts(const double *scores, const int64_t *class_of_row, const double *weights,
                                      int64_t rows, int64_t classes, double *shifts, spgm_status *status);

/* ---- 8. Stability ------------------------------------------------------------------------------ */

/*
 * How far a model depends on the rows at hand: the fit of all rows, how often each column is selected on halves of the
 * rows, and how far the coefficients of the chosen columns move when the rows are drawn anew with replacement.
 *
 * Every sample is drawn by the seed and its number alone, so that the same bits come of any number of threads, and of
 * a run that was stopped and went on: spgm_stability_run does what is missing, and set_sample takes what an earlier
 * process did. Rows of weight 0 are never drawn; the two labels of a classifier are drawn in their proportion.
 */
typedef struct spgm_stability spgm_stability;

/* Zero-initialise for the defaults. */
typedef struct spgm_stability_settings {
    int64_t halves;    /* 0: 100; negative: none                                                            */
    int independent;   /* nonzero: each half by itself (Meinshausen and Buehlmann 2010); else they come in pairs
                          without a row in common (Shah and Samworth 2013), and their number is even        */
    int64_t bootstrap; /* samples of all rows with replacement; 0: 200; negative: none                      */
} spgm_stability_settings;

/* The problem is borrowed; the options are copied (the time limit is that of the whole: a fifth for the fit of all
 * rows, and samples that could not end in time do not begin, but the first); settings may be NULL. */
SPGM_API spgm_error spgm_stability_new(const spgm_problem *problem, int64_t sparsity, const spgm_options *options,
                                       const spgm_stability_settings *settings, spgm_stability **stability,
                                       spgm_status *status);
SPGM_API void spgm_stability_free(spgm_stability *stability);
/* As spgm_cv_set_progress; progress->iteration counts the finished samples. Samples may be got while it is called. */
SPGM_API void spgm_stability_set_progress(spgm_stability *stability, spgm_progress_function function, void *context);
/* May be called again, and then does the samples that are missing. One that is stopped keeps what is finished. */
SPGM_API spgm_error spgm_stability_run(spgm_stability *stability, spgm_status *status);
SPGM_API void spgm_stability_interrupt(spgm_stability *stability); /* as spgm_solver_interrupt */
/* The fit of all rows; NULL before a run. */
SPGM_API const spgm_solver *spgm_stability_solver(const spgm_stability *stability);
/* Halves are samples 0, 1, ..., and bootstrap samples follow. */
SPGM_API int64_t spgm_stability_halves(const spgm_stability *stability, int64_t *finished);
SPGM_API int64_t spgm_stability_bootstraps(const spgm_stability *stability, int64_t *finished);
/* The nonzeros of the model of sample i: how many, and as spgm_solver_get_nonzeros; -1: not finished. */
SPGM_API int64_t spgm_stability_get_sample(const spgm_stability *stability, int64_t i, int64_t *columns, double *values,
                                           double *intercept);
/* What an earlier run with the same problem, options and settings found for sample i. Copied. */
SPGM_API spgm_error spgm_stability_set_sample(spgm_stability *stability, int64_t i, const int64_t *columns,
                                              const double *values, int64_t count, double intercept,
                                              spgm_status *status);
/* The share of the finished halves in whose models each column is [columns]; NaN without any. */
SPGM_API void spgm_stability_get_frequencies(const spgm_stability *stability, double *frequencies);
/* Between which the share `level` of the finished bootstrap samples has its coefficient of column j (-1: the
 * intercept), the same share on either side; NaN without any. The columns are those of the fit of all rows: the
 * interval is that of a model whose columns were known beforehand, and does not cover their choice. */
SPGM_API void spgm_stability_get_interval(const spgm_stability *stability, int64_t j, double level, double *low,
                                          double *high);

/* How many columns are selected in at least the share `threshold` of the halves, and how many of these are expected
 * that have no better chance than the average column: at most `bound` = q^2 / (p (2 threshold - 1)), where q of p
 * candidates are selected on average (Meinshausen and Buehlmann, if columns without meaning are exchangeable; Shah and
 * Samworth without that); at most `unimodal` for pairs if the frequencies of such columns have one peak. NaN: there is
 * no such bound. Free columns do not count. */
typedef struct spgm_stable_columns {
    int64_t count;
    double selected, candidates; /* q, p */
    double bound, unimodal;
} spgm_stable_columns;

SPGM_API spgm_error spgm_stability_stable(const spgm_stability *stability, double threshold,
                                          spgm_stable_columns *result, spgm_status *status);

/* ---- 9. Names and tables ---------------------------------------------------------------------- */

SPGM_API const char *spgm_version(void);
SPGM_API const char *spgm_error_name(spgm_error code);
SPGM_API const char *spgm_outcome_name(spgm_outcome outcome);
/* A sentence for people: "the relative change of F fell below the tolerance". */
SPGM_API const char *spgm_outcome_text(spgm_outcome outcome);
/* SPGM_OUTCOME_COUNT when no outcome has that name. */
SPGM_API spgm_outcome spgm_outcome_from_name(const char *name);

SPGM_API int64_t spgm_method_count(void);
SPGM_API const char *spgm_method_name(int64_t index);    /* NULL past the end */
SPGM_API const char *spgm_method_summary(int64_t index); /* NULL past the end */
SPGM_API int64_t spgm_loss_count(void);
SPGM_API const char *spgm_loss_name(int64_t index);    /* NULL past the end            */
SPGM_API const char *spgm_loss_aliases(int64_t index); /* "absolute_error|lad" or ""   */
SPGM_API const char *spgm_loss_formula(int64_t index); /* "sum_i |r_i|"                */
/* The option that shapes the loss, "quantile"; NULL: none, or past the end. */
SPGM_API const char *spgm_loss_parameter(int64_t index);
SPGM_API int spgm_loss_is_sum(int64_t index);     /* nonzero: over rows, so that it takes weights      */
SPGM_API int spgm_loss_has_labels(int64_t index); /* nonzero: for classification, b has two values     */
/* The losses among which a choice by cross-validation looks, by place from 1; -1 past the end. The first one judges;
 * its lowest mean error is a good parameter of those that have one. */
SPGM_API int64_t spgm_loss_candidate(int64_t place);
/* The probability of the upper label for the score a'x + intercept; NaN: the loss gives none. */
SPGM_API double spgm_loss_probability(int64_t index, double score);

/* ---- 10. Rows on many machines ------------------------------------------------------------------- */

/*
 * How the processes of a group talk to each other. libspgm-mpi (spgm/mpi.h) has one over MPI; any other will do that
 * keeps this contract. All processes make the same calls in the same order; a call returns when the values are there.
 * Nonzero: it failed, because another process has given up; later calls must fail as well and not wait.
 */
typedef struct spgm_communicator {
    int64_t rank, size; /* this process, 0 <= rank < size, and how many there are */
    /* In place: values [count] become the sums, or the largest, over all processes, with the same bits on each. */
    int (*sum)(void *context, double *values, int64_t count);
    int (*max)(void *context, double *values, int64_t count);
    /* data [bytes] becomes that of the process `root`. */
    int (*broadcast)(void *context, void *data, int64_t bytes, int64_t root);
    /* This process gives up alone (there is no memory, say), and the others are or will be waiting for it: make their
     * calls fail, or end the job. NULL: they wait for ever. */
    void (*fail)(void *context, const char *sentence);
    void *context;
} spgm_communicator;

/*
 * A problem whose rows are spread over the processes of a group: A and b are the rows of this process, in the order of
 * the ranks, and may be none (A->rows 0). Columns, options, sparsity and what is set for columns or as a smooth term
 * must be the same on every process, weights and slopes are those of its rows. All that is called with such a problem
 * (runs, spgm_problem_evaluate, spgm_problem_free aside) is called by every process; each receives the same x, F
 * and outcome. The result is that of one process but for rounding in the order of sums, whatever the parts.
 *
 * Process 0 reads the clock, and its progress callback and interrupts count; the others' are not looked at. An
 * error that every process would see (an option, a NaN in some part) is returned by all, with the sentence of the first
 * that met it. The communicator is copied; its context must outlive the problem.
 */
SPGM_API spgm_error spgm_problem_new_distributed(const spgm_matrix *A, const double *b, const spgm_options *options,
                                                 const spgm_communicator *communicator, spgm_problem **problem,
                                                 spgm_status *status);

#ifdef __cplusplus
}
#endif

#endif /* SPGM_H */
