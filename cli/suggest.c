/* "Did you mean ...?" */
#include "cli.h"

#include <string.h>

enum { LONGEST = 40 };

static int min3(int a, int b, int c) {
    int least = a < b ? a : b;
    return least < c ? least : c;
}

/* Edits that turn a into b: insert, delete, replace, or exchange neighbours. */
static int distance(const char *a, const char *b) {
    int rows = (int)strlen(a), columns = (int)strlen(b), d[LONGEST + 1][LONGEST + 1];
    if (rows > LONGEST || columns > LONGEST) {
        return LONGEST;
    }
    for (int i = 0; i <= rows; i++) {
        d[i][0] = i;
    }
    for (int j = 0; j <= columns; j++) {
        d[0][j] = j;
    }
    for (int i = 1; i <= rows; i++) {
        for (int j = 1; j <= columns; j++) {
            d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < d[i][j]) {
                d[i][j] = d[i - 2][j - 2] + 1;
            }
        }
    }
    return d[rows][columns];
}

const char *suggest_nearest(const char *word, const char *(*next)(int index, const void *context),
                            const void *context) {
    const char *nearest = NULL, *name;
    int length = (int)strlen(word), least = length < 4 ? 2 : 2 + length / 4; /* farther than this is no suggestion */
    for (int i = 0; (name = next(i, context)); i++) {
        int away = length >= 3 && strncmp(name, word, (size_t)length) == 0 ? 0 : distance(word, name);
        if (away < least && away < (int)strlen(name)) {
            nearest = name;
            least = away;
        }
    }
    return nearest;
}
