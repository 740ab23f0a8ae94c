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

/* [(s, [loss of each fold], mean, standard error), ...] with the k-th ridge */
static PyObject *cv_column(const spgm_cv *cv, int64_t k, double *losses) {
    int64_t count = spgm_cv_count(cv), folds = spgm_cv_folds(cv);
    PyObject *list = PyList_New((Py_ssize_t)count);

    for (int64_t i = 0; list != NULL && i < count; i++) {
        double mean, error;
        int64_t s = spgm_cv_get_at(cv, i, k, losses, &mean, &error);
        PyObject *entry = Py_BuildValue("(LNdd)", (long long)s, float_list(losses, folds), mean, error);
        if (entry == NULL || PyList_SetItem(list, (Py_ssize_t)i, entry) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

/* [(ridge, [...]), ...], the largest ridge first */
static PyObject *cv_entries(const spgm_cv *cv) {
    int64_t count = spgm_cv_ridge_count(cv);
    double *losses = calloc((size_t)spgm_cv_folds(cv) + 1, sizeof *losses);
    PyObject *list = losses == NULL ? PyErr_NoMemory() : PyList_New((Py_ssize_t)count);

    for (int64_t k = 0; list != NULL && k < count; k++) {
        PyObject *entry = Py_BuildValue("(dN)", spgm_cv_ridge(cv, k), cv_column(cv, k, losses));
        if (entry == NULL || PyList_SetItem(list, (Py_ssize_t)k, entry) != 0) {
            Py_CLEAR(list);
        }
    }
    free(losses);
    return list;
}

/* {"min": (index of s, index of the ridge), ...} */
static PyObject *cv_choices(const spgm_cv *cv) {
    static const char *const rules[] = {"min", "1se", "shrunk"};
    PyObject *dict = PyDict_New();

    for (size_t r = 0; dict != NULL && r < sizeof rules / sizeof rules[0]; r++) {
        int64_t i = -1, k = -1;
        spgm_cv_choose(cv, rules[r], &i, &k, NULL);
        PyObject *pair = Py_BuildValue("(LL)", (long long)i, (long long)k);
        if (pair == NULL || PyDict_SetItemString(dict, rules[r], pair) != 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(pair);
    }
    return dict;
}

/* What a Python function does with the pieces of a round. */
struct elsewhere {
    struct bind_watch_state *watch;
    PyObject *function;
};

/* Numbers that a Python function has found, where they belong; 0, or -1 with an exception. */
static int take_numbers(PyObject *pair, Py_ssize_t place, double *numbers, int64_t count) {
    Py_buffer view;
    PyObject *bytes = PyTuple_GetItem(pair, place);

    if (bytes == NULL || PyObject_GetBuffer(bytes, &view, PyBUF_SIMPLE) != 0) {
        return -1;
    }
    if ((size_t)view.len != (size_t)count * sizeof *numbers) {
        PyErr_SetString(PyExc_ValueError, "a fold that ran elsewhere came back with another number of losses");
        PyBuffer_Release(&view);
        return -1;
    }
    memcpy(numbers, view.buf, (size_t)view.len);
    PyBuffer_Release(&view);
    return 0;
}

static PyObject *as_bytes(const double *numbers, int64_t count) {
    return PyBytes_FromStringAndSize((const char *)numbers, (Py_ssize_t)((size_t)count * sizeof *numbers));
}

/* [(number, first, last, ridges, first_ridge, last_ridge, seconds, trail), ...] */
static PyObject *piece_list(const spgm_cv_piece *pieces, int64_t count) {
    PyObject *list = PyList_New((Py_ssize_t)count);

    for (int64_t i = 0; list != NULL && i < count; i++) {
        const spgm_cv_piece *p = &pieces[i];
        PyObject *entry = Py_BuildValue("(LLLLLLdN)", (long long)p->number, (long long)p->first, (long long)p->last,
                                        (long long)p->ridges, (long long)p->first_ridge, (long long)p->last_ridge,
                                        p->seconds, as_bytes(p->trail, p->trail_size));
        if (entry == NULL || PyList_SetItem(list, (Py_ssize_t)i, entry) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

/* With the GIL: the function's answer is a list of (losses, trail) in the order of the pieces, as far as they are
 * known, and whether to stop. 1: stop; -1: an exception is set. */
static int run_pieces(spgm_cv_piece *pieces, int64_t count, PyObject *function) {
    PyObject *list = piece_list(pieces, count), *found;
    PyObject *answer = list == NULL ? NULL : PyObject_CallFunctionObjArgs(function, list, NULL);
    int stop = 0, failed = answer == NULL || !PyArg_ParseTuple(answer, "O!p", &PyList_Type, &found, &stop);

    for (int64_t i = 0; !failed && i < count && i < (int64_t)PyList_Size(found); i++) {
        spgm_cv_piece *p = &pieces[i];
        PyObject *pair = PyList_GetItem(found, (Py_ssize_t)i);
        failed = take_numbers(pair, 0, p->losses, (p->last - p->first) * p->ridges) != 0 ||
                 take_numbers(pair, 1, p->trail, p->trail_size) != 0;
    }
    Py_XDECREF(list);
    Py_XDECREF(answer);
    return failed ? -1 : stop;
}

/* The spgm_cv_round_function: called without the GIL. */
static int run_elsewhere(spgm_cv_piece *pieces, int64_t count, void *context) {
    struct elsewhere *elsewhere = context;
    int failed;

    PyEval_RestoreThread(elsewhere->watch->state);
    failed = run_pieces(pieces, count, elsewhere->function);
    elsewhere->watch->failed |= failed < 0;
    elsewhere->watch->state = PyEval_SaveThread();
    return failed;
}

static PyObject *run_cv(spgm_cv *cv, PyObject *callback, PyObject *function, int64_t *fold_of_row) {
    struct bind_watch_state watch = bind_watch(callback, 0);
    struct elsewhere elsewhere = {&watch, function};
    spgm_status status;
    spgm_error error;

    spgm_cv_set_progress(cv, bind_visit, &watch);
    spgm_cv_set_rounds(cv, function == Py_None ? NULL : run_elsewhere, &elsewhere);
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
    return Py_BuildValue("(NNNN)", cv_entries(cv), cv_choices(cv), PyBool_FromLong(spgm_cv_is_whole(cv)),
                         PyBool_FromLong(spgm_cv_is_perfect(cv)));
}

/* One piece of a round: (losses, trail) as bytes. */
static PyObject *run_piece(spgm_cv *cv, PyObject *callback, PyObject *entry) {
    struct bind_watch_state watch = bind_watch(callback, 0);
    long long number, first, last, ridges, first_ridge, last_ridge;
    spgm_cv_piece piece;
    PyObject *trail, *result = NULL;
    int is_usable;
    spgm_status status;
    spgm_error error;

    if (!PyArg_ParseTuple(entry, "LLLLLLdO!", &number, &first, &last, &ridges, &first_ridge, &last_ridge,
                          &piece.seconds, &PyBytes_Type, &trail)) {
        return NULL;
    }
    piece.number = number, piece.first = first, piece.last = last, piece.ridges = ridges;
    piece.first_ridge = first_ridge, piece.last_ridge = last_ridge;
    piece.trail_size = (int64_t)((size_t)PyBytes_Size(trail) / sizeof *piece.trail);
    piece.trail = malloc((size_t)PyBytes_Size(trail) + sizeof *piece.trail);
    is_usable = last > first && ridges > 0 && last - first < 1LL << 30 && ridges < 1LL << 30;
    piece.losses = is_usable ? calloc((size_t)(last - first), (size_t)ridges * sizeof *piece.losses) : NULL;
    if (!is_usable) {
        PyErr_SetString(PyExc_ValueError, "the piece has no sparsities or no ridges");
    } else if (piece.trail == NULL || piece.losses == NULL) {
        PyErr_NoMemory();
    } else {
        memcpy(piece.trail, PyBytes_AsString(trail), (size_t)PyBytes_Size(trail));
        spgm_cv_set_progress(cv, bind_visit, &watch);
        watch.state = PyEval_SaveThread();
        error = spgm_cv_run_piece(cv, &piece, &status);
        PyEval_RestoreThread(watch.state);
        if (watch.failed || error != SPGM_OK) {
            result = watch.failed ? NULL : bind_raise(&status);
        } else {
            result = Py_BuildValue("(NN)", as_bytes(piece.losses, (last - first) * ridges),
                                   as_bytes(piece.trail, piece.trail_size));
        }
    }
    free(piece.trail);
    free(piece.losses);
    return result;
}

struct cv_arguments {
    PyObject *sparsities, *options, *places, *callback, *ridges, *others, *judge, *work;
    long long folds;
};

/* The other problems; -1: an exception is set. */
static int cv_add_all(spgm_cv *cv, PyTypeObject *type, PyObject *others) {
    spgm_status status;

    for (Py_ssize_t k = 0; k < PyTuple_Size(others); k++) {
        PyObject *other = PyTuple_GetItem(others, k);
        if (Py_TYPE(other) != type) {
            PyErr_SetString(PyExc_TypeError, "the other problems of a cross-validation must be problems");
            return -1;
        }
        if (spgm_cv_add(cv, ((Problem *)other)->problem, &status) != SPGM_OK) {
            bind_raise(&status);
            return -1;
        }
    }
    return 0;
}

/* The problem whose loss judges, or None; -1: an exception is set. */
static int cv_take_judge(spgm_cv *cv, PyTypeObject *type, PyObject *judge) {
    spgm_status status;

    if (judge == Py_None) {
        return 0;
    }
    if (Py_TYPE(judge) != type) {
        PyErr_SetString(PyExc_TypeError, "what judges a cross-validation must be a problem");
        return -1;
    }
    if (spgm_cv_judge_by(cv, ((Problem *)judge)->problem, &status) != SPGM_OK) {
        bind_raise(&status);
        return -1;
    }
    return 0;
}

static PyObject *make_cv(Problem *p, const struct cv_arguments *a, struct bind_held *held,
                         const spgm_options *options) {
    int64_t count = -1, ridge_count = -1, rows = spgm_problem_rows(p->problem), *fold_of_row;
    const void *sparsities = NULL, *ridges = NULL;
    PyObject *result = NULL;
    spgm_cv *cv = NULL;
    spgm_status status;

    if (bind_optional(held, a->sparsities, 'q', &count, "sparsities", &sparsities) != 0 ||
        bind_optional(held, a->ridges, 'd', &ridge_count, "ridges", &ridges) != 0 ||
        (fold_of_row = bind_vector(held, a->places, 'q', &rows, "folds", PyBUF_WRITABLE)) == NULL) {
        return NULL;
    }
    if (spgm_cv_new(p->problem, sparsities, sparsities == NULL ? 0 : count, options, &cv, &status) != SPGM_OK ||
        (a->folds > 0 && spgm_cv_set_folds(cv, fold_of_row, a->folds, &status) != SPGM_OK) ||
        (ridges != NULL && spgm_cv_set_ridges(cv, ridge_count == 0 ? NULL : ridges, ridge_count, &status) != SPGM_OK)) {
        bind_raise(&status);
    } else if (cv_add_all(cv, Py_TYPE((PyObject *)p), a->others) == 0 &&
               cv_take_judge(cv, Py_TYPE((PyObject *)p), a->judge) == 0) {
        result = PyTuple_Check(a->work) ? run_piece(cv, a->callback, a->work)
                                        : run_cv(cv, a->callback, a->work, fold_of_row);
    }
    spgm_cv_free(cv);
    return result;
}

/* cv(sparsities, options, folds, fold_of_row, callback, ridges, others, judge, work): folds > 0 takes fold_of_row as
 * given; otherwise the folds are drawn and written there. sparsities None: as far as the loss falls. ridges None: that
 * of the options; empty: in proportion to the data. others: a tuple of problems, for the other labels. judge: the
 * problem whose loss judges, or None. work None: all folds here; a function: it has the pieces of each round run
 * elsewhere; a tuple: this piece only. */
PyObject *bind_problem_cv(PyObject *self, PyObject *args) {
    struct bind_held held = {.count = 0};
    struct cv_arguments a;
    spgm_options *options;
    PyObject *result = NULL;

    if (!PyArg_ParseTuple(args, "OO!LOOOO!OO", &a.sparsities, &PyDict_Type, &a.options, &a.folds, &a.places,
                          &a.callback, &a.ridges, &PyTuple_Type, &a.others, &a.judge, &a.work)) {
        return NULL;
    }
    if ((options = bind_options(a.options)) != NULL) {
        result = make_cv((Problem *)self, &a, &held, options);
    }
    spgm_options_free(options);
    bind_release(&held);
    return result;
}

/* ---- means of models -------------------------------------------------------------------------------------------- */

/* The k-th of several problems; NULL: an exception is set. */
static const spgm_problem *problem_at(PyObject *problems, int64_t k, PyTypeObject *type) {
    PyObject *found = k < 0 || k >= PyTuple_Size(problems) ? NULL : PyTuple_GetItem(problems, (Py_ssize_t)k);

    if (found == NULL || Py_TYPE(found) != type) {
        PyErr_SetString(PyExc_TypeError, "a choice must name one of the problems");
        return NULL;
    }
    return ((Problem *)found)->problem;
}

struct project_arguments {
    PyObject *problems, *which, *sparsities, *ridges, *losses, *places, *options, *callback, *target, *linear;
    int by_deviation;
    long long folds;
};

static PyObject *project(PyTypeObject *type, int64_t rows, int64_t columns, const struct project_arguments *a,
                         struct bind_held *held, const spgm_options *options) {
    int64_t count = -1, sparsity = 0;
    const int64_t *which = bind_vector(held, a->which, 'q', &count, "which", 0);
    const int64_t *sparsities = which == NULL ? NULL : bind_vector(held, a->sparsities, 'q', &count, "sparsities", 0);
    const double *ridges = sparsities == NULL ? NULL : bind_vector(held, a->ridges, 'd', &count, "ridges", 0);
    const double *losses = ridges == NULL ? NULL : bind_vector(held, a->losses, 'd', &count, "losses", 0);
    const int64_t *places = losses == NULL ? NULL : bind_vector(held, a->places, 'q', &rows, "folds", 0);
    double *target = places == NULL ? NULL : bind_vector(held, a->target, 'd', &rows, "target", PyBUF_WRITABLE);
    double *linear = target == NULL ? NULL : bind_vector(held, a->linear, 'd', &columns, "linear", PyBUF_WRITABLE);
    spgm_choice *choices = linear == NULL ? NULL : calloc((size_t)count + 1, sizeof *choices);
    struct bind_watch_state watch = bind_watch(a->callback, 0);
    double ridge = 0;
    spgm_status status;
    spgm_error error;

    for (int64_t c = 0; choices != NULL && c < count; c++) {
        const spgm_problem *problem = problem_at(a->problems, which[c], type);
        if (problem == NULL) {
            free(choices);
            return NULL;
        }
        choices[c] = (spgm_choice){problem, sparsities[c], ridges[c], a->by_deviation, losses[c]};
    }
    if (choices == NULL) {
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    watch.state = PyEval_SaveThread();
    error = spgm_project(choices, count, places, a->folds, options, bind_visit, &watch, target, &sparsity, &ridge,
                         linear, &status);
    PyEval_RestoreThread(watch.state);
    free(choices);
    if (watch.failed || (error == SPGM_OK && PyErr_CheckSignals() != 0)) {
        return NULL;
    }
    return error != SPGM_OK ? bind_raise(&status) : Py_BuildValue("Ld", (long long)sparsity, ridge);
}

/* project(problems, which, sparsities, ridges, by deviation, losses, folds, fold_of_row, options, callback, target,
 * linear): choice c is that of problems[which[c]]; target and linear are written, the sparsity and the ridge returned.
 */
PyObject *bind_problem_project(PyObject *self, PyObject *args) {
    struct bind_held held = {.count = 0};
    struct project_arguments a;
    spgm_options *options;
    PyObject *result = NULL;

    if (!PyArg_ParseTuple(args, "O!OOOpOLOO!OOO", &PyTuple_Type, &a.problems, &a.which, &a.sparsities, &a.ridges,
                          &a.by_deviation, &a.losses, &a.folds, &a.places, &PyDict_Type, &a.options, &a.callback,
                          &a.target, &a.linear)) {
        return NULL;
    }
    if ((options = bind_options(a.options)) != NULL) {
        const spgm_problem *problem = ((Problem *)self)->problem;

        result = project(Py_TYPE(self), spgm_problem_rows(problem), spgm_problem_columns(problem), &a, &held, options);
    }
    spgm_options_free(options);
    bind_release(&held);
    return result;
}
