/*
 * The command line: what its files share. It uses only the public header.
 *
 *     main.c       dispatch                      document.c  text for a terminal, or for a man page
 *     arguments.c  flags and options             topics.c    sections that the tables of the library make
 *     task.c       data, weights                 screen.c    terminal, progress line, numbers
 *     feasible.c   free columns, bounds, groups
 *     outfile.c    temporary name, then rename   signals.c   Ctrl-C
 *     list.c       5,10,20 and a,b,c             pieces.c    many runs side by side
 *     complete.c   completion by the shell
 *     classes.c    more than two labels           bands.c     several quantiles
 *     trial.c      one run, raw and polished     page.c, style.c  a page
 *     chart.c      charts in a page              figure.c    charts as files, by gnuplot
 *     axis.c       where things are in both
 *
 * A new command is one file and one line in commands.def.
 */
#ifndef SPGM_CLI_H
#define SPGM_CLI_H

#include <stdio.h>

#include "spgm/io.h"

/* Exit status: a contract. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* ---- documents (document.c) ----------------------------------------------------------------- */

struct doc_format;

/* The output of help: wrapped text, or the source of a man page. */
struct doc {
    FILE *file;
    const struct doc_format *format;
    int width;  /* text: columns of the screen                   */
    int column; /* text: where the explanation of an item begins */
    int styled; /* text: nonzero for bold headings               */
    int block;  /* what was written last                         */
};

struct doc doc_text(FILE *file);
struct doc doc_roff(FILE *file);
/* A chapter of the man page. */
void doc_section(struct doc *doc, const char *title);
/* The line above everything else. */
void doc_title(struct doc *doc, const char *text);
void doc_heading(struct doc *doc, const char *text);
void doc_paragraph(struct doc *doc, const char *text);
void doc_verbatim(struct doc *doc, const char *text);
void doc_item(struct doc *doc, const char *term, const char *text);
/* "  verdict    unstable: ..." below a table on standard error; on a terminal it is wrapped. */
void doc_fact(const char *term, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- commands and their arguments (main.c, arguments.c) -------------------------------------- */

enum { CLI_FLAG_MAX = 40, CLI_OPERAND_MAX = 4 };

struct args;

struct flag {
    const char *name;     /* without the dashes                  */
    const char *argument; /* name of its value; NULL for a switch */
    const char *help;
    char letter; /* 0: none */
};

struct command {
    const char *name;
    const char *summary;
    const char *usage;
    const char *operands[CLI_OPERAND_MAX]; /* all needed                                       */
    const struct flag *flags;              /* ends with a NULL name                            */
    int takes_options;                     /* nonzero: every option of the library is a flag   */
    int chooses_loss;                      /* nonzero: --loss auto is known                    */
    void (*describe)(struct doc *doc);     /* sections of its own, or NULL                     */
    void (*topics[8])(struct doc *doc);    /* sections that it shares with others              */
    const char *examples;
    int (*run)(const struct args *args);
};

#define COMMAND(name) extern const struct command command_##name;
#include "commands.def"
#undef COMMAND

/* Of those that write models. */
#define CLI_RECORD_FLAGS                                                                                               \
    { "reproducible", NULL, "leave date and seconds out of the model, so that equal runs give equal files", 0 }

/* `what` is what the command prints for people. */
#define CLI_TALK_FLAGS(what)                                                                                           \
    {"quiet", NULL, "print nothing but results and errors", 'q'}, {                                                    \
        "verbose", NULL, "print " what " even where standard error is not a terminal", 'v'                             \
    }

/* How a table is read; topic_data has details. */
#define CLI_TABLE_FLAGS                                                                                                \
    {"names", "FILE", "a name on each line for the columns of a file without names: LIBSVM, NPY, Matrix Market", 0},   \
        {"only", "COLS", "the columns that may be in the model, all others are excluded", 0},                          \
        {"text", "COLS", "CSV: columns whose numbers are levels of a category, such as postcodes", 0},                 \
        {"categories", "reference|full",                                                                               \
         "CSV: a column of zeros and ones for every level of a category but the first (default), or for all", 0},      \
        {"missing", "refuse|drop|median",                                                                              \
         "CSV: gaps are an error (default), their rows are left out, or they become the median of the column, in a "   \
         "category its most frequent level",                                                                           \
         0},                                                                                                           \
        CLI_CSV_FLAGS

/* How a file of text is taken apart. */
#define CLI_CSV_FLAGS                                                                                                  \
    {"header", "yes|no", "CSV: whether the first line names the columns; default: detected", 0},                       \
        {"separator", "CHAR", "CSV: what separates fields: a character, or tab, comma, semicolon, bar or blank", 0}, { \
        "decimal", "CHAR", "CSV: decimal point, '.' (default) or ','", 0                                               \
    }

/* Further flags of fit and of the commands like it; `as` refers to where they are explained. */
#define CLI_SET_FLAGS(as)                                                                                              \
    {"free", "COLS",                                                                                                   \
     "columns that are always in the model and not counted in S: names or numbers (from 1, the "                       \
     "target not counted) as in age,3,7:9" as,                                                                         \
     0},                                                                                                               \
        {"exclude", "COLS", "columns that are never in the model: names, numbers, patterns such as 'x*'" as, 0},       \
        {"nonnegative", NULL, "no coefficient is below 0; the intercept may be", 0},                                   \
        {"lower", "X|FILE", "lower bounds on the coefficients, at most 0: a number for all, or a file" as, 0},         \
        {"upper", "X|FILE", "upper bounds, at least 0" as, 0},                                                         \
        {"groups", "FILE",                                                                                             \
         "groups of columns: S counts groups, however many columns each has in the model; 'categories' makes the "     \
         "columns of each category one group" as,                                                                      \
         0},                                                                                                           \
    {                                                                                                                  \
        "group-limit", "K", "with --groups: S counts columns, and at most K of each group are in the model", 0         \
    }

struct args {
    const struct command *command;
    const char *operand[CLI_OPERAND_MAX];
    int operands;
    const char *value[CLI_FLAG_MAX]; /* by position in command->flags; "" for a switch that is on, NULL for absent */
    spgm_options *options;           /* NULL unless the command takes options */
    uint64_t gave;    /* which of loss, its settings, ridge and rule were given, numbered as in arguments.c */
    int chooses_loss; /* --loss auto: options have the loss that judges */
};

const struct command *command_at(int index); /* NULL past the end */
void command_help(struct doc *doc, const struct command *command);
void man_write(FILE *file, const char *date);
/* Completion for bash, zsh or fish. */
int complete_write(FILE *file, const char *shell);

/* Nonzero when the arguments ask for help. */
int args_want_help(int count, char **words);
int args_parse(struct args *args, const struct command *command, int count, char **words);
void args_free(struct args *args);
/* The value of a flag, NULL when absent. */
const char *args_get(const struct args *args, const char *flag);
/* A whole number; *value is unchanged if the flag is absent. */
int args_integer(const struct args *args, const char *flag, int64_t *value);
int args_real(const struct args *args, const char *flag, double *value);
/* Whole numbers and ranges, 5,10,20 or 1:20 or 10:90:10: ascending and without repetition; free *values. The flag must
 * be present. */
int args_numbers(const struct args *args, const char *flag, int64_t **values, int64_t *count);
/* Calls take for each word of a,b,c; if that does not return CLI_DONE, ends and returns its result. The flag must be
 * present. */
int args_words(const struct args *args, const char *flag, int (*take)(void *context, const char *word), void *context);
/* Whether the loss of the options takes labels, which may be text. */
int args_takes_labels(const spgm_options *options);
/* Its index for spgm_loss_name and the like; -1: unknown. */
int64_t args_loss_named(const char *name);
int64_t args_loss(const spgm_options *options);
int args_loss_has(const spgm_options *options, const char *parameter); /* is this what shapes it? */
/* Was the option loss given? */
int args_gave_loss(const struct args *args);
/* Was the option ridge given? */
int args_gave_ridge(const struct args *args);
/* Was the option rule given? */
int args_gave_rule(const struct args *args);
/* "time_limit" -> "time-limit" */
void args_flag_name(const char *option, char *flag, size_t size);

/* The name that is most similar to `word`, or NULL if none is similar. `next(i)` gives the i-th name or NULL. */
const char *suggest_nearest(const char *word, const char *(*next)(int index, const void *context), const void *context);

/* ---- sections made from the tables of the library (topics.c) ---------------------------------- */

void topic_problem(struct doc *doc);
void topic_losses(struct doc *doc);
void topic_methods(struct doc *doc);
void topic_stopping(struct doc *doc);
void topic_data(struct doc *doc);
void topic_feasible(struct doc *doc);
void topic_model(struct doc *doc);
void topic_options(struct doc *doc);
void topic_flags(struct doc *doc, const struct flag *flags);
void topic_exit(struct doc *doc);

/* The whole program (main.c); returns its exit status. */
int cli_main(int argc, char **argv);

/* ---- errors and the screen (screen.c) ---------------------------------------------------------- */

/* Prints "spgm: sentence" on standard error; returns CLI_USAGE. */
int cli_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for an error of the library; returns the exit status for its code. */
int cli_status(const spgm_status *status);
/* The same, but an error in the data is reported with the name of their file. */
int cli_status_of(const spgm_status *status, const char *path);
int cli_out_of_memory(void);

/* Nonzero if the human table is wanted: on a terminal or with --verbose, but not with --quiet. */
int screen_wanted(const struct args *args);
int screen_width(FILE *file);
int screen_styled(FILE *file);
int screen_utf8(void);
/* Characters that the UTF-8 text takes on the screen. */
int screen_length(const char *text);
/* The progress line, which is rewritten in place; only if standard error is a terminal. */
void screen_note(const struct args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));
void screen_progress(const spgm_progress *progress, int64_t sparsity);
void screen_erase(void);
/* 12 345 678 */
const char *screen_count(int64_t number, char text[32]);
/* 1.2 s, 34 ms, 5 us */
const char *screen_seconds(double seconds, char text[32]);
/* The shortest text that reads back as the same number. */
const char *screen_exact(double number, char text[32]);

/* ---- files that appear whole or not at all (outfile.c) ----------------------------------------- */

struct outfile {
    FILE *file; /* NULL: not open */
    const char *path;
    int error;       /* errno of the first write that failed, as far as it was seen */
    char *target;    /* the final name of the temporary file; NULL: written directly (standard output, a device) */
    char *temporary; /* NULL: written directly */
};

/* Fail before the run rather than after it if `path` cannot be written. NULL and "-" are accepted. */
int outfile_check(const char *path);
/* Refuse an output that is the input: `spgm fit data.csv --output data.csv`. */
int outfile_spare(const char *path, const char *input);
int outfile_open(struct outfile *out, const char *path);
/* Nonzero if something could not be written; prints nothing. */
int outfile_failed(struct outfile *out);
/* After this, everything is on disk under the temporary name, or an error was printed. */
int outfile_finish(struct outfile *out);
/* Give the finished file its name. */
int outfile_commit(struct outfile *out);
/* Remove what was not committed; does nothing for a file that was committed or never opened. */
void outfile_discard(struct outfile *out);
/* The end of a command that prints: returns CLI_USAGE with an error message if standard output failed. */
int outfile_flush(void);
/* Open, write and finish a vector without committing it: NPY if the name ends so, otherwise one CSV column. Does
 * nothing if path is NULL. */
int outfile_vector(struct outfile *out, const char *path, const char *header, const double *values, int64_t count);

/* ---- Ctrl-C (signals.c) ------------------------------------------------------------------------ */

/* From now on SIGINT and SIGTERM ask the solver to stop; a second one ends the process. */
void signals_watch(spgm_solver *solver);
void signals_release(void);
/* A signal that ends the process removes this temporary file until it is unguarded; the name is borrowed. */
void signals_guard(const char *temporary);
void signals_unguard(const char *temporary);
/* Nonzero after a signal: for work without a single solver (signals_watch(NULL)). */
int signals_asked(void);

/* ---- names of columns (label.c) ------------------------------------------------------------------ */

enum { LABEL_SIZE = 192 };

struct labels {
    const spgm_data *data; /* borrowed */
    char *is_shared;       /* another column has the same name [columns]; NULL: there are no names */
};

int label_find(struct labels *labels, const spgm_data *data, int64_t columns);
void label_free(struct labels *labels);
/* The column's name, or its number from 1 as text. If another column has the same name, or the name is longer than
 * `width` characters (0: no limit), the number is appended: "price (3)". */
const char *label_column(const struct labels *labels, int64_t j, int width, char text[LABEL_SIZE]);
/* The name in exactly `width` characters, truncated or padded. */
void label_put(FILE *file, const char *name, int width);

/* ---- data and problem (task.c) ------------------------------------------------------------------ */

/* Files for the workspace of a large mapped file (scratch.c), in the directory TMPDIR or /var/tmp. */
struct scratch {
    spgm_scratch *files;             /* NULL: there are none, and it is in memory */
    char trouble[SPGM_MESSAGE_SIZE]; /* why there are none                        */
    int is_quiet;
};

/* The value for spgm_read_options.memory, before data are read; may be NULL. */
const spgm_memory *scratch_open(struct scratch *scratch, const struct args *args);
/*
 * The value for spgm_matrix.memory of the matrix; may be NULL. Prints a note if the workspace is in memory after all.
 */
const spgm_memory *scratch_beside(struct scratch *scratch, const spgm_matrix *matrix);
void scratch_close(struct scratch *scratch);
/* A zeroed vector over rows for the program itself, in the memory of that matrix; NULL: out of memory. scratch_free
 * accepts NULL. */
void *scratch_array(const spgm_matrix *matrix, int64_t count, size_t size);
void scratch_free(void *array);

/* What fit and its relatives solve. */
struct task {
    spgm_data *data;
    spgm_matrix matrix; /* of data */
    struct scratch scratch;
    spgm_problem *problem;
    double *weights;       /* of --weights, or NULL             */
    int64_t *free_columns; /* of --free [free_count], from 0    */
    int64_t free_count;
    int64_t *excluded; /* of --exclude, or NULL             */
    int64_t excluded_count;
    double *lower, *upper; /* of --nonnegative, --lower, --upper [columns], or NULL */
    int64_t *group_of;     /* of --groups, -1: none [columns], or NULL */
    int64_t groups, group_limit;
    struct labels names; /* of the columns */
    double *labels;      /* more than two, ascending [classes]; NULL: no such target */
    int64_t classes;
    double *against;   /* the target of one label against the rest [rows] */
    struct task *part; /* every label against the rest [classes], by task_split */
    /* the rows of this process (group.h) */
    int64_t first_row; /* among those of the data */
    int64_t *cut_start;
    int32_t *cut_row;
    double *cut_values;
};

/* Read DATA as --target says; `how` has the other read options. */
int task_read(const struct args *args, const char *path, spgm_read_options how, spgm_data **data);
/* The data of operand 0, with --target, --weights and the feasible set. */
int task_load(struct task *task, const struct args *args);
/* The same, with a table read as it was for the model, unless flags say otherwise. */
int task_load_like(struct task *task, const struct args *args, const spgm_model *like);
/* The same, but with more than two labels for a classification loss no problem is made: task->classes is then their
 * number. */
int task_load_classes(struct task *task, const struct args *args);
/* The problem of the k-th label against the rest. */
int task_take_class(struct task *task, const struct args *args, int64_t k);
/* Another problem of the same data with the current options; task_unload_twin frees it but not the data. */
int task_load_twin(const struct task *task, const struct args *args, struct task *twin);
void task_unload_twin(struct task *twin);
/* Make its problem that of the task; the twin becomes empty. */
void task_take_twin(struct task *task, struct task *twin);
/* The problem of the same data with another target, which the task frees (scratch_free), with the current options. */
int task_take_target(struct task *task, const struct args *args, double *target);
/* Whether --free, --exclude, --nonnegative, --lower, --upper or --groups restrict the model. */
int task_is_restricted(const struct task *task);
/* Make the problems of all labels against the rest; does nothing for a task with one problem. */
int task_split(struct task *task, const struct args *args);
/* The number of problems, and the k-th of them: the task itself if it has only one. */
int64_t task_parts(const struct task *task);
const struct task *task_part(const struct task *task, int64_t k);
/* The name of the k-th label. */
const char *task_class_name(const struct task *task, int64_t k, char text[32]);
void task_free(struct task *task);
/* The solver's model with a record of how it was made. */
int task_make_model(const struct task *task, const struct args *args, const spgm_solver *solver, const char *chosen,
                    spgm_model **model);
/* The same, written to its file; `chosen` says how s was chosen, or is NULL. */
int task_write_model(const struct task *task, const struct args *args, const spgm_solver *solver, const char *chosen,
                     const char *path);
/* An error if an output would replace a file that is read, or cannot be written. NULL and "-" are accepted. */
int task_check_output(const struct args *args, const char *path);
/*
 * The column of the file, counted from 1, that column j of the matrix comes from: the number that users give and see.
 */
int64_t task_number(const spgm_data *data, int64_t j);

/* ---- the feasible set (feasible.c) ------------------------------------------------------------------ */

/* Apply the flags of CLI_SET_FLAGS to a task with data and problem. */
int feasible_load(struct task *task, const struct args *args);
void feasible_free(struct task *task);
/* What s counts, "nonzeros" or "groups", and approximately the most that are possible. */
const char *feasible_unit(const struct task *task);
int64_t feasible_most(const struct task *task);
/* The line that says so: "feasible   10 of at most 10 groups, bounds hold". */
void feasible_report(const struct task *task, const spgm_solver *solver, const spgm_info *info, int64_t sparsity);

/* ---- numbers and texts in files (text.c) ---------------------------------------------------------- */

/* Compares doubles for qsort. */
int text_ascending(const void *a, const void *b);
/* A string of JSON with its quotes. */
void text_json(FILE *file, const char *text);
/* A field of CSV, quoted if necessary. */
void text_csv(FILE *file, const char *text);
/* The shortest text that reads back as the same number; "null" or "" (CSV) if it is not finite. */
const char *text_json_number(double number, char text[32]);
const char *text_csv_number(double number, char text[32]);
/* The value of an option by its type: true, 5, 0.1 or "auto"; a number that is not finite is written as text. */
void text_json_option(FILE *file, const spgm_option_info *option, const char *value);
/* "name": value of every option, in braces. */
void text_json_options(FILE *file, const spgm_options *options);
/* Nonzero when path ends in `ending`. */
int text_ends(const char *path, const char *ending);

/* ---- the result for people (report.c) ------------------------------------------------------------ */

/* "quantile 0.9 loss" */
const char *report_loss(const spgm_options *options, char text[96]);
/* Whether the rule projected was used, so that the model stands for a mean of models. */
int report_is_projected(const spgm_options *options);
/* The name of a file, without folders. */
const char *report_file(const char *path);
/* "houses.csv, l1 loss + ridge 0.1", above a figure */
void report_title(const struct args *args, char *title, size_t size);
/* Standard deviation of a column over all rows. */
double report_deviation(const spgm_matrix *matrix, int64_t j);
/* The data and the problem in two lines; `sizes` is the number of nonzeros: "10" or "1 to 20". `of` describes the loss
 * if it is not that of the options with its ridge, else NULL. */
void report_problem(const struct args *args, const struct task *task, const char *of, const char *sizes);
/* The number of rows without a prediction, and the unknown levels that cause this; prints nothing if there are none. */
void report_skipped(const spgm_data *data, int64_t skipped);
void report_fit(const struct args *args, const struct task *task, const spgm_solver *solver, int64_t sparsity);

#endif
