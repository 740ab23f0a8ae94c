/* Planted fault: two threads add to one sum without a lock. */
#include <pthread.h>
#include <stddef.h>

static double sum;

static void *add(void *unused) {
    (void)unused;
    for (int i = 0; i < 1000; i++)
        sum += i;
    return NULL;
}

int main(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, add, NULL) != 0)
        return 0;
    add(NULL);
    pthread_join(thread, NULL);
    return sum < 0;
}
