/* Independent pieces of work on a few threads. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "trial.h"

enum { THREADS_MAX = 256 };

struct crew {
    const struct pieces *pieces;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t next; /* piece that nobody has taken */
    int working;  /* threads that are not done   */
    int result;   /* of the first piece that failed */
};

int pieces_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > THREADS_MAX ? THREADS_MAX : (int)cores;
}

/* The lock is held on entry and on return. */
static void one_piece(struct crew *crew) {
    int64_t i = crew->next++;
    pthread_mutex_unlock(&crew->lock);
    int result = crew->pieces->work(crew->pieces->context, i);
    pthread_mutex_lock(&crew->lock);
    if (result == CLI_DONE && crew->result == CLI_DONE) {
        result = crew->pieces->done(crew->pieces->context, i);
    }
    if (crew->result == CLI_DONE) {
        crew->result = result;
    }
}

static void *work_on(void *argument) {
    struct crew *crew = argument;
    pthread_mutex_lock(&crew->lock);
    while (crew->next < crew->pieces->count && crew->result == CLI_DONE && !signals_asked()) {
        one_piece(crew);
    }
    crew->working--;
    pthread_cond_signal(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

static void wait_for_all(struct crew *crew) {
    pthread_mutex_lock(&crew->lock);
    while (crew->working > 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 100000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        if (pthread_cond_timedwait(&crew->changed, &crew->lock, &until) == ETIMEDOUT) {
            crew->pieces->tick(crew->pieces->context);
        }
    }
    pthread_mutex_unlock(&crew->lock);
}

/* If a thread cannot be started, the others do its work; the last thread is the caller. */
static int start(struct crew *crew, pthread_t *threads, int count) {
    int started = 0;
    crew->working = count;
    while (started < count && pthread_create(&threads[started], NULL, work_on, crew) == 0) {
        started++;
    }
    pthread_mutex_lock(&crew->lock);
    crew->working -= count - started;
    pthread_mutex_unlock(&crew->lock);
    return started;
}

int pieces_run(const struct pieces *pieces) {
    struct crew crew = {.pieces = pieces, .result = CLI_DONE};
    pthread_t threads[THREADS_MAX];
    int count = pieces->threads < 1 ? 1 : pieces->threads > THREADS_MAX ? THREADS_MAX : pieces->threads;
    pthread_mutex_init(&crew.lock, NULL);
    pthread_cond_init(&crew.changed, NULL);
    int started = start(&crew, threads, count);
    if (started == 0) {
        crew.working = 1;
        work_on(&crew);
    }
    wait_for_all(&crew);
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_cond_destroy(&crew.changed);
    pthread_mutex_destroy(&crew.lock);
    return crew.result;
}
