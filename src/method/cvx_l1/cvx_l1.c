/*
 * The convex relaxation F(x) + sigma ||x||_1.
 *
 *     E. J. Candes, T. Tao, Decoding by linear programming, IEEE Trans. Information Theory 51(12), 2005.
 */
#include "method/cvx_l1/cvx_l1.h"
#include "method/constants.h"

#include <math.h>

#include "method/relax/relax.h"
#include "method/shrink.h"

const struct penalty penalty_l1 = {
    .value = fabs,
    .prox = shrink_soft,
    .threshold = shrink_soft_threshold,
    .begin = NULL,
    .adapts = 1,
    .mu = CVX_L1_MU,
    .share = CVX_L1_SHARE,
    .near_share = CVX_L1_NEAR_SHARE,
};

static spgm_error cvx_l1_run(struct run *run, spgm_status *status) {
    return relax_run(run, &penalty_l1, status);
}

const struct method method_cvx_l1 = {
    .name = "cvx-l1",
    .summary = "the l1 relaxation over a range of penalties, each cut to s columns and re-optimised",
    .run = cvx_l1_run,
};
