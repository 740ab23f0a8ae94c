/* Lists on the command line: numbers as in 5,10,20 or 1:20 or 10:90:10, names as in a,b,c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { NUMBERS_MAX = 100000 };

struct numbers {
    int64_t *values;
    int64_t count, room;
};

static int add_number(struct numbers *list, int64_t value) {
    if (list->count == list->room) {
        int64_t room = 2 * list->room + 16;
        int64_t *larger = realloc(list->values, (size_t)room * sizeof *larger);
        if (!larger) {
            return cli_out_of_memory();
        }
        list->values = larger;
        list->room = room;
    }
    list->values[list->count++] = value;
    return CLI_DONE;
}

/* "7", "1:20" or "10:90:10" as first, last and step; 0 when it is none of them. */
static int parse_range(const char *word, long long range[3]) {
    char *end;
    int parts = 0;
    errno = 0;
    do {
        const char *from = parts ? word + 1 : word;
        range[parts++] = strtoll(from, &end, 10);
        if (end == from || errno) {
            return 0;
        }
        word = end;
    } while (*word == ':' && parts < 3);
    range[1] = parts < 2 ? range[0] : range[1];
    range[2] = parts < 3 ? 1 : range[2];
    return *word == '\0' && range[2] > 0;
}

static int add_word(struct numbers *list, const char *flag, const char *word) {
    long long range[3];
    int result = CLI_DONE;
    if (!parse_range(word, range)) {
        return cli_error("--%s %s: give whole numbers and ranges such as 5,10,20 or 1:20 or 10:90:10", flag, word);
    }
    if (range[0] > range[1] || (range[1] - range[0]) / range[2] >= NUMBERS_MAX) {
        return cli_error("--%s %s: the range is %s", flag, word, range[0] > range[1] ? "empty" : "too long");
    }
    for (long long value = range[0]; value <= range[1] && result == CLI_DONE; value += range[2]) {
        result = add_number(list, value);
    }
    return result;
}

static int by_size(const void *a, const void *b) {
    int64_t p = *(const int64_t *)a, q = *(const int64_t *)b;
    return (p > q) - (p < q);
}

static void sort_unique(struct numbers *list) {
    int64_t kept = 0;
    qsort(list->values, (size_t)list->count, sizeof *list->values, by_size);
    for (int64_t i = 0; i < list->count; i++) {
        if (i == 0 || list->values[i] != list->values[i - 1]) {
            list->values[kept++] = list->values[i];
        }
    }
    list->count = kept;
}

int args_numbers(const struct args *args, const char *flag, int64_t **values, int64_t *count) {
    struct numbers list = {0};
    char *copy = strdup(args_get(args, flag)), *rest = copy;
    int result = copy ? CLI_DONE : cli_out_of_memory();
    for (char *word = copy ? strtok_r(copy, ",", &rest) : NULL; word && !result; word = strtok_r(NULL, ",", &rest)) {
        result = add_word(&list, flag, word);
    }
    if (result == CLI_DONE && list.count == 0) {
        result = cli_error("--%s is empty; give whole numbers such as 5,10,20 or 1:20", flag);
    }
    free(copy);
    if (result) {
        free(list.values);
        return result;
    }
    sort_unique(&list);
    *values = list.values;
    *count = list.count;
    return CLI_DONE;
}

int args_words(const struct args *args, const char *flag, int (*take)(void *context, const char *word), void *context) {
    char *copy = strdup(args_get(args, flag)), *rest = copy;
    int result = copy ? CLI_DONE : cli_out_of_memory();
    for (char *word = copy ? strtok_r(copy, ",", &rest) : NULL; word && !result; word = strtok_r(NULL, ",", &rest)) {
        result = take(context, word);
    }
    free(copy);
    return result;
}
