/* Rows in the order of the hashes of their keys, and the bounds of their intervals.  See
 * askos/sweeparea/rows.py: each function here stands for one there.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define MIX 0x9E3779B97F4A7C15ULL
#define DIGIT 11 /* bits that are sorted by at a time */
#define PASSES 3 /* of a hash of 32 bits */
#define SIZE (1 << DIGIT)

/* Mixes a column of keys into the state of each row; 0 if all is well. */
static int mix(PyObject *keys, Py_ssize_t place, uint64_t *state, Py_ssize_t count) {
    Py_buffer column;
    PyObject *one = PySequence_GetItem(keys, place);
    int failed = !one || PyObject_GetBuffer(one, &column, PyBUF_SIMPLE);
    Py_XDECREF(one);
    if (failed) return -1;
    if (column.len < count * 8) {
        PyErr_SetString(PyExc_ValueError, "columns of different lengths");
        PyBuffer_Release(&column);
        return -1;
    }
    const uint64_t *key = column.buf;
    for (Py_ssize_t i = 0; i < count; i++) {
        uint64_t mixed = (state[i] ^ key[i]) * MIX;
        state[i] = mixed ^ mixed >> 32;
    }
    PyBuffer_Release(&column);
    return 0;
}

/* Sorts numbers of which the upper half is a hash and the lower a row; rows come in order, and so
 * stay those of equal hashes.  Gives the one of two rooms in which they are then. */
static uint64_t *sorted(uint64_t *from, uint64_t *to, Py_ssize_t count, Py_ssize_t *counts) {
    for (Py_ssize_t i = 0; i < count; i++)
        for (int pass = 0; pass < PASSES; pass++)
            counts[pass * SIZE + (from[i] >> (32 + DIGIT * pass) & (SIZE - 1))]++;
    for (int pass = 0; pass < PASSES; pass++) {
        Py_ssize_t *next = counts + pass * SIZE, before = 0;
        for (int i = 0; i < SIZE; i++) {
            Py_ssize_t here = next[i];
            next[i] = before;
            before += here;
        }
        for (Py_ssize_t i = 0; i < count; i++)
            to[next[from[i] >> (32 + DIGIT * pass) & (SIZE - 1)]++] = from[i];
        uint64_t *other = from;
        from = to;
        to = other;
    }
    return from;
}

/* by_hash(keys, hashes, order): the hashes of rows, ascending, and the row of each. */
static PyObject *by_hash(PyObject *self, PyObject *args) {
    PyObject *keys, *result = NULL;
    Py_buffer out, rows;
    if (!PyArg_ParseTuple(args, "Ow*w*", &keys, &out, &rows)) return NULL;
    Py_ssize_t count = rows.len / 8, columns = PySequence_Size(keys);
    uint64_t *rooms = NULL;
    Py_ssize_t *counts = NULL;
    if (columns < 0) goto end;
    if (out.len < count * 4 || count > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "too many rows, or too little room");
        goto end;
    }
    rooms = PyMem_Calloc(2 * (size_t)count + 1, sizeof *rooms);
    counts = PyMem_Calloc(PASSES * SIZE, sizeof *counts);
    if (!rooms || !counts) {
        PyErr_NoMemory();
        goto end;
    }
    for (Py_ssize_t place = 0; place < columns; place++)
        if (mix(keys, place, rooms, count)) goto end;
    for (Py_ssize_t i = 0; i < count; i++) rooms[i] = rooms[i] << 32 | (uint64_t)i;
    const uint64_t *found = sorted(rooms, rooms + count, count, counts);
    uint32_t *hashes = out.buf;
    int64_t *order = rows.buf;
    for (Py_ssize_t i = 0; i < count; i++) {
        hashes[i] = (uint32_t)(found[i] >> 32);
        order[i] = (int64_t)(found[i] & UINT32_MAX);
    }
    result = Py_NewRef(Py_None);
end:
    PyMem_Free(rooms);
    PyMem_Free(counts);
    PyBuffer_Release(&out);
    PyBuffer_Release(&rows);
    return result;
}

/* The number in a place, from 0 on, if they were in order; moves them. */
static int64_t in_place(int64_t *numbers, Py_ssize_t count, Py_ssize_t place) {
    Py_ssize_t low = 0, high = count - 1;
    while (low < high) {
        int64_t middle = numbers[low + (high - low) / 2];
        Py_ssize_t i = low, j = high;
        while (i <= j) {
            while (numbers[i] < middle) i++;
            while (numbers[j] > middle) j--;
            if (i > j) break;
            int64_t other = numbers[i];
            numbers[i++] = numbers[j];
            numbers[j--] = other;
        }
        if (place <= j) high = j;
        else if (place >= i) low = i;
        else break;
    }
    return numbers[place];
}

/* bounds(ts, te, place) -> the last start, the first end, the last end, and the end in that place
 * from the first on; of one element at least. */
static PyObject *bounds(PyObject *self, PyObject *args) {
    PyObject *result = NULL;
    Py_buffer starts, ends;
    Py_ssize_t place;
    if (!PyArg_ParseTuple(args, "y*y*n", &starts, &ends, &place)) return NULL;
    Py_ssize_t count = ends.len / 8;
    if (starts.len < count * 8 || place < 0 || place >= count) {
        PyErr_SetString(PyExc_ValueError, "columns of different lengths, or no such place");
        goto end;
    }
    const int64_t *ts = starts.buf, *te = ends.buf;
    int64_t begin = ts[0], first = te[0], last = te[0], there;
    for (Py_ssize_t i = 1; i < count; i++) {
        begin = ts[i] > begin ? ts[i] : begin;
        first = te[i] < first ? te[i] : first;
        last = te[i] > last ? te[i] : last;
    }
    there = last;
    if (first < last) {
        int64_t *numbers = PyMem_Malloc((size_t)count * 8);
        if (!numbers) {
            PyErr_NoMemory();
            goto end;
        }
        memcpy(numbers, te, (size_t)count * 8);
        there = in_place(numbers, count, place);
        PyMem_Free(numbers);
    }
    result = Py_BuildValue(
        "LLLL", (long long)begin, (long long)first, (long long)last, (long long)there);
end:
    PyBuffer_Release(&starts);
    PyBuffer_Release(&ends);
    return result;
}

static PyMethodDef METHODS[] = {
    {"by_hash", by_hash, METH_VARARGS, "Rows in the order of the hashes of their keys."},
    {"bounds", bounds, METH_VARARGS, "The bounds of intervals."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_probes", "Rows in order.", -1, METHODS, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__probes(void) { return PyModule_Create(&MODULE); }
