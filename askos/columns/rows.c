/* Rows of ids: which are equal, and some of many columns.  See askos/columns/factorize.py,
 * coalesce.py and gather.py: each function here stands for one there. */
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

/* Some rows of one column: how many, or -1. */
static Py_ssize_t gather_from(PyObject *ids, PyObject *rows, int64_t *out, Py_ssize_t room) {
    Py_buffer from, places;
    Py_ssize_t count = -1;
    if (PyObject_GetBuffer(ids, &from, PyBUF_SIMPLE)) return -1;
    if (PyObject_GetBuffer(rows, &places, PyBUF_SIMPLE)) goto end;
    const int64_t *id = from.buf, *place = places.buf;
    uint64_t length = (uint64_t)from.len / 8, bad = 0;
    count = places.len / 8;
    if (count > room) count = room, bad = 1;
    for (Py_ssize_t i = 0; i < count; i++) {
        uint64_t at = (uint64_t)place[i], outside = at >= length;
        bad |= outside;
        out[i] = outside ? 0 : id[at];
    }
    PyBuffer_Release(&places);
    if (bad) {
        PyErr_SetString(PyExc_IndexError, "a row that is not there, or too little room");
        count = -1;
    }
end:
    PyBuffer_Release(&from);
    return count;
}

/* gather(columns, rows, out): rows of each column, one column after the other. */
static PyObject *gather(PyObject *self, PyObject *args) {
    PyObject *columns, *rows;
    Py_buffer out;
    if (!PyArg_ParseTuple(args, "OOw*", &columns, &rows, &out)) return NULL;
    Py_ssize_t count = PySequence_Size(columns), done = 0;
    int failed = count < 0;
    for (Py_ssize_t i = 0; i < count && !failed; i++) {
        PyObject *ids = PySequence_GetItem(columns, i), *places = PySequence_GetItem(rows, i);
        Py_ssize_t more = -1;
        if (ids && places) more = gather_from(ids, places, (int64_t *)out.buf + done, out.len / 8 - done);
        Py_XDECREF(ids);
        Py_XDECREF(places);
        failed = more < 0;
        done += more;
    }
    PyBuffer_Release(&out);
    return failed ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef METHODS[] = {
    {"gather", gather, METH_VARARGS, "Rows of columns, one after the other."},
    {"factorize", factorize, METH_VARARGS, "Equal rows get equal numbers."},
    {"beginnings", beginnings, METH_VARARGS, "Where something new begins."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_rows", "Rows of ids.", -1, METHODS, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__rows(void) { return PyModule_Create(&MODULE); }
