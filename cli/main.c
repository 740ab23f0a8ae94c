/* spgm: finds the command and runs it. */
#include "cli.h"

#include <string.h>

static const struct command *const commands[] = {
#define COMMAND(name) &command_##name,
#include "commands.def"
#undef COMMAND
};

const struct command *command_at(int index) {
    int count = (int)(sizeof commands / sizeof commands[0]);
    return index >= 0 && index < count ? commands[index] : NULL;
}

static const struct command *command_find(const char *name) {
    for (int i = 0; command_at(i); i++) {
        if (strcmp(command_at(i)->name, name) == 0) {
            return command_at(i);
        }
    }
    return NULL;
}

static const char *command_name(int index, const void *context) {
    (void)context;
    return command_at(index) ? command_at(index)->name : NULL;
}

static int unknown_command(const char *word) {
    const char *near = suggest_nearest(word, command_name, NULL);
    if (near) {
        return cli_error("there is no command '%s'; did you mean '%s'?", word, near);
    }
    return cli_error("there is no command '%s'; 'spgm --help' lists them", word);
}

/* ---- help -------------------------------------------------------------------------------------- */

void command_help(struct doc *doc, const struct command *command) {
    char text[256];
    snprintf(text, sizeof text, "spgm %s - %s", command->name, command->summary);
    doc_title(doc, text);
    doc_heading(doc, "Usage");
    snprintf(text, sizeof text, "spgm %s %s", command->name, command->usage);
    doc_verbatim(doc, text);
    if (command->describe) {
        command->describe(doc);
    }
    for (int i = 0; command->topics[i]; i++) {
        command->topics[i](doc);
    }
    doc_heading(doc, "Options of this command");
    topic_flags(doc, command->flags);
    if (command->takes_options) {
        topic_options(doc);
    }
    topic_exit(doc);
    doc_heading(doc, "Examples");
    doc_verbatim(doc, command->examples);
}

static void overview(struct doc *doc) {
    doc_title(doc, "spgm - sparse models under losses that most sparse solvers do not support");
    topic_problem(doc);
    doc_heading(doc, "Commands");
    doc->column = 12;
    for (int i = 0; command_at(i); i++) {
        doc_item(doc, command_at(i)->name, command_at(i)->summary);
    }
    doc_paragraph(doc, "'spgm COMMAND --help' explains a command and its options; 'spgm --version' prints the version; "
                       "'spgm --completion bash|zsh|fish' prints completion for a shell.");
    doc_heading(doc, "Try");
    doc_verbatim(doc, "spgm gen random-256-1024-O --seed 1 --output outliers.svm\n"
                      "spgm info outliers.svm\n"
                      "spgm fit outliers.svm --loss l1 --sparsity 20 --output model.json\n"
                      "spgm predict model.json outliers.svm --output predictions.csv");
}

static int print_help(const struct command *command) {
    struct doc doc = doc_text(stdout);
    if (command) {
        command_help(&doc, command);
    } else {
        overview(&doc);
    }
    return outfile_flush();
}

static int help_on(const char *word) {
    const struct command *command = word ? command_find(word) : NULL;
    return word && !command ? unknown_command(word) : print_help(command);
}

static int print_man(const char *date) {
    man_write(stdout, date ? date : "");
    return outfile_flush();
}

static int print_version(void) {
    printf("spgm %s\n", spgm_version());
    return outfile_flush();
}

/* ---- dispatch ---------------------------------------------------------------------------------- */

static int run_command(const struct command *command, int count, char **words) {
    if (args_want_help(count, words)) {
        return print_help(command);
    }
    struct args args;
    int result = args_parse(&args, command, count, words);
    if (result == CLI_DONE) {
        result = command->run(&args);
    }
    args_free(&args);
    return result;
}

int cli_main(int argc, char **argv) {
    const char *word = argc > 1 ? argv[1] : NULL;
    if (!word) {
        return cli_error("no command; 'spgm --help' lists them");
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        return help_on(argv[2]);
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        return print_version();
    }
    if (strcmp(word, "--man") == 0) { /* for the build: the source of spgm.1 */
        return print_man(argv[2]);
    }
    if (strcmp(word, "--completion") == 0) {
        return complete_write(stdout, argv[2]);
    }
    if (word[0] == '-') {
        return cli_error("the command comes first: spgm COMMAND %s ...; 'spgm --help' lists the commands", word);
    }
    const struct command *command = command_find(word);
    return command ? run_command(command, argc - 2, argv + 2) : unknown_command(word);
}
