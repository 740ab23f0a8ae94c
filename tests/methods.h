/*
 * The methods of the registry for tests of what holds for all of them: a method that is new is tested as soon as it is
 * registered. A test names those it leaves out, and why.
 */
#ifndef SPGM_TESTS_METHODS_H
#define SPGM_TESTS_METHODS_H

#include <string.h>

#include "spgm/spgm.h"

enum { METHODS_MOST = 32 };

struct methods {
    int count;
    const char *name[METHODS_MOST];
};

/* All but those of the list, which ends with NULL; each must be there. */
static inline struct methods methods_but(const char *const *without) {
    struct methods methods = {.count = 0};
    int64_t left_out = 0, all = spgm_method_count();

    assert_true(all <= METHODS_MOST);
    for (int64_t i = 0; i < all; i++) {
        const char *const *place = without;

        while (*place != NULL && strcmp(*place, spgm_method_name(i)) != 0) {
            place++;
        }
        if (*place == NULL) {
            methods.name[methods.count++] = spgm_method_name(i);
        } else {
            left_out++;
        }
    }
    while (*without != NULL) {
        left_out--;
        without++;
    }
    assert_true(left_out == 0);
    return methods;
}

#endif
