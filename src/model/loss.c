/* The registry of losses. A new loss is one new file h_*.c and one line here. */
#include "model/loss.h"

#include <math.h>
#include <string.h>

#define LOSS_REGISTRY(X)                                                                                               \
    X(l1)                                                                                                              \
    X(quantile)                                                                                                        \
    X(hinge)                                                                                                           \
    X(epsilon)                                                                                                         \
    X(linf)                                                                                                            \
    X(l2)                                                                                                              \
    X(squared)                                                                                                         \
    X(huber)                                                                                                           \
    X(logistic)                                                                                                        \
    X(squared_hinge)

#define LOSS_DECLARE(name) extern const struct loss_kind loss_kind_##name;
LOSS_REGISTRY(LOSS_DECLARE)

#define LOSS_ENTRY(name) &loss_kind_##name,
static const struct loss_kind *const registry[] = {LOSS_REGISTRY(LOSS_ENTRY)};
static const int64_t registry_size = (int64_t)(sizeof registry / sizeof registry[0]);

/* Whether `name` is one of the words of "a|b|c". */
static int is_listed(const char *list, const char *name) {
    size_t length = strlen(name);
    while (*list != '\0') {
        size_t word = strcspn(list, "|");
        if (word == length && memcmp(list, name, length) == 0)
            return 1;
        list += word + (list[word] == '|');
    }
    return 0;
}

const struct loss_kind *loss_find(const char *name) {
    if (name == NULL || *name == '\0')
        return NULL;
    for (int64_t i = 0; i < registry_size; i++)
        if (strcmp(registry[i]->name, name) == 0 || is_listed(registry[i]->aliases, name))
            return registry[i];
    return NULL;
}

const struct loss_kind *loss_kind_at(int64_t index) {
    return index >= 0 && index < registry_size ? registry[index] : NULL;
}

void loss_prepare(struct loss *h, const struct loss_kind *kind, int64_t rows, const struct loss_input *input,
                  struct workspace *workspace) {
    *h = (struct loss){.kind = kind, .ops = kind->ops, .rows = rows};
    kind->prepare(h, input, workspace);
}

double loss_mean(double value, double weight) {
    return value / weight;
}

double loss_root_mean(double value, double weight) {
    return value / sqrt(weight);
}

double loss_largest(double value, double weight) {
    (void)weight;
    return value;
}
