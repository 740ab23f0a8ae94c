/* spgm info: the contents of a file, and possible problems with it. */
#include "info.h"
#include "cli.h"

#include <stdlib.h>

static const struct flag flags[] = {
    {"target", "FILE|COLUMN", "as in fit: a file with the target, or name or number of the target column", 0},
    {"json", NULL, "all of it as JSON", 0},
    {"names", "FILE", "as in fit: names for the columns of a file without names", 0},
    {"exclude", "COLS", "as in fit: CSV columns to leave out", 0},
    {"only", "COLS", "as in fit: the CSV columns to look at", 0},
    {"text", "COLS", "as in fit: CSV columns whose numbers are levels", 0},
    CLI_CSV_FLAGS,
    {"quiet", NULL, "print nothing but results and errors", 'q'},
    {0}};

static int info_run(const struct args *args) {
    struct summary s = {0};
    spgm_data *data = NULL;
    int result = task_read(args, args->operand[0], (spgm_read_options){.survey = 1}, &data);
    if (result == CLI_DONE) {
        s.data = data;
        s.matrix = spgm_data_matrix(data);
        result = label_find(&s.names, data, s.matrix.columns);
        result = result ? result : info_take_facts(&s);
    }
    if (result == CLI_DONE && !spgm_data_table_columns(data) && (args_get(args, "exclude") || args_get(args, "only"))) {
        result = cli_error("%s is a %s file: info takes --exclude and --only for CSV files", args->operand[0],
                           spgm_data_format(data));
    }
    result = result ? result : info_sort_target(&s);
    if (result == CLI_DONE) {
        info_summarise(&s);
        info_remark_all(&s);
        result = (args_get(args, "json") ? info_put_json : info_print)(&s, args->operand[0]);
    }
    for (int i = 0; i < s.remarks; i++) {
        free(s.remark[i]);
    }
    label_free(&s.names);
    free(s.sorted);
    free(s.facts);
    spgm_data_free(data);
    return result;
}

static void describe(struct doc *doc) {
    doc_heading(doc, "What it does");
    doc_paragraph(doc, "Reads DATA and prints its shape, nonzeros, ranges and target, and warns of possible problems: "
                       "columns that are zero, constant or repeated, repeated names, row numbers, extreme values, very "
                       "different scales, outliers or labels in the target. For a CSV file it also says which columns "
                       "are numbers, categories with their levels, dates or names, and where values are missing. A "
                       "file that cannot be read is refused with the same message as by fit.");
}

const struct command command_info = {.name = "info",
                                     .summary = "describe a data file and warn of possible problems",
                                     .usage = "DATA [--target FILE|COLUMN] [--json]",
                                     .operands = {"DATA"},
                                     .flags = flags,
                                     .describe = describe,
                                     .topics = {topic_problem, topic_losses, topic_data},
                                     .examples = "spgm info houses.csv --target price\n"
                                                 "spgm info train.svm.xz",
                                     .run = info_run};
