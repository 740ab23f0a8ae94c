/* Figures by gnuplot: a data file and a script for each panel, one style for all, SVG and PDF. */
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

#include "chart.h"
#include "paper.h"

static void panel_name(const struct paper *paper, int panel, char *text, size_t size) {
    snprintf(text, size, "%s-%s", paper->panel[panel].loss, paper_dataset(paper->panel[panel].dataset));
}

/* ---- data ----------------------------------------------------------------------------------------------------- */

static void put_block(FILE *file, const struct paper *paper, int panel, enum paper_value what, const char *title) {
    char text[32];
    fprintf(file, "# %s\ns", title);
    for (int m = 0; m < paper->methods; m++) {
        fprintf(file, "\t%s", paper->method[m].key);
    }
    for (int64_t i = 0; i < paper->sizes; i++) {
        fprintf(file, "\n%lld", (long long)paper->sparsity[i]);
        for (int m = 0; m < paper->methods; m++) {
            double value = paper_mean(paper, panel, i, m, what);
            fprintf(file, "\t%s", isfinite(value) ? screen_exact(value, text) : "NaN");
        }
    }
    fputs("\n\n\n", file);
}

static void put_data(FILE *file, const struct paper *paper, int panel) {
    put_block(file, paper, panel, PAPER_RAW, "index 0: raw, mean over the starts");
    put_block(file, paper, panel, PAPER_POLISHED, "index 1: polished, mean over the starts");
    if (paper->has_published) {
        put_block(file, paper, panel, PAPER_PUBLISHED, "index 2: published");
    }
}

/* ---- scripts --------------------------------------------------------------------------------------------------- */

static void put_style(FILE *file, const struct paper *paper) {
    fputs("# Read by every script of this folder. Change it and run: gnuplot all.gp\n"
          "set encoding utf8\nset grid ytics linecolor rgb '#dddddd'\nset border 3\nset tics nomirror\n"
          "set key outside right top samplen 1.5\nset xlabel 's'\nset ylabel 'objective'\nset offsets 2, 2, 0, 0\n"
          "set datafile missing 'NaN'\n",
          file);
    for (int m = 0; m < paper->methods; m++) {
        int style = style_of(paper->method[m].key);
        fprintf(file, "set linetype %d linecolor rgb '%s' pointtype %d pointsize 0.7 linewidth %s  # %s\n", m + 1,
                style_colour(style), style_point(style), style == 0 ? "2.5" : "1.3", paper->method[m].key);
    }
}

static void put_plot(FILE *file, const struct paper *paper, const char *name, int index, const char *title) {
    fprintf(file, "set title '%s'\nplot", title);
    for (int m = 0; m < paper->methods; m++) {
        fprintf(file, "%s '%s.dat' index %d using 1:%d with linespoints linetype %d title '%s'", m ? ", \\\n    " : "",
                name, index, m + 2, m + 1, paper->method[m].key);
    }
    fputc('\n', file);
}

static int spans_wide(const struct paper *paper, int panel) {
    double low = HUGE_VAL, high = 0;
    for (int64_t i = 0; i < paper->sizes * paper->methods; i++) {
        double value = paper_mean(paper, panel, i / paper->methods, (int)(i % paper->methods), PAPER_RAW);
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    return low > 0 && high > 8 * low;
}

static void put_panel_output(FILE *file, const struct paper *paper, const char *name, const char *ending) {
    fprintf(file, "set output '%s.%s'\nset multiplot layout 1,%d title '%s'\n", name, ending,
            paper->has_published ? 3 : 2, name);
    put_plot(file, paper, name, 0, "raw");
    put_plot(file, paper, name, 1, "polished");
    if (paper->has_published) {
        put_plot(file, paper, name, 2, "published");
    }
    fputs("unset multiplot\nset output\n", file);
}

static void put_panel_script(FILE *file, const struct paper *paper, int panel) {
    char name[128];
    int plots = paper->has_published ? 3 : 2;
    panel_name(paper, panel, name, sizeof name);
    fprintf(file, "reset\nload 'style.gp'\n");
    if (spans_wide(paper, panel)) {
        fputs("set logscale y\n", file);
    }
    fprintf(file, "set terminal svg size %d,380 dynamic font 'sans,11'\n", 480 * plots);
    put_panel_output(file, paper, name, "svg");
    fprintf(file, "set terminal pdfcairo size %gin,3.6in font 'sans,9'\n", 4.6 * plots);
    put_panel_output(file, paper, name, "pdf");
}

/* Eight panels of one loss on one sheet, as in the paper. */
static void put_sheet(FILE *file, const struct paper *paper, const char *loss, const char *output, int is_pdf) {
    char name[128];
    fprintf(
        file,
        "reset\nload 'style.gp'\nset terminal %s\nset output '%s.%s'\nset multiplot layout 2,4 title '%s loss, raw'\n",
        is_pdf ? "pdfcairo size 16in,7in font 'sans,8'" : "svg size 1760,760 dynamic font 'sans,10'", output,
        is_pdf ? "pdf" : "svg", loss);
    for (int i = 0; i < paper->panels; i++) {
        if (strcmp(paper->panel[i].loss, loss) == 0) {
            panel_name(paper, i, name, sizeof name);
            fputs(spans_wide(paper, i) ? "set logscale y\n" : "unset logscale y\n", file);
            put_plot(file, paper, name, 0, paper_dataset(paper->panel[i].dataset));
        }
    }
    fputs("unset multiplot\nset output\n", file);
}

static void put_figure1(FILE *file, const struct paper *paper) {
    put_sheet(file, paper, "l1", "figure1", 0);
    put_sheet(file, paper, "l1", "figure1", 1);
}

static void put_figure2(FILE *file, const struct paper *paper) {
    put_sheet(file, paper, "linf", "figure2", 0);
    put_sheet(file, paper, "linf", "figure2", 1);
}

static int has_loss(const struct paper *paper, const char *loss) {
    for (int i = 0; i < paper->panels; i++) {
        if (strcmp(paper->panel[i].loss, loss) == 0) {
            return 1;
        }
    }
    return 0;
}

static void put_all(FILE *file, const struct paper *paper) {
    char name[128];
    for (int i = 0; i < paper->panels; i++) {
        panel_name(paper, i, name, sizeof name);
        fprintf(file, "load '%s.gp'\n", name);
    }
    for (int k = 0; k < 2; k++) {
        if (has_loss(paper, k ? "linf" : "l1")) {
            fprintf(file, "load 'figure%d.gp'\n", k + 1);
        }
    }
}

/* ---- writing and drawing ------------------------------------------------------------------------------------------
 */

static int write_panel(const struct paper *paper, int panel, const char *ending,
                       void (*put)(FILE *file, const struct paper *paper, int panel)) {
    char name[128], path[4096], file[160];
    struct outfile out;
    panel_name(paper, panel, name, sizeof name);
    snprintf(file, sizeof file, "figures/%s%s", name, ending);
    int result = outfile_open(&out, paper_path(paper, file, path, sizeof path));
    if (result) {
        return result;
    }
    put(out.file, paper, panel);
    outfile_failed(&out);
    result = outfile_finish(&out);
    return result ? result : outfile_commit(&out);
}

/* What the child becomes. It must not outlive us: the next spgm paper would draw into the same files. */
static void become_gnuplot(const char *folder) {
    char *const command[] = {"gnuplot", "all.gp", NULL};
    int null = open("/dev/null", O_WRONLY);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (null >= 0) {
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
    }
    if (chdir(folder) == 0) {
        execvp(command[0], command);
    }
    _exit(127);
}

static int run_gnuplot(const char *folder) {
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        become_gnuplot(folder);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* A PDF carries the time at which it was made; another run would give another file. */
static void forget_date(const struct paper *paper, const char *name) {
    static const char mark[] = "/CreationDate (D:", date[] = "20000101000000";
    char path[4096], file_name[160], text[4096];
    snprintf(file_name, sizeof file_name, "figures/%s.pdf", name);
    FILE *file = fopen(paper_path(paper, file_name, path, sizeof path), "r+b");
    size_t matched = 0;
    for (size_t count, at = 0; file && (count = fread(text, 1, sizeof text, file)) > 0; at += count) {
        for (size_t i = 0; i < count && matched < strlen(mark); i++) {
            matched = text[i] == mark[matched] ? matched + 1 : text[i] == mark[0];
            if (matched == strlen(mark)) {
                fseek(file, (long)(at + i + 1), SEEK_SET);
                fwrite(date, 1, strlen(date), file);
                fseek(file, 0, SEEK_END);
            }
        }
    }
    if (file) {
        fclose(file);
    }
}

static void forget_dates(const struct paper *paper) {
    char name[128];
    for (int i = 0; i < paper->panels; i++) {
        panel_name(paper, i, name, sizeof name);
        forget_date(paper, name);
    }
    forget_date(paper, "figure1");
    forget_date(paper, "figure2");
}

static int draw(const struct paper *paper) {
    char path[4096];
    screen_note(paper->args, "drawing the figures");
    int code = run_gnuplot(paper_path(paper, "figures", path, sizeof path));
    screen_erase();
    forget_dates(paper);
    if (code && !args_get(paper->args, "quiet")) {
        cli_error(code == 127 ? "gnuplot is not installed: %s holds the scripts and data; run 'gnuplot all.gp' there"
                              : "gnuplot failed: %s holds the scripts and data; 'gnuplot all.gp' there says why",
                  path);
    }
    return CLI_DONE; /* the report does not need them */
}

int paper_figures(const struct paper *paper) {
    int result = paper_write(paper, "figures/style.gp", put_style);
    for (int i = 0; i < paper->panels && result == CLI_DONE; i++) {
        result = write_panel(paper, i, ".dat", put_data);
        if (result == CLI_DONE) {
            result = write_panel(paper, i, ".gp", put_panel_script);
        }
    }
    if (result == CLI_DONE && has_loss(paper, "l1")) {
        result = paper_write(paper, "figures/figure1.gp", put_figure1);
    }
    if (result == CLI_DONE && has_loss(paper, "linf")) {
        result = paper_write(paper, "figures/figure2.gp", put_figure2);
    }
    if (result == CLI_DONE) {
        result = paper_write(paper, "figures/all.gp", put_all);
    }
    return result ? result : draw(paper);
}
