/* From Python to the library: errors, arrays that are used where they lie, options by name. */
#include "binding.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

PyObject *bind_unsupported_error; /* spgm.UnsupportedError, a ValueError */

/* ---- errors ------------------------------------------------------------------------------------------- */

static PyObject *exception_of(spgm_error code) {
    switch (code) {
    case SPGM_ERROR_MEMORY:
        return PyExc_MemoryError;
    case SPGM_ERROR_FILE:
        return PyExc_OSError;
    case SPGM_ERROR_UNSUPPORTED:
        return bind_unsupported_error;
    default:
        return PyExc_ValueError;
    }
}

/* The sentence as a Python exception; always NULL. */
PyObject *bind_raise(const spgm_status *status) {
    PyErr_SetString(exception_of(status->code), status->message);
    return NULL;
}

/* ---- buffers ------------------------------------------------------------------------------------------ */

void bind_release(struct bind_held *held) {
    while (held->count > 0) {
        PyBuffer_Release(&held->views[--held->count]);
    }
    while (held->copy_count > 0) {
        free(held->copies[--held->copy_count]);
    }
    spgm_scratch_free(held->scratch);
    held->scratch = NULL;
}

static int format_is(const Py_buffer *view, char kind) {
    const char *format = view->format == NULL ? "B" : view->format;
    size_t size = kind == 'i' || kind == 'f' ? 4 : 8;

    if (format[0] == '@' || format[0] == '=' || format[0] == '<') {
        format++;
    }
    if (view->itemsize != (Py_ssize_t)size || format[0] == '\0' || format[1] != '\0') {
        return 0;
    }
    return kind == 'd' || kind == 'f' ? format[0] == kind : strchr("ilq", format[0]) != NULL;
}

/* Hold a buffer with `ndim` dimensions of doubles ('d'), singles too ('r'), int64 ('q') or int32 ('i'). NULL: an
 * exception is set. */
static Py_buffer *hold(struct bind_held *held, PyObject *object, char kind, int ndim, int flags) {
    Py_buffer *view = &held->views[held->count];

    if (held->count == BIND_MAX_HELD) {
        PyErr_SetString(PyExc_RuntimeError, "a problem holds no more arrays than this");
        return NULL;
    }
    if (PyObject_GetBuffer(object, view, flags | PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
        return NULL;
    }
    if (view->ndim != ndim || !(kind == 'r' ? format_is(view, 'd') || format_is(view, 'f') : format_is(view, kind))) {
        PyErr_Format(PyExc_TypeError, "expected an array of %d dimensions and type %s", ndim,
                     kind == 'd'   ? "float64"
                     : kind == 'r' ? "float64 or float32"
                     : kind == 'q' ? "int64"
                                   : "int32");
        PyBuffer_Release(view);
        return NULL;
    }
    held->count++;
    return view;
}

/* A contiguous vector; `length` < 0 takes any. The data pointer, or NULL with an exception. */
void *bind_vector(struct bind_held *held, PyObject *object, char kind, int64_t *length, const char *what, int flags) {
    static double nothing[1]; /* a vector of length 0 may have no address of its own */
    Py_buffer *view = hold(held, object, kind, 1, flags);

    if (view == NULL) {
        return NULL;
    }
    if (view->shape[0] > 1 && view->strides[0] != view->itemsize) {
        PyErr_Format(PyExc_TypeError, "%s must be contiguous", what);
        return NULL;
    }
    if (*length >= 0 && view->shape[0] != *length) {
        PyErr_Format(PyExc_ValueError, "%s has %zd entries, but there should be %lld", what, view->shape[0],
                     (long long)*length);
        return NULL;
    }
    *length = view->shape[0];
    return view->buf == NULL ? nothing : view->buf;
}

int bind_optional(struct bind_held *held, PyObject *object, char kind, int64_t *length, const char *what,
                  const void **data) {
    *data = object == Py_None ? NULL : bind_vector(held, object, kind, length, what, 0);
    return object != Py_None && *data == NULL ? -1 : 0;
}

/* ---- dense matrices ----------------------------------------------------------------------------------- */

/* Singles by columns are copied where they are fewer: a run on doubles is faster, but little. */
#define COPY_ALWAYS (INT64_C(1) << 21)
#define COPY_SECONDS 2e-8 /* for each number of a large array, most of it for pages that are new */
enum { TILE_ROWS = 64, TILE_COLUMNS = 8 };

static double now(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double entry_at(const Py_buffer *view, Py_ssize_t i, Py_ssize_t j) {
    const char *place = (const char *)view->buf + i * view->strides[0] + j * view->strides[1];
    double value;
    float single;

    if (view->itemsize == sizeof value) {
        memcpy(&value, place, sizeof value);
        return value;
    }
    memcpy(&single, place, sizeof single);
    return single;
}

/* values [rows x columns] by columns, a tile at a time: lines of the cache are read and written once. */
static void copy_by_columns(const Py_buffer *view, double *values) {
    Py_ssize_t rows = view->shape[0], columns = view->shape[1];

    for (Py_ssize_t first = 0; first < rows; first += TILE_ROWS) {
        Py_ssize_t last = first + TILE_ROWS < rows ? first + TILE_ROWS : rows;

        for (Py_ssize_t from = 0; from < columns; from += TILE_COLUMNS) {
            Py_ssize_t to = from + TILE_COLUMNS < columns ? from + TILE_COLUMNS : columns;

            for (Py_ssize_t i = first; to < columns && i < last; i++) { /* each row is a stream of its own */
                __builtin_prefetch((const char *)view->buf + i * view->strides[0] + to * view->strides[1]);
            }
            for (Py_ssize_t j = from; j < to; j++) {
                for (Py_ssize_t i = first; i < last; i++) {
                    values[i + j * rows] = entry_at(view, i, j);
                }
            }
        }
    }
}

/* The distance of lines along dimension d, in numbers, where those of a line are next to each other; else 0. */
static Py_ssize_t line_of(const Py_buffer *view, int d) {
    Py_ssize_t length = view->shape[d], lines = view->shape[1 - d], unit = view->itemsize;
    Py_ssize_t stride = lines > 1 ? view->strides[1 - d] : length * unit;
    int is_whole = (length <= 1 || view->strides[d] == unit) && stride % unit == 0 && stride >= length * unit;

    return is_whole && (uintptr_t)view->buf % (uintptr_t)unit == 0 ? stride / unit : 0;
}

static void use_in_place(const Py_buffer *view, int by_rows, Py_ssize_t line, spgm_matrix *matrix) {
    int64_t rows = view->shape[0], columns = view->shape[1];

    if (view->itemsize == sizeof(float)) {
        *matrix = spgm_dense_single(rows, columns, view->buf, by_rows);
    } else {
        *matrix = by_rows ? spgm_dense_by_rows(rows, columns, view->buf) : spgm_dense(rows, columns, view->buf);
    }
    matrix->leading_dimension = line;
}

/* 0, or -1 without memory. */
static int use_copy(struct bind_held *held, const Py_buffer *view, spgm_matrix *matrix) {
    double began = now(), *values = malloc((size_t)view->shape[0] * (size_t)view->shape[1] * sizeof *values);

    if (values == NULL) {
        return -1;
    }
    held->copies[held->copy_count++] = values;
    Py_BEGIN_ALLOW_THREADS copy_by_columns(view, values);
    Py_END_ALLOW_THREADS *matrix = spgm_dense(view->shape[0], view->shape[1], values);
    held->seconds += now() - began;
    return 0;
}

/* By columns in place. What lies otherwise is copied: a search reads single columns, which by rows takes longer. It is
 * read in place only where there is no memory for that, or where the copy would take more than half of the limit. A
 * limit of 0: not copied if it can be read at all. */
static int hold_dense(struct bind_held *held, PyObject *object, double limit, spgm_matrix *matrix) {
    Py_buffer *view = hold(held, object, 'r', 2, 0);
    Py_ssize_t by_rows, by_columns;
    double numbers;
    int is_double;

    if (view == NULL) {
        return -1;
    }
    numbers = (double)view->shape[0] * (double)view->shape[1];
    if (numbers == 0) {
        *matrix = spgm_dense(view->shape[0], view->shape[1], view->buf);
        return 0;
    }
    is_double = view->itemsize == sizeof(double);
    by_columns = line_of(view, 0);
    by_rows = line_of(view, 1);
    if (by_columns > 0 && (is_double || numbers >= COPY_ALWAYS)) {
        use_in_place(view, 0, by_columns, matrix);
    } else if (by_rows > 0 && (is_double || limit == 0) && numbers >= COPY_ALWAYS &&
               numbers * COPY_SECONDS > limit / 2) {
        use_in_place(view, 1, by_rows, matrix);
    } else if (use_copy(held, view, matrix) != 0) {
        if (by_rows == 0 && by_columns == 0) {
            PyErr_NoMemory();
            return -1;
        }
        use_in_place(view, by_columns == 0, by_columns > 0 ? by_columns : by_rows, matrix);
    }
    return 0;
}

static int hold_sparse(struct bind_held *held, PyObject *tuple, spgm_matrix *matrix) {
    long long rows, columns;
    PyObject *start, *row_index, *values;
    int64_t starts, entries = -1;
    const int64_t *column_start;
    const int32_t *rows_of;
    const double *x;

    if (!PyArg_ParseTuple(tuple, "LLOOO", &rows, &columns, &start, &row_index, &values)) {
        return -1;
    }
    starts = columns + 1;
    if ((column_start = bind_vector(held, start, 'q', &starts, "column_start", 0)) == NULL ||
        (rows_of = bind_vector(held, row_index, 'i', &entries, "row_index", 0)) == NULL) {
        return -1;
    }
    if (column_start[columns] > entries) {
        PyErr_SetString(PyExc_ValueError, "the column starts of the sparse matrix point beyond its entries");
        return -1;
    }
    if ((x = bind_vector(held, values, 'd', &entries, "the values of the sparse matrix", 0)) == NULL) {
        return -1;
    }
    *matrix = spgm_sparse(rows, columns, column_start, rows_of, x);
    return 0;
}

/* Workspace in files of the directory; where it is in memory after all a warning says so. */
static int lend(struct bind_held *held, const char *directory, spgm_matrix *matrix) {
    static const char place[] = "set TMPDIR to a directory on a disk";
    spgm_status status;

    matrix->is_mapped = 1;
    if (held->scratch == NULL && spgm_scratch_new(directory, &held->scratch, &status) != SPGM_OK) {
        return PyErr_WarnFormat(PyExc_RuntimeWarning, 1, "workspace beside the mapped file is in memory: %s; %s",
                                status.message, place);
    }
    matrix->memory = spgm_scratch_memory(held->scratch);
    return !spgm_scratch_is_in_memory(held->scratch)
               ? 0
               : PyErr_WarnFormat(PyExc_RuntimeWarning, 1,
                                  "workspace beside the mapped file is in memory, where %s is; %s", directory, place);
}

/* (array, directory), or (array, directory, columns): those that are used, where they stand. */
static int hold_mapped(struct bind_held *held, PyObject *tuple, spgm_matrix *matrix) {
    PyObject *array, *columns = NULL;
    const char *directory;
    int64_t count = -1;

    if (!PyArg_ParseTuple(tuple, "Os|O", &array, &directory, &columns) || hold_dense(held, array, 0, matrix) != 0) {
        return -1;
    }
    if (columns != NULL) {
        const int64_t *list = bind_vector(held, columns, 'q', &count, "columns", 0);

        for (int64_t k = 0; list != NULL && k < count; k++) {
            if (list[k] < (k == 0 ? 0 : list[k - 1] + 1) || list[k] >= matrix->columns) {
                PyErr_SetString(PyExc_ValueError, "columns must be those of the array, ascending");
                return -1;
            }
        }
        if (list == NULL) {
            return -1;
        }
        matrix->column_of = list;
        matrix->columns = count;
    }
    return lend(held, directory, matrix);
}

int bind_matrix(struct bind_held *held, PyObject *object, double limit, spgm_matrix *matrix) {
    if (!PyTuple_Check(object)) {
        return hold_dense(held, object, limit, matrix);
    }
    return PyTuple_Size(object) <= 3 ? hold_mapped(held, object, matrix) : hold_sparse(held, object, matrix);
}

/* ---- options ------------------------------------------------------------------------------------------ */

static int option_exists(const char *name) {
    for (int64_t i = 0; i < spgm_option_count(); i++) {
        if (strcmp(spgm_option_describe(i)->name, name) == 0) {
            return 1;
        }
    }
    return 0;
}

/* The UTF-8 text of a str. The pointer lives as long as *bytes. */
static const char *text_of(PyObject *object, PyObject **bytes) {
    *bytes = PyUnicode_AsUTF8String(object);
    return *bytes == NULL ? NULL : PyBytes_AsString(*bytes);
}

/* Text is set as text, everything else as a number. 0, or -1 with an exception. */
static int set_option(spgm_options *options, const char *name, PyObject *value) {
    spgm_status status = {SPGM_OK, ""};

    if (PyUnicode_Check(value)) {
        PyObject *bytes;
        const char *text = text_of(value, &bytes);
        if (text == NULL) {
            return -1;
        }
        (void)spgm_options_set(options, name, text, &status);
        Py_DECREF(bytes);
    } else {
        double number = PyFloat_AsDouble(value);
        if (number == -1 && PyErr_Occurred()) {
            PyErr_Format(PyExc_TypeError, "option %s takes a number or text, not %R", name, (PyObject *)Py_TYPE(value));
            return -1;
        }
        (void)spgm_options_set_number(options, name, number, &status);
    }
    if (status.code != SPGM_OK && !option_exists(name)) {
        PyErr_Format(PyExc_TypeError, "there is no option '%s': spgm.options() has all of them", name);
        return -1;
    }
    if (status.code != SPGM_OK) {
        PyErr_SetString(exception_of(status.code), status.message);
        return -1;
    }
    return 0;
}

/* Options from a dict; None leaves the default. NULL: an exception is set. */
spgm_options *bind_options(PyObject *dict) {
    spgm_options *options = spgm_options_new();
    PyObject *key, *value;
    Py_ssize_t position = 0;

    if (options == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    while (PyDict_Next(dict, &position, &key, &value)) {
        PyObject *bytes = NULL;
        const char *name = text_of(key, &bytes);
        int failed = name == NULL || (value != Py_None && set_option(options, name, value) != 0);

        Py_XDECREF(bytes);
        if (failed) {
            spgm_options_free(options);
            return NULL;
        }
    }
    return options;
}
