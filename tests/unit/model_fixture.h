/* What the tests of src/model share: an independent random generator, losses built by hand, a reduction that doubles
 * sums. */
#ifndef SPGM_TESTS_MODEL_FIXTURE_H
#define SPGM_TESTS_MODEL_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/loss.h"

/* A generator independent of src/base/random.c: splitmix64. */
#ifndef FIXTURE_SEED
#define FIXTURE_SEED 1
#endif
static uint64_t fixture_state = FIXTURE_SEED;

static inline uint64_t fixture_bits(void) {
    uint64_t z = (fixture_state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline double fixture_uniform(double low, double high) {
    return low + (high - low) * ((double)(fixture_bits() >> 11) * 0x1p-53);
}

/* A sum of uniform numbers: approximately normal, mean 0, variance 1. */
static inline double fixture_normal(void) {
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += fixture_uniform(0, 1);
    return sum - 6;
}

static inline int64_t fixture_below(int64_t bound) {
    return (int64_t)(fixture_bits() % (uint64_t)bound);
}

static inline double *fixture_doubles(int64_t count) {
    double *values = calloc((size_t)count + 1, sizeof *values);
    assert_non_null(values);
    return values;
}

static inline double *fixture_normals(int64_t count, double scale) {
    double *values = fixture_doubles(count);
    for (int64_t i = 0; i < count; i++)
        values[i] = scale * fixture_normal();
    return values;
}

/* Fails with the numbers in the message; NaN fails. */
#define assert_near(actual, expected, tolerance)                                                                       \
    fixture_near((double)(actual), (double)(expected), (double)(tolerance), #actual, __FILE__, __LINE__)

static inline void fixture_near(double actual, double expected, double tolerance, const char *what, const char *file,
                                int line) {
    if (actual == expected || fabs(actual - expected) <= tolerance)
        return;
    print_error("%s:%d: %s is %.17g, expected %.17g within %.3g\n", file, line, what, actual, expected, tolerance);
    _fail(file, line);
}

#define assert_at_most(actual, bound) fixture_at_most((double)(actual), (double)(bound), #actual, __FILE__, __LINE__)

static inline void fixture_at_most(double actual, double bound, const char *what, const char *file, int line) {
    if (actual <= bound)
        return;
    print_error("%s:%d: %s is %.17g, above %.17g\n", file, line, what, actual, bound);
    _fail(file, line);
}

/* A reduction as if another process had the same rows. */
static inline void fixture_double_sum(void *context, double *values, int64_t count) {
    if (context != NULL)
        ++*(int *)context;
    for (int64_t i = 0; i < count; i++)
        values[i] *= 2;
}

static inline void fixture_same_max(void *context, double *values, int64_t count) {
    (void)context, (void)values, (void)count;
}

static const struct reduction fixture_two_ranks = {.sum = fixture_double_sum, .max = fixture_same_max};

/* A loss with its own random target, weights and, for the user's slopes, random slopes with zeros among them. */
struct fixture_loss {
    struct loss h;
    struct spgm_options options; /* only the parameters of losses are set */
    struct workspace workspace;
    double *b, *weights;
    double *up, *down, *dead; /* of the user */
};

static inline void fixture_loss_make(struct fixture_loss *fixture, const struct loss_kind *kind, int64_t rows,
                                     int weighted) {
    struct loss_input input = {.options = &fixture->options,
                               .b = fixture->b,
                               .weights = weighted ? fixture->weights : NULL,
                               .up = fixture->up,
                               .down = fixture->down,
                               .dead = fixture->dead,
                               .unit = 1};
    memset(&fixture->workspace, 0, sizeof fixture->workspace);
    loss_prepare(&fixture->h, kind, rows, &input, &fixture->workspace);
    assert_false(fixture->workspace.failed);
}

static inline struct fixture_loss fixture_loss_new(const struct loss_kind *kind, int64_t rows, int weighted) {
    struct fixture_loss fixture;
    memset(&fixture, 0, sizeof fixture);
    fixture.options.quantile = 0.3;
    fixture.options.epsilon = 0.4;
    fixture.options.delta = 0.9;
    fixture.b = fixture_normals(rows, 1);
    fixture.weights = fixture_doubles(rows);
    fixture.up = fixture_doubles(rows);
    fixture.down = fixture_doubles(rows);
    fixture.dead = fixture_doubles(rows);
    for (int64_t i = 0; i < rows; i++) {
        fixture.weights[i] = !weighted ? 1 : fixture_below(5) == 0 ? 0 : fixture_uniform(0.1, 4);
        if (kind->target == LOSS_OF_TWO_LABELS)
            fixture.b[i] = fixture.b[i] < 0 ? -1 : 1;
        fixture.up[i] = fixture_below(4) == 0 ? 0 : fixture_uniform(0, 3);
        fixture.down[i] = fixture_below(4) == 0 ? 0 : fixture_uniform(0, 3);
        fixture.dead[i] = fixture_below(2) == 0 ? 0 : fixture_uniform(0, 1);
    }
    fixture_loss_make(&fixture, kind, rows, weighted);
    return fixture;
}

static inline void fixture_loss_free(struct fixture_loss *fixture) {
    workspace_free(&fixture->workspace);
    free(fixture->b);
    free(fixture->weights);
    free(fixture->up);
    free(fixture->down);
    free(fixture->dead);
}

#endif
