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

#define COLUMNS 32
#define CELL 8 /* elements of a cell that are looked at one by one */

/* The key columns of both sides, in pairs. */
typedef struct {
    Py_buffer buffers[2 * COLUMNS];
    const int64_t *probe[COLUMNS], *stored[COLUMNS];
    Py_ssize_t count, held;
} Keys;

static void done_with(Keys *keys) {
    while (keys->held > 0) PyBuffer_Release(&keys->buffers[--keys->held]);
}

static const int64_t *column_of(Keys *keys, PyObject *list, Py_ssize_t i) {
    PyObject *one = PySequence_GetItem(list, i);
    if (!one) return NULL;
    int failed = PyObject_GetBuffer(one, &keys->buffers[keys->held], PyBUF_SIMPLE);
    Py_DECREF(one);
    return failed ? NULL : keys->buffers[keys->held++].buf;
}

static int keys_from(PyObject *probe, PyObject *stored, Keys *keys) {
    keys->held = 0;
    keys->count = PySequence_Size(probe);
    if (keys->count < 0) return -1;
    if (keys->count > COLUMNS || PySequence_Size(stored) != keys->count) {
        PyErr_SetString(PyExc_ValueError, "too many keys, or not as many on both sides");
        return -1;
    }
    for (Py_ssize_t i = 0; i < keys->count; i++) {
        if (!(keys->probe[i] = column_of(keys, probe, i)) ||
            !(keys->stored[i] = column_of(keys, stored, i))) {
            done_with(keys);
            return -1;
        }
    }
    return 0;
}

static int equal(const Keys *keys, int64_t mine, int64_t theirs) {
    for (Py_ssize_t i = 0; i < keys->count; i++)
        if (keys->probe[i][mine] != keys->stored[i][theirs]) return 0;
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
    Py_buffer b[5];
    const uint32_t *hashes;
    const uint64_t *signs;
    const int32_t *directory;
    const int64_t *ts, *te;
    Keys keys;
    Py_ssize_t length;
    int shift, pure; /* pure: elements with equal hashes have equal keys */
} Run;

static void done_with_run(Run *run) {
    for (int i = 0; i < 5; i++) PyBuffer_Release(&run->b[i]);
    done_with(&run->keys);
}

/* How many bits of a hash are not those of a cell; -1 if there is no such number of cells. */
static int shift_of(Py_ssize_t cells) {
    for (int shift = 32; shift > 0 && cells > 0; shift--)
        if (cells == (Py_ssize_t)1 << (32 - shift)) return shift;
    return -1;
}

static int run_from(PyObject *given, PyObject *probe, Run *run) {
    PyObject *keys;
    if (!PyArg_ParseTuple(
            given, "y*y*y*Oy*y*p", &run->b[0], &run->b[1], &run->b[4], &keys, &run->b[2],
            &run->b[3], &run->pure))
        return -1;
    run->hashes = run->b[0].buf;
    run->directory = run->b[1].buf;
    run->signs = run->b[4].buf;
    run->ts = run->b[2].buf;
    run->te = run->b[3].buf;
    run->length = run->b[0].len / 4;
    run->shift = shift_of(run->b[1].len / 4 - 1);
    run->keys.held = 0;
    if (run->shift < 0 || run->b[4].len < (run->b[1].len - 4) * 2 || run->b[2].len < run->length * 8 ||
        run->b[3].len < run->length * 8)
        PyErr_SetString(PyExc_ValueError, "columns of different lengths, or no directory");
    if (PyErr_Occurred() || keys_from(probe, keys, &run->keys)) {
        done_with_run(run);
        return -1;
    }
    return 0;
}

static int run_of(PyObject *list, Py_ssize_t i, PyObject *probe, Run *run) {
    PyObject *one = PySequence_GetItem(list, i);
    int failed = !one || run_from(one, probe, run);
    Py_XDECREF(one);
    return failed;
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
