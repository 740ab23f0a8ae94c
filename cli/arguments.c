/* Flags of a command and, from the one table, every option of the library. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_LENGTH = 64 };
#define CLASSIFIER_RIDGE "1"

static void dashes(char *name) {
    for (; *name; name++) {
        *name = *name == '_' ? '-' : *name;
    }
}

void args_flag_name(const char *option, char *flag, size_t size) {
    snprintf(flag, size, "%s", option);
    dashes(flag);
}

int args_want_help(int count, char **words) {
    for (int i = 0; i < count && strcmp(words[i], "--") != 0; i++) {
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) {
            return 1;
        }
    }
    return 0;
}

/* ---- what a word may be ------------------------------------------------------------------------ */

static int flag_index(const struct command *command, const char *name) {
    for (int i = 0; command->flags[i].name; i++) {
        if (strcmp(command->flags[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

static int letter_index(const struct command *command, char letter) {
    for (int i = 0; command->flags[i].name; i++) {
        if (command->flags[i].letter == letter) {
            return i;
        }
    }
    return -1;
}

static const spgm_option_info *option_find(const char *flag) {
    char name[NAME_MAX_LENGTH];
    for (int64_t i = 0; spgm_option_describe(i); i++) {
        args_flag_name(spgm_option_describe(i)->name, name, sizeof name);
        if (strcmp(name, flag) == 0) {
            return spgm_option_describe(i);
        }
    }
    return NULL;
}

/* All names that the command takes, flags first, for the suggestion. */
static const char *known_name(int index, const void *context) {
    const struct command *command = context;
    int flags = 0;
    while (command->flags[flags].name) {
        flags++;
    }
    if (index < flags) {
        return command->flags[index].name;
    }
    const spgm_option_info *option = command->takes_options ? spgm_option_describe(index - flags) : NULL;
    return option ? option->name : NULL;
}

static int unknown_flag(const struct command *command, const char *name) {
    char option[NAME_MAX_LENGTH], flag[NAME_MAX_LENGTH];
    snprintf(option, sizeof option, "%s", name);
    for (char *c = option; *c; c++) {
        *c = *c == '-' && command->takes_options ? '_' : *c;
    }
    const char *near = suggest_nearest(option, known_name, command);
    if (!near) {
        near = suggest_nearest(name, known_name, command);
    }
    if (!near) {
        return cli_error("%s has no option --%s; 'spgm %s --help' lists them", command->name, name, command->name);
    }
    args_flag_name(near, flag, sizeof flag);
    return cli_error("%s has no option --%s; did you mean --%s?", command->name, name, flag);
}

/* ---- one word ------------------------------------------------------------------------------------ */

/* The words that are left. */
struct reader {
    char **words;
    int count, at;
};

static const char *reader_value(struct reader *reader, const char *attached) {
    if (attached) {
        return attached;
    }
    return reader->at < reader->count ? reader->words[reader->at++] : NULL;
}

enum { GAVE_LOSS = 1, GAVE_RIDGE = 2, GAVE_RULE = 4, GAVE_PARAMETER = 8 }; /* of the first loss; then 16 and so on */

static void remember(struct args *args, const char *name) {
    args->gave |= strcmp(name, "loss") == 0    ? GAVE_LOSS
                  : strcmp(name, "ridge") == 0 ? GAVE_RIDGE
                  : strcmp(name, "rule") == 0  ? GAVE_RULE
                                               : 0;
    for (int64_t i = 0; spgm_loss_name(i); i++) {
        if (spgm_loss_parameter(i) && strcmp(name, spgm_loss_parameter(i)) == 0) {
            args->gave |= (uint64_t)GAVE_PARAMETER << i;
        }
    }
}

static int set_option(struct args *args, const char *name, const char *value) {
    spgm_status status;
    remember(args, name);
    if (strcmp(name, "loss") == 0) {
        args->chooses_loss = args->command->chooses_loss && strcmp(value, "auto") == 0;
        value = args->chooses_loss ? spgm_loss_name(spgm_loss_candidate(1)) : value;
    }
    return spgm_options_set(args->options, name, value, &status) ? cli_status(&status) : CLI_DONE;
}

int64_t args_loss_named(const char *name) {
    int64_t i = 0;
    while (spgm_loss_name(i) && strcmp(spgm_loss_name(i), name) != 0) {
        i++;
    }
    return spgm_loss_name(i) ? i : -1;
}

int64_t args_loss(const spgm_options *options) {
    char loss[64];
    return options && !spgm_options_get(options, "loss", loss, sizeof loss, NULL) ? args_loss_named(loss) : -1;
}

int args_loss_has(const spgm_options *options, const char *parameter) {
    const char *own = spgm_loss_parameter(args_loss(options));
    return own && strcmp(own, parameter) == 0;
}

/*
 * A parameter selects the loss that has it (the first, if several do), and conflicts with a given loss that does not.
 */
static int settle_loss(struct args *args) {
    int result = CLI_DONE;
    for (int64_t i = 0; spgm_loss_name(i) && result == CLI_DONE; i++) {
        if (!(args->gave & (uint64_t)GAVE_PARAMETER << i)) {
            continue;
        }
        if (!(args->gave & GAVE_LOSS)) {
            result = set_option(args, "loss", spgm_loss_name(i));
        }
        if (result == CLI_DONE && !args_loss_has(args->options, spgm_loss_parameter(i))) {
            result = cli_error("--%s is a setting of the loss %s, but the loss is %s; leave one of them out",
                               spgm_loss_parameter(i), spgm_loss_name(i),
                               args->chooses_loss ? "auto" : spgm_loss_name(args_loss(args->options)));
        }
    }
    return result;
}

int args_takes_labels(const spgm_options *options) {
    return spgm_loss_has_labels(args_loss(options));
}

int args_gave_loss(const struct args *args) {
    return (args->gave & GAVE_LOSS) != 0;
}

/* A classification loss has a ridge unless one is given, as in SparseClassifier of the Python package: for separable
 * labels many models have loss 0, and under the logistic loss there is no minimum. */
static int settle_ridge(struct args *args) {
    int has_default = args->options && args_takes_labels(args->options) && !(args->gave & GAVE_RIDGE);
    spgm_status status;
    return has_default && spgm_options_set(args->options, "ridge", CLASSIFIER_RIDGE, &status) ? cli_status(&status)
                                                                                              : CLI_DONE;
}

/* Refuses the rule where it does not apply, so that the record in a model is correct: see report_is_projected. */
static int check_rule(const struct args *args) {
    return args->options && !args->chooses_loss && report_is_projected(args->options)
               ? cli_error("--rule projected is for `spgm cv --loss auto`: it fits a mean of models and does not "
                           "minimise the loss you gave")
               : CLI_DONE;
}

int args_gave_ridge(const struct args *args) {
    return (args->gave & GAVE_RIDGE) != 0;
}

int args_gave_rule(const struct args *args) {
    return (args->gave & GAVE_RULE) != 0;
}

static int take_option(struct args *args, const spgm_option_info *option, const char *flag, const char *attached,
                       struct reader *reader) {
    if (option->type == SPGM_OPTION_FLAG) {
        return set_option(args, option->name, attached ? attached : "true");
    }
    const char *value = reader_value(reader, attached);
    if (!value) {
        return cli_error("--%s needs a value: %s", flag, option->help);
    }
    return set_option(args, option->name, value);
}

static int take_flag(struct args *args, int index, const char *attached, struct reader *reader) {
    const struct flag *flag = &args->command->flags[index];
    if (!flag->argument && attached) {
        return cli_error("--%s takes no value", flag->name);
    }
    const char *value = flag->argument ? reader_value(reader, attached) : "";
    if (!value) {
        return cli_error("--%s needs a value: %s", flag->name, flag->help);
    }
    if (flag->argument && !*value) {
        return cli_error("--%s has an empty value; it needs %s", flag->name, flag->argument);
    }
    args->value[index] = value;
    return CLI_DONE;
}

/* --name, --name=value, --no-name */
static int take_long(struct args *args, const char *word, struct reader *reader) {
    char name[NAME_MAX_LENGTH];
    const char *equals = strchr(word, '='), *attached = equals ? equals + 1 : NULL;
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    if (length >= sizeof name) {
        return cli_error("%s has no option as long as --%.20s...", args->command->name, word);
    }
    memcpy(name, word, length);
    name[length] = '\0';
    dashes(name);
    int index = flag_index(args->command, name);
    if (index >= 0) {
        return take_flag(args, index, attached, reader);
    }
    if (!args->command->takes_options) {
        return unknown_flag(args->command, name);
    }
    const spgm_option_info *option = option_find(name);
    if (option) {
        return take_option(args, option, name, attached, reader);
    }
    option = strncmp(name, "no-", 3) == 0 ? option_find(name + 3) : NULL;
    if (option && option->type == SPGM_OPTION_FLAG && !attached) {
        return set_option(args, option->name, "false");
    }
    return unknown_flag(args->command, name);
}

/* -s 10, -s10 */
static int take_short(struct args *args, const char *word, struct reader *reader) {
    int index = letter_index(args->command, word[0]);
    if (index < 0) {
        return cli_error("%s has no option -%c; 'spgm %s --help' lists them", args->command->name, word[0],
                         args->command->name);
    }
    const char *attached = word[1] ? word + 1 : NULL;
    if (attached && !args->command->flags[index].argument) {
        return cli_error("-%s: write switches one by one", word);
    }
    return take_flag(args, index, attached, reader);
}

static int take_operand(struct args *args, const char *word) {
    if (args->operands == CLI_OPERAND_MAX || !args->command->operands[args->operands]) {
        return cli_error("'%s' is one argument too many; usage: spgm %s %s", word, args->command->name,
                         args->command->usage);
    }
    args->operand[args->operands++] = word;
    return CLI_DONE;
}

/* ---- all words ----------------------------------------------------------------------------------- */

static int take_words(struct args *args, struct reader *reader) {
    int only_operands = 0, result = CLI_DONE;
    while (result == CLI_DONE && reader->at < reader->count) {
        const char *word = reader->words[reader->at++];
        if (only_operands || word[0] != '-' || strcmp(word, "-") == 0) {
            result = take_operand(args, word);
        } else if (strcmp(word, "--") == 0) {
            only_operands = 1;
        } else if (word[1] == '-') {
            result = take_long(args, word + 2, reader);
        } else {
            result = take_short(args, word + 1, reader);
        }
    }
    return result;
}

int args_parse(struct args *args, const struct command *command, int count, char **words) {
    struct reader reader = {words, count, 0};
    *args = (struct args){.command = command};
    if (command->takes_options && !(args->options = spgm_options_new())) {
        return cli_out_of_memory();
    }
    int result = take_words(args, &reader);
    if (result == CLI_DONE) {
        result = settle_loss(args);
    }
    if (result == CLI_DONE) {
        result = settle_ridge(args);
    }
    result = result ? result : check_rule(args);
    if (result == CLI_DONE && args->operands < CLI_OPERAND_MAX && command->operands[args->operands]) {
        result = cli_error("%s is missing; usage: spgm %s %s", command->operands[args->operands], command->name,
                           command->usage);
    }
    return result;
}

void args_free(struct args *args) {
    spgm_options_free(args->options);
    args->options = NULL;
}

const char *args_get(const struct args *args, const char *flag) {
    int index = flag_index(args->command, flag);
    return index < 0 ? NULL : args->value[index];
}

int args_integer(const struct args *args, const char *flag, int64_t *value) {
    const char *text = args_get(args, flag);
    if (!text) {
        return CLI_DONE;
    }
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end || errno) {
        return cli_error("--%s %s is not a whole number", flag, text);
    }
    *value = number;
    return CLI_DONE;
}

int args_real(const struct args *args, const char *flag, double *value) {
    const char *text = args_get(args, flag);
    if (!text) {
        return CLI_DONE;
    }
    char *end;
    double number = strtod(text, &end);
    if (end == text || *end || !isfinite(number)) {
        return cli_error("--%s %s is not a finite number", flag, text);
    }
    *value = number;
    return CLI_DONE;
}
