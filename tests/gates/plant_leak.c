/* Planted fault: memory that nobody frees. */
#include <stdlib.h>
#include <string.h>

static char *keep(size_t size) {
    char *memory = malloc(size);
    if (memory)
        memset(memory, 1, size);
    return memory;
}

int main(int count, char **arguments) {
    (void)arguments;
    char *volatile lost = keep((size_t)count * 1000);
    lost = NULL;
    return lost != NULL;
}
