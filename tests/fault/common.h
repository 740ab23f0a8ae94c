/* What the fault tests share: counting checks, and the loop over every allocation of a scenario. */
#ifndef SPGM_TESTS_FAULT_COMMON_H
#define SPGM_TESTS_FAULT_COMMON_H

#include "spgm/spgm.h"

/* Count a check; print what failed, printf style. Returns `right`. */
int check(int right, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Print "N passed, N failed"; the exit status of the test. */
int report(void);

/* A status that no call has written yet, so that a call which forgets it is seen. */
spgm_status status_unwritten(void);
/* `error` was returned with `status`: a failure says so in one sentence. `what` names the case. */
void check_sentence(spgm_error error, const spgm_status *status, const char *what);

/* Something that a user does from beginning to end, freeing what it made. */
struct scenario {
    const char *name;
    spgm_error (*run)(const void *context, spgm_status *status);
    const void *context;
    /* NULL, or: everything is as it should be after a run that ended in `error`. */
    int (*intact)(const void *context, spgm_error error);
    /* NULL, or: the last run ended for want of memory and left a model, so that it is no error. */
    int (*has_model)(void);
};

/* SPGM_FAULT_STRIDE, where it is given: one in so many allocations fails. */
int64_t fault_stride(int64_t otherwise);

/* Fail allocation 0, 1, 2, ... of the scenario, once and for ever, until it needs no more. Returns how many of the runs
 * left a model. */
int64_t fail_every_allocation(const struct scenario *scenario);

/* A folder that is removed by folder_remove, and a path in it (static buffer of the caller's, 4096 bytes). */
const char *folder_make(void);
void folder_path(char *path, const char *name);
int folder_count(void); /* how many files are in it */
void folder_remove(void);
/* Write text to a new file in the folder; path receives where. */
void folder_write(char *path, const char *name, const char *text);

#endif
