/* --methods: names, each with settings of its own if need be, as in spgm-bcd:random-coordinates=12. */
#include <stdlib.h>
#include <string.h>

#include "chart.h"
#include "compare.h"

static const char *method_name(int index, const void *context) {
    (void)context;
    return spgm_method_name(index);
}

static const char *find_method(const char *word) {
    for (int64_t i = 0; spgm_method_name(i); i++) {
        if (strcmp(spgm_method_name(i), word) == 0) {
            return spgm_method_name(i);
        }
    }
    const char *near = suggest_nearest(word, method_name, NULL);
    if (near) {
        cli_error("--methods: there is no method '%s'; did you mean %s?", word, near);
    } else {
        cli_error("--methods: there is no method '%s'; 'spgm compare --help' lists them", word);
    }
    return NULL;
}

static const char *option_name(int index, const void *context) {
    (void)context;
    return spgm_option_describe(index) ? spgm_option_describe(index)->name : NULL;
}

/*
 * Options that may differ between the compared runs: not those of the problem, and not those that compare itself sets.
 */
static int may_differ(const spgm_option_info *option) {
    static const char *const own[] = {"method", "polish", "seed", "threads"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        if (strcmp(option->name, own[i]) == 0) {
            return 0;
        }
    }
    return strcmp(option->group, "run") == 0 || strcmp(option->group, "method") == 0;
}

static const spgm_option_info *find_option(const char *method, const char *word) {
    char name[64], flag[64];
    snprintf(name, sizeof name, "%s", word);
    for (char *c = name; *c; c++) {
        *c = *c == '-' ? '_' : *c;
    }
    for (int64_t i = 0; spgm_option_describe(i); i++) {
        const spgm_option_info *option = spgm_option_describe(i);
        if (strcmp(option->name, name) == 0 && may_differ(option)) {
            return option;
        }
        if (strcmp(option->name, name) == 0) {
            cli_error("--methods %s: %s is the same for all methods; give it as --%s", method, word, word);
            return NULL;
        }
    }
    const char *near = suggest_nearest(name, option_name, NULL);
    if (near) {
        args_flag_name(near, flag, sizeof flag);
        cli_error("--methods %s: there is no setting '%s'; did you mean %s?", method, word, flag);
    } else {
        cli_error("--methods %s: there is no setting '%s'; 'spgm compare --help' lists them", method, word);
    }
    return NULL;
}

/* "random-coordinates=12": set, and added to the name. */
static int take_setting(struct variant *variant, char *word) {
    spgm_status status;
    char flag[64];
    char *value = strchr(word, '=');
    size_t used = strlen(variant->name);
    if (value) {
        *value++ = '\0';
    }
    const spgm_option_info *option = find_option(variant->method, word);
    if (!option) {
        return CLI_USAGE;
    }
    if (!value && option->type != SPGM_OPTION_FLAG) {
        return cli_error("--methods %s: %s needs a value, as in %s:%s=%s", variant->method, word, variant->method, word,
                         option->default_value);
    }
    if (spgm_options_set(variant->options, option->name, value ? value : "true", &status)) {
        return cli_status(&status);
    }
    args_flag_name(option->name, flag, sizeof flag);
    if ((size_t)snprintf(variant->name + used, sizeof variant->name - used, ":%s%s%s", flag, value ? "=" : "",
                         value ? value : "") >= sizeof variant->name - used) {
        return cli_error("--methods %s: too many settings for one method", variant->method);
    }
    return CLI_DONE;
}

static int add_variant(struct compare *compare, const char *method, struct variant **added) {
    struct variant *variant = &compare->variant[compare->methods];
    if (compare->methods == METHODS_MAX) {
        return cli_error("--methods has more than %d entries", METHODS_MAX);
    }
    *variant = (struct variant){.method = method, .options = spgm_options_copy(compare->args->options)};
    compare->methods += variant->options != NULL;
    snprintf(variant->name, sizeof variant->name, "%s", method);
    *added = variant;
    return variant->options && !spgm_options_set(variant->options, "method", method, NULL) ? CLI_DONE
                                                                                           : cli_out_of_memory();
}

static int take_method(void *context, const char *word) {
    struct compare *compare = context;
    struct variant *variant;
    char *copy = strdup(word), *rest = copy;
    int result = copy ? CLI_DONE : cli_out_of_memory();
    const char *method = copy ? find_method(strtok_r(copy, ":", &rest)) : NULL;
    if (result == CLI_DONE) {
        result = method ? add_variant(compare, method, &variant) : CLI_USAGE;
    }
    for (char *part; result == CLI_DONE && (part = strtok_r(NULL, ":", &rest));) {
        result = take_setting(variant, part);
    }
    for (int64_t m = 0; result == CLI_DONE && m + 1 < compare->methods; m++) {
        if (strcmp(compare->variant[m].name, variant->name) == 0) {
            result = cli_error("--methods names %s twice; give one of them other settings, as in %s:tolerance=1e-6",
                               variant->name, method);
        }
    }
    free(copy);
    return result;
}

/* A method keeps its colour; with other settings it gets an unused one. */
static void choose_styles(struct compare *compare) {
    int spare = 0;
    for (int64_t m = 0; m < compare->methods; m++) {
        struct variant *variant = &compare->variant[m];
        int is_plain = strcmp(variant->name, variant->method) == 0;
        variant->style = is_plain ? style_of(variant->name) : style_spare(spare++);
    }
}

/* All methods, except that polish, which compare applies to all results, and exact, which may take very long, must be
 * named explicitly. */
int compare_choose_methods(struct compare *compare) {
    const char *list = args_get(compare->args, "methods");
    struct variant *variant;
    int result = CLI_DONE;
    if (list && strcmp(list, "all") != 0) {
        result = args_words(compare->args, "methods", take_method, compare);
        result = result || compare->methods ? result : cli_error("--methods is empty");
    } else {
        for (int64_t i = 0; spgm_method_name(i) && result == CLI_DONE; i++) {
            if (strcmp(spgm_method_name(i), "polish") != 0 && strcmp(spgm_method_name(i), "exact") != 0) {
                result = add_variant(compare, spgm_method_name(i), &variant);
            }
        }
    }
    choose_styles(compare);
    return result;
}

void compare_free_methods(struct compare *compare) {
    for (int64_t m = 0; m < compare->methods; m++) {
        spgm_options_free(compare->variant[m].options);
    }
}
