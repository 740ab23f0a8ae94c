#if defined(__linux__)
#define _GNU_SOURCE /* sched_getaffinity */
#include <sched.h>
#endif

#include "base/processor.h"

#include <unistd.h>

enum processor_level processor_level(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return PROCESSOR_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return PROCESSOR_AVX2;
#endif
    return PROCESSOR_BASELINE;
}

int processor_count(void) {
#if defined(__linux__)
    cpu_set_t may_use[64]; /* 65536 of them */
    if (sched_getaffinity(0, sizeof may_use, may_use) == 0)
        return CPU_COUNT_S(sizeof may_use, may_use);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 1 ? (int)online : 1;
}
