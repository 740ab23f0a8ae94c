#include "linalg/kernels.h"

const struct kernels *kernels_at(enum processor_level level) {
#if defined(__x86_64__)
    static const struct kernels *const all[PROCESSOR_LEVELS] = {&kernels_baseline, &kernels_avx2, &kernels_avx512};
    return all[level];
#else
    (void)level; /* there is only one */
    return &kernels_baseline;
#endif
}

const struct kernels *kernels_best(void) {
    return kernels_at(processor_level());
}
