/* Rows of ids: which are equal.  See askos/columns/factorize.py and coalesce.py: each function here
 * stands for one there. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>

#define COLUMNS 32
#define MIX 0x9E3779B97F4A7C15ULL

typedef struct {
    Py_buffer buffers[COLUMNS];
    const int64_t *ids[COLUMNS];
    Py_ssize_t count;
} Rows;

static void done_with(Rows *rows) {
    while (rows->count > 0) PyBuffer_Release(&rows->buffers[--rows->count]);
}

static int rows_from(PyObject *list, Py_ssize_t length, Rows *rows) {
    rows->count = 0;
    Py_ssize_t total = PySequence_Size(list);
    if (total > COLUMNS) PyErr_SetString(PyExc_ValueError, "too many columns");
    if (total < 0 || total > COLUMNS) return -1;
    for (Py_ssize_t i = 0; i < total; i++) {
        PyObject *one = PySequence_GetItem(list, i);
        int failed = !one || PyObject_GetBuffer(one, &rows->buffers[i], PyBUF_SIMPLE);
        Py_XDECREF(one);
        if (failed) break;
        rows->ids[rows->count++] = rows->buffers[i].buf;
        if (rows->buffers[i].len < length * 8) {
            PyErr_SetString(PyExc_ValueError, "columns of different lengths");
            break;
        }
    }
    if (!PyErr_Occurred()) return 0;
    done_with(rows);
    return -1;
}

static uint64_t hash_of(const Rows *rows, Py_ssize_t row) {
    uint64_t state = 0;
    for (Py_ssize_t i = 0; i < rows->count; i++) {
        state = (state ^ (uint64_t)rows->ids[i][row]) * MIX;
        state ^= state >> 29;
    }
    return state ^ state >> 32;
}

static int equal(const Rows *rows, Py_ssize_t a, Py_ssize_t b) {
    for (Py_ssize_t i = 0; i < rows->count; i++)
        if (rows->ids[i][a] != rows->ids[i][b]) return 0;
    return 1;
}

/* factorize(columns, codes, example) -> how many rows are distinct.
 *
 * Fills `codes`, a number from 0 for each distinct row in the order in which they first occur, and
 * of `example` as many: the first row that has each number.  A table of at least twice as many
 * places as rows, looked through from where a row's hash says.
 */
static PyObject *factorize(PyObject *self, PyObject *args) {
    PyObject *list, *result = NULL;
    Py_buffer codes, examples;
    Rows rows;
    if (!PyArg_ParseTuple(args, "Ow*w*", &list, &codes, &examples)) return NULL;
    Py_ssize_t count = codes.len / 8, distinct = 0;
    int32_t *table = NULL;
    if (count > INT32_MAX / 4 || examples.len < count * 8) {
        PyErr_SetString(PyExc_ValueError, "too many rows, or too little room");
        goto end;
    }
    if (rows_from(list, count, &rows)) goto end;
    size_t size = 16;
    while (size < (size_t)count * 2) size *= 2;
    if (!(table = PyMem_Calloc(size, sizeof *table))) {
        PyErr_NoMemory();
        goto end_rows;
    }
    int64_t *code = codes.buf, *example = examples.buf;
    for (Py_ssize_t row = 0; row < count; row++) {
        size_t at = hash_of(&rows, row) & (size - 1);
        while (table[at] && !equal(&rows, example[table[at] - 1], row)) at = (at + 1) & (size - 1);
        if (!table[at]) {
            example[distinct++] = row;
            table[at] = (int32_t)distinct;
        }
        code[row] = table[at] - 1;
    }
    result = PyLong_FromSsize_t(distinct);
end_rows:
    PyMem_Free(table);
    done_with(&rows);
end:
    PyBuffer_Release(&codes);
    PyBuffer_Release(&examples);
    return result;
}

/* beginnings(columns, ts, te, first) -> at how many rows something new begins.
 *
 * Fills `first`: the rows that do not go on from the one before, with the same ids and from its end.
 */
static PyObject *beginnings(PyObject *self, PyObject *args) {
    PyObject *list, *result = NULL;
    Py_buffer starts, ends, out;
    Rows rows;
    if (!PyArg_ParseTuple(args, "Oy*y*w*", &list, &starts, &ends, &out)) return NULL;
    Py_ssize_t count = starts.len / 8, found = 0;
    if (ends.len < count * 8 || out.len < count * 8) {
        PyErr_SetString(PyExc_ValueError, "columns of different lengths, or too little room");
        goto end;
    }
    if (rows_from(list, count, &rows)) goto end;
    const int64_t *ts = starts.buf, *te = ends.buf;
    int64_t *first = out.buf;
    for (Py_ssize_t row = 0; row < count; row++)
        if (!row || ts[row] != te[row - 1] || !equal(&rows, row, row - 1)) first[found++] = row;
    result = PyLong_FromSsize_t(found);
    done_with(&rows);
end:
    PyBuffer_Release(&starts);
    PyBuffer_Release(&ends);
    PyBuffer_Release(&out);
    return result;
}

static PyMethodDef METHODS[] = {
    {"factorize", factorize, METH_VARARGS, "Equal rows get equal numbers."},
    {"beginnings", beginnings, METH_VARARGS, "Where something new begins."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_rows", "Rows of ids.", -1, METHODS, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__rows(void) { return PyModule_Create(&MODULE); }
