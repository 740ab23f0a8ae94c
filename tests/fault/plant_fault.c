/* Planted fault: calls that do with a failed allocation what the fault tests must catch. */
#include <stdlib.h>

#include "base/status.h"
#include "common.h"

/* Forgets the first block when there is no second. */
static spgm_error leak(const void *context, spgm_status *status) {
    (void)context;
    char *first = malloc(10), *second = first ? malloc(20) : NULL;
    if (!second)
        return status_memory(status, 20);
    free(second);
    free(first);
    return status_clear(status);
}

/* Blames a file for what is a lack of memory. */
static spgm_error lie(const void *context, spgm_status *status) {
    (void)context;
    char *block = malloc(10);
    if (!block)
        return status_set(status, SPGM_ERROR_FILE, "the file could not be read");
    free(block);
    return status_clear(status);
}

int main(void) {
    struct scenario leaking = {"planted leak", leak, NULL, NULL, NULL}, lying = {"planted lie", lie, NULL, NULL, NULL};
    fail_every_allocation(&leaking);
    fail_every_allocation(&lying);
    return report();
}
