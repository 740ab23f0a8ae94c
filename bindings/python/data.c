/* Files and generated instances, as memory that NumPy looks at. */
#include "binding.h"

/* ---- data --------------------------------------------------------------------------------------------- */

/* A piece of memory that belongs to `owner`, for NumPy to look at. */
typedef struct Block {
    PyObject_HEAD PyObject *owner;
    void *address;
    Py_ssize_t bytes;
    int is_locked; /* cannot be written to */
} Block;

PyTypeObject *bind_block_type;

static void block_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    Py_XDECREF(((Block *)self)->owner);
    release(self);
    Py_DECREF(type);
}

static int block_getbuffer(PyObject *self, Py_buffer *view, int flags) {
    Block *block = (Block *)self;

    return PyBuffer_FillInfo(view, self, block->address, block->bytes, block->is_locked, flags);
}

static PyType_Slot block_slots[] = {
    {Py_tp_doc, "Memory of the library, as bytes."},
    {Py_tp_dealloc, block_dealloc},
    {Py_bf_getbuffer, block_getbuffer},
    {0, NULL},
};

PyType_Spec bind_block_spec = {.name = "spgm._spgm.Block",
                               .basicsize = sizeof(Block),
                               .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                               .slots = block_slots};

/* None for NULL. The memory was taken by the reader for this object alone, so Python may write to it, unless it is a
 * mapped file that memory could not hold. */
static PyObject *block_new(PyObject *owner, const void *address, int64_t count, size_t size) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(bind_block_type, Py_tp_alloc);
    Block *block;

    if (address == NULL) {
        return Py_NewRef(Py_None);
    }
    if ((block = (Block *)allocate(bind_block_type, 0)) == NULL) {
        return NULL;
    }
    block->owner = Py_NewRef(owner);
    memcpy(&block->address, &address, sizeof address);
    block->bytes = (Py_ssize_t)((size_t)count * size);
    return (PyObject *)block;
}

static void data_destroy(PyObject *capsule) {
    spgm_data_free(PyCapsule_GetPointer(capsule, "spgm_data"));
}

/* A list of column names, or None. */
static PyObject *column_names(const spgm_data *data, int64_t columns) {
    PyObject *list;

    if (columns == 0 || spgm_data_column_name(data, 0) == NULL) {
        return Py_NewRef(Py_None);
    }
    list = PyList_New(columns);
    for (int64_t j = 0; list != NULL && j < columns; j++) {
        const char *name = spgm_data_column_name(data, j);
        PyObject *text = PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
        if (text == NULL || PyList_SetItem(list, j, text) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static PyObject *text_or_none(const char *text) {
    return text == NULL ? Py_NewRef(Py_None) : PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

/* Texts until there are no more; None without any. */
static PyObject *texts(const spgm_data *data, int64_t column,
                       const char *(*text_at)(const spgm_data *, int64_t, int64_t)) {
    PyObject *list = text_at(data, column, 0) == NULL ? Py_NewRef(Py_None) : PyList_New(0);

    for (int64_t k = 0; list != NULL && text_at(data, column, k) != NULL; k++) {
        PyObject *text = text_or_none(text_at(data, column, k));
        int failed = text == NULL || PyList_Append(list, text) != 0;

        Py_XDECREF(text);
        if (failed) {
            Py_CLEAR(list);
        }
    }
    return list;
}

static const char *label_at(const spgm_data *data, int64_t column, int64_t k) {
    (void)column;
    return spgm_data_label(data, k);
}

/* [(name, kind, missing, levels or None, first, count), ...] of the columns of a table, or None. */
static PyObject *table_list(const spgm_data *data) {
    int64_t columns = spgm_data_table_columns(data);
    PyObject *list = columns == 0 ? Py_NewRef(Py_None) : PyList_New(columns);

    for (int64_t j = 0; list != NULL && j < columns; j++) {
        spgm_table_column column = spgm_data_table_column(data, j);
        PyObject *entry =
            Py_BuildValue("(NsLNLL)", text_or_none(column.name), column.kind, (long long)column.missing,
                          texts(data, j, spgm_data_level), (long long)column.first, (long long)column.count);
        if (entry == NULL || PyList_SetItem(list, j, entry) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

/* A list of integers. */
static PyObject *integers(const spgm_data *data, int64_t count, int64_t (*at)(const spgm_data *, int64_t)) {
    PyObject *list = PyList_New(count);

    for (int64_t i = 0; list != NULL && i < count; i++) {
        PyObject *number = PyLong_FromLongLong(at(data, i));

        if (number == NULL || PyList_SetItem(list, i, number) != 0) {
            Py_CLEAR(list);
        }
    }
    return list;
}

/* (rows, columns, leading_dimension, column_start, row_index, values, target, truth, names, target_name, format,
 *  weights, labels, table, rows kept or None, column of the table of each column or None) */
static PyObject *data_tuple(spgm_data *data) {
    spgm_matrix A = spgm_data_matrix(data);
    int sparse = A.column_start != NULL, has_table = spgm_data_table_columns(data) > 0;
    int is_cut = spgm_data_rows_read(data) != A.rows;
    int64_t entries = sparse ? A.column_start[A.columns] : A.leading_dimension * A.columns;
    PyObject *owner = PyCapsule_New(data, "spgm_data", data_destroy), *values, *tuple;

    if (owner == NULL) {
        spgm_data_free(data);
        return NULL;
    }
    values = block_new(owner, A.values, entries, sizeof(double));
    if (values != NULL && values != Py_None) {
        ((Block *)values)->is_locked = spgm_data_is_locked(data);
    }
    tuple = Py_BuildValue("(LLLNNNNNNzzNNNNN)", (long long)A.rows, (long long)A.columns, (long long)A.leading_dimension,
                          block_new(owner, A.column_start, A.columns + 1, sizeof(int64_t)),
                          block_new(owner, sparse ? A.row_index : NULL, entries, sizeof(int32_t)), values,
                          block_new(owner, spgm_data_target(data), A.rows, sizeof(double)),
                          block_new(owner, spgm_data_truth(data), A.columns, sizeof(double)),
                          column_names(data, A.columns), spgm_data_target_name(data), spgm_data_format(data),
                          block_new(owner, spgm_data_weights(data), A.rows, sizeof(double)), texts(data, 0, label_at),
                          table_list(data), is_cut ? integers(data, A.rows, spgm_data_row) : Py_NewRef(Py_None),
                          has_table ? integers(data, A.columns, spgm_data_column_source) : Py_NewRef(Py_None));
    Py_DECREF(owner);
    return tuple;
}

/* One character, or 0 for None. */
static int character(const char *text, const char *what, char *value) {
    *value = text == NULL ? '\0' : text[0];
    if (text != NULL && strlen(text) != 1) {
        PyErr_Format(PyExc_ValueError, "%s is '%s': it must be one character", what, text);
        return -1;
    }
    return 0;
}

/* The fields of spgm_read_options by their names; what is None or missing stays as it is. */
static int read_options(PyObject *dict, spgm_read_options *options) {
    const char *separator = NULL, *decimal = NULL;
    const struct {
        const char *name;
        const char **text;
    } fields[] = {{"format", &options->format},
                  {"target", &options->target},
                  {"names", &options->names},
                  {"weights", &options->weights},
                  {"categories", &options->categories},
                  {"missing", &options->missing},
                  {"exclude", &options->exclude},
                  {"only", &options->only},
                  {"text", &options->text},
                  {"header", &options->header},
                  {"separator", &separator},
                  {"decimal", &decimal}};

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        PyObject *value = PyDict_GetItemString(dict, fields[i].name);

        if (value != NULL && value != Py_None && (*fields[i].text = PyUnicode_AsUTF8AndSize(value, NULL)) == NULL) {
            return -1;
        }
    }
    return character(separator, "separator", &options->separator) != 0 ||
                   character(decimal, "decimal", &options->decimal) != 0
               ? -1
               : 0;
}

PyObject *bind_read(PyObject *module, PyObject *args) {
    spgm_read_options options = {0};
    const char *path, *target_file;
    PyObject *dict;
    long long columns;
    spgm_data *data = NULL;
    spgm_status status;
    spgm_error error;

    (void)module;
    if (!PyArg_ParseTuple(args, "sO!ppLz", &path, &PyDict_Type, &dict, &options.no_target, &options.text_target,
                          &columns, &target_file) ||
        read_options(dict, &options) != 0) {
        return NULL;
    }
    options.columns = columns;
    options.no_target = options.no_target || target_file != NULL;
    Py_BEGIN_ALLOW_THREADS error = spgm_data_read(path, &options, &data, &status);
    if (error == SPGM_OK && target_file != NULL) {
        error = spgm_data_read_target(data, target_file, &status);
    }
    Py_END_ALLOW_THREADS if (error != SPGM_OK) {
        spgm_data_free(data);
        return bind_raise(&status);
    }
    return data_tuple(data);
}

PyObject *bind_generate(PyObject *module, PyObject *args) {
    spgm_generate_options options = {0};
    const char *name;
    unsigned long long seed;
    long long support;
    spgm_data *data = NULL;
    spgm_status status;
    spgm_error error;

    (void)module;
    if (!PyArg_ParseTuple(args, "sKzLdpp", &name, &seed, &options.from, &support, &options.noise, &options.raw,
                          &options.real_target)) {
        return NULL;
    }
    options.support = support;
    Py_BEGIN_ALLOW_THREADS error = spgm_data_generate(name, seed, &options, &data, &status);
    Py_END_ALLOW_THREADS if (error != SPGM_OK) {
        spgm_data_free(data);
        return bind_raise(&status);
    }
    return data_tuple(data);
}
