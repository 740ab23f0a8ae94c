/* Settings by name: what a word may be, asked of the registries. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/options.h"
#include "base/status.h"
#include "model/loss.h"
#include "search/registry.h"

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
    const char *name = resolve_choice(spgm_option_describe(index), value);

    if (name == NULL) {
        return unknown_choice(spgm_option_describe(index), value, status);
    }
    snprintf(options_field(options, index), sizeof options->loss, "%s", name);
    return SPGM_OK;
}

spgm_error spgm_options_set(spgm_options *options, const char *name, const char *value, spgm_status *status) {
    int index = options_find(name);
    double number = 0;

    if (options == NULL || value == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "spgm_options_set needs options and a value, got NULL");
    }
    if (index < 0) {
        return options_unknown(name, status);
    }
    if (spgm_option_describe(index)->type == SPGM_OPTION_CHOICE) {
        return status_clear(status), store_choice(options, index, value, status);
    }
    if (spgm_option_describe(index)->type == SPGM_OPTION_FLAG && !options_parse_flag(value, &number)) {
        return status_set(status, SPGM_ERROR_OPTION, "option %s is '%s': it must be true or false", name, value);
    }
    if (spgm_option_describe(index)->type != SPGM_OPTION_FLAG && !number_parse_word(value, &number)) {
        return status_set(status, SPGM_ERROR_OPTION, "option %s is '%s': it must be a number", name, value);
    }
    status_clear(status);
    return options_store_number(options, index, number, status);
}

spgm_error spgm_options_set_number(spgm_options *options, const char *name, double value, spgm_status *status) {
    int index = options_find(name);

    if (options == NULL) {
        return status_set(status, SPGM_ERROR_ARGUMENT, "spgm_options_set_number needs options, got NULL");
    }
    if (index < 0) {
        return options_unknown(name, status);
    }
    if (spgm_option_describe(index)->type == SPGM_OPTION_CHOICE) {
        return status_set(status, SPGM_ERROR_OPTION, "option %s takes a word, not a number", name);
    }
    status_clear(status);
    return options_store_number(options, index, value, status);
}
