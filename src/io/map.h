/* A file of numbers used in place: it is mapped into memory, not copied. */
#ifndef SPGM_IO_MAP_H
#define SPGM_IO_MAP_H

#include <stddef.h>

/* Map the file of `descriptor`, which must have `size` bytes. Pages are read when they are first used and can be
 * dropped again. Writes do not reach the file and take memory; if there can never be enough memory for that, *is_locked
 * is set and the map is read-only. Returns NULL if the file cannot be mapped. */
void *map_file(int descriptor, size_t size, int *is_locked);
void map_free(void *map, size_t size); /* map may be NULL */

#endif
