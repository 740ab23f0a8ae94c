/* The registry of methods. A new method is one line in registry.c. */
#ifndef SPGM_SEARCH_REGISTRY_H
#define SPGM_SEARCH_REGISTRY_H

#include "method/method.h"

const struct method *method_find(const char *name); /* NULL if there is no such method */
const struct method *method_at(int64_t index);      /* NULL past the end */

#endif
