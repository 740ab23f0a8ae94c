/* Counts over the target and over the table that the columns come from. */
#include "cli.h"
#include "info.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sorts a copy of the target, gaps left out, and counts the distinct values. */
int info_sort_target(struct summary *s) {
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
    qsort(s->sorted, (size_t)s->target_rows, sizeof *s->sorted, text_ascending);
    for (int64_t i = 0; i < s->target_rows; i++) {
        s->distinct += i == 0 || s->sorted[i] != s->sorted[i - 1];
    }
    return CLI_DONE;
}

double info_median_of_target(const struct summary *s) {
    return 0.5 * s->sorted[(s->target_rows - 1) / 2] + 0.5 * s->sorted[s->target_rows / 2];
}

int64_t info_count_kind(const struct summary *s, const char *kind) {
    int64_t count = 0;
    for (int64_t j = 0; j < spgm_data_table_columns(s->data); j++) {
        count += strcmp(spgm_data_table_column(s->data, j).kind, kind) == 0;
    }
    return count;
}

const char *info_table_name(const struct summary *s, int64_t j, char number[32]) {
    const char *name = spgm_data_table_column(s->data, j).name;
    snprintf(number, 32, "%lld", (long long)j + 1);
    return name ? name : number;
}

/* Gaps in the columns that are used, and the target; how many columns have any. */
int64_t info_count_gaps(const struct summary *s, int64_t *columns) {
    int64_t gaps = spgm_data_target_missing(s->data);
    *columns = gaps > 0;
    for (int64_t j = 0; j < spgm_data_table_columns(s->data); j++) {
        spgm_table_column column = spgm_data_table_column(s->data, j);
        gaps += column.missing;
        *columns += column.missing > 0;
    }
    return gaps;
}
