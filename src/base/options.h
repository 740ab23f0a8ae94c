/* The settings as a structure, made from options.def. */
#ifndef SPGM_BASE_OPTIONS_H
#define SPGM_BASE_OPTIONS_H

#include <math.h>

#include "spgm/spgm.h"

#define SPGM_FIELD_FLAG(name) int name;
#define SPGM_FIELD_INTEGER(name) int64_t name;
#define SPGM_FIELD_REAL(name) double name;
#define SPGM_FIELD_CHOICE(name) char name[32];

struct spgm_options {
#define SPGM_OPTION(name, TYPE, group, initial, choices, low, high, open, help) SPGM_FIELD_##TYPE(name)
#include "spgm/options.def"
#undef SPGM_OPTION
};

void options_defaults(struct spgm_options *options);

#endif
