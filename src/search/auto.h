/* The default method: the best sparse solution in the time given. */
#ifndef SPGM_SEARCH_AUTO_H
#define SPGM_SEARCH_AUTO_H

#include "method/method.h"

/* How auto begins, and its first levels, without a proof: an incumbent for branch and bound. run->outcome is
 * SPGM_OPTIMAL where it is one all the same: a perfect fit, or only one support. */
spgm_error auto_open(struct run *run, int levels, spgm_status *status);

extern const struct method method_auto;

#endif
