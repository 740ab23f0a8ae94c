/* What the fault tests share: counting checks, and the loop over every allocation of a scenario. */
#ifndef SPGM_TESTS_FAULT_COMMON_H
#define SPGM_TESTS_FAULT_COMMON_H

#include "spgm/spgm.h"

/* Count a check; if it failed, print the message, printf style. Returns `right`. */
int check(int right, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Print "N passed, N failed"; returns the exit status of the test. */
int report(void);

/* A status with unwritten contents, so that a call which forgets to set it is detected. */
spgm_status status_unwritten(void);
/* Check that `error` and `status` agree: a failure has one sentence. `what` names the case. */
void check_sentence(spgm_error error, const spgm_status *status, const char *what);

/* A complete use of the library, which frees everything it made. */
struct scenario {
    const char *name;
    spgm_error (*run)(const void *context, spgm_status *status);
    const void *context;
    /* NULL, or: whether the objects are intact after a run that ended with `error`. */
    int (*intact)(const void *context, spgm_error error);
    /* NULL, or: whether the last run ran out of memory but left a model, which is not an error. */
    int (*has_model)(void);
};

/* SPGM_FAULT_STRIDE if it is set: only one in so many allocations is made to fail. */
int64_t fault_stride(int64_t otherwise);

/* Make allocation 0, 1, 2, ... of the scenario fail, once alone and once with all later ones, until the scenario needs
 * no more. Returns how many of the runs left a model. */
int64_t fail_every_allocation(const struct scenario *scenario);

/* A temporary folder, removed by folder_remove, and a path in it (in the caller's static buffer, 4096 bytes). */
const char *folder_make(void);
void folder_path(char *path, const char *name);
int folder_count(void); /* how many files are in it */
void folder_remove(void);
/* Write text to a new file in the folder; path receives its path. */
void folder_write(char *path, const char *name, const char *text);

#endif
