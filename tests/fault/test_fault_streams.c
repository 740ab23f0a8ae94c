/*
 * The kernel may hand over less than was asked for, or interrupt; a disk may break or be full. Reading must give the
 * same bits however the bytes arrive, and a failed write must leave what was there before.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"
#include "spgm/io.h"

enum { PATH = 4096 };

static const char *const endings[] = {"svm", "csv", "mtx", "npy", "svm.gz", "csv.bz2", "mtx.xz", "svm.zst", NULL};

/* ---- read() as the kernel may do it ----------------------------------------------------------------- */

static enum { PLAIN, ONE_BYTE, INTERRUPTED, BROKEN } mode;
static int64_t calls;

long syscall(long number, ...);

/* Every read() of the process, libarchive's included. */
ssize_t read(int descriptor, void *buffer, size_t size) {
    calls++;
    if (mode == INTERRUPTED && calls % 2) {
        errno = EINTR;
        return -1;
    }
    if (mode == BROKEN && calls > 1) {
        errno = EIO;
        return -1;
    }
    if (mode != PLAIN && size > 0)
        size = mode == ONE_BYTE ? 1 : size < 100 ? size : 100;
    return syscall(SYS_read, descriptor, buffer, size);
}

static spgm_error read_as(int how, const char *path, spgm_data **data, spgm_status *status) {
    spgm_read_options options = {0};
    options.no_target = strstr(path, ".npy") != NULL;
    options.format = NULL;
    calls = 0;
    mode = how;
    spgm_error error = spgm_data_read(path, &options, data, status);
    mode = PLAIN;
    return error;
}

/* ---- what was read ---------------------------------------------------------------------------------- */

static int same_bytes(const void *left, const void *right, int64_t count, size_t size) {
    return (left == NULL) == (right == NULL) && (left == NULL || memcmp(left, right, (size_t)count * size) == 0);
}

static int same_data(const spgm_data *left, const spgm_data *right) {
    spgm_matrix A = spgm_data_matrix(left), B = spgm_data_matrix(right);
    if (A.rows != B.rows || A.columns != B.columns || (A.column_start == NULL) != (B.column_start == NULL))
        return 0;
    int64_t stored = A.column_start ? A.column_start[A.columns] : A.rows * A.columns;
    return same_bytes(A.values, B.values, stored, sizeof(double)) &&
           same_bytes(A.column_start, B.column_start, A.columns + 1, sizeof(int64_t)) &&
           same_bytes(A.row_index, B.row_index, A.column_start ? stored : 0, sizeof(int32_t)) &&
           same_bytes(spgm_data_target(left), spgm_data_target(right), A.rows, sizeof(double));
}

static void check_same(spgm_error error, const spgm_data *expected, spgm_data *got, const spgm_status *status,
                       const char *what) {
    check_sentence(error, status, what);
    if (check(error == SPGM_OK, "%s: %s", what, status->message))
        check(same_data(expected, got), "%s: other data than from a whole read", what);
    spgm_data_free(got);
}

/* ---- reading ---------------------------------------------------------------------------------------- */

static void short_reads(const char *path, const spgm_data *whole) {
    static const char *const names[] = {"plain", "one byte at a time", "interrupted", "broken"};
    char what[PATH + 64];
    for (int how = ONE_BYTE; how <= INTERRUPTED; how++) {
        spgm_data *data = NULL;
        spgm_status status = status_unwritten();
        snprintf(what, sizeof what, "%s, %s", path, names[how]);
        spgm_error error = read_as(how, path, &data, &status);
        check_same(error, whole, data, &status, what);
        check(calls > 1, "%s: read() was not used", what);
    }
}

static void broken_disk(const char *path) {
    spgm_data *data = NULL;
    spgm_status status = status_unwritten();
    spgm_error error = read_as(BROKEN, path, &data, &status);
    check_sentence(error, &status, path);
    check(error == SPGM_ERROR_FILE && data == NULL, "%s, broken disk: %s (%s)", path, spgm_error_name(error),
          status.message);
    spgm_data_free(data);
}

/* A child that writes the file into the pipe in pieces, so that the reader waits again and again. */
static pid_t trickle(const char *path, int pipe_end) {
    pid_t child = fork();
    if (child != 0)
        return child;
    char piece[64];
    int file = open(path, O_RDONLY);
    for (ssize_t n = read(file, piece, sizeof piece); n > 0; n = read(file, piece, sizeof piece))
        if (write(pipe_end, piece, (size_t)n) != n)
            _exit(1);
    _exit(0);
}

static void standard_input(const char *path, const spgm_data *whole) {
    int ends[2], keep = dup(STDIN_FILENO);
    if (!check(pipe(ends) == 0, "pipe"))
        return;
    pid_t child = trickle(path, ends[1]);
    close(ends[1]);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);

    spgm_data *data = NULL;
    spgm_status status = status_unwritten();
    spgm_read_options options = {0};
    options.no_target = strstr(path, ".npy") != NULL;
    spgm_error error = spgm_data_read("-", &options, &data, &status);
    check_same(error, whole, data, &status, "standard input");
    if (keep >= 0)
        dup2(keep, STDIN_FILENO), close(keep);
    waitpid(child, NULL, 0);
}

static void reading(const spgm_data *instance) {
    for (int i = 0; endings[i]; i++) {
        char path[PATH], file[64];
        spgm_data *whole = NULL;
        spgm_status status;
        snprintf(file, sizeof file, "instance.%s", endings[i]);
        folder_path(path, file);
        if (!check(spgm_data_write(instance, path, &status) == SPGM_OK, "%s: %s", path, status.message) ||
            !check(read_as(PLAIN, path, &whole, &status) == SPGM_OK, "%s: %s", path, status.message))
            continue;
        short_reads(path, whole);
        standard_input(path, whole);
        broken_disk(path);
        spgm_data_free(whole);
    }
}

/* ---- writing ---------------------------------------------------------------------------------------- */

static spgm_model *model;

static spgm_error write_data(const void *instance, const char *path, spgm_status *status) {
    return spgm_data_write(instance, path, status);
}

static spgm_error write_model(const void *unused, const char *path, spgm_status *status) {
    (void)unused;
    return spgm_model_write(model, path, status);
}

typedef spgm_error writer(const void *instance, const char *path, spgm_status *status);

/* Through a link of our own: a writer that renames onto the device must not hit the real one. */
static void full_device(writer *write_it, const void *instance, const char *file) {
    char path[PATH];
    struct stat device;
    spgm_status status = status_unwritten();
    folder_path(path, file);
    if (!check(symlink("/dev/full", path) == 0, "symlink %s", path))
        return;
    int files = folder_count();
    spgm_error error = write_it(instance, path, &status);
    check_sentence(error, &status, file);
    check(error == SPGM_ERROR_FILE, "%s on a full device: %s (%s)", file, spgm_error_name(error), status.message);
    check(stat(path, &device) == 0 && S_ISCHR(device.st_mode), "%s: the device was replaced by a file", file);
    check(folder_count() == files, "%s: a temporary file was left", file);
    unlink(path);
}

/* The disk is full after `limit` bytes: the old file stays, nothing else does. */
static void full_disk(writer *write_it, const void *instance, const char *file, rlim_t limit) {
    char path[PATH], old[16] = "";
    struct rlimit before, after;
    spgm_status status = status_unwritten();
    folder_write(path, file, "old");
    int files = folder_count();

    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    after = before;
    after.rlim_cur = limit;
    setrlimit(RLIMIT_FSIZE, &after);
    spgm_error error = write_it(instance, path, &status);
    setrlimit(RLIMIT_FSIZE, &before);

    check_sentence(error, &status, file);
    check(error == SPGM_ERROR_FILE, "%s on a full disk: %s (%s)", file, spgm_error_name(error), status.message);
    FILE *kept = fopen(path, "r");
    check(kept && fgets(old, sizeof old, kept) && strcmp(old, "old") == 0, "%s: the old file was changed", file);
    if (kept)
        fclose(kept);
    check(folder_count() == files, "%s: a temporary file was left", file);
    unlink(path);
}

static void no_folder(writer *write_it, const void *instance, const char *file) {
    char path[PATH];
    spgm_status status = status_unwritten();
    snprintf(path, sizeof path, "/nonexistent-folder/%s", file);
    spgm_error error = write_it(instance, path, &status);
    check_sentence(error, &status, file);
    check(error == SPGM_ERROR_FILE && strstr(status.message, path), "%s: %s", path, status.message);
}

static void make_model(const spgm_data *instance) {
    spgm_matrix A = spgm_data_matrix(instance);
    spgm_problem *problem = NULL;
    spgm_solver *solver = NULL;
    spgm_status status;
    spgm_error error = spgm_problem_new(&A, spgm_data_target(instance), NULL, &problem, &status);
    if (error == SPGM_OK)
        error = spgm_solver_new(problem, 3, NULL, &solver, &status);
    if (error == SPGM_OK)
        error = spgm_solver_run(solver, &status);
    if (error == SPGM_OK)
        error = spgm_model_new(solver, NULL, &model, &status);
    check(error == SPGM_OK, "making a model: %s", status.message);
    spgm_solver_free(solver);
    spgm_problem_free(problem);
}

static void writing(const spgm_data *instance) {
    for (int i = 0; endings[i]; i++) {
        char file[64];
        snprintf(file, sizeof file, "full.%s", endings[i]);
        full_device(write_data, instance, file);
        full_disk(write_data, instance, file, 0);
        full_disk(write_data, instance, file, 512);
        no_folder(write_data, instance, file);
    }
    make_model(instance);
    if (model) {
        full_device(write_model, NULL, "model.json");
        full_disk(write_model, NULL, "model.json", 0);
        full_disk(write_model, NULL, "model.json", 100);
        no_folder(write_model, NULL, "model.json");
    }
    spgm_model_free(model);
}

int main(void) {
    spgm_data *instance = NULL;
    spgm_status status;
    folder_make();
    if (check(spgm_data_generate("random-40-12", 5, NULL, &instance, &status) == SPGM_OK, "%s", status.message)) {
        reading(instance);
        writing(instance);
    }
    spgm_data_free(instance);
    folder_remove();
    return report();
}
