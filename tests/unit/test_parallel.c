/* Teams of threads: fixed blocks, nested and concurrent calls, fork, threads that cannot start, signals. */
#define _GNU_SOURCE /* RTLD_NEXT, sched_setaffinity */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/processor.h"
#include "woken.h"

/* Every start of a thread goes through here, and can be made to fail. */
static int may_not_start;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *), void *argument) {
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    void *found = dlsym(RTLD_NEXT, "pthread_create");
    if (may_not_start || !found)
        return EAGAIN;
    memcpy(&next, &found, sizeof next); /* ISO C does not convert one into the other */
    return next(thread, attributes, routine, argument);
}

struct marks {
    int64_t count, block;
    int *touched;
};

static void mark(void *context, int64_t first, int64_t last) {
    struct marks *marks = context;
    int fits = first % marks->block == 0 && (last == first + marks->block || last == marks->count);
    for (int64_t i = first; i < last; i++)
        marks->touched[i] += fits ? 1 : 100;
}

static void every_index_once_in_fixed_blocks(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 3, 7, 200};
    static const int64_t counts[] = {0, 1, 63, 64, 65, 1000}, blocks[] = {1, 7, 64, 5000};
    for (int t = 0; t < 5; t++) {
        struct team *team = team_new(threads[t]);
        assert_non_null(team);
        for (int c = 0; c < 6; c++)
            for (int b = 0; b < 4; b++) {
                int touched[1000] = {0};
                struct marks marks = {counts[c], blocks[b], touched};
                long long before = wakes;
                parallel_for(team, counts[c], blocks[b], mark, &marks);
                assert_int_equal(wakes - before, threads[t] > 1 && counts[c] > blocks[b]);
                for (int64_t i = 0; i < counts[c]; i++)
                    assert_int_equal(touched[i], 1);
            }
        team_free(team);
    }
    team_free(NULL);
}

/* Blocks of a job that is nested in every block of another. */
struct nest {
    struct team *team;
    atomic_llong inner;
};

static void count_inner(void *context, int64_t first, int64_t last) {
    struct nest *nest = context;
    atomic_fetch_add(&nest->inner, last - first);
}

static void nest_again(void *context, int64_t first, int64_t last) {
    struct nest *nest = context;
    (void)first, (void)last;
    parallel_for(nest->team, 10, 3, count_inner, nest);
}

static void nested_calls_work_alone(void **state) {
    (void)state;
    struct nest nest = {.team = team_new(3)};
    long long before = wakes;
    parallel_for(nest.team, 50, 1, nest_again, &nest);
    assert_int_equal(nest.inner, 500);
    assert_int_equal(wakes - before, 1); /* the outer one */
    team_free(nest.team);
}

/* Two callers hold each other up inside their jobs on one team: were the second to wait for the team, both would wait
 * for ever. */
struct meeting {
    struct team *team;
    atomic_int present;
};

static void meet(void *context, int64_t first, int64_t last) {
    struct meeting *meeting = context;
    (void)last;
    if (first == 0) {
        atomic_fetch_add(&meeting->present, 1);
        while (atomic_load(&meeting->present) < 2)
            sched_yield();
    }
}

static void *call_and_meet(void *context) {
    struct meeting *meeting = context;
    parallel_for(meeting->team, 4, 1, meet, meeting);
    return NULL;
}

static void two_callers_do_not_wait_for_each_other(void **state) {
    (void)state;
    struct meeting meeting = {.team = team_new(2)};
    long long before = wakes;
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, call_and_meet, &meeting), 0);
    call_and_meet(&meeting);
    pthread_join(other, NULL);
    assert_int_equal(meeting.present, 2);
    assert_int_equal(wakes - before, 1);
    team_free(meeting.team);
}

/* What a forked child makes of a job on this team: 0 when every index was touched once and no thread was woken. */
static int child_touches(struct team *team) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        int touched[100] = {0}, wrong = 0;
        struct marks marks = {100, 3, touched};
        long long woken = wakes;
        alarm(120); /* ends a child that hangs */
        parallel_for(team, 100, 3, mark, &marks);
        for (int i = 0; i < 100; i++)
            wrong |= touched[i] != 1;
        team_free(team);
        _exit(wrong ? 1 : wakes > woken ? 2 : 0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static void a_team_in_a_forked_child_is_its_caller(void **state) {
    (void)state;
    struct team *team = team_new(3);
    assert_int_equal(child_touches(team), 0); /* none has started yet */
    int touched[100] = {0};
    struct marks marks = {100, 3, touched};
    parallel_for(team, 100, 3, mark, &marks);
    assert_true(team_is_whole(team));
    assert_int_equal(child_touches(team), 0);
    team_free(team);
}

static void threads_that_cannot_start_are_not_missed(void **state) {
    (void)state;
    int touched[100] = {0};
    struct marks marks = {100, 3, touched};
    struct team *team = team_new(3);
    long long before = wakes;
    may_not_start = 1;
    parallel_for(team, 100, 3, mark, &marks);
    may_not_start = 0;
    assert_int_equal(wakes - before, 0);
    for (int i = 0; i < 100; i++)
        assert_int_equal(touched[i], 1);
    parallel_for(team, 100, 3, mark, &marks); /* but the next job tries again */
    assert_int_equal(wakes - before, 1);
    team_free(team);
}

/* Signals go to the threads of the user: those of a team have all of them blocked. */
static void note_mask(void *context, int64_t first, int64_t last) {
    atomic_int *blocked = context;
    sigset_t mask;
    (void)first, (void)last;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    atomic_fetch_add(blocked, sigismember(&mask, SIGINT) && sigismember(&mask, SIGUSR1));
}

static void teams_take_no_signals(void **state) {
    (void)state;
    struct team *team = team_new(2);
    atomic_int blocked = 0;
    parallel_for(team, 2, 1, note_mask, &blocked);
    assert_true(blocked > 0); /* tests/woken.h: the first block is never the caller's */
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    assert_false(sigismember(&mask, SIGINT));
    team_free(team);
}

#if defined(__linux__)
static void a_process_counts_the_processors_it_may_use(void **state) {
    (void)state;
    cpu_set_t before, one;
    size_t first = 0;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_int_equal(processor_count(), CPU_COUNT(&before));
    while (!CPU_ISSET(first, &before))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    int count = processor_count(), threads = parallel_threads(0);
    sched_setaffinity(0, sizeof before, &before);
    assert_int_equal(count, 1);
    assert_int_equal(threads, 1);
}
#else
static void a_process_counts_the_processors_it_may_use(void **state) {
    (void)state;
    assert_int_equal(processor_count(), sysconf(_SC_NPROCESSORS_ONLN));
}
#endif

static void threads_are_at_least_one(void **state) {
    (void)state;
    assert_int_equal(parallel_threads(0), processor_count());
    assert_true(processor_count() >= 1);
    assert_int_equal(parallel_threads(1), 1);
    assert_int_equal(parallel_threads(5), 5);
    assert_int_equal(parallel_threads(INT64_MAX), 1024);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_once_in_fixed_blocks),
        cmocka_unit_test(nested_calls_work_alone),
        cmocka_unit_test(two_callers_do_not_wait_for_each_other),
        cmocka_unit_test(a_team_in_a_forked_child_is_its_caller),
        cmocka_unit_test(threads_that_cannot_start_are_not_missed),
        cmocka_unit_test(teams_take_no_signals),
        cmocka_unit_test(a_process_counts_the_processors_it_may_use),
        cmocka_unit_test(threads_are_at_least_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
