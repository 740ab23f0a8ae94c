#include "select/crew.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "select/constants.h"

struct crew_run {
    const struct crew *crew;
    struct team *team;
    pthread_t caller;
    double began;
    atomic_llong next;     /* the next piece to begin */
    atomic_llong taken;    /* pieces begun */
    atomic_llong finished; /* pieces finished */
    _Atomic double *done;  /* the fraction of each piece that is done [pieces] */
    pthread_mutex_t lock;  /* protects error, status and rations */
    spgm_error error;
    spgm_status status;
};

static int crew_size(const struct crew *crew) {
    int threads = parallel_threads(crew->threads);

    return threads < crew->pieces ? threads : crew->pieces > 0 ? (int)crew->pieces : 1;
}

double crew_seconds(const struct crew *crew, double time_limit) {
    return time_limit / fmax(1, ceil((double)crew->pieces / crew_size(crew)));
}

double rations_take(struct rations *rations, double now, int64_t number, double turns) {
    double needed = rations->is_whole ? turns * rations->least : rations->least;

    rations->is_over |= number >= rations->always && islessequal(rations->until - now, needed);
    return rations->is_over ? -1 : fmax(rations->within - now, 0) / turns;
}

void rations_note(struct rations *rations, double given, double took) {
    if (isgreater(took, CREW_OVERRUN * given)) {
        rations->least = rations->least == 0 ? took : fmin(rations->least, took);
    }
}

static int must_stop(const struct crew_run *run) {
    return atomic_load(run->crew->stop);
}

/* Report the progress of all pieces to the callback; only from the calling thread. */
static void call_back(struct crew_run *run, const spgm_progress *inner) {
    const struct crew *crew = run->crew;
    spgm_progress progress = *inner;
    double done = (double)crew->done_before;

    if (crew->progress == NULL || must_stop(run) || !pthread_equal(pthread_self(), run->caller)) {
        return;
    }
    for (int64_t i = 0; i < crew->pieces; i++) {
        done += atomic_load(&run->done[i]);
    }
    progress.method = crew->name;
    progress.iteration = crew->done_before + atomic_load(&run->finished);
    progress.seconds = clock_seconds() - run->began;
    progress.fraction = fmin(done / (double)(crew->pieces + crew->done_before), 0.999);
    if (crew->progress(&progress, crew->progress_context)) {
        atomic_store(crew->stop, 1);
    }
}

int crew_progress(const spgm_progress *progress, void *context) {
    const struct crew_piece *piece = context;

    atomic_store(&piece->run->done[piece->number], fmin(progress->fraction, 1));
    call_back(piece->run, progress);
    return must_stop(piece->run);
}

static void keep_error(struct crew_run *run, spgm_error error, const spgm_status *status) {
    pthread_mutex_lock(&run->lock);
    if (run->error == SPGM_OK) {
        run->error = error;
        run->status = *status;
    }
    pthread_mutex_unlock(&run->lock);
    atomic_store(run->crew->stop, 1);
}

static double take_ration(struct crew_run *run, double now, int64_t number) {
    const struct crew *crew = run->crew;
    double seconds;

    if (crew->rations == NULL) {
        return INFINITY;
    }
    pthread_mutex_lock(&run->lock);
    seconds = rations_take(crew->rations, now, number, ceil((double)(crew->pieces - number) / crew_size(crew)));
    pthread_mutex_unlock(&run->lock);
    return seconds;
}

static void note_ration(struct crew_run *run, double given, double took) {
    if (run->crew->rations != NULL) {
        pthread_mutex_lock(&run->lock);
        rations_note(run->crew->rations, given, took);
        pthread_mutex_unlock(&run->lock);
    }
}

/* Wait in the calling thread, which has no piece left. The pauses grow, up to 10 ms or so. In a child process that a
 * callback forked the other threads do not exist, and their pieces stay undone. */
static void wait_for_others(struct crew_run *run) {
    struct timespec pause = {0, 100 * 1000};
    const spgm_progress nothing = {.objective = NAN, .best = NAN, .penalised = NAN};

    while (atomic_load(&run->finished) < atomic_load(&run->taken) && team_is_whole(run->team)) {
        nanosleep(&pause, NULL);
        pause.tv_nsec = pause.tv_nsec < 10 * 1000 * 1000 ? 2 * pause.tv_nsec : pause.tv_nsec;
        call_back(run, &nothing);
    }
}

static void worker(void *context, int64_t first, int64_t last) {
    struct crew_run *run = context;

    (void)first;
    (void)last;
    while (!must_stop(run)) {
        struct crew_piece piece = {.run = run};
        spgm_status status;
        spgm_error error;
        double began;

        atomic_fetch_add(&run->taken, 1);
        piece.number = atomic_fetch_add(&run->next, 1);
        began = clock_seconds();
        piece.seconds = piece.number < run->crew->pieces ? take_ration(run, began, piece.number) : -1;
        if (piece.seconds < 0) {
            atomic_fetch_sub(&run->taken, 1);
            break;
        }
        error = run->crew->work(run->crew->context, &piece, &status);
        note_ration(run, piece.seconds, clock_seconds() - began);
        if (error != SPGM_OK) {
            keep_error(run, error, &status);
        }
        atomic_store(&run->done[piece.number], 1);
        atomic_fetch_add(&run->finished, 1);
        call_back(run, &(spgm_progress){.objective = NAN, .best = NAN, .penalised = NAN});
    }
    if (pthread_equal(pthread_self(), run->caller)) {
        wait_for_others(run);
    }
}

spgm_error crew_run(const struct crew *crew, spgm_status *status) {
    struct crew_run run = {.crew = crew, .caller = pthread_self(), .began = clock_seconds()};
    int threads = crew_size(crew);

    run.done = memory_array(crew->pieces, sizeof *run.done);
    run.team = team_new(threads);
    if (run.done == NULL || run.team == NULL) {
        memory_free(run.done);
        team_free(run.team);
        return status_memory(status, (size_t)crew->pieces * sizeof *run.done);
    }
    pthread_mutex_init(&run.lock, NULL);
    parallel_for(run.team, threads, 1, worker, &run);
    pthread_mutex_destroy(&run.lock);
    team_free(run.team);
    memory_free(run.done);
    if (run.error != SPGM_OK && status != NULL) {
        *status = run.status;
    }
    return run.error;
}
