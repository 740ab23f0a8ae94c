/* A model for every s, and cross-validation. */
#include "binding.h"

/* ---- a model for every s -------------------------------------------------------------------------------------- */

/* [(s, intercept, info), ...]; the coefficients go into the rows of X. */
static PyObject *path_entries(const spgm_path *path, int64_t columns, double *X) {
    int64_t count = spgm_path_count(path);
    PyObject *list = PyList_New((Py_ssize_t)count);

    for (int64_t i = 0; list != NULL && i < count; i++) {
        double intercept;
        spgm_info info;
        int64_t s = spgm_path_get(path, i, X + i * columns, &intercept, &info);
        PyObject *entry = Py_BuildValue("(LdN)", (long long)s, intercept, bind_info(&info));
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
    struct bind_watch_state watch = bind_watch(callback, 0);
    spgm_status status;
    spgm_error error;

    spgm_path_set_progress(path, bind_visit, &watch);
    watch.state = PyEval_SaveThread();
    error = spgm_path_run(path, &status);
    PyEval_RestoreThread(watch.state);
    if (watch.failed || (error == SPGM_OK && PyErr_CheckSignals() != 0)) {
        return NULL;
    }
    if (error != SPGM_OK) {
        return bind_raise(&status);
    }
    return Py_BuildValue("(NdN)", path_entries(path, columns, X), spgm_path_seconds(path), path_criteria(path));
}

PyObject *bind_problem_path(PyObject *self, PyObject *args) {
    Problem *p = (Problem *)self;
    struct bind_held held = {.count = 0};
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
    if ((sparsities = bind_vector(&held, list, 'q', &count, "sparsities", 0)) != NULL &&
        (size = count * columns, X = bind_vector(&held, matrix, 'd', &size, "coefficients", PyBUF_WRITABLE)) != NULL &&
        (options = bind_options(dict)) != NULL) {
        if (spgm_path_new(p->problem, sparsities, count, options, &path, &status) != SPGM_OK) {
            bind_raise(&status);
        } else {
            result = run_path(path, columns, callback, X);
        }
    }
    spgm_path_free(path);
    spgm_options_free(options);
    bind_release(&held);
    return result;
}

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
    struct bind_watch_state watch = bind_watch(callback, 0);
    spgm_status status;
    spgm_error error;

    spgm_cv_set_progress(cv, bind_visit, &watch);
    watch.state = PyEval_SaveThread();
    error = spgm_cv_run(cv, &status);
    PyEval_RestoreThread(watch.state);
    if (watch.failed || (error == SPGM_OK && PyErr_CheckSignals() != 0)) {
        return NULL;
    }
    if (error != SPGM_OK) {
        return bind_raise(&status);
    }
    spgm_cv_get_fold_of_row(cv, fold_of_row);
    return Py_BuildValue("(NLL)", cv_entries(cv), (long long)spgm_cv_best(cv),
                         (long long)spgm_cv_one_standard_error(cv));
}

/* cv(sparsities, options, folds, fold_of_row, callback): folds > 0 takes fold_of_row as given; otherwise the folds are
 * drawn and written there. */
PyObject *bind_problem_cv(PyObject *self, PyObject *args) {
    Problem *p = (Problem *)self;
    struct bind_held held = {.count = 0};
    PyObject *list, *dict, *places, *callback, *result = NULL;
    int64_t count = -1, rows = spgm_problem_rows(p->problem), *fold_of_row;
    const int64_t *sparsities;
    long long folds;
    spgm_options *options = NULL;
    spgm_cv *cv = NULL;
    spgm_status status;

    if (!PyArg_ParseTuple(args, "OO!LOO", &list, &PyDict_Type, &dict, &folds, &places, &callback)) {
        return NULL;
    }
    if ((sparsities = bind_vector(&held, list, 'q', &count, "sparsities", 0)) != NULL &&
        (fold_of_row = bind_vector(&held, places, 'q', &rows, "folds", PyBUF_WRITABLE)) != NULL &&
        (options = bind_options(dict)) != NULL) {
        if (spgm_cv_new(p->problem, sparsities, count, options, &cv, &status) != SPGM_OK ||
            (folds > 0 && spgm_cv_set_folds(cv, fold_of_row, folds, &status) != SPGM_OK)) {
            bind_raise(&status);
        } else {
            result = run_cv(cv, callback, fold_of_row);
        }
    }
    spgm_cv_free(cv);
    spgm_options_free(options);
    bind_release(&held);
    return result;
}
