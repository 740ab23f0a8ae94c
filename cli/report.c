/* The result of a fit for people: what was solved, the coefficients, the objective, why it stopped, where the time
 * went. */
#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_SHOWN = 25, NAME_SHOWN = 28, BAR_MAX = 30 };

/* One coefficient, and how much its column moves the prediction: |x_j| times the standard deviation of the column. */
struct line {
    int64_t column;
    double coefficient, effect;
};

/* ---- numbers -------------------------------------------------------------------------------------- */

/* Stored entry k of column j. */
static double stored_value(const spgm_matrix *matrix, int64_t j, int64_t k) {
    if (matrix->column_start) {
        return matrix->values[matrix->column_start[j] + k];
    }
    int64_t place = matrix->column_of ? matrix->column_of[j] : j;
    int64_t at = matrix->by_rows ? k * matrix->leading_dimension + place : k + place * matrix->leading_dimension;
    return matrix->singles ? (double)matrix->singles[at] : matrix->values[at];
}

/* In two passes; rows that are not stored are zeros. */
double report_deviation(const spgm_matrix *matrix, int64_t j) {
    int64_t stored = matrix->column_start ? matrix->column_start[j + 1] - matrix->column_start[j] : matrix->rows;
    double mean = 0, square = 0, rows = (double)matrix->rows;
    for (int64_t k = 0; k < stored; k++) {
        mean += stored_value(matrix, j, k) / rows;
    }
    for (int64_t k = 0; k < stored; k++) {
        double from_mean = stored_value(matrix, j, k) - mean;
        square += from_mean * from_mean / rows;
    }
    return sqrt(square + mean * mean * (rows - (double)stored) / rows);
}

static int by_effect(const void *a, const void *b) {
    const struct line *p = a, *q = b;
    if (p->effect != q->effect) {
        return p->effect < q->effect ? 1 : -1;
    }
    return p->column < q->column ? -1 : p->column > q->column;
}

/* The nonzeros of x, largest effect first; *count of them. NULL: out of memory. */
static struct line *collect(const struct task *task, const spgm_solver *solver, int64_t *count) {
    size_t nonzeros = (size_t)(*count = spgm_solver_get_nonzeros(solver, NULL, NULL));
    struct line *lines = malloc((nonzeros + 1) * sizeof *lines);
    int64_t *columns = malloc((nonzeros + 1) * sizeof *columns);
    double *x = malloc((nonzeros + 1) * sizeof *x);
    if (lines && columns && x) {
        spgm_solver_get_nonzeros(solver, columns, x);
        for (size_t k = 0; k < nonzeros; k++) {
            lines[k] = (struct line){columns[k], x[k], fabs(x[k]) * report_deviation(&task->matrix, columns[k])};
        }
        qsort(lines, nonzeros, sizeof *lines, by_effect);
    } else {
        free(lines);
        lines = NULL;
    }
    free(columns);
    free(x);
    return lines;
}

/* ---- the table -------------------------------------------------------------------------------------- */

static void put_bar(double share, int width) {
    const char *mark = screen_utf8() ? "\u25a0" : "#";
    int length = (int)lround(share * width);
    for (int i = 0; i < length; i++) {
        fputs(mark, stderr);
    }
}

/* Widest name, 0 when columns have no names. */
static int name_width(const struct task *task, const struct line *lines, int64_t count) {
    int widest = 0;
    for (int64_t k = 0; k < count; k++) {
        const char *name = spgm_data_column_name(task->data, lines[k].column);
        int length = name ? screen_length(name) : 0;
        widest = length > widest ? length : widest;
    }
    int least = widest ? (int)strlen("intercept") : 0;
    return widest > NAME_SHOWN ? NAME_SHOWN : widest < least ? least : widest;
}

static void put_lines(const struct task *task, const struct line *lines, int64_t shown, int names, int bar) {
    for (int64_t k = 0; k < shown; k++) {
        fprintf(stderr, "  %8lld  ", (long long)task_number(task->data, lines[k].column));
        if (names) {
            label_put(stderr, spgm_data_column_name(task->data, lines[k].column), names);
            fputs("  ", stderr);
        }
        fprintf(stderr, "%13.6g  %10.4g", lines[k].coefficient, lines[k].effect);
        if (bar > 0 && lines[0].effect > 0) {
            fputs("  ", stderr);
            put_bar(lines[k].effect / lines[0].effect, bar);
        }
        fputc('\n', stderr);
    }
}

static void put_table(const struct args *args, const struct task *task, const spgm_solver *solver) {
    int64_t count, shown;
    struct line *lines = collect(task, solver, &count);
    double intercept;
    if (!lines) {
        return;
    }
    spgm_solver_get_x(solver, NULL, &intercept);
    shown = count > ROWS_SHOWN && !args_get(args, "verbose") ? ROWS_SHOWN : count;
    int names = name_width(task, lines, shown), used = 10 + 2 + (names ? names + 2 : 0) + 13 + 2 + 10 + 2;
    int bar = screen_width(stderr) - 1 - used;
    bar = bar > BAR_MAX ? BAR_MAX : bar < 5 ? 0 : bar;
    const char *bold = screen_styled(stderr) ? "\033[1m" : "", *plain = *bold ? "\033[0m" : "";
    fprintf(stderr, "\n%s    column  %-*s%s%13s  %10s%s\n", bold, names, names ? "name" : "", names ? "  " : "",
            "coefficient", "effect", plain);
    put_lines(task, lines, shown, names, bar);
    if (shown < count) {
        fprintf(stderr, "            ... and %lld with less effect; --verbose shows all\n", (long long)(count - shown));
    }
    if (intercept != 0 && names) {
        fprintf(stderr, "  %8s  %-*s  %13.6g\n", "", names, "intercept", intercept);
    } else if (intercept != 0) {
        fprintf(stderr, "%10s  %13.6g\n", "intercept", intercept);
    }
    free(lines);
}

/* ---- around the table --------------------------------------------------------------------------------- */

static const char *option_text(const spgm_options *options, const char *name, char text[64]) {
    return spgm_options_get(options, name, text, 64, NULL) ? "" : text;
}

const char *report_loss(const spgm_options *options, char text[96]) {
    char loss[64], level[64];
    const char *parameter = spgm_loss_parameter(args_loss(options));
    int at = snprintf(text, 96, "%s", option_text(options, "loss", loss));
    if (parameter) {
        at += snprintf(text + at, 96 - (size_t)at, " %.6g", strtod(option_text(options, parameter, level), NULL));
    }
    snprintf(text + at, 96 - (size_t)at, " loss");
    return text;
}

int report_is_projected(const spgm_options *options) {
    char rule[64];
    return strcmp(option_text(options, "rule", rule), "projected") == 0;
}

const char *report_file(const char *path) {
    const char *slash = strrchr(path, '/');
    return strcmp(path, "-") == 0 ? "standard input" : slash ? slash + 1 : path;
}

void report_title(const struct args *args, char *title, size_t size) {
    char loss[96], ridge[64];
    option_text(args->options, "ridge", ridge);
    int has_ridge = strtod(ridge, NULL) > 0;
    snprintf(ridge, sizeof ridge, "%.4g", strtod(ridge, NULL));
    snprintf(title, size, "%s, %s%s%s", report_file(args->operand[0]), report_loss(args->options, loss),
             has_ridge ? " + ridge " : "", has_ridge ? ridge : "");
}

/* " (12 of them for 3 categories), 2 excluded" */
static void put_categories(const struct task *task) {
    int64_t categories = 0, levels = 0, excluded = 0;
    for (int64_t j = 0; j < spgm_data_table_columns(task->data); j++) {
        spgm_table_column column = spgm_data_table_column(task->data, j);
        categories += strcmp(column.kind, "category") == 0;
        levels += strcmp(column.kind, "category") == 0 ? column.count : 0;
        excluded += strcmp(column.kind, "excluded") == 0;
    }
    if (categories) {
        fprintf(stderr, " (%lld of them for %lld %s)", (long long)levels, (long long)categories,
                categories == 1 ? "category" : "categories");
    }
    if (excluded) {
        fprintf(stderr, ", %lld excluded", (long long)excluded);
    }
}

void report_problem(const struct args *args, const struct task *task, const char *of, const char *sizes) {
    char rows[32], columns[32], loss[128], ridge[64], intercept[64];
    report_loss(args->options, loss);
    option_text(args->options, "ridge", ridge);
    int has_ridge = !of && strtod(ridge, NULL) > 0;
    snprintf(ridge, sizeof ridge, "%.6g", strtod(ridge, NULL));
    if (of) {
        snprintf(loss, sizeof loss, "%s", of);
    } else if (args_get(args, "quantiles")) {
        snprintf(loss, sizeof loss, "quantiles %.80s", args_get(args, "quantiles"));
    }
    int has_intercept = strcmp(option_text(args->options, "intercept", intercept), "true") == 0;
    fprintf(stderr, "%s: %s rows", args->operand[0], screen_count(task->matrix.rows, rows));
    if (spgm_data_rows_read(task->data) > task->matrix.rows) {
        fprintf(stderr, " (%s more have gaps)",
                screen_count(spgm_data_rows_read(task->data) - task->matrix.rows, rows));
    }
    fprintf(stderr, ", %s columns", screen_count(task->matrix.columns, columns));
    put_categories(task);
    fprintf(stderr, "%s%s", spgm_data_target_name(task->data) ? ", target " : "",
            spgm_data_target_name(task->data) ? spgm_data_target_name(task->data) : "");
    fprintf(stderr, "%s%s\n", args_get(args, "weights") ? ", weights " : "",
            args_get(args, "weights") ? args_get(args, "weights") : "");
    int length = (int)strlen(feasible_unit(task)) - (strcmp(sizes, "1") == 0); /* "1 nonzero" */
    fprintf(stderr, "%s%s%s, at most %s %.*s", loss, has_ridge ? " + ridge " : "", has_ridge ? ridge : "", sizes,
            length, feasible_unit(task));
    if (task->free_count) {
        fprintf(stderr, "%s %lld free column%s", has_intercept ? "," : " and", (long long)task->free_count,
                task->free_count == 1 ? "" : "s");
    }
    fputs(has_intercept ? " and an intercept\n" : "\n", stderr);
}

/* "F = 2124.1; no model with 10 columns can be below 1987.3: at most 6.9 % above the optimum" */
static void put_bound(const struct task *task, const spgm_info *info, int64_t sparsity) {
    if (!isfinite(info->bound)) {
        doc_fact("bound", "no bound");
    } else if (info->outcome == SPGM_OPTIMAL) {
        doc_fact("bound", "%.10g: F is optimal", info->bound);
    } else {
        int is_columns = strcmp(feasible_unit(task), "nonzeros") == 0;
        char above[64] = "";
        if (info->bound > 1e-9 * info->objective) { /* of next to nothing no share is to be had */
            snprintf(above, sizeof above, ": at most %.2g %% above the optimum",
                     100 * (info->objective / info->bound - 1));
        }
        doc_fact("bound", "F = %.6g; no model with %lld %s can be below %.6g%s", info->objective, (long long)sparsity,
                 is_columns ? "columns" : feasible_unit(task), info->bound, above);
    }
    if (info->nodes > 0) {
        char nodes[32];
        fprintf(stderr, "  nodes      %s of branch and bound\n", screen_count(info->nodes, nodes));
    }
}

static void put_objective(const struct task *task, const spgm_solver *solver, const spgm_info *info, int64_t sparsity) {
    fprintf(stderr, "\n  objective  %.10g = loss %.10g + smooth %.6g\n", info->objective, info->loss_value,
            info->smooth_value);
    put_bound(task, info, sparsity);
    feasible_report(task, solver, info, sparsity);
    doc_fact("outcome", "%s: %s", spgm_outcome_name(info->outcome), spgm_outcome_text(info->outcome));
    if (info->outcome != SPGM_OPTIMAL) { /* of which the outcome has said all */
        char verdict[192];
        spgm_info_verdict(info, verdict, sizeof verdict);
        doc_fact("verdict", "%s", verdict);
    }
}

/* Components above 1 % of the time. */
static void put_time(const struct args *args, const spgm_solver *solver, const spgm_info *info) {
    char seconds[32], iterations[32], method[64];
    const char *name, *separator = "";
    double part;
    fprintf(stderr, "  time       %s for %s iterations of %s\n", screen_seconds(info->seconds, seconds),
            screen_count(info->iterations, iterations), option_text(args->options, "method", method));
    for (int64_t i = 0; spgm_solver_get_time(solver, i, &name, &part); i++) {
        if (part > 0.01 * info->seconds) {
            fprintf(stderr, "%s%s %.0f %%", *separator ? separator : "             ", name, 100 * part / info->seconds);
            separator = ", ";
        }
    }
    if (*separator) {
        fputc('\n', stderr);
    }
}

/* "Region=Mars, Region=Venus and 3 more" */
static void put_unseen(const spgm_data *data) {
    enum { SHOWN = 5 };
    int64_t count = 0;
    for (; spgm_data_unseen(data, count); count++) {
        if (count < SHOWN) {
            fprintf(stderr, "%s%.60s", count ? ", " : "  not seen          ", spgm_data_unseen(data, count));
        }
    }
    if (count > SHOWN) {
        fprintf(stderr, " and %lld more", (long long)(count - SHOWN));
    }
    fputs(count ? "\n" : "", stderr);
}

void report_skipped(const spgm_data *data, int64_t skipped) {
    char rows[32];
    if (skipped) {
        fprintf(stderr, "  no prediction     %s row%s with gaps%s\n", screen_count(skipped, rows),
                skipped == 1 ? "" : "s", spgm_data_unseen(data, 0) ? " or levels that the model has not seen" : "");
        put_unseen(data);
    }
}

void report_fit(const struct args *args, const struct task *task, const spgm_solver *solver, int64_t sparsity) {
    spgm_info info = spgm_solver_get_info(solver);
    char sizes[32];
    snprintf(sizes, sizeof sizes, "%lld", (long long)sparsity);
    report_problem(args, task, NULL, sizes);
    put_table(args, task, solver);
    put_objective(task, solver, &info, sparsity);
    put_time(args, solver, &info);
}
