/* Files that appear either complete or not at all: written under a temporary name in the same folder, then renamed. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "group.h"

static int cannot_write(const char *path, int error) {
    const char *name = strcmp(path, "-") == 0 ? "standard output" : path;
    return error ? cli_error("cannot write %s: %s", name, strerror(error)) : cli_error("cannot write %s", name);
}

/* Standard output, a device, a pipe: not to be replaced by a rename. */
static int is_direct(const char *path) {
    struct stat info;
    return strcmp(path, "-") == 0 || (stat(path, &info) == 0 && !S_ISREG(info.st_mode));
}

/* The file behind a symbolic link, so that the link survives; a copy of path for a new file. */
static char *resolve(const char *path) {
    char *real = realpath(path, NULL);
    return real ? real : strdup(path);
}

static int make_temporary(struct outfile *out) {
    size_t size = strlen(out->target) + sizeof ".XXXXXX";
    if (!(out->temporary = malloc(size))) {
        return cannot_write(out->path, errno);
    }
    snprintf(out->temporary, size, "%s.XXXXXX", out->target);
    signals_guard(out->temporary);
    int descriptor = mkstemp(out->temporary);
    mode_t mask = umask(0);
    umask(mask);
    if (descriptor < 0 || fchmod(descriptor, 0666 & ~mask) || !(out->file = fdopen(descriptor, "w"))) {
        int result = cannot_write(out->path, errno);
        if (descriptor >= 0) {
            close(descriptor);
        }
        outfile_discard(out);
        return result;
    }
    return CLI_DONE;
}

int outfile_open(struct outfile *out, const char *path) {
    path = group_is_first() ? path : "/dev/null";
    struct stat info;
    *out = (struct outfile){.path = path};
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return cli_error("cannot write %s: it is a folder; name a file in it", path);
    }
    if (is_direct(path)) {
        out->file = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
        return out->file ? CLI_DONE : cannot_write(path, errno);
    }
    if (access(path, F_OK) == 0 && access(path, W_OK) != 0) { /* a rename would replace what may not be written */
        return cannot_write(path, errno);
    }
    if (!(out->target = resolve(path))) {
        return cannot_write(path, errno);
    }
    return make_temporary(out);
}

int outfile_check(const char *path) {
    struct outfile out;
    if (!path || is_direct(path)) {
        struct stat info;
        int folder = path && stat(path, &info) == 0 && S_ISDIR(info.st_mode);
        return folder ? cli_error("cannot write %s: it is a folder; name a file in it", path) : CLI_DONE;
    }
    int result = outfile_open(&out, path);
    outfile_discard(&out);
    return result;
}

int outfile_spare(const char *path, const char *input) {
    struct stat out, in;
    if (!path || !input || is_direct(path) || stat(path, &out) || stat(input, &in)) {
        return CLI_DONE;
    }
    if (out.st_dev != in.st_dev || out.st_ino != in.st_ino) {
        return CLI_DONE;
    }
    return cli_error("%s is also read by this command; write to another file", path);
}

int outfile_failed(struct outfile *out) {
    if (out->file && ferror(out->file) && !out->error) {
        out->error = errno;
    }
    return out->file && ferror(out->file);
}

int outfile_finish(struct outfile *out) {
    if (!out->file) {
        return CLI_DONE;
    }
    int failed = ferror(out->file);
    if (!failed && (fflush(out->file) || (out->temporary && fsync(fileno(out->file))))) {
        failed = 1;
        out->error = errno;
    }
    if (out->file != stdout && fclose(out->file) && !failed) {
        failed = 1;
        out->error = errno;
    }
    out->file = NULL;
    if (!failed) {
        return CLI_DONE;
    }
    int result = cannot_write(out->path, out->error);
    outfile_discard(out);
    return result;
}

int outfile_commit(struct outfile *out) {
    if (out->temporary && rename(out->temporary, out->target)) {
        int result = cannot_write(out->path, errno);
        outfile_discard(out);
        return result;
    }
    signals_unguard(out->temporary);
    free(out->temporary);
    free(out->target);
    out->temporary = out->target = NULL;
    return CLI_DONE;
}

void outfile_discard(struct outfile *out) {
    if (out->file && out->file != stdout) {
        fclose(out->file);
    }
    if (out->temporary) {
        unlink(out->temporary);
    }
    signals_unguard(out->temporary);
    free(out->temporary);
    free(out->target);
    *out = (struct outfile){.path = out->path};
}

int outfile_flush(void) {
    errno = 0;
    return fflush(stdout) || ferror(stdout) ? cannot_write("-", errno) : CLI_DONE;
}

/* ---- vectors -------------------------------------------------------------------------------------- */

static int ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* NPY 1.0, one dimension; its header is padded to 128 bytes. */
static void put_npy(FILE *file, const double *values, int64_t count) {
    const int one = 1;
    char header[119];
    snprintf(header, sizeof header, "{'descr': '%cf8', 'fortran_order': False, 'shape': (%lld,), }",
             *(const char *)&one ? '<' : '>', (long long)count);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
    fprintf(file, "%-117s\n", header);
    fwrite(values, sizeof *values, (size_t)count, file);
}

static void put_csv(struct outfile *out, const char *header, const double *values, int64_t count) {
    char number[32];
    fprintf(out->file, "%s\n", header);
    for (int64_t i = 0; i < count && !outfile_failed(out); i++) {
        fprintf(out->file, "%s\n", screen_exact(values[i], number));
    }
}

int outfile_vector(struct outfile *out, const char *path, const char *header, const double *values, int64_t count) {
    int result = path ? outfile_open(out, path) : CLI_DONE;
    if (result || !path) {
        return result;
    }
    if (ends_with(path, ".npy")) {
        put_npy(out->file, values, count);
    } else {
        put_csv(out, header, values, count);
    }
    outfile_failed(out);
    return outfile_finish(out);
}
