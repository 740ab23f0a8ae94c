/*
 * HOW IT WORKS: a team belongs to one run, as its memory does. Its threads sleep on a condition variable. The caller
 * opens a job, wakes them and takes blocks like them, by one atomic counter. A thread joins a job only while it is
 * open, and the first that finds no block left closes it, so that the caller waits for threads that work on a block,
 * never for one that has not woken up yet. After a job a thread looks for a moment (SPIN_NANOSECONDS) whether the next
 * one comes before it sleeps again: methods do product after product, and to wake a sleeping thread can take a third of
 * the smallest product.
 *
 * Why not one team for the process: that would be global state, and would have to survive fork() (the child has the
 * team but not its threads), dlclose() (threads in code that is gone) and exit(). Threads that end with their run meet
 * none of these, and starting them costs some ten microseconds in a run that has products of milliseconds.
 *
 * LIMITATIONS: a team at work is not shared. A second caller, or a body that calls parallel_for again, does its blocks
 * alone. A child forked by a callback of the run has the team without its threads: there, too, the caller works alone.
 */
#include "base/parallel.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "base/constants.h"
#include "base/memory.h"
#include "base/processor.h"

struct job {
    int64_t count, block, blocks;
    void (*body)(void *context, int64_t first, int64_t last);
    void *context;
    atomic_llong taken; /* blocks */
};

struct team {
    int threads; /* the caller included */
    pid_t process;
    atomic_flag busy;
    int started; /* threads; only the caller that made the team busy changes it */

    pthread_mutex_t lock; /* held by a thread that joins */
    pthread_cond_t work;  /* a job is open, or the team is ending */
    pthread_cond_t done;  /* no thread is working any more */
    struct job *job;
    atomic_int open;    /* the job can be joined               */
    atomic_int working; /* threads that joined it, without the caller */
    int over;

    pthread_t ids[]; /* [threads - 1] */
};

int team_size(const struct team *team) {
    return team == NULL ? 1 : team->threads;
}

int parallel_threads(int64_t requested) {
    int64_t threads = requested > 0 ? requested : processor_count();
    return (int)(threads < THREADS_MAX ? threads : THREADS_MAX);
}

/* Take blocks until none is left. */
static void job_work(struct job *job) {
    for (int64_t i = atomic_fetch_add(&job->taken, 1); i < job->blocks; i = atomic_fetch_add(&job->taken, 1)) {
        int64_t first = i * job->block;
        int64_t last = job->count - first < job->block ? job->count : first + job->block;
        job->body(job->context, first, last);
    }
}

/* ---- the threads of a team -------------------------------------------------------------------------------------- */

/* Spin for a moment, without the lock, until the value is zero, or nonzero, as wanted. */
static void spin(const atomic_int *value, int wanted_zero) {
    struct timespec began, now;
    clock_gettime(CLOCK_MONOTONIC, &began);
    do {
        for (int i = 0; i < 32; i++) {
            if ((atomic_load_explicit(value, memory_order_relaxed) == 0) == wanted_zero)
                return;
            processor_pause();
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((int64_t)(now.tv_sec - began.tv_sec) * 1000000000 + now.tv_nsec - began.tv_nsec < SPIN_NANOSECONDS);
}

static void *member(void *argument) {
    struct team *team = argument;
    pthread_mutex_lock(&team->lock);
    while (!team->over) {
        if (!team->open) {
            pthread_cond_wait(&team->work, &team->lock);
            continue;
        }
        team->working++;
        pthread_mutex_unlock(&team->lock);
        job_work(team->job);
        pthread_mutex_lock(&team->lock);
        team->open = 0;
        if (--team->working == 0)
            pthread_cond_signal(&team->done);
        pthread_mutex_unlock(&team->lock);
        spin(&team->open, 0);
        pthread_mutex_lock(&team->lock);
    }
    pthread_mutex_unlock(&team->lock);
    return NULL;
}

/* Start the threads with signals blocked, because those are for the user's threads. If a thread cannot be started, the
 * team works without it. */
static void start(struct team *team, int count) {
    sigset_t all, before;
    if (team->started >= count)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (team->started < count && pthread_create(&team->ids[team->started], NULL, member, team) == 0)
        team->started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct team *team_new(int threads) {
    struct team *team = memory_array(1, sizeof *team + sizeof team->ids[0] * (size_t)(threads - 1));
    if (team == NULL)
        return NULL;
    team->threads = threads;
    team->process = getpid();
    atomic_flag_clear(&team->busy);
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->work, NULL);
    pthread_cond_init(&team->done, NULL);
    return team;
}

int team_is_whole(const struct team *team) {
    return team->process == getpid();
}

void team_free(struct team *team) {
    if (team == NULL)
        return;
    if (team_is_whole(team)) {
        pthread_mutex_lock(&team->lock);
        team->over = 1;
        team->open = 1; /* for those that spin */
        pthread_mutex_unlock(&team->lock);
        pthread_cond_broadcast(&team->work);
        for (int i = 0; i < team->started; i++)
            pthread_join(team->ids[i], NULL);
        pthread_cond_destroy(&team->done);
        pthread_cond_destroy(&team->work);
        pthread_mutex_destroy(&team->lock);
    }
    memory_free(team);
}

/* ---- a job ------------------------------------------------------------------------------------------------------- */

/* Run one job; the caller has made the team busy. */
static void team_run(struct team *team, struct job *job) {
    start(team, (int)(team->threads < job->blocks ? team->threads : job->blocks) - 1);
    pthread_mutex_lock(&team->lock);
    team->job = job;
    team->open = 1;
    pthread_mutex_unlock(&team->lock);
    pthread_cond_broadcast(&team->work);
    if (team->started > 0)
        parallel_woken(&job->taken);
    job_work(job);
    if (!team_is_whole(team))
        return; /* the body forked: in the child there is nobody to wait for */
    team->open = 0;
    spin(&team->working, 1);
    pthread_mutex_lock(&team->lock);
    while (team->working > 0)
        pthread_cond_wait(&team->done, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

void parallel_for(struct team *team, int64_t count, int64_t block,
                  void (*body)(void *context, int64_t first, int64_t last), void *context) {
    if (count <= 0)
        return;
    struct job job = {
        .count = count, .block = block, .blocks = (count - 1) / block + 1, .body = body, .context = context};
    int alone = team == NULL || team->threads < 2 || job.blocks < 2 || !team_is_whole(team);
    if (alone || atomic_flag_test_and_set(&team->busy)) {
        job_work(&job);
        return;
    }
    team_run(team, &job);
    atomic_flag_clear(&team->busy);
}
