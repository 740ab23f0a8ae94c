#include "base/parallel.h"

/* Waking threads and waiting for the last costs microseconds on an idle machine, but a slice of the scheduler, some
 * milliseconds, where others compute too: only work of milliseconds is worth it. */
int parallel_is_worth(int64_t multiplications) {
    return multiplications >= INT64_C(1) << 22;
}

void parallel_woken(const atomic_llong *taken) {
    (void)taken;
}
