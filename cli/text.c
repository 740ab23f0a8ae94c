/* Numbers and texts in files. */
#include "cli.h"

#include <math.h>
#include <string.h>

void text_json(FILE *file, const char *text) {
    fputc('"', file);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            fprintf(file, "\\%c", c);
        } else if (c < 0x20) {
            fprintf(file, "\\u%04x", c);
        } else {
            fputc(c, file);
        }
    }
    fputc('"', file);
}

const char *text_json_number(double number, char text[32]) {
    return isfinite(number) ? screen_exact(number, text) : "null";
}

const char *text_csv_number(double number, char text[32]) {
    return isfinite(number) ? screen_exact(number, text) : "";
}

void text_json_options(FILE *file, const spgm_options *options) {
    char value[64];
    fputc('{', file);
    for (int64_t i = 0; spgm_option_describe(i); i++) {
        const char *name = spgm_option_describe(i)->name;
        if (spgm_options_get(options, name, value, sizeof value, NULL)) {
            value[0] = '\0';
        }
        fprintf(file, "%s\"%s\": ", i ? ", " : "", name);
        text_json(file, value);
    }
    fputc('}', file);
}

int text_ends(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}
