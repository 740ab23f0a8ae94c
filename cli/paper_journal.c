/*
 * runs.csv: one line per run, appended and synced as soon as the run has ended. A line counts only if it is complete
 * and its recipe (a hash of data, options and version) is that of the plan, so that a run on other data or of another
 * release is not used by mistake.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "paper.h"

static const char header[] =
    "loss,dataset,s,method,protocol,start,objective,polished,nonzeros,iterations,passes,allowed,outcome,seconds,"
    "processor_seconds,polish_seconds,recipe";

enum { FIELDS = 17, LINE_SIZE = 512 };

/* ---- lines ------------------------------------------------------------------------------------------------ */

static void format_line(const struct paper *paper, int64_t i, const struct trial *trial, char line[LINE_SIZE]) {
    struct paper_place place = paper_place(paper, i);
    const struct paper_panel *panel = &paper->panel[place.panel];
    char text[7][32];
    int at = snprintf(line, LINE_SIZE, "%s,%s,%lld,%s,%s,%lld,", panel->loss, paper_dataset(panel->dataset),
                      (long long)paper->sparsity[place.size], paper->method[place.method].key,
                      paper_protocol_name(place.protocol), (long long)place.start + 1);
    if (trial->state == TRIAL_REFUSED) {
        at += snprintf(line + at, LINE_SIZE - (size_t)at, ",,,,,,refused,,,");
    } else {
        at += snprintf(line + at, LINE_SIZE - (size_t)at, "%s,%s,%lld,%lld,%s,%s,%s,%s,%s,%s",
                       screen_exact(trial->objective, text[0]), screen_exact(trial->polished, text[1]),
                       (long long)trial->nonzeros, (long long)trial->iterations, screen_exact(trial->passes, text[5]),
                       screen_exact(paper->runs[i].allowed, text[6]), spgm_outcome_name(trial->outcome),
                       screen_exact(trial->seconds, text[2]), screen_exact(trial->processor_seconds, text[3]),
                       screen_exact(trial->polish_seconds, text[4]));
    }
    snprintf(line + at, LINE_SIZE - (size_t)at, ",%016" PRIx64, paper_recipe(paper, &place));
}

/* The fields of a line, cut in place; 0 when they are not all there. */
static int cut_line(char *line, char *field[FIELDS]) {
    int count = 0;
    while (line && count < FIELDS) {
        field[count++] = line;
        line = strchr(line, ',');
        if (line) {
            *line++ = '\0';
        }
    }
    return count == FIELDS && !line && strlen(field[FIELDS - 1]) == 16;
}

static int panel_index(const struct paper *paper, const char *loss, const char *dataset) {
    for (int i = 0; i < paper->panels; i++) {
        if (strcmp(paper->panel[i].loss, loss) == 0 && strcmp(paper_dataset(paper->panel[i].dataset), dataset) == 0) {
            return i;
        }
    }
    return -1;
}

static int64_t size_index(const struct paper *paper, const char *text) {
    for (int64_t i = 0; i < paper->sizes; i++) {
        if (paper->sparsity[i] == strtoll(text, NULL, 10)) {
            return i;
        }
    }
    return -1;
}

/* Nonzero if the line belongs to a run of this plan; *run is then its slot, or NULL if its recipe differs. */
static int find_run(const struct paper *paper, char *const field[FIELDS], struct paper_run **run) {
    char recipe[32];
    int64_t start = strtoll(field[5], NULL, 10);
    struct paper_place place = {panel_index(paper, field[0], field[1]), paper_method_index(paper, field[3]),
                                size_index(paper, field[2]), start - 1, PROTOCOL_PLAIN};
    int known = 0;
    for (int p = 0; p < paper->protocols; p++) {
        if (strcmp(field[4], paper_protocol_name(paper->protocol[p])) == 0) {
            place.protocol = paper->protocol[p];
            known = 1;
        }
    }
    if (!known || place.panel < 0 || place.method < 0 || place.size < 0 || start < 1 || start > paper->starts) {
        return 0;
    }
    snprintf(recipe, sizeof recipe, "%016" PRIx64, paper_recipe(paper, &place));
    *run = strcmp(recipe, field[FIELDS - 1])
               ? NULL
               : paper_at(paper, place.protocol, place.panel, place.size, place.method, place.start);
    return 1;
}

/* ---- taking over what is there ------------------------------------------------------------------------------- */

static int keep_other(struct paper *paper, const char *line) {
    char **more = realloc(paper->others, (size_t)(paper->other_count + 1) * sizeof *more);
    if (!more) {
        return cli_out_of_memory();
    }
    paper->others = more;
    paper->others[paper->other_count] = strdup(line);
    return paper->others[paper->other_count] && ++paper->other_count ? CLI_DONE : cli_out_of_memory();
}

/* Take one complete line; lines that cannot be used are dropped. */
static int take_line(struct paper *paper, const char *line) {
    char copy[LINE_SIZE], *field[FIELDS];
    struct paper_run *run;
    snprintf(copy, sizeof copy, "%s", line);
    if (strcmp(line, header) == 0 || strlen(line) >= LINE_SIZE || !cut_line(copy, field)) {
        return CLI_DONE;
    }
    if (!find_run(paper, field, &run)) {
        return keep_other(paper, line);
    }
    if (!run || run->line) {
        return CLI_DONE;
    }
    run->state = strcmp(field[12], "refused") == 0 ? TRIAL_REFUSED : TRIAL_DONE;
    run->objective = strtod(field[6], NULL);
    run->polished = strtod(field[7], NULL);
    run->passes = strtod(field[10], NULL);
    run->allowed = strtod(field[11], NULL);
    run->seconds = strtod(field[13], NULL);
    run->processor_seconds = strtod(field[14], NULL);
    run->polish_seconds = strtod(field[15], NULL);
    return (run->line = strdup(line)) ? CLI_DONE : cli_out_of_memory();
}

static char *read_all(const char *path) {
    struct stat info;
    FILE *file = fopen(path, "r");
    char *text = NULL;
    if (file && fstat(fileno(file), &info) == 0 && (text = malloc((size_t)info.st_size + 1))) {
        text[fread(text, 1, (size_t)info.st_size, file)] = '\0';
    }
    if (file) {
        fclose(file);
    }
    return text;
}

static int take_lines(struct paper *paper, char *text) {
    int result = CLI_DONE;
    for (char *end; result == CLI_DONE && (end = strchr(text, '\n')); text = end + 1) { /* no end: torn */
        *end = '\0';
        result = take_line(paper, text);
    }
    return result;
}

static void put_lines(FILE *file, const struct paper *paper) {
    fprintf(file, "%s\n", header);
    for (int64_t i = 0; i < paper->count; i++) {
        if (paper->runs[i].line) {
            fprintf(file, "%s\n", paper->runs[i].line);
        }
    }
    for (int64_t i = 0; i < paper->other_count; i++) {
        fprintf(file, "%s\n", paper->others[i]);
    }
}

static int cannot(const char *path) {
    return cli_error("cannot write %s: %s", path, strerror(errno));
}

/* Two processes at once would overwrite each other's work. */
static int lock(struct paper *paper, const char *path) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if ((paper->journal = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666)) < 0) {
        return cannot(path);
    }
    if (fcntl(paper->journal, F_SETLK, &whole)) {
        return errno == EACCES || errno == EAGAIN ? cli_error("%s is being written by another spgm paper", path)
                                                  : CLI_DONE; /* a file system without locks */
    }
    return CLI_DONE;
}

/* "report.html.Ab3dEf": a temporary file that was never renamed. */
static int is_leftover(const char *name) {
    static const char *const endings[] = {".csv", ".html", ".gp", ".svg", ".pdf"};
    size_t length = strlen(name);
    if (length < 8 || name[length - 7] != '.' || strchr(name + length - 6, '.')) {
        return 0;
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t size = strlen(endings[i]);
        if (length - 7 > size && strncmp(name + length - 7 - size, endings[i], size) == 0) {
            return 1;
        }
    }
    return 0;
}

/* What a killed run left half written. */
static void sweep(const char *folder) {
    char path[4096];
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        if (is_leftover(entry->d_name)) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            unlink(path);
        }
    }
    if (entries) {
        closedir(entries);
    }
}

int journal_open(struct paper *paper) {
    char path[4096];
    paper_path(paper, "runs.csv", path, sizeof path);
    int result = lock(paper, path);
    if (result == CLI_DONE) {
        char figures[4096];
        sweep(paper->folder);
        sweep(paper_path(paper, "figures", figures, sizeof figures));
    }
    char *text = result ? NULL : read_all(path);
    if (text) {
        result = take_lines(paper, text);
    }
    free(text);
    if (result == CLI_DONE) { /* without what was torn or is of no use */
        result = paper_write(paper, "runs.csv", put_lines);
    }
    if (result == CLI_DONE) {
        close(paper->journal);
        result = lock(paper, path);
    }
    return result;
}

/* ---- adding --------------------------------------------------------------------------------------------------- */

int journal_add(struct paper *paper, int64_t i, const struct trial *trial) {
    char line[LINE_SIZE + 1], path[4096];
    struct paper_run *run = &paper->runs[i];
    format_line(paper, i, trial, line);
    if (!(run->line = strdup(line))) {
        return cli_out_of_memory();
    }
    size_t length = strlen(line);
    line[length++] = '\n';
    ssize_t written = write(paper->journal, line, length);
    errno = written >= 0 && written < (ssize_t)length ? ENOSPC : errno; /* a part went in, and no error was set */
    if (written != (ssize_t)length || fsync(paper->journal)) {
        return cannot(paper_path(paper, "runs.csv", path, sizeof path));
    }
    run->objective = trial->objective;
    run->polished = trial->polished;
    run->processor_seconds = trial->processor_seconds;
    run->passes = trial->passes;
    run->state = trial->state;
    return CLI_DONE;
}

int journal_finish(struct paper *paper) {
    return paper_write(paper, "runs.csv", put_lines);
}

void journal_close(struct paper *paper) {
    if (paper->journal >= 0) {
        close(paper->journal);
    }
    for (int64_t i = 0; paper->runs && i < paper->count; i++) {
        free(paper->runs[i].line);
    }
    for (int64_t i = 0; i < paper->other_count; i++) {
        free(paper->others[i]);
    }
    free(paper->others);
}
