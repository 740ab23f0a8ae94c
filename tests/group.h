/*
 * A communicator of threads: each thread stands for a process with a part of the rows. It checks what the library
 * guarantees, that all processes make the same calls in the same order, and makes the group fail otherwise.
 */
#ifndef SPGM_TESTS_GROUP_H
#define SPGM_TESTS_GROUP_H

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "spgm/spgm.h"

enum { GROUP_MOST = 4 };
enum group_call { GROUP_SUM = 1, GROUP_MAX, GROUP_BROADCAST };

struct group {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int size, arrived, left;
    int has_failed, has_mismatch;
    long turn;
    struct {
        enum group_call call;
        int64_t count, root;
        void *values;
    } at[GROUP_MOST];
    char *result;
    size_t room;
    long calls, fails_after; /* fails_after > 0: a call that fails for all */
    double bytes;
    char sentence[SPGM_MESSAGE_SIZE];
};

struct group_member {
    struct group *group;
    int rank;
};

static inline void group_init(struct group *group, int size) {
    *group = (struct group){.size = size};
    pthread_mutex_init(&group->mutex, NULL);
    pthread_cond_init(&group->changed, NULL);
}

static inline void group_free(struct group *group) {
    pthread_cond_destroy(&group->changed);
    pthread_mutex_destroy(&group->mutex);
    free(group->result);
}

/* All have arrived: check that they make the same call. */
static inline int group_agrees(const struct group *group) {
    for (int k = 1; k < group->size; k++)
        if (group->at[k].call != group->at[0].call || group->at[k].count != group->at[0].count ||
            group->at[k].root != group->at[0].root)
            return 0;
    return 1;
}

static inline void group_reduce(struct group *group) {
    size_t size = group->at[0].call == GROUP_BROADCAST ? 1 : sizeof(double);
    size_t bytes = (size_t)group->at[0].count * size;
    if (bytes > group->room) {
        group->result = realloc(group->result, bytes);
        group->room = bytes;
    }
    if (group->at[0].call == GROUP_BROADCAST) {
        memcpy(group->result, group->at[group->at[0].root].values, bytes);
    } else {
        double *sum = (double *)(void *)group->result;
        memcpy(sum, group->at[0].values, bytes);
        for (int k = 1; k < group->size; k++)
            for (int64_t i = 0; i < group->at[0].count; i++) {
                double value = ((const double *)group->at[k].values)[i];
                sum[i] = group->at[0].call == GROUP_SUM ? sum[i] + value : fmax(sum[i], value);
            }
    }
    group->calls++;
    group->bytes += (double)bytes;
}

static inline int group_meet(struct group_member *me, enum group_call call, void *values, int64_t count, int64_t root) {
    struct group *group = me->group;
    size_t bytes = (size_t)count * (call == GROUP_BROADCAST ? 1 : sizeof(double));
    pthread_mutex_lock(&group->mutex);
    while (group->left > 0 && !group->has_failed) /* the last call is still being read */
        pthread_cond_wait(&group->changed, &group->mutex);
    group->at[me->rank].call = call;
    group->at[me->rank].count = count;
    group->at[me->rank].root = root;
    group->at[me->rank].values = values;
    if (++group->arrived == group->size && !group->has_failed) {
        group->arrived = 0;
        group->has_mismatch |= !group_agrees(group);
        group->has_failed |= group->has_mismatch || (group->fails_after > 0 && group->calls >= group->fails_after);
        if (!group->has_failed)
            group_reduce(group);
        group->left = group->size;
        group->turn++;
        pthread_cond_broadcast(&group->changed);
    } else {
        for (long turn = group->turn; turn == group->turn && !group->has_failed;)
            pthread_cond_wait(&group->changed, &group->mutex);
    }
    if (!group->has_failed) {
        memcpy(values, group->result, bytes);
        if (--group->left == 0)
            pthread_cond_broadcast(&group->changed);
    }
    int has_failed = group->has_failed;
    pthread_mutex_unlock(&group->mutex);
    return has_failed;
}

static inline int group_sum(void *me, double *values, int64_t count) {
    return group_meet(me, GROUP_SUM, values, count, 0);
}

static inline int group_max(void *me, double *values, int64_t count) {
    return group_meet(me, GROUP_MAX, values, count, 0);
}

static inline int group_broadcast(void *me, void *data, int64_t bytes, int64_t root) {
    return group_meet(me, GROUP_BROADCAST, data, bytes, root);
}

static inline void group_fail(void *me, const char *sentence) {
    struct group *group = ((struct group_member *)me)->group;
    pthread_mutex_lock(&group->mutex);
    group->has_failed = 1;
    strncpy(group->sentence, sentence, sizeof group->sentence - 1);
    pthread_cond_broadcast(&group->changed);
    pthread_mutex_unlock(&group->mutex);
}

static inline spgm_communicator group_communicator(struct group_member *me) {
    return (spgm_communicator){me->rank, me->group->size, group_sum, group_max, group_broadcast, group_fail, me};
}

/* Run work(member, context) for every member, each on a thread of its own. */
struct group_task {
    struct group_member member;
    void (*work)(struct group_member *member, void *context);
    void *context;
};

static inline void *group_thread(void *task) {
    struct group_task *mine = task;
    mine->work(&mine->member, mine->context);
    return NULL;
}

static inline void group_run(struct group *group, void (*work)(struct group_member *member, void *context),
                             void *context) {
    struct group_task tasks[GROUP_MOST];
    pthread_t threads[GROUP_MOST];
    for (int k = 0; k < group->size; k++) {
        tasks[k] = (struct group_task){{group, k}, work, context};
        pthread_create(&threads[k], NULL, group_thread, &tasks[k]);
    }
    for (int k = 0; k < group->size; k++)
        pthread_join(threads[k], NULL);
}

#endif
