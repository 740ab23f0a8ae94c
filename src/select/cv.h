/*
 * Cross-validation over s and the ridge: what its files share.
 *
 *   cv.c          the object, and what is set on it
 *   cv_run.c      the folds side by side, round by round
 *   cv_fold.c     one fold: fit on the other rows, judge by its own
 *   cv_piece.c    folds that run elsewhere
 *   cv_choose.c   means, standard errors, rules
 *   ridges.c      ridges in proportion to the data
 *   quick.c       the search of a fold
 */
#ifndef SPGM_SELECT_CV_H
#define SPGM_SELECT_CV_H

#include <stdatomic.h>

#include "select/crew.h"
#include "select/path.h"
#include "select/quick.h"

struct spgm_cv {
    const struct spgm_problem *problem;   /* the first one: of all rows         */
    const struct spgm_problem **problems; /* [parts], owned                     */
    int64_t parts;
    const struct spgm_problem *judge; /* whose loss judges, borrowed; NULL: each problem's own */
    struct spgm_options options;
    struct workspace workspace; /* owns the sparsities                */
    int64_t listed;             /* sparsities on the list             */
    int64_t *sparsities;        /* [listed] ascending                 */
    int is_open;                /* the list is taken only as far as the loss falls           */
    int64_t count;              /* of sparsities with losses, or `listed` when that is known */
    int64_t ridge_count;
    double *ridges;       /* [ridge_count] descending, owned; of a fit to all rows */
    int has_ridges;       /* they were set: a fold has its share of them           */
    int is_scaled;        /* they are in proportion to the data                    */
    int64_t shares;       /* that the rows are split into               */
    int64_t folds;        /* shares of all splits                       */
    int is_drawn;         /* the splits are drawn from the seed         */
    int64_t *fold_of_row; /* [rows] of the first split, then the others; owned */
    double *losses;       /* [parts x folds x listed x ridge_count], owned; NaN: not known; NULL before a run */
    spgm_progress_function progress;
    void *progress_context;
    spgm_cv_round_function rounds; /* NULL: folds run here */
    void *rounds_context;
    atomic_int interrupted; /* set from anywhere, by the callback, and by an error: every fold stops */
};

/* Every problem of every fold is a task of its own. */
struct cv_task {
    struct cv_run *run;
    struct crew_piece piece; /* of this round; its run is NULL where rows live elsewhere */
    int is_done;             /* in this round */
    int64_t part, fold;
    struct quick_trail trail; /* where the next round goes on */
};

/* What the tasks of a run share. */
struct cv_run {
    struct spgm_cv *cv;
    struct spgm_problem *views; /* of the problems [parts], without columns that hold nothing */
    struct workspace workspace; /* of the views                                               */
    double began;
    int64_t round, first, last;      /* this round: sparsities [first, last) */
    int64_t first_ridge, last_ridge; /* and ridges [first_ridge, last_ridge) */
    int64_t task_count;
    int64_t folds;           /* the first so many have begun so far: there was time for them */
    struct rations *rations; /* of this round                                                */
    struct cv_task *tasks;   /* [task_count] part by part                                    */
    spgm_cv_piece *pieces;   /* [task_count] where they run elsewhere, or NULL */
};

static inline int cv_must_stop(const struct cv_run *run) {
    return atomic_load(&run->cv->interrupted);
}

/* What process 0 knows of it, for all: where rows live elsewhere, all ask at the same points. */
int cv_all_must_stop(const struct cv_run *run);

/* Whether row i is in a fold. */
static inline int cv_is_in(const struct spgm_cv *cv, int64_t fold, int64_t i) {
    return cv->fold_of_row[fold / cv->shares * cv->problem->A.rows + i] == fold % cv->shares;
}

/* The problem whose loss judges the models of a task. */
static inline const struct spgm_problem *cv_judge(const struct cv_task *task) {
    return task->run->cv->judge != NULL ? task->run->cv->judge : &task->run->views[task->part];
}

/* The tasks of a round in the order in which they are done: fold by fold, so that those that there was time for are
 * whole. */
static inline struct cv_task *cv_task_of(const struct cv_run *run, int64_t piece) {
    return &run->tasks[piece % run->cv->parts * run->cv->folds + piece / run->cv->parts];
}

/* Of one round. */
static inline int64_t cv_piece_count(const struct cv_run *run) {
    return run->cv->parts * run->folds;
}

static inline double *cv_losses(const struct spgm_cv *cv, int64_t part, int64_t fold, int64_t i) {
    return cv->losses + ((part * cv->folds + fold) * cv->listed + i) * cv->ridge_count;
}

/* The callback of a task's fits. */
int cv_tick(const spgm_progress *progress, void *task);
/* Fills run->views; the caller frees run->workspace. */
spgm_error cv_take_views(struct cv_run *run, spgm_status *status);
/* Fit and judge the sparsities of this round. */
spgm_error cv_fold_run(struct cv_task *task, spgm_status *status);
/* The weight of all rows. */
double cv_weight(const struct spgm_problem *problem);
/* A ridge for all rows as that of some of them, which is as strong beside their loss. */
spgm_error cv_set_ridge(struct spgm_problem *some, const struct spgm_problem *whole, double ridge, int by_deviation,
                        spgm_status *status);
/* The tasks of this round elsewhere, each in so many seconds. */
spgm_error cv_hand_out(struct cv_run *run, double seconds, spgm_status *status);
/* The list of s where it follows the data; its length depends on whether there is a ridge. */
void cv_open(struct spgm_cv *cv);
/* Splits, ridges and room for losses of a run, which nothing has stopped yet. */
spgm_error cv_prepare(struct spgm_cv *cv, spgm_status *status);
/* The splits of a run. */
spgm_error cv_draw(struct spgm_cv *cv, spgm_status *status);
/* cv->ridges in proportion to the data. */
spgm_error cv_scale_ridges(struct spgm_cv *cv, spgm_status *status);
/* The lowest mean over all ridges of the sparsities [first, last), and its standard error; INFINITY: there is none. */
double cv_lowest(const struct spgm_cv *cv, int64_t first, int64_t last, double *standard_error);
/* The ridges [*first_ridge, *last_ridge) that may be the best for sparsities beyond [first, last), which have losses
 * for those ridges: a smaller range, one that is further on, or the same. */
void cv_follow_ridges(const struct spgm_cv *cv, int64_t first, int64_t last, int64_t *first_ridge, int64_t *last_ridge);

#endif
