/* The default method `auto`: the best sparse model within the effort or time given. */
#ifndef SPGM_SEARCH_AUTO_H
#define SPGM_SEARCH_AUTO_H

#include "method/method.h"

/* An incumbent for branch and bound: the opening of `auto` and its first `levels` levels, without a proof. run->outcome
 * is SPGM_OPTIMAL if the incumbent is optimal anyway: a perfect fit, or only one support. */
spgm_error auto_open(struct run *run, int levels, spgm_status *status);

extern const struct method method_auto;

#endif
