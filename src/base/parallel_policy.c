#include "base/parallel.h"

#include "base/constants.h"

int parallel_is_worth(int64_t multiplications) {
    return multiplications >= WORTH_WAKING;
}

void parallel_woken(const atomic_llong *taken) {
    (void)taken;
}
