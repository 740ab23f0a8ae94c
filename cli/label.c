/* Names of columns in tables and figures, so that no two of them look alike. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

enum { WIDEST = 40 };

static int by_name(const void *a, const void *b) {
    return strcmp(**(const char *const *const *)a, **(const char *const *const *)b);
}

/* In the order of names those that are equal are neighbours. */
int label_find(struct labels *labels, const spgm_data *data, int64_t columns) {
    *labels = (struct labels){.data = data};
    if (columns == 0 || !spgm_data_column_name(data, 0)) {
        return CLI_DONE;
    }
    const char **name = malloc((size_t)columns * sizeof *name);
    const char ***order = malloc((size_t)columns * sizeof *order);
    labels->is_shared = calloc((size_t)columns, sizeof *labels->is_shared);
    int result = name && order && labels->is_shared ? CLI_DONE : cli_out_of_memory();
    for (int64_t j = 0; j < columns && result == CLI_DONE; j++) {
        const char *text = spgm_data_column_name(data, j);
        name[j] = text ? text : "";
        order[j] = &name[j];
    }
    if (result == CLI_DONE) {
        qsort(order, (size_t)columns, sizeof *order, by_name);
    }
    for (int64_t k = 1; k < columns && result == CLI_DONE; k++) {
        if (strcmp(*order[k], *order[k - 1]) == 0) {
            labels->is_shared[order[k] - name] = labels->is_shared[order[k - 1] - name] = 1;
        }
    }
    free(name);
    free(order);
    return result;
}

void label_free(struct labels *labels) {
    free(labels->is_shared);
    *labels = (struct labels){0};
}

/* Bytes of the longest beginning of text that takes at most `width` characters. */
static int prefix_bytes(const char *text, int width) {
    int bytes = 0;
    for (; text[bytes]; bytes++) {
        if (((unsigned char)text[bytes] & 0xC0) != 0x80 && width-- == 0) {
            break;
        }
    }
    return bytes;
}

const char *label_column(const struct labels *labels, int64_t j, int width, char text[LABEL_SIZE]) {
    const char *name = spgm_data_column_name(labels->data, j);
    char number[32];
    int length = snprintf(number, sizeof number, " (%lld)", (long long)task_number(labels->data, j));
    if (!name) {
        snprintf(text, LABEL_SIZE, "%lld", (long long)task_number(labels->data, j));
        return text;
    }
    int is_shared = labels->is_shared && labels->is_shared[j];
    if (!is_shared && (!width || screen_length(name) <= width)) {
        return name;
    }
    int room = (width ? width : WIDEST) - length, is_cut = screen_length(name) > room;
    snprintf(text, LABEL_SIZE, "%.*s%s%s", prefix_bytes(name, is_cut ? room - 1 : room), name, is_cut ? "~" : "",
             number);
    return text;
}

void label_put(FILE *file, const char *name, int width) {
    int length = screen_length(name);
    if (length > width) {
        fprintf(file, "%.*s~", prefix_bytes(name, width - 1), name);
    } else {
        fprintf(file, "%s%*s", name, width - length, "");
    }
}
