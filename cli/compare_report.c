/* The comparison as a table for people, as CSV and as JSON. */
#include <math.h>
#include <string.h>

#include "compare.h"

/* ---- the table ------------------------------------------------------------------------------------------- */

struct layout {
    int starts, worst; /* nonzero: mean and best of several starts; also the worst */
    int name;          /* width of the longest */
    const char *bold, *plain;
};

static void put_heads(const struct layout *layout) {
    if (layout->starts) {
        const char *worst = layout->worst ? "      worst" : "";
        fprintf(stderr, "%s  %-*s  %9s %10s%s  %9s %10s%s  %9s  %4s  %7s  %s%s\n", layout->bold, layout->name, "method",
                "raw mean", "best", worst, "pol. mean", "best", worst, "time", "nnz", "overlap", "outcome",
                layout->plain);
    } else {
        fprintf(stderr, "%s  %-*s  %10s  %10s  %9s  %4s  %7s  %s%s\n", layout->bold, layout->name, "method", "raw",
                "polished", "time", "nnz", "overlap", "outcome", layout->plain);
    }
}

static void put_spread(const struct layout *layout, const struct spread *spread, int is_best) {
    const char *bold = is_best ? layout->bold : "", *plain = is_best ? layout->plain : "";
    if (layout->starts) {
        fprintf(stderr, "  %9.6g %s%9.6g%s%s", spread->mean, bold, spread->low, is_best ? "*" : " ", plain);
        if (layout->worst) {
            fprintf(stderr, " %10.6g", spread->high);
        }
    } else {
        fprintf(stderr, "  %s%9.6g%s%s", bold, spread->mean, is_best ? "*" : " ", plain);
    }
}

static void put_line(const struct compare *compare, const struct layout *layout, int64_t size, int64_t method) {
    struct summary sum = compare_summary(compare, size, method);
    int64_t winner;
    char time[32];
    fprintf(stderr, "  %-*s", layout->name, compare->variant[method].name);
    if (!sum.done) {
        const char *why = sum.message ? sum.message : "not run";
        fprintf(stderr, "  %.*s\n", (int)strcspn(why, ",:;"), why); /* one line of the table; the files have all */
        return;
    }
    const struct trial *best = compare_best(compare, size, &winner);
    put_spread(layout, &sum.raw, 0);
    put_spread(layout, &sum.polished, sum.polished.low <= best->polished * (1 + 1e-9));
    fprintf(stderr, "  %9s  %4lld  %5.0f %%  %s", screen_seconds(sum.seconds.mean, time), (long long)sum.best->nonzeros,
            100 * sum.overlap, spgm_outcome_name(sum.best->outcome));
    if (sum.done < compare->starts) {
        fprintf(stderr, " (%lld of %lld starts)", (long long)sum.done, (long long)compare->starts);
    }
    fputc('\n', stderr);
}

static void put_bound(const struct compare *compare, int64_t size) {
    int64_t method = 0;
    double bound = compare_bound(compare, size, &method);
    if (isfinite(bound)) {
        fprintf(stderr, "  proven by %s: no model of this size has F below %.6g\n", compare->variant[method].name,
                bound);
    }
}

static int any_ended(const struct compare *compare, int64_t size) {
    for (int64_t m = 0; m < compare->methods; m++) {
        struct summary sum = compare_summary(compare, size, m);
        if (sum.done || sum.message) {
            return 1;
        }
    }
    return 0;
}

void compare_table(const struct compare *compare) {
    char rows[32], columns[32], problem[160];
    struct layout layout = {
        .starts = compare->starts > 1, .worst = screen_width(stderr) >= 120, .name = 14, .bold = "", .plain = ""};
    for (int64_t m = 0; m < compare->methods; m++) {
        int length = screen_length(compare->variant[m].name);
        layout.name = length > layout.name ? length : layout.name;
    }
    if (screen_styled(stderr)) {
        layout.bold = "\033[1m";
        layout.plain = "\033[0m";
    }
    fprintf(stderr, "%s: %s rows, %s columns; %s; %lld %s of every method\n", compare->args->operand[0],
            screen_count(compare->task.matrix.rows, rows), screen_count(compare->task.matrix.columns, columns),
            compare_problem(compare, problem), (long long)compare->starts, compare->starts == 1 ? "run" : "starts");
    if (compare->task.classes) {
        fprintf(stderr, "%lld labels, each against the rest: F, time and nonzeros are sums over them\n",
                (long long)compare->task.classes);
    }
    for (int64_t i = 0; i < compare->sizes; i++) {
        fprintf(stderr, "\n%sAt most %lld %s%s\n", layout.bold, (long long)compare->sparsity[i],
                feasible_unit(task_part(&compare->task, 0)), layout.plain);
        if (!any_ended(compare, i)) {
            fputs("  not run\n", stderr);
            continue;
        }
        put_heads(&layout);
        for (int64_t m = 0; m < compare->methods; m++) {
            put_line(compare, &layout, i, m);
        }
        put_bound(compare, i);
    }
    fputc('\n', stderr);
    doc_fact("*", "lowest F found. raw: as the method left it; polished: after exact minimisation over its columns");
}

/* ---- CSV ---------------------------------------------------------------------------------------------------- */

static const char *number(double value, char text[32]) {
    if (!isfinite(value)) {
        text[0] = '\0';
        return text;
    }
    return screen_exact(value, text);
}

static void csv_run(FILE *file, const struct compare *compare, int64_t size, int64_t method, int64_t start) {
    const struct trial *trial = compare_trial(compare, size, method, start);
    int64_t winner;
    char text[6][32];
    fprintf(file, "%lld,%s,%lld,%lld,", (long long)compare->sparsity[size], compare->variant[method].name,
            (long long)start + 1, (long long)(compare->seed + start));
    if (trial->state == TRIAL_DONE) {
        fprintf(file, "%s,%s,%s,%s,%s,%lld,%s,%lld,%s,\n", number(trial->objective, text[0]),
                number(trial->polished, text[1]), number(trial->bound, text[2]), number(trial->seconds, text[3]),
                number(trial->polish_seconds, text[4]), (long long)trial->nonzeros,
                number(compare_overlap(trial, compare_best(compare, size, &winner)), text[5]),
                (long long)trial->iterations, spgm_outcome_name(trial->outcome));
    } else {
        fputs(",,,,,,,,refused,", file);
        text_csv(file, trial->message);
        fputc('\n', file);
    }
}

static void put_csv(FILE *file, const struct compare *compare) {
    fputs("s,method,start,seed,objective,polished,bound,seconds,polish_seconds,nonzeros,overlap,iterations,outcome,"
          "message\n",
          file);
    for (int64_t i = 0; i < compare->sizes; i++) {
        for (int64_t m = 0; m < compare->methods; m++) {
            for (int64_t k = 0; k < compare->starts; k++) {
                enum trial_state state = compare_trial(compare, i, m, k)->state;
                if (state == TRIAL_DONE || state == TRIAL_REFUSED) {
                    csv_run(file, compare, i, m, k);
                }
            }
        }
    }
}

/* ---- JSON --------------------------------------------------------------------------------------------------- */

static void json_spread(FILE *file, const char *name, const struct spread *spread) {
    char text[3][32];
    fprintf(file, ", \"%s\": {\"mean\": %s, \"best\": %s, \"worst\": %s}", name,
            text_json_number(spread->mean, text[0]), text_json_number(spread->low, text[1]),
            text_json_number(spread->high, text[2]));
}

static void json_run(FILE *file, const struct compare *compare, int64_t size, const struct trial *trial,
                     int64_t start) {
    int64_t winner;
    char text[6][32];
    fprintf(file, "        {\"start\": %lld, \"seed\": %lld, \"objective\": %s, \"polished\": %s, \"bound\": %s, ",
            (long long)start + 1, (long long)(compare->seed + start), text_json_number(trial->objective, text[0]),
            text_json_number(trial->polished, text[1]), text_json_number(trial->bound, text[2]));
    fprintf(file,
            "\"seconds\": %s, \"polish_seconds\": %s, \"overlap\": %s, \"iterations\": %lld, \"outcome\": \"%s\", ",
            text_json_number(trial->seconds, text[3]), text_json_number(trial->polish_seconds, text[4]),
            text_json_number(compare_overlap(trial, compare_best(compare, size, &winner)), text[5]),
            (long long)trial->iterations, spgm_outcome_name(trial->outcome));
    fputs("\"support\": [", file);
    for (int64_t i = 0; i < trial->nonzeros; i++) {
        fprintf(file, "%s%lld", i ? ", " : "", (long long)trial->support[i]);
    }
    fputs("]}", file);
}

static void json_runs(FILE *file, const struct compare *compare, int64_t size, int64_t method) {
    const char *separator = "\n";
    fputs(", \"runs\": [", file);
    for (int64_t k = 0; k < compare->starts; k++) {
        const struct trial *trial = compare_trial(compare, size, method, k);
        if (trial->state == TRIAL_DONE) {
            fputs(separator, file);
            json_run(file, compare, size, trial, k);
            separator = ",\n";
        }
    }
    fputs("]", file);
}

static void json_cell(FILE *file, const struct compare *compare, int64_t size, int64_t method) {
    struct summary sum = compare_summary(compare, size, method);
    fprintf(file, "    {\"s\": %lld, \"method\": \"%s\"", (long long)compare->sparsity[size],
            compare->variant[method].name);
    if (sum.done) {
        json_spread(file, "objective", &sum.raw);
        json_spread(file, "polished", &sum.polished);
        json_spread(file, "seconds", &sum.seconds);
        json_runs(file, compare, size, method);
    } else if (sum.message) {
        fputs(", \"refused\": ", file);
        text_json(file, sum.message);
    }
    fputs("}", file);
}

static void json_options(FILE *file, const struct compare *compare) {
    char text[64];
    const char *separator = "";
    fputs("  \"options\": {", file);
    for (int64_t i = 0; spgm_option_describe(i); i++) {
        const spgm_option_info *option = spgm_option_describe(i);
        if (strcmp(option->name, "method") == 0 || strcmp(option->name, "polish") == 0) {
            continue;
        }
        fprintf(file, "%s\"%s\": ", separator, option->name);
        text_json_option(file, option, compare_option(compare, option->name, text));
        separator = ", ";
    }
    fputs("},\n", file);
}

static void put_json(FILE *file, const struct compare *compare) {
    fputs("{\n  \"data\": ", file);
    text_json(file, compare->args->operand[0]);
    fprintf(file, ",\n  \"rows\": %lld,\n  \"columns\": %lld,\n  \"starts\": %lld,\n  \"version\": \"%s\",\n",
            (long long)compare->task.matrix.rows, (long long)compare->task.matrix.columns, (long long)compare->starts,
            spgm_version());
    json_options(file, compare);
    fputs("  \"results\": [\n", file);
    for (int64_t i = 0; i < compare->sizes * compare->methods; i++) {
        json_cell(file, compare, i / compare->methods, i % compare->methods);
        fputs(i + 1 < compare->sizes * compare->methods ? ",\n" : "\n", file);
    }
    fputs("  ]\n}\n", file);
}

int compare_write(const struct compare *compare, const char *path) {
    struct outfile out;
    int result = outfile_open(&out, path);
    if (result) {
        return result;
    }
    (text_ends(path, ".json") || args_get(compare->args, "json") ? put_json
     : text_ends(path, ".md")                                    ? compare_markdown
     : text_ends(path, ".tex")                                   ? compare_latex
                                                                 : put_csv)(out.file, compare);
    outfile_failed(&out);
    result = outfile_finish(&out);
    return result ? result : outfile_commit(&out);
}
