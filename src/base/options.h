/* The settings as a structure, generated from options.def. */
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
/* Copy the options of the caller; NULL: the defaults. */
static inline void options_take(struct spgm_options *options, const struct spgm_options *given) {
    if (given != NULL) {
        *options = *given;
    } else {
        options_defaults(options);
    }
}

/* Parts of spgm_options_set, which also knows the registries. */
int options_find(const char *name); /* its index, or -1 */
void *options_field(struct spgm_options *options, int index);
spgm_error options_unknown(const char *name, spgm_status *status);
spgm_error options_store_number(struct spgm_options *options, int index, double value, spgm_status *status);
int options_parse_flag(const char *value, double *number); /* 0: not a flag */

#endif
