/*
 * spgm._spgm: the public C interface for Python, and nothing else.
 *
 * HOW IT WORKS. Arrays come in through the buffer protocol and are used where they lie; the caller (the package in
 * Python) has brought them into a shape that can be: float64, column-major or CSC with int64 column starts and int32
 * rows. Results go into arrays that the caller made. Every run releases the GIL; about every 50 ms the progress
 * callback takes it back to see whether Ctrl-C was pressed and to call the user's function.
 *
 * LIMITATIONS. Only names of the stable ABI are used, so one wheel serves every later Python; no NumPy header either.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <spgm/spgm.h>

#define VISIT_SECONDS 0.05 /* between two looks at Python while a run goes on */
#define MAX_HELD 16        /* buffers that one problem can hold               */

static PyObject *unsupported_error; /* spgm.UnsupportedError, a ValueError */

/* ---- errors ------------------------------------------------------------------------------------------- */

static PyObject *exception_of(spgm_error code) {
    switch (code) {
    case SPGM_ERROR_MEMORY:
        return PyExc_MemoryError;
    case SPGM_ERROR_FILE:
        return PyExc_OSError;
    case SPGM_ERROR_UNSUPPORTED:
        return unsupported_error;
    default:
        return PyExc_ValueError;
    }
}

/* The sentence as a Python exception; always NULL. */
static PyObject *raise_status(const spgm_status *status) {
    PyErr_SetString(exception_of(status->code), status->message);
    return NULL;
}

/* ---- buffers ------------------------------------------------------------------------------------------ */

struct held {
    Py_buffer views[MAX_HELD];
    int count;
};

static void held_release(struct held *held) {
    while (held->count > 0) {
        PyBuffer_Release(&held->views[--held->count]);
    }
}

static int format_is(const Py_buffer *view, char kind) {
    const char *format = view->format == NULL ? "B" : view->format;
    size_t size = kind == 'i' ? 4 : 8;

    if (format[0] == '@' || format[0] == '=' || format[0] == '<') {
        format++;
    }
    if (view->itemsize != (Py_ssize_t)size || format[0] == '\0' || format[1] != '\0') {
        return 0;
    }
    return kind == 'd' ? format[0] == 'd' : strchr("ilq", format[0]) != NULL;
}

/* Hold a buffer with `ndim` dimensions of doubles ('d'), int64 ('q') or int32 ('i'). NULL: an exception is set. */
static Py_buffer *hold(struct held *held, PyObject *object, char kind, int ndim, int flags) {
    Py_buffer *view = &held->views[held->count];

    if (held->count == MAX_HELD) {
        PyErr_SetString(PyExc_RuntimeError, "a problem holds no more arrays than this");
        return NULL;
    }
    if (PyObject_GetBuffer(object, view, flags | PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
        return NULL;
    }
    if (view->ndim != ndim || !format_is(view, kind)) {
        PyErr_Format(PyExc_TypeError, "expected an array of %d dimensions and type %s", ndim,
                     kind == 'd'   ? "float64"
                     : kind == 'q' ? "int64"
                                   : "int32");
        PyBuffer_Release(view);
        return NULL;
    }
    held->count++;
    return view;
}

/* A contiguous vector; `length` < 0 takes any. The data pointer, or NULL with an exception. */
static void *hold_vector(struct held *held, PyObject *object, char kind, int64_t *length, const char *what, int flags) {
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

static int hold_dense(struct held *held, PyObject *object, spgm_matrix *matrix) {
    const Py_ssize_t unit = (Py_ssize_t)sizeof(double);
    Py_buffer *view = hold(held, object, 'd', 2, 0);
    Py_ssize_t rows, columns, stride;

    if (view == NULL) {
        return -1;
    }
    rows = view->shape[0];
    columns = view->shape[1];
    stride = columns > 1 ? view->strides[1] : rows * unit;
    if (rows > 0 && columns > 0 &&
        ((rows > 1 && view->strides[0] != unit) || stride % unit != 0 || stride < rows * unit)) {
        PyErr_SetString(PyExc_TypeError, "the matrix must be column-major (Fortran order)");
        return -1;
    }
    *matrix = spgm_dense(rows, columns, view->buf);
    if (rows > 0 && columns > 0) {
        matrix->leading_dimension = stride / unit;
    }
    return 0;
}

static int hold_sparse(struct held *held, PyObject *tuple, spgm_matrix *matrix) {
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
    if ((column_start = hold_vector(held, start, 'q', &starts, "column_start", 0)) == NULL ||
        (rows_of = hold_vector(held, row_index, 'i', &entries, "row_index", 0)) == NULL) {
        return -1;
    }
    if (column_start[columns] > entries) {
        PyErr_SetString(PyExc_ValueError, "the column starts of the sparse matrix point beyond its entries");
        return -1;
    }
    if ((x = hold_vector(held, values, 'd', &entries, "the values of the sparse matrix", 0)) == NULL) {
        return -1;
    }
    *matrix = spgm_sparse(rows, columns, column_start, rows_of, x);
    return 0;
}

/* A two-dimensional array, or (rows, columns, column_start, row_index, values). */
static int hold_matrix(struct held *held, PyObject *object, spgm_matrix *matrix) {
    return PyTuple_Check(object) ? hold_sparse(held, object, matrix) : hold_dense(held, object, matrix);
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
    if (status.code != SPGM_OK) {
        PyErr_SetString(option_exists(name) ? exception_of(status.code) : PyExc_TypeError, status.message);
        return -1;
    }
    return 0;
}

/* Options from a dict; None leaves the default. NULL: an exception is set. */
static spgm_options *options_of(PyObject *dict) {
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

/* ---- progress: Ctrl-C, the user's function, the trace ------------------------------------------------------ */

struct watch {
    PyThreadState *state; /* of the thread that runs, while it does not hold the GIL     */
    PyObject *callback;   /* NULL: none                                                  */
    double next;          /* when to look at Python again                                */
    int failed;           /* a Python exception is set: the run is stopped and the exception raised */
    int tracing;
    spgm_progress *trace;
    size_t count, capacity;
};

static double now(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static PyObject *progress_tuple(const spgm_progress *p) {
    return Py_BuildValue("(sLdddddddLd)", p->method == NULL ? "" : p->method, (long long)p->iteration, p->mu,
                         p->objective, p->best, p->penalised, p->step, p->infeasibility, p->seconds,
                         (long long)p->support, p->fraction);
}

/* With the GIL: pending signals, then the user's function. Nonzero: stop. */
static int look_at_python(struct watch *watch, const spgm_progress *progress) {
    PyObject *answer, *arguments;
    int stop;

    if (PyErr_CheckSignals() != 0) {
        return watch->failed = 1;
    }
    if (watch->callback == NULL) {
        return 0;
    }
    arguments = progress_tuple(progress);
    answer = arguments == NULL ? NULL : PyObject_CallObject(watch->callback, arguments);
    Py_XDECREF(arguments);
    stop = answer == NULL ? -1 : PyObject_IsTrue(answer);
    Py_XDECREF(answer);
    watch->failed = stop < 0;
    return stop != 0;
}

static void trace_append(struct watch *watch, const spgm_progress *progress) {
    if (watch->count == watch->capacity) {
        size_t capacity = watch->capacity == 0 ? 1024 : 2 * watch->capacity;
        spgm_progress *grown = realloc(watch->trace, capacity * sizeof *grown);
        if (grown == NULL) {
            return; /* a trace that ends early is better than a run that is lost */
        }
        watch->trace = grown;
        watch->capacity = capacity;
    }
    watch->trace[watch->count++] = *progress;
}

/* The spgm_progress_function: called without the GIL. */
static int visit(const spgm_progress *progress, void *context) {
    struct watch *watch = context;
    int stop;

    if (watch->tracing) {
        trace_append(watch, progress);
    }
    if (watch->failed || now() < watch->next) {
        return watch->failed;
    }
    PyEval_RestoreThread(watch->state);
    stop = look_at_python(watch, progress);
    watch->state = PyEval_SaveThread();
    watch->next = now() + VISIT_SECONDS;
    return stop;
}

static struct watch watch_make(PyObject *callback, int tracing) {
    struct watch watch = {.tracing = tracing, .next = now() + VISIT_SECONDS};

    watch.callback = callback == Py_None ? NULL : callback;
    return watch;
}

static PyObject *trace_list(const struct watch *watch) {
    PyObject *list = PyList_New((Py_ssize_t)watch->count);

    for (size_t i = 0; list != NULL && i < watch->count; i++) {
        PyObject *row = progress_tuple(&watch->trace[i]);
        if (row == NULL || PyList_SetItem(list, (Py_ssize_t)i, row) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *info_tuple(const spgm_info *info) {
    return Py_BuildValue("(ddddLLLLdds)", info->objective, info->loss_value, info->smooth_value, info->bound,
                         (long long)info->support, (long long)info->iterations, (long long)info->restarts,
                         (long long)info->agreeing, info->spread, info->seconds, spgm_outcome_name(info->outcome));
}

/* ---- Problem ------------------------------------------------------------------------------------------ */

typedef struct Problem {
    PyObject_HEAD spgm_problem *problem;
    struct held held;
} Problem;

static void problem_dealloc(PyObject *self) {
    Problem *p = (Problem *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    spgm_problem_free(p->problem);
    held_release(&p->held);
    release(self);
    Py_DECREF(type);
}

static int problem_make(Problem *self, PyObject *matrix, PyObject *target, PyObject *dict) {
    spgm_matrix A;
    spgm_options *options = NULL;
    spgm_status status;
    spgm_error error;
    const double *b;
    int64_t rows;

    if (hold_matrix(&self->held, matrix, &A) != 0) {
        return -1;
    }
    rows = A.rows;
    if ((b = hold_vector(&self->held, target, 'd', &rows, "b", 0)) == NULL || (options = options_of(dict)) == NULL) {
        return -1;
    }
    Py_BEGIN_ALLOW_THREADS error = spgm_problem_new(&A, b, options, &self->problem, &status);
    Py_END_ALLOW_THREADS spgm_options_free(options);
    if (error != SPGM_OK) {
        raise_status(&status);
        return -1;
    }
    return 0;
}

static PyObject *problem_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    PyObject *matrix, *target, *dict, *self;

    if (kwargs != NULL && PyDict_Size(kwargs) != 0) {
        PyErr_SetString(PyExc_TypeError, "Problem takes no keyword arguments");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "OOO!", &matrix, &target, &PyDict_Type, &dict) || (self = allocate(type, 0)) == NULL) {
        return NULL;
    }
    if (problem_make((Problem *)self, matrix, target, dict) != 0) {
        Py_DECREF(self);
        return NULL;
    }
    return self;
}

static PyObject *none_or_raise(const spgm_status *status) {
    if (status->code != SPGM_OK) {
        return raise_status(status);
    }
    Py_RETURN_NONE;
}

static PyObject *problem_weights(PyObject *self, PyObject *weights) {
    Problem *p = (Problem *)self;
    struct held held = {.count = 0};
    int64_t rows = spgm_problem_rows(p->problem);
    spgm_status status;
    const double *w = hold_vector(&held, weights, 'd', &rows, "weights", 0);

    if (w != NULL) {
        (void)spgm_problem_set_weights(p->problem, w, &status);
    }
    held_release(&held);
    return w == NULL ? NULL : none_or_raise(&status);
}

static PyObject *problem_slopes(PyObject *self, PyObject *args) {
    Problem *p = (Problem *)self;
    struct held held = {.count = 0};
    int64_t rows = spgm_problem_rows(p->problem);
    spgm_status status;
    PyObject *up, *down, *dead;
    const double *u, *d = NULL, *e = NULL;

    if (!PyArg_ParseTuple(args, "OOO", &up, &down, &dead)) {
        return NULL;
    }
    u = hold_vector(&held, up, 'd', &rows, "up", 0);
    d = u == NULL ? NULL : hold_vector(&held, down, 'd', &rows, "down", 0);
    if (d != NULL && dead != Py_None && (e = hold_vector(&held, dead, 'd', &rows, "dead", 0)) == NULL) {
        d = NULL;
    }
    if (d != NULL) {
        (void)spgm_problem_set_slopes(p->problem, u, d, e, &status);
    }
    held_release(&held);
    return d == NULL ? NULL : none_or_raise(&status);
}

static PyObject *problem_free_columns(PyObject *self, PyObject *columns) {
    Problem *p = (Problem *)self;
    struct held held = {.count = 0};
    int64_t count = -1;
    spgm_status status;
    const int64_t *c = hold_vector(&held, columns, 'q', &count, "free_columns", 0);

    if (c != NULL) {
        (void)spgm_problem_set_free_columns(p->problem, c, count, &status);
    }
    held_release(&held);
    return c == NULL ? NULL : none_or_raise(&status);
}

static PyObject *problem_linear(PyObject *self, PyObject *linear) {
    Problem *p = (Problem *)self;
    struct held held = {.count = 0};
    int64_t columns = spgm_problem_columns(p->problem);
    spgm_status status;
    const double *c = hold_vector(&held, linear, 'd', &columns, "linear", 0);

    if (c != NULL) {
        (void)spgm_problem_set_linear(p->problem, c, &status);
    }
    held_release(&held);
    return c == NULL ? NULL : none_or_raise(&status);
}

static PyObject *problem_quadratic(PyObject *self, PyObject *quadratic) {
    Problem *p = (Problem *)self;
    spgm_matrix Q;
    spgm_status status;

    if (hold_matrix(&p->held, quadratic, &Q) != 0) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS(void) spgm_problem_set_quadratic(p->problem, &Q, &status);
    Py_END_ALLOW_THREADS return none_or_raise(&status);
}

static PyObject *problem_least_squares(PyObject *self, PyObject *args) {
    Problem *p = (Problem *)self;
    PyObject *matrix, *target;
    spgm_matrix C;
    int64_t rows;
    const double *d;
    spgm_status status;

    if (!PyArg_ParseTuple(args, "OO", &matrix, &target) || hold_matrix(&p->held, matrix, &C) != 0) {
        return NULL;
    }
    rows = C.rows;
    if ((d = hold_vector(&p->held, target, 'd', &rows, "d", 0)) == NULL) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS(void) spgm_problem_set_least_squares(p->problem, &C, d, &status);
    Py_END_ALLOW_THREADS return none_or_raise(&status);
}

static PyObject *problem_evaluate(PyObject *self, PyObject *args) {
    Problem *p = (Problem *)self;
    struct held held = {.count = 0};
    int64_t columns = spgm_problem_columns(p->problem);
    PyObject *point;
    double intercept, F, h, f;
    const double *x;
    spgm_status status;

    if (!PyArg_ParseTuple(args, "Od", &point, &intercept)) {
        return NULL;
    }
    x = hold_vector(&held, point, 'd', &columns, "x", 0);
    if (x != NULL) {
        Py_BEGIN_ALLOW_THREADS(void) spgm_problem_evaluate(p->problem, x, intercept, &F, &h, &f, &status);
        Py_END_ALLOW_THREADS
    }
    held_release(&held);
    if (x == NULL) {
        return NULL;
    }
    return status.code != SPGM_OK ? raise_status(&status) : Py_BuildValue("(ddd)", F, h, f);
}

/* {"gradient": seconds, ...} */
static PyObject *solver_times(const spgm_solver *solver) {
    PyObject *dict = PyDict_New();
    const char *name;
    double seconds;

    for (int64_t i = 0; dict != NULL && spgm_solver_get_time(solver, i, &name, &seconds); i++) {
        PyObject *number = PyFloat_FromDouble(seconds);
        if (number == NULL || PyDict_SetItemString(dict, name, number) != 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(number);
    }
    return dict;
}

/* Run, write x, and say what is known: (intercept, info, times, trace or None). */
static PyObject *run_solver(spgm_solver *solver, PyObject *callback, int tracing, double *x) {
    struct watch watch = watch_make(callback, tracing);
    PyObject *result = NULL, *trace = NULL;
    double intercept = 0;
    spgm_info info;
    spgm_status status;
    spgm_error error;

    spgm_solver_set_progress(solver, visit, &watch);
    watch.state = PyEval_SaveThread();
    error = spgm_solver_run(solver, &status);
    PyEval_RestoreThread(watch.state);
    if (error != SPGM_OK) {
        if (!watch.failed) {
            raise_status(&status);
        }
    } else if (!watch.failed && PyErr_CheckSignals() == 0) {
        spgm_solver_get_x(solver, x, &intercept);
        info = spgm_solver_get_info(solver);
        trace = tracing ? trace_list(&watch) : Py_NewRef(Py_None);
        if (trace != NULL) {
            result = Py_BuildValue("(dNNN)", intercept, info_tuple(&info), solver_times(solver), trace);
        }
    }
    free(watch.trace);
    return result;
}

static PyObject *problem_solve(PyObject *self, PyObject *args) {
    Problem *p = (Problem *)self;
    struct held held = {.count = 0};
    PyObject *dict, *x_object, *start_object, *callback, *result = NULL;
    long long sparsity;
    double start_intercept;
    int tracing;
    int64_t columns = spgm_problem_columns(p->problem);
    const double *start = NULL;
    double *x;
    spgm_options *options = NULL;
    spgm_solver *solver = NULL;
    spgm_status status;

    if (!PyArg_ParseTuple(args, "LO!OOdOp", &sparsity, &PyDict_Type, &dict, &x_object, &start_object, &start_intercept,
                          &callback, &tracing)) {
        return NULL;
    }
    if ((x = hold_vector(&held, x_object, 'd', &columns, "x", PyBUF_WRITABLE)) == NULL ||
        (start_object != Py_None && (start = hold_vector(&held, start_object, 'd', &columns, "start", 0)) == NULL) ||
        (options = options_of(dict)) == NULL) {
        held_release(&held);
        return NULL;
    }
    if (spgm_solver_new(p->problem, sparsity, options, &solver, &status) != SPGM_OK ||
        (start != NULL && spgm_solver_set_start(solver, start, start_intercept, &status) != SPGM_OK)) {
        raise_status(&status);
    } else {
        result = run_solver(solver, callback, tracing, x);
    }
    spgm_solver_free(solver);
    spgm_options_free(options);
    held_release(&held);
    return result;
}

/* ---- a model for every s -------------------------------------------------------------------------------------- */

/* [(s, intercept, info), ...]; the coefficients go into the rows of X. */
static PyObject *path_entries(const spgm_path *path, int64_t columns, double *X) {
    int64_t count = spgm_path_count(path);
    PyObject *list = PyList_New((Py_ssize_t)count);

    for (int64_t i = 0; list != NULL && i < count; i++) {
        double intercept;
        spgm_info info;
        int64_t s = spgm_path_get(path, i, X + i * columns, &intercept, &info);
        PyObject *entry = Py_BuildValue("(LdN)", (long long)s, intercept, info_tuple(&info));
        if (entry == NULL || PyList_SetItem(list, (Py_ssize_t)i, entry) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *float_list(const double *values, int64_t count) {
    PyObject *list = PyList_New((Py_ssize_t)count);

    for (int64_t i = 0; list != NULL && i < count; i++) {
        PyObject *number = PyFloat_FromDouble(values[i]);
        if (number == NULL || PyList_SetItem(list, (Py_ssize_t)i, number) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

/* {"bic": ([value, ...], index of the lowest) or the sentence that says why there is none, ...} */
static PyObject *path_criteria(const spgm_path *path) {
    static const char *const names[] = {"bic", "ebic", "gic"};
    int64_t count = spgm_path_count(path), lowest = 0;
    double *values = calloc((size_t)count + 1, sizeof *values);
    PyObject *dict = values == NULL ? PyErr_NoMemory() : PyDict_New();

    for (size_t i = 0; dict != NULL && i < sizeof names / sizeof names[0]; i++) {
        spgm_status status;
        spgm_error error = spgm_path_criterion(path, names[i], values, &lowest, &status);
        PyObject *entry = error != SPGM_OK ? PyUnicode_FromString(status.message)
                                           : Py_BuildValue("(NL)", float_list(values, count), (long long)lowest);
        if (entry == NULL || PyDict_SetItemString(dict, names[i], entry) != 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(entry);
    }
    free(values);
    return dict;
}

static PyObject *run_path(spgm_path *path, int64_t columns, PyObject *callback, double *X) {
    struct watch watch = watch_make(callback, 0);
    spgm_status status;
    spgm_error error;

    spgm_path_set_progress(path, visit, &watch);
    watch.state = PyEval_SaveThread();
    error = spgm_path_run(path, &status);
    PyEval_RestoreThread(watch.state);
    if (watch.failed || (error == SPGM_OK && PyErr_CheckSignals() != 0)) {
        return NULL;
    }
    if (error != SPGM_OK) {
        return raise_status(&status);
    }
    return Py_BuildValue("(NdN)", path_entries(path, columns, X), spgm_path_seconds(path), path_criteria(path));
}

static PyObject *problem_path(PyObject *self, PyObject *args) {
    Problem *p = (Problem *)self;
    struct held held = {.count = 0};
    PyObject *list, *dict, *matrix, *callback, *result = NULL;
    int64_t columns = spgm_problem_columns(p->problem), count = -1, size;
    const int64_t *sparsities;
    double *X;
    spgm_options *options = NULL;
    spgm_path *path = NULL;
    spgm_status status;

    if (!PyArg_ParseTuple(args, "OO!OO", &list, &PyDict_Type, &dict, &matrix, &callback)) {
        return NULL;
    }
    if ((sparsities = hold_vector(&held, list, 'q', &count, "sparsities", 0)) != NULL &&
        (size = count * columns, X = hold_vector(&held, matrix, 'd', &size, "coefficients", PyBUF_WRITABLE)) != NULL &&
        (options = options_of(dict)) != NULL) {
        if (spgm_path_new(p->problem, sparsities, count, options, &path, &status) != SPGM_OK) {
            raise_status(&status);
        } else {
            result = run_path(path, columns, callback, X);
        }
    }
    spgm_path_free(path);
    spgm_options_free(options);
    held_release(&held);
    return result;
}

static PyMethodDef problem_methods[] = {
    {"weights", problem_weights, METH_O, "weights(w): row weights."},
    {"slopes", problem_slopes, METH_VARARGS, "slopes(up, down, dead or None): the separable family in full."},
    {"free_columns", problem_free_columns, METH_O, "free_columns(columns): always in the model, not counted."},
    {"linear", problem_linear, METH_O, "linear(p): add p'x to f."},
    {"quadratic", problem_quadratic, METH_O, "quadratic(Q): add x'Qx/2 to f."},
    {"least_squares", problem_least_squares, METH_VARARGS, "least_squares(C, d): add ||Cx - d||^2/2 to f."},
    {"evaluate", problem_evaluate, METH_VARARGS, "evaluate(x, intercept): (F, h, f)."},
    {"solve", problem_solve, METH_VARARGS,
     "solve(s, options, x, start, start_intercept, callback, trace): (intercept, info, times, trace)."},
    {"path", problem_path, METH_VARARGS,
     "path(sparsities, options, coefficients, callback): (entries, seconds, criteria)."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot problem_slots[] = {
    {Py_tp_doc, "Problem(A, b, options): data that are held in place, and what to minimise over them."},
    {Py_tp_new, problem_new},
    {Py_tp_dealloc, problem_dealloc},
    {Py_tp_methods, problem_methods},
    {0, NULL},
};

static PyType_Spec problem_spec = {
    .name = "spgm._spgm.Problem", .basicsize = sizeof(Problem), .flags = Py_TPFLAGS_DEFAULT, .slots = problem_slots};

/* ---- cross-validation ----------------------------------------------------------------------------------------- */

/* [(s, [loss of each fold], mean, standard error), ...] */
static PyObject *cv_entries(const spgm_cv *cv) {
    int64_t count = spgm_cv_count(cv), folds = spgm_cv_folds(cv);
    double *losses = calloc((size_t)folds + 1, sizeof *losses);
    PyObject *list = losses == NULL ? PyErr_NoMemory() : PyList_New((Py_ssize_t)count);

    for (int64_t i = 0; list != NULL && i < count; i++) {
        double mean, error;
        int64_t s = spgm_cv_get(cv, i, losses, &mean, &error);
        PyObject *entry = Py_BuildValue("(LNdd)", (long long)s, float_list(losses, folds), mean, error);
        if (entry == NULL || PyList_SetItem(list, (Py_ssize_t)i, entry) != 0) {
            Py_CLEAR(list);
        }
    }
    free(losses);
    return list;
}

static PyObject *run_cv(spgm_cv *cv, PyObject *callback, int64_t *fold_of_row) {
    struct watch watch = watch_make(callback, 0);
    spgm_status status;
    spgm_error error;

    spgm_cv_set_progress(cv, visit, &watch);
    watch.state = PyEval_SaveThread();
    error = spgm_cv_run(cv, &status);
    PyEval_RestoreThread(watch.state);
    if (watch.failed || (error == SPGM_OK && PyErr_CheckSignals() != 0)) {
        return NULL;
    }
    if (error != SPGM_OK) {
        return raise_status(&status);
    }
    spgm_cv_get_fold_of_row(cv, fold_of_row);
    return Py_BuildValue("(NLL)", cv_entries(cv), (long long)spgm_cv_best(cv),
                         (long long)spgm_cv_one_standard_error(cv));
}

/* Everything that a cross-validation borrows while it runs. */
struct cv_input {
    struct held held;
    spgm_matrix A;
    const double *b, *weights;
    const int64_t *free_columns, *sparsities;
    int64_t free_count, count, rows;
    int64_t *fold_of_row;
};

static int hold_cv_input(struct cv_input *in, PyObject *A, PyObject *b, PyObject *weights, PyObject *free_columns,
                         PyObject *sparsities, PyObject *fold_of_row) {
    in->count = -1;
    in->free_count = -1;
    if (hold_matrix(&in->held, A, &in->A) != 0) {
        return -1;
    }
    in->rows = in->A.rows;
    if ((in->b = hold_vector(&in->held, b, 'd', &in->rows, "b", 0)) == NULL ||
        (in->sparsities = hold_vector(&in->held, sparsities, 'q', &in->count, "sparsities", 0)) == NULL ||
        (in->free_columns = hold_vector(&in->held, free_columns, 'q', &in->free_count, "free_columns", 0)) == NULL ||
        (in->fold_of_row = hold_vector(&in->held, fold_of_row, 'q', &in->rows, "folds", PyBUF_WRITABLE)) == NULL) {
        return -1;
    }
    if (weights != Py_None) {
        in->weights = hold_vector(&in->held, weights, 'd', &in->rows, "weights", 0);
    }
    return weights != Py_None && in->weights == NULL ? -1 : 0;
}

/* cv(A, b, weights, free_columns, sparsities, options, folds, fold_of_row, callback): folds > 0 takes fold_of_row as
 * given; otherwise the folds are drawn and written there. */
static PyObject *module_cv(PyObject *module, PyObject *args) {
    struct cv_input in = {.held = {.count = 0}};
    PyObject *A, *b, *weights, *free_columns, *sparsities, *dict, *fold_of_row, *callback, *result = NULL;
    long long folds;
    spgm_options *options = NULL;
    spgm_cv *cv = NULL;
    spgm_status status;

    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOOO!LOO", &A, &b, &weights, &free_columns, &sparsities, &PyDict_Type, &dict, &folds,
                          &fold_of_row, &callback)) {
        return NULL;
    }
    if (hold_cv_input(&in, A, b, weights, free_columns, sparsities, fold_of_row) == 0 &&
        (options = options_of(dict)) != NULL) {
        if (spgm_cv_new(&in.A, in.b, in.weights, in.free_columns, in.free_count, in.sparsities, in.count, options, &cv,
                        &status) != SPGM_OK ||
            (folds > 0 && spgm_cv_set_folds(cv, in.fold_of_row, folds, &status) != SPGM_OK)) {
            raise_status(&status);
        } else {
            result = run_cv(cv, callback, in.fold_of_row);
        }
    }
    spgm_cv_free(cv);
    spgm_options_free(options);
    held_release(&in.held);
    return result;
}

/* ---- data --------------------------------------------------------------------------------------------- */

/* A piece of memory that belongs to `owner`, for NumPy to look at. */
typedef struct Block {
    PyObject_HEAD PyObject *owner;
    void *address;
    Py_ssize_t bytes;
} Block;

static PyTypeObject *block_type;

static void block_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    Py_XDECREF(((Block *)self)->owner);
    release(self);
    Py_DECREF(type);
}

static int block_getbuffer(PyObject *self, Py_buffer *view, int flags) {
    Block *block = (Block *)self;

    return PyBuffer_FillInfo(view, self, block->address, block->bytes, 0, flags);
}

static PyType_Slot block_slots[] = {
    {Py_tp_doc, "Memory of the library, as bytes."},
    {Py_tp_dealloc, block_dealloc},
    {Py_bf_getbuffer, block_getbuffer},
    {0, NULL},
};

static PyType_Spec block_spec = {.name = "spgm._spgm.Block",
                                 .basicsize = sizeof(Block),
                                 .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                 .slots = block_slots};

/* None for NULL. The memory was allocated by the reader for this object alone, so Python may write to it. */
static PyObject *block_new(PyObject *owner, const void *address, int64_t count, size_t size) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(block_type, Py_tp_alloc);
    Block *block;

    if (address == NULL) {
        return Py_NewRef(Py_None);
    }
    if ((block = (Block *)allocate(block_type, 0)) == NULL) {
        return NULL;
    }
    block->owner = Py_NewRef(owner);
    memcpy(&block->address, &address, sizeof address);
    block->bytes = (Py_ssize_t)((size_t)count * size);
    return (PyObject *)block;
}

static void data_destroy(PyObject *capsule) {
    spgm_data_free(PyCapsule_GetPointer(capsule, "spgm_data"));
}

/* A list of column names, or None. */
static PyObject *column_names(const spgm_data *data, int64_t columns) {
    PyObject *list;

    if (columns == 0 || spgm_data_column_name(data, 0) == NULL) {
        return Py_NewRef(Py_None);
    }
    list = PyList_New(columns);
    for (int64_t j = 0; list != NULL && j < columns; j++) {
        const char *name = spgm_data_column_name(data, j);
        PyObject *text = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
        if (text == NULL || PyList_SetItem(list, j, text) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

/* (rows, columns, leading_dimension, column_start, row_index, values, target, truth, names, target_name, format) */
static PyObject *data_tuple(spgm_data *data) {
    spgm_matrix A = spgm_data_matrix(data);
    int sparse = A.column_start != NULL;
    int64_t entries = sparse ? A.column_start[A.columns] : A.leading_dimension * A.columns;
    PyObject *owner = PyCapsule_New(data, "spgm_data", data_destroy), *tuple;

    if (owner == NULL) {
        spgm_data_free(data);
        return NULL;
    }
    tuple = Py_BuildValue("(LLLNNNNNNzz)", (long long)A.rows, (long long)A.columns, (long long)A.leading_dimension,
                          block_new(owner, A.column_start, A.columns + 1, sizeof(int64_t)),
                          block_new(owner, sparse ? A.row_index : NULL, entries, sizeof(int32_t)),
                          block_new(owner, A.values, entries, sizeof(double)),
                          block_new(owner, spgm_data_target(data), A.rows, sizeof(double)),
                          block_new(owner, spgm_data_truth(data), A.columns, sizeof(double)),
                          column_names(data, A.columns), spgm_data_target_name(data), spgm_data_format(data));
    Py_DECREF(owner);
    return tuple;
}

static PyObject *module_read(PyObject *module, PyObject *args) {
    spgm_read_options options = {0};
    const char *path, *target_file;
    long long columns;
    spgm_data *data = NULL;
    spgm_status status;
    spgm_error error;

    (void)module;
    if (!PyArg_ParseTuple(args, "szzpLz", &path, &options.format, &options.target, &options.no_target, &columns,
                          &target_file)) {
        return NULL;
    }
    options.columns = columns;
    options.no_target = options.no_target || target_file != NULL;
    Py_BEGIN_ALLOW_THREADS error = spgm_data_read(path, &options, &data, &status);
    if (error == SPGM_OK && target_file != NULL) {
        error = spgm_data_read_target(data, target_file, &status);
    }
    Py_END_ALLOW_THREADS if (error != SPGM_OK) {
        spgm_data_free(data);
        return raise_status(&status);
    }
    return data_tuple(data);
}

static PyObject *module_generate(PyObject *module, PyObject *args) {
    spgm_generate_options options = {0};
    const char *name;
    unsigned long long seed;
    long long support;
    spgm_data *data = NULL;
    spgm_status status;
    spgm_error error;

    (void)module;
    if (!PyArg_ParseTuple(args, "sKzLdpp", &name, &seed, &options.from, &support, &options.noise, &options.raw,
                          &options.real_target)) {
        return NULL;
    }
    options.support = support;
    Py_BEGIN_ALLOW_THREADS error = spgm_data_generate(name, seed, &options, &data, &status);
    Py_END_ALLOW_THREADS if (error != SPGM_OK) {
        spgm_data_free(data);
        return raise_status(&status);
    }
    return data_tuple(data);
}

/* ---- tables ------------------------------------------------------------------------------------------- */

/* One row of a table; NULL past the end without an exception, or with one on failure. */
typedef PyObject *(*row_function)(int64_t index);

static PyObject *option_row(int64_t i) {
    static const char *const types[] = {"flag", "integer", "real", "choice"};
    const spgm_option_info *o = spgm_option_describe(i);

    return o == NULL ? NULL
                     : Py_BuildValue("(sssssddOs)", o->name, o->group, types[o->type], o->default_value, o->choices,
                                     o->low, o->high, o->open ? Py_True : Py_False, o->help);
}

static PyObject *method_row(int64_t i) {
    return spgm_method_name(i) == NULL ? NULL : Py_BuildValue("(ss)", spgm_method_name(i), spgm_method_summary(i));
}

static PyObject *loss_row(int64_t i) {
    return spgm_loss_name(i) == NULL
               ? NULL
               : Py_BuildValue("(sss)", spgm_loss_name(i), spgm_loss_aliases(i), spgm_loss_formula(i));
}

static PyObject *outcome_row(int64_t i) {
    return i >= SPGM_OUTCOME_COUNT
               ? NULL
               : Py_BuildValue("(ss)", spgm_outcome_name((spgm_outcome)i), spgm_outcome_text((spgm_outcome)i));
}

static PyObject *table(row_function row) {
    PyObject *list = PyList_New(0), *entry;

    for (int64_t i = 0; list != NULL && (entry = row(i)) != NULL; i++) {
        int failed = PyList_Append(list, entry);
        Py_DECREF(entry);
        if (failed) {
            Py_CLEAR(list);
        }
    }
    if (PyErr_Occurred()) {
        Py_CLEAR(list);
    }
    return list;
}

static PyObject *module_options(PyObject *module, PyObject *nothing) {
    (void)module, (void)nothing;
    return table(option_row);
}

static PyObject *module_methods(PyObject *module, PyObject *nothing) {
    (void)module, (void)nothing;
    return table(method_row);
}

static PyObject *module_losses(PyObject *module, PyObject *nothing) {
    (void)module, (void)nothing;
    return table(loss_row);
}

static PyObject *module_outcomes(PyObject *module, PyObject *nothing) {
    (void)module, (void)nothing;
    return table(outcome_row);
}

static PyObject *module_version(PyObject *module, PyObject *nothing) {
    (void)module, (void)nothing;
    return PyUnicode_FromString(spgm_version());
}

/* ---- module ------------------------------------------------------------------------------------------- */

static PyMethodDef module_functions[] = {
    {"cv", module_cv, METH_VARARGS,
     "cv(A, b, weights, free_columns, sparsities, options, folds, fold_of_row, callback): (entries, best, one_se)."},
    {"read", module_read, METH_VARARGS,
     "read(path, format, target, no_target, columns, target_file): parts of the data."},
    {"generate", module_generate, METH_VARARGS, "generate(name, seed, from, support, noise, raw, real_target)."},
    {"options", module_options, METH_NOARGS,
     "Every option: name, group, type, default, choices, low, high, open, help."},
    {"methods", module_methods, METH_NOARGS, "Every method: name, summary."},
    {"losses", module_losses, METH_NOARGS, "Every loss: name, aliases, formula."},
    {"outcomes", module_outcomes, METH_NOARGS, "Every outcome: name, sentence."},
    {"version", module_version, METH_NOARGS, "Version of the library."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module_definition = {
    PyModuleDef_HEAD_INIT, "spgm._spgm", "The C library spgm, as it is.", -1, module_functions, NULL, NULL, NULL, NULL};

static int add_type(PyObject *module, PyType_Spec *spec, const char *name, PyTypeObject **kept) {
    PyObject *type = PyType_FromSpec(spec);

    if (kept != NULL) {
        *kept = (PyTypeObject *)type;
        Py_XINCREF(type);
    }
    if (type == NULL || PyModule_AddObjectRef(module, name, type) != 0) {
        Py_XDECREF(type);
        return -1;
    }
    Py_DECREF(type);
    return 0;
}

PyMODINIT_FUNC PyInit__spgm(void);

PyMODINIT_FUNC PyInit__spgm(void) {
    PyObject *module = PyModule_Create(&module_definition);

    if (module == NULL) {
        return NULL;
    }
    unsupported_error = PyErr_NewExceptionWithDoc(
        "spgm.UnsupportedError", "The chosen method cannot solve this problem.", PyExc_ValueError, NULL);
    if (unsupported_error == NULL || PyModule_AddObjectRef(module, "UnsupportedError", unsupported_error) != 0 ||
        add_type(module, &problem_spec, "Problem", NULL) != 0 ||
        add_type(module, &block_spec, "Block", &block_type) != 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
