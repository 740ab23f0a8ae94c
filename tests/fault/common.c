#include "common.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "inject.h"
#include "share.h"

enum { PATH_SIZE = 4096 };

static int64_t passed, failed;

int check(int right, const char *format, ...) {
    if (right) {
        passed++;
        return 1;
    }
    failed++;
    if (failed > 50)
        return 0;
    va_list arguments;
    va_start(arguments, format);
    fputs("FAILED: ", stdout);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    return 0;
}

int report(void) {
    printf("%lld passed, %lld failed\n", (long long)passed, (long long)failed);
    return failed != 0 || passed == 0;
}

spgm_status status_unwritten(void) {
    spgm_status status;
    memset(&status, 0x5a, sizeof status);
    return status;
}

void check_sentence(spgm_error error, const spgm_status *status, const char *what) {
    const char *end = memchr(status->message, '\0', sizeof status->message);
    check(status->code == error, "%s: returned %d, the status says %d", what, (int)error, (int)status->code);
    if (!check(end != NULL, "%s: the message has no end", what))
        return;
    if (error == SPGM_OK)
        check(status->message[0] == '\0', "%s: success with the message '%s'", what, status->message);
    else
        check(end - status->message > 10 && !strchr(status->message, '\n'), "%s: not a sentence: '%s'", what,
              status->message);
}

/* ---- every allocation ------------------------------------------------------------------------------ */

static int64_t ends_with_a_model;

/* One run with allocation n failing. Returns 0 when the scenario needed fewer than n + 1. */
static int fail_one(const struct scenario *scenario, int64_t n, int forever) {
    char what[256];
    spgm_status status = status_unwritten();
    int64_t live = inject_live();

    inject_arm(n, forever);
    spgm_error error = scenario->run(scenario->context, &status);
    inject_disarm();
    int fired = inject_fired(), own = inject_fired_in_own();
    int64_t lost = inject_live() - live;
    if (lost != 0) { /* a library may keep what it made on its first failure; a leak happens each time */
        live = inject_live();
        inject_arm(n, forever);
        spgm_status again = status_unwritten();
        scenario->run(scenario->context, &again);
        inject_disarm();
        lost = inject_live() - live;
    }

    snprintf(what, sizeof what, "%s, allocation %lld %s", scenario->name, (long long)n,
             !fired    ? "not reached"
             : forever ? "and all after it"
                       : "once");
    check(lost == 0, "%s: %lld blocks were not freed", what, (long long)lost);
    check_sentence(error, &status, what);
    if (!fired)
        check(error == SPGM_OK, "%s: no allocation failed, but the call did: %s", what, status.message);
    else if (scenario->has_model && error == SPGM_OK && scenario->has_model())
        ends_with_a_model++;
    else if (own || forever)
        check(error == SPGM_ERROR_MEMORY, "%s: got %s (%s)", what, spgm_error_name(error), status.message);
    if (scenario->intact)
        check(scenario->intact(scenario->context, error), "%s: inputs or outputs were changed", what);
    return fired;
}

/*
 * Which allocations fail: the first ones all, of the later ones every few. Instrumented builds are many times slower
 * and take fewer, beginning elsewhere in every scenario: what scenarios have in common, most of it, fails in one of
 * them. SPGM_FAULT_STRIDE=1, as in make test-long: all.
 */
struct density {
    int64_t up_to, stride;
};

static const struct density densities[] = {{SHARE(300, 20), 1}, {300, SHARE(1, 11)}, {INT64_MAX, SHARE(5, 41)}};

int64_t fault_stride(int64_t otherwise) {
    const char *given = getenv("SPGM_FAULT_STRIDE");

    return given != NULL ? strtoll(given, NULL, 10) : otherwise;
}

static int64_t stride_at(int64_t n) {
    int part = 0;

    while (n >= densities[part].up_to)
        part++;
    return fault_stride(densities[part].stride);
}

/* The next one. The first step of more than one is shorter, by the number of the scenario. */
static int64_t next_allocation(int64_t n, int64_t scenario_number) {
    int64_t stride = stride_at(n);

    return n + (stride > 1 && stride_at(n - 1) == 1 ? 1 + scenario_number % stride : stride);
}

int64_t fail_every_allocation(const struct scenario *scenario) {
    for (int warm = 0; warm < 2; warm++) {
        spgm_status status = status_unwritten();
        spgm_error error = scenario->run(scenario->context, &status);
        check_sentence(error, &status, scenario->name);
        if (!check(error == SPGM_OK, "%s, nothing failing: %s", scenario->name, status.message))
            return 0;
    }
    ends_with_a_model = 0;
    static int64_t number;
    int64_t counts[2] = {0, 0};
    clock_t began = clock();
    for (int forever = 0; forever < 2; forever++, number++)
        while (fail_one(scenario, counts[forever], forever))
            counts[forever] = next_allocation(counts[forever], number);
    check(counts[0] > 0, "%s: no allocation was seen", scenario->name);
    printf("%-40s %4lld allocations %6.2f s\n", scenario->name, (long long)counts[0],
           (double)(clock() - began) / CLOCKS_PER_SEC);
    return ends_with_a_model;
}

/* ---- a folder of files ----------------------------------------------------------------------------- */

static char folder[PATH_SIZE / 2];

const char *folder_make(void) {
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/spgm-fault-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(folder)) {
        perror(folder);
        exit(1);
    }
    return folder;
}

void folder_path(char *path, const char *name) {
    snprintf(path, PATH_SIZE, "%s/%s", folder, name);
}

/* Call `each` for every file; returns how many there are. */
static int folder_walk(int (*each)(const char *path)) {
    char path[PATH_SIZE + 256];
    int count = 0;
    DIR *directory = opendir(folder);
    if (!directory)
        return -1;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (each)
            each(path);
        count++;
    }
    closedir(directory);
    return count;
}

int folder_count(void) {
    return folder_walk(NULL);
}

void folder_remove(void) {
    folder_walk(unlink);
    rmdir(folder);
}

void folder_write(char *path, const char *name, const char *text) {
    folder_path(path, name);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}
