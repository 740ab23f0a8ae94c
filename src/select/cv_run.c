/*
 * The rounds of a cross-validation, with its folds side by side.
 *
 * HOW IT WORKS: every fold of every problem is a task, which is a piece of work of a crew (crew.h). If the range of s
 * follows the data there are rounds, up to s = 8, 16, 32, ... After each round the losses of all folds together decide
 * whether a larger s is worth trying, and with which ridges (cv_follow_ridges). A task continues from the models of its
 * last round.
 */
#include <inttypes.h>
#include <math.h>

#include "base/clock.h"
#include "base/party.h"
#include "select/constants.h"
#include "select/cv.h"

/* ---- checks ------------------------------------------------------------------------------------------------------ */

/* Check that a fold leaves rows with weight to fit to, and has rows with weight to judge by. */
static spgm_error check_fold(const struct spgm_cv *cv, const struct spgm_problem *problem, int64_t fold,
                             spgm_status *status) {
    double inside = 0, outside = 0, lower = 0, upper = 0;

    for (int64_t i = 0; i < cv->problem->A.rows; i++) {
        double weight = problem->weights == NULL ? 1 : problem->weights[i];

        if (cv_is_in(cv, fold, i)) {
            inside += weight;
        } else {
            outside += weight;
            upper += problem->b[i] == problem->labels[1];
            lower += problem->b[i] == problem->labels[0];
        }
    }
    reduce_sum(problem->reduce, &inside, 1);
    reduce_sum(problem->reduce, &outside, 1);
    reduce_sum(problem->reduce, &lower, 1);
    reduce_sum(problem->reduce, &upper, 1);
    if (inside == 0 || outside == 0) {
        return status_set(status, SPGM_ERROR_DATA,
                          "%s fold %" PRId64 " have weight zero: use fewer folds, or drop rows without weight",
                          inside == 0 ? "all rows of" : "all rows outside of", fold + 1);
    }
    if (problem_has_labels(problem) && (lower == 0 || upper == 0)) {
        return status_set(status, SPGM_ERROR_DATA,
                          "all rows with the label %g are in fold %" PRId64
                          ": a label needs rows in at least two folds",
                          problem->labels[lower > 0], fold + 1);
    }
    return SPGM_OK;
}

/* ---- progress --------------------------------------------------------------------------------------------------- */

int cv_all_must_stop(const struct cv_run *run) {
    struct party *party = problem_party(run->cv->problem);
    int stops = cv_must_stop(run);

    if (party != NULL) {
        party_broadcast(party, &stops, sizeof stops, 0);
        stops |= party->has_failed;
    }
    return stops;
}

/* Report the progress over all rounds. If their number is not known, each round counts as half of what is left. */
static int on_round(const spgm_progress *inner, void *context) {
    const struct cv_run *run = context;
    const struct spgm_cv *cv = run->cv;
    spgm_progress progress = *inner;

    if (cv->is_open) {
        progress.fraction = fmin(1 - ldexp(1 - 0.5 * inner->fraction, -(int)run->round), 0.999);
    }
    progress.iteration = run->first * cv_piece_count(run) + inner->iteration * (run->last - run->first);
    progress.seconds = clock_seconds() - run->began;
    return cv->progress(&progress, cv->progress_context);
}

int cv_tick(const spgm_progress *inner, void *context) {
    struct cv_task *task = context;
    struct cv_run *run = task->run;
    spgm_progress progress = *inner;

    if (task->piece.run != NULL) {
        return crew_progress(inner, &task->piece);
    }
    progress.method = "cross-validation";
    progress.iteration = task->piece.number;
    progress.fraction = fmin(((double)progress.iteration + inner->fraction) / (double)cv_piece_count(run), 0.999);
    if (run->cv->progress != NULL && !cv_must_stop(run) && on_round(&progress, run)) {
        atomic_store(&run->cv->interrupted, 1);
    }
    return cv_must_stop(run);
}

/* ---- a round ---------------------------------------------------------------------------------------------------- */

static spgm_error work(void *context, const struct crew_piece *piece, spgm_status *status) {
    struct cv_task *task = cv_task_of(context, piece->number);

    task->piece = *piece;
    return cv_fold_run(task, status);
}

static struct crew crew_of(struct cv_run *run) {
    struct spgm_cv *cv = run->cv;

    return (struct crew){.name = "cross-validation",
                         .pieces = cv_piece_count(run),
                         .threads = cv->problem->reduce != NULL ? 1 : cv->options.threads,
                         .context = run,
                         .work = work,
                         .progress = cv->progress == NULL ? NULL : on_round,
                         .progress_context = run,
                         .rations = run->rations,
                         .stop = &cv->interrupted};
}

/* If rows live elsewhere, all processes do the tasks in the same order and ask together whether to stop. The clock of
 * the first process decides which tasks have time. */
static spgm_error run_in_turn(struct cv_run *run, spgm_status *status) {
    struct party *party = problem_party(run->cv->problem);
    int64_t pieces = cv_piece_count(run);
    spgm_error first = SPGM_OK;

    for (int64_t i = 0; !cv_all_must_stop(run) && i < pieces; i++) {
        struct cv_task *task = cv_task_of(run, i);
        double began = clock_seconds(), seconds = rations_take(run->rations, began, i, (double)(pieces - i));
        spgm_status said = {0};
        spgm_error error;

        party_broadcast(party, &seconds, sizeof seconds, 0);
        if (seconds < 0) {
            break;
        }
        task->piece = (struct crew_piece){.number = i, .seconds = seconds};
        error = cv_fold_run(task, &said);
        rations_note(run->rations, seconds, clock_seconds() - began);
        if (error != SPGM_OK && first == SPGM_OK) {
            first = error;
            *status = said;
            atomic_store(&run->cv->interrupted, 1);
        }
    }
    return first;
}

static spgm_error run_round(struct cv_run *run, spgm_status *status) {
    struct crew crew = crew_of(run);

    for (int64_t task = 0; task < run->task_count; task++) {
        run->tasks[task].is_done = 0;
    }
    if (run->pieces != NULL) { /* time shares as if every piece had a thread, or as many as the option says */
        return run->first > 0 && rations_take(run->rations, clock_seconds(), 0, 1) < 0
                   ? SPGM_OK
                   : cv_hand_out(run, crew_seconds(&crew, fmax(run->rations->within - clock_seconds(), 0)), status);
    }
    return run->cv->problem->reduce != NULL ? run_in_turn(run, status) : crew_run(&crew, status);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

/* The number of sparsities on the list that are at most `most`. */
static int64_t up_to(const struct spgm_cv *cv, int64_t most) {
    int64_t i = 0;

    while (i < cv->listed && cv->sparsities[i] <= most) {
        i++;
    }
    return i;
}

/* Whether a larger s may lower the loss: if the upper half of the range did. With labels it is enough that it is not
 * clearly higher. */
static int is_falling(const struct spgm_cv *cv) {
    double spread, worth = problem_has_labels(cv->problem) ? -CV_PATIENCE : CV_WORTH;
    int64_t half = up_to(cv, cv->sparsities[cv->count - 1] / 2);
    double upper = cv_lowest(cv, half, cv->count, &spread), lower;

    lower = cv_lowest(cv, 0, half, &spread);
    return isless(upper, lower - worth * spread);
}

/* Forget the losses of a ridge that some fold had no time for: means over some of the folds cannot be compared with
 * means over all. */
static void forget_untried(const struct cv_run *run) {
    const struct spgm_cv *cv = run->cv;
    int64_t pieces = cv_piece_count(run);

    for (int64_t i = run->first; i < run->last; i++) {
        for (int64_t k = run->first_ridge; k < run->last_ridge; k++) {
            int64_t tried = 0;

            for (int64_t piece = 0; piece < pieces; piece++) {
                const struct cv_task *task = cv_task_of(run, piece);

                tried += !isnan(cv_losses(cv, task->part, task->fold, i)[k]);
            }
            for (int64_t piece = 0; tried < pieces && piece < pieces; piece++) {
                const struct cv_task *task = cv_task_of(run, piece);

                cv_losses(cv, task->part, task->fold, i)[k] = NAN;
            }
        }
    }
}

/* The number of folds that this round has finished, in order. */
static int64_t count_folds(const struct cv_run *run) {
    int64_t done = 0;

    while (done < cv_piece_count(run) && cv_task_of(run, done)->is_done) {
        done++;
    }
    return done / run->cv->parts;
}

/* Forget the losses of this round for folds that not all problems had time for. */
static void forget_folds(const struct cv_run *run, int64_t first, int64_t last) {
    const struct spgm_cv *cv = run->cv;

    for (int64_t piece = first * cv->parts; piece < last * cv->parts; piece++) {
        const struct cv_task *task = cv_task_of(run, piece);

        for (int64_t i = run->first; i < run->last; i++) {
            for (int64_t k = 0; k < cv->ridge_count; k++) {
                cv_losses(cv, task->part, task->fold, i)[k] = NAN;
            }
        }
    }
}

/* The time shares of a round. If the range follows the data, a round leaves half of the time to those after it. In the
 * first round one fold is always done. In later rounds, whose models are larger than those of `before`, either all
 * folds are done or none. */
static struct rations rations_of(const struct cv_run *run, const struct rations *before) {
    const struct spgm_cv *cv = run->cv;
    double until = run->began + cv->options.time_limit, left = until - clock_seconds();

    return (struct rations){.within = isinf(left) ? left : until - (cv->is_open ? 0.5 * left : 0),
                            .until = until,
                            .always = run->first == 0 ? cv->parts : 0,
                            .least = before->least,
                            .is_whole = run->first > 0};
}

static spgm_error run_rounds(struct cv_run *run, spgm_status *status) {
    struct spgm_cv *cv = run->cv;
    struct rations rations = {0};

    run->last_ridge = cv->ridge_count;
    run->folds = cv->folds;
    run->rations = &rations;
    for (run->round = 0; run->last < cv->listed; run->round++) {
        spgm_error error;
        int64_t most, folds;
        int stops;

        run->first = run->last;
        most = (int64_t)CV_FIRST_ROUND << run->round;
        run->last = cv->is_open ? up_to(cv, most) : cv->listed;
        if (run->last == run->first) {
            continue; /* the steps of the list are wider than this round */
        }
        rations = rations_of(run, &rations);
        error = run_round(run, status);
        stops = cv_all_must_stop(run);
        folds = count_folds(run);
        if (error != SPGM_OK) {
            return error;
        }
        if (run->first > 0 && (stops || folds < run->folds)) {
            break; /* a round must count for all folds or for none */
        }
        if (!stops && isfinite(cv->options.time_limit)) {
            forget_folds(run, folds, run->folds);
            run->folds = folds;
            forget_untried(run);
        }
        cv->count = run->last;
        if (stops || (cv->is_open && most >= CV_LEAST_RANGE && !is_falling(cv))) {
            break;
        }
        cv_follow_ridges(cv, run->first, run->last, &run->first_ridge, &run->last_ridge);
    }
    return SPGM_OK;
}

/* Make the views: the problems without empty columns, which are removed once since a fold holds several arrays over
 * columns; as many of them are kept as s asks for. If another problem judges, it has all columns, and all are kept. */
spgm_error cv_take_views(struct cv_run *run, spgm_status *status) {
    const struct spgm_cv *cv = run->cv;

    run->views = workspace_array(&run->workspace, cv->parts, sizeof *run->views);
    for (int64_t part = 0; part < cv->parts && !run->workspace.failed; part++) {
        run->views[part] = *cv->problems[part];
        if (cv->judge == NULL) {
            problem_drop_empty(&run->views[part], cv->sparsities[cv->listed - 1], &run->workspace);
        }
    }
    return run->workspace.failed ? status_memory(status, run->workspace.bytes) : SPGM_OK;
}

static spgm_error run_all(struct cv_run *run, spgm_status *status) {
    struct spgm_cv *cv = run->cv;
    spgm_error error;

    run->task_count = cv->parts * cv->folds;
    run->tasks = memory_array(run->task_count, sizeof *run->tasks);
    run->pieces = cv->rounds == NULL ? NULL : memory_array(run->task_count, sizeof *run->pieces);
    if (run->tasks == NULL || (cv->rounds != NULL && run->pieces == NULL)) {
        memory_free(run->tasks);
        memory_free(run->pieces);
        return status_memory(status, (size_t)run->task_count * (sizeof *run->tasks + sizeof *run->pieces));
    }
    for (int64_t task = 0; task < run->task_count; task++) {
        run->tasks[task] = (struct cv_task){.run = run, .part = task / cv->folds, .fold = task % cv->folds};
    }
    error = run_rounds(run, status);
    for (int64_t task = 0; task < run->task_count; task++) {
        quick_forget(&run->tasks[task].trail);
    }
    for (int64_t task = 0; run->pieces != NULL && task < run->task_count; task++) {
        memory_free(run->pieces[task].trail);
    }
    memory_free(run->pieces);
    memory_free(run->tasks);
    return error;
}

static spgm_error take_losses(struct spgm_cv *cv, spgm_status *status) {
    double blocks = (double)cv->parts * (double)cv->folds * (double)cv->listed * (double)cv->ridge_count;
    int64_t size = blocks < 1e15 ? cv->parts * cv->folds * cv->listed * cv->ridge_count : -1;

    memory_free(cv->losses);
    cv->losses = size < 0 ? NULL : memory_array(size, sizeof *cv->losses);
    if (cv->losses == NULL) {
        return status_memory(status, (size_t)(blocks * sizeof *cv->losses));
    }
    for (int64_t i = 0; i < size; i++) {
        cv->losses[i] = NAN;
    }
    return SPGM_OK;
}

spgm_error cv_prepare(struct spgm_cv *cv, spgm_status *status) {
    spgm_error error;

    cv->interrupted = 0;
    cv_open(cv);
    cv->count = cv->is_open ? 0 : cv->listed;
    error = cv_draw(cv, status);
    if (error == SPGM_OK && cv->is_scaled) {
        error = cv_scale_ridges(cv, status);
    }
    return error == SPGM_OK ? take_losses(cv, status) : error;
}

spgm_error spgm_cv_run(spgm_cv *cv, spgm_status *status) {
    struct cv_run run = {.cv = cv, .began = problem_began(cv->problem)};
    spgm_status said = {0};
    spgm_error error;

    error = cv_prepare(cv, &said);
    for (int64_t part = 0; part < cv->parts; part++) {
        for (int64_t fold = 0; error == SPGM_OK && fold < cv->folds; fold++) {
            error = check_fold(cv, cv->problems[part], fold, &said);
        }
    }
    if (error == SPGM_OK) {
        error = cv_take_views(&run, &said);
    }
    if (error == SPGM_OK) {
        error = run_all(&run, &said);
    }
    workspace_free(&run.workspace);
    error = party_end(problem_party(cv->problem), error, &said);
    if (error != SPGM_OK && status != NULL) {
        *status = said;
    }
    return error != SPGM_OK ? error : status_clear(status);
}
