/* Planted fault: one element read past the end of an array on the heap. */
#include <stdlib.h>

int main(int count, char **arguments) {
    (void)arguments;
    size_t n = (size_t)count + 9;
    double *values = calloc(n, sizeof *values);
    if (!values)
        return 0;
    volatile double beyond = *(volatile double *)(values + n);
    (void)beyond;
    free(values);
    return 0;
}
