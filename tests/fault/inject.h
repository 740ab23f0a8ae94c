/*
 * Allocations that fail on demand.
 *
 * HOW IT WORKS: one of two files is linked. inject_interpose.c defines malloc and its kin for the whole process, so
 * that libarchive, jansson and the C library meet the failures too, and counts the blocks alive. inject_wrap.c catches
 * only the calls made by libspgm and leaves malloc to the sanitizer or valgrind, which then looks for leaks.
 */
#ifndef SPGM_TESTS_FAULT_INJECT_H
#define SPGM_TESTS_FAULT_INJECT_H

#include <stdint.h>

/* From now on the allocation number `first` (0, 1, ...) fails; with `forever` all after it too. */
void inject_arm(int64_t first, int forever);
/* Nothing fails any more. Returns how many allocations there were since inject_arm. */
int64_t inject_disarm(void);

/* What happened since inject_arm. */
int inject_fired(void);        /* an allocation has failed               */
int inject_fired_in_own(void); /* ... that libspgm or the test asked for */

/* Blocks alive in the process, or 0 where somebody else looks for leaks. */
int64_t inject_live(void);

#endif
