/* The default method: the best sparse solution in the time given. */
#ifndef SPGM_SEARCH_AUTO_H
#define SPGM_SEARCH_AUTO_H

#include "method/method.h"

extern const struct method method_auto;

#endif
