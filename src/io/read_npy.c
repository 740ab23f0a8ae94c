/*
 * NumPy's NPY, versions 1 to 3: a header that is a Python dictionary, then the numbers. One or two dimensions, C or
 * Fortran order, little-endian real and whole numbers of every size, and booleans. A plain file with columns of doubles
 * is mapped and not copied; so is a large file in other layouts, if the caller accepts these.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/collect.h"
#include "io/data.h"
#include "io/map.h"

enum { HEADER_LIMIT = 1 << 16, NUMBERS_AT_ONCE = 4096, WIDEST = 8 };
#define ANY_LAYOUT_ENTRIES (INT64_C(1) << 21) /* 16 MB of doubles */

struct npy {
    struct source *source;
    spgm_status *status;
    char kind; /* kind of number: f, i, u or b */
    size_t width;
    int fortran_order;
    size_t taken; /* bytes of the header so far */
    int64_t shape[2];
    int dimensions;
};

static spgm_error fail(const struct npy *reader, const char *what) {
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT, ": %s", what);
}

/* ---- the header ---- */

static spgm_error take_exactly(struct npy *reader, size_t size, void *bytes) {
    size_t count;
    spgm_error error = source_take(reader->source, size, bytes, &count, reader->status);

    reader->taken += size;
    return error == SPGM_OK && count < size ? fail(reader, "the NPY file ends inside its header") : error;
}

static spgm_error take_header(struct npy *reader, char **header) {
    unsigned char start[8];
    unsigned char length_bytes[4] = {0};
    uint32_t length;
    spgm_error error = take_exactly(reader, sizeof start, start);

    if (error == SPGM_OK && memcmp(start, "\x93NUMPY", 6) != 0) {
        return fail(reader, "is not an NPY file");
    }
    if (error == SPGM_OK && (start[6] < 1 || start[6] > 3)) {
        return fail(reader, "is of an NPY version that is not known (1 to 3 are)");
    }
    error = error == SPGM_OK ? take_exactly(reader, start[6] == 1 ? 2 : 4, length_bytes) : error;
    if (error != SPGM_OK) {
        return error;
    }
    length = (uint32_t)length_bytes[0] | (uint32_t)length_bytes[1] << 8 | (uint32_t)length_bytes[2] << 16 |
             (uint32_t)length_bytes[3] << 24;
    if (length > HEADER_LIMIT) {
        return fail(reader, "the header of the NPY file claims more than 65536 bytes");
    }
    *header = memory_array((int64_t)length + 1, 1);
    if (*header == NULL) {
        return status_memory(reader->status, length);
    }
    return take_exactly(reader, length, *header);
}

/* The text after 'key': in the dictionary, or NULL. */
static const char *find_value(const char *header, const char *key) {
    char quoted[24];
    const char *p;

    snprintf(quoted, sizeof quoted, "'%s'", key);
    p = strstr(header, quoted);
    if (p == NULL) {
        return NULL;
    }
    p += strlen(quoted);
    p += strspn(p, " ");
    return *p == ':' ? p + 1 + strspn(p + 1, " ") : NULL;
}

static spgm_error bad_type(const struct npy *reader, const char *descr) {
    char excerpt[EXCERPT_SIZE];
    const char *order = descr[0] != '\0' && descr[1] == '>' ? " with the low byte first ('<f8')" : "";

    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                       ": numbers of NPY type %s cannot be used; save them as float64%s",
                       source_excerpt(descr, descr + strcspn(descr, ",]})"), excerpt), order);
}

static spgm_error read_type(struct npy *reader, const char *header) {
    const char *descr = find_value(header, "descr");
    static const char *const types[] = {"f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"};

    if (descr == NULL) {
        return fail(reader, "the NPY header has no 'descr'");
    }
    if (descr[0] == '\'' &&
        (descr[1] == '<' || ((descr[1] == '|' || descr[1] == '=') && descr[2] != '\0' && descr[3] == '1'))) {
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
            if (strncmp(descr + 2, types[i], 2) == 0 && descr[4] == '\'') {
                reader->kind = types[i][0];
                reader->width = (size_t)(types[i][1] - '0');
                return SPGM_OK;
            }
        }
    }
    return bad_type(reader, descr);
}

static spgm_error read_order(struct npy *reader, const char *header) {
    const char *order = find_value(header, "fortran_order");

    if (order != NULL && strncmp(order, "True", 4) == 0) {
        reader->fortran_order = 1;
    } else if (order == NULL || strncmp(order, "False", 5) != 0) {
        return fail(reader, "the NPY header has no 'fortran_order' of True or False");
    }
    return SPGM_OK;
}

static spgm_error read_shape(struct npy *reader, const char *header) {
    const char *p = find_value(header, "shape");

    if (p == NULL || *p != '(') {
        return fail(reader, "the NPY header has no 'shape'");
    }
    for (p++; *p != ')';) {
        int64_t size = 0;
        const char *digits = p + strspn(p, " ");

        for (p = digits; *p >= '0' && *p <= '9' && p - digits < 18; p++) {
            size = size * 10 + (*p - '0');
        }
        if (p == digits || (*p != ',' && *p != ')')) {
            return fail(reader, "the 'shape' of the NPY header is not a list of whole numbers");
        }
        if (reader->dimensions == 2) {
            return fail(reader, "the array has more than two dimensions");
        }
        reader->shape[reader->dimensions++] = size;
        p += *p == ',';
        p += strspn(p, " ");
    }
    return reader->dimensions == 0 ? fail(reader, "is a single number, not a matrix or a vector") : SPGM_OK;
}

static spgm_error check_shape(struct npy *reader) {
    int64_t total;
    char what[128];

    if (reader->dimensions == 1) {
        reader->shape[1] = 1;
    }
    if (reader->shape[0] == 0 || reader->shape[1] == 0) {
        return fail(reader, reader->shape[0] == 0 ? "the array has no rows" : "the array has no columns");
    }
    if (__builtin_mul_overflow(reader->shape[0], reader->shape[1], &total) || total > INT64_MAX / WIDEST) {
        snprintf(what, sizeof what, "the header claims %" PRId64 " x %" PRId64 " numbers, more than any file holds",
                 reader->shape[0], reader->shape[1]);
        return fail(reader, what);
    }
    return SPGM_OK;
}

/* ---- the numbers ---- */

static uint64_t little_endian(const unsigned char *bytes, size_t width) {
    uint64_t bits = 0;

    for (size_t i = 0; i < width; i++) {
        bits |= (uint64_t)bytes[i] << (8 * i);
    }
    return bits;
}

static double real_number(uint64_t bits, size_t width) {
    uint32_t half = (uint32_t)bits;
    float single;
    double value;

    if (width == sizeof single) {
        memcpy(&single, &half, sizeof single);
        return single;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double decode_number(const struct npy *reader, const unsigned char *bytes) {
    uint64_t bits = little_endian(bytes, reader->width);
    uint64_t sign = UINT64_C(1) << (8 * reader->width - 1);

    switch (reader->kind) {
    case 'f':
        return real_number(bits, reader->width);
    case 'i':
        return (bits & sign) != 0 ? -(double)(sign - (bits & (sign - 1))) : (double)bits;
    default:
        return (double)bits;
    }
}

static spgm_error bad_number(const struct npy *reader, int64_t k, double value) {
    int64_t i = reader->fortran_order ? k % reader->shape[0] : k / reader->shape[1];
    int64_t j = reader->fortran_order ? k / reader->shape[0] : k % reader->shape[1];

    return source_fail(reader->source, reader->status, SPGM_ERROR_DATA,
                       ", row %" PRId64 ", column %" PRId64 ": the value is %s", i + 1, j + 1,
                       isnan(value) ? "not a number (NaN)" : "infinite");
}

static spgm_error add_numbers(const struct npy *reader, const unsigned char *bytes, int64_t count,
                              struct series *series) {
    for (int64_t k = 0; k < count; k++) {
        double value = decode_number(reader, bytes + (size_t)k * reader->width);

        if (!isfinite(value)) {
            return bad_number(reader, series->count, value);
        }
        if (!series_add(series, value)) {
            return status_memory(reader->status, (size_t)series->count * sizeof value);
        }
    }
    return SPGM_OK;
}

static spgm_error wrong_length(const struct npy *reader, int64_t total, const char *where, int64_t count) {
    return source_fail(reader->source, reader->status, SPGM_ERROR_FORMAT,
                       ": the header claims %" PRId64 " x %" PRId64 " = %" PRId64 " numbers, but %s %" PRId64,
                       reader->shape[0], reader->shape[1], total, where, count);
}

static spgm_error read_numbers(const struct npy *reader, struct series *series) {
    int64_t total = reader->shape[0] * reader->shape[1];
    unsigned char bytes[NUMBERS_AT_ONCE * WIDEST];
    size_t count;
    spgm_error error;

    while (series->count < total) {
        int64_t wanted = total - series->count < NUMBERS_AT_ONCE ? total - series->count : NUMBERS_AT_ONCE;

        error = source_take(reader->source, (size_t)wanted * reader->width, bytes, &count, reader->status);
        if (error == SPGM_OK) {
            error = add_numbers(reader, bytes, (int64_t)(count / reader->width), series);
        }
        if (error != SPGM_OK) {
            return error;
        }
        if (count < (size_t)wanted * reader->width) {
            return wrong_length(reader, total, "the file holds only", series->count);
        }
    }
    error = source_take(reader->source, 1, bytes, &count, reader->status);
    return error == SPGM_OK && count > 0 ? wrong_length(reader, total, "more bytes follow after", total) : error;
}

static spgm_error read_header(struct npy *reader) {
    char *header = NULL;
    spgm_error error = take_header(reader, &header);

    error = error == SPGM_OK ? read_type(reader, header) : error;
    error = error == SPGM_OK ? read_order(reader, header) : error;
    error = error == SPGM_OK ? read_shape(reader, header) : error;
    memory_free(header);
    return error == SPGM_OK ? check_shape(reader) : error;
}

/* ---- in place ---- */

static int is_little_endian(void) {
    const uint16_t one = 1;
    unsigned char first;

    memcpy(&first, &one, 1);
    return first == 1;
}

static int is_by_columns(const struct npy *reader) {
    return reader->fortran_order || reader->shape[0] == 1 || reader->shape[1] == 1;
}

/* Whether the numbers can be used in place: always if they are columns of doubles. By rows or in single precision if
 * the caller accepts that, and either the file is a vector, or a copy, which would be solved faster, would be large. */
static int is_in_place(const struct npy *reader, int any_layout) {
    int is_large = reader->shape[1] == 1 || reader->shape[0] * reader->shape[1] >= ANY_LAYOUT_ENTRIES;
    int is_plain = reader->width == sizeof(double) && is_by_columns(reader);

    return reader->kind == 'f' && (is_plain || (any_layout && is_large)) && reader->taken % reader->width == 0 &&
           is_little_endian();
}

/* Set data->map for a plain file that ends with its last number; otherwise leave it NULL. */
static void map_numbers(const struct npy *reader, int any_layout, struct spgm_data *data) {
    size_t size = reader->taken + (size_t)(reader->shape[0] * reader->shape[1]) * reader->width;
    void *map =
        is_in_place(reader, any_layout) ? map_file(source_descriptor(reader->source), size, &data->is_locked) : NULL;

    if (map != NULL && memcmp(map, "\x93NUMPY", 6) != 0) { /* a compressed file that has the same size by chance */
        map_free(map, size);
        map = NULL;
    }
    if (map != NULL) {
        data->map = map;
        data->map_size = size;
        data->values = reader->width == sizeof(double) ? (double *)((char *)map + reader->taken) : NULL;
        data->singles = reader->width == sizeof(float) ? (float *)((char *)map + reader->taken) : NULL;
        data->by_rows = !is_by_columns(reader);
        data->stride = data->columns;
    }
}

static spgm_error check_numbers(const struct npy *reader, const struct spgm_data *data) {
    int64_t total = reader->shape[0] * reader->shape[1];

    for (int64_t k = 0; k < total; k++) {
        double value = data->singles != NULL ? (double)data->singles[k] : data->values[k];

        if (!isfinite(value)) {
            return bad_number(reader, k, value);
        }
    }
    return SPGM_OK;
}

static spgm_error npy_read(struct source *source, const spgm_read_options *options, struct spgm_data *data,
                           spgm_status *status) {
    struct npy reader = {.source = source, .status = status};
    struct series series = {0};
    spgm_error error = read_header(&reader);

    if (error != SPGM_OK) {
        return error;
    }
    data->rows = reader.shape[0];
    data->columns = reader.shape[1];
    map_numbers(&reader, options->any_layout, data);
    if (data->map != NULL) {
        return check_numbers(&reader, data);
    }
    error = read_numbers(&reader, &series);
    if (error == SPGM_OK) {
        error = reader.fortran_order ? series_to_array(&series, &data->values, status)
                                     : series_to_columns(&series, data->columns, &data->values, status);
    }
    series_free(&series);
    return error;
}

const struct reader reader_npy = {"npy", "npy", npy_read};
