/* The distinct texts of a column, numbered. */
#ifndef SPGM_IO_LEVELS_H
#define SPGM_IO_LEVELS_H

#include <stddef.h>
#include <stdint.h>

struct levels {
    char *text; /* all of them, UTF-8, NUL after each        */
    int64_t used, size;
    int64_t *start; /* [count] where each begins                 */
    int64_t count, room;
    int64_t *slots; /* of the hash table: a level + 1, 0: empty  */
    int64_t slot_count;
};

/* The number of the text [begin, end); -1: it is not there. */
int64_t levels_find(const struct levels *levels, const char *begin, const char *end);
/* The same; a new text gets the next number. Returns -1 if out of memory. */
int64_t levels_add(struct levels *levels, const char *begin, const char *end);
const char *levels_name(const struct levels *levels, int64_t level);
/* Sort alphabetically; rank [count] receives the new number of each level. Returns 0 if out of memory. */
int levels_sort(struct levels *levels, int64_t *rank);
/* Returns 0 if out of memory. */
int levels_copy(const struct levels *from, struct levels *to);
void levels_free(struct levels *levels);

#endif
