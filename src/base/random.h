/* Random numbers: xoshiro256++ seeded by splitmix64. The caller owns the state; there is no global one. */
#ifndef SPGM_BASE_RANDOM_H
#define SPGM_BASE_RANDOM_H

#include <stdint.h>

struct random {
    uint64_t state[4];
    double spare; /* second normal number of a pair */
    int has_spare;
};

/* Different streams of one seed are independent. */
void random_seed(struct random *random, uint64_t seed, uint64_t stream);
uint64_t random_bits(struct random *random);
double random_uniform(struct random *random);               /* [0, 1)                       */
int64_t random_below(struct random *random, int64_t bound); /* {0..bound-1}, without bias   */
double random_normal(struct random *random);                /* mean 0, variance 1           */
/* `count` distinct numbers of {0..bound-1} in random order; count <= bound; O(count) expected for count << bound. */
void random_subset(struct random *random, int64_t bound, int64_t count, int64_t *subset);

#endif
