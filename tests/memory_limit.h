/*
 * The anonymous memory of this process, and a limit on it (RLIMIT_DATA, which does not count shared pages or mapped
 * files). With a sanitizer there is no limit, because it takes memory of its own.
 */
#ifndef SPGM_TESTS_MEMORY_LIMIT_H
#define SPGM_TESTS_MEMORY_LIMIT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The bytes of a line of /proc/self/status, "VmData:" or "RssAnon:"; -1: the line is missing. */
static inline long long memory_now(const char *name) {
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    long long bytes = -1;

    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) {
            bytes = 1024 * strtoll(line + strlen(name), NULL, 10);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return bytes;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMORY_IS_WATCHED 1
#else
#define MEMORY_IS_WATCHED 0
#endif

/* Limit the memory to the current amount plus `more` bytes. Exits with status 3 if no limit can be set. */
static inline void memory_limit(size_t more) {
    long long now = MEMORY_IS_WATCHED ? -1 : memory_now("VmData:");
    struct rlimit limit = {.rlim_cur = (rlim_t)now + more, .rlim_max = (rlim_t)now + more};

    if (!MEMORY_IS_WATCHED && (now < 0 || setrlimit(RLIMIT_DATA, &limit) != 0)) {
        _exit(3);
    }
}

#endif
