/* spgm --completion SHELL: completion for bash, zsh and fish, from the same tables as --help. */
#include "cli.h"

#include <ctype.h>
#include <string.h>

enum { WORDS_MAX = 1024, HELP_SHOWN = 72 };

/* What a word on the command line may be: a flag of a command, or an option of the library. */
struct word {
    char name[64];
    char letter; /* 0: none */
    char help[HELP_SHOWN + 8];
    int takes_value, takes_file;
    char values[WORDS_MAX]; /* separated by blanks; "": any */
};

/* ---- what there is ------------------------------------------------------------------------------------- */

/* The beginning of a sentence, cut at the end of a clause or after a word. */
static void shorten(const char *help, char *text, size_t size) {
    size_t length = strcspn(help, ";(");
    while (length > 0 && strchr(" ,", help[length - 1])) {
        length--;
    }
    if (length > HELP_SHOWN) {
        for (length = HELP_SHOWN; length > 0 && help[length] != ' ';) {
            length--;
        }
    }
    snprintf(text, size, "%.*s", (int)length, help);
}

/* "a|b|c" with blanks between; nothing unless all of them are lower-case words. */
static void put_choices(const char *list, char *words) {
    words[0] = '\0';
    for (const char *c = list; *c; c++) {
        if (!islower((unsigned char)*c) && !isdigit((unsigned char)*c) && !strchr("|-_", *c)) {
            return;
        }
    }
    snprintf(words, WORDS_MAX, "%s", strchr(list, '|') ? list : "");
    for (char *c = words; *c; c++) {
        *c = *c == '|' ? ' ' : *c;
    }
}

static void put_names(const char *(*name_at)(int64_t index), char *words) {
    size_t at = 0;
    words[0] = '\0';
    for (int64_t i = 0; name_at(i) && at < WORDS_MAX; i++) {
        at += (size_t)snprintf(words + at, WORDS_MAX - at, "%s%s", i ? " " : "", name_at(i));
    }
}

static struct word flag_word(const struct flag *flag) {
    struct word word = {.letter = flag->letter, .takes_value = flag->argument != NULL};
    snprintf(word.name, sizeof word.name, "%s", flag->name);
    shorten(flag->help, word.help, sizeof word.help);
    if (flag->argument) {
        word.takes_file =
            strstr(flag->argument, "FILE") || strstr(flag->argument, "DIR") || strstr(flag->argument, ".json");
        put_choices(flag->argument, word.values);
    }
    return word;
}

static struct word option_word(const spgm_option_info *option) {
    struct word word = {.takes_value = option->type != SPGM_OPTION_FLAG};
    args_flag_name(option->name, word.name, sizeof word.name);
    shorten(option->help, word.help, sizeof word.help);
    if (strcmp(option->name, "loss") == 0) {
        put_names(spgm_loss_name, word.values);
    } else if (strcmp(option->name, "method") == 0) {
        put_names(spgm_method_name, word.values);
    } else if (option->type == SPGM_OPTION_CHOICE) {
        put_choices(option->choices, word.values);
    }
    return word;
}

/* Every flag of the command, then every option, and --no-NAME of those that can be switched off. */
static void each_word(const struct command *command, void (*put)(FILE *, const char *, const struct word *),
                      FILE *file) {
    for (const struct flag *flag = command->flags; flag->name; flag++) {
        struct word word = flag_word(flag);
        put(file, command->name, &word);
    }
    for (int64_t i = 0; command->takes_options && spgm_option_describe(i); i++) {
        struct word word = option_word(spgm_option_describe(i));
        put(file, command->name, &word);
        if (!word.takes_value) {
            memmove(word.name + 3, word.name, sizeof word.name - 3);
            memcpy(word.name, "no-", 3);
            word.name[sizeof word.name - 1] = '\0';
            put(file, command->name, &word);
        }
    }
    put(file, command->name, &(struct word){.name = "help", .letter = 'h', .help = "explain the command"});
}

/* Text within single quotes, without the characters that _arguments of zsh interprets. */
static void put_quoted(FILE *file, const char *text) {
    for (; *text; text++) {
        if (*text == '\'') {
            fputs("'\\''", file);
        } else if (!strchr("[]:\\`$\"", *text)) {
            fputc(*text, file);
        }
    }
}

/* ---- bash ------------------------------------------------------------------------------------------------ */

static void bash_name(FILE *file, const char *command, const struct word *word) {
    (void)command;
    fprintf(file, "--%s ", word->name);
}

static void bash_value(FILE *file, const char *command, const struct word *word) {
    (void)command;
    if (!word->takes_value) {
        return;
    }
    fprintf(file, "        --%s", word->name);
    if (word->letter) {
        fprintf(file, " | -%c", word->letter);
    }
    if (*word->values) {
        fprintf(file, ") COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", word->values);
    } else {
        fprintf(file, ") %sreturn ;;\n", word->takes_file ? "COMPREPLY=($(compgen -f -- \"$cur\")); " : "");
    }
}

static void bash_write(FILE *file) {
    fputs("# Completion of spgm for bash, made by 'spgm --completion bash'.\n_spgm() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} flags=\n    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W '",
          file);
    for (int i = 0; command_at(i); i++) {
        fprintf(file, "%s ", command_at(i)->name);
    }
    fputs("help --help --version' -- \"$cur\"))\n        return\n    fi\n    case ${COMP_WORDS[1]} in\n", file);
    for (int i = 0; command_at(i); i++) {
        fprintf(file, "    %s)\n        case $prev in\n", command_at(i)->name);
        each_word(command_at(i), bash_value, file);
        fputs("        esac\n        flags='", file);
        each_word(command_at(i), bash_name, file);
        fputs("' ;;\n", file);
    }
    fputs("    help)\n        COMPREPLY=($(compgen -W '", file);
    for (int i = 0; command_at(i); i++) {
        fprintf(file, "%s ", command_at(i)->name);
    }
    fputs("' -- \"$cur\"))\n        return ;;\n    esac\n"
          "    if [ \"${cur#-}\" != \"$cur\" ]; then\n        COMPREPLY=($(compgen -W \"$flags\" -- \"$cur\"))\n    "
          "else\n"
          "        COMPREPLY=($(compgen -f -- \"$cur\"))\n    fi\n}\ncomplete -o filenames -F _spgm spgm\n",
          file);
}

/* ---- zsh ------------------------------------------------------------------------------------------------- */

static void zsh_word(FILE *file, const char *command, const struct word *word) {
    (void)command;
    for (int is_long = word->letter == 0; is_long < 2; is_long++) { /* -o and --output */
        char letter[2] = {word->letter, '\0'};
        fprintf(file, " \\\n            '%s%s[", is_long ? "--" : "-", is_long ? word->name : letter);
        put_quoted(file, word->help);
        fputc(']', file);
        if (*word->values) {
            fprintf(file, ":value:(%s)", word->values);
        } else if (word->takes_value) {
            fprintf(file, ":value:%s", word->takes_file ? "_files" : " ");
        }
        fputc('\'', file);
    }
}

static void zsh_write(FILE *file) {
    fputs("#compdef spgm\n# Completion of spgm for zsh, made by 'spgm --completion zsh'.\n_spgm() {\n"
          "    local -a commands\n    commands=(\n",
          file);
    for (int i = 0; command_at(i); i++) {
        fprintf(file, "        '%s:", command_at(i)->name);
        put_quoted(file, command_at(i)->summary);
        fputs("'\n", file);
    }
    fputs("        'help:explain a command'\n    )\n    if (( CURRENT == 2 )); then\n"
          "        _describe command commands\n        return\n    fi\n"
          "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n    case $command in\n"
          "        help) _describe command commands ;;\n",
          file);
    for (int i = 0; command_at(i); i++) {
        fprintf(file, "        %s) _arguments", command_at(i)->name);
        each_word(command_at(i), zsh_word, file);
        fputs(" \\\n            '*:file:_files' ;;\n", file);
    }
    fputs("    esac\n}\n_spgm \"$@\"\n", file);
}

/* ---- fish ------------------------------------------------------------------------------------------------ */

static void fish_word(FILE *file, const char *command, const struct word *word) {
    fprintf(file, "complete -c spgm -n '__fish_seen_subcommand_from %s' -l %s", command, word->name);
    if (word->letter) {
        fprintf(file, " -s %c", word->letter);
    }
    if (*word->values) {
        fprintf(file, " -x -a '%s'", word->values);
    } else if (word->takes_value) {
        fputs(word->takes_file ? " -r -F" : " -x", file);
    }
    fputs(" -d '", file);
    put_quoted(file, word->help);
    fputs("'\n", file);
}

static void fish_write(FILE *file) {
    fputs("# Completion of spgm for fish, made by 'spgm --completion fish'.\n", file);
    for (int i = 0; command_at(i); i++) {
        fprintf(file, "complete -c spgm -f -n __fish_use_subcommand -a %s -d '", command_at(i)->name);
        put_quoted(file, command_at(i)->summary);
        fputs("'\n", file);
    }
    for (int i = 0; command_at(i); i++) {
        each_word(command_at(i), fish_word, file);
    }
}

int complete_write(FILE *file, const char *shell) {
    static const struct {
        const char *name;
        void (*write)(FILE *file);
    } shells[] = {{"bash", bash_write}, {"zsh", zsh_write}, {"fish", fish_write}};
    for (size_t i = 0; shell && i < sizeof shells / sizeof shells[0]; i++) {
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].write(file);
            return outfile_flush();
        }
    }
    return cli_error("--completion needs a shell: bash, zsh or fish");
}
