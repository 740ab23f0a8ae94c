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
    const struct spgm_problem *problem;   /* the first problem, with all rows */
    const struct spgm_problem **problems; /* [parts], owned */
    int64_t parts;
    const struct spgm_problem *judge; /* the problem whose loss judges, borrowed; NULL: each problem's own */
    struct spgm_options options;
    struct workspace workspace; /* owns the sparsities */
    int64_t listed;             /* number of sparsities on the list */
    int64_t *sparsities;        /* [listed] ascending */
    int is_open;                /* the range follows the data: the list is used as far as the loss falls */
    int64_t count;              /* number of sparsities with losses; `listed` if the range is given */
    int64_t ridge_count;
    double *ridges;       /* [ridge_count] descending, owned; for a fit to all rows */
    int has_ridges;       /* they were set, and a fold scales them by its share of the weight */
    int is_scaled;        /* they are in proportion to the data */
    int64_t shares;       /* number of folds in one split */
    int64_t folds;        /* number of folds in all splits */
    int is_drawn;         /* splits are drawn from the seed */
    int64_t *fold_of_row; /* folds [rows] of the first split, then of the others; owned */
    double *losses;       /* [parts x folds x listed x ridge_count], owned; NaN: not known; NULL before a run */
    spgm_progress_function progress;
    void *progress_context;
    spgm_cv_round_function rounds; /* runs folds elsewhere; NULL: they run here */
    void *rounds_context;
    atomic_int interrupted; /* set from another thread, by the callback, or after an error: every fold stops */
};

/* A task: one fold of one problem. */
struct cv_task {
    struct cv_run *run;
    struct crew_piece piece; /* its piece in this round; piece.run is NULL if rows live elsewhere */
    int is_done;             /* finished in this round */
    int64_t part, fold;
    struct quick_trail trail; /* models that the next round continues from */
};

/* What the tasks of a run share. */
struct cv_run {
    struct spgm_cv *cv;
    struct spgm_problem *views; /* the problems without empty columns [parts] */
    struct workspace workspace; /* memory of the views */
    double began;
    int64_t round, first, last;      /* number of this round, and its sparsities [first, last) */
    int64_t first_ridge, last_ridge; /* ridges of this round [first_ridge, last_ridge) */
    int64_t task_count;
    int64_t folds;           /* number of folds that there was time for so far: the first ones */
    struct rations *rations; /* time shares of this round */
    struct cv_task *tasks;   /* [task_count] part by part */
    spgm_cv_piece *pieces;   /* [task_count] if tasks run elsewhere, or NULL */
};

static inline int cv_must_stop(const struct cv_run *run) {
    return atomic_load(&run->cv->interrupted);
}

/* Whether to stop, as process 0 sees it: if rows live elsewhere, all processes ask at the same points. */
int cv_all_must_stop(const struct cv_run *run);

/* Whether row i is in a fold. */
static inline int cv_is_in(const struct spgm_cv *cv, int64_t fold, int64_t i) {
    return cv->fold_of_row[fold / cv->shares * cv->problem->A.rows + i] == fold % cv->shares;
}

/* The problem whose loss judges the models of a task. */
static inline const struct spgm_problem *cv_judge(const struct cv_task *task) {
    return task->run->cv->judge != NULL ? task->run->cv->judge : &task->run->views[task->part];
}

/* The tasks of a round in the order in which they begin: fold by fold, so that folds are complete when time runs out.
 */
static inline struct cv_task *cv_task_of(const struct cv_run *run, int64_t piece) {
    return &run->tasks[piece % run->cv->parts * run->cv->folds + piece / run->cv->parts];
}

/* The number of tasks in a round. */
static inline int64_t cv_piece_count(const struct cv_run *run) {
    return run->cv->parts * run->folds;
}

static inline double *cv_losses(const struct spgm_cv *cv, int64_t part, int64_t fold, int64_t i) {
    return cv->losses + ((part * cv->folds + fold) * cv->listed + i) * cv->ridge_count;
}

/* The progress callback for the fits of a task. */
int cv_tick(const spgm_progress *progress, void *task);
/* Make run->views; the caller frees run->workspace. */
spgm_error cv_take_views(struct cv_run *run, spgm_status *status);
/* Fit and judge the models of a task for the sparsities of this round. */
spgm_error cv_fold_run(struct cv_task *task, spgm_status *status);
/* The total weight of the rows. */
double cv_weight(const struct spgm_problem *problem);
/* Set on the problem of some rows the ridge that is as strong beside their loss as this one is for all rows. */
spgm_error cv_set_ridge(struct spgm_problem *some, const struct spgm_problem *whole, double ridge, int by_deviation,
                        spgm_status *status);
/* Have the tasks of this round done elsewhere, each in so many seconds. */
spgm_error cv_hand_out(struct cv_run *run, double seconds, spgm_status *status);
/* Make the list of s if the range follows the data. Its length depends on whether there is a ridge. */
void cv_open(struct spgm_cv *cv);
/* Prepare splits, ridges and room for losses before a run, and reset the interrupt flag. */
spgm_error cv_prepare(struct spgm_cv *cv, spgm_status *status);
/* Draw the splits of a run. */
spgm_error cv_draw(struct spgm_cv *cv, spgm_status *status);
/* Set cv->ridges in proportion to the data. */
spgm_error cv_scale_ridges(struct spgm_cv *cv, spgm_status *status);
/* The lowest mean over all ridges and the sparsities [first, last), and its standard error; INFINITY: there is none. */
double cv_lowest(const struct spgm_cv *cv, int64_t first, int64_t last, double *standard_error);
/* The range of ridges [*first_ridge, *last_ridge) that may be the best for sparsities beyond [first, last), for which
 * these ridges have losses: a smaller range, one that is shifted, or the same. */
void cv_follow_ridges(const struct spgm_cv *cv, int64_t first, int64_t last, int64_t *first_ridge, int64_t *last_ridge);

#endif
