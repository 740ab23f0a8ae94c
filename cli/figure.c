#include "figure.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "axis.h"

/* In hundredths of an inch: pixels of SVG. */
enum {
    LEFT = 66,
    RIGHT = 18,
    BOTTOM = 56,
    TOP = 34,
    TITLE = 34,
    LEGEND_LINE = 20,
    LETTER = 7,
    NAME_GAP = 15,
    UPRIGHT_MAX = 24
};

/* ---- paths ------------------------------------------------------------------------------------------------ */

static char *join(const char *path, const char *ending) {
    size_t size = strlen(path) + strlen(ending) + 1;
    char *text = malloc(size);
    if (text) {
        snprintf(text, size, "%s%s", path, ending);
    }
    return text;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int figure_check(const char *path) {
    if (!path) {
        return CLI_DONE;
    }
    if (!text_ends(path, ".svg") && !text_ends(path, ".pdf") && !text_ends(path, ".png")) {
        return cli_error("--figure %s: the name must end in .svg, .pdf or .png", path);
    }
    char *script = join(path, ".gp");
    int result = script ? outfile_check(path) : cli_out_of_memory();
    result = result ? result : outfile_check(script);
    free(script);
    return result;
}

static const char *const colours[FIGURE_COLOURS] = {"#2166ac", "#b2182b", "#1b7837", "#e08214",
                                                    "#762a83", "#01665e", "#c51b7d", "#8c510a"};

const char *figure_colour(int i) {
    return colours[i % FIGURE_COLOURS];
}

static const char *colour_of(const struct chart_series *series) {
    return series->colour ? series->colour : style_colour(series->style);
}

/* ---- the sheet ----------------------------------------------------------------------------------------------- */

static int rows_of(const struct sheet *sheet) {
    return (sheet->count + sheet->columns - 1) / sheet->columns;
}

static int sheet_width(const struct sheet *sheet) {
    return sheet->columns * sheet->charts[0].width;
}

/* Has line k a point in any chart? A method that refused the problem has none, and no place in the legend. */
static int is_drawn(const struct sheet *sheet, int k) {
    for (int i = 0; i < sheet->count; i++) {
        const struct chart_series *series = k < sheet->charts[i].count ? &sheet->charts[i].series[k] : NULL;
        for (int64_t j = 0; series && j < series->count; j++) {
            if (isfinite(series->y[j])) {
                return 1;
            }
        }
    }
    return 0;
}

static int legend_names(const struct sheet *sheet) {
    int count = 0;
    for (int k = 0; k < sheet->charts[0].count; k++) {
        count += is_drawn(sheet, k);
    }
    return count;
}

/* Names of the legend beside each other, and lines of them. */
static int legend_columns(const struct sheet *sheet) {
    size_t longest = 1;
    int names = legend_names(sheet);
    for (int k = 0; k < sheet->charts[0].count; k++) {
        size_t length = is_drawn(sheet, k) ? strlen(sheet->charts[0].series[k].label) : 0;
        longest = length > longest ? length : longest;
    }
    int most = sheet_width(sheet) / ((int)longest * LETTER + 54);
    return most < 1 ? 1 : most > names ? names : most;
}

static int legend_height(const struct sheet *sheet) {
    int names = sheet->has_legend ? legend_names(sheet) : 0;
    if (names == 0) {
        return 0;
    }
    int columns = legend_columns(sheet);
    return 14 + LEGEND_LINE * ((names + columns - 1) / columns);
}

static int sheet_height(const struct sheet *sheet) {
    return TITLE + rows_of(sheet) * sheet->charts[0].height + legend_height(sheet);
}

/* A text in single quotes. */
static void put_text(FILE *file, const char *text) {
    fputc('\'', file);
    for (; *text; text++) {
        fputs(*text == '\'' ? "''" : (char[2]){(unsigned char)*text < 0x20 ? ' ' : *text, '\0'}, file);
    }
    fputc('\'', file);
}

/* ---- one chart -------------------------------------------------------------------------------------------------- */

/* Room at the left for the numbers of the axis and its name, the same for all charts so that their frames stand below
 * each other. */
static int left_margin(const struct sheet *sheet) {
    int longest = 0;
    for (int i = 0; i < sheet->count; i++) {
        struct axis x = {.from = 0, .to = 1}, y = {.from = 0, .to = 1};
        axes_of(&sheet->charts[i], &x, &y);
        for (int k = 0; k < y.count; k++) {
            char text[32];
            int length = (int)strlen(axis_text(y.tick[k], text));
            longest = length > longest ? length : longest;
        }
    }
    int room = 36 + (LETTER + 1) * longest;
    return room > LEFT ? room : LEFT;
}

/* Room at the right for the names of the lines. */
static int right_margin(const struct sheet *sheet, const struct chart *chart) {
    int longest = 0;
    for (int k = 0; k < chart->count && !sheet->has_legend; k++) {
        int length = chart->series[k].label ? screen_length(chart->series[k].label) : 0;
        longest = length > longest ? length : longest;
    }
    int room = longest && chart->count > 1 ? RIGHT + 12 + LETTER * longest : RIGHT;
    return room < chart->width / 2 ? room : chart->width / 2;
}

/* Room below for the numbers of the axis and its name, or for names that stand upright. */
static int bottom_margin(const struct sheet *sheet) {
    int longest = 0;
    for (int i = 0; i < sheet->count; i++) {
        const struct chart *chart = &sheet->charts[i];
        for (int64_t k = 0; chart->x_names && chart->count && k < chart->series[0].count; k++) {
            int length = screen_length(chart->x_names[k]);
            longest = length > longest ? length : longest;
        }
    }
    return BOTTOM + LETTER * (longest < UPRIGHT_MAX ? longest : UPRIGHT_MAX);
}

static void put_number(FILE *file, double value) {
    char text[32];
    fputs(isfinite(value) ? screen_exact(value, text) : "NaN", file);
}

static void put_data(FILE *file, const struct chart *chart, int number) {
    fprintf(file, "$chart%d << END\n", number + 1);
    for (int k = 0; k < chart->count; k++) {
        const struct chart_series *series = &chart->series[k];
        fprintf(file, "%s# %s\n", k ? "\n\n" : "", series->label ? series->label : "");
        for (int64_t i = 0; i < series->count; i++) {
            const double low = series->low ? series->low[i] : NAN, high = series->low ? series->high[i] : NAN;
            const double values[] = {series->x[i], series->y[i], low, high};
            for (int j = 0; j < (series->low ? 4 : 2); j++) {
                fputs(j ? " " : "", file);
                put_number(file, values[j]);
            }
            fputc('\n', file);
        }
    }
    fputs("END\n", file);
}

static void put_ticks(FILE *file, const char *name, const struct axis *axis, double least) {
    const char *separator = "";
    double last = -HUGE_VAL;
    char text[32];
    fprintf(file, "set %stics norotate (", name);
    for (int i = 0; i < axis->count; i++) {
        double at = axis_at(axis, axis->tick[i]);
        int is_named = at - last >= least;
        fprintf(file, "%s'%s' ", separator, is_named ? axis_text(axis->tick[i], text) : "");
        put_number(file, axis->tick[i]);
        separator = ", ";
        last = is_named ? at : last;
    }
    fputs(")\n", file);
}

/* Upright names of the points of the first series. */
static void put_named_ticks(FILE *file, const struct chart *chart) {
    fputs("set xtics rotate by 90 right (", file);
    for (int64_t i = 0; chart->count && i < chart->series[0].count; i++) {
        fputs(i ? ", " : "", file);
        put_text(file, chart->x_names[i]);
        fputc(' ', file);
        put_number(file, chart->series[0].x[i]);
    }
    fputs(")\n", file);
}

static void put_axis(FILE *file, const char *name, const struct axis *axis, const char *label, double least) {
    char low[32], high[32];
    fprintf(file, "%s logscale %s\nset %srange [%s:%s]\nset %slabel ", axis->logarithmic ? "set" : "unset", name, name,
            screen_exact(axis->low, low), screen_exact(axis->high, high), name);
    put_text(file, label ? label : "");
    fputc('\n', file);
    put_ticks(file, name, axis, least);
}

/* The name of every line at its end, in its colour. */
static void put_names(FILE *file, const struct chart *chart, const struct axis *x, const struct axis *y, double gap) {
    struct end *ends = malloc(((size_t)chart->count + 1) * sizeof *ends);
    int count = ends ? axis_ends(chart, x, y, gap, ends) : 0;
    for (int i = 0; i < count && chart->count > 1; i++) {
        const char *colour = colour_of(ends[i].series);
        fprintf(file,
                "set arrow from graph %.4f, graph %.4f to graph 1.018, graph %.4f nohead linewidth 0.6 "
                "linecolor rgb '%s'\nset label ",
                ends[i].x, ends[i].y, ends[i].at, colour);
        put_text(file, ends[i].series->label);
        fprintf(file, " at graph 1.022, graph %.4f left textcolor rgb '%s'\n", ends[i].at, colour);
    }
    free(ends);
}

/* Where a chart stands on the sheet, in pixels, and where what is right of it begins. */
struct frame {
    double left, right, edge, height;
};

/* The side of an upright line on which its name has more room than it needs: the right one unless it ends there. */
static const char *side_of(const struct chart_rule *rule, double at, struct frame frame) {
    double place = frame.left + at * (frame.right - frame.left), room = frame.edge - place;
    double needs = (LETTER + 1) * screen_length(rule->label);
    return at < 0.6 && (needs < room || place < room) ? "left" : "right";
}

/* Lines across, each with its name at its upper or right end; names of upright ones below each other. */
static void put_rules(FILE *file, const struct chart *chart, const struct axis *x, const struct axis *y,
                      struct frame frame) {
    double gap = 1.2 * NAME_GAP / frame.height;
    for (int i = 0; i < chart->rules; i++) {
        const struct chart_rule *rule = &chart->rule[i];
        double at = axis_at(rule->is_level ? y : x, rule->at), height = 1 - gap * (i + 0.6);
        if (rule->is_level) {
            fprintf(file, "set arrow from graph 0, graph %.4f to graph 1, graph %.4f", at, at);
        } else {
            fprintf(file, "set arrow from graph %.4f, graph 0 to graph %.4f, graph 1", at, at);
        }
        fprintf(file, " nohead back linewidth 1.5 dashtype %d linecolor rgb '%s'\nset label ", rule->dash,
                rule->colour);
        put_text(file, rule->label);
        if (rule->is_level) {
            fprintf(file, " at graph 0.995, graph %.4f right offset 0, 0.5", at);
        } else {
            const char *side = side_of(rule, at, frame);
            fprintf(file, " at graph %.4f, graph %.4f %s", at + (*side == 'l' ? 0.01 : -0.01), height, side);
        }
        fprintf(file, " front boxed textcolor rgb '%s'\n", rule->colour);
    }
}

/* Those in front come last. */
static void put_lines(FILE *file, const struct chart *chart, int number) {
    const char *separator = "plot ";
    for (int k = chart->count - 1; k >= 0; k--) {
        const struct chart_series *series = &chart->series[k];
        const char *colour = colour_of(series);
        double width = !series->label ? 1 : series->style == 0 && !series->colour ? 2.5 : series->colour ? 2 : 1.4;
        if (series->low) {
            fprintf(
                file,
                "%s$chart%d index %d using 1:2:3:4 with yerrorbars pointtype 0 linewidth 1 linecolor rgb '%s' notitle",
                separator, number + 1, k, colour);
            separator = ", \\\n     ";
        }
        fprintf(file, "%s$chart%d index %d using 1:2 with %s linewidth %g dashtype %d linecolor rgb '%s'", separator,
                number + 1, k,
                series->points   ? "points pointtype 7"
                : series->steps  ? "steps"
                : series->colour ? "lines"
                                 : "linespoints",
                width, series->dash ? series->dash : 1, colour);
        if (series->points) {
            fprintf(file, " pointsize %g", series->points);
        } else if (!series->colour && !series->steps) {
            fprintf(file, " pointtype %d pointsize 0.6", style_point(series->style));
        }
        fputs(" notitle", file);
        separator = ", \\\n     ";
    }
    fputs(chart->count ? "\n" : "plot NaN notitle\n", file);
}

static void put_chart(FILE *file, const struct sheet *sheet, int number) {
    const struct chart *chart = &sheet->charts[number];
    double width = sheet_width(sheet), height = sheet_height(sheet);
    int row = number / sheet->columns, column = number % sheet->columns;
    double left = (double)(column * chart->width) + left_margin(sheet),
           right = (column + 1) * chart->width - right_margin(sheet, chart);
    double top = height - TITLE - row * chart->height - TOP;
    double bottom = top - chart->height + bottom_margin(sheet) + TOP;
    struct axis x = {.from = 0, .to = 1}, y = {.from = 0, .to = 1};
    axes_of(chart, &x, &y);
    fprintf(file, "unset label\nunset arrow\nset title ");
    put_text(file, chart->title);
    fprintf(file,
            "\nset lmargin at screen %.5f\nset rmargin at screen %.5f\nset bmargin at screen %.5f\nset tmargin at "
            "screen %.5f\n",
            left / width, right / width, bottom / height, top / height);
    put_axis(file, "x", &x, chart->x_label, 26 / (right - left));
    if (chart->x_names) {
        put_named_ticks(file, chart);
    }
    put_axis(file, "y", &y, chart->y_label, 14 / (top - bottom));
    if (!sheet->has_legend) {
        put_names(file, chart, &x, &y, NAME_GAP / (top - bottom));
    }
    put_rules(
        file, chart, &x, &y,
        (struct frame){.left = left, .right = right, .edge = (column + 1) * chart->width, .height = top - bottom});
    put_lines(file, chart, number);
}

/* A sample of every line and its name, below all charts. */
static void put_legend(FILE *file, const struct sheet *sheet) {
    const struct chart *chart = &sheet->charts[0];
    double height = sheet_height(sheet);
    int columns = legend_columns(sheet);
    fputs(
        "unset title\nunset xlabel\nunset ylabel\nunset border\nunset tics\nunset label\nunset arrow\nunset logscale\n"
        "set lmargin at screen 0.01\nset rmargin at screen 0.99\nset bmargin at screen 0\n",
        file);
    fprintf(file, "set tmargin at screen %.5f\nset xrange [0:%d]\nset yrange [0:%g]\n", legend_height(sheet) / height,
            columns, legend_height(sheet) / (double)LEGEND_LINE);
    for (int k = 0, place = 0; k < chart->count; k++) {
        if (!is_drawn(sheet, k)) {
            continue;
        }
        double at = place % columns, level = legend_height(sheet) / (double)LEGEND_LINE - 1 - place / columns;
        place++;
        const struct chart_series *series = &chart->series[k];
        fprintf(file, "set label '' at first %.4f, first %.4f point pointtype %d pointsize 0.8 linecolor rgb '%s'\n",
                at + 0.06, level, style_point(series->style), colour_of(series));
        fprintf(
            file,
            "set arrow from first %.4f, first %.4f to first %.4f, first %.4f nohead linewidth 1.6 linecolor rgb '%s'\n",
            at + 0.02, level, at + 0.1, level, colour_of(series));
        fprintf(file, "set label ");
        put_text(file, series->label);
        fprintf(file, " at first %.4f, first %.4f left textcolor rgb '%s'\n", at + 0.12, level, colour_of(series));
    }
    fputs("plot NaN notitle\n", file);
}

/* ---- the script -------------------------------------------------------------------------------------------- */

/* One script for every kind of file: kind and output may be set before it is read. */
static void put_terminals(FILE *file, const struct sheet *sheet, const char *name) {
    const char *point = strrchr(name, '.');
    int width = sheet_width(sheet), height = sheet_height(sheet);
    fprintf(file, "if (!exists('kind')) {\n    kind = '%s'\n}\nif (!exists('output')) {\n    output = ", point + 1);
    put_text(file, name);
    fprintf(file,
            "\n}\nif (kind eq 'svg') {\n    set terminal svg size %d,%d dynamic font 'sans,12' background 'white' "
            "noenhanced\n}\n",
            width, height);
    fprintf(file, "if (kind eq 'pdf') {\n    set terminal pdfcairo size %gin,%gin font 'sans,9' noenhanced\n}\n",
            width / 100.0, height / 100.0);
    fprintf(file,
            "if (kind eq 'png') {\n    set terminal pngcairo size %d,%d font 'sans,18' linewidth 2 pointscale 2 "
            "noenhanced\n}\n",
            2 * width, 2 * height);
}

static void put_script(FILE *file, const struct sheet *sheet, const char *name) {
    fputs("reset\nset encoding utf8\nset datafile missing 'NaN'\n", file);
    for (int i = 0; i < sheet->count; i++) {
        put_data(file, &sheet->charts[i], i);
    }
    put_terminals(file, sheet, name);
    fputs("set output output\nset border 3 linecolor rgb '#5c6370'\nset tics nomirror scale 0.5 textcolor rgb "
          "'#333333'\nset grid ytics linecolor rgb '#dddddd' linetype 1 linewidth 0.6\nset style textbox opaque "
          "noborder\nset title offset 0, -0.6\nset multiplot title ",
          file);
    put_text(file, sheet->title);
    fputc('\n', file);
    for (int i = 0; i < sheet->count; i++) {
        put_chart(file, sheet, i);
    }
    if (legend_height(sheet)) {
        put_legend(file, sheet);
    }
    fputs("unset multiplot\nset output\n", file);
}

int figure_script(const char *script, const char *name, const struct sheet *sheet) {
    struct outfile out;
    int result = outfile_open(&out, script);
    if (result) {
        return result;
    }
    fprintf(out.file, "# Drawn by: gnuplot %s\n# As another kind: gnuplot -e \"kind='pdf'; output='figure.pdf'\" %s\n",
            base_name(script), base_name(script));
    put_script(out.file, sheet, name);
    outfile_failed(&out);
    result = outfile_finish(&out);
    result = result ? result : outfile_commit(&out);
    outfile_discard(&out);
    return result;
}

/* ---- drawing ------------------------------------------------------------------------------------------------ */

/* What the child becomes: silent, its drawing on the pipe, and gone when we are. */
static void become_gnuplot(const char *script, const char *kind, int pipe_end) {
    char setting[64];
    int null = open("/dev/null", O_WRONLY);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    dup2(pipe_end, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    snprintf(setting, sizeof setting, "kind='%s'; output='/dev/stdout'", kind);
    execlp("gnuplot", "gnuplot", "-e", setting, script, (char *)NULL);
    _exit(127);
}

static int read_drawing(FILE *file, int pipe_end, pid_t child) {
    char bytes[4096];
    int status = 0;
    ssize_t count;
    while ((count = read(pipe_end, bytes, sizeof bytes)) > 0 || (count < 0 && errno == EINTR)) {
        fwrite(bytes, 1, count < 0 ? 0 : (size_t)count, file);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* What gnuplot ends with; 127: there is none. */
static int run_gnuplot(FILE *file, const char *script, const char *kind) {
    int ends[2];
    if (pipe(ends)) {
        return 1;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        become_gnuplot(script, kind, ends[1]);
    }
    close(ends[1]);
    int code = child > 0 ? read_drawing(file, ends[0], child) : 1;
    close(ends[0]);
    return code;
}

int figure_draw(const char *path, const char *script, int *code) {
    struct outfile out;
    int result = outfile_open(&out, path);
    if (result) {
        return result;
    }
    *code = run_gnuplot(out.file, script, strrchr(path, '.') + 1);
    outfile_failed(&out);
    if (*code == 0) {
        result = outfile_finish(&out);
        result = result ? result : outfile_commit(&out);
    }
    outfile_discard(&out);
    return result;
}

int figure_make(const char *path, const struct sheet *sheet, const struct args *args) {
    char *script = join(path, ".gp");
    int code = 0, result = script ? figure_script(script, base_name(path), sheet) : cli_out_of_memory();
    if (result == CLI_DONE) {
        screen_note(args, "drawing %s", path);
        result = figure_draw(path, script, &code);
        screen_erase();
    }
    if (code && !args_get(args, "quiet")) {
        cli_error(code == 127 ? "gnuplot is not installed, so there is no %s yet: 'gnuplot %s' draws it"
                              : "gnuplot could not draw %s: 'gnuplot %s' says why",
                  path, script);
    }
    free(script);
    return result;
}
