/* A file of numbers used in place: mapped into memory, not copied. */
#ifndef SPGM_IO_MAP_H
#define SPGM_IO_MAP_H

#include <stddef.h>

/* The file that `descriptor` is open on, which must have `size` bytes: pages are read when they are looked at and can
 * be dropped again. What is written to them does not reach the file and takes memory; where there would never be enough
 * of that, *is_locked is set and nothing can be written. NULL: it cannot be mapped. */
void *map_file(int descriptor, size_t size, int *is_locked);
void map_free(void *map, size_t size); /* map may be NULL */

#endif
