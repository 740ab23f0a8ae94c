/* spgm info: what a file holds, and what about it may cause trouble. */
#include "cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const struct flag flags[] = {
    {"target", "FILE", "as in fit: a file with the target, or name or number of the target column of a CSV file", 0},
    {"quiet", NULL, "print nothing but results and errors", 'q'},
    {0}};

enum { NAMED = 5 }; /* so many columns are named in a sentence */

struct facts {
    int64_t column;    /* from 0                                      */
    int64_t nonzeros;  /* entries that are not zero                   */
    double low, high;  /* over all rows                               */
    double norm;       /* Euclidean                                   */
    uint64_t print;    /* equal for equal columns                     */
    int64_t duplicate; /* an earlier column with the same entries, -1 */
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

static struct facts examine(const spgm_matrix *matrix, int64_t j) {
    struct cursor c = cursor_at(matrix, j);
    struct facts f = {.column = j, .low = INFINITY, .high = -INFINITY, .duplicate = -1};
    double largest = 0, square = 0;
    for (int64_t k = 0; k < c.stored; k++) {
        largest = fmax(largest, fabs(c.value[k]));
    }
    for (int64_t k = 0; k < c.stored; k++) {
        double v = c.value[k];
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

/* ---- the whole -------------------------------------------------------------------------------------- */

struct summary {
    const spgm_data *data;
    spgm_matrix matrix;
    struct facts *facts; /* of the columns that hold entries [known], ascending */
    int64_t known, nonzeros;
    double low, high, least; /* least: smallest magnitude above 0 */
    double norm_low, norm_high;
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
    for (int64_t j = 0, k = 0; k < s->known; j++) {
        if (!holds_entries(&s->matrix, j)) {
            continue;
        }
        struct facts f = s->facts[k++] = examine(&s->matrix, j);
        s->nonzeros += f.nonzeros;
        s->low = fmin(s->low, f.low);
        s->high = fmax(s->high, f.high);
        s->least = least_magnitude(&s->matrix, j, s->least);
        if (f.nonzeros > 0) {
            s->norm_low = fmin(s->norm_low, f.norm);
            s->norm_high = fmax(s->norm_high, f.norm);
        }
    }
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

static int by_value(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;
    return p < q ? -1 : p > q;
}

/* Sorts a copy of the target; returns the number of distinct values, -1 without memory. */
static int64_t sort_target(const struct summary *s, double **sorted) {
    int64_t rows = s->matrix.rows, distinct = rows > 0;
    if (!(*sorted = malloc(((size_t)rows + 1) * sizeof **sorted))) {
        return -1;
    }
    memcpy(*sorted, spgm_data_target(s->data), (size_t)rows * sizeof **sorted);
    qsort(*sorted, (size_t)rows, sizeof **sorted, by_value);
    for (int64_t i = 1; i < rows; i++) {
        distinct += (*sorted)[i] != (*sorted)[i - 1];
    }
    return distinct;
}

static void put_target(const struct summary *s, const double *sorted, int64_t distinct) {
    const char *name = spgm_data_target_name(s->data);
    int64_t rows = s->matrix.rows;
    char count[32];
    printf("  target          %s%s%.6g to %.6g, median %.6g, %s distinct\n", name ? name : "", name ? ": " : "",
           sorted[0], sorted[rows - 1], 0.5 * sorted[(rows - 1) / 2] + 0.5 * sorted[rows / 2],
           screen_count(distinct, count));
}

/* ---- what may cause trouble ----------------------------------------------------------------------------- */

/* One remark, wrapped to the screen; the first one gets a heading. */
__attribute__((format(printf, 2, 3))) static void remark(struct summary *s, const char *format, ...) {
    char text[1024];
    va_list list;
    struct doc doc = doc_text(stdout);
    if (!s->remarks++) {
        fputc('\n', stdout);
        doc_heading(&doc, "Worth knowing");
    }
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    doc.column = 5;
    doc_item(&doc, "-", text);
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
                 {is_single, "Only one nonzero, which can explain one row and no other"}};
    char list[512];
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (count_columns(s, kinds[i].test) && (kinds[i].test != is_single || s->matrix.rows > 20)) {
            remark(s, "%s: %s.", kinds[i].text, list_columns(s, kinds[i].test, list));
        }
    }
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

static void remark_target(struct summary *s, const double *sorted, int64_t distinct) {
    int64_t rows = s->matrix.rows;
    double low = sorted[0], high = sorted[rows - 1], quarter = sorted[rows / 4], three = sorted[3 * (rows - 1) / 4];
    double reach = 10 * (three - quarter);
    if (distinct == 1 && rows > 1) {
        remark(s, "The target is constant: an intercept alone fits it exactly.");
    } else if (distinct == 2) {
        remark(s, "The target has two values, %g and %g: labels for --loss hinge, where %g counts as +1.", low, high,
               high);
    } else if (three > quarter && (high > three + reach || low < quarter - reach)) {
        remark(s,
               "The target has outliers (half of it lies in %.4g to %.4g, the extremes are %.4g and %.4g): prefer l1, "
               "quantile or epsilon to l2 and linf.",
               quarter, three, low, high);
    }
}

/* ---- the command ---------------------------------------------------------------------------------------- */

static int print_all(struct summary *s, const char *path) {
    double *sorted = NULL;
    int64_t distinct = spgm_data_target(s->data) ? sort_target(s, &sorted) : 0;
    if (distinct < 0) {
        return cli_out_of_memory();
    }
    put_shape(s, path);
    put_values(s);
    if (sorted) {
        put_target(s, sorted, distinct);
    }
    remark_columns(s);
    remark_scale(s);
    if (sorted) {
        remark_target(s, sorted, distinct);
    } else {
        remark(s, "There is no target here; fit needs --target FILE.");
    }
    if (!s->remarks) {
        puts("\nNothing to worry about.");
    }
    free(sorted);
    return outfile_flush();
}

static int info_run(const struct args *args) {
    struct summary s = {0};
    spgm_data *data = NULL;
    int result = task_read(args, args->operand[0], (spgm_read_options){0}, &data);
    if (result == CLI_DONE) {
        s.data = data;
        s.matrix = spgm_data_matrix(data);
        result = take_facts(&s);
    }
    if (result == CLI_DONE) {
        summarise(&s);
        result = print_all(&s, args->operand[0]);
    }
    free(s.facts);
    spgm_data_free(data);
    return result;
}

static void describe(struct doc *doc) {
    doc_heading(doc, "What it does");
    doc_paragraph(
        doc,
        "Reads DATA as fit would, and prints its shape, nonzeros, ranges, the target, and what may cause trouble: "
        "columns "
        "that are zero, constant or repeated, very different scales, outliers or labels in the target. A file that fit "
        "would refuse is refused with the same sentence.");
}

const struct command command_info = {.name = "info",
                                     .summary = "say what a data file holds and what may cause trouble",
                                     .usage = "DATA [--target FILE]",
                                     .operands = {"DATA"},
                                     .flags = flags,
                                     .describe = describe,
                                     .topics = {topic_problem, topic_losses, topic_data},
                                     .examples = "spgm info houses.csv --target price\n"
                                                 "spgm info train.svm.xz",
                                     .run = info_run};
