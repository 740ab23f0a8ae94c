/*
 * SHARE(all, part): the size of a test. Builds with a sanitizer, coverage or valgrind are many times slower and look
 * for other faults, so they use `part`. PLAIN_ONLY, at the start of a cmocka test of numbers whose lines other tests
 * execute as well, skips it in those builds.
 */
#ifndef SPGM_TESTS_SHARE_H
#define SPGM_TESTS_SHARE_H

#ifdef SPGM_INSTRUMENTED
#define SHARE(all, part) (part)
#else
#define SHARE(all, part) (all)
#endif
#define PLAIN_ONLY()                                                                                                   \
    do {                                                                                                               \
        if (SHARE(0, 1))                                                                                               \
            skip();                                                                                                    \
    } while (0)

#endif
