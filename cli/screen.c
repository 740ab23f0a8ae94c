/* The terminal: its width, the line that is rewritten in place, and numbers for people. */
#include "cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "group.h"

int cli_error(const char *format, ...) {
    va_list list;
    va_start(list, format);
    if (!group_keep(format, list)) {
        screen_erase();
        fputs("spgm: ", stderr);
        vfprintf(stderr, format, list);
        fputc('\n', stderr);
    }
    va_end(list);
    return CLI_USAGE;
}

/* The library names read settings as in missing=drop; users know the flag --missing drop. The b of the library is the
 * target. */
static void name_flags(const char *from, char *to, size_t size) {
    static const char *const names[] = {" missing=", " header=", " decimal="};
    size_t at = 0;
    if (strncmp(from, "b ", 2) == 0) { /* its name in C */
        at = (size_t)sprintf(to, "the target");
        from++;
    }
    while (*from && at + 4 < size) {
        size_t length = 0;
        for (size_t i = 0; i < sizeof names / sizeof names[0] && !length; i++) {
            length = strncmp(from, names[i], strlen(names[i])) == 0 ? strlen(names[i]) : 0;
        }
        if (length && at + length + 4 < size) {
            at += (size_t)sprintf(to + at, " --%.*s ", (int)length - 2, from + 1);
            from += length;
        } else {
            to[at++] = *from++;
        }
    }
    to[at] = '\0';
}

int cli_status(const spgm_status *status) {
    char message[2 * SPGM_MESSAGE_SIZE];
    name_flags(status->message, message, sizeof message);
    cli_error("%s", message);
    return status->code == SPGM_ERROR_MEMORY ? CLI_FAILED : CLI_USAGE;
}

int cli_status_of(const spgm_status *status, const char *path) {
    char message[2 * SPGM_MESSAGE_SIZE];
    if (status->code != SPGM_ERROR_DATA) {
        return cli_status(status);
    }
    name_flags(status->message, message, sizeof message);
    return cli_error("%s: %s", strcmp(path, "-") == 0 ? "standard input" : path, message);
}

int cli_out_of_memory(void) {
    cli_error("out of memory");
    return CLI_FAILED;
}

/* ---- what there is -------------------------------------------------------------------------------- */

int screen_wanted(const struct args *args) {
    if (args_get(args, "quiet") || !group_is_first()) {
        return 0;
    }
    return args_get(args, "verbose") || isatty(STDERR_FILENO);
}

int screen_width(FILE *file) {
    const char *columns = getenv("COLUMNS");
    struct winsize size;
    int width = columns ? atoi(columns) : 0;
    if (width > 0) {
        return width;
    }
    if (ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col;
    }
    return 80;
}

int screen_styled(FILE *file) {
    const char *terminal = getenv("TERM"), *plain = getenv("NO_COLOR");
    return isatty(fileno(file)) && terminal && strcmp(terminal, "dumb") != 0 && !(plain && *plain);
}

int screen_utf8(void) {
    const char *names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) {
            return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "utf-8") || strstr(value, "UTF8");
        }
    }
    return 0;
}

int screen_length(const char *text) {
    int length = 0;
    for (; *text; text++) {
        length += ((unsigned char)*text & 0xC0) != 0x80;
    }
    return length;
}

/* ---- the line that is rewritten in place ----------------------------------------------------------- */

enum { LINE_MAX_LENGTH = 256 };

static atomic_int line_is_shown; /* nothing is erased if nothing was written, so that --quiet writes not a byte */

static void rewrite(const char *text) {
    int width = screen_width(stderr) - 1, length = (int)strlen(text);
    fprintf(stderr, "\r%.*s\033[K", length < width ? length : width, text);
    fflush(stderr);
    line_is_shown = 1;
}

void screen_note(const struct args *args, const char *format, ...) {
    char text[LINE_MAX_LENGTH];
    va_list list;
    if (args_get(args, "quiet") || !isatty(STDERR_FILENO)) {
        return;
    }
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    rewrite(text);
}

void screen_progress(const spgm_progress *progress, int64_t sparsity) {
    char text[LINE_MAX_LENGTH], mu[24] = "", seconds[32];
    if (progress->mu > 0) {
        snprintf(mu, sizeof mu, "  mu %.1e", progress->mu);
    }
    if (progress->open > 0) {
        char bound[48] = "no bound";
        if (isfinite(progress->bound)) {
            snprintf(bound, sizeof bound, "bound %.6g  gap %.3g %%", progress->bound,
                     100 * (progress->best - progress->bound) / fabs(progress->best));
        }
        snprintf(text, sizeof text, "%s  F %.6g  %s  %lld open nodes  %s", progress->method, progress->best, bound,
                 (long long)progress->open, screen_seconds(progress->seconds, seconds));
        rewrite(text);
        return;
    }
    snprintf(text, sizeof text, "%s  t %lld%s  F %.6g  best %.6g  %lld/%lld nonzeros  %s", progress->method,
             (long long)progress->iteration, mu, progress->objective, progress->best, (long long)progress->support,
             (long long)sparsity, screen_seconds(progress->seconds, seconds));
    rewrite(text);
}

void screen_erase(void) {
    if (atomic_exchange(&line_is_shown, 0) && isatty(STDERR_FILENO)) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}

/* ---- numbers ---------------------------------------------------------------------------------------- */

const char *screen_count(int64_t number, char text[32]) {
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)number), to = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0 && length > 4 && digits[i - 1] != '-') {
            text[to++] = ',';
        }
        text[to++] = digits[i];
    }
    text[to] = '\0';
    return text;
}

const char *screen_seconds(double seconds, char text[32]) {
    if (seconds < 1e-3) {
        snprintf(text, 32, "%.0f us", seconds * 1e6);
    } else if (seconds < 1) {
        snprintf(text, 32, "%.3g ms", seconds * 1e3);
    } else if (seconds < 600) {
        snprintf(text, 32, seconds < 100 ? "%.2f s" : "%.0f s", seconds);
    } else {
        snprintf(text, 32, "%d min %02d s", (int)(seconds / 60), (int)fmod(seconds, 60));
    }
    return text;
}

const char *screen_exact(double number, char text[32]) {
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, 32, "%.*g", digits, number);
        if (strtod(text, NULL) == number) {
            break;
        }
    }
    return text;
}
