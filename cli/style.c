/* One colour and one mark for each method, told apart without colour vision: after Okabe and Ito, and by shape. */
#include <string.h>

#include "chart.h"

struct style {
    const char *method, *light, *dark;
    int point; /* of gnuplot */
};

/* The last ones are for methods that are not listed. */
static const struct style styles[] = {
    {"spgm-bcd", "#0067a8", "#4db2f0", 7}, {"spgm-iht", "#3aa0d8", "#9fd8f7", 4}, {"auto", "#111111", "#f4f4f4", 3},
    {"psgd", "#7f7f7f", "#a8a8a8", 2},     {"admm-iht", "#c98300", "#f0b440", 9}, {"diht", "#00835f", "#3ccaa0", 11},
    {"pdm", "#b8588f", "#e59cc4", 13},     {"cvx-l1", "#c4500a", "#f58a4b", 5},   {"ncvx-lp", "#86690f", "#d9c04a", 6},
    {"omp", "#6b3fa0", "#b593e6", 1},      {"", "#4f6d4f", "#9fc79f", 10},        {"", "#5a4a42", "#c9b5aa", 12},
    {"", "#a3123a", "#ff7d9c", 7},         {"", "#2f6f8f", "#8ecbe6", 5},         {"", "#7a5200", "#e0b060", 9},
    {"", "#3d3d9e", "#a9a9ff", 13},        {"", "#5f7d00", "#b8d84a", 11},        {"", "#8a3fa0", "#dc9bea", 4},
};
enum { STYLES = sizeof styles / sizeof styles[0], SPARE = 8, LISTED = STYLES - SPARE };

int style_of(const char *method) {
    unsigned sum = 0;
    for (int i = 0; i < LISTED; i++) {
        if (strcmp(styles[i].method, method) == 0) {
            return i;
        }
    }
    for (; *method; method++) {
        sum += (unsigned char)*method;
    }
    return LISTED + (int)(sum % 2);
}

int style_spare(int i) {
    return LISTED + (i + 2) % SPARE;
}

const char *style_colour(int style) {
    return styles[style].light;
}

int style_point(int style) {
    return styles[style].point;
}

void style_sheet(FILE *file) {
    for (int i = 0; i < STYLES; i++) {
        fprintf(file, ".s%d{color:%s}\n", i, styles[i].light);
    }
    fputs("@media (prefers-color-scheme: dark){\n", file);
    for (int i = 0; i < STYLES; i++) {
        fprintf(file, ".s%d{color:%s}\n", i, styles[i].dark);
    }
    fputs("}\n", file);
}
