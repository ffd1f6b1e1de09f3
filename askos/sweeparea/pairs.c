/* Which elements of a run meet those of a batch.  See askos/sweeparea/area.py: each function here
 * stands for one there.
 *
 * Both sides are in the order of the hashes of their keys, so one search goes on where the last one
 * ended, however long the run.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>

#define COLUMNS 32

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

/* candidates(hashes, stops, keys, their hashes, order, their keys, low, counts, mine) -> how many
 * elements of the batch have candidates, and how many these are in all.
 *
 * Fills `low`, `counts` and `mine`: where an element's candidates begin in the run, how many they
 * are, and which element it is.  Keys are compared with those of the first candidate.
 */
static PyObject *candidates(PyObject *self, PyObject *args) {
    Py_buffer hashes, stops, theirs, order, low, counts, mine;
    PyObject *own, *others, *result = NULL;
    Keys keys;
    if (!PyArg_ParseTuple(
            args, "y*y*Oy*y*Ow*w*w*", &hashes, &stops, &own, &theirs, &order, &others, &low,
            &counts, &mine))
        return NULL;
    Py_ssize_t length = hashes.len / 4, probes = theirs.len / 4, found = 0, at = 0, total = 0;
    if (stops.len < length * 8 || order.len < probes * 8 || low.len < probes * 8 ||
        counts.len < probes * 8 || mine.len < probes * 8) {
        PyErr_SetString(PyExc_ValueError, "columns of different lengths");
        goto end;
    }
    if (keys_from(others, own, &keys)) goto end;
    const uint32_t *run = hashes.buf, *probe = theirs.buf;
    const int64_t *stop = stops.buf, *row = order.buf;
    int64_t *begins = low.buf, *sizes = counts.buf, *rows = mine.buf;
    for (Py_ssize_t i = 0; i < probes; i++) {
        at = first_of(run, at, length, probe[i]);
        if (at >= length) break;
        if (run[at] != probe[i] || !equal(&keys, row[i], at)) continue;
        begins[found] = at;
        sizes[found] = stop[at] - at;
        rows[found++] = row[i];
        total += stop[at] - at;
    }
    result = Py_BuildValue("nn", found, total);
    done_with(&keys);
end:
    PyBuffer_Release(&hashes);
    PyBuffer_Release(&stops);
    PyBuffer_Release(&theirs);
    PyBuffer_Release(&order);
    PyBuffer_Release(&low);
    PyBuffer_Release(&counts);
    PyBuffer_Release(&mine);
    return result;
}

/* meeting(low, counts, mine, ts, te, keys, their ts, their te, their keys, always, probe, stored)
 * -> how many pairs there are.
 *
 * Fills `probe` and `stored`: each element with those of its candidates that have its key and
 * overlap it; `always`: all overlap.
 */
static PyObject *meeting(PyObject *self, PyObject *args) {
    Py_buffer b[9];
    PyObject *own, *others, *result = NULL;
    int always;
    Keys keys;
    if (!PyArg_ParseTuple(
            args, "y*y*y*y*y*Oy*y*Opw*w*", &b[0], &b[1], &b[2], &b[3], &b[4], &own, &b[5], &b[6],
            &others, &always, &b[7], &b[8]))
        return NULL;
    const int64_t *low = b[0].buf, *counts = b[1].buf, *mine = b[2].buf, *ts = b[3].buf;
    const int64_t *te = b[4].buf, *begins = b[5].buf, *ends = b[6].buf;
    int64_t *probe = b[7].buf, *stored = b[8].buf;
    Py_ssize_t probes = b[0].len / 8, found = 0;
    int64_t room = 0;
    for (Py_ssize_t i = 0; i < probes; i++) room += counts[i];
    if (b[1].len < probes * 8 || b[2].len < probes * 8 || b[7].len < room * 8 || b[8].len < room * 8) {
        PyErr_SetString(PyExc_ValueError, "columns of different lengths, or too little room");
        goto end;
    }
    if (keys_from(others, own, &keys)) goto end;
    for (Py_ssize_t i = 0; i < probes; i++) {
        int64_t row = mine[i], begin = begins[row], end = ends[row];
        for (int64_t at = low[i], stop = low[i] + counts[i]; at < stop; at++) {
            probe[found] = row; /* written anyway, and kept if they meet: nothing is to be guessed */
            stored[found] = at;
            found += (always || (begin < te[at] && ts[at] < end)) && equal(&keys, row, at);
        }
    }
    result = PyLong_FromSsize_t(found);
    done_with(&keys);
end:
    for (int i = 0; i < 9; i++) PyBuffer_Release(&b[i]);
    return result;
}

/* segments(hashes, keys, stops) -> whether elements with equal hashes have equal keys.
 *
 * Fills `stops`: where the elements end whose hash is that of this one.
 */
static PyObject *segments(PyObject *self, PyObject *args) {
    Py_buffer hashes, stops;
    PyObject *own, *result = NULL;
    Keys keys;
    if (!PyArg_ParseTuple(args, "y*Ow*", &hashes, &own, &stops)) return NULL;
    Py_ssize_t length = hashes.len / 4;
    if (stops.len < length * 8) {
        PyErr_SetString(PyExc_ValueError, "too little room");
        goto end;
    }
    if (keys_from(own, own, &keys)) goto end;
    const uint32_t *run = hashes.buf;
    int64_t *stop = stops.buf, last = length;
    int pure = 1;
    for (Py_ssize_t i = length; i-- > 0;) {
        if (i + 1 < length) {
            if (run[i] != run[i + 1]) last = i + 1;
            else pure = pure && equal(&keys, i, i + 1);
        }
        stop[i] = last;
    }
    result = PyBool_FromLong(pure);
    done_with(&keys);
end:
    PyBuffer_Release(&hashes);
    PyBuffer_Release(&stops);
    return result;
}

/* ---- what is not covered yet ---------------------------------------------------------------- */

#define RUNS 64

typedef struct {
    int64_t ts, te;
} Piece;

/* A run, and where in it the search for hashes has come to. */
typedef struct {
    Py_buffer hashes, stops, ts, te;
    Keys keys;
    Py_ssize_t length, at;
} Run;

static void done_with_run(Run *run) {
    PyBuffer_Release(&run->hashes);
    PyBuffer_Release(&run->stops);
    PyBuffer_Release(&run->ts);
    PyBuffer_Release(&run->te);
    done_with(&run->keys);
}

static int run_from(PyObject *given, PyObject *probe, Run *run) {
    PyObject *keys;
    if (!PyArg_ParseTuple(
            given, "y*y*Oy*y*", &run->hashes, &run->stops, &keys, &run->ts, &run->te))
        return -1;
    run->keys.held = 0;
    run->length = run->hashes.len / 4;
    run->at = 0;
    if (keys_from(probe, keys, &run->keys)) {
        done_with_run(run);
        return -1;
    }
    return 0;
}

/* Pieces that grow as they are needed. */
typedef struct {
    Piece *all;
    Py_ssize_t count, room;
} Pieces;

static int add(Pieces *pieces, int64_t ts, int64_t te) {
    if (pieces->count == pieces->room) {
        Py_ssize_t room = pieces->room ? 2 * pieces->room : 64;
        Piece *more = PyMem_Realloc(pieces->all, (size_t)room * sizeof *more);
        if (!more) return -1;
        pieces->all = more;
        pieces->room = room;
    }
    pieces->all[pieces->count++] = (Piece){ts, te};
    return 0;
}

static int by_start(const void *a, const void *b) {
    int64_t x = ((const Piece *)a)->ts, y = ((const Piece *)b)->ts;
    return (x > y) - (x < y);
}

typedef struct {
    const uint32_t *hashes;
    const int64_t *order, *ts, *te;
    int64_t *rows, *from, *to; /* what comes out */
    uint32_t *found;
    Py_ssize_t count, room;
    int64_t patience; /* how many more elements may be looked at */
} Batch;

static int emit(Batch *batch, int64_t row, uint32_t hash, int64_t from, int64_t to) {
    if (batch->count >= batch->room) return -1;
    batch->rows[batch->count] = row;
    batch->from[batch->count] = from;
    batch->to[batch->count] = to;
    batch->found[batch->count++] = hash;
    return 0;
}

/* What of [from, to) no piece of a row's key covers. */
static int emit_gaps(
    Batch *batch, Run *runs, Py_ssize_t count, Pieces *covers, int64_t row, uint32_t hash,
    int64_t from, int64_t to
) {
    covers->count = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        Run *run = &runs[i];
        if (run->at >= run->length || ((const uint32_t *)run->hashes.buf)[run->at] != hash) continue;
        const int64_t *ts = run->ts.buf, *te = run->te.buf;
        int64_t stop = ((const int64_t *)run->stops.buf)[run->at];
        if ((batch->patience -= stop - run->at) < 0) return -1;
        for (int64_t at = run->at; at < stop; at++)
            if (from < te[at] && ts[at] < to && equal(&run->keys, row, at))
                if (add(covers, ts[at], te[at])) return -2;
    }
    if (covers->count > 1) qsort(covers->all, (size_t)covers->count, sizeof(Piece), by_start);
    for (Py_ssize_t i = 0; i < covers->count && from < to; i++) {
        Piece cover = covers->all[i];
        if (from < cover.ts && emit(batch, row, hash, from, cover.ts)) return -1;
        if (from < cover.te) from = cover.te;
    }
    return from < to ? emit(batch, row, hash, from, to) : 0;
}

static int same_key(const Keys *keys, int64_t a, int64_t b) {
    for (Py_ssize_t i = 0; i < keys->count; i++)
        if (keys->probe[i][a] != keys->probe[i][b]) return 0;
    return 1;
}

/* Rows of one hash, as pieces of (start, row), in the order of start: each key by itself, and of
 * each what overlaps or touches as one piece. */
static int emit_group(
    Batch *batch, const Keys *keys, Run *runs, Py_ssize_t count, Pieces *covers, Pieces *group,
    uint32_t hash
) {
    int failed = 0;
    for (Py_ssize_t first = 0; first < group->count && !failed; first++) {
        int64_t begun = group->all[first].te; /* the row with which a piece begins */
        if (begun < 0) continue;              /* its key is done */
        int64_t from = batch->ts[begun], to = batch->te[begun];
        for (Py_ssize_t i = first + 1; i < group->count && !failed; i++) {
            int64_t row = group->all[i].te;
            if (row < 0 || !same_key(keys, begun, row)) continue;
            group->all[i].te = -1;
            if (batch->ts[row] > to) {
                failed = emit_gaps(batch, runs, count, covers, begun, hash, from, to);
                begun = row, from = batch->ts[row], to = batch->te[row];
            } else if (batch->te[row] > to) {
                to = batch->te[row];
            }
        }
        if (!failed) failed = emit_gaps(batch, runs, count, covers, begun, hash, from, to);
    }
    return failed;
}

/* uncovered(hashes, order, keys, ts, te, runs, patience, rows, from, to, found) -> how many parts
 * there are; -1 if there are more than there is room for, or if more elements than `patience` allows
 * have the hashes of the rows: then there are quicker ways.
 *
 * Fills `rows`, `from`, `to` and `found`: the parts of rows that neither a run nor a row before
 * covers, and the hash of each, in the order of hashes.
 */
static PyObject *uncovered(PyObject *self, PyObject *args) {
    Py_buffer b[8];
    PyObject *own, *list, *result = NULL;
    Run runs[RUNS];
    Keys keys;
    Pieces covers = {0}, group = {0};
    long long patience;
    if (!PyArg_ParseTuple(
            args, "y*y*Oy*y*OLw*w*w*w*", &b[0], &b[1], &own, &b[2], &b[3], &list, &patience, &b[4],
            &b[5], &b[6], &b[7]))
        return NULL;
    Py_ssize_t length = b[0].len / 4, taken = 0, count = PySequence_Size(list);
    Batch batch = {b[0].buf, b[1].buf, b[2].buf, b[3].buf, b[4].buf,
                   b[5].buf, b[6].buf, b[7].buf, 0,        b[4].len / 8, patience};
    int failed = 0;
    if (count < 0 || keys_from(own, own, &keys)) goto end;
    if (count > RUNS || b[1].len < length * 8 || b[5].len < b[4].len || b[6].len < b[4].len ||
        b[7].len < batch.room * 4) {
        PyErr_SetString(PyExc_ValueError, "too many runs, or too little room");
        goto end_keys;
    }
    for (; taken < count; taken++) {
        PyObject *one = PySequence_GetItem(list, taken);
        int bad = !one || run_from(one, own, &runs[taken]);
        Py_XDECREF(one);
        if (bad) goto end_keys;
    }
    for (Py_ssize_t i = 0; i < length && !failed;) {
        uint32_t hash = batch.hashes[i];
        for (Py_ssize_t r = 0; r < count; r++)
            runs[r].at = first_of(runs[r].hashes.buf, runs[r].at, runs[r].length, hash);
        Py_ssize_t end = i + 1;
        while (end < length && batch.hashes[end] == hash) end++;
        if (end == i + 1) {
            int64_t row = batch.order[i];
            failed = emit_gaps(&batch, runs, count, &covers, row, hash, batch.ts[row], batch.te[row]);
        } else {
            group.count = 0;
            for (Py_ssize_t j = i; j < end && !failed; j++)
                if (add(&group, batch.ts[batch.order[j]], batch.order[j])) failed = -2;
            qsort(group.all, (size_t)group.count, sizeof(Piece), by_start);
            if (!failed) failed = emit_group(&batch, &keys, runs, count, &covers, &group, hash);
        }
        i = end;
    }
    if (failed == -2) PyErr_NoMemory();
    else result = PyLong_FromSsize_t(failed ? -1 : batch.count);
end_keys:
    while (taken > 0) done_with_run(&runs[--taken]);
    done_with(&keys);
end:
    PyMem_Free(covers.all);
    PyMem_Free(group.all);
    for (int i = 0; i < 8; i++) PyBuffer_Release(&b[i]);
    return result;
}

static PyMethodDef METHODS[] = {
    {"uncovered", uncovered, METH_VARARGS, "What nothing covers yet."},
    {"candidates", candidates, METH_VARARGS, "Who has the hash of whom."},
    {"meeting", meeting, METH_VARARGS, "Pairs with equal keys that overlap."},
    {"segments", segments, METH_VARARGS, "Where those of equal hashes end."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_pairs", "Pairs of a run and a batch.", -1, METHODS,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__pairs(void) { return PyModule_Create(&MODULE); }
