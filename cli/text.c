/* Numbers and texts in files. */
#include "cli.h"

#include <math.h>
#include <string.h>

int text_ascending(const void *a, const void *b) {
    double p = *(const double *)a, q = *(const double *)b;
    return p < q ? -1 : p > q;
}

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

void text_json_option(FILE *file, const spgm_option_info *option, const char *value) {
    int is_finite = strpbrk(value, "0123456789") != NULL;
    if (option->type == SPGM_OPTION_FLAG) {
        fputs(strcmp(value, "true") == 0 || strcmp(value, "1") == 0 ? "true" : "false", file);
    } else if (option->type != SPGM_OPTION_CHOICE && is_finite) {
        fputs(value, file);
    } else {
        text_json(file, value);
    }
}

void text_json_options(FILE *file, const spgm_options *options) {
    char value[64];
    fputc('{', file);
    for (int64_t i = 0; spgm_option_describe(i); i++) {
        const spgm_option_info *option = spgm_option_describe(i);
        if (spgm_options_get(options, option->name, value, sizeof value, NULL)) {
            value[0] = '\0';
        }
        fprintf(file, "%s\"%s\": ", i ? ", " : "", option->name);
        text_json_option(file, option, value);
    }
    fputc('}', file);
}

int text_ends(const char *path, const char *ending) {
    size_t length = strlen(path), tail = strlen(ending);
    return length > tail && strcmp(path + length - tail, ending) == 0;
}

void text_csv(FILE *file, const char *text) {
    if (!strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        fprintf(file, *text == '"' ? "\"\"" : "%c", *text);
    }
    fputc('"', file);
}
