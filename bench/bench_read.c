/*
 * Reading LIBSVM text into compressed columns, on one core:
 *
 *     bench_read [FILE...]
 *
 * Without files it makes one, of about 60 MB with 17 digits to a number, and reads that. Prints the best of five, in
 * seconds of the processor. Must be 100 MB/s or more. bench/read_sklearn.sh compares with scikit-learn on the same
 * files.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "spgm/io.h"

enum { ROWS = 20000, COLUMNS = 50000, PER_ROW = 110, REPEATS = 5 };
static const double required = 100; /* MB/s */

/* Processor time of this process, including system calls; independent of other jobs on the machine. */
static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Rows of ascending indices and normal numbers, with all their digits. */
static int make_file(const char *path) {
    FILE *file = fopen(path, "w");
    struct random random;
    if (file == NULL)
        return 0;
    random_seed(&random, 1, 0);
    for (int i = 0; i < ROWS; i++) {
        int64_t index = 0;
        fprintf(file, "%.17g", random_normal(&random));
        for (int k = 0; k < PER_ROW; k++) {
            index += 1 + random_below(&random, 2 * COLUMNS / PER_ROW - 1);
            fprintf(file, " %lld:%.17g", (long long)index, 1e-2 * random_normal(&random));
        }
        fputc('\n', file);
    }
    return fclose(file) == 0;
}

/* The fastest of several readings, in seconds; negative if the file cannot be read. */
static double best_reading(const char *path, int64_t *stored) {
    double best = -1;
    for (int i = 0; i < REPEATS; i++) {
        spgm_data *data = NULL;
        spgm_status status;
        double began = cpu_seconds();
        if (spgm_data_read(path, &(spgm_read_options){.format = "libsvm"}, &data, &status) != SPGM_OK) {
            fprintf(stderr, "%s\n", status.message);
            return -1;
        }
        double seconds = cpu_seconds() - began;
        spgm_matrix A = spgm_data_matrix(data);
        *stored = A.column_start[A.columns];
        best = best < 0 || seconds < best ? seconds : best;
        spgm_data_free(data);
    }
    return best;
}

static int bench(const char *path, const char *name) {
    struct stat facts;
    int64_t stored = 0;
    double seconds = best_reading(path, &stored);
    if (seconds < 0 || stat(path, &facts) != 0)
        return 0;
    double speed = (double)facts.st_size / 1e6 / seconds;
    printf("%-24s %8.1f MB %10lld entries %8.4f s %8.1f MB/s (at least %.0f)\n", name, (double)facts.st_size / 1e6,
           (long long)stored, seconds, speed, required);
    return speed >= required;
}

int main(int count, char **arguments) {
    int good = 1;
    for (int i = 1; i < count; i++) {
        const char *slash = strrchr(arguments[i], '/');
        good = bench(arguments[i], slash == NULL ? arguments[i] : slash + 1) && good;
    }
    if (count < 2) {
        const char *parent = getenv("TMPDIR");
        char path[512];
        snprintf(path, sizeof path, "%s/spgm-bench-%ld.svm", parent == NULL ? "/tmp" : parent, (long)getpid());
        good = make_file(path) && bench(path, "random, 17 digits");
        unlink(path);
    }
    return !good;
}
