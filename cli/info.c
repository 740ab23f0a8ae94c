/* spgm info: what a file holds, and what about it may cause trouble. */
#include "cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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

enum { NAMED = 5, REMARKS_MAX = 32, REMARK_SIZE = 1024 }; /* NAMED: so many columns are named in a sentence */

/* Columns are sorted to find far values where there are at most so many entries. */
#define SORTED_MAX 50000000.0

struct facts {
    int64_t column;    /* from 0                                      */
    int64_t nonzeros;  /* entries that are not zero                   */
    double low, high;  /* over all rows                               */
    double norm;       /* Euclidean                                   */
    uint64_t print;    /* equal for equal columns                     */
    int64_t duplicate; /* an earlier column with the same entries, -1 */
    int is_count;      /* 1, 2, 3, ... down the rows                  */
    int is_far;        /* values far from all others                  */
};

/* ---- columns ---------------------------------------------------------------------------------------- */

/* Calls for every stored entry: row i, value v. */
struct cursor {
    const int32_t *row; /* NULL: dense */
    const double *value;
    int64_t stored;
};

static struct cursor cursor_at(const spgm_matrix *matrix, int64_t j) {
    if (!matrix->column_start) {
        return (struct cursor){NULL, matrix->values + j * matrix->leading_dimension, matrix->rows};
    }
    int64_t start = matrix->column_start[j];
    return (struct cursor){matrix->row_index + start, matrix->values + start, matrix->column_start[j + 1] - start};
}

static uint64_t mix(uint64_t print, uint64_t word) {
    print = (print ^ word) * 0x9E3779B97F4A7C15u;
    return print ^ (print >> 29);
}

static uint64_t bits_of(double value) {
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

static int by_value(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;
    return p < q ? -1 : p > q;
}

/* 7, 8, 9, ... down the rows: a number of the row, not a measurement. */
static int counts_rows(const struct cursor *c, int64_t rows) {
    if (c->row || rows < 10) {
        return 0;
    }
    for (int64_t k = 0; k < rows; k++) {
        if (c->value[k] != c->value[0] + (double)k) {
            return 0;
        }
    }
    return 1;
}

/* A value hundreds of times further out than the middle half of the values is wide: a slip, or a code for a gap. Dense
 * columns only; `sorted` has room for the rows, NULL: not looked for. */
static int has_far_values(const struct cursor *c, int64_t rows, double *sorted) {
    int64_t count = 0;
    if (c->row || !sorted || rows < 20) {
        return 0;
    }
    for (int64_t k = 0; k < rows; k++) {
        if (!isnan(c->value[k])) {
            sorted[count++] = c->value[k];
        }
    }
    if (count < 20) {
        return 0;
    }
    qsort(sorted, (size_t)count, sizeof *sorted, by_value);
    double quarter = sorted[count / 4], three = sorted[3 * (count - 1) / 4], reach = 100 * (three - quarter);
    return three > quarter && (sorted[count - 1] > three + reach || sorted[0] < quarter - reach);
}

static struct facts examine(const spgm_matrix *matrix, int64_t j, double *sorted) {
    struct cursor c = cursor_at(matrix, j);
    struct facts f = {.column = j, .low = INFINITY, .high = -INFINITY, .duplicate = -1};
    double largest = 0, square = 0;
    for (int64_t k = 0; k < c.stored; k++) {
        largest = fmax(largest, fabs(c.value[k]));
    }
    for (int64_t k = 0; k < c.stored; k++) {
        double v = c.value[k];
        if (isnan(v)) { /* a gap */
            continue;
        }
        f.low = fmin(f.low, v);
        f.high = fmax(f.high, v);
        if (v != 0) {
            f.nonzeros++;
            f.print = mix(mix(f.print, (uint64_t)(c.row ? c.row[k] : k)), bits_of(v));
            square += (v / largest) * (v / largest); /* scaled: no overflow for 1e200 */
        }
    }
    if (c.stored < matrix->rows) {
        f.low = fmin(f.low, 0);
        f.high = fmax(f.high, 0);
    }
    f.norm = largest * sqrt(square);
    f.is_count = counts_rows(&c, matrix->rows);
    f.is_far = f.low < f.high && has_far_values(&c, matrix->rows, sorted);
    return f;
}

/* Equal entries; both columns come from the same matrix, so both are dense or both sparse. */
static int same_column(const spgm_matrix *matrix, int64_t i, int64_t j) {
    struct cursor a = cursor_at(matrix, i), b = cursor_at(matrix, j);
    int64_t p = 0, q = 0;
    for (;;) {
        while (p < a.stored && a.value[p] == 0) {
            p++;
        }
        while (q < b.stored && b.value[q] == 0) {
            q++;
        }
        if (p == a.stored || q == b.stored) {
            return p == a.stored && q == b.stored;
        }
        if ((a.row ? a.row[p] : p) != (b.row ? b.row[q] : q) || a.value[p] != b.value[q]) {
            return 0;
        }
        p++, q++;
    }
}

static int by_print(const void *a, const void *b) {
    const struct facts *p = a, *q = b;
    if (p->print != q->print) {
        return p->print < q->print ? -1 : 1;
    }
    return p->column < q->column ? -1 : p->column > q->column;
}

static int by_column(const void *a, const void *b) {
    const struct facts *p = a, *q = b;
    return p->column < q->column ? -1 : p->column > q->column;
}

/* Equal columns have equal prints, and so are neighbours once sorted. */
static void find_duplicates(const spgm_matrix *matrix, struct facts *facts, size_t count) {
    qsort(facts, count, sizeof *facts, by_print);
    for (size_t k = 1; k < count; k++) {
        if (facts[k].print == facts[k - 1].print && facts[k].nonzeros > 0 &&
            same_column(matrix, facts[k - 1].column, facts[k].column)) {
            facts[k].duplicate = facts[k - 1].duplicate >= 0 ? facts[k - 1].duplicate : facts[k - 1].column;
        }
    }
    qsort(facts, count, sizeof *facts, by_column);
}

static int is_zero(const struct facts *f) {
    return f->nonzeros == 0;
}
static int is_constant(const struct facts *f) {
    return f->nonzeros > 0 && f->low == f->high;
}
static int is_duplicate(const struct facts *f) {
    return f->duplicate >= 0;
}
static int is_single(const struct facts *f) {
    return f->nonzeros == 1;
}
static int is_count(const struct facts *f) {
    return f->is_count;
}
static int is_far(const struct facts *f) {
    return f->is_far;
}

/* ---- the whole -------------------------------------------------------------------------------------- */

struct summary {
    const spgm_data *data;
    spgm_matrix matrix;
    struct facts *facts; /* of the columns that hold entries [known], ascending */
    int64_t known, nonzeros;
    double low, high, least; /* least: smallest magnitude above 0 */
    double norm_low, norm_high;
    double *sorted; /* the target, ascending, gaps left out [target_rows], or NULL */
    int64_t target_rows, distinct;
    char *remark[REMARKS_MAX];
    int remarks;
};

static double least_magnitude(const spgm_matrix *matrix, int64_t j, double least) {
    struct cursor c = cursor_at(matrix, j);
    for (int64_t k = 0; k < c.stored; k++) {
        if (c.value[k] != 0) {
            least = fmin(least, fabs(c.value[k]));
        }
    }
    return least;
}

static int holds_entries(const spgm_matrix *matrix, int64_t j) {
    return !matrix->column_start || matrix->column_start[j + 1] > matrix->column_start[j];
}

/* Room for the columns that hold entries: of a wide sparse matrix these may be few. Nonzero when there is none. */
static int take_facts(struct summary *s) {
    for (int64_t j = 0; j < s->matrix.columns; j++) {
        s->known += holds_entries(&s->matrix, j);
    }
    s->facts = malloc(((size_t)s->known + 1) * sizeof *s->facts);
    return s->facts ? CLI_DONE : cli_out_of_memory();
}

static void summarise(struct summary *s) {
    int is_all = s->known == s->matrix.columns;
    s->low = is_all ? INFINITY : 0;
    s->high = is_all ? -INFINITY : 0;
    s->least = s->norm_low = INFINITY;
    s->norm_high = -INFINITY;
    double *sorted = (double)s->matrix.rows * (double)s->matrix.columns <= SORTED_MAX
                         ? malloc(((size_t)s->matrix.rows + 1) * sizeof *sorted)
                         : NULL;
    for (int64_t j = 0, k = 0; k < s->known; j++) {
        if (!holds_entries(&s->matrix, j)) {
            continue;
        }
        struct facts f = s->facts[k++] = examine(&s->matrix, j, sorted);
        s->nonzeros += f.nonzeros;
        s->low = fmin(s->low, f.low);
        s->high = fmax(s->high, f.high);
        s->least = least_magnitude(&s->matrix, j, s->least);
        if (f.nonzeros > 0) {
            s->norm_low = fmin(s->norm_low, f.norm);
            s->norm_high = fmax(s->norm_high, f.norm);
        }
    }
    free(sorted);
    find_duplicates(&s->matrix, s->facts, (size_t)s->known);
}

static int64_t count_columns(const struct summary *s, int (*test)(const struct facts *)) {
    int64_t count = test == is_zero ? s->matrix.columns - s->known : 0;
    for (int64_t k = 0; k < s->known; k++) {
        count += test(&s->facts[k]) != 0;
    }
    return count;
}

/* ---- what the file holds ------------------------------------------------------------------------------ */

static void put_shape(const struct summary *s, const char *path) {
    char rows[32], columns[32], nonzeros[32];
    double entries = (double)s->matrix.rows * (double)s->matrix.columns;
    printf("%s (%s)\n", path, spgm_data_format(s->data));
    printf("  rows            %s\n", screen_count(s->matrix.rows, rows));
    printf("  columns         %s%s\n", screen_count(s->matrix.columns, columns),
           spgm_data_column_name(s->data, 0) ? ", with names" : "");
    printf("  nonzeros        %s, %.4g %% of the entries, stored %s\n", screen_count(s->nonzeros, nonzeros),
           100 * (double)s->nonzeros / entries, s->matrix.column_start ? "sparse" : "dense");
}

static void put_values(const struct summary *s) {
    char count[32];
    printf("  values          %.6g to %.6g", s->low, s->high);
    if (s->nonzeros > 0) {
        printf(", smallest magnitude above 0: %.3g", s->least);
    }
    putchar('\n');
    if (s->nonzeros > 0) {
        printf("  column norms    %.6g to %.6g\n", s->norm_low, s->norm_high);
    }
    printf("  zero columns    %s\n", screen_count(count_columns(s, is_zero), count));
    printf("  constant        %s\n", screen_count(count_columns(s, is_constant), count));
    printf("  duplicates      %s\n", screen_count(count_columns(s, is_duplicate), count));
}

/* Sorts a copy of the target, gaps left out, and counts the distinct values. */
static int sort_target(struct summary *s) {
    const double *target = spgm_data_target(s->data);
    if (!target) {
        return CLI_DONE;
    }
    if (!(s->sorted = malloc(((size_t)s->matrix.rows + 1) * sizeof *s->sorted))) {
        return cli_out_of_memory();
    }
    for (int64_t i = 0; i < s->matrix.rows; i++) {
        if (!isnan(target[i])) {
            s->sorted[s->target_rows++] = target[i];
        }
    }
    qsort(s->sorted, (size_t)s->target_rows, sizeof *s->sorted, by_value);
    for (int64_t i = 0; i < s->target_rows; i++) {
        s->distinct += i == 0 || s->sorted[i] != s->sorted[i - 1];
    }
    return CLI_DONE;
}

static double median_of_target(const struct summary *s) {
    return 0.5 * s->sorted[(s->target_rows - 1) / 2] + 0.5 * s->sorted[s->target_rows / 2];
}

static void put_target(const struct summary *s) {
    const char *name = spgm_data_target_name(s->data);
    char count[32];
    printf("  target          %s%s", name ? name : "", name ? ": " : "");
    if (!s->target_rows) {
        puts("nothing but gaps");
        return;
    }
    if (spgm_data_label(s->data, 0)) {
        for (int64_t k = 0; k < s->distinct && k < NAMED; k++) {
            printf("%s%s", k ? ", " : "", spgm_data_label(s->data, k));
        }
        printf("%s, text, %s distinct\n", s->distinct > NAMED ? ", ..." : "", screen_count(s->distinct, count));
        return;
    }
    printf("%.6g to %.6g, median %.6g, %s distinct\n", s->sorted[0], s->sorted[s->target_rows - 1], median_of_target(s),
           screen_count(s->distinct, count));
}

/* ---- the table that the columns come from ------------------------------------------------------------------ */

static int64_t count_kind(const struct summary *s, const char *kind) {
    int64_t count = 0;
    for (int64_t j = 0; j < spgm_data_table_columns(s->data); j++) {
        count += strcmp(spgm_data_table_column(s->data, j).kind, kind) == 0;
    }
    return count;
}

static const char *table_name(const struct summary *s, int64_t j, char number[32]) {
    const char *name = spgm_data_table_column(s->data, j).name;
    snprintf(number, 32, "%lld", (long long)j + 1);
    return name ? name : number;
}

/* Gaps in the columns that are used, and the target; how many columns have any. */
static int64_t count_gaps(const struct summary *s, int64_t *columns) {
    int64_t gaps = spgm_data_target_missing(s->data);
    *columns = gaps > 0;
    for (int64_t j = 0; j < spgm_data_table_columns(s->data); j++) {
        spgm_table_column column = spgm_data_table_column(s->data, j);
        gaps += column.missing;
        *columns += column.missing > 0;
    }
    return gaps;
}

/* "5 numbers, 2 categories, 1 excluded" */
static void put_kinds(const struct summary *s) {
    static const char *const kinds[][3] = {{"number", "number", "numbers"},     {"category", "category", "categories"},
                                           {"date", "date", "dates"},           {"text", "text", "texts"},
                                           {"mixed", "mixed", "mixed"},         {"empty", "empty", "empty"},
                                           {"excluded", "excluded", "excluded"}};
    const char *separator = "";
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        int64_t count = count_kind(s, kinds[i][0]);
        if (count) {
            printf("%s%lld %s", separator, (long long)count, kinds[i][count == 1 ? 1 : 2]);
            separator = ", ";
        }
    }
}

/* "Sex (female, male)", a line for each category. */
static void put_levels(const struct summary *s) {
    const char *title = "categories";
    int64_t shown = 0, left = 0;
    for (int64_t j = 0; j < spgm_data_table_columns(s->data); j++) {
        spgm_table_column column = spgm_data_table_column(s->data, j);
        char number[32];
        if (strcmp(column.kind, "category") != 0 || shown == 4 * NAMED) {
            left += strcmp(column.kind, "category") == 0;
            continue;
        }
        printf("  %-14s  %.60s, %lld level%s: ", title, table_name(s, j, number), (long long)column.levels,
               column.levels == 1 ? "" : "s");
        for (int64_t k = 0; k < column.levels && k < NAMED; k++) {
            printf("%s%.30s", k ? ", " : "", spgm_data_level(s->data, j, k));
        }
        puts(column.levels > NAMED ? ", ..." : "");
        title = "";
        shown++;
    }
    if (left) {
        printf("  %-14s  and %lld more\n", "", (long long)left);
    }
}

/* "687 in Cabin, 177 in Age", most gaps first as far as they are named. */
static void put_gaps(const struct summary *s) {
    int64_t columns, gaps = count_gaps(s, &columns), last = INT64_MAX, shown = 0;
    char number[32], total[32];
    if (!spgm_data_table_columns(s->data)) {
        return;
    }
    if (!gaps) {
        puts("  gaps            none");
        return;
    }
    printf("  gaps            %s: ", screen_count(gaps, total));
    while (shown < columns && shown < NAMED) { /* the next smaller number, and all columns that have it */
        int64_t most = 0;
        for (int64_t j = -1; j < spgm_data_table_columns(s->data); j++) {
            int64_t missing = j < 0 ? spgm_data_target_missing(s->data) : spgm_data_table_column(s->data, j).missing;
            most = missing < last && missing > most ? missing : most;
        }
        for (int64_t j = -1; j < spgm_data_table_columns(s->data) && shown < NAMED; j++) {
            int64_t missing = j < 0 ? spgm_data_target_missing(s->data) : spgm_data_table_column(s->data, j).missing;
            if (missing == most) {
                printf("%s%lld in %.60s", shown++ ? ", " : "", (long long)missing,
                       j < 0 ? "the target" : table_name(s, j, number));
            }
        }
        last = most;
    }
    if (columns > shown) {
        printf(" and %lld more columns", (long long)(columns - shown));
    }
    putchar('\n');
}

static void put_table(const struct summary *s) {
    char count[32];
    int64_t columns = spgm_data_table_columns(s->data);
    if (!columns || count_kind(s, "number") == columns) {
        return;
    }
    printf("  table           %s column%s: ", screen_count(columns, count), columns == 1 ? "" : "s");
    put_kinds(s);
    putchar('\n');
    put_levels(s);
}

/* ---- what may cause trouble ----------------------------------------------------------------------------- */

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

/* All remarks, wrapped to the screen. */
static void put_remarks(const struct summary *s) {
    struct doc doc = doc_text(stdout);
    if (!s->remarks) {
        puts("\nNothing to worry about.");
        return;
    }
    fputc('\n', stdout);
    doc_heading(&doc, "Worth knowing");
    for (int i = 0; i < s->remarks; i++) {
        doc.column = 5;
        doc_item(&doc, "-", s->remark[i]);
    }
}

/* "column 3" or "9 columns (3, 17, 20, 21, 40 and 4 more)" that pass the test */
static const char *list_columns(const struct summary *s, int (*test)(const struct facts *), char text[512]) {
    char number[32];
    int64_t count = count_columns(s, test), shown = 0;
    int at = snprintf(text, 512, count == 1 ? "column " : "%s columns (", screen_count(count, number));
    struct facts nothing = {.duplicate = -1};
    for (int64_t j = 0, k = 0; j < s->matrix.columns && shown < NAMED && shown < count; j++) {
        if (test(holds_entries(&s->matrix, j) ? &s->facts[k++] : &nothing)) {
            at += snprintf(text + at, (size_t)(512 - at), "%s%.60s", shown++ ? ", " : "",
                           task_column(s->data, j, number));
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
    } kinds[] = {{is_zero, "Nothing but zeros, so of no use to a model"},
                 {is_constant, "Constant, so nothing new next to an intercept"},
                 {is_duplicate, "Equal to an earlier column, so that either may be chosen"},
                 {is_count, "Counts the rows, as an identifier does; --exclude leaves it out"},
                 {is_far, "Values hundreds of times further out than most, as slips and codes for gaps (-999) are"},
                 {is_single, "Only one nonzero, which can explain one row and no other"}};
    char list[512];
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (count_columns(s, kinds[i].test) && (kinds[i].test != is_single || s->matrix.rows > 20)) {
            remark(s, "%s: %s.", kinds[i].text, list_columns(s, kinds[i].test, list));
        }
    }
}

/* Columns of the table of that kind, as "name, name and 3 more". */
static const char *list_kind(const struct summary *s, const char *kind, char text[512]) {
    int64_t shown = 0, count = count_kind(s, kind);
    int at = 0;
    for (int64_t j = 0; j < spgm_data_table_columns(s->data) && shown < NAMED; j++) {
        char number[32];
        if (strcmp(spgm_data_table_column(s->data, j).kind, kind) == 0) {
            at += snprintf(text + at, (size_t)(512 - at), "%s%.60s", shown++ ? "," : "", table_name(s, j, number));
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
        remark(s, "Two columns or more have the same name, so that a name does not tell which is meant: %s%s.", list,
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

/* A category because its first value is text, where most of its levels are numbers. */
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
            (long long)numbers, (long long)column.levels, spgm_data_level(s->data, j, word), table_name(s, j, name));
    }
}

static void remark_table(struct summary *s) {
    int64_t columns, gaps = count_gaps(s, &columns);
    char list[512], rows[32];
    if (s->sorted && !s->target_rows) {
        remark(s, "The target holds nothing but gaps%s: --target names another column.",
               spgm_data_target_name(s->data) ? "" : ", as the last column does where lines end in a separator");
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
    if (count_kind(s, "date")) {
        remark(s, "Dates or times, which fit refuses until they are numbers: --exclude %s.",
               list_kind(s, "date", list));
    }
    if (count_kind(s, "text")) {
        remark(s,
               "Nearly every row has a text of its own, as names and identifiers have; fit refuses that: --exclude %s.",
               list_kind(s, "text", list));
    }
    if (count_kind(s, "mixed")) {
        remark(s, "Text among numbers, which fit refuses: correct it, or --exclude or --text %s.",
               list_kind(s, "mixed", list));
    }
    if (count_kind(s, "empty")) {
        remark(s, "Nothing but gaps: --exclude %s.", list_kind(s, "empty", list));
    }
    for (int64_t j = 0; j < spgm_data_table_columns(s->data); j++) {
        spgm_table_column column = spgm_data_table_column(s->data, j);
        char number[32];
        if (strcmp(column.kind, "category") == 0 && column.levels == 1) {
            remark(s, "Only one level, so nothing to tell rows apart by: column %.60s.", table_name(s, j, number));
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
            "The target is text with %lld labels: --loss hinge or another loss of labels makes a model for each label "
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

static void remark_all(struct summary *s) {
    remark_table(s);
    remark_columns(s);
    remark_scale(s);
    if (s->sorted) {
        remark_target(s);
    } else {
        remark(s, "There is no target here; fit needs --target FILE.");
    }
}

/* ---- as JSON -------------------------------------------------------------------------------------------- */

static void json_list(const struct summary *s, const char *key, int (*test)(const struct facts *)) {
    const char *separator = "";
    struct facts nothing = {.duplicate = -1};
    printf(",\n  \"%s\": [", key);
    for (int64_t j = 0, k = 0; j < s->matrix.columns; j++) {
        if (test(holds_entries(&s->matrix, j) ? &s->facts[k++] : &nothing)) {
            printf("%s%lld", separator, (long long)j);
            separator = ", ";
        }
    }
    putchar(']');
}

static void json_target(const struct summary *s) {
    char text[32];
    if (!s->sorted) {
        fputs(",\n  \"target\": null", stdout);
        return;
    }
    fputs(",\n  \"target\": {\"name\": ", stdout);
    if (spgm_data_target_name(s->data)) {
        text_json(stdout, spgm_data_target_name(s->data));
    } else {
        fputs("null", stdout);
    }
    printf(", \"missing\": %lld, \"distinct\": %lld", (long long)spgm_data_target_missing(s->data),
           (long long)s->distinct);
    if (spgm_data_label(s->data, 0)) {
        fputs(", \"labels\": [", stdout);
        for (int64_t k = 0; spgm_data_label(s->data, k); k++) {
            fputs(k ? ", " : "", stdout);
            text_json(stdout, spgm_data_label(s->data, k));
        }
        putchar(']');
    } else if (s->target_rows) {
        printf(", \"low\": %s", text_json_number(s->sorted[0], text));
        printf(", \"high\": %s", text_json_number(s->sorted[s->target_rows - 1], text));
        printf(", \"median\": %s", text_json_number(median_of_target(s), text));
    }
    putchar('}');
}

static void json_table(const struct summary *s) {
    int64_t columns = spgm_data_table_columns(s->data);
    if (!columns) {
        return;
    }
    fputs(",\n  \"table\": [", stdout);
    for (int64_t j = 0; j < columns; j++) {
        spgm_table_column column = spgm_data_table_column(s->data, j);
        printf("%s\n    {\"name\": ", j ? "," : "");
        if (column.name) {
            text_json(stdout, column.name);
        } else {
            fputs("null", stdout);
        }
        printf(", \"kind\": \"%s\", \"missing\": %lld, \"first\": %lld, \"columns\": %lld", column.kind,
               (long long)column.missing, (long long)column.first, (long long)column.count);
        if (strcmp(column.kind, "category") == 0) {
            fputs(", \"levels\": [", stdout);
            for (int64_t k = 0; k < column.levels; k++) {
                fputs(k ? ", " : "", stdout);
                text_json(stdout, spgm_data_level(s->data, j, k));
            }
            putchar(']');
        }
        putchar('}');
    }
    fputs("\n  ]", stdout);
}

static int put_json(const struct summary *s, const char *path) {
    char text[32];
    int64_t columns;
    fputs("{\n  \"data\": ", stdout);
    text_json(stdout, path);
    printf(",\n  \"format\": \"%s\",\n  \"rows\": %lld,\n  \"columns\": %lld,\n  \"sparse\": %s",
           spgm_data_format(s->data), (long long)s->matrix.rows, (long long)s->matrix.columns,
           s->matrix.column_start ? "true" : "false");
    printf(",\n  \"nonzeros\": %lld,\n  \"missing\": %lld", (long long)s->nonzeros, (long long)count_gaps(s, &columns));
    printf(",\n  \"low\": %s", text_json_number(s->low, text));
    printf(",\n  \"high\": %s", text_json_number(s->high, text));
    json_target(s);
    json_table(s);
    json_list(s, "zero_columns", is_zero);
    json_list(s, "constant_columns", is_constant);
    json_list(s, "duplicate_columns", is_duplicate);
    json_list(s, "counting_columns", is_count);
    json_list(s, "far_columns", is_far);
    fputs(",\n  \"remarks\": [", stdout);
    for (int i = 0; i < s->remarks; i++) {
        fputs(i ? ",\n    " : "\n    ", stdout);
        text_json(stdout, s->remark[i]);
    }
    fputs(s->remarks ? "\n  ]\n}\n" : "]\n}\n", stdout);
    return outfile_flush();
}

/* ---- the command ---------------------------------------------------------------------------------------- */

static int print_all(const struct summary *s, const char *path) {
    put_shape(s, path);
    put_table(s);
    put_gaps(s);
    put_values(s);
    if (s->sorted) {
        put_target(s);
    }
    put_remarks(s);
    return outfile_flush();
}

static int info_run(const struct args *args) {
    struct summary s = {0};
    spgm_data *data = NULL;
    int result = task_read(args, args->operand[0], (spgm_read_options){.survey = 1}, &data);
    if (result == CLI_DONE) {
        s.data = data;
        s.matrix = spgm_data_matrix(data);
        result = take_facts(&s);
    }
    if (result == CLI_DONE && !spgm_data_table_columns(data) && (args_get(args, "exclude") || args_get(args, "only"))) {
        result = cli_error("%s is a %s file: info takes --exclude and --only for CSV files", args->operand[0],
                           spgm_data_format(data));
    }
    result = result ? result : sort_target(&s);
    if (result == CLI_DONE) {
        summarise(&s);
        remark_all(&s);
        result = (args_get(args, "json") ? put_json : print_all)(&s, args->operand[0]);
    }
    for (int i = 0; i < s.remarks; i++) {
        free(s.remark[i]);
    }
    free(s.sorted);
    free(s.facts);
    spgm_data_free(data);
    return result;
}

static void describe(struct doc *doc) {
    doc_heading(doc, "What it does");
    doc_paragraph(
        doc,
        "Reads DATA and prints its shape, nonzeros, ranges, the target, and what may cause trouble: columns that are "
        "zero, constant or repeated, names that are, row numbers, values far from the rest, very different scales, "
        "outliers or labels in the target. Of a CSV file also which columns are numbers, categories with their levels, "
        "dates or names, and where values are missing. A file that cannot be read is refused with the sentence that "
        "fit has for it.");
}

const struct command command_info = {.name = "info",
                                     .summary = "say what a data file holds and what may cause trouble",
                                     .usage = "DATA [--target FILE|COLUMN] [--json]",
                                     .operands = {"DATA"},
                                     .flags = flags,
                                     .describe = describe,
                                     .topics = {topic_problem, topic_losses, topic_data},
                                     .examples = "spgm info houses.csv --target price\n"
                                                 "spgm info train.svm.xz",
                                     .run = info_run};
