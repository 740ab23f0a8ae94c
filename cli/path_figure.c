/*
 * The figure of spgm path: F, and how much each column moves the prediction, which is its coefficient times the
 * standard deviation of the column: columns in different units can be compared.
 */
#include "path_figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure.h"

enum { NAMES_MAX = 14, NAME_SHOWN = 28, WIDTH = 560, HEIGHT = 400 };

/* One column that is in some model. */
struct track {
    int64_t column;
    double largest; /* effect, without its sign */
    double *effect; /* [count]; NaN: not in the model, nor in those beside it */
    char text[LABEL_SIZE];
};

/* What the two charts of one part are made of. */
struct panel {
    struct track *tracks; /* largest effect first */
    int64_t count;
    double *s, *objective; /* [sizes] */
    double *effects;       /* of all tracks */
    struct chart_series line;
    struct chart_series *series; /* [count] */
    char titles[2][128];
};

static int by_effect(const void *a, const void *b) {
    const struct track *p = a, *q = b;
    if (p->largest != q->largest) {
        return p->largest < q->largest ? 1 : -1;
    }
    return p->column < q->column ? -1 : p->column > q->column;
}

static void panel_free(struct panel *panel) {
    free(panel->tracks);
    free(panel->s);
    free(panel->objective);
    free(panel->effects);
    free(panel->series);
}

/* The columns that are in some model; 0: out of memory. */
static int find_tracks(struct panel *panel, const struct task *task, const spgm_path *path, int64_t sizes, double *x) {
    int64_t columns = task->matrix.columns;
    char *used = calloc((size_t)columns + 1, 1);
    panel->count = 0;
    for (int64_t i = 0; used && i < sizes; i++) {
        spgm_path_get(path, i, x, NULL, NULL);
        for (int64_t j = 0; j < columns; j++) {
            panel->count += x[j] != 0 && !used[j];
            used[j] = (char)(used[j] || x[j] != 0);
        }
    }
    panel->tracks = calloc((size_t)panel->count + 1, sizeof *panel->tracks);
    panel->effects = malloc(((size_t)(panel->count * sizes) + 1) * sizeof *panel->effects);
    panel->series = calloc((size_t)panel->count + 1, sizeof *panel->series);
    panel->s = malloc((size_t)sizes * sizeof *panel->s);
    panel->objective = malloc((size_t)sizes * sizeof *panel->objective);
    int ok = used && panel->tracks && panel->effects && panel->series && panel->s && panel->objective;
    for (int64_t j = 0, k = 0; ok && j < columns; j++) {
        if (used[j]) {
            panel->tracks[k].column = j;
            panel->tracks[k].effect = panel->effects + k * sizes;
            k++;
        }
    }
    free(used);
    return ok;
}

static void fill_tracks(struct panel *panel, const struct task *task, const spgm_path *path, int64_t sizes, double *x) {
    for (int64_t i = 0; i < sizes; i++) {
        spgm_info info;
        panel->s[i] = (double)spgm_path_get(path, i, x, NULL, &info);
        panel->objective[i] = info.objective;
        for (int64_t k = 0; k < panel->count; k++) {
            panel->tracks[k].effect[i] = x[panel->tracks[k].column];
        }
    }
    for (int64_t k = 0; k < panel->count; k++) {
        struct track *track = &panel->tracks[k];
        double spread = report_deviation(&task->matrix, track->column), before = 0;
        for (int64_t i = 0; i < sizes; i++) {
            double now = track->effect[i], next = i + 1 < sizes ? track->effect[i + 1] : 0;
            track->largest = fmax(track->largest, fabs(now * spread));
            track->effect[i] = now == 0 && before == 0 && next == 0 ? NAN : now * spread;
            before = now;
        }
    }
    qsort(panel->tracks, (size_t)panel->count, sizeof *panel->tracks, by_effect);
}

/* The largest effects have colours and names, the others are the background. */
static void name_tracks(struct panel *panel, const struct task *task, int64_t sizes) {
    for (int64_t k = 0; k < panel->count; k++) {
        struct track *track = &panel->tracks[k];
        int is_named = k < NAMES_MAX;
        panel->series[k] = (struct chart_series){
            .label = is_named ? label_column(&task->names, track->column, NAME_SHOWN, track->text) : NULL,
            .colour = is_named ? figure_colour((int)k) : FIGURE_GREY,
            .dash = is_named && k >= FIGURE_COLOURS ? 2 : 1,
            .count = sizes,
            .x = panel->s,
            .y = track->effect};
    }
}

static void make_charts(struct panel *panel, struct chart *charts, int64_t sizes) {
    panel->line = (struct chart_series){
        .label = "F", .colour = figure_colour(0), .count = sizes, .x = panel->s, .y = panel->objective};
    charts[0] = (struct chart){.title = panel->titles[0],
                               .x_label = "s, the number of nonzeros allowed",
                               .y_label = "F",
                               .width = WIDTH,
                               .height = HEIGHT,
                               .log_y = -1,
                               .x_ticks = 1,
                               .count = 1,
                               .series = &panel->line};
    charts[1] = charts[0];
    charts[1].title = panel->titles[1];
    charts[1].y_label = "coefficient x standard deviation of its column";
    charts[1].log_y = 0;
    charts[1].count = (int)panel->count;
    charts[1].series = panel->series;
}

static int make_panel(struct panel *panel, const struct task *whole, int64_t k, const spgm_path *path, int64_t sizes,
                      double *x) {
    const struct task *task = task_part(whole, k);
    char text[32], label[64] = "";
    if (!find_tracks(panel, task, path, sizes, x)) {
        return cli_out_of_memory();
    }
    fill_tracks(panel, task, path, sizes, x);
    name_tracks(panel, task, sizes);
    if (whole->classes) {
        snprintf(label, sizeof label, "%s: ", task_class_name(whole, k, text));
    }
    snprintf(panel->titles[0], sizeof panel->titles[0], "%sobjective", label);
    if (panel->count == 1) { /* a single line has no name at its end */
        snprintf(panel->titles[1], sizeof panel->titles[1], "%seffect of %.50s", label, panel->series[0].label);
    } else {
        snprintf(panel->titles[1], sizeof panel->titles[1], "%seffects of the columns%s", label,
                 panel->count > NAMES_MAX ? " (the largest are named)" : "");
    }
    return CLI_DONE;
}

int path_figure(const char *file, const struct args *args, const struct task *task, int64_t sizes,
                const spgm_path *const *paths) {
    int64_t parts = task_parts(task);
    struct panel *panels = calloc((size_t)parts, sizeof *panels);
    struct chart *charts = calloc((size_t)(2 * parts), sizeof *charts);
    double *x = malloc(((size_t)task->matrix.columns + 1) * sizeof *x);
    char title[256];
    int result = panels && charts && x ? CLI_DONE : cli_out_of_memory();
    for (int64_t k = 0; k < parts && result == CLI_DONE; k++) {
        result = make_panel(&panels[k], task, k, paths[k], sizes, x);
        if (result == CLI_DONE) {
            make_charts(&panels[k], &charts[2 * k], sizes);
        }
    }
    if (result == CLI_DONE) {
        report_title(args, title, sizeof title);
        struct sheet sheet = {.title = title, .columns = 2, .count = (int)(2 * parts), .charts = charts};
        result = figure_make(file, &sheet, args);
    }
    for (int64_t k = 0; panels && k < parts; k++) {
        panel_free(&panels[k]);
    }
    free(panels);
    free(charts);
    free(x);
    return result;
}
