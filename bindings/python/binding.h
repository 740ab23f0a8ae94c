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
#ifndef SPGM_PYTHON_BINDING_H
#define SPGM_PYTHON_BINDING_H
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <spgm/io.h>

/* ---- arguments.c ---- */

#define BIND_MAX_HELD 16 /* buffers that one problem can hold */

struct bind_held {
    Py_buffer views[BIND_MAX_HELD];
    int count;
    void *copies[BIND_MAX_HELD]; /* columns made of a matrix that lies otherwise */
    int copy_count;
    double seconds;        /* that these took, and what was done before them */
    spgm_scratch *scratch; /* beside a large mapped file, or NULL */
};

extern PyObject *bind_unsupported_error; /* spgm.UnsupportedError, a ValueError */

/* The sentence as a Python exception; always NULL. */
PyObject *bind_raise(const spgm_status *status);
void bind_release(struct bind_held *held);
/* A contiguous vector of doubles ('d'), int64 ('q') or int32 ('i'); `length` < 0 takes any. The data pointer, or NULL
 * with an exception. */
void *bind_vector(struct bind_held *held, PyObject *object, char kind, int64_t *length, const char *what, int flags);
/* The same into *data, NULL for None. 0, or -1 with an exception. */
int bind_optional(struct bind_held *held, PyObject *object, char kind, int64_t *length, const char *what,
                  const void **data);
/* A two-dimensional array, or (rows, columns, column_start, row_index, values), or (an array in a mapped file, the
 * directory for workspace beside it), which is read in place. What else lies by rows is copied by columns,
 * without the GIL, unless `limit` seconds are too short for that; held->seconds is the time that took. 0, or -1 with an
 * exception. */
int bind_matrix(struct bind_held *held, PyObject *object, double limit, spgm_matrix *matrix);
/* Options from a dict; None leaves the default. NULL: an exception is set. */
spgm_options *bind_options(PyObject *dict);

/* ---- watch.c ---- */

struct bind_watch_state {
    PyThreadState *state; /* of the thread that runs, while it does not hold the GIL     */
    PyObject *callback;   /* NULL: none                                                  */
    double next;          /* when to look at Python again                                */
    int failed;           /* a Python exception is set: the run is stopped and the exception raised */
    int tracing;
    spgm_progress *trace;
    size_t count, capacity;
};

struct bind_watch_state bind_watch(PyObject *callback, int tracing);
/* The spgm_progress_function: called without the GIL. */
int bind_visit(const spgm_progress *progress, void *context);
PyObject *bind_trace(const struct bind_watch_state *watch);
PyObject *bind_info(const spgm_info *info);

/* ---- comm.c ---- */

/* The processes of a problem, or all NULL. */
struct bind_comm {
    PyObject *object;                   /* what Python gave               */
    PyObject *type, *value, *traceback; /* an exception that it has raised */
};

/* 0, or -1 with an exception. */
int bind_comm_open(struct bind_comm *comm, PyObject *object, spgm_communicator *all);
void bind_comm_close(struct bind_comm *comm);
/* bind_raise, or the exception of the communicator where that is what ended the call. */
PyObject *bind_comm_raise(struct bind_comm *comm, const spgm_status *status);

/* ---- problem.c ---- */

typedef struct Problem {
    PyObject_HEAD spgm_problem *problem;
    struct bind_held held;
    PyObject *free_columns; /* a list, or NULL                      */
    double weights;         /* their sum; 0: none were given        */
    struct bind_comm comm;
} Problem;

extern PyType_Spec bind_problem_spec;

/* ---- path.c ---- */

PyObject *bind_problem_path(PyObject *self, PyObject *args);
PyObject *bind_problem_cv(PyObject *self, PyObject *args);
PyObject *bind_problem_project(PyObject *self, PyObject *args);

/* ---- band.c ---- */

PyObject *bind_problem_band(PyObject *self, PyObject *args);
PyObject *bind_arrange(PyObject *module, PyObject *args);
PyObject *bind_class_shifts(PyObject *module, PyObject *args);

/* ---- stability.c ---- */

PyObject *bind_problem_stability(PyObject *self, PyObject *args);

/* ---- data.c ---- */

extern PyType_Spec bind_block_spec;
extern PyTypeObject *bind_block_type;
PyObject *bind_read(PyObject *module, PyObject *args);
PyObject *bind_generate(PyObject *module, PyObject *args);

#endif
