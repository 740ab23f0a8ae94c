#include "io/map.h"

#include <sys/mman.h>
#include <sys/stat.h>

void *map_file(int descriptor, size_t size, int *is_locked) {
    struct stat facts;
    void *map;

    if (descriptor < 0 || fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size != (off_t)size) {
        return NULL;
    }
    map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0);
    *is_locked = map == MAP_FAILED;
    if (*is_locked) {
        map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    }
    return map == MAP_FAILED ? NULL : map;
}

void map_free(void *map, size_t size) {
    if (map != NULL) {
        munmap(map, size);
    }
}
