/*
 * HOW IT WORKS: OpenMP hands out the blocks. Under ThreadSanitizer plain threads do, because GCC's OpenMP runtime is
 * not built for it and every barrier would look like a race.
 */
#include "base/parallel.h"

#include <omp.h>

#if defined(__SANITIZE_THREAD__)
#include <pthread.h>
#endif

enum { THREADS_MAX = 1024 };

int parallel_threads(int64_t requested) {
    if (requested > 0)
        return (int)(requested < THREADS_MAX ? requested : THREADS_MAX);
    int cores = omp_get_num_procs(); /* those this process may use, which a container can restrict */
    return cores < 1 ? 1 : cores < THREADS_MAX ? cores : THREADS_MAX;
}

struct job {
    int64_t count, block, blocks;
    void (*body)(void *context, int64_t first, int64_t last);
    void *context;
};

static void job_run(const struct job *job, int64_t index) {
    int64_t first = index * job->block;
    int64_t last = job->count - first < job->block ? job->count : first + job->block;
    job->body(job->context, first, last);
}

#if defined(__SANITIZE_THREAD__)

struct share {
    const struct job *job;
    int64_t first, step;
};

static void *share_run(void *argument) {
    const struct share *share = argument;
    for (int64_t i = share->first; i < share->job->blocks; i += share->step)
        job_run(share->job, i);
    return NULL;
}

static void job_run_all(const struct job *job, int threads) {
    struct share shares[64];
    pthread_t ids[64];
    int started[64] = {0};
    int count = threads < 64 ? threads : 64;
    for (int t = 0; t < count; t++)
        shares[t] = (struct share){job, t, count};
    for (int t = 1; t < count; t++)
        started[t] = pthread_create(&ids[t], NULL, share_run, &shares[t]) == 0;
    for (int t = 0; t < count; t++)
        if (!started[t])
            share_run(&shares[t]);
    for (int t = 1; t < count; t++)
        if (started[t])
            pthread_join(ids[t], NULL);
}

#else

static void job_run_all(const struct job *job, int threads) {
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int64_t i = 0; i < job->blocks; i++)
        job_run(job, i);
}

#endif

void parallel_for(int threads, int64_t count, int64_t block, void (*body)(void *context, int64_t first, int64_t last),
                  void *context) {
    if (count <= 0)
        return;
    struct job job = {count, block, (count - 1) / block + 1, body, context};
    if (threads > job.blocks)
        threads = (int)job.blocks;
    if (threads > 1)
        job_run_all(&job, threads);
    else
        for (int64_t i = 0; i < job.blocks; i++)
            job_run(&job, i);
}
