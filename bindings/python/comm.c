/* A communicator that Python supplies: an object with sum(view), max(view) and broadcast(view, root), spgm/_comm.py. */
#include "binding.h"

/* What a call of Python left behind: kept, and raised when the run has ended. */
static int keep_exception(struct bind_comm *comm) {
    if (comm->type == NULL) {
        PyErr_Fetch(&comm->type, &comm->value, &comm->traceback);
    } else {
        PyErr_Clear();
    }
    return 1;
}

/* function(memory [, root]) with the GIL; nonzero: it raised an exception. */
static int call(struct bind_comm *comm, const char *function, void *memory, int64_t bytes, int64_t root) {
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *view = PyMemoryView_FromMemory(memory, (Py_ssize_t)bytes, PyBUF_WRITE);
    PyObject *answer = view == NULL ? NULL : PyObject_CallMethod(comm->object, function, "OL", view, (long long)root);
    int failed = answer == NULL ? keep_exception(comm) : 0;

    Py_XDECREF(answer);
    Py_XDECREF(view);
    PyGILState_Release(state);
    return failed;
}

static int comm_sum(void *context, double *values, int64_t count) {
    return call(context, "sum", values, count * (int64_t)sizeof *values, 0);
}

static int comm_max(void *context, double *values, int64_t count) {
    return call(context, "max", values, count * (int64_t)sizeof *values, 0);
}

static int comm_broadcast(void *context, void *data, int64_t bytes, int64_t root) {
    return call(context, "broadcast", data, bytes, root);
}

static void comm_fail(void *context, const char *sentence) {
    struct bind_comm *comm = context;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *answer = PyObject_CallMethod(comm->object, "fail", "s", sentence);

    if (answer == NULL) {
        keep_exception(comm);
    }
    Py_XDECREF(answer);
    PyGILState_Release(state);
}

static int64_t number_of(PyObject *object, const char *name) {
    PyObject *value = PyObject_GetAttrString(object, name);
    long long number = value == NULL ? -1 : PyLong_AsLongLong(value);

    Py_XDECREF(value);
    return number;
}

int bind_comm_open(struct bind_comm *comm, PyObject *object, spgm_communicator *all) {
    int64_t rank = number_of(object, "rank"), size = number_of(object, "size");

    if (PyErr_Occurred()) {
        return -1;
    }
    Py_INCREF(object);
    comm->object = object;
    *all = (spgm_communicator){rank, size, comm_sum, comm_max, comm_broadcast, comm_fail, comm};
    return 0;
}

void bind_comm_close(struct bind_comm *comm) {
    Py_CLEAR(comm->object);
    Py_CLEAR(comm->type);
    Py_CLEAR(comm->value);
    Py_CLEAR(comm->traceback);
}

PyObject *bind_comm_raise(struct bind_comm *comm, const spgm_status *status) {
    if (comm->type == NULL) {
        return bind_raise(status);
    }
    PyErr_Restore(comm->type, comm->value, comm->traceback);
    comm->type = comm->value = comm->traceback = NULL;
    return NULL;
}
