/*
 * SHARE(all, part): how much a test does. Builds with a sanitizer, coverage or valgrind are many times slower and look
 * for other faults, so they take the part.
 * PLAIN_ONLY: first in a cmocka test of numbers whose lines other tests execute as well: those builds skip it.
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
