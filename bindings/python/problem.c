/* Problem: data that are held in place, what to minimise over them, and one run. */
#include "binding.h"

/* ---- Problem ------------------------------------------------------------------------------------------ */

static void problem_dealloc(PyObject *self) {
    Problem *p = (Problem *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    spgm_problem_free(p->problem);
    bind_release(&p->held);
    Py_XDECREF(p->free_columns);
    bind_comm_close(&p->comm);
    release(self);
    Py_DECREF(type);
}

static double limit_of(const spgm_options *options) {
    char text[64];

    return spgm_options_get(options, "time_limit", text, sizeof text, NULL) != SPGM_OK
               ? HUGE_VAL
               : PyOS_string_to_double(text, NULL, NULL);
}

static int problem_make(Problem *self, PyObject *matrix, PyObject *target, PyObject *dict, PyObject *comm,
                        double seconds) {
    spgm_matrix A;
    spgm_options *options = NULL;
    spgm_status status;
    spgm_error error;
    spgm_communicator all;
    const double *b;
    int64_t rows;

    self->held.seconds = seconds;
    if ((options = bind_options(dict)) == NULL ||
        bind_matrix(&self->held, matrix, fmax(limit_of(options) - seconds, 0), &A) != 0 ||
        (comm != Py_None && bind_comm_open(&self->comm, comm, &all) != 0)) {
        spgm_options_free(options);
        return -1;
    }
    rows = A.rows;
    if ((b = bind_vector(&self->held, target, 'd', &rows, "b", 0)) == NULL) {
        spgm_options_free(options);
        return -1;
    }
    Py_BEGIN_ALLOW_THREADS error = comm == Py_None
                                       ? spgm_problem_new(&A, b, options, &self->problem, &status)
                                       : spgm_problem_new_distributed(&A, b, options, &all, &self->problem, &status);
    Py_END_ALLOW_THREADS spgm_options_free(options);
    if (error != SPGM_OK) {
        bind_comm_raise(&self->comm, &status);
        return -1;
    }
    spgm_problem_charge(self->problem, self->held.seconds);
    return 0;
}

static PyObject *problem_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    PyObject *matrix, *target, *dict, *comm = Py_None, *self;
    double seconds = 0;

    if (kwargs != NULL && PyDict_Size(kwargs) != 0) {
        PyErr_SetString(PyExc_TypeError, "Problem takes no keyword arguments");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "OOO!|Od", &matrix, &target, &PyDict_Type, &dict, &comm, &seconds) ||
        (self = allocate(type, 0)) == NULL) {
        return NULL;
    }
    if (problem_make((Problem *)self, matrix, target, dict, comm, seconds) != 0) {
        Py_DECREF(self);
        return NULL;
    }
    return self;
}

static PyObject *none_or_raise(const spgm_status *status) {
    if (status->code != SPGM_OK) {
        return bind_raise(status);
    }
    Py_RETURN_NONE;
}

static PyObject *problem_weights(PyObject *self, PyObject *weights) {
    Problem *p = (Problem *)self;
    struct bind_held held = {.count = 0};
    int64_t rows = spgm_problem_rows(p->problem);
    spgm_status status;
    const double *w = bind_vector(&held, weights, 'd', &rows, "weights", 0);

    if (w != NULL && spgm_problem_set_weights(p->problem, w, &status) == SPGM_OK) {
        p->weights = 0;
        for (int64_t i = 0; i < rows; i++) {
            p->weights += w[i];
        }
    }
    bind_release(&held);
    return w == NULL ? NULL : none_or_raise(&status);
}

static PyObject *problem_slopes(PyObject *self, PyObject *args) {
    Problem *p = (Problem *)self;
    struct bind_held held = {.count = 0};
    int64_t rows = spgm_problem_rows(p->problem);
    spgm_status status;
    PyObject *up, *down, *dead;
    const double *u, *d = NULL, *e = NULL;

    if (!PyArg_ParseTuple(args, "OOO", &up, &down, &dead)) {
        return NULL;
    }
    u = bind_vector(&held, up, 'd', &rows, "up", 0);
    d = u == NULL ? NULL : bind_vector(&held, down, 'd', &rows, "down", 0);
    if (d != NULL && dead != Py_None && (e = bind_vector(&held, dead, 'd', &rows, "dead", 0)) == NULL) {
        d = NULL;
    }
    if (d != NULL) {
        (void)spgm_problem_set_slopes(p->problem, u, d, e, &status);
    }
    bind_release(&held);
    return d == NULL ? NULL : none_or_raise(&status);
}

static PyObject *problem_merge_rows(PyObject *self, PyObject *nothing) {
    Problem *p = (Problem *)self;
    int64_t rows = 0;
    spgm_status status;

    (void)nothing;
    Py_BEGIN_ALLOW_THREADS(void) spgm_problem_merge_rows(p->problem, &rows, &status);
    Py_END_ALLOW_THREADS return status.code != SPGM_OK ? bind_raise(&status) : PyLong_FromLongLong(rows);
}

/* ---- what it was made with ---- */

static PyObject *integer_list(const int64_t *values, int64_t count) {
    PyObject *list = PyList_New((Py_ssize_t)count);

    for (int64_t i = 0; list != NULL && i < count; i++) {
        PyObject *value = PyLong_FromLongLong(values[i]);

        if (value == NULL || PyList_SetItem(list, (Py_ssize_t)i, value) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *real_list(const double *values, int64_t count) {
    PyObject *list = PyList_New((Py_ssize_t)count);

    for (int64_t i = 0; list != NULL && i < count; i++) {
        PyObject *value = PyFloat_FromDouble(values[i]);

        if (value == NULL || PyList_SetItem(list, (Py_ssize_t)i, value) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *excluded_list(const unsigned char *is_excluded, int64_t columns) {
    PyObject *list = PyList_New(0);

    for (int64_t j = 0; list != NULL && j < columns; j++) {
        PyObject *value = is_excluded[j] ? PyLong_FromLongLong(j) : NULL;

        if (is_excluded[j] && (value == NULL || PyList_Append(list, value) != 0)) {
            Py_CLEAR(list);
        }
        Py_XDECREF(value);
    }
    return list;
}

/* Takes the value over. */
static int put(PyObject *dict, const char *key, PyObject *value) {
    int result = value == NULL ? -1 : PyDict_SetItemString(dict, key, value);

    Py_XDECREF(value);
    return result;
}

static int put_record(PyObject *dict, const Problem *p) {
    int64_t columns = spgm_problem_columns(p->problem), limit = 0;
    const unsigned char *is_excluded = spgm_problem_excluded(p->problem);
    const int64_t *groups = spgm_problem_groups(p->problem, &limit);
    const double *lower = NULL, *upper = NULL;

    spgm_problem_bounds(p->problem, &lower, &upper);
    return (lower != NULL && put(dict, "lower", real_list(lower, columns)) != 0) ||
                   (upper != NULL && put(dict, "upper", real_list(upper, columns)) != 0) ||
                   (is_excluded != NULL && put(dict, "excluded", excluded_list(is_excluded, columns)) != 0) ||
                   (groups != NULL && put(dict, "groups", integer_list(groups, columns)) != 0) ||
                   (groups != NULL && put(dict, "group_limit", PyLong_FromLongLong(limit)) != 0) ||
                   (p->weights > 0 && put(dict, "weights", PyFloat_FromDouble(p->weights)) != 0) ||
                   (p->free_columns != NULL && PyDict_SetItemString(dict, "free", p->free_columns) != 0)
               ? -1
               : 0;
}

static PyObject *problem_record(PyObject *self, PyObject *nothing) {
    PyObject *dict = PyDict_New();

    (void)nothing;
    if (dict != NULL && put_record(dict, (Problem *)self) != 0) {
        Py_CLEAR(dict);
    }
    return dict;
}

/* ---- the feasible set and f ---- */

static PyObject *problem_free_columns(PyObject *self, PyObject *columns) {
    Problem *p = (Problem *)self;
    struct bind_held held = {.count = 0};
    int64_t count = -1;
    spgm_status status;
    const int64_t *c = bind_vector(&held, columns, 'q', &count, "free_columns", 0);

    PyObject *list = c == NULL ? NULL : integer_list(c, count);

    if (list != NULL && spgm_problem_set_free_columns(p->problem, c, count, &status) == SPGM_OK) {
        Py_XDECREF(p->free_columns);
        p->free_columns = Py_NewRef(list);
    }
    bind_release(&held);
    if (list == NULL) {
        return NULL;
    }
    Py_DECREF(list);
    return none_or_raise(&status);
}

static PyObject *problem_bounds(PyObject *self, PyObject *args) {
    Problem *p = (Problem *)self;
    struct bind_held held = {.count = 0};
    int64_t columns = spgm_problem_columns(p->problem);
    spgm_status status;
    PyObject *lower, *upper;
    const void *low = NULL, *high = NULL;
    int held_all;

    if (!PyArg_ParseTuple(args, "OO", &lower, &upper)) {
        return NULL;
    }
    held_all = bind_optional(&held, lower, 'd', &columns, "lower", &low) == 0 &&
               bind_optional(&held, upper, 'd', &columns, "upper", &high) == 0;
    if (held_all) {
        (void)spgm_problem_set_bounds(p->problem, low, high, &status);
    }
    bind_release(&held);
    return held_all ? none_or_raise(&status) : NULL;
}

static PyObject *problem_excluded(PyObject *self, PyObject *columns) {
    Problem *p = (Problem *)self;
    struct bind_held held = {.count = 0};
    int64_t count = -1;
    spgm_status status;
    const int64_t *c = bind_vector(&held, columns, 'q', &count, "exclude", 0);

    if (c != NULL) {
        (void)spgm_problem_set_excluded(p->problem, c, count, &status);
    }
    bind_release(&held);
    return c == NULL ? NULL : none_or_raise(&status);
}

static PyObject *problem_groups(PyObject *self, PyObject *args) {
    Problem *p = (Problem *)self;
    struct bind_held held = {.count = 0};
    int64_t columns = spgm_problem_columns(p->problem);
    long long limit;
    spgm_status status;
    PyObject *groups;
    const int64_t *g;

    if (!PyArg_ParseTuple(args, "OL", &groups, &limit)) {
        return NULL;
    }
    g = bind_vector(&held, groups, 'q', &columns, "groups", 0);
    if (g != NULL) {
        (void)spgm_problem_set_groups(p->problem, g, limit, &status);
    }
    bind_release(&held);
    return g == NULL ? NULL : none_or_raise(&status);
}

static PyObject *problem_linear(PyObject *self, PyObject *linear) {
    Problem *p = (Problem *)self;
    struct bind_held held = {.count = 0};
    int64_t columns = spgm_problem_columns(p->problem);
    spgm_status status;
    const double *c = bind_vector(&held, linear, 'd', &columns, "linear", 0);

    if (c != NULL) {
        (void)spgm_problem_set_linear(p->problem, c, &status);
    }
    bind_release(&held);
    return c == NULL ? NULL : none_or_raise(&status);
}

static PyObject *problem_quadratic(PyObject *self, PyObject *quadratic) {
    Problem *p = (Problem *)self;
    spgm_matrix Q;
    spgm_status status;

    if (bind_matrix(&p->held, quadratic, HUGE_VAL, &Q) != 0) {
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

    if (!PyArg_ParseTuple(args, "OO", &matrix, &target) || bind_matrix(&p->held, matrix, HUGE_VAL, &C) != 0) {
        return NULL;
    }
    rows = C.rows;
    if ((d = bind_vector(&p->held, target, 'd', &rows, "d", 0)) == NULL) {
        return NULL;
    }
    Py_BEGIN_ALLOW_THREADS(void) spgm_problem_set_least_squares(p->problem, &C, d, &status);
    Py_END_ALLOW_THREADS return none_or_raise(&status);
}

static PyObject *problem_evaluate(PyObject *self, PyObject *args) {
    Problem *p = (Problem *)self;
    struct bind_held held = {.count = 0};
    int64_t columns = spgm_problem_columns(p->problem);
    PyObject *point;
    double intercept, F, h, f;
    const double *x;
    spgm_status status;

    if (!PyArg_ParseTuple(args, "Od", &point, &intercept)) {
        return NULL;
    }
    x = bind_vector(&held, point, 'd', &columns, "x", 0);
    if (x != NULL) {
        Py_BEGIN_ALLOW_THREADS(void) spgm_problem_evaluate(p->problem, x, intercept, &F, &h, &f, &status);
        Py_END_ALLOW_THREADS
    }
    bind_release(&held);
    if (x == NULL) {
        return NULL;
    }
    return status.code != SPGM_OK ? bind_comm_raise(&p->comm, &status) : Py_BuildValue("(ddd)", F, h, f);
}

static PyObject *problem_stationary(PyObject *self, PyObject *args) {
    Problem *p = (Problem *)self;
    struct bind_held held = {.count = 0};
    int64_t columns = spgm_problem_columns(p->problem);
    PyObject *point, *dict, *place, *result = NULL;
    long long sparsity, block;
    double intercept, better_intercept = 0, *better = NULL;
    const double *x;
    spgm_options *options = NULL;
    spgm_stationarity r;
    spgm_status status;

    if (!PyArg_ParseTuple(args, "OdLLO!O", &point, &intercept, &sparsity, &block, &PyDict_Type, &dict, &place)) {
        return NULL;
    }
    x = bind_vector(&held, point, 'd', &columns, "x", 0);
    better = x == NULL ? NULL : bind_vector(&held, place, 'd', &columns, "better", PyBUF_WRITABLE);
    options = better == NULL ? NULL : bind_options(dict);
    if (options != NULL) {
        Py_BEGIN_ALLOW_THREADS(void) spgm_problem_stationary(p->problem, x, intercept, sparsity, block, options, &r,
                                                             better, &better_intercept, &status);
        Py_END_ALLOW_THREADS if (status.code != SPGM_OK) {
            bind_raise(&status);
        }
        else {
            result = Py_BuildValue("(dddNNddLNNNLddd)", r.objective, r.support_minimum, r.support_bound,
                                   PyBool_FromLong(r.is_basic), PyBool_FromLong(r.is_lipschitz), r.mu, r.largest_mu,
                                   (long long)r.block, PyBool_FromLong(r.is_block), PyBool_FromLong(r.is_sampled),
                                   PyBool_FromLong(r.is_stopped), (long long)r.changes, r.all_changes, r.lowest,
                                   better_intercept);
        }
    }
    spgm_options_free(options);
    bind_release(&held);
    return result;
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

/* The spgm_write_function of a Python file. */
static int write_text(const char *text, size_t size, void *file) {
    PyObject *done = PyObject_CallMethod(file, "write", "s#", text, (Py_ssize_t)size);
    int failed = done == NULL;

    Py_XDECREF(done);
    return failed;
}

/* 0, or -1 with an exception. */
static int write_certificate(const spgm_solver *solver, PyObject *file) {
    spgm_status status;

    if (file != Py_None && spgm_solver_write_certificate(solver, write_text, file, &status) != SPGM_OK) {
        if (!PyErr_Occurred()) {
            bind_raise(&status);
        }
        return -1;
    }
    return 0;
}

/* The exception that is set takes the answer of the run along, which it does not undo. */
static void keep_answer(PyObject *answer) {
    PyObject *type, *value, *trace;

    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value != NULL && PyObject_SetAttrString(value, "answer", answer) != 0) {
        PyErr_Clear(); /* an exception that takes no attributes */
    }
    PyErr_Restore(type, value, trace);
}

/* Run, write x, and say what is known: (intercept, info, times, trace or None). */
static PyObject *run_solver(Problem *p, spgm_solver *solver, PyObject *callback, int tracing, double *x) {
    struct bind_watch_state watch = bind_watch(callback, tracing);
    PyObject *result = NULL, *trace = NULL;
    double intercept = 0;
    spgm_info info;
    spgm_status status;
    spgm_error error;

    spgm_solver_set_progress(solver, bind_visit, &watch);
    watch.state = PyEval_SaveThread();
    error = spgm_solver_run(solver, &status);
    PyEval_RestoreThread(watch.state);
    if (error != SPGM_OK) {
        if (!watch.failed) {
            bind_comm_raise(&p->comm, &status);
        }
    } else if (!watch.failed && PyErr_CheckSignals() == 0) {
        spgm_solver_get_x(solver, x, &intercept);
        info = spgm_solver_get_info(solver);
        trace = tracing ? bind_trace(&watch) : Py_NewRef(Py_None);
        if (trace != NULL) {
            result = Py_BuildValue("(dNNN)", intercept, bind_info(&info), solver_times(solver), trace);
        }
    }
    free(watch.trace);
    return result;
}

static PyObject *problem_solve(PyObject *self, PyObject *args) {
    Problem *p = (Problem *)self;
    struct bind_held held = {.count = 0};
    PyObject *dict, *x_object, *start_object, *callback, *certificate, *result = NULL;
    long long sparsity;
    double start_intercept;
    int tracing;
    int64_t columns = spgm_problem_columns(p->problem);
    const double *start = NULL;
    double *x;
    spgm_options *options = NULL;
    spgm_solver *solver = NULL;
    spgm_status status;

    if (!PyArg_ParseTuple(args, "LO!OOdOpO", &sparsity, &PyDict_Type, &dict, &x_object, &start_object, &start_intercept,
                          &callback, &tracing, &certificate)) {
        return NULL;
    }
    if ((x = bind_vector(&held, x_object, 'd', &columns, "x", PyBUF_WRITABLE)) == NULL ||
        (start_object != Py_None && (start = bind_vector(&held, start_object, 'd', &columns, "start", 0)) == NULL) ||
        (options = bind_options(dict)) == NULL) {
        bind_release(&held);
        return NULL;
    }
    if (spgm_solver_new(p->problem, sparsity, options, &solver, &status) != SPGM_OK ||
        (start != NULL && spgm_solver_set_start(solver, start, start_intercept, &status) != SPGM_OK)) {
        bind_raise(&status);
    } else {
        spgm_solver_keep_certificate(solver, certificate != Py_None);
        result = run_solver(p, solver, callback, tracing, x);
        if (result != NULL && write_certificate(solver, certificate) != 0) {
            keep_answer(result);
            Py_CLEAR(result);
        }
    }
    spgm_solver_free(solver);
    spgm_options_free(options);
    bind_release(&held);
    return result;
}

static PyObject *problem_rows(PyObject *self, PyObject *nothing) {
    (void)nothing;
    return PyLong_FromLongLong(spgm_problem_rows(((Problem *)self)->problem));
}

static PyMethodDef problem_methods[] = {
    {"record", problem_record, METH_NOARGS, "record(): bounds, groups, weights and what else was set, as a dict."},
    {"rows", problem_rows, METH_NOARGS, "rows(): of the data."},
    {"weights", problem_weights, METH_O, "weights(w): row weights."},
    {"slopes", problem_slopes, METH_VARARGS, "slopes(up, down, dead or None): the separable family in full."},
    {"merge_rows", problem_merge_rows, METH_NOARGS,
     "merge_rows(): solve with equal rows as one; how many are left. After weights and slopes."},
    {"free_columns", problem_free_columns, METH_O, "free_columns(columns): always in the model, not counted."},
    {"bounds", problem_bounds, METH_VARARGS, "bounds(lower or None, upper or None): on the coefficients."},
    {"excluded", problem_excluded, METH_O, "excluded(columns): never in the model."},
    {"groups", problem_groups, METH_VARARGS,
     "groups(group_of_column, limit): s counts groups (limit 0), or at most `limit` of each."},
    {"linear", problem_linear, METH_O, "linear(p): add p'x to f."},
    {"quadratic", problem_quadratic, METH_O, "quadratic(Q): add x'Qx/2 to f."},
    {"least_squares", problem_least_squares, METH_VARARGS, "least_squares(C, d): add ||Cx - d||^2/2 to f."},
    {"evaluate", problem_evaluate, METH_VARARGS, "evaluate(x, intercept): (F, h, f)."},
    {"stationary", problem_stationary, METH_VARARGS,
     "stationary(x, intercept, s, block, options, better): what kind of stationary point x is."},
    {"solve", problem_solve, METH_VARARGS,
     "solve(s, options, x, start, start_intercept, callback, trace, certificate file or None): (intercept, info, "
     "times, "
     "trace)."},
    {"path", bind_problem_path, METH_VARARGS,
     "path(sparsities, options, coefficients, callback): (entries, seconds, criteria)."},
    {"cv", bind_problem_cv, METH_VARARGS,
     "cv(sparsities, options, folds, fold_of_row, callback, ridges, others, work): (entries, choices), or (losses, "
     "trail)."},
    {"project", bind_problem_project, METH_VARARGS,
     "project(problems, which, sparsities, ridges, by deviation, losses, folds, fold_of_row, options, callback, "
     "target, linear): s and the ridge, what the mean of the best models predicts in target, and the linear term."},
    {"band", bind_problem_band, METH_VARARGS,
     "band(levels, s, options, common columns, calibration, coefficients, held out, callback): (intercept, info, "
     "shift) "
     "of each level."},
    {"stability", bind_problem_stability, METH_VARARGS,
     "stability(s, options, halves, independent, bootstrap, threshold, x, frequencies, callback): (intercept, info, "
     "halves, samples, stable)."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot problem_slots[] = {
    {Py_tp_doc,
     "Problem(A, b, options, comm, seconds): data that are held in place, and what to minimise over them. It took "
     "so many seconds to bring them into their form, which counts in time limits."},
    {Py_tp_new, problem_new},
    {Py_tp_dealloc, problem_dealloc},
    {Py_tp_methods, problem_methods},
    {0, NULL},
};

PyType_Spec bind_problem_spec = {
    .name = "spgm._spgm.Problem", .basicsize = sizeof(Problem), .flags = Py_TPFLAGS_DEFAULT, .slots = problem_slots};
