/*
 * Allocations that fail on demand.
 *
 * HOW IT WORKS: one of two files is linked. inject_interpose.c defines malloc and its relatives for the whole process,
 * so that libarchive, jansson and the C library get the failures too, and counts the live blocks. inject_wrap.c
 * intercepts only the calls made by libspgm and leaves malloc to the sanitizer or valgrind, which then looks for leaks.
 */
#ifndef SPGM_TESTS_FAULT_INJECT_H
#define SPGM_TESTS_FAULT_INJECT_H

#include <stdint.h>

/* From now on the allocation number `first` (0, 1, ...) fails; with `forever` all later ones, too. */
void inject_arm(int64_t first, int forever);
/* End the failures. Returns the number of allocations since inject_arm. */
int64_t inject_disarm(void);

/* What happened since inject_arm. */
int inject_fired(void);        /* an allocation has failed               */
int inject_fired_in_own(void); /* ... that libspgm or the test asked for */

/* Live blocks in the process, or 0 if a sanitizer or valgrind looks for leaks. */
int64_t inject_live(void);

#endif
