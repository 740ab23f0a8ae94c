/* A random generator of the tests' own: what they draw does not change with that of the library. */
#ifndef SPGM_TESTS_DRAW_H
#define SPGM_TESTS_DRAW_H

#include <stdint.h>

static uint64_t state_of_draw; /* the seed; splitmix64 goes on from it */

/* Uniform on [0, 1) */
static inline double draw(void) {
    uint64_t z = (state_of_draw += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static inline int below(int64_t count) {
    return (int)(draw() * (double)count);
}

/* Normal, nearly: the sum of twelve. */
static inline double normal(void) {
    double sum = -6;

    for (int i = 0; i < 12; i++) {
        sum += draw();
    }
    return sum;
}

#endif
