/* Settings by name: everything here is made from options.def and the registries. */
#include "base/options.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/status.h"
#include "method/registry.h"
#include "model/loss.h"

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

static int find_option(const char *name) {
    for (int i = 0; name != NULL && i < OPTION_COUNT; i++) {
        if (strcmp(name, option_table[i].name) == 0) {
            return i;
        }
    }
    return -1;
}

static void *field_of(struct spgm_options *options, int index) {
    return (char *)options + option_offset[index];
}

static spgm_error unknown_option(const char *name, spgm_status *status) {
    return status_set(status, SPGM_ERROR_OPTION, "there is no option '%s': spgm_option_describe lists all of them",
                      name == NULL ? "(null)" : name);
}

static spgm_error store_number(struct spgm_options *options, int index, double value, spgm_status *status) {
    const spgm_option_info *info = &option_table[index];
    int inside = info->open ? isgreater(value, info->low) && isless(value, info->high)
                            : isgreaterequal(value, info->low) && islessequal(value, info->high);

    if (!inside) {
        return status_set(status, SPGM_ERROR_OPTION, "option %s is %g: it must be %s %g and %s %g", info->name, value,
                          info->open ? "above" : "at least", info->low, info->open ? "below" : "at most", info->high);
    }
    if (info->type == SPGM_OPTION_REAL) {
        *(double *)field_of(options, index) = value;
        return SPGM_OK;
    }
    if (value != floor(value)) {
        return status_set(status, SPGM_ERROR_OPTION, "option %s is %g: it must be a whole number", info->name, value);
    }
    if (info->type == SPGM_OPTION_FLAG) {
        *(int *)field_of(options, index) = value != 0;
    } else {
        *(int64_t *)field_of(options, index) = (int64_t)value;
    }
    return SPGM_OK;
}

/* Is `value` one of the words of "a|b|c"? */
static int is_among(const char *choices, const char *value) {
    size_t length = strlen(value);

    for (const char *word = choices; *word != '\0';) {
        size_t size = strcspn(word, "|");

        if (size == length && memcmp(word, value, length) == 0) {
            return 1;
        }
        word += size + (word[size] == '|');
    }
    return 0;
}

/* The canonical name of a choice (an alias becomes the name), or NULL. */
static const char *resolve_choice(const spgm_option_info *info, const char *value) {
    if (strcmp(info->choices, "@loss") == 0) {
        const struct loss_kind *kind = loss_find(value);

        return kind == NULL ? NULL : kind->name;
    }
    if (strcmp(info->choices, "@method") == 0) {
        const struct method *method = method_find(value);

        return method == NULL ? NULL : method->name;
    }
    return is_among(info->choices, value) ? value : NULL;
}

static const char *choice_at(const spgm_option_info *info, int64_t index) {
    if (strcmp(info->choices, "@loss") == 0) {
        return loss_kind_at(index) == NULL ? NULL : loss_kind_at(index)->name;
    }
    return method_at(index) == NULL ? NULL : method_at(index)->name;
}

static spgm_error unknown_choice(const spgm_option_info *info, const char *value, spgm_status *status) {
    char list[384];
    size_t used = 0;

    if (info->choices[0] != '@') {
        return status_set(status, SPGM_ERROR_OPTION, "option %s is '%s': it must be one of %s", info->name, value,
                          info->choices);
    }
    list[0] = '\0';
    for (int64_t i = 0; choice_at(info, i) != NULL && used < sizeof list; i++) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : "|", choice_at(info, i));
    }
    return status_set(status, SPGM_ERROR_OPTION, "option %s is '%s': it must be one of %s", info->name, value, list);
}

static spgm_error store_choice(struct spgm_options *options, int index, const char *value, spgm_status *status) {
    const char *name = resolve_choice(&option_table[index], value);

    if (name == NULL) {
        return unknown_choice(&option_table[index], value, status);
    }
    snprintf(field_of(options, index), sizeof options->loss, "%s", name);
    return SPGM_OK;
}

static int parse_flag(const char *value, double *number) {
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

spgm_error spgm_options_set(spgm_options *options, const char *name, const char *value, spgm_status *status) {
    int index = find_option(name);
    double number = 0;

    if (options == NULL || value == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "spgm_options_set needs options and a value, got NULL");
    }
    if (index < 0) {
        return unknown_option(name, status);
    }
    if (option_table[index].type == SPGM_OPTION_CHOICE) {
        return status_clear(status), store_choice(options, index, value, status);
    }
    if (option_table[index].type == SPGM_OPTION_FLAG && !parse_flag(value, &number)) {
        return status_set(status, SPGM_ERROR_OPTION, "option %s is '%s': it must be true or false", name, value);
    }
    if (option_table[index].type != SPGM_OPTION_FLAG && !number_parse_word(value, &number)) {
        return status_set(status, SPGM_ERROR_OPTION, "option %s is '%s': it must be a number", name, value);
    }
    status_clear(status);
    return store_number(options, index, number, status);
}

spgm_error spgm_options_set_number(spgm_options *options, const char *name, double value, spgm_status *status) {
    int index = find_option(name);

    if (options == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "spgm_options_set_number needs options, got NULL");
    }
    if (index < 0) {
        return unknown_option(name, status);
    }
    if (option_table[index].type == SPGM_OPTION_CHOICE) {
        return status_set(status, SPGM_ERROR_OPTION, "option %s takes a word, not a number", name);
    }
    status_clear(status);
    return store_number(options, index, value, status);
}

spgm_error spgm_options_get(const spgm_options *options, const char *name, char *value, size_t size,
                            spgm_status *status) {
    int index = find_option(name);
    const char *field;
    int length = 0;

    if (options == NULL || value == NULL || size == 0) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "spgm_options_get needs options and room for the value");
    }
    if (index < 0) {
        return unknown_option(name, status);
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

void options_defaults(struct spgm_options *options) {
    memset(options, 0, sizeof *options);
    for (int i = 0; i < OPTION_COUNT; i++) {
        spgm_options_set(options, option_table[i].name, option_table[i].default_value, NULL);
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
