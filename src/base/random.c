/*
 * xoshiro256++ and splitmix64 by D. Blackman and S. Vigna, "Scrambled linear pseudorandom number generators"
 * (ACM TOMS 47, 2021); bounded integers after D. Lemire (ACM TOMACS 29, 2019); normals by Marsaglia's polar method.
 */
#include "base/random.h"

#include <math.h>

__extension__ typedef unsigned __int128 wide;

static uint64_t rotate(uint64_t x, int by) {
    return (x << by) | (x >> (64 - by));
}

static uint64_t splitmix(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void random_seed(struct random *random, uint64_t seed, uint64_t stream) {
    /* The stream is hashed before it is combined with the seed, so that (seed, stream + 1) and (seed + 1, stream)
     * differ. */
    uint64_t hashed = stream ^ UINT64_C(0xd1b54a32d192ed03);
    uint64_t mix = seed ^ (stream ? splitmix(&hashed) : 0);
    for (int i = 0; i < 4; i++)
        random->state[i] = splitmix(&mix);
    random->spare = 0;
    random->has_spare = 0;
}

uint64_t random_bits(struct random *random) {
    uint64_t *s = random->state;
    uint64_t result = rotate(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

double random_uniform(struct random *random) {
    return (double)(random_bits(random) >> 11) * 0x1p-53;
}

int64_t random_below(struct random *random, int64_t bound) {
    uint64_t n = (uint64_t)bound;
    wide product = (wide)random_bits(random) * n;
    if ((uint64_t)product < n) {
        uint64_t threshold = (0 - n) % n; /* 2^64 mod n: reject these, and every value is equally likely */
        while ((uint64_t)product < threshold)
            product = (wide)random_bits(random) * n;
    }
    return (int64_t)(product >> 64);
}

double random_normal(struct random *random) {
    if (random->has_spare) {
        random->has_spare = 0;
        return random->spare;
    }
    double u, v, square;
    do {
        u = 2 * random_uniform(random) - 1;
        v = 2 * random_uniform(random) - 1;
        square = u * u + v * v;
    } while (square >= 1 || square == 0);
    double factor = sqrt(-2 * log(square) / square);
    random->spare = v * factor;
    random->has_spare = 1;
    return u * factor;
}

static int contains(int64_t count, const int64_t *set, int64_t value) {
    for (int64_t i = 0; i < count; i++)
        if (set[i] == value)
            return 1;
    return 0;
}

static void shuffle(struct random *random, int64_t count, int64_t *values) {
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t j = random_below(random, i + 1);
        int64_t swapped = values[i];
        values[i] = values[j];
        values[j] = swapped;
    }
}

void random_subset(struct random *random, int64_t bound, int64_t count, int64_t *subset) {
    /* Few numbers: draw until a new one appears. Many: take each number with the probability that makes all subsets
     * equally likely. */
    if (count <= 32 ? 2 * count <= bound : count <= bound / count) {
        for (int64_t i = 0; i < count; i++) {
            do
                subset[i] = random_below(random, bound);
            while (contains(i, subset, subset[i]));
        }
        return;
    }
    int64_t taken = 0;
    for (int64_t value = 0; taken < count; value++)
        if (random_below(random, bound - value) < count - taken)
            subset[taken++] = value;
    shuffle(random, count, subset);
}
