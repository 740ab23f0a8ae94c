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

/* Everything that a cross-validation borrows while it runs. */
struct cv_input {
    struct bind_held held;
    spgm_matrix A;
    const double *b, *weights;
    const int64_t *free_columns, *sparsities;
    int64_t free_count, count, rows;
    int64_t *fold_of_row;
    const void *lower, *upper, *excluded, *groups; /* of the feasible set, or NULL */
    int64_t excluded_count;
    long long limit;
};

/* (lower, upper, excluded, groups, limit), each of the first four None or an array. */
static int hold_set(struct cv_input *in, PyObject *tuple) {
    int64_t columns = in->A.columns;
    PyObject *lower, *upper, *excluded, *groups;

    in->excluded_count = -1;
    if (!PyArg_ParseTuple(tuple, "OOOOL", &lower, &upper, &excluded, &groups, &in->limit)) {
        return -1;
    }
    return bind_optional(&in->held, lower, 'd', &columns, "lower", &in->lower) != 0 ||
                   bind_optional(&in->held, upper, 'd', &columns, "upper", &in->upper) != 0 ||
                   bind_optional(&in->held, excluded, 'q', &in->excluded_count, "exclude", &in->excluded) != 0 ||
                   bind_optional(&in->held, groups, 'q', &columns, "groups", &in->groups) != 0
               ? -1
               : 0;
}

static spgm_error set_feasible(const struct cv_input *in, spgm_cv *cv, spgm_status *status) {
    spgm_error error = SPGM_OK;

    if (in->lower != NULL || in->upper != NULL) {
        error = spgm_cv_set_bounds(cv, in->lower, in->upper, status);
    }
    if (error == SPGM_OK && in->excluded != NULL) {
        error = spgm_cv_set_excluded(cv, in->excluded, in->excluded_count, status);
    }
    if (error == SPGM_OK && in->groups != NULL) {
        error = spgm_cv_set_groups(cv, in->groups, in->limit, status);
    }
    return error;
}

static int hold_cv_input(struct cv_input *in, PyObject *A, PyObject *b, PyObject *weights, PyObject *free_columns,
                         PyObject *sparsities, PyObject *fold_of_row) {
    in->count = -1;
    in->free_count = -1;
    if (bind_matrix(&in->held, A, &in->A) != 0) {
        return -1;
    }
    in->rows = in->A.rows;
    if ((in->b = bind_vector(&in->held, b, 'd', &in->rows, "b", 0)) == NULL ||
        (in->sparsities = bind_vector(&in->held, sparsities, 'q', &in->count, "sparsities", 0)) == NULL ||
        (in->free_columns = bind_vector(&in->held, free_columns, 'q', &in->free_count, "free_columns", 0)) == NULL ||
        (in->fold_of_row = bind_vector(&in->held, fold_of_row, 'q', &in->rows, "folds", PyBUF_WRITABLE)) == NULL) {
        return -1;
    }
    if (weights != Py_None) {
        in->weights = bind_vector(&in->held, weights, 'd', &in->rows, "weights", 0);
    }
    return weights != Py_None && in->weights == NULL ? -1 : 0;
}

/* cv(A, b, weights, free_columns, sparsities, options, folds, fold_of_row, callback, set): folds > 0 takes fold_of_row
 * as given; otherwise the folds are drawn and written there. */
PyObject *bind_cv(PyObject *module, PyObject *args) {
    struct cv_input in = {.held = {.count = 0}};
    PyObject *A, *b, *weights, *free_columns, *sparsities, *dict, *fold_of_row, *callback, *set, *result = NULL;
    long long folds;
    spgm_options *options = NULL;
    spgm_cv *cv = NULL;
    spgm_status status;

    (void)module;
    if (!PyArg_ParseTuple(args, "OOOOOO!LOOO!", &A, &b, &weights, &free_columns, &sparsities, &PyDict_Type, &dict,
                          &folds, &fold_of_row, &callback, &PyTuple_Type, &set)) {
        return NULL;
    }
    if (hold_cv_input(&in, A, b, weights, free_columns, sparsities, fold_of_row) == 0 && hold_set(&in, set) == 0 &&
        (options = bind_options(dict)) != NULL) {
        if (spgm_cv_new(&in.A, in.b, in.weights, in.free_columns, in.free_count, in.sparsities, in.count, options, &cv,
                        &status) != SPGM_OK ||
            set_feasible(&in, cv, &status) != SPGM_OK ||
            (folds > 0 && spgm_cv_set_folds(cv, in.fold_of_row, folds, &status) != SPGM_OK)) {
            bind_raise(&status);
        } else {
            result = run_cv(cv, callback, in.fold_of_row);
        }
    }
    spgm_cv_free(cv);
    spgm_options_free(options);
    bind_release(&in.held);
    return result;
}
