/*
 * unit_test_alone(f): in place of cmocka_unit_test(f) where f uses one thread, or what it does with several is done by
 * another test of the file: the race detector has nothing to find there and skips it.
 */
#ifndef SPGM_TESTS_ALONE_H
#define SPGM_TESTS_ALONE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
