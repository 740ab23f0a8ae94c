/* How far a model depends on the rows at hand. */
#include "binding.h"

/* (columns, intercept, values) lists of a sample, or None where it is not finished. */
static PyObject *sample_entry(const spgm_stability *stability, int64_t i) {
    int64_t count = spgm_stability_get_sample(stability, i, NULL, NULL, NULL);
    int64_t *columns = calloc((size_t)(count < 0 ? 0 : count) + 1, sizeof *columns);
    double *values = calloc((size_t)(count < 0 ? 0 : count) + 1, sizeof *values), intercept = 0;
    PyObject *result = NULL, *list = NULL;

    if (count < 0) {
        result = Py_NewRef(Py_None);
    } else if (columns == NULL || values == NULL) {
        PyErr_NoMemory();
    } else {
        spgm_stability_get_sample(stability, i, columns, values, &intercept);
        list = PyList_New((Py_ssize_t)count);
        for (int64_t k = 0; list != NULL && k < count; k++) {
            PyObject *pair = Py_BuildValue("(Ld)", (long long)columns[k], values[k]);
            if (pair == NULL || PyList_SetItem(list, (Py_ssize_t)k, pair) != 0) {
                Py_CLEAR(list);
            }
        }
        result = list == NULL ? NULL : Py_BuildValue("(Nd)", list, intercept);
    }
    free(columns);
    free(values);
    return result;
}

static PyObject *all_samples(const spgm_stability *stability) {
    int64_t count = spgm_stability_halves(stability, NULL) + spgm_stability_bootstraps(stability, NULL);
    PyObject *list = PyList_New((Py_ssize_t)count);

    for (int64_t i = 0; list != NULL && i < count; i++) {
        PyObject *entry = sample_entry(stability, i);
        if (entry == NULL || PyList_SetItem(list, (Py_ssize_t)i, entry) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

/* (intercept, info, halves, samples, (count, selected, candidates, bound, unimodal)) */
static PyObject *run_stability(spgm_stability *stability, double threshold, PyObject *callback, double *x,
                               double *frequencies) {
    struct bind_watch_state watch = bind_watch(callback, 0);
    spgm_stable_columns stable;
    spgm_status status;
    spgm_error error;
    spgm_info info;
    double intercept;

    spgm_stability_set_progress(stability, bind_visit, &watch);
    watch.state = PyEval_SaveThread();
    error = spgm_stability_run(stability, &status);
    PyEval_RestoreThread(watch.state);
    if (watch.failed || (error == SPGM_OK && PyErr_CheckSignals() != 0)) {
        return NULL;
    }
    if (error == SPGM_OK) {
        error = spgm_stability_stable(stability, threshold, &stable, &status);
    }
    if (error != SPGM_OK) {
        return bind_raise(&status);
    }
    info = spgm_solver_get_info(spgm_stability_solver(stability));
    spgm_solver_get_x(spgm_stability_solver(stability), x, &intercept);
    spgm_stability_get_frequencies(stability, frequencies);
    return Py_BuildValue("(dNLN(Ldddd))", intercept, bind_info(&info),
                         (long long)spgm_stability_halves(stability, NULL), all_samples(stability),
                         (long long)stable.count, stable.selected, stable.candidates, stable.bound, stable.unimodal);
}

/* stability(s, options, halves, independent, bootstrap, threshold, x, frequencies, callback) */
PyObject *bind_problem_stability(PyObject *self, PyObject *args) {
    Problem *p = (Problem *)self;
    struct bind_held held = {.count = 0};
    PyObject *dict, *point, *shares, *callback, *result = NULL;
    int64_t columns = spgm_problem_columns(p->problem);
    long long sparsity, halves, bootstrap;
    double threshold, *x, *frequencies;
    spgm_stability_settings settings = {0};
    spgm_options *options = NULL;
    spgm_stability *stability = NULL;
    spgm_status status;

    if (!PyArg_ParseTuple(args, "LO!LpLdOOO", &sparsity, &PyDict_Type, &dict, &halves, &settings.independent,
                          &bootstrap, &threshold, &point, &shares, &callback)) {
        return NULL;
    }
    settings.halves = halves;
    settings.bootstrap = bootstrap;
    if ((x = bind_vector(&held, point, 'd', &columns, "x", PyBUF_WRITABLE)) != NULL &&
        (frequencies = bind_vector(&held, shares, 'd', &columns, "frequencies", PyBUF_WRITABLE)) != NULL &&
        (options = bind_options(dict)) != NULL) {
        if (spgm_stability_new(p->problem, sparsity, options, &settings, &stability, &status) != SPGM_OK) {
            bind_raise(&status);
        } else {
            result = run_stability(stability, threshold, callback, x, frequencies);
        }
    }
    spgm_stability_free(stability);
    spgm_options_free(options);
    bind_release(&held);
    return result;
}
