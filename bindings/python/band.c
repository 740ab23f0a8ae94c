/* Several quantiles at once. */
#include "binding.h"

/* [(intercept, info, shift), ...]; the coefficients go into the rows of X. */
static PyObject *band_entries(const spgm_band *band, int64_t columns, double *X) {
    int64_t count = spgm_band_count(band);
    PyObject *list = PyList_New((Py_ssize_t)count);

    for (int64_t k = 0; list != NULL && k < count; k++) {
        const spgm_solver *solver = spgm_band_solver(band, k);
        spgm_info info = spgm_solver_get_info(solver);
        double intercept, shift;
        PyObject *entry;

        spgm_band_level(band, k, &shift);
        spgm_solver_get_x(solver, X + k * columns, &intercept);
        entry = Py_BuildValue("(dNd)", intercept, bind_info(&info), shift);
        if (entry == NULL || PyList_SetItem(list, (Py_ssize_t)k, entry) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *run_band(spgm_band *band, int64_t columns, PyObject *callback, double *X, double *held) {
    struct bind_watch_state watch = bind_watch(callback, 0);
    spgm_status status;
    spgm_error error;

    spgm_band_set_progress(band, bind_visit, &watch);
    watch.state = PyEval_SaveThread();
    error = spgm_band_run(band, &status);
    PyEval_RestoreThread(watch.state);
    if (watch.failed || (error == SPGM_OK && PyErr_CheckSignals() != 0)) {
        return NULL;
    }
    if (error != SPGM_OK) {
        return bind_raise(&status);
    }
    spgm_band_get_held_out(band, held);
    return band_entries(band, columns, X);
}

PyObject *bind_problem_band(PyObject *self, PyObject *args) {
    Problem *p = (Problem *)self;
    struct bind_held held = {.count = 0};
    PyObject *list, *dict, *matrix, *out, *callback, *result = NULL;
    int64_t columns = spgm_problem_columns(p->problem), rows = spgm_problem_rows(p->problem), count = -1, size;
    long long sparsity;
    spgm_band_settings settings = {0};
    const double *levels;
    double *X, *values;
    spgm_options *options = NULL;
    spgm_band *band = NULL;
    spgm_status status;

    if (!PyArg_ParseTuple(args, "OLO!psOOO", &list, &sparsity, &PyDict_Type, &dict, &settings.common_columns,
                          &settings.calibration, &matrix, &out, &callback)) {
        return NULL;
    }
    if ((levels = bind_vector(&held, list, 'd', &count, "quantiles", 0)) != NULL &&
        (size = count * columns, X = bind_vector(&held, matrix, 'd', &size, "coefficients", PyBUF_WRITABLE)) != NULL &&
        (size = count * rows, values = bind_vector(&held, out, 'd', &size, "held out", PyBUF_WRITABLE)) != NULL &&
        (options = bind_options(dict)) != NULL) {
        if (spgm_band_new(p->problem, levels, count, sparsity, options, &settings, &band, &status) != SPGM_OK) {
            bind_raise(&status);
        } else {
            result = run_band(band, columns, callback, X, values);
        }
    }
    spgm_band_free(band);
    spgm_options_free(options);
    bind_release(&held);
    return result;
}

/* arrange(levels, shifts, values): the rows of values in place. */
PyObject *bind_arrange(PyObject *module, PyObject *args) {
    struct bind_held held = {.count = 0};
    PyObject *list, *moves, *matrix, *result = NULL;
    int64_t count = -1, size = -1;
    const double *levels, *shifts;
    double *values;

    (void)module;
    if (!PyArg_ParseTuple(args, "OOO", &list, &moves, &matrix)) {
        return NULL;
    }
    if ((levels = bind_vector(&held, list, 'd', &count, "quantiles", 0)) != NULL &&
        (shifts = bind_vector(&held, moves, 'd', &count, "shifts", 0)) != NULL &&
        (values = bind_vector(&held, matrix, 'd', &size, "values", PyBUF_WRITABLE)) != NULL) {
        for (int64_t i = 0; count > 0 && i < size / count; i++) {
            spgm_band_arrange(levels, shifts, count, values + i * count);
        }
        result = Py_NewRef(Py_None);
    }
    bind_release(&held);
    return result;
}

/* class_shifts(scores, class_of_row, weights or None, shifts): fills the shifts [classes]. */
PyObject *bind_class_shifts(PyObject *module, PyObject *args) {
    struct bind_held held = {.count = 0};
    PyObject *matrix, *classes, *list, *out, *result = NULL;
    int64_t rows = -1, count = -1, size;
    const double *scores = NULL, *weights = NULL;
    const int64_t *class_of_row;
    double *shifts;
    spgm_status status;

    (void)module;
    if (!PyArg_ParseTuple(args, "OOOO", &matrix, &classes, &list, &out)) {
        return NULL;
    }
    if ((class_of_row = bind_vector(&held, classes, 'q', &rows, "classes", 0)) != NULL &&
        (shifts = bind_vector(&held, out, 'd', &count, "shifts", PyBUF_WRITABLE)) != NULL &&
        (size = rows * count, scores = bind_vector(&held, matrix, 'd', &size, "scores", 0)) != NULL &&
        (list == Py_None || (weights = bind_vector(&held, list, 'd', &rows, "weights", 0)) != NULL)) {
        if (spgm_class_shifts(scores, class_of_row, weights, rows, count, shifts, &status) != SPGM_OK) {
            bind_raise(&status);
        } else {
            result = Py_NewRef(Py_None);
        }
    }
    bind_release(&held);
    return result;
}
