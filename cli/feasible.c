/* The feasible set of fit and its relatives: --free, --exclude, --nonnegative, --lower, --upper, --groups. */
#include "cli.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists of columns: names, numbers from 1, and ranges of numbers --------------------------------------- */

static const char *name_of(const struct task *task, int64_t j) {
    const char *name = spgm_data_column_name(task->data, j);
    return name ? name : "";
}

/* The column with this name, searched cyclically from `hint`; -1: none. */
static int64_t find_name(const struct task *task, const char *word, int64_t hint) {
    int64_t columns = task->matrix.columns;
    for (int64_t i = 0; i < columns && spgm_data_column_name(task->data, 0); i++) {
        int64_t j = (hint + i) % columns;
        if (strcmp(name_of(task, j), word) == 0) {
            return j;
        }
    }
    return -1;
}

/* The column of the table with this name, which may be a category; -1: none. */
static int64_t find_table_name(const struct task *task, const char *word) {
    for (int64_t j = 0; j < spgm_data_table_columns(task->data); j++) {
        spgm_table_column column = spgm_data_table_column(task->data, j);
        if (column.name && column.count > 0 && strcmp(column.name, word) == 0) {
            return j;
        }
    }
    return -1;
}

/* "7" or "7:9" as the half-open range [first, last); returns 0 if it is neither. */
static int parse_range(const char *word, long long *first, long long *last) {
    char *end;
    *first = *last = strtoll(word, &end, 10);
    if (end == word) {
        return 0;
    }
    if (*end == ':') {
        const char *second = end + 1;
        *last = strtoll(second, &end, 10);
        if (end == second) {
            return 0;
        }
    }
    *first -= 1;
    return *end == '\0';
}

/* Whether the pattern, with * for any text and ? for any character, matches. Only the last star is ever extended, so
 * that many stars cost no time. */
static int matches(const char *pattern, const char *text) {
    const char *star = NULL, *retry = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = ++pattern;
            retry = text;
        } else if (*pattern && (*pattern == '?' || *pattern == *text)) {
            pattern++, text++;
        } else if (star) {
            pattern = star;
            text = ++retry;
        } else {
            return 0;
        }
    }
    return pattern[strspn(pattern, "*")] == '\0';
}

static int mark_pattern(const struct task *task, const char *flag, const char *word, char *marked) {
    int64_t count = 0;
    for (int64_t j = 0; j < task->matrix.columns; j++) {
        if (matches(word, name_of(task, j))) {
            marked[j] = 1;
            count++;
        }
    }
    return count ? CLI_DONE : cli_error("--%s %s: no column has such a name", flag, word);
}

/* Mark columns by their numbers in the file, from first + 1 to last; columns that were left out are skipped. */
static int mark_numbers(const struct task *task, const char *flag, const char *word, long long first, long long last,
                        char *marked) {
    int64_t table = spgm_data_table_columns(task->data), columns = table ? table : task->matrix.columns;
    if (first < 0 || last > columns || first >= last) {
        return cli_error("--%s %s: the columns are numbered 1 to %lld", flag, word, (long long)columns);
    }
    int64_t count = 0;
    for (int64_t j = 0; j < task->matrix.columns; j++) {
        int64_t number = task_number(task->data, j);
        int is_meant = number > first && number <= last;
        marked[j] = (char)(marked[j] || is_meant);
        count += is_meant;
    }
    return count ? CLI_DONE : cli_error("--%s %s: that column is excluded, or has only one level", flag, word);
}

/* Mark the columns that a word of the list stands for. */
static int mark_word(const struct task *task, const char *flag, const char *word, char *marked) {
    long long first, last;
    int64_t j = find_name(task, word, 0), table = j < 0 ? find_table_name(task, word) : -1;
    if (j >= 0 && find_name(task, word, j + 1) != j) {
        return cli_error("--%s %s: columns %lld and %lld both have this name; give the number of the one you mean",
                         flag, word, (long long)task_number(task->data, j),
                         (long long)task_number(task->data, find_name(task, word, j + 1)));
    }
    if (j >= 0) {
        marked[j] = 1;
        return CLI_DONE;
    }
    if (table >= 0) {
        return mark_numbers(task, flag, word, table, table + 1, marked);
    }
    if (strpbrk(word, "*?")) {
        return mark_pattern(task, flag, word, marked);
    }
    if (!parse_range(word, &first, &last)) {
        return cli_error(
            "--%s %s: no column that is used has this name, and it is not a column number or a range, such as 3 or 3:7",
            flag, word);
    }
    return mark_numbers(task, flag, word, first, last, marked);
}

/* The columns of a flag, ascending from 0; free *list. */
static int read_list(const struct task *task, const struct args *args, const char *flag, int64_t **list,
                     int64_t *count) {
    size_t columns = (size_t)task->matrix.columns;
    char *marked = calloc(columns, 1), *copy = strdup(args_get(args, flag)), *rest = copy;
    int result = CLI_DONE;
    *list = malloc((columns + 1) * sizeof **list);
    if (marked && copy && *list) {
        for (char *word = strtok_r(rest, ",", &rest); word && result == CLI_DONE; word = strtok_r(NULL, ",", &rest)) {
            result = mark_word(task, flag, word, marked);
        }
        for (size_t j = 0; result == CLI_DONE && j < columns; j++) {
            if (marked[j]) {
                (*list)[(*count)++] = (int64_t)j;
            }
        }
    } else {
        result = cli_out_of_memory();
    }
    free(copy);
    free(marked);
    return result;
}

/* ---- files with an entry for each column ------------------------------------------------------------------------ */

/* Lines with the entry of each column in turn, or lines of column,entry for some of them. */
struct entries {
    char *text;
    const char **entry; /* NULL: none [columns] */
};

static void entries_free(struct entries *entries) {
    free(entries->text);
    free(entries->entry);
    *entries = (struct entries){0};
}

static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    size_t size = 0, room = 1 << 16;
    char *text = file ? malloc(room) : NULL;
    while (text && !ferror(file)) {
        size_t got = fread(text + size, 1, room - size - 1, file);
        size += got;
        if (got == 0) {
            break;
        }
        if (size + 1 == room) {
            char *larger = realloc(text, room *= 2);
            if (!larger) {
                free(text);
            }
            text = larger;
        }
    }
    if (text) {
        text[size] = '\0';
    }
    if (!text || ferror(file)) {
        cli_error("%s: cannot be read: %s", path, strerror(errno));
        free(text);
        text = NULL;
    }
    if (file) {
        fclose(file);
    }
    return text;
}

/* Cut spaces and one pair of quotes off the ends. */
static char *trim(char *word) {
    size_t length;
    word += strspn(word, " \t\r");
    for (length = strlen(word); length > 0 && strchr(" \t\r", word[length - 1]); length--) {
        word[length - 1] = '\0';
    }
    if (length >= 2 && word[0] == '"' && word[length - 1] == '"') {
        word[length - 1] = '\0';
        word++;
    }
    return word;
}

/* A line of column,entry. The first line may be a header. */
static int take_pair(const struct task *task, const char *flag, const char *path, long long number, char *line,
                     struct entries *entries, int64_t *hint) {
    long long first, last;
    char *comma = strrchr(line, ',');
    *comma = '\0';
    char *name = trim(line), *entry = trim(comma + 1);
    int64_t j = find_name(task, name, *hint), table = j < 0 ? find_table_name(task, name) : -1, count = 0;
    if (j < 0 && table < 0 && parse_range(name, &first, &last) && first + 1 == last) {
        table = first;
    }
    for (int64_t k = j < 0 ? 0 : j; k < (j < 0 ? task->matrix.columns : j + 1); k++) {
        if (j < 0 && task_number(task->data, k) != table + 1) {
            continue;
        }
        if (entries->entry[k]) {
            return cli_error("--%s %s, line %lld: column '%s' is listed twice", flag, path, number, name);
        }
        entries->entry[k] = entry;
        count++;
        *hint = k + 1;
    }
    return count || number == 1 ? CLI_DONE
                                : cli_error("--%s %s, line %lld: there is no column '%s'", flag, path, number, name);
}

/* Split the text into lines; empty ones at the end do not count. */
static int64_t split_lines(char *text, char **lines) {
    int64_t count = 0, last = 0;
    for (char *at = text; at && *at;) {
        char *end = strchr(at, '\n');
        if (end) {
            *end = '\0';
        }
        if (lines) {
            lines[count] = at;
        }
        count++;
        last = at[strspn(at, " \t\r")] ? count : last;
        if (!lines && end) {
            *end = '\n';
        }
        at = end ? end + 1 : NULL;
    }
    return last;
}

static int parse_number(const char *word, double *value) {
    char *end;
    *value = strtod(word, &end);
    return end != word && *end == '\0';
}

/*
 * A line for each column: either of the file, in its order and including those left out, or of the columns that are
 * kept. One additional line is a header if it is not a number; if it could also be a group, the lines are those of the
 * file. Returns by how many lines column k is behind its number (*by_number) or its place; -1: neither matches.
 */
static int64_t find_header(const struct task *task, const char *flag, const char *first, int64_t count,
                           int *by_number) {
    int64_t kept = task->matrix.columns, table = spgm_data_table_columns(task->data), all = table > 0 ? table : kept;
    double value;
    int is_text = *first != '\0' && !parse_number(first, &value);
    int is_of_kept = strcmp(flag, "groups") != 0 && is_text && count == kept + 1;
    *by_number = !is_of_kept && (count == all || (is_text && count == all + 1));
    if (*by_number) {
        return count - all;
    }
    return count == kept || (is_text && count == kept + 1) ? count - kept : -1;
}

static int take_lines(const struct task *task, const char *flag, const char *path, char **lines, int64_t count,
                      struct entries *entries) {
    int64_t columns = task->matrix.columns, hint = 0;
    int result = CLI_DONE;
    if (count > 0 && strchr(lines[count - 1], ',')) {
        for (int64_t i = 0; i < count && result == CLI_DONE; i++) {
            result = strchr(lines[i], ',') ? take_pair(task, flag, path, i + 1, lines[i], entries, &hint)
                                           : cli_error("--%s %s, line %lld: not of the form column,%s", flag, path,
                                                       (long long)i + 1, strcmp(flag, "groups") ? "bound" : "group");
        }
        return result;
    }
    for (int64_t i = 0; i < count; i++) {
        lines[i] = trim(lines[i]);
    }
    int by_number = 0;
    int64_t header = count > 0 ? find_header(task, flag, lines[0], count, &by_number) : -1;
    if (header < 0) {
        int64_t table = spgm_data_table_columns(task->data);
        return cli_error("--%s %s has %lld lines, the data have %lld columns: give a line for each, or lines of the "
                         "form column,%s",
                         flag, path, (long long)count, (long long)(table > 0 ? table : columns),
                         strcmp(flag, "groups") ? "bound" : "group");
    }
    for (int64_t j = 0; j < columns; j++) {
        entries->entry[j] = lines[header + (by_number ? task_number(task->data, j) - 1 : j)];
    }
    return CLI_DONE;
}

static int read_entries(const struct task *task, const char *flag, const char *path, struct entries *entries) {
    char **lines = NULL;
    int result = CLI_USAGE;
    *entries = (struct entries){.text = read_text(path)};
    if (entries->text) {
        int64_t count = split_lines(entries->text, NULL);
        lines = malloc(((size_t)count + 1) * sizeof *lines);
        entries->entry = calloc((size_t)task->matrix.columns + 1, sizeof *entries->entry);
        if (lines && entries->entry) {
            split_lines(entries->text, lines);
            result = take_lines(task, flag, path, lines, count, entries);
        } else {
            result = cli_out_of_memory();
        }
    }
    free(lines);
    return result;
}

/* ---- what the library refuses ----------------------------------------------------------------------------------- */

/* The library counts columns of the matrix from 0; users see names, or the numbers of the file from 1. */
static int refuse(const struct task *task, const spgm_status *status) {
    const char *at = strstr(status->message, "column ");
    char name[LABEL_SIZE];
    long long j = -1;
    int length = 0;
    if (!at || sscanf(at, "column %lld (counted from 0)%n", &j, &length) != 1 || length == 0) {
        return cli_status(status);
    }
    int before = (int)(at - status->message);
    return cli_error("%.*scolumn %s%s", before, status->message, label_column(&task->names, j, 0, name), at + length);
}

/* ---- bounds ----------------------------------------------------------------------------------------------------- */

static int read_bound_file(const struct task *task, const char *flag, const char *path, double *bounds) {
    struct entries entries;
    int result = read_entries(task, flag, path, &entries);
    for (int64_t j = 0; j < task->matrix.columns && result == CLI_DONE; j++) {
        const char *entry = entries.entry[j];
        char text[LABEL_SIZE];
        if (entry && *entry && !parse_number(entry, &bounds[j])) {
            result = cli_error("--%s %s: '%s' for column %s is not a number; inf and -inf stand for none", flag, path,
                               entry, label_column(&task->names, j, 0, text));
        }
    }
    entries_free(&entries);
    return result;
}

/* --lower or --upper: a number for all, or a file; *bounds stays NULL without the flag. */
static int read_bounds(const struct task *task, const struct args *args, const char *flag, double none,
                       double **bounds) {
    const char *word = args_get(args, flag);
    double value = none;
    if (!word) {
        return CLI_DONE;
    }
    int is_number = parse_number(word, &value);
    *bounds = malloc(((size_t)task->matrix.columns + 1) * sizeof **bounds);
    if (!*bounds) {
        return cli_out_of_memory();
    }
    for (int64_t j = 0; j < task->matrix.columns; j++) {
        (*bounds)[j] = is_number ? value : none;
    }
    return is_number ? CLI_DONE : read_bound_file(task, flag, word, *bounds);
}

static int set_bounds(struct task *task, const struct args *args) {
    spgm_status status;
    int is_nonnegative = args_get(args, "nonnegative") != NULL;
    if (is_nonnegative && args_get(args, "lower")) {
        return cli_error("--nonnegative is --lower 0: give one of them");
    }
    int result = read_bounds(task, args, "lower", -INFINITY, &task->lower);
    result = result ? result : read_bounds(task, args, "upper", INFINITY, &task->upper);
    if (result == CLI_DONE && is_nonnegative) {
        task->lower = calloc((size_t)task->matrix.columns + 1, sizeof *task->lower);
        result = task->lower ? CLI_DONE : cli_out_of_memory();
    }
    if (result || (!task->lower && !task->upper)) {
        return result;
    }
    return spgm_problem_set_bounds(task->problem, task->lower, task->upper, &status) ? refuse(task, &status) : CLI_DONE;
}

/* ---- groups ----------------------------------------------------------------------------------------------------- */

struct label {
    const char *name;
    int64_t column;
};

static int by_name(const void *a, const void *b) {
    const struct label *p = a, *q = b;
    int order = strcmp(p->name, q->name);
    return order ? order : (p->column > q->column) - (p->column < q->column);
}

/* Equal entries are one group; an empty one, - and -1 stand for none. */
static int number_groups(struct task *task, const struct entries *entries) {
    int64_t count = 0;
    struct label *labels = malloc(((size_t)task->matrix.columns + 1) * sizeof *labels);
    task->group_of = malloc(((size_t)task->matrix.columns + 1) * sizeof *task->group_of);
    if (!labels || !task->group_of) {
        free(labels);
        return cli_out_of_memory();
    }
    for (int64_t j = 0; j < task->matrix.columns; j++) {
        const char *entry = entries->entry[j];
        task->group_of[j] = -1;
        if (entry && *entry && strcmp(entry, "-") != 0 && strcmp(entry, "-1") != 0) {
            labels[count++] = (struct label){entry, j};
        }
    }
    qsort(labels, (size_t)count, sizeof *labels, by_name);
    for (int64_t i = 0; i < count; i++) {
        task->groups += i == 0 || strcmp(labels[i].name, labels[i - 1].name) != 0;
        task->group_of[labels[i].column] = task->groups - 1;
    }
    free(labels);
    return CLI_DONE;
}

/* The columns of a category are one group; a column of numbers is one of its own. */
static int group_categories(struct task *task) {
    int64_t last = -1;
    task->group_of = malloc(((size_t)task->matrix.columns + 1) * sizeof *task->group_of);
    if (!task->group_of) {
        return cli_out_of_memory();
    }
    for (int64_t j = 0; j < task->matrix.columns; j++) {
        int64_t source = spgm_data_column_source(task->data, j);
        const char *kind = spgm_data_table_column(task->data, source).kind;
        int is_category = kind && strcmp(kind, "category") == 0;
        task->groups += is_category && source != last;
        task->group_of[j] = is_category ? task->groups - 1 : -1;
        last = is_category ? source : last;
    }
    return task->groups ? CLI_DONE
                        : cli_error("--groups categories: the data have no category; is there a column of "
                                    "text, or --text COLS?");
}

static int set_groups(struct task *task, const struct args *args) {
    const char *path = args_get(args, "groups");
    struct entries entries;
    spgm_status status;
    int result = args_integer(args, "group-limit", &task->group_limit);
    if (result) {
        return result;
    }
    if (!path) {
        return args_get(args, "group-limit") ? cli_error("--group-limit needs --groups FILE") : CLI_DONE;
    }
    if (args_get(args, "group-limit") && task->group_limit < 1) {
        return cli_error("--group-limit %lld: it must be at least 1; without it a group counts as one",
                         (long long)task->group_limit);
    }
    if (strcmp(path, "categories") == 0) {
        result = group_categories(task);
    } else {
        result = read_entries(task, "groups", path, &entries);
        result = result ? result : number_groups(task, &entries);
        entries_free(&entries);
    }
    if (result == CLI_DONE && spgm_problem_set_groups(task->problem, task->group_of, task->group_limit, &status)) {
        result = refuse(task, &status);
    }
    return result;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

/* --exclude and --only, which the reader of tables has applied already. */
static int set_excluded(struct task *task, const struct args *args) {
    spgm_status status;
    int64_t *only = NULL, only_count = 0;
    int result = CLI_DONE;
    if (spgm_data_table_columns(task->data) || (!args_get(args, "exclude") && !args_get(args, "only"))) {
        return CLI_DONE;
    }
    char *marked = calloc((size_t)task->matrix.columns + 1, 1);
    if (args_get(args, "exclude")) {
        result = read_list(task, args, "exclude", &task->excluded, &task->excluded_count);
    } else if (!(task->excluded = malloc(((size_t)task->matrix.columns + 1) * sizeof *task->excluded))) {
        result = cli_out_of_memory();
    }
    if (result == CLI_DONE && args_get(args, "only")) {
        result = read_list(task, args, "only", &only, &only_count);
    }
    if (result == CLI_DONE && marked && only) {
        memset(marked, 1, (size_t)task->matrix.columns);
        for (int64_t k = 0; k < only_count; k++) {
            marked[only[k]] = 0;
        }
        for (int64_t k = 0; k < task->excluded_count; k++) {
            marked[task->excluded[k]] = 1;
        }
        task->excluded_count = 0;
        for (int64_t j = 0; j < task->matrix.columns; j++) {
            if (marked[j]) {
                task->excluded[task->excluded_count++] = j;
            }
        }
    }
    free(only);
    if (!marked) {
        return cli_out_of_memory();
    }
    free(marked);
    if (result == CLI_DONE && spgm_problem_set_excluded(task->problem, task->excluded, task->excluded_count, &status)) {
        result = refuse(task, &status);
    }
    return result;
}

static int set_columns(struct task *task, const struct args *args) {
    spgm_status status;
    int result = CLI_DONE;
    if (args_get(args, "free")) {
        result = read_list(task, args, "free", &task->free_columns, &task->free_count);
        if (result == CLI_DONE &&
            spgm_problem_set_free_columns(task->problem, task->free_columns, task->free_count, &status)) {
            result = refuse(task, &status);
        }
    }
    return result ? result : set_excluded(task, args);
}

int feasible_load(struct task *task, const struct args *args) {
    int result = set_columns(task, args);
    result = result ? result : set_bounds(task, args);
    return result ? result : set_groups(task, args);
}

void feasible_free(struct task *task) {
    free(task->free_columns);
    free(task->excluded);
    free(task->lower);
    free(task->upper);
    free(task->group_of);
}

const char *feasible_unit(const struct task *task) {
    return task->group_of && task->group_limit == 0 ? "groups" : "nonzeros";
}

int64_t feasible_most(const struct task *task) {
    int64_t most = task->matrix.columns - task->free_count - task->excluded_count;
    if (task->group_of && task->group_limit == 0) {
        for (int64_t j = 0; j < task->matrix.columns; j++) {
            most -= task->group_of[j] >= 0;
        }
        most = (most > 0 ? most : 0) + task->groups;
    }
    return most;
}

/* Print which constraint x violates; only this needs the full x. */
static void put_fault(const struct task *task, const spgm_solver *solver, int64_t sparsity) {
    spgm_status status = {SPGM_OK, ""};
    double *x = malloc(((size_t)task->matrix.columns + 1) * sizeof *x);
    if (x) {
        spgm_solver_get_x(solver, x, NULL);
        spgm_problem_check(task->problem, x, sparsity, NULL, &status);
    }
    doc_fact("feasible", "NO: %s", status.message);
    free(x);
}

void feasible_report(const struct task *task, const spgm_solver *solver, const spgm_info *info, int64_t sparsity) {
    int has_set = task->lower || task->upper || task->excluded || task->group_of;
    if (!info->feasible) {
        put_fault(task, solver, sparsity);
        return;
    }
    char limit[64] = "", besides[64] = "";
    if (task->group_of && task->group_limit > 0) {
        snprintf(limit, sizeof limit, ", at most %lld of each group", (long long)task->group_limit);
    }
    if (task->free_count) {
        snprintf(besides, sizeof besides, ", besides %lld free column%s", (long long)task->free_count,
                 task->free_count == 1 ? "" : "s");
    }
    doc_fact(has_set ? "feasible" : "nonzeros", "%lld of at most %lld%s%s%s%s%s%s", (long long)info->units,
             (long long)sparsity, has_set ? " " : "", has_set ? feasible_unit(task) : "", limit, besides,
             task->lower || task->upper ? ", bounds hold" : "", task->excluded ? ", no excluded column" : "");
}
