/*
 * unit_test_alone(f) replaces cmocka_unit_test(f) if f uses one thread, or if another test in the file covers its use
 * of several. The race detector has nothing to find there and skips it.
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
