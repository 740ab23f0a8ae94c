/* What a file holds, as JSON. */
#include "cli.h"
#include "info.h"

#include <string.h>

static void json_list(const struct summary *s, const char *key, int (*test)(const struct facts *)) {
    const char *separator = "";
    struct facts nothing = {.duplicate = -1};
    printf(",\n  \"%s\": [", key);
    for (int64_t j = 0, k = 0; j < s->matrix.columns; j++) {
        if (test(info_holds_entries(&s->matrix, j) ? &s->facts[k++] : &nothing)) {
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
        printf(", \"median\": %s", text_json_number(info_median_of_target(s), text));
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

int info_put_json(const struct summary *s, const char *path) {
    char text[32];
    int64_t columns;
    fputs("{\n  \"data\": ", stdout);
    text_json(stdout, path);
    printf(",\n  \"format\": \"%s\",\n  \"rows\": %lld,\n  \"columns\": %lld,\n  \"sparse\": %s",
           spgm_data_format(s->data), (long long)s->matrix.rows, (long long)s->matrix.columns,
           s->matrix.column_start ? "true" : "false");
    printf(",\n  \"nonzeros\": %lld,\n  \"missing\": %lld", (long long)s->nonzeros,
           (long long)info_count_gaps(s, &columns));
    printf(",\n  \"low\": %s", text_json_number(s->low, text));
    printf(",\n  \"high\": %s", text_json_number(s->high, text));
    json_target(s);
    json_table(s);
    json_list(s, "zero_columns", info_is_zero);
    json_list(s, "constant_columns", info_is_constant);
    json_list(s, "duplicate_columns", info_is_duplicate);
    json_list(s, "counting_columns", info_is_count);
    json_list(s, "far_columns", info_is_far);
    fputs(",\n  \"remarks\": [", stdout);
    for (int i = 0; i < s->remarks; i++) {
        fputs(i ? ",\n    " : "\n    ", stdout);
        text_json(stdout, s->remark[i]);
    }
    fputs(s->remarks ? "\n  ]\n}\n" : "]\n}\n", stdout);
    return outfile_flush();
}
