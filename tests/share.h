/*
 * SHARE(all, part): how much a test does. Builds with a sanitizer, coverage or valgrind are many times slower and look
 * for other faults, so they take the part.
 * unit_test_alone(f): in place of cmocka_unit_test(f) where f uses one thread, or what it does with several is done by
 * another test of the file: the race detector has nothing to find there and skips it.
 */
#ifndef SPGM_TESTS_SHARE_H
#define SPGM_TESTS_SHARE_H

#ifdef SPGM_INSTRUMENTED
#define SHARE(all, part) (part)
#else
#define SHARE(all, part) (all)
#endif

#ifdef SPGM_RACES
#define unit_test_alone(f)                                                                                             \
    { #f, 1 ? skip_alone : (f), NULL, NULL, NULL }
static inline void skip_alone(void **state) {
    (void)state;
    skip();
}
#else
#define unit_test_alone(f) cmocka_unit_test(f)
#endif

#endif
