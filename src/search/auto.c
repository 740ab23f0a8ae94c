/* SPGM-BCD first; what follows it (polish, exchanges, restarts) is added as it lands. */
#include "search/auto.h"

#include "method/spgm_bcd/spgm_bcd.h"

static spgm_error run_auto(struct run *run, spgm_status *status) {
    return method_spgm_bcd.run(run, status);
}

const struct method method_auto = {
    .name = "auto",
    .summary = "the best sparse solution in the time given",
    .run = run_auto,
};
