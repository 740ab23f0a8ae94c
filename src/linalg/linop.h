/*
 * The linear map A. Operators are tables of functions; a new kind of operator is one new file.
 *
 * If the rows are spread over processes, whatever is summed over rows goes through `reduce`, which is NULL in a single
 * process. The functions of the table work on the local rows; callers use the linop_* wrappers below, which apply the
 * reduction. Vectors over rows hold the local rows only.
 *
 * Lists of columns may be in any order and may repeat a column. Nothing here allocates after creation, and several
 * threads may use one operator at once.
 */
#ifndef SPGM_LINALG_LINOP_H
#define SPGM_LINALG_LINOP_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/stop.h"
#include "spgm/spgm.h"

/* Reductions over all processes, in place, of `count` values. NULL functions do nothing. */
struct reduction {
    void (*sum)(void *context, double *values, int64_t count);
    void (*max)(void *context, double *values, int64_t count);
    void *context;
    struct party *party; /* the processes that share the rows; NULL: not available */
};

void reduce_sum(const struct reduction *reduce, double *values, int64_t count); /* reduce may be NULL */
void reduce_max(const struct reduction *reduce, double *values, int64_t count);

struct linop;
struct columns; /* linalg/kernels.h */

/* What csc_gram.c keeps of a list of columns from one Gram matrix to the next. */
struct gram_run {
    int64_t asked;            /* Gram matrices so far; 0: nothing is known yet              */
    double work;              /* multiplications of one, or what takes as long              */
    int64_t loose, row_tile;  /* entries of columns that are not full; as in csc.h          */
    struct gram_lists *lists; /* room for entries by row, theirs from the second matrix on; or NULL */
};

/* For Gram matrices of the same columns with weights that change. Start with {.columns = your array}; what is known of
 * columns is dropped when others come. Up to 48 MB, for sparse columns, from the second matrix on. */
enum { GRAM_RUNS = 2 }; /* a framed operator passes on the columns before its constant, then those behind it */
struct gram_plan {
    int64_t *columns, count; /* those that `runs` is of [as many as the longest list has] */
    struct gram_run runs[GRAM_RUNS];
};
void gram_plan_free(struct gram_plan *plan); /* all but `columns` */

struct linop_ops {
    const char *name;
    /* y += sum_i z_i a_{columns_i}                                     y [rows] */
    void (*add_columns)(const struct linop *A, int64_t k, const int64_t *columns, const double *z, double *y);
    /* g = A' u                                                 g [columns] */
    void (*transpose)(const struct linop *A, const double *u, double *g);
    /* g_i = a_{columns_i}' u                                         g [k] */
    void (*transpose_columns)(const struct linop *A, int64_t k, const int64_t *columns, const double *u, double *g);
    /* G = A_B' W A_B, k x k column-major, both triangles; w [rows] or NULL for 1. Given up when `stop` (or NULL) says
     * so: G is then incomplete. `runs` of these columns, or NULL, which gives the same bits; one is
     * enough except for a framed operator. */
    void (*gram)(const struct linop *A, int64_t k, const int64_t *columns, const double *w, double *G, int64_t ld,
                 struct gram_run *runs, struct stop *stop);
    /* G = A_B' W A_C, k x l column-major; `right` lists the columns C, NULL for 0..l-1; w [rows] or NULL */
    void (*cross)(const struct linop *A, int64_t k, const int64_t *columns, int64_t l, const int64_t *right,
                  const double *w, double *G, int64_t ld);
    /* G = P' W A_B for p dense columns P, p x k column-major; `columns` NULL: 0..k-1; w [rows] or NULL */
    void (*products)(const struct linop *A, int64_t p, const struct columns *P, int64_t k, const int64_t *columns,
                     const double *w, double *G, int64_t ld);
    /* D = A_B as a dense block, column-major, ld >= rows */
    void (*gather)(const struct linop *A, int64_t k, const int64_t *columns, double *D, int64_t ld);
    /* r_i = entry `row` of a_{columns_i}, a local row              r [k] */
    void (*row)(const struct linop *A, int64_t row, int64_t k, const int64_t *columns, double *r);
    /* n_j = ||a_j||^2                                          [columns] */
    void (*column_squares)(const struct linop *A, double *squares);
    /* n_i = a' W a for a = a_{columns_i}; NULL: the first k    [k]       */
    void (*weighted_squares)(const struct linop *A, int64_t k, const int64_t *columns, const double *w,
                             double *squares);
    void (*free)(struct linop *A);
    /* The scale of column j; `column` [rows] (if not NULL) receives the unscaled column. NULL: no column is scaled. */
    double (*unscaled)(const struct linop *A, int64_t j, double *column);
};

/*
 * What the wrappers below have read of A since it was made: whole columns, single entries besides, and how many of the
 * columns were priced. All are sums of whole numbers, which do not depend on the number of threads. The padding keeps
 * the counters out of the cache lines that every call reads.
 */
struct linop_meter {
    char before[64];
    _Atomic int64_t columns, entries, priced;
    char after[64];
};

struct linop {
    const struct linop_ops *ops;
    const struct reduction *reduce; /* NULL: all rows are in this process */
    int64_t rows, columns;
    int64_t nonzeros; /* stored entries: what one pass over A costs */
    int is_apart;     /* the entries of a column are not contiguous: columns that are read often are better gathered */
    const spgm_memory *memory; /* for large arrays that go with A: the memory of the matrix, or NULL */
    int is_mapped;             /* the entries are in a large mapped file, so copies of parts of it should stay small */
    int is_implied; /* no entry is stored: products have more rounding errors than sums over rows, so that proofs do not
                       use them */
    /* borrowed; NULL (one thread) until the owner sets it; a framed operator uses that of its base */
    struct team *team;
    struct linop *under; /* an operator that this one is built on and owns, whose team it shares; else NULL */
    struct linop_meter meter;
};

/* Operators borrow a checked matrix. They return NULL if out of memory. linop_free accepts NULL. */
struct linop *linop_dense_new(const spgm_matrix *matrix);
struct linop *linop_csc_new(const spgm_matrix *matrix);    /* dense if no column has a zero */
struct linop *linop_tiled_new(const spgm_matrix *matrix);  /* dense, by rows or in single precision */
struct linop *linop_normal_new(const spgm_matrix *matrix); /* A'A as two products; borrows matrix->normal */
struct linop *linop_new(const spgm_matrix *matrix);        /* one of these, by the kind of the matrix */
/*
 * [A D, constant 1]: the columns scaled by scale [base->columns] (NULL: 1), then, if has_constant, one more column with
 * the value `constant` in every row. Borrows base and scale.
 */
struct linop *linop_framed_new(const struct linop *base, const double *scale, int has_constant, double constant);
/*
 * The base with the columns `replaced` [count], ascending, replaced by values [rows x count]: columns that are better
 * kept in another unit or with their mean subtracted. Borrows the arrays and takes over the base, which is freed with
 * it, or at once if out of memory. The replaced columns are handled by one thread, because they are few; if all columns
 * are replaced, the result is a dense operator.
 */
struct linop *linop_patched_new(struct linop *base, int64_t count, const int64_t *replaced, const double *values);
void linop_free(struct linop *A);
/* Set the threads that work on it; not to be called during an operation. */
void linop_set_team(struct linop *A, struct team *team);

/* The operations above with the reduction applied, for all other code. */
void linop_add_columns(const struct linop *A, int64_t k, const int64_t *columns, const double *z, double *y);
void linop_multiply(const struct linop *A, const double *x, double *y); /* y = A x, nonzeros of x only */
void linop_transpose(const struct linop *A, const double *u, double *g);
void linop_transpose_columns(const struct linop *A, int64_t k, const int64_t *columns, const double *u, double *g);
/* G = A_B' W A_B, k x k column-major, ld k, both triangles; w [rows] or NULL for 1 */
void linop_gram(const struct linop *A, int64_t k, const int64_t *columns, const double *w, double *G);
/* The same bits; returns 0 if `stop` ended it early. With rows spread over processes stop is asked only once, at the
 * beginning: processes that stopped at different places would wait for each other forever. */
int linop_gram_until(const struct linop *A, int64_t k, const int64_t *columns, const double *w, double *G,
                     struct stop *stop);
/* The same for repeated calls with the same columns: `plan` (or NULL) keeps what depends on the columns alone. */
int linop_gram_again(const struct linop *A, int64_t k, const int64_t *columns, const double *w, double *G,
                     struct gram_plan *plan, struct stop *stop);
/* G = A_B' W A, k x columns column-major, ld k; w [rows] or NULL for 1 */
void linop_cross(const struct linop *A, int64_t k, const int64_t *columns, const double *w, double *G);
/* g = A_B' W a for one more column a                          g [k] */
void linop_cross_column(const struct linop *A, int64_t k, const int64_t *columns, int64_t column, const double *w,
                        double *g);
void linop_gather(const struct linop *A, int64_t k, const int64_t *columns, double *D, int64_t ld);
/* For proofs: the scale of column j; `column` [rows] (if not NULL) receives the unscaled column, with every digit of
 * the data. */
double linop_unscaled(const struct linop *A, int64_t j, double *column);
void linop_row(const struct linop *A, int64_t row, int64_t k, const int64_t *columns, double *r);
void linop_column_squares(const struct linop *A, double *squares);
void linop_weighted_squares(const struct linop *A, int64_t k, const int64_t *columns, const double *w, double *squares);
/* An upper estimate of ||A||_2, at most a percent or so above: power iteration in Golub and Kahan's form from a fixed
 * start, raised by a small factor so that it is not below the norm in practice; work [2 * columns + rows]. */
double linop_norm(const struct linop *A, double *work);
/* The same; after a stop it returns a weaker upper bound, the Frobenius norm. With rows spread over processes stop is
 * asked only once, at the beginning. */
double linop_norm_until(const struct linop *A, double *work, struct stop *stop);

/* Passes over A so far. Products A x and A'u count in proportion to the columns (or rows) they read; a Gram matrix of k
 * columns counts k (k + 1) / 2 columns, a cross product k l. The same on every process. */
double linop_passes(const struct linop *A);
/* Count what was read from a copy of A: columns, and single entries. */
void linop_count(const struct linop *A, int64_t columns, int64_t entries);
/* The part of the passes that priced columns: A'u and column squares, of all columns or of the active ones. */
double linop_price_passes(const struct linop *A);
/* Reclassify columns that were already counted as read as priced: linop_transpose_columns cannot know its purpose. */
void linop_count_priced(const struct linop *A, int64_t columns);

/* For implementations of operators: A->team if the work (multiplications) is worth waking its threads, else NULL. The
 * choice may depend on sizes only, and results must not depend on it. */
struct team *linop_team(const struct linop *A, int64_t work);
/* For stop requests: the number of columns of a Gram matrix between two questions, a multiple of `block`, if each
 * column costs `work`. All columns if there is no stop request, else about LINOP_PART_WORK multiplications. */
#define LINOP_PART_WORK (INT64_C(1) << 26)
int64_t linop_part(const struct stop *stop, int64_t columns, int64_t work, int64_t block);
/* The upper triangle of a Gram matrix [k x k] from the lower one. */
void linop_mirror(int64_t k, double *G, int64_t ld);

#endif
