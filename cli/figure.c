#include "figure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* ---- the script -------------------------------------------------------------------------------------------- */

void figure_text(FILE *file, const char *text) {
    fputc('\'', file);
    for (; *text; text++) {
        fputs(*text == '\'' ? "''" : (char[2]){(unsigned char)*text < 0x20 ? ' ' : *text, '\0'}, file);
    }
    fputc('\'', file);
}

static void put_beginning(FILE *file, const char *path, int panels) {
    if (text_ends(path, ".svg")) {
        fprintf(file, "set terminal svg size %d,420 dynamic font 'sans,12' background 'white' noenhanced\n",
                620 * panels);
    } else if (text_ends(path, ".pdf")) {
        fprintf(file, "set terminal pdfcairo size %gin,3.6in font 'sans,10' noenhanced\n", 5.2 * panels);
    } else {
        fprintf(file, "set terminal pngcairo size %d,840 font 'sans,20' noenhanced\n", 1240 * panels);
    }
    fputs("if (!exists('output')) output = ", file);
    figure_text(file, base_name(path));
    fputs("\nset output output\nset encoding utf8\nset border 3\nset tics nomirror\n"
          "set grid ytics linecolor rgb '#cccccc'\nset datafile missing 'NaN'\nset xlabel 's'\n",
          file);
    for (int k = 0; k < FIGURE_COLOURS; k++) {
        fprintf(file, "set linetype %d linecolor rgb '%s'\n", k + 1, colours[k]);
    }
    fprintf(file, "set linetype cycle %d\n", FIGURE_COLOURS);
}

void figure_range(FILE *file, int64_t first, int64_t last) {
    double room = last > first ? 0.02 * (double)(last - first) : 1;
    fprintf(file, "set xrange [%g:%g]\n", (double)first - room, (double)last + room);
}

int figure_open(struct figure *figure, const char *path, int panels) {
    *figure = (struct figure){.path = path, .script_path = join(path, ".gp")};
    if (!figure->script_path) {
        return cli_out_of_memory();
    }
    int result = outfile_open(&figure->script, figure->script_path);
    if (result == CLI_DONE) {
        fputs("# Drawn by: gnuplot ", figure->script.file);
        fprintf(figure->script.file, "%s\n", base_name(figure->script_path));
        put_beginning(figure->script.file, path, panels);
    }
    return result;
}

/* ---- drawing ------------------------------------------------------------------------------------------------ */

/* In the folder of the figure, silently; 127: no gnuplot. PDF carries a date, and a fixed one keeps the file the same.
 */
static int run_gnuplot(const char *script, const char *output) {
    const char *slash = strrchr(script, '/');
    char setting[4200];
    int status = 0;
    snprintf(setting, sizeof setting, "output='%s'", base_name(output));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        setenv("SOURCE_DATE_EPOCH", "0", 0);
        char *folder = slash ? strndup(script, (size_t)(slash - script) + 1) : NULL;
        if (!folder || chdir(folder) == 0) {
            execlp("gnuplot", "gnuplot", "-e", setting, base_name(script), (char *)NULL);
        }
        _exit(127);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/* Under a temporary name first, as every output. */
static int draw(const struct figure *figure) {
    char *temporary = join(figure->path, ".drawing");
    int code = temporary ? run_gnuplot(figure->script_path, temporary) : 1;
    if (code == 0 && rename(temporary, figure->path)) {
        code = 1;
    }
    if (code && temporary) {
        unlink(temporary);
    }
    free(temporary);
    return code;
}

int figure_draw(struct figure *figure, const struct args *args) {
    outfile_failed(&figure->script);
    int result = outfile_finish(&figure->script);
    result = result ? result : outfile_commit(&figure->script);
    if (result) {
        return result;
    }
    screen_note(args, "drawing %s", figure->path);
    int code = draw(figure);
    screen_erase();
    if (code && !args_get(args, "quiet")) {
        cli_error(code == 127 ? "gnuplot is not installed, so there is no %s yet: 'gnuplot %s' draws it"
                              : "gnuplot could not draw %s: 'gnuplot %s' says why",
                  figure->path, figure->script_path);
    }
    return CLI_DONE;
}

void figure_free(struct figure *figure) {
    outfile_discard(&figure->script);
    free(figure->script_path);
    *figure = (struct figure){0};
}
