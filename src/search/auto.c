/* The best sparse solution in the time given: a search over exchanges of columns on top of good starts. */
#include "search/auto.h"

#include <math.h>

#include "method/spgm_bcd/spgm_bcd.h"
#include "search/swap/swap.h"

/* Restarts in a row that may bring nothing: 2^(effort - 1), or any number when only the time is limited. */
static int64_t patience_of(const struct run *run) {
    if (run->options->effort == 0 && isfinite(run->options->time_limit)) {
        return INT64_MAX;
    }
    return (int64_t)1 << ((run->options->effort == 0 ? 5 : run->options->effort) - 1);
}

static spgm_error run_auto(struct run *run, spgm_status *status) {
    if (swap_applies(run)) {
        return swap_run(run, patience_of(run), status);
    }
    return method_spgm_bcd.run(run, status);
}

const struct method method_auto = {
    .name = "auto",
    .summary = "the best sparse solution in the time given",
    .run = run_auto,
};
