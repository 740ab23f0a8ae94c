#include "base/processor.h"

enum processor_level processor_level(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return PROCESSOR_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return PROCESSOR_AVX2;
#endif
    return PROCESSOR_BASELINE;
}
