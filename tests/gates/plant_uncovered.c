/* Planted fault: most of this file is never executed. */
#include <stdio.h>

static int unused_branch(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        sum += i * i;
        sum ^= i;
    }
    if (sum > 10)
        puts("more than ten");
    return sum;
}

int main(int count, char **arguments) {
    (void)arguments;
    return count > 1 ? unused_branch(count) : 0;
}
