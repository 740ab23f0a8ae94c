/*
 * The nonconvex relaxation F(x) + sigma sum_j |x_j|^(1/2).
 *
 *     Z. Xu, X. Chang, F. Xu, H. Zhang, L1/2 regularization: a thresholding representation theory and a fast solver,
 *     IEEE Trans. Neural Networks and Learning Systems 23(7), 2012.
 */
#include "method/ncvx_lp/ncvx_lp.h"
#include "method/constants.h"

#include <math.h>

#include "method/relax/relax.h"
#include "method/shrink.h"

static double root(double x) {
    return sqrt(fabs(x));
}

static const struct penalty half = {
    .value = root,
    .prox = shrink_half,
    .threshold = shrink_half_threshold,
    .begin = &penalty_l1,
    .adapts = 0,
    .mu = NCVX_LP_MU,
    .share = NCVX_LP_SHARE,
    .near_share = NCVX_LP_NEAR_SHARE,
};

static spgm_error ncvx_lp_run(struct run *run, spgm_status *status) {
    return relax_run(run, &half, status);
}

const struct method method_ncvx_lp = {
    .name = "ncvx-lp",
    .summary = "the l1/2 relaxation over a range of penalties, each cut to s columns and re-optimised",
    .run = ncvx_lp_run,
};
