/*
 * spgm - sparse linear models under losses that most sparse solvers do not support.
 *
 *     minimise  F(x) = f(x) + h(A x - b)   subject to  ||x||_0 <= s
 *
 * h is a convex loss. It may have kinks (absolute error, quantile, Chebyshev, hinge, ...) or be smooth (Huber,
 * logistic, ...). f is smooth and convex: zero, a ridge penalty, a quadratic or least squares. s is a hard limit: at
 * most s coefficients are nonzero.
 *
 * This header is the whole interface of the solver library libspgm, which needs only libm and threads. Files are read
 * and written by libspgm-io (spgm/io.h). The sections are in order of need:
 *
 *     1. Errors, outcomes, matrices     what every call shares
 *     2. One call                       spgm_solve
 *     3. Options                        every setting by name
 *     4. Problem                        weights, the feasible set, smooth terms
 *     5. Solver                         starting point, progress, complete results
 *     6. Path and choice of s           a model for every s; cross-validation over s and ridge; criteria
 *     7. Bands                          several quantiles at once, calibrated
 *     8. Stability                      selection frequencies of columns, bootstrap intervals of coefficients
 *     9. Names and tables               the methods, losses and outcomes that exist
 *    10. Rows on many machines          a problem whose rows are spread over processes
 *
 * Rules for all functions:
 *   - Inputs are borrowed and const. They must outlive the object that they were given to.
 *   - Outputs are allocated by the caller. On error they are untouched unless the comment says otherwise.
 *   - Every function that can fail returns an spgm_error and takes an spgm_status, which may be NULL. If it is not
 *     NULL, it receives the code and a sentence that says what is wrong, where, and what to do.
 *   - Every *_free function accepts NULL and then does nothing.
 *   - The library never prints, exits, aborts, installs a signal handler, reads the environment or keeps global state.
 *     Different objects may be used from different threads at once.
 *   - The same input, options and seed give bit-identical results for any number of threads.
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

/* What went wrong with a call. How a run ended is not an error but an spgm_outcome. */
typedef enum spgm_error {
    SPGM_OK = 0,
    SPGM_ERROR_MEMORY,      /* an allocation failed */
    SPGM_ERROR_ARGUMENT,    /* a size, pointer or combination of arguments is wrong */
    SPGM_ERROR_OPTION,      /* an unknown option, or a value out of its bounds */
    SPGM_ERROR_DATA,        /* a number in the data cannot be used (NaN, wrong label, ...) */
    SPGM_ERROR_FORMAT,      /* a file is not in the format that it should have */
    SPGM_ERROR_FILE,        /* a file cannot be opened, read or written */
    SPGM_ERROR_UNSUPPORTED, /* the chosen method cannot solve this combination of settings */
    SPGM_ERROR_UNBOUNDED,   /* F has no minimum: p'x falls faster than all other terms rise */
    SPGM_ERROR_PROCESS,     /* another process of the communicator has failed */
    SPGM_ERROR_COUNT
} spgm_error;

/* Why a run stopped. Whatever the reason, the best point found is feasible. */
typedef enum spgm_outcome {
    SPGM_NOT_RUN = 0,
    SPGM_CONVERGED,       /* the stopping rule of the method is satisfied */
    SPGM_ITERATION_LIMIT, /* max_iterations were made */
    SPGM_TIME_LIMIT,      /* time_limit seconds have passed */
    SPGM_INTERRUPTED,     /* the progress callback asked to stop */
    SPGM_LOCAL_OPTIMUM,   /* search: no exchange of one column lowers F; all were tried */
    SPGM_OPTIMAL,         /* proven: no feasible point is more than 1e-6 of F below the F returned */
    SPGM_SEARCHED,        /* search: the work that `effort` allows is done */
    SPGM_OUT_OF_MEMORY,   /* memory ran out after a first point was found; without a point it is SPGM_ERROR_MEMORY */
    SPGM_PASS_LIMIT,      /* pass_limit passes over A were made */
    SPGM_OUTCOME_COUNT
} spgm_outcome;

#define SPGM_MESSAGE_SIZE 512

/* Filled by every call that can fail: {SPGM_OK, ""} on success. */
typedef struct spgm_status {
    spgm_error code;
    char message[SPGM_MESSAGE_SIZE]; /* one sentence, no newline, always terminated */
} spgm_status;

/*
 * Memory that the caller lends for large arrays beside the matrix: for instance a file mapped into memory, whose pages
 * the system can write to disk (spgm/io.h provides one). Several threads may call both functions at once.
 */
typedef struct spgm_memory {
    void *(*take)(void *context, size_t bytes); /* returns zeroed memory, aligned to 64 bytes; NULL: there is none, and
                                                   the library allocates instead */
    void (*give)(void *context, void *array, size_t bytes); /* returns an array with the size that it was taken with */
    void *context;
} spgm_memory;

/*
 * A borrowed view of a matrix. Make it by spgm_dense, spgm_sparse or one of the functions below.
 *   dense   entry (i, j) is values[i + j * leading_dimension]: column-major, leading_dimension >= rows
 *   sparse  compressed columns: column j consists of row_index[k], values[k] for
 *           column_start[j] <= k < column_start[j + 1]; row indices ascend within a column
 */
typedef struct spgm_matrix {
    int64_t rows, columns;
    const double *values;
    int64_t leading_dimension;   /* dense only */
    const int64_t *column_start; /* sparse only [columns + 1]; NULL means dense */
    const int32_t *row_index;    /* sparse only [column_start[columns]] */
    const float *singles;        /* dense only: single precision, used instead of values */
    int by_rows;                 /* dense only, nonzero: row-major, entry (i, j) is at i * leading_dimension + j */
    int is_mapped; /* dense only, nonzero: the entries are in a mapped file. From 2^25 entries (256 MB) on a run then
                      keeps its own memory small (spgm_matrix_is_large) */
    const struct spgm_normal *normal; /* NULL; set only by the library, for the option `normal` */
    const int64_t *row_of;            /* NULL; set only by the library, for subsets: row i is stored as row row_of[i] */
    const int64_t *column_of;  /* NULL, or dense only [columns]: column j is stored as column column_of[j], so that
                                  stored columns can be left out without a copy */
    const spgm_memory *memory; /* NULL, or what a run on this matrix takes its arrays of 128 KB and more from; borrowed
                                  as A is */
} spgm_matrix;

SPGM_API spgm_matrix spgm_dense(int64_t rows, int64_t columns, const double *values);
SPGM_API spgm_matrix spgm_sparse(int64_t rows, int64_t columns, const int64_t *column_start, const int32_t *row_index,
                                 const double *values);
/* Dense matrices as they lie in a file: row-major, or in single precision in either order. The library makes no full
 * copy of them. Small problems are solved faster from column-major doubles. Only for A, not for the terms of f. */
SPGM_API spgm_matrix spgm_dense_by_rows(int64_t rows, int64_t columns, const double *values);
SPGM_API spgm_matrix spgm_dense_single(int64_t rows, int64_t columns, const float *values, int by_rows);
/* Nonzero: is_mapped is set and the matrix has at least 2^25 entries, so that a run keeps its own memory small beside
 * it. */
SPGM_API int spgm_matrix_is_large(const spgm_matrix *matrix);
/* Write column j, zeros included, of a matrix of any kind to column [rows]. */
SPGM_API void spgm_matrix_column(const spgm_matrix *matrix, int64_t j, double *column);

/* ---- 2. One call ------------------------------------------------------------------------------ */

typedef struct spgm_options spgm_options;

/* The result of a run. All values are recomputed from the data as given, at the point returned. */
typedef struct spgm_info {
    double objective;    /* F(x) = loss_value + smooth_value */
    double loss_value;   /* h(A x - b) */
    double smooth_value; /* f(x) */
    double bound;        /* a proven lower bound on F over the feasible set, or -INFINITY */
    double gap;          /* (F - bound) / |F|; 0: they are equal, up to rounding where F is 0; INFINITY: no bound */
    int64_t support;     /* nonzeros among the columns that count towards s */
    int64_t units;       /* what s counts: the same number, or the groups with such nonzeros */
    int feasible;        /* nonzero: x is in the feasible set, by the tests of spgm_problem_check */
    int64_t iterations;  /* of the method */
    int64_t nodes;       /* of the branch-and-bound tree */
    int64_t restarts;    /* search: the number of starts */
    int64_t agreeing;    /* search: the number of starts that ended at the F returned */
    double spread;       /* search: (worst - best) / best over the ends of all starts */
    double seconds;      /* time of the solver, without reading and checking the data */
    spgm_outcome outcome;
    double passes; /* passes over A, the same for any number of threads: products A x and A'u, counted as fractions
                      where only a part of the columns or rows takes part; a Gram matrix of k columns counts as k(k+1)/2
                      columns. Work on samples of the rows and on smooth terms is not counted.
                      NaN: not known (models of a path share their work) */
} spgm_info;

/* How far a result can be trusted. */
typedef enum spgm_certainty {
    SPGM_UNKNOWN = 0, /* at most one start: there is nothing to compare with */
    SPGM_PROVEN,      /* proven: no feasible point is better */
    SPGM_STABLE, /* at least three starts, or all of them, ended at the F returned, or the ends of all starts are within
                    0.1 % of it; if the worst end is at least twice that F, at least a quarter of the starts must have
                    ended there */
    SPGM_UNSTABLE,   /* fewer starts ended there: another start may find a lower F */
    SPGM_UNFINISHED, /* stopped by a limit, on request or for lack of memory */
    SPGM_CERTAINTY_COUNT
} spgm_certainty;

/* The verdict on a result. text [size] (may be NULL) receives it as a sentence that says what to do: "unstable: 46
 * starts, one ended here, ...". 160 characters are enough. */
SPGM_API spgm_certainty spgm_info_verdict(const spgm_info *info, char *text, size_t size);
SPGM_API const char *spgm_certainty_name(spgm_certainty certainty);

/*
 * Minimise F with at most `sparsity` nonzeros.
 *   b          [A->rows]     target; for losses for labels two distinct values, of which the larger is the label +1
 *   options    NULL: defaults. loss, ridge, intercept, method, time_limit, ...
 *   x          [A->columns]  receives the coefficients; may be NULL
 *   intercept  NULL, or receives the intercept (0 when the option `intercept` is off)
 *   info       NULL, or receives the objective, the bound, the outcome and so on
 */
SPGM_API spgm_error spgm_solve(const spgm_matrix *A, const double *b, int64_t sparsity, const spgm_options *options,
                               double *x, double *intercept, spgm_info *info, spgm_status *status);

/* ---- 3. Options ------------------------------------------------------------------------------- */

/* All settings at their defaults; options.def lists them. Returns NULL if memory runs out. */
SPGM_API spgm_options *spgm_options_new(void);
SPGM_API spgm_options *spgm_options_copy(const spgm_options *options);
SPGM_API void spgm_options_free(spgm_options *options);

/* Set an option by name from text ("ridge", "0.01"). Flags accept "true", "false", "1" and "0". */
SPGM_API spgm_error spgm_options_set(spgm_options *options, const char *name, const char *value, spgm_status *status);
/* Set a real, integer or flag option from a number. */
SPGM_API spgm_error spgm_options_set_number(spgm_options *options, const char *name, double value, spgm_status *status);
/* Write the value as text, from which spgm_options_set restores it exactly. */
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
    const char *group; /* "problem", "run", "method" or "search" */
    spgm_option_type type;
    const char *default_value;
    const char *choices; /* "a|b|c" for a choice, else "" */
    double low, high;    /* bounds of a number, both allowed unless `open` */
    int open;            /* nonzero: low and high themselves are not allowed */
    const char *help;    /* one sentence */
} spgm_option_info;

SPGM_API int64_t spgm_option_count(void);
/* NULL if index is out of range. */
SPGM_API const spgm_option_info *spgm_option_describe(int64_t index);

/* ---- 4. Problem ------------------------------------------------------------------------------- */

typedef struct spgm_problem spgm_problem;

/*
 * Check A and b, and take the options of the group "problem" (loss, quantile, epsilon, ridge, intercept, standardize,
 * ...). A and b are borrowed until spgm_problem_free. With the option `normal`, A'A and A'b take the place of A and b:
 * the rows of the problem are then the columns of A, and it takes no intercept, weights, slopes or subsets.
 */
SPGM_API spgm_error spgm_problem_new(const spgm_matrix *A, const double *b, const spgm_options *options,
                                     spgm_problem **problem, spgm_status *status);
SPGM_API void spgm_problem_free(spgm_problem *problem);

/* Replace the ridge of the options. It acts on the coefficients in the data's units or, if by_deviation is nonzero, on
 * each coefficient times the deviation of its column (option ridge_scale). */
SPGM_API spgm_error spgm_problem_set_ridge(spgm_problem *problem, double ridge, int by_deviation, spgm_status *status);
/* Row weights [rows], >= 0 and not all zero; only for losses that are sums over rows (not linf, l2). Copied. */
SPGM_API spgm_error spgm_problem_set_weights(spgm_problem *problem, const double *weights, spgm_status *status);
/*
 * The general piecewise linear loss with one dead zone per row, which replaces the loss of the options:
 *     h(r) = sum_i up_i max(r_i - dead_i, 0) + down_i max(-r_i - dead_i, 0),   r = A x - b
 * up, down and dead [rows] are >= 0; dead may be NULL for zeros. Copied.
 */
SPGM_API spgm_error spgm_problem_set_slopes(spgm_problem *problem, const double *up, const double *down,
                                            const double *dead, spgm_status *status);

/*
 * The feasible set: restrictions on x besides at most s nonzeros. Each setter copies its arguments and replaces what it
 * set before. A restriction that contradicts itself or the others is an error, and then nothing changes. Every method
 * stays in the set. An s larger than the set allows is reduced to the largest possible number; so is an s beyond the
 * number of columns that are not free.
 */
/* Free columns: always in the model, not counted in s. */
SPGM_API spgm_error spgm_problem_set_free_columns(spgm_problem *problem, const int64_t *columns, int64_t count,
                                                  spgm_status *status);
/* Excluded columns: never in the model. */
SPGM_API spgm_error spgm_problem_set_excluded(spgm_problem *problem, const int64_t *columns, int64_t count,
                                              spgm_status *status);
/* Bounds lower_j <= x_j <= upper_j in the data's units, for free columns too, but not for the intercept. lower and
 * upper [columns], either NULL for none; lower_j <= 0 <= upper_j; an infinite value means no bound. */
SPGM_API spgm_error spgm_problem_set_bounds(spgm_problem *problem, const double *lower, const double *upper,
                                            spgm_status *status);
/*
 * Groups of columns. group_of_column [columns] holds the number of the group (any number >= 0), or -1 for no group;
 * NULL removes the groups.
 *   limit 0   s counts groups, however many columns of each are in the model; a column without a group counts as a
 *             group of its own, and free columns belong to none
 *   limit K   s counts columns, and at most K columns of each group are in the model, free ones included
 */
SPGM_API spgm_error spgm_problem_set_groups(spgm_problem *problem, const int64_t *group_of_column, int64_t limit,
                                            spgm_status *status);
/* Check whether x [columns] is in the feasible set: bounds exactly, excluded columns, groups, s. SPGM_ERROR_DATA and a
 * sentence if it is not. *units (may be NULL) receives what s counts. */
SPGM_API spgm_error spgm_problem_check(const spgm_problem *problem, const double *x, int64_t sparsity, int64_t *units,
                                       spgm_status *status);

/* Charge time that the caller has spent on preparing the data, for a copy by columns for instance: it counts towards
 * the time limit and the seconds of every run. Calls add up; values that are not above 0 are ignored. */
SPGM_API void spgm_problem_charge(spgm_problem *problem, double seconds);

/* Add p'x to f; p [columns] is copied. If no other term or bound keeps p'x from falling without limit, F is unbounded
 * below, and a run that finds this returns SPGM_ERROR_UNBOUNDED. */
SPGM_API spgm_error spgm_problem_set_linear(spgm_problem *problem, const double *p, spgm_status *status);
/* Add x'Qx/2 to f; Q [columns x columns] is symmetric positive semidefinite and borrowed. A Q that has an eigenvalue
 * below -1e-6 after scaling to a unit diagonal is refused: by a factorisation up to 3000 columns, and for more columns
 * if 60 steps of Lanczos's method find such an eigenvalue. */
SPGM_API spgm_error spgm_problem_set_quadratic(spgm_problem *problem, const spgm_matrix *Q, spgm_status *status);
/* Add ||C x - d||^2/2 to f; C [any number of rows x columns] and d [C->rows] are borrowed. */
SPGM_API spgm_error spgm_problem_set_least_squares(spgm_problem *problem, const spgm_matrix *C, const double *d,
                                                   spgm_status *status);

/*
 * Merge equal rows of (A, b) into one row with the sum of their weights, and drop rows of weight 0: F stays the same at
 * every x, with fewer rows. This holds for losses that take row weights; problems with other losses stay as they are,
 * and rows whose slopes differ are not merged. If no two rows are equal, A stays borrowed; otherwise the remaining rows
 * are copied in the order of their first occurrence. spgm_problem_rows and spgm_problem_evaluate still refer to the
 * rows as given. Call it after set_weights and set_slopes, which undo it. Its time counts towards the time limit and
 * the seconds of every run. rows_left (may be NULL) receives the number of rows that the methods see.
 */
SPGM_API spgm_error spgm_problem_merge_rows(spgm_problem *problem, int64_t *rows_left, spgm_status *status);

/* The problem of the rows rows[0..count), in that order and possibly repeated, with everything that was set: weights,
 * slopes, free columns, smooth terms, and both labels even if only one occurs in these rows. Row numbers are those of
 * the data as given; if equal rows were merged, those of the subset are merged too. A and b are copied, with one
 * exception: an A in a large mapped file (is_mapped) without lent memory (spgm_matrix.memory) stays borrowed, as do the
 * matrices of smooth terms. */
SPGM_API spgm_error spgm_problem_subset(const spgm_problem *problem, const int64_t *rows, int64_t count,
                                        spgm_problem **subset, spgm_status *status);

/* What was set, borrowed from the problem; NULL: nothing was set. bounds: [columns], infinite where there is none;
 * excluded: [columns], nonzero for excluded columns; groups: [columns], the group of each column, renumbered without
 * gaps, -1 for none. */
SPGM_API void spgm_problem_bounds(const spgm_problem *problem, const double **lower, const double **upper);
SPGM_API const unsigned char *spgm_problem_excluded(const spgm_problem *problem);
SPGM_API const int64_t *spgm_problem_groups(const spgm_problem *problem, int64_t *limit);

SPGM_API int64_t spgm_problem_rows(const spgm_problem *problem);
SPGM_API int64_t spgm_problem_columns(const spgm_problem *problem);
/* Nonzero if the loss is for labels; labels (may be NULL) then receives the two values of b, the lower one first. */
SPGM_API int spgm_problem_labels(const spgm_problem *problem, double labels[2]);
/* F, h and f at any x [columns]. The outputs may be NULL. */
SPGM_API spgm_error spgm_problem_evaluate(const spgm_problem *problem, const double *x, double intercept,
                                          double *objective, double *loss_value, double *smooth_value,
                                          spgm_status *status);
/* The smoothing of F at any x [columns], for mu > 0: G(x; mu) = min over y of f(x) + h(y) + ||A x - b - y||^2 / (2 mu).
 * y [rows] receives the minimiser P_mu(A x - b). value and y may be NULL. With a loss for labels, b is -1 and +1 here.
 */
SPGM_API spgm_error spgm_problem_smoothing(const spgm_problem *problem, const double *x, double intercept, double mu,
                                           double *value, double *y, spgm_status *status);

/* ---- 5. Solver -------------------------------------------------------------------------------- */

typedef struct spgm_solver spgm_solver;

/* One iteration as the callback sees it; also one line of a trace. */
typedef struct spgm_progress {
    const char *method;   /* the method or phase that is running */
    int64_t iteration;    /* t */
    double mu;            /* smoothing or penalty parameter; 0: the method has none */
    double objective;     /* F(x^t) */
    double best;          /* the lowest F so far */
    double penalised;     /* J(x^t, y^t; mu), or the method's own merit function */
    double step;          /* ||x^t - x^{t-1}|| */
    double infeasibility; /* ||A x^t - b - y^t|| */
    int64_t support;      /* nonzeros that count towards s */
    double seconds;       /* since the run began */
    double fraction;      /* estimate of the share of the work that is done; 0: unknown */
    double bound;         /* the lower bound proven so far, or -INFINITY */
    int64_t open;         /* open nodes of branch and bound */
} spgm_progress;

/* Called after every iteration, from the thread that called spgm_solver_run. A nonzero return asks the run to stop. */
typedef int (*spgm_progress_function)(const spgm_progress *progress, void *context);

/* The problem is borrowed; the options are copied. */
SPGM_API spgm_error spgm_solver_new(const spgm_problem *problem, int64_t sparsity, const spgm_options *options,
                                    spgm_solver **solver, spgm_status *status);
SPGM_API void spgm_solver_free(spgm_solver *solver);
/* Start from x [columns], projected onto the feasible set (cut to its s largest entries), instead of from a random
 * point drawn by the seed. Copied. */
SPGM_API spgm_error spgm_solver_set_start(spgm_solver *solver, const double *x, double intercept, spgm_status *status);
SPGM_API void spgm_solver_set_progress(spgm_solver *solver, spgm_progress_function function, void *context);
/* For use within the progress callback: the x^t [columns] of this iteration in the data's units, and its intercept (may
 * be NULL). Returns 0 and leaves both untouched outside a callback and during a search, which has no single current
 * point. */
SPGM_API int spgm_solver_get_iterate(const spgm_solver *solver, double *x, double *intercept);
/* May be called again; each call starts from scratch. */
SPGM_API spgm_error spgm_solver_run(spgm_solver *solver, spgm_status *status);
/* Ask a running solver to stop soon. The only function that may be called from another thread or a signal handler
 * during a run. */
SPGM_API void spgm_solver_interrupt(spgm_solver *solver);

/* What the solver was made from. The pointers are valid as long as the solver (the problem: as long as its owner keeps
 * it). */
SPGM_API const spgm_problem *spgm_solver_get_problem(const spgm_solver *solver);
SPGM_API int64_t spgm_solver_get_sparsity(const spgm_solver *solver);
SPGM_API const spgm_options *spgm_solver_get_options(const spgm_solver *solver);
/* x [columns]; zeros before a run. */
SPGM_API void spgm_solver_get_x(const spgm_solver *solver, double *x, double *intercept);
/* The number of nonzeros of x. columns (from 0, ascending) and values receive them; either may be NULL. */
SPGM_API int64_t spgm_solver_get_nonzeros(const spgm_solver *solver, int64_t *columns, double *values);
SPGM_API spgm_info spgm_solver_get_info(const spgm_solver *solver);
/* Seconds by component: *name and *seconds of component `index`, from 0. Returns 0 past the last one. */
SPGM_API int spgm_solver_get_time(const spgm_solver *solver, int64_t index, const char **name, double *seconds);

/*
 * Keep a certificate of the following runs (method exact), so that others can check the proof: the tree with the dual
 * vectors of its nodes. This takes additional memory up to the option memory_limit, and branching near the root is
 * simpler, so the tree may differ. Rows that were merged are used as they were given.
 */
SPGM_API void spgm_solver_keep_certificate(spgm_solver *solver, int keep);
/* Receives the text in pieces. A nonzero return stops the writing. */
typedef int (*spgm_write_function)(const char *text, size_t size, void *context);
/* Write the certificate of the last run as lines of JSON (docs/proof.md), which tools/check_certificate.py verifies
 * from the raw data. SPGM_ERROR_UNSUPPORTED and a sentence if the proof cannot be expressed in this form. */
SPGM_API spgm_error spgm_solver_write_certificate(const spgm_solver *solver, spgm_write_function write, void *context,
                                                  spgm_status *status);

/* Which of the paper's kinds of stationary point a point is: basic, Lipschitz, block-k. */
typedef struct spgm_stationarity {
    double objective;       /* F(x) */
    double support_minimum; /* the lowest F over the support of x, by an exact fit */
    double support_bound;   /* proven lower bound on F over this support */
    int is_basic;           /* nonzero: F(x) is that minimum */
    int is_lipschitz;       /* nonzero: basic, and x is a projection of x - r / H onto the feasible set, at mu */
    double mu; /* the option mu_start if it is set, else a thousandth of the value at which its schedule starts */
    double largest_mu;  /* the largest mu at which x is Lipschitz stationary; 0: there is none */
    int64_t block;      /* k */
    int is_block;       /* nonzero: no support that was tried, differing in at most k units, has a lower F */
    int is_sampled;     /* nonzero: there are too many changes, and only a sample was tried */
    int is_stopped;     /* nonzero: the time limit ended the check early */
    int64_t changes;    /* changes of the support that were tried, without those contained in another */
    double all_changes; /* number of all such changes */
    int64_t supports;   /* number of supports that were fitted */
    double lowest;      /* the lowest F found */
} spgm_stationarity;

/*
 * Measure x [columns], which must be feasible (spgm_problem_check). Differences in F of up to 1e-6 of |F| count as
 * equal.
 *   block      k, 0 to 8; 0: the block check is left out. All changes of the support in at most k units are tried if
 *              that takes at most about 1e10 multiplications; otherwise as many, drawn at random by the seed
 *   options    NULL: defaults. seed, threads, time_limit, theta, mu_start
 *   better     NULL, or receives the x [columns] of the lowest F found; better_intercept likewise
 * r and H are those of the definitions in the limit mu -> 0 of y, for the problem as methods see it (columns scaled).
 */
SPGM_API spgm_error spgm_problem_stationary(const spgm_problem *problem, const double *x, double intercept,
                                            int64_t sparsity, int64_t block, const spgm_options *options,
                                            spgm_stationarity *result, double *better, double *better_intercept,
                                            spgm_status *status);

/* ---- 6. Path and choice of s -------------------------------------------------------------------- */

/* A model for every s of a list, from one run. Models are warm-started from those of neighbouring s, forwards and
 * backwards, until F does not rise with s and nothing improves. The method of the options finds each model; `auto`
 * searches by exchanges of columns. The time limit is for the whole path. */
typedef struct spgm_path spgm_path;

/* sparsities [count], each 0..columns, distinct, in any order; they are kept in ascending order. The options are
 * copied, the problem is borrowed. */
SPGM_API spgm_error spgm_path_new(const spgm_problem *problem, const int64_t *sparsities, int64_t count,
                                  const spgm_options *options, spgm_path **path, spgm_status *status);
SPGM_API void spgm_path_free(spgm_path *path);
/* progress->iteration counts the models tried, support is the size of the current one, method is "forwards" or
 * "backwards". */
SPGM_API void spgm_path_set_progress(spgm_path *path, spgm_progress_function function, void *context);
/* May be called again; each call starts from scratch. A path that is stopped still has a model for every s. */
SPGM_API spgm_error spgm_path_run(spgm_path *path, spgm_status *status);
SPGM_API void spgm_path_interrupt(spgm_path *path); /* as spgm_solver_interrupt */
SPGM_API int64_t spgm_path_count(const spgm_path *path);
/* Returns the i-th smallest s, i from 0; -1 past the end. x [columns], intercept and info may be NULL. F does not rise
 * with s, not even by rounding. info->restarts counts the starts for this s. */
SPGM_API int64_t spgm_path_get(const spgm_path *path, int64_t i, double *x, double *intercept, spgm_info *info);
/* Seconds of the whole path. */
SPGM_API double spgm_path_seconds(const spgm_path *path);

/* Information criteria along a path that has run: "bic", "ebic" or "gic" in the form that fits the loss (README of
 * src/select). values [count] receives one value for each s, lower is better; *lowest receives the index of the lowest
 * (the smallest s among equal ones). Either may be NULL. +INFINITY where there are at least as many parameters as rows.
 */
SPGM_API spgm_error spgm_path_criterion(const spgm_path *path, const char *criterion, double *values, int64_t *lowest,
                                        spgm_status *status);

/*
 * Cross-validation over s and the ridge. For every fold and every ridge, a path is fitted to the rows outside the fold
 * and judged by its loss on the rows of the fold. Options: folds; seed, which draws them; threads (folds run side by
 * side, each on one thread); time_limit, for the whole; and those of every fit. For a classifier both labels are spread
 * evenly over the folds.
 *
 * Under a time limit every fold has a path for at least one ridge, and further ridges as time allows. Folds that could
 * not end in time are not begun, except for the first one; their losses are NaN.
 *
 * With the method `auto`, an effort of at most SPGM_CV_EFFORT and no time_limit, a fold is searched quickly: each (s,
 * ridge) starts from the models with the next smaller s and with the next larger ridge, and columns are exchanged until
 * no exchange lowers F. Otherwise each ridge has a path of that effort (spgm_path).
 */
typedef struct spgm_cv spgm_cv;

/* The problem is borrowed, with everything that was set on it; the options are copied. If sparsities is NULL and count
 * 0, the range of s follows the data: it goes from 0 up, first one by one and then in wider steps, to 32, and on until
 * the largest s tried is at least twice the one with the lowest loss, or half the rows that a fold's path is fitted to.
 * For logistic models with a ridge the end is twice these rows, up to 128, where that is more. */
SPGM_API spgm_error spgm_cv_new(const spgm_problem *problem, const int64_t *sparsities, int64_t count,
                                const spgm_options *options, spgm_cv **cv, spgm_status *status);
SPGM_API void spgm_cv_free(spgm_cv *cv);
/* Add another problem with the same numbers of rows and columns, such as one label against the rest. All problems share
 * folds, s and ridge, and losses are means over the problems. Their folds run side by side. */
SPGM_API spgm_error spgm_cv_add(spgm_cv *cv, const spgm_problem *problem, spgm_status *status);
/* Judge the folds by the loss of this problem, whatever loss the models minimise, so that cross-validations of several
 * losses can be compared. The problem has the same rows and columns and is borrowed. NULL: by the loss of each problem
 * again. */
SPGM_API spgm_error spgm_cv_judge_by(spgm_cv *cv, const spgm_problem *problem, spgm_status *status);
/* Use given folds instead of drawing them: fold_of_row [rows], numbered 0..folds-1, none empty. Copied. */
SPGM_API spgm_error spgm_cv_set_folds(spgm_cv *cv, const int64_t *fold_of_row, int64_t folds, spgm_status *status);
/*
 * Ridges to choose from instead of that of the problem: ridges [count], each >= 0, distinct, in any order; they are
 * kept in descending order. They apply to a fit to all rows; a fold scales them by its share of the row weights. NULL
 * and count 0: seven values in proportion to the data, from one that shrinks everything down to none, for columns
 * divided by their deviation (whatever the option ridge_scale says). If the range of s follows the data, ridges that
 * are clearly worse up to s = 8, 16, 32, ... are left out for larger s, and their losses there are NaN.
 */
SPGM_API spgm_error spgm_cv_set_ridges(spgm_cv *cv, const double *ridges, int64_t count, spgm_status *status);
/* Called from the thread that called spgm_cv_run. progress->iteration counts the finished (fold, s) pairs, and fraction
 * is the share of the whole that is done; the other fields are those of one of the folds, or NaN. */
SPGM_API void spgm_cv_set_progress(spgm_cv *cv, spgm_progress_function function, void *context);
/* May be called again; each call starts from scratch. If a run is stopped, finished folds keep their losses. */
SPGM_API spgm_error spgm_cv_run(spgm_cv *cv, spgm_status *status);
SPGM_API void spgm_cv_interrupt(spgm_cv *cv); /* as spgm_solver_interrupt */
/*
 * Run folds elsewhere, in other processes or on other machines. A run consists of rounds (one, if s is given); a round
 * has one piece for each fold of each problem, listed fold by fold. The function set here must have all pieces of a
 * round computed, each by spgm_cv_run_piece on an object made in the same way from the same data, with the losses and
 * the trail copied there and back. The losses then have the same bits as in a run without it.
 *
 * A piece whose losses the function leaves untouched counts as interrupted; under a time limit it counts as not begun
 * for lack of time, and so do all later folds. A nonzero return ends the run. Under a time limit, the option threads
 * says how many pieces run at a time, so that the time can be shared out.
 */
typedef struct spgm_cv_piece {
    int64_t number;                  /* within its round: fold number % folds of problem number / folds */
    int64_t first, last;             /* its range of s: indices into the list, [first, last) */
    int64_t ridges;                  /* number of all ridges */
    int64_t first_ridge, last_ridge; /* the ridges that are tried: [first_ridge, last_ridge) */
    double seconds;                  /* time that the piece may take; INFINITY: no limit */
    double *losses;                  /* [(last - first) x ridges] output; NaN for ridges that are not tried */
    int64_t trail_size;              /* 0: there is none */
    double *trail; /* [trail_size] input from the second round on, and output: the state that the next round continues
                      from */
} spgm_cv_piece;
typedef int (*spgm_cv_round_function)(spgm_cv_piece *pieces, int64_t count, void *context);
/* function may be NULL: the folds run here. */
SPGM_API void spgm_cv_set_rounds(spgm_cv *cv, spgm_cv_round_function function, void *context);
/* Calls the progress function of this object, which may stop the piece: its losses are then NaN. */
SPGM_API spgm_error spgm_cv_run_piece(spgm_cv *cv, spgm_cv_piece *piece, spgm_status *status);
SPGM_API int64_t spgm_cv_count(const spgm_cv *cv); /* number of s; if the range follows the data, of those tried */
SPGM_API int64_t spgm_cv_ridge_count(const spgm_cv *cv); /* 1 unless ridges were set */
SPGM_API int64_t spgm_cv_folds(const spgm_cv *cv);       /* after a run: over all splits (option repeats) */
/* The k-th largest ridge, from 0; NaN past the end, and before the first run for ridges in proportion to the data. */
SPGM_API double spgm_cv_ridge(const spgm_cv *cv, int64_t k);
/* Returns the i-th smallest s, i from 0; -1 past the end. losses [folds] receives the out-of-sample loss of each fold:
 * the weighted mean over its rows; for l2 the root of the mean square, for linf the maximum. NaN: the fold was
 * interrupted. mean and standard_error are over the finished folds; NaN without any, and standard_error with only one.
 * Outputs may be NULL. k selects the k-th largest ridge; -1: the ridge with the lowest mean for this s. */
SPGM_API int64_t spgm_cv_get_at(const spgm_cv *cv, int64_t i, int64_t k, double *losses, double *mean,
                                double *standard_error);
/* The same with k = -1. */
SPGM_API int64_t spgm_cv_get(const spgm_cv *cv, int64_t i, double *losses, double *mean, double *standard_error);
/*
 * The indices of the s and the ridge that a rule of the option `rule` chooses:
 *   min        the lowest mean
 *   1se        the smallest s that is within one standard error of the lowest mean with some ridge, and its best ridge
 *   shrunk     the s of the lowest mean, and the largest ridge that is within one standard error of it at that s
 *   projected  as min; spgm_project then makes one model from all cells
 * -1 for both if no fold has finished. The outputs may be NULL.
 */
SPGM_API spgm_error spgm_cv_choose(const spgm_cv *cv, const char *rule, int64_t *i, int64_t *k, spgm_status *status);
/* Half the work of the default effort, for the final fit to all rows: on generated data of eight kinds, effort 3
 * instead of 5 in that fit changed the held-out error by -0.014 +- 0.014 %. */
#define SPGM_CV_EFFORT 4
/* If a time limit covers both, the share of it that is kept for the final fit; the folds have the rest. */
#define SPGM_CV_FIT_SHARE 0.2
/* A mean loss of at most this share of the loss of x = 0 is rounding, and no other loss can be better. */
#define SPGM_CV_PERFECT 1e-12
/* Nonzero if every fold is finished. A mean over some of the folds cannot be compared with that of another loss. */
SPGM_API int spgm_cv_is_whole(const spgm_cv *cv);
/* Nonzero if no other loss can be better: the lowest mean is at most SPGM_CV_PERFECT times the mean loss of x = 0. */
SPGM_API int spgm_cv_is_perfect(const spgm_cv *cv);
/* The indices of the s that `min` and `1se` choose; -1 if no fold has finished. */
SPGM_API int64_t spgm_cv_best(const spgm_cv *cv);
SPGM_API int64_t spgm_cv_one_standard_error(const spgm_cv *cv);
/* fold_of_row [rows] receives the folds of the first split. */
SPGM_API void spgm_cv_get_fold_of_row(const spgm_cv *cv, int64_t *fold_of_row);

/*
 * The rule "projected": average many models, and find few columns whose predictions come near to those of the mean.
 * `choices` [count] are the cells (loss, s, ridge) of cross-validations of one target under several losses, all judged
 * by the absolute error, in any order. Those within 5 % of the lowest loss take part, at most twenty. Twenty models are
 * fitted, to these cells in turn, each without the rows of one of the folds (numbered 0..folds-1, fold_of_row [rows]).
 * Ridge regression on all columns takes part too, unless the data are too large for it, and so does Huber's loss on all
 * columns. Their weights in the mean grow with how much better they predict the rows outside the folds; that of Huber's
 * loss falls with the number of columns. The results are
 *   target     [rows] the predictions of the mean,
 *   *sparsity  the smallest number of columns that predict nearly the same, by least squares: at a price of 0.1 %
 *              of the error for each column there is, at most 1.25 %, or 1 % with more than half as many columns as
 *              rows,
 *   *ridge     0, or with at least as many columns as rows a ridge for these least squares, by deviations,
 *   linear     [columns] the linear term that belongs to it, else zeros: both draw the coefficients to those of the
 *              mean, since a few of many columns fit some rows by chance.
 *
 * The final model is that of the problem with this target, the squared loss, this ridge and this linear term. It does
 * not minimise an F of the data. The time limit in `options` is for all of this without that last fit. The problems
 * must not have labels or restrictions. progress may be NULL. If it asks to stop, the mean is over the models fitted so
 * far, at least one.
 */
typedef struct spgm_choice {
    const spgm_problem *problem; /* borrowed; its own ridge is ignored */
    int64_t sparsity;
    double ridge;     /* for a fit to all rows */
    int by_deviation; /* nonzero: the ridge acts on columns divided by their deviation */
    double loss;      /* the mean over the folds; NaN: not known, the cell takes no part */
} spgm_choice;
SPGM_API spgm_error spgm_project(const spgm_choice *choices, int64_t count, const int64_t *fold_of_row, int64_t folds,
                                 const spgm_options *options, spgm_progress_function progress, void *context,
                                 double *target, int64_t *sparsity, double *ridge, double *linear, spgm_status *status);

/* ---- 7. Bands --------------------------------------------------------------------------------- */

/*
 * Several quantiles of b at once, each with at most s columns, that do not cross and are calibrated on rows that did
 * not take part in the fit (conformalised quantile regression: Romano, Patterson and Candes 2019, one side at a time).
 *   cross  Every row is predicted by models fitted without its fold (options folds and seed). The errors of these
 *          predictions, together with what the same models predict at a row x, give the limit of CV+ at x (Barber et
 *          al. 2021). Each level of the models of all rows is shifted by the median, over up to 100 rows x, of the
 *          distance from their prediction to that limit. All rows are used in the fit, but there is no guarantee for
 *          every distribution.
 *   split  Models are fitted to three quarters of the rows and calibrated on the others. For exchangeable rows, the
 *          probability that a new row lies below a level under 1/2 (above a level over 1/2) is at most the level (1
 *          minus the level), for every distribution.
 *   none   Quantiles as fitted; on new rows they cover too little.
 * Levels below 1/2 are shifted so that at most that share of new rows lies below, levels above 1/2 so that at most the
 * rest lies above; 1/2 is not shifted.
 */
typedef struct spgm_band spgm_band;

/* Zero-initialise for the defaults. */
typedef struct spgm_band_settings {
    int common_columns; /* nonzero: all quantiles use the same s columns, chosen by the sum of their losses; 0: each has
                           its own */
    const char *calibration; /* "cross" (also NULL), "split" or "none" */
} spgm_band_settings;

/* levels [count], ascending, between 0 and 1. The loss of the problem must be quantile; its own level is ignored. The
 * problem is borrowed; the options are copied; settings may be NULL. Common columns cannot be combined with a limit of
 * K columns per group, nor with linear, quadratic and least-squares terms. */
SPGM_API spgm_error spgm_band_new(const spgm_problem *problem, const double *levels, int64_t count, int64_t sparsity,
                                  const spgm_options *options, const spgm_band_settings *settings, spgm_band **band,
                                  spgm_status *status);
SPGM_API void spgm_band_free(spgm_band *band);
/* As spgm_cv_set_progress; progress->iteration counts the finished folds. */
SPGM_API void spgm_band_set_progress(spgm_band *band, spgm_progress_function function, void *context);
/* May be called again; each call starts from scratch. The time limit is for the whole. A run that is stopped keeps the
 * best models so far and calibrates by the finished folds, if these have enough rows; it is an error if a level has no
 * model yet. */
SPGM_API spgm_error spgm_band_run(spgm_band *band, spgm_status *status);
SPGM_API void spgm_band_interrupt(spgm_band *band); /* as spgm_solver_interrupt */
SPGM_API int64_t spgm_band_count(const spgm_band *band);
/* How often rows are held out: the number of folds for `cross`, 1 for `split`, 0 for `none`. *done (may be NULL)
 * receives how many of these the shifts come from: fewer after a run that was stopped; 0: there are no shifts. */
SPGM_API int64_t spgm_band_folds(const spgm_band *band, int64_t *done);
/* The k-th level; NaN past the end. *shift (may be NULL) receives what calibration adds to its prediction. */
SPGM_API double spgm_band_level(const spgm_band *band, int64_t k, double *shift);
/* The fit of the k-th level, valid until the band is run again or freed; NULL before a run and past the end. */
SPGM_API const spgm_solver *spgm_band_solver(const spgm_band *band, int64_t k);
/* values [rows x count], row by row: predictions by models that have not seen the row, in ascending order, without
 * shifts; NaN where there is none (rows of the fit for `split`, all rows for `none`). */
SPGM_API void spgm_band_get_held_out(const spgm_band *band, double *values);
/* Turn the predictions values [count] for one row into those of the band, in place: they are sorted, shifted, and
 * widened from the middle outwards where the shifts have made them cross. If one is NaN, all become NaN. */
SPGM_API void spgm_band_arrange(const double *levels, const double *shifts, int64_t count, double *values);
/* The smallest t such that the rows with score <= t have at least the share p (1 + 1/count) of the weights [count]
 * (NULL: equal). Rows of weight 0 do not count. INFINITY: there are too few rows for this p. */
SPGM_API spgm_error spgm_conformal_quantile(const double *scores, const double *weights, int64_t count, double p,
                                            double *quantile, spgm_status *status);

/*
 * For more than two labels, with one model for each against the rest: shifts [classes] of mean 0 to be added to their
 * scores [rows x classes] (row by row) so that exp(score) is proportional to the probability of a class. They maximise
 * the multinomial likelihood of class_of_row [rows], numbered from 0. weights [rows] may be NULL. This is for losses
 * such as hinge, whose scores are not comparable between models (spgm_model_balance).
 */
SPGM_API spgm_error spgm_class_shifts(const double *scores, const int64_t *class_of_row, const double *weights,
                                      int64_t rows, int64_t classes, double *shifts, spgm_status *status);

/* ---- 8. Stability ------------------------------------------------------------------------------ */

/*
 * How much a model depends on the rows at hand: the fit to all rows; how often each column is selected on random halves
 * of the rows; and how far the coefficients of the selected columns move in bootstrap samples of the rows.
 *
 * Every sample is determined by the seed and its number alone. So the results have the same bits for any number of
 * threads, and after a run that was stopped and continued: spgm_stability_run computes the missing samples, and
 * set_sample restores those of an earlier process. Rows of weight 0 are never drawn; the two labels of a classifier are
 * drawn in proportion.
 */
typedef struct spgm_stability spgm_stability;

/* Zero-initialise for the defaults. */
typedef struct spgm_stability_settings {
    int64_t halves;  /* number of halves; 0: 100; negative: none */
    int independent; /* nonzero: each half is drawn independently (Meinshausen and Buehlmann 2010); 0: they are drawn in
                        pairs without common rows (Shah and Samworth 2013), and their number is even */
    int64_t bootstrap; /* number of bootstrap samples of all rows; 0: 200; negative: none */
} spgm_stability_settings;

/* The problem is borrowed; the options are copied; settings may be NULL. The time limit is for the whole: a fifth is
 * for the fit to all rows, and samples that could not end in time are not begun, except for the first. */
SPGM_API spgm_error spgm_stability_new(const spgm_problem *problem, int64_t sparsity, const spgm_options *options,
                                       const spgm_stability_settings *settings, spgm_stability **stability,
                                       spgm_status *status);
SPGM_API void spgm_stability_free(spgm_stability *stability);
/* As spgm_cv_set_progress; progress->iteration counts the finished samples. The callback may call
 * spgm_stability_get_sample. */
SPGM_API void spgm_stability_set_progress(spgm_stability *stability, spgm_progress_function function, void *context);
/* May be called again, and then computes the missing samples. A run that is stopped keeps the finished ones. */
SPGM_API spgm_error spgm_stability_run(spgm_stability *stability, spgm_status *status);
SPGM_API void spgm_stability_interrupt(spgm_stability *stability); /* as spgm_solver_interrupt */
/* The fit to all rows; NULL before a run. */
SPGM_API const spgm_solver *spgm_stability_solver(const spgm_stability *stability);
/* The numbers of halves and of bootstrap samples, and in *finished (may be NULL) how many of them are finished. Samples
 * are numbered from 0, halves first. */
SPGM_API int64_t spgm_stability_halves(const spgm_stability *stability, int64_t *finished);
SPGM_API int64_t spgm_stability_bootstraps(const spgm_stability *stability, int64_t *finished);
/* The number of nonzeros of the model of sample i, written as by spgm_solver_get_nonzeros; -1: not finished. */
SPGM_API int64_t spgm_stability_get_sample(const spgm_stability *stability, int64_t i, int64_t *columns, double *values,
                                           double *intercept);
/* Restore the model that an earlier run with the same problem, options and settings found for sample i. Copied. */
SPGM_API spgm_error spgm_stability_set_sample(spgm_stability *stability, int64_t i, const int64_t *columns,
                                              const double *values, int64_t count, double intercept,
                                              spgm_status *status);
/* frequencies [columns]: the share of the finished halves whose model contains the column; NaN without any. */
SPGM_API void spgm_stability_get_frequencies(const spgm_stability *stability, double *frequencies);
/* The central interval that holds the share `level` of the coefficients of column j (-1: the intercept) in the finished
 * bootstrap samples; NaN without any. All samples use the columns of the fit to all rows, so the interval is that of a
 * model whose columns were known beforehand: it does not cover their choice. */
SPGM_API void spgm_stability_get_interval(const spgm_stability *stability, int64_t j, double level, double *low,
                                          double *high);

/* The columns selected in at least the share `threshold` of the halves, and bounds on how many of them are expected to
 * be columns whose selection probability is at most the average. `bound` = q^2 / (p (2 threshold - 1)), where q of p
 * candidates are selected on average (Meinshausen and Buehlmann, if columns without effect are exchangeable; Shah and
 * Samworth without this assumption). `unimodal` is for pairs, if the frequencies of such columns are unimodal. NaN: the
 * bound does not exist. Free columns do not count. */
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
/* A sentence for users: "the relative change of F fell below the tolerance". */
SPGM_API const char *spgm_outcome_text(spgm_outcome outcome);
/* SPGM_OUTCOME_COUNT if no outcome has that name. */
SPGM_API spgm_outcome spgm_outcome_from_name(const char *name);

SPGM_API int64_t spgm_method_count(void);
SPGM_API const char *spgm_method_name(int64_t index);    /* NULL past the end */
SPGM_API const char *spgm_method_summary(int64_t index); /* NULL past the end */
SPGM_API int64_t spgm_loss_count(void);
SPGM_API const char *spgm_loss_name(int64_t index);    /* NULL past the end */
SPGM_API const char *spgm_loss_aliases(int64_t index); /* "absolute_error|lad" or "" */
SPGM_API const char *spgm_loss_formula(int64_t index); /* "sum_i |r_i|" */
/* The option that is the parameter of the loss, such as "quantile"; NULL: none, or past the end. */
SPGM_API const char *spgm_loss_parameter(int64_t index);
SPGM_API int spgm_loss_is_sum(int64_t index);     /* nonzero: a sum over rows, so that it takes weights */
SPGM_API int spgm_loss_has_labels(int64_t index); /* nonzero: for labels, b has two values */
/* The losses that cross-validation tries when it chooses the loss, by place from 1; -1 past the end. The models of all
 * of them are judged by the first one, and the lowest mean error is used as the parameter of those losses that have
 * one. */
SPGM_API int64_t spgm_loss_candidate(int64_t place);
/* The probability of the upper label at the score a'x + intercept; NaN: the loss gives no probabilities. */
SPGM_API double spgm_loss_probability(int64_t index, double score);

/* ---- 10. Rows on many machines ------------------------------------------------------------------- */

/*
 * How the processes of a group communicate. libspgm-mpi (spgm/mpi.h) implements it over MPI; any other implementation
 * of this contract will do. All processes make the same calls in the same order, and a call returns when the values
 * have arrived. A nonzero return means failure because another process has given up; later calls must then fail as well
 * instead of waiting.
 */
typedef struct spgm_communicator {
    int64_t rank, size; /* number of this process, 0 <= rank < size, and number of processes */
    /* In place: values [count] become the sums, or the maxima, over all processes, with the same bits on each. */
    int (*sum)(void *context, double *values, int64_t count);
    int (*max)(void *context, double *values, int64_t count);
    /* data [bytes] becomes that of process `root`. */
    int (*broadcast)(void *context, void *data, int64_t bytes, int64_t root);
    /* Called when this process alone gives up (out of memory, for instance) while the others are or will be waiting for
     * it: must make their calls fail, or end the job. NULL: they wait for ever. */
    void (*fail)(void *context, const char *sentence);
    void *context;
} spgm_communicator;

/*
 * A problem whose rows are spread over the processes of a group. A and b are the rows of this process, in the order of
 * the ranks; there may be none (A->rows 0). Columns, options, sparsity, column settings and smooth terms must be the
 * same on every process; weights and slopes are those of its own rows. Every call with such a problem (runs,
 * spgm_problem_evaluate, but not spgm_problem_free) must be made by every process; each receives the same x, F and
 * outcome. However the rows are distributed, the result is that of one process up to rounding in the order of sums.
 *
 * Only the clock, the progress callback and the interrupts of process 0 count. An error that concerns all processes (an
 * option, a NaN in some part) is returned by all of them, with the sentence of the first that found it. The
 * communicator is copied; its context must outlive the problem.
 */
SPGM_API spgm_error spgm_problem_new_distributed(const spgm_matrix *A, const double *b, const spgm_options *options,
                                                 const spgm_communicator *communicator, spgm_problem **problem,
                                                 spgm_status *status);

#ifdef __cplusplus
}
#endif

#endif /* SPGM_H */
