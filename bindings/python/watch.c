/* While a run goes on: Ctrl-C, the user's function, the trace; and what is known when it has ended. */
#include "binding.h"

#define VISIT_SECONDS 0.05 /* between two looks at Python while a run goes on */

/* ---- progress: Ctrl-C, the user's function, the trace ------------------------------------------------------ */

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
static int look_at_python(struct bind_watch_state *watch, const spgm_progress *progress) {
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

static void trace_append(struct bind_watch_state *watch, const spgm_progress *progress) {
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
int bind_visit(const spgm_progress *progress, void *context) {
    struct bind_watch_state *watch = context;
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

struct bind_watch_state bind_watch(PyObject *callback, int tracing) {
    struct bind_watch_state watch = {.tracing = tracing, .next = now() + VISIT_SECONDS};

    watch.callback = callback == Py_None ? NULL : callback;
    return watch;
}

PyObject *bind_trace(const struct bind_watch_state *watch) {
    PyObject *list = PyList_New((Py_ssize_t)watch->count);

    for (size_t i = 0; list != NULL && i < watch->count; i++) {
        PyObject *row = progress_tuple(&watch->trace[i]);
        if (row == NULL || PyList_SetItem(list, (Py_ssize_t)i, row) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

PyObject *bind_info(const spgm_info *info) {
    return Py_BuildValue("(ddddLLLLddsLOdLd)", info->objective, info->loss_value, info->smooth_value, info->bound,
                         (long long)info->support, (long long)info->iterations, (long long)info->restarts,
                         (long long)info->agreeing, info->spread, info->seconds, spgm_outcome_name(info->outcome),
                         (long long)info->units, info->feasible ? Py_True : Py_False, info->gap, (long long)info->nodes,
                         info->passes);
}
