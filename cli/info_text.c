/* What `spgm info` prints for people. */
#include "cli.h"
#include "info.h"

#include <string.h>

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
    printf("  zero columns    %s\n", screen_count(info_count(s, info_is_zero), count));
    printf("  constant        %s\n", screen_count(info_count(s, info_is_constant), count));
    printf("  duplicates      %s\n", screen_count(info_count(s, info_is_duplicate), count));
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
    printf("%.6g to %.6g, median %.6g, %s distinct\n", s->sorted[0], s->sorted[s->target_rows - 1],
           info_median_of_target(s), screen_count(s->distinct, count));
}

/* "5 numbers, 2 categories, 1 excluded" */
static void put_kinds(const struct summary *s) {
    static const char *const kinds[][3] = {{"number", "number", "numbers"},     {"category", "category", "categories"},
                                           {"date", "date", "dates"},           {"text", "text", "texts"},
                                           {"mixed", "mixed", "mixed"},         {"empty", "empty", "empty"},
                                           {"excluded", "excluded", "excluded"}};
    const char *separator = "";
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        int64_t count = info_count_kind(s, kinds[i][0]);
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
        printf("  %-14s  %.60s, %lld level%s: ", title, info_table_name(s, j, number), (long long)column.levels,
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
    int64_t columns, gaps = info_count_gaps(s, &columns), last = INT64_MAX, shown = 0;
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
                       j < 0 ? "the target" : info_table_name(s, j, number));
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
    if (!columns || info_count_kind(s, "number") == columns) {
        return;
    }
    printf("  table           %s column%s: ", screen_count(columns, count), columns == 1 ? "" : "s");
    put_kinds(s);
    putchar('\n');
    put_levels(s);
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

int info_print(const struct summary *s, const char *path) {
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
