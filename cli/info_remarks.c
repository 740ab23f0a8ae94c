/* Sentences about possible problems with a file. */
#include "cli.h"
#include "info.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { REMARK_SIZE = 1024, OWN_MIN = 10 }; /* OWN_MIN: so many rows with a text of their own are no chance */

/* One remark, kept for the end. */
__attribute__((format(printf, 2, 3))) static void remark(struct summary *s, const char *format, ...) {
    va_list list;
    char *text = s->remarks < REMARKS_MAX ? malloc(REMARK_SIZE) : NULL;
    if (!text) {
        return;
    }
    va_start(list, format);
    vsnprintf(text, REMARK_SIZE, format, list);
    va_end(list);
    s->remark[s->remarks++] = text;
}

/* "column 3" or "9 columns (3, 17, 20, 21, 40 and 4 more)" that pass the test */
static const char *list_columns(const struct summary *s, int (*test)(const struct facts *), char text[512]) {
    char number[32], name[LABEL_SIZE];
    int64_t count = info_count(s, test), shown = 0;
    int at = snprintf(text, 512, count == 1 ? "column " : "%s columns (", screen_count(count, number));
    struct facts nothing = {.duplicate = -1};
    for (int64_t j = 0, k = 0; j < s->matrix.columns && shown < NAMED && shown < count; j++) {
        if (test(info_holds_entries(&s->matrix, j) ? &s->facts[k++] : &nothing)) {
            at += snprintf(text + at, (size_t)(512 - at), "%s%s", shown++ ? ", " : "",
                           label_column(&s->names, j, 40, name));
        }
    }
    if (count > shown) {
        at += snprintf(text + at, (size_t)(512 - at), " and %s more", screen_count(count - shown, number));
    }
    snprintf(text + at, (size_t)(512 - at), "%s", count == 1 ? "" : ")");
    return text;
}

static void remark_columns(struct summary *s) {
    static const struct {
        int (*test)(const struct facts *);
        const char *text;
    } kinds[] = {{info_is_zero, "Nothing but zeros, so of no use to a model"},
                 {info_is_constant, "Constant, so nothing new next to an intercept"},
                 {info_is_duplicate, "Equal to an earlier column, so that either may be chosen"},
                 {info_is_count, "Numbers the rows, as an identifier does; --exclude leaves it out"},
                 {info_is_far,
                  "Values hundreds of times further out than most, as typing errors or missing-value codes (-999) are"},
                 {info_is_single, "Only one nonzero, which can explain one row and no other"}};
    char list[512];
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (info_count(s, kinds[i].test) && (kinds[i].test != info_is_single || s->matrix.rows > 20)) {
            remark(s, "%s: %s.", kinds[i].text, list_columns(s, kinds[i].test, list));
        }
    }
}

/* Columns of the table of that kind, as "name, name and 3 more". */
static const char *list_kind(const struct summary *s, const char *kind, char text[512]) {
    int64_t shown = 0, count = info_count_kind(s, kind);
    int at = 0;
    for (int64_t j = 0; j < spgm_data_table_columns(s->data) && shown < NAMED; j++) {
        char number[32];
        if (strcmp(spgm_data_table_column(s->data, j).kind, kind) == 0) {
            at += snprintf(text + at, (size_t)(512 - at), "%s%.60s", shown++ ? "," : "", info_table_name(s, j, number));
        }
    }
    if (count > shown) {
        snprintf(text + at, (size_t)(512 - at), " and %lld more", (long long)(count - shown));
    }
    return text;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names that stand over two columns. */
static void remark_names(struct summary *s) {
    int64_t columns = s->matrix.columns, count = 0, shown = 0;
    int at = 0;
    char list[512];
    const char **names = spgm_data_column_name(s->data, 0) ? malloc((size_t)columns * sizeof *names) : NULL;
    for (int64_t j = 0; names && j < columns; j++) {
        names[j] = spgm_data_column_name(s->data, j) ? spgm_data_column_name(s->data, j) : "";
    }
    if (names) {
        qsort(names, (size_t)columns, sizeof *names, by_text);
    }
    for (int64_t j = 1; names && j < columns; j++) {
        if (strcmp(names[j], names[j - 1]) == 0 && (j == 1 || strcmp(names[j], names[j - 2]) != 0)) {
            count++;
            if (shown < NAMED) {
                at += snprintf(list + at, sizeof list - (size_t)at, "%s'%.60s'", shown++ ? ", " : "", names[j]);
            }
        }
    }
    if (count) {
        remark(s, "Two or more columns have the same name, which is then ambiguous: %s%s.", list,
               count > shown ? " and others" : "");
    }
    free(names);
}

static int64_t rows_without_gaps(const struct summary *s) {
    int64_t count = 0;
    for (int64_t i = 0; i < s->matrix.rows; i++) {
        int is_whole = !spgm_data_target(s->data) || !isnan(spgm_data_target(s->data)[i]);
        for (int64_t j = 0; j < s->matrix.columns && is_whole && !s->matrix.column_start; j++) {
            is_whole = !isnan(s->matrix.values[i + j * s->matrix.leading_dimension]);
        }
        count += is_whole;
    }
    return count;
}

static int is_number(const char *word) {
    char *end;
    strtod(word, &end);
    return end != word && *end == '\0';
}

/* A column that became a category because its first value is text, although most of its levels are numbers. */
static void remark_numbers(struct summary *s, int64_t j, spgm_table_column column) {
    int64_t numbers = 0, word = -1;
    char name[32];
    if (strcmp(column.kind, "category") != 0) {
        return;
    }
    for (int64_t k = 0; k < column.levels; k++) {
        int is_one = is_number(spgm_data_level(s->data, j, k));
        numbers += is_one;
        word = word < 0 && !is_one ? k : word;
    }
    if (word >= 0 && 2 * numbers >= column.levels) {
        remark(
            s,
            "Taken for a category, because its first value is text, though %lld of its %lld levels are numbers (%.40s "
            "is not): column %.60s. If numbers are meant, leave gaps empty or write NA.",
            (long long)numbers, (long long)column.levels, spgm_data_level(s->data, j, word),
            info_table_name(s, j, name));
    }
}

static void remark_table(struct summary *s) {
    int64_t columns, gaps = info_count_gaps(s, &columns);
    char list[512], rows[32];
    if (s->sorted && !s->target_rows) {
        remark(s, "Every value of the target is missing%s: --target names another column.",
               spgm_data_target_name(s->data) ? "" : ", as in the last column of lines that end in a separator");
    } else if (gaps) {
        int has_category_gap = 0;
        for (int64_t j = 0; j < spgm_data_table_columns(s->data); j++) {
            spgm_table_column column = spgm_data_table_column(s->data, j);
            has_category_gap = has_category_gap || (column.missing && strcmp(column.kind, "category") == 0);
        }
        if (has_category_gap || s->matrix.column_start) {
            remark(s, "Gaps: fit needs --missing drop, which leaves out the rows, or --missing median.");
        } else if (rows_without_gaps(s)) {
            remark(s, "Gaps: fit needs --missing drop, which keeps %s rows, or --missing median.",
                   screen_count(rows_without_gaps(s), rows));
        } else {
            remark(s, "Every row has a gap: exclude the columns with most gaps, or use --missing median.");
        }
    }
    if (info_count_kind(s, "date")) {
        remark(s, "Dates or times, which fit refuses until they are numbers: --exclude %s.",
               list_kind(s, "date", list));
    }
    if (info_count_kind(s, "text")) {
        remark(s,
               "Nearly every row has a text of its own, as names and identifiers have; fit refuses that: --exclude %s.",
               list_kind(s, "text", list));
    }
    if (info_count_kind(s, "mixed")) {
        remark(s, "Text among numbers, which fit refuses: correct it, or --exclude or --text %s.",
               list_kind(s, "mixed", list));
    }
    if (info_count_kind(s, "empty")) {
        remark(s, "All values missing: --exclude %s.", list_kind(s, "empty", list));
    }
    for (int64_t j = 0; j < spgm_data_table_columns(s->data); j++) {
        spgm_table_column column = spgm_data_table_column(s->data, j);
        char number[32];
        if (strcmp(column.kind, "category") == 0 && column.levels == 1) {
            remark(s, "Only one level, so nothing to tell rows apart by: column %.60s.", info_table_name(s, j, number));
        }
        if (strcmp(column.kind, "category") == 0 && column.levels >= OWN_MIN &&
            column.levels == s->matrix.rows - column.missing) {
            remark(s,
                   "Every row has a text of its own, as names and identifiers have; --exclude leaves it out: column "
                   "%.60s.",
                   info_table_name(s, j, number));
        }
        remark_numbers(s, j, column);
    }
    remark_names(s);
}

static void remark_scale(struct summary *s) {
    if (s->nonzeros == 0) {
        return;
    }
    if (s->norm_high > 1e3 * s->norm_low) {
        remark(s,
               "The largest column norm is %.2g times the smallest; --standardize makes the columns compete on equal "
               "terms.",
               s->norm_high / s->norm_low);
    }
    if (fmax(fabs(s->low), fabs(s->high)) > 1e100 || s->least < 1e-100) {
        remark(s, "Some values are extreme (%.3g to %.3g in magnitude); other units would lose less precision.",
               s->least, fmax(fabs(s->low), fabs(s->high)));
    }
    if (s->matrix.columns > s->matrix.rows) {
        remark(
            s,
            "There are more columns than rows: from about %lld nonzeros on a model can fit these rows exactly and say "
            "nothing about others.",
            (long long)s->matrix.rows);
    }
}

static void remark_target(struct summary *s) {
    int64_t rows = s->target_rows;
    if (!rows) {
        return;
    }
    double low = s->sorted[0], high = s->sorted[rows - 1];
    double quarter = s->sorted[rows / 4], three = s->sorted[3 * (rows - 1) / 4];
    double reach = 10 * (three - quarter);
    if (s->distinct == 1 && rows > 1) {
        remark(s, "The target is constant: an intercept alone fits it exactly.");
    } else if (s->distinct == 2 && spgm_data_label(s->data, 1)) {
        remark(s, "The target has two labels, %.60s and %.60s: for --loss hinge, where %.60s counts as +1.",
               spgm_data_label(s->data, 0), spgm_data_label(s->data, 1), spgm_data_label(s->data, 1));
    } else if (spgm_data_label(s->data, 1)) {
        remark(
            s,
            "The target is text with %lld labels: --loss hinge or another loss for labels makes a model for each label "
            "against the rest.",
            (long long)s->distinct);
    } else if (s->distinct == 2) {
        remark(s, "The target has two values, %g and %g: labels for --loss hinge, where %g counts as +1.", low, high,
               high);
    } else if (three > quarter && (high > three + reach || low < quarter - reach)) {
        remark(s,
               "The target has outliers (half of it lies in %.4g to %.4g, the extremes are %.4g and %.4g): prefer l1, "
               "quantile or epsilon to l2 and linf.",
               quarter, three, low, high);
    }
}

void info_remark_all(struct summary *s) {
    remark_table(s);
    remark_columns(s);
    remark_scale(s);
    if (s->sorted) {
        remark_target(s);
    } else {
        remark(s, "There is no target here; fit needs --target FILE.");
    }
}
