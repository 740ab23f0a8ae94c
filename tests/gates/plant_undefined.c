/* Planted fault: a signed sum that does not fit. */
#include <limits.h>

int main(int count, char **arguments) {
    (void)arguments;
    volatile int big = INT_MAX;
    volatile int sum = big + count;
    return sum == 7;
}
