/* Runs of elements in the order of the hashes of their keys, as compiled code is given them; see
 * `given` in askos/sweeparea/runs.py.
 *
 * Where the hashes of a run begin that are alike in their first bits is written in its directory, so
 * to look for one is two looks into memory, however long the run.
 */
#ifndef ASKOS_RUNS_H
#define ASKOS_RUNS_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>

#define CELL 8 /* elements of a cell that are looked at one by one */

/* The key columns of one side, however many. */
typedef struct {
    const int64_t **of;
    Py_ssize_t count;
    Py_buffer *buffers;
} Keys;

static void done_with(Keys *keys) {
    while (keys->count > 0) PyBuffer_Release(&keys->buffers[--keys->count]);
    free(keys->of);
    free(keys->buffers);
    keys->of = NULL;
    keys->buffers = NULL;
}

/* Columns of so many rows at least. */
static int keys_from(PyObject *list, Py_ssize_t rows, Keys *keys) {
    Py_ssize_t count = PySequence_Size(list);
    keys->count = 0;
    keys->of = NULL;
    keys->buffers = NULL;
    if (count < 0) return -1;
    keys->of = malloc((size_t)(count ? count : 1) * sizeof *keys->of);
    keys->buffers = malloc((size_t)(count ? count : 1) * sizeof *keys->buffers);
    if (!keys->of || !keys->buffers) PyErr_NoMemory();
    while (!PyErr_Occurred() && keys->count < count) {
        Py_buffer *buffer = &keys->buffers[keys->count];
        PyObject *one = PySequence_GetItem(list, keys->count);
        int failed = !one || PyObject_GetBuffer(one, buffer, PyBUF_SIMPLE);
        Py_XDECREF(one);
        if (failed) break;
        keys->of[keys->count++] = buffer->buf;
        if (buffer->len < rows * 8) PyErr_SetString(PyExc_ValueError, "columns of different lengths");
    }
    if (!PyErr_Occurred()) return 0;
    done_with(keys);
    return -1;
}

/* Whether an element of one side has the key of one of the other; both have as many columns. */
static int equal(const Keys *probe, const Keys *stored, int64_t mine, int64_t theirs) {
    for (Py_ssize_t i = 0; i < probe->count; i++)
        if (probe->of[i][mine] != stored->of[i][theirs]) return 0;
    return 1;
}

/* The first place from `low` on whose hash is not less: in strides that double, then by halves. */
static Py_ssize_t first_of(const uint32_t *hashes, Py_ssize_t low, Py_ssize_t count, uint32_t hash) {
    Py_ssize_t stride = 1, high = low;
    while (high < count && hashes[high] < hash) {
        low = high + 1;
        high += stride;
        stride *= 2;
    }
    if (high > count) high = count;
    while (low < high) {
        Py_ssize_t middle = low + (high - low) / 2;
        if (hashes[middle] < hash) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The first place behind `at` whose hash is another. */
static Py_ssize_t end_of(const uint32_t *hashes, Py_ssize_t at, Py_ssize_t count) {
    return hashes[at] == UINT32_MAX ? count : first_of(hashes, at + 1, count, hashes[at] + 1);
}

/* Elements in the order of hashes; cell c of the directory says where those begin whose hash begins
 * with the bits of c, and its signs are the bits that `sign_of` gives for each of them. */
typedef struct {
    const uint32_t *hashes;
    const uint64_t *signs;
    const int32_t *directory;
    const int64_t *ts, *te;
    Py_ssize_t length;
    int shift, pure; /* pure: elements with equal hashes have equal keys */
    Py_buffer b[5];
    Keys keys;
} Run;

#define RUN "askos.sweeparea.run"

/* A run that was made before and is asked for a probe; NULL if it is none. */
static const Run *run_of(PyObject *list, Py_ssize_t i, const Keys *probe) {
    PyObject *one = PySequence_GetItem(list, i);
    const Run *run = one ? PyCapsule_GetPointer(one, RUN) : NULL;
    Py_XDECREF(one); /* the list holds it */
    if (run && run->keys.count != probe->count) {
        PyErr_SetString(PyExc_ValueError, "not as many keys on both sides");
        return NULL;
    }
    return run;
}

static Py_ssize_t cell_of(const Run *run, uint32_t hash) {
    return (Py_ssize_t)((uint64_t)hash >> run->shift);
}

/* Two of 64 bits, by the last bits of a hash: the first ones say which cell it is in. */
static uint64_t sign_of(uint32_t hash) {
    return (uint64_t)1 << (hash & 63) | (uint64_t)1 << (hash >> 6 & 63);
}

/* Where the elements with a hash begin, and how many there are.  In a cell of few elements each is
 * looked at, and nothing is to be guessed. */
static Py_ssize_t look(const Run *run, uint32_t hash, Py_ssize_t *count) {
    Py_ssize_t cell = cell_of(run, hash), at = run->directory[cell], stop = run->directory[cell + 1];
    if (stop - at <= CELL && at + CELL <= run->length) {
        const uint32_t *hashes = run->hashes + at;
        uint32_t less = 0, same = 0;
        for (int i = 0; i < CELL; i++) { /* what follows the cell is greater */
            less += hashes[i] < hash;
            same += hashes[i] == hash;
        }
        *count = same;
        return at + less;
    }
    at = first_of(run->hashes, at, stop, hash);
    *count = at < stop && run->hashes[at] == hash ? end_of(run->hashes, at, stop) - at : 0;
    return at;
}

#endif
