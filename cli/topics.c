/* Sections of the help and the man page, generated from the tables of the library so that they agree with it. */
#include "cli.h"

#include <string.h>

enum { TEXT_MAX = 1024 };

void topic_problem(struct doc *doc) {
    doc_heading(doc, "Problem");
    doc_verbatim(doc, "minimise  F(x) = f(x) + h(A x - b)   subject to   ||x||_0 <= s");
    doc_paragraph(
        doc, "A is the data matrix, b the target, h the loss (convex, kinks allowed), f(x) = ridge/2 ||x||^2, and at "
             "most s entries of x are nonzero. The intercept and the columns of --free are always in the model: "
             "they do not count towards s.");
}

void topic_feasible(struct doc *doc) {
    doc_heading(doc, "Constraints");
    doc_paragraph(doc,
                  "Besides the limit of s nonzeros a model may have bounds on the coefficients, which must allow 0 "
                  "(--nonnegative, --lower, --upper); columns that are never in the model (--exclude), or always in it "
                  "and not counted (--free); and groups of columns. With groups, s counts groups, however many columns "
                  "of each are in the model. With --group-limit K, s counts columns, and at most K of each group are "
                  "in the model, free ones included. A column in no group is a group of its own and has no limit.");
    doc_paragraph(
        doc, "The file of --groups has one line for each column of the data, including excluded ones, with the name or "
             "number of its group; an empty line or - means none. Or it has lines of the form column,group for some "
             "columns, by name or number from 1. The files of --lower and --upper have the same form, with numbers; "
             "inf and -inf mean no bound. An extra first line, or a first line that names no column, is a header.");
    doc_paragraph(
        doc,
        "The report checks the coefficients that it prints. If s exceeds what the constraints allow, it is reduced.");
}

/* "a|b|c" as "a, b, c" */
static void put_list(char *text, size_t size, const char *list) {
    size_t at = 0;
    for (; *list && at + 3 < size; list++) {
        if (*list == '|') {
            text[at++] = ',';
        }
        text[at++] = *list == '|' ? ' ' : *list;
    }
    text[at] = '\0';
}

void topic_losses(struct doc *doc) {
    char text[TEXT_MAX], aliases[TEXT_MAX / 2];
    doc_heading(doc, "Losses h(r), r = A x - b");
    doc->column = 14;
    for (int64_t i = 0; i < spgm_loss_count(); i++) {
        put_list(aliases, sizeof aliases, spgm_loss_aliases(i));
        snprintf(text, sizeof text, "%s%s%s%s", spgm_loss_formula(i), *aliases ? "   (also called " : "", aliases,
                 *aliases ? ")" : "");
        doc_item(doc, spgm_loss_name(i), text);
    }
    doc_paragraph(
        doc,
        "Losses for labels have --ridge 1 by default: if the columns separate the "
        "labels, many models have loss 0, and the ridge selects the one with the widest margin. A score of exactly "
        "0 means the lower label.");
}

void topic_methods(struct doc *doc) {
    doc_heading(doc, "Methods");
    doc->column = 14;
    for (int64_t i = 0; i < spgm_method_count(); i++) {
        doc_item(doc, spgm_method_name(i), spgm_method_summary(i));
    }
}

void topic_stopping(struct doc *doc) {
    doc_heading(doc, "When a run stops");
    doc_paragraph(doc, "With d_t = |F(x^t) - F(x^{t+1})| / (1 + |F(x^t)|), a method stops as soon as");
    doc_verbatim(doc, "mean of d_t over the last min(t, window) iterations  <=  tolerance\n"
                      "or  t >= max_iterations  or  seconds >= time_limit  or  Ctrl-C");
    doc_paragraph(doc, "and the best point seen is the result. Its outcome is one of:");
    doc->column = 20;
    for (int i = SPGM_NOT_RUN + 1; i < SPGM_OUTCOME_COUNT; i++) {
        doc_item(doc, spgm_outcome_name((spgm_outcome)i), spgm_outcome_text((spgm_outcome)i));
    }
    doc_paragraph(
        doc,
        "Ctrl-C (or SIGTERM) once: stop, write the best model so far, exit 0. Twice: exit at once and write nothing.");
}

void topic_data(struct doc *doc) {
    doc_heading(doc, "Data");
    doc_paragraph(
        doc,
        "DATA is LIBSVM text, CSV, Matrix Market or NPY, recognised by content and name, plain or compressed (gz, bz2, "
        "xz, zst); '-' is standard input. LIBSVM files contain their target. In CSV the target is the last column "
        "unless --target names another. Matrix Market and NPY files contain only the matrix and need --target: a file "
        "(one-column CSV, NPY or Matrix Market), or name or number of a column. Rows, columns and lines count from 1.");
    doc_paragraph(
        doc,
        "An NPY file of 2^25 numbers or more is read in place and may be larger than memory. The additional workspace "
        "is kept in unnamed files in the directory TMPDIR (default /var/tmp), which should be on a disk.");
    doc_paragraph(
        doc, "In CSV the first line is a header if all its fields are text, or if one is text and stands above a "
             "number; --header overrides this. A first column is taken for row names and left out, whatever it "
             "contains, if its name is empty, missing (the header is one field short) or one of row, rownames, "
             "row.names and row_names. A column whose first value is text, or that --text lists, is a category: every "
             "level but the first in alphabetical order becomes a column of zeros and ones named as in Region=South. "
             "Empty fields, NA, NaN, null, none, ?, . and - are gaps (missing values); see --missing.");
    doc_paragraph(doc,
                  "--free, --exclude, --only and --text take names, patterns such as 'x*', and numbers, which count "
                  "the columns of the file without the target. The name of a category stands for all its columns.");
}

void topic_model(struct doc *doc) {
    doc_heading(doc, "Results");
    doc_paragraph(doc,
                  "On a terminal a table goes to standard error; in pipes and with --quiet spgm is silent. Its "
                  "`effect` is |x_j| times the standard deviation of column j: how much the column moves the "
                  "prediction. The model goes to --output; without it to standard output, unless that is a terminal "
                  "that already shows the table. A file appears under its name only when it is complete.");
    doc_paragraph(doc,
                  "MODEL.json has objective, loss_value, smooth_value, support (columns counted from 0), coefficients "
                  "in the same order, names if known, intercept, sparsity, feasible, outcome, iterations, seconds of "
                  "the solver, options and version; lower, upper, excluded, groups and group_limit if they were given; "
                  "table and label_names if text or gaps were read. How the model was made: data, rows, weights (their "
                  "sum), free, chosen (how s was chosen, unless --sparsity gave it) and date. How certain it is: "
                  "certainty (proven, stable, unstable, unfinished or unknown), verdict (a sentence), starts of the "
                  "search, agreeing (how many of them ended at this F) and spread (how far above it the worst ended).");
    doc_paragraph(
        doc,
        "--quantiles gives quantiles, shifts and models, one for each quantile. With more than two labels there is one "
        "model for each label against the rest, each with the full time limit: classes, class_names and models.");
}

void topic_exit(struct doc *doc) {
    doc_heading(doc, "Exit status");
    doc->column = 5;
    doc_item(doc, "0", "done, also when a limit or Ctrl-C ended the run early");
    doc_item(doc, "1", "a run that failed, for example for lack of memory");
    doc_item(doc, "2", "wrong usage, bad input or an output that cannot be written; one sentence says what and where");
}

/* ---- flags and options ------------------------------------------------------------------------- */

void topic_flags(struct doc *doc, const struct flag *flags) {
    char term[128];
    doc->column = 26;
    for (; flags->name; flags++) {
        char letter[8] = "";
        if (flags->letter) {
            snprintf(letter, sizeof letter, "-%c, ", flags->letter);
        }
        snprintf(term, sizeof term, "%s--%s%s%s", letter, flags->name, flags->argument ? " " : "",
                 flags->argument ? flags->argument : "");
        doc_item(doc, term, flags->help);
    }
}

static void option_term(const spgm_option_info *option, char *term, size_t size) {
    static const char *const value[] = {"", " N", " X", " NAME"}; /* by spgm_option_type */
    char flag[64];
    args_flag_name(option->name, flag, sizeof flag);
    snprintf(term, size, "--%s%s%s", option->type == SPGM_OPTION_FLAG ? "[no-]" : "", flag, value[option->type]);
}

/* "between 0 and 1", "at least 0", "1 to 9", "a, b, c"; nothing for flags and for choices that have a section */
static void option_range(const spgm_option_info *option, char *text, size_t size) {
    text[0] = '\0';
    if (option->type == SPGM_OPTION_FLAG) {
        return;
    }
    if (option->type == SPGM_OPTION_CHOICE) {
        if (strcmp(option->name, "loss") != 0 && strcmp(option->name, "method") != 0) {
            put_list(text, size, option->choices);
        }
    } else if (option->high >= 1e9) {
        snprintf(text, size, option->open ? "above %g" : "at least %g", option->low);
    } else {
        snprintf(text, size, option->open ? "between %g and %g" : "%g to %g", option->low, option->high);
    }
}

static const char *option_default(const spgm_option_info *option) {
    if (option->type != SPGM_OPTION_FLAG) {
        return option->default_value;
    }
    return strcmp(option->default_value, "true") == 0 ? "on" : "off";
}

static void topic_option(struct doc *doc, const spgm_option_info *option) {
    char term[128], range[256], text[TEXT_MAX];
    option_term(option, term, sizeof term);
    option_range(option, range, sizeof range);
    snprintf(text, sizeof text, "%s [%s%sdefault %s]", option->help, range, *range ? "; " : "", option_default(option));
    doc_item(doc, term, text);
}

static const char *group_title(const char *group, char title[64]) {
    static const char *const titles[][2] = {{"problem", "Options of the problem"},
                                            {"run", "Options of the run"},
                                            {"method", "Options of the methods"},
                                            {"search", "Options of the search"}};
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        if (strcmp(group, titles[i][0]) == 0) {
            return titles[i][1];
        }
    }
    snprintf(title, 64, "Options: %s", group);
    return title;
}

void topic_options(struct doc *doc) {
    char title[64];
    const char *group = "";
    for (int64_t i = 0; spgm_option_describe(i); i++) {
        const spgm_option_info *option = spgm_option_describe(i);
        if (strcmp(group, option->group) != 0) {
            doc_heading(doc, group_title(option->group, title));
            doc->column = 26;
        }
        group = option->group;
        topic_option(doc, option);
    }
}
