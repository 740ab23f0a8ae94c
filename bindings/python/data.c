/* Files and generated instances, as memory that NumPy looks at. */
#include "binding.h"

/* ---- data --------------------------------------------------------------------------------------------- */

/* A piece of memory that belongs to `owner`, for NumPy to look at. */
typedef struct Block {
    PyObject_HEAD PyObject *owner;
    void *address;
    Py_ssize_t bytes;
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

    return PyBuffer_FillInfo(view, self, block->address, block->bytes, 0, flags);
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

/* None for NULL. The memory was allocated by the reader for this object alone, so Python may write to it. */
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

/* (rows, columns, leading_dimension, column_start, row_index, values, target, truth, names, target_name, format) */
static PyObject *data_tuple(spgm_data *data) {
    spgm_matrix A = spgm_data_matrix(data);
    int sparse = A.column_start != NULL;
    int64_t entries = sparse ? A.column_start[A.columns] : A.leading_dimension * A.columns;
    PyObject *owner = PyCapsule_New(data, "spgm_data", data_destroy), *tuple;

    if (owner == NULL) {
        spgm_data_free(data);
        return NULL;
    }
    tuple = Py_BuildValue("(LLLNNNNNNzz)", (long long)A.rows, (long long)A.columns, (long long)A.leading_dimension,
                          block_new(owner, A.column_start, A.columns + 1, sizeof(int64_t)),
                          block_new(owner, sparse ? A.row_index : NULL, entries, sizeof(int32_t)),
                          block_new(owner, A.values, entries, sizeof(double)),
                          block_new(owner, spgm_data_target(data), A.rows, sizeof(double)),
                          block_new(owner, spgm_data_truth(data), A.columns, sizeof(double)),
                          column_names(data, A.columns), spgm_data_target_name(data), spgm_data_format(data));
    Py_DECREF(owner);
    return tuple;
}

PyObject *bind_read(PyObject *module, PyObject *args) {
    spgm_read_options options = {0};
    const char *path, *target_file;
    long long columns;
    spgm_data *data = NULL;
    spgm_status status;
    spgm_error error;

    (void)module;
    if (!PyArg_ParseTuple(args, "szzpLz", &path, &options.format, &options.target, &options.no_target, &columns,
                          &target_file)) {
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
