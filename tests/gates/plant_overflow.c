/* Planted fault: one element read past the end of an array on the heap. */
#include <stdlib.h>

int main(int count, char **arguments) {
    (void)arguments;
    size_t n = (size_t)count + 9;
    double *values = calloc(n, sizeof *values);
    if (!values)
        return 0;
    volatile size_t last = n; /* one too far */
    int bad = values[last] > 1;
    free(values);
    return bad ? 0 : 0;
}
