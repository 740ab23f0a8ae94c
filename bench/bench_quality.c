/*
 * How F falls with time, by a clock that other jobs on the machine do not move: the processor time of this program.
 *
 *     bench_quality DATA TARGET LOSS S RIDGE SEED THREADS SECONDS ...
 *
 * One fit by `auto` until the last of SECONDS, which ascend; prints the lowest F at each of them. With several threads
 * the clock is that on the wall.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "spgm/io.h"

enum { FIRST_LIMIT = 8 };

static clockid_t timer = CLOCK_THREAD_CPUTIME_ID;

/* In the place of src/base/clock.c. */
double clock_seconds(void) {
    struct timespec now;

    clock_gettime(timer, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct record {
    char **limits;
    int count, next;
    double best; /* F before the limit that is next */
};

static void check(spgm_error error, const spgm_status *status) {
    if (error != SPGM_OK) {
        fprintf(stderr, "bench_quality: %s\n", status->message);
        exit(1);
    }
}

static int watch(const spgm_progress *progress, void *context) {
    struct record *record = context;

    while (record->next < record->count - 1 && progress->seconds > atof(record->limits[record->next])) {
        printf("%.10g ", record->best);
        record->next++;
    }
    record->best = fmin(record->best, progress->best);
    return 0;
}

static spgm_options *options_of(char **arguments, const char *limit) {
    static const char *const names[] = {"loss", "ridge", "seed", "threads", "time_limit", "intercept"};
    const char *values[] = {arguments[3], arguments[5], arguments[6], arguments[7], limit, "false"};
    spgm_options *options = spgm_options_new();
    spgm_status status;

    for (int i = 0; options != NULL && i < 6; i++) {
        check(spgm_options_set(options, names[i], values[i], &status), &status);
    }
    return options;
}

int main(int count, char **arguments) {
    struct record record = {arguments + FIRST_LIMIT, count - FIRST_LIMIT, 0, INFINITY};
    spgm_data *data = NULL;
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;
    spgm_options *options;
    spgm_matrix A;
    spgm_status status;

    if (count <= FIRST_LIMIT) {
        fprintf(stderr, "usage: bench_quality DATA TARGET LOSS S RIDGE SEED THREADS SECONDS ...\n");
        return 2;
    }
    timer = strcmp(arguments[7], "1") == 0 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    options = options_of(arguments, arguments[count - 1]);
    check(spgm_data_read(arguments[1], NULL, &data, &status), &status);
    check(spgm_data_read_target(data, arguments[2], &status), &status);
    A = spgm_data_matrix(data);
    check(spgm_problem_new(&A, spgm_data_target(data), options, &problem, &status), &status);
    check(spgm_solver_new(problem, atoll(arguments[4]), options, &solver, &status), &status);
    spgm_solver_set_progress(solver, watch, &record);
    check(spgm_solver_run(solver, &status), &status);
    for (; record.next < record.count - 1; record.next++) { /* what ended before */
        printf("%.10g ", record.best);
    }
    printf("%.10g\n", spgm_solver_get_info(solver).objective);
    spgm_solver_free(solver);
    spgm_problem_free(problem);
    spgm_data_free(data);
    spgm_options_free(options);
    return 0;
}
