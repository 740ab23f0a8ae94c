/* Settings by name, generated from options.def. The allowed words of a choice come from the registries, through
 * spgm_options_set (src/options.c); defaults are canonical names already. */
#include "base/options.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"

static const spgm_option_info option_table[] = {
#define SPGM_OPTION(name, TYPE, group, initial, choices, low, high, open, help)                                        \
    {#name, group, SPGM_OPTION_##TYPE, initial, choices, low, high, open, help},
#include "spgm/options.def"
#undef SPGM_OPTION
};

static const size_t option_offset[] = {
#define SPGM_OPTION(name, TYPE, group, initial, choices, low, high, open, help) offsetof(struct spgm_options, name),
#include "spgm/options.def"
#undef SPGM_OPTION
};

enum { OPTION_COUNT = (int)(sizeof option_table / sizeof option_table[0]) };

int64_t spgm_option_count(void) {
    return OPTION_COUNT;
}

const spgm_option_info *spgm_option_describe(int64_t index) {
    return index >= 0 && index < OPTION_COUNT ? &option_table[index] : NULL;
}

int options_find(const char *name) {
    for (int i = 0; name != NULL && i < OPTION_COUNT; i++) {
        if (strcmp(name, option_table[i].name) == 0) {
            return i;
        }
    }
    return -1;
}

void *options_field(struct spgm_options *options, int index) {
    return (char *)options + option_offset[index];
}

spgm_error options_unknown(const char *name, spgm_status *status) {
    return status_set(status, SPGM_ERROR_OPTION, "there is no option '%s': spgm_option_describe lists all of them",
                      name == NULL ? "(null)" : name);
}

spgm_error options_store_number(struct spgm_options *options, int index, double value, spgm_status *status) {
    const spgm_option_info *info = &option_table[index];
    int inside = info->open ? isgreater(value, info->low) && isless(value, info->high)
                            : isgreaterequal(value, info->low) && islessequal(value, info->high);

    if (!inside) {
        return status_set(status, SPGM_ERROR_OPTION, "option %s is %g: it must be %s %g and %s %g", info->name, value,
                          info->open ? "above" : "at least", info->low, info->open ? "below" : "at most", info->high);
    }
    if (info->type == SPGM_OPTION_REAL) {
        *(double *)options_field(options, index) = value;
        return SPGM_OK;
    }
    if (value != floor(value)) {
        return status_set(status, SPGM_ERROR_OPTION, "option %s is %g: it must be a whole number", info->name, value);
    }
    if (info->type == SPGM_OPTION_FLAG) {
        *(int *)options_field(options, index) = value != 0;
    } else {
        *(int64_t *)options_field(options, index) = (int64_t)value;
    }
    return SPGM_OK;
}

int options_parse_flag(const char *value, double *number) {
    static const char *const words[2][4] = {{"false", "0", "no", "off"}, {"true", "1", "yes", "on"}};

    for (int truth = 0; truth < 2; truth++) {
        for (int i = 0; i < 4; i++) {
            if (strcmp(value, words[truth][i]) == 0) {
                *number = truth;
                return 1;
            }
        }
    }
    return 0;
}

spgm_error spgm_options_get(const spgm_options *options, const char *name, char *value, size_t size,
                            spgm_status *status) {
    int index = options_find(name);
    const char *field;
    int length = 0;

    if (options == NULL || value == NULL || size == 0) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "spgm_options_get needs options and room for the value");
    }
    if (index < 0) {
        return options_unknown(name, status);
    }
    field = (const char *)options + option_offset[index];
    switch (option_table[index].type) {
    case SPGM_OPTION_FLAG:
        length = snprintf(value, size, "%s", *(const int *)(const void *)field ? "true" : "false");
        break;
    case SPGM_OPTION_INTEGER:
        length = snprintf(value, size, "%" PRId64, *(const int64_t *)(const void *)field);
        break;
    case SPGM_OPTION_REAL:
        length = number_print(*(const double *)(const void *)field, value, size);
        break;
    case SPGM_OPTION_CHOICE:
        length = snprintf(value, size, "%s", field);
        break;
    }
    if (length < 0 || (size_t)length >= size) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "the value of option %s needs %d bytes, %zu given", name,
                          length + 1, size);
    }
    return status_clear(status);
}

static void store_default(struct spgm_options *options, int index) {
    const spgm_option_info *info = &option_table[index];
    double number = 0;

    if (info->type == SPGM_OPTION_CHOICE) {
        snprintf(options_field(options, index), sizeof options->loss, "%s", info->default_value);
        return;
    }
    if (info->type != SPGM_OPTION_FLAG || !options_parse_flag(info->default_value, &number)) {
        number_parse_word(info->default_value, &number);
    }
    options_store_number(options, index, number, NULL);
}

void options_defaults(struct spgm_options *options) {
    memset(options, 0, sizeof *options);
    for (int i = 0; i < OPTION_COUNT; i++) {
        store_default(options, i);
    }
}

spgm_options *spgm_options_new(void) {
    spgm_options *options = memory_array(1, sizeof *options);

    if (options != NULL) {
        options_defaults(options);
    }
    return options;
}

spgm_options *spgm_options_copy(const spgm_options *options) {
    spgm_options *copy = options == NULL ? NULL : memory_array(1, sizeof *copy);

    if (copy != NULL) {
        *copy = *options;
    }
    return copy;
}

void spgm_options_free(spgm_options *options) {
    memory_free(options);
}
