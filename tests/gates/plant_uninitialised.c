/* Planted fault: a branch on memory that was never written. */
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    double *volatile values = malloc(10 * sizeof *values);
    if (!values)
        return 0;
    if (values[3] > 1)
        puts("large");
    free(values);
    return 0;
}
