#include "linalg/kernels.h"

const struct kernels *kernels_at(enum processor_level level) {
    static const struct kernels *const all[PROCESSOR_LEVELS] = {&kernels_baseline, &kernels_avx2, &kernels_avx512};
    return all[level];
}

const struct kernels *kernels_best(void) {
    return kernels_at(processor_level());
}
