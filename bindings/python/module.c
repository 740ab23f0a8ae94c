/* The module: its tables and functions. */
#include "binding.h"

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
               : Py_BuildValue("(ssszOOO)", spgm_loss_name(i), spgm_loss_aliases(i), spgm_loss_formula(i),
                               spgm_loss_parameter(i), spgm_loss_is_sum(i) ? Py_True : Py_False,
                               spgm_loss_has_labels(i) ? Py_True : Py_False,
                               isnan(spgm_loss_probability(i, 0)) ? Py_False : Py_True);
}

static PyObject *candidate_row(int64_t i) {
    int64_t index = spgm_loss_candidate(i + 1);
    return index < 0 ? NULL : PyUnicode_FromString(spgm_loss_name(index));
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

static PyObject *module_candidates(PyObject *module, PyObject *nothing) {
    (void)module, (void)nothing;
    return table(candidate_row);
}

static PyObject *module_outcomes(PyObject *module, PyObject *nothing) {
    (void)module, (void)nothing;
    return table(outcome_row);
}

static PyObject *module_version(PyObject *module, PyObject *nothing) {
    (void)module, (void)nothing;
    return PyUnicode_FromString(spgm_version());
}

/* verdict(outcome, starts, agreeing, spread): (certainty, sentence) */
static PyObject *module_verdict(PyObject *module, PyObject *args) {
    const char *outcome;
    long long starts, agreeing;
    char text[192];
    spgm_info info = {0};
    spgm_certainty certainty;

    (void)module;
    if (!PyArg_ParseTuple(args, "sLLd", &outcome, &starts, &agreeing, &info.spread)) {
        return NULL;
    }
    info.outcome = spgm_outcome_from_name(outcome);
    info.restarts = starts;
    info.agreeing = agreeing;
    certainty = spgm_info_verdict(&info, text, sizeof text);
    return Py_BuildValue("(ss)", spgm_certainty_name(certainty), text);
}

/* ---- module ------------------------------------------------------------------------------------------- */

static PyMethodDef module_functions[] = {
    {"read", bind_read, METH_VARARGS,
     "read(path, format, target, no_target, columns, target_file): parts of the data."},
    {"generate", bind_generate, METH_VARARGS, "generate(name, seed, from, support, noise, raw, real_target)."},
    {"options", module_options, METH_NOARGS,
     "Every option: name, group, type, default, choices, low, high, open, help."},
    {"methods", module_methods, METH_NOARGS, "Every method: name, summary."},
    {"losses", module_losses, METH_NOARGS, "Every loss: name, aliases, formula."},
    {"candidates", module_candidates, METH_NOARGS, "The names of the losses among which cross-validation chooses."},
    {"outcomes", module_outcomes, METH_NOARGS, "Every outcome: name, sentence."},
    {"class_shifts", bind_class_shifts, METH_VARARGS,
     "class_shifts(scores, class_of_row, weights, shifts): what to add to the scores of classes; fills shifts."},
    {"arrange", bind_arrange, METH_VARARGS, "arrange(levels, shifts, values): the rows of values in place."},
    {"verdict", module_verdict, METH_VARARGS, "verdict(outcome, starts, agreeing, spread): (certainty, sentence)."},
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

static int add_number(PyObject *module, const char *name, double value) {
    PyObject *number = PyFloat_FromDouble(value);
    int result = PyModule_AddObjectRef(module, name, number);

    Py_XDECREF(number);
    return result;
}

PyMODINIT_FUNC PyInit__spgm(void);

PyMODINIT_FUNC PyInit__spgm(void) {
    PyObject *module = PyModule_Create(&module_definition);

    if (module == NULL) {
        return NULL;
    }
    bind_unsupported_error = PyErr_NewExceptionWithDoc(
        "spgm.UnsupportedError", "The chosen method cannot solve this problem.", PyExc_ValueError, NULL);
    if (bind_unsupported_error == NULL ||
        PyModule_AddObjectRef(module, "UnsupportedError", bind_unsupported_error) != 0 ||
        PyModule_AddIntConstant(module, "CV_EFFORT", SPGM_CV_EFFORT) != 0 ||
        add_number(module, "CV_FIT_SHARE", SPGM_CV_FIT_SHARE) != 0 ||
        add_type(module, &bind_problem_spec, "Problem", NULL) != 0 ||
        add_type(module, &bind_block_spec, "Block", &bind_block_type) != 0) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
