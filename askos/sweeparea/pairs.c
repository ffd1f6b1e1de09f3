/* Which elements of runs meet those of a batch, and how runs become one.  See
 * askos/sweeparea/runs.py: each function here stands for one there.  Batches are in the order of
 * the hashes of their keys, as runs are.
 */
#include "runs.h"

#define AHEAD 24 /* elements: what is fetched now is looked at so much later */

#if defined(__GNUC__)
#define SOON(place) __builtin_prefetch(place)
#else
#define SOON(place) ((void)0)
#endif

/* An element of the batch, and where its candidates are. */
typedef struct {
    int64_t *low, *counts, *mine;
} Found;

/* Those with the hash of an element.  A run is far larger than a cache: what will be looked at is
 * fetched while others are compared. */
static Py_ssize_t find(
    const Run *run, const uint32_t *probe, const int64_t *order, Py_ssize_t probes, Found out
) {
    Py_ssize_t found = 0, at = 0, count = 0;
    for (Py_ssize_t i = 0; i < probes; i++) {
        if (i + AHEAD < probes)
            SOON(&run->hashes[run->directory[cell_of(run, probe[i + AHEAD])]]);
        if (!i || probe[i] != probe[i - 1]) at = look(run, probe[i], &count);
        out.low[found] = at; /* written anyway, and kept if there are any */
        out.counts[found] = count;
        out.mine[found] = order[i];
        found += count > 0;
    }
    return found;
}

/* Of these, those that have the key of the first candidate. */
static Py_ssize_t with_key(const Keys *probe, const Keys *stored, Py_ssize_t count, Found out) {
    Py_ssize_t kept = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            for (Py_ssize_t k = 0; k < stored->count; k++) SOON(&stored->of[k][out.low[i + AHEAD]]);
        int same = equal(probe, stored, out.mine[i], out.low[i]);
        out.low[kept] = out.low[i];
        out.counts[kept] = out.counts[i];
        out.mine[kept] = out.mine[i];
        kept += same;
    }
    return kept;
}

/* candidates(runs, hashes, order, keys, ends, totals, low, counts, mine)
 *
 * Fills `low`, `counts` and `mine`: where an element's candidates begin in a run, how many they
 * are, and which element it is; run by run, up to `ends`, and how many candidates there are in
 * `totals`.  In a run that is pure keys are compared with those of the first candidate.
 */
static PyObject *candidates(PyObject *self, PyObject *args) {
    Py_buffer b[7];
    PyObject *list, *own, *result = NULL;
    Keys keys;
    if (!PyArg_ParseTuple(
            args, "Oy*y*Ow*w*w*w*w*", &list, &b[0], &b[1], &own, &b[2], &b[3], &b[4], &b[5], &b[6]))
        return NULL;
    Py_ssize_t probes = b[0].len / 4, count = PySequence_Size(list), room = count * probes * 8, done = 0;
    int64_t *ends = b[2].buf, *totals = b[3].buf;
    if (count < 0) goto end;
    if (b[1].len < probes * 8 || b[2].len < count * 8 || b[3].len < count * 8 || b[4].len < room ||
        b[5].len < room || b[6].len < room) {
        PyErr_SetString(PyExc_ValueError, "columns of different lengths, or too little room");
        goto end;
    }
    if (keys_from(own, probes, &keys)) goto end;
    for (Py_ssize_t i = 0; i < count; i++) {
        const Run *run = run_of(list, i, &keys);
        if (!run) goto end_keys;
        Found out = {(int64_t *)b[4].buf + done, (int64_t *)b[5].buf + done, (int64_t *)b[6].buf + done};
        Py_ssize_t found = find(run, b[0].buf, b[1].buf, probes, out);
        if (run->pure) found = with_key(&keys, &run->keys, found, out);
        totals[i] = 0;
        for (Py_ssize_t j = 0; j < found; j++) totals[i] += out.counts[j];
        ends[i] = done += found;
    }
    result = Py_NewRef(Py_None);
end_keys:
    done_with(&keys);
end:
    for (int i = 0; i < 7; i++) PyBuffer_Release(&b[i]);
    return result;
}

/* Pairs, and on which interval both are. */
typedef struct {
    int64_t *probe, *stored, *ts, *te;
} Pairs;

/* Each element with those of its candidates that have its key and overlap it. */
static Py_ssize_t meet(
    const Run *run, const Keys *keys, const int64_t *begins, const int64_t *ends, Found from,
    Py_ssize_t first, Py_ssize_t last, Pairs out, Py_ssize_t found
) {
    int compared = !run->pure && keys->count;
    for (Py_ssize_t i = first; i < last; i++) {
        if (i + AHEAD < last) {
            SOON(&run->ts[from.low[i + AHEAD]]);
            SOON(&run->te[from.low[i + AHEAD]]);
        }
        int64_t row = from.mine[i], begin = begins[row], end = ends[row];
        for (int64_t at = from.low[i], stop = at + from.counts[i]; at < stop; at++) {
            int64_t ts = run->ts[at] > begin ? run->ts[at] : begin;
            int64_t te = run->te[at] < end ? run->te[at] : end;
            out.probe[found] = row; /* written anyway, and kept if they meet: nothing is to be guessed */
            out.stored[found] = at;
            out.ts[found] = ts;
            out.te[found] = te;
            found += ts < te && (!compared || equal(keys, &run->keys, row, at));
        }
    }
    return found;
}

/* meeting(runs, ends, low, counts, mine, ts, te, keys, probe, stored, from, to)
 *
 * Fills `probe` and `stored`, the pairs of each run up to `ends`, which said up to where its
 * candidates are; and `from` and `to`, on which interval both are.
 */
static PyObject *meeting(PyObject *self, PyObject *args) {
    Py_buffer b[10];
    PyObject *list, *own, *result = NULL;
    Keys keys;
    if (!PyArg_ParseTuple(
            args, "Ow*y*y*y*y*y*Ow*w*w*w*", &list, &b[0], &b[1], &b[2], &b[3], &b[4], &b[5], &own,
            &b[6], &b[7], &b[8], &b[9]))
        return NULL;
    Found from = {b[1].buf, b[2].buf, b[3].buf};
    Pairs out = {b[6].buf, b[7].buf, b[8].buf, b[9].buf};
    Py_ssize_t count = PySequence_Size(list), found = 0, first = 0;
    int64_t *ends = b[0].buf, room = 0;
    if (count < 0) goto end;
    for (Py_ssize_t i = 0; i < b[2].len / 8; i++) room += from.counts[i];
    int bad = b[0].len < count * 8 || b[1].len < b[2].len || b[3].len < b[2].len;
    for (int i = 6; i < 10; i++) bad = bad || b[i].len < room * 8;
    if (bad || (count && ends[count - 1] > b[2].len / 8)) {
        PyErr_SetString(PyExc_ValueError, "columns of different lengths, or too little room");
        goto end;
    }
    if (keys_from(own, b[4].len / 8, &keys)) goto end;
    for (Py_ssize_t i = 0; i < count; i++) {
        const Run *run = run_of(list, i, &keys);
        if (!run) goto end_keys;
        Py_ssize_t last = ends[i];
        found = meet(run, &keys, b[4].buf, b[5].buf, from, first, last, out, found);
        ends[i] = found;
        first = last;
    }
    result = Py_NewRef(Py_None);
end_keys:
    done_with(&keys);
end:
    for (int i = 0; i < 10; i++) PyBuffer_Release(&b[i]);
    return result;
}

/* How many bits of a hash are not those of a cell; -1 if there is no such number of cells. */
static int shift_of(Py_ssize_t cells) {
    for (int shift = 32; shift > 0 && cells > 0; shift--)
        if (cells == (Py_ssize_t)1 << (32 - shift)) return shift;
    return -1;
}

/* segments(hashes, keys, directory, signs) -> whether elements with equal hashes have equal keys.
 *
 * Fills `directory`, of a power of two of cells: where the hashes of each begin, and the end; and
 * `signs`, those of each.
 */
static PyObject *segments(PyObject *self, PyObject *args) {
    Py_buffer hashes, directory, out;
    PyObject *own, *result = NULL;
    Keys keys;
    if (!PyArg_ParseTuple(args, "y*Ow*w*", &hashes, &own, &directory, &out)) return NULL;
    Py_ssize_t length = hashes.len / 4, cells = directory.len / 4 - 1, cell = 0;
    int shift = shift_of(cells);
    if (shift < 0 || length > INT32_MAX || out.len < cells * 8) {
        PyErr_SetString(PyExc_ValueError, "too many elements, or no directory");
        goto end;
    }
    if (keys_from(own, length, &keys)) goto end;
    const uint32_t *run = hashes.buf;
    int32_t *begins = directory.buf;
    uint64_t *signs = out.buf;
    int pure = 1;
    for (cell = 0; cell < cells; cell++) begins[cell] = -1, signs[cell] = 0;
    begins[cells] = (int32_t)length;
    for (Py_ssize_t i = length; i-- > 0;) {
        cell = (Py_ssize_t)((uint64_t)run[i] >> shift);
        begins[cell] = (int32_t)i;
        signs[cell] |= sign_of(run[i]);
    }
    for (cell = cells; cell-- > 0;) begins[cell] = begins[cell] < 0 ? begins[cell + 1] : begins[cell];
    for (Py_ssize_t i = 1; i < length && pure; i++)
        pure = (run[i] != run[i - 1]) | equal(&keys, &keys, i, i - 1);
    result = PyBool_FromLong(pure);
    done_with(&keys);
end:
    PyBuffer_Release(&hashes);
    PyBuffer_Release(&directory);
    PyBuffer_Release(&out);
    return result;
}

static void forget_run(PyObject *capsule) {
    Run *run = PyCapsule_GetPointer(capsule, RUN);
    for (int i = 0; i < 5; i++) PyBuffer_Release(&run->b[i]);
    done_with(&run->keys);
    PyMem_Free(run);
}

/* run(hashes, directory, signs, keys, ts, te, pure) -> a run, to be asked many times. */
static PyObject *run_from(PyObject *self, PyObject *args) {
    PyObject *keys, *result = NULL;
    Run *run = PyMem_Calloc(1, sizeof *run);
    if (!run) return PyErr_NoMemory();
    Py_buffer *b = run->b;
    if (!PyArg_ParseTuple(
            args, "y*y*y*Oy*y*p", &b[0], &b[1], &b[2], &keys, &b[3], &b[4], &run->pure)) {
        PyMem_Free(run);
        return NULL;
    }
    run->hashes = b[0].buf;
    run->directory = b[1].buf;
    run->signs = b[2].buf;
    run->ts = b[3].buf;
    run->te = b[4].buf;
    run->length = b[0].len / 4;
    Py_ssize_t cells = b[1].len / 4 - 1;
    run->shift = shift_of(cells);
    if (run->shift < 0 || b[2].len < cells * 8 || b[3].len < run->length * 8 ||
        b[4].len < run->length * 8)
        PyErr_SetString(PyExc_ValueError, "columns of different lengths, or no directory");
    else if (!keys_from(keys, run->length, &run->keys))
        result = PyCapsule_New(run, RUN, forget_run);
    if (result) return result;
    for (int i = 0; i < 5; i++) PyBuffer_Release(&b[i]);
    done_with(&run->keys);
    PyMem_Free(run);
    return NULL;
}

/* ---- merging -------------------------------------------------------------------------------- */

/* Two sorted stretches as one; which is next is computed, not guessed. */
static void merge_two(
    const uint64_t *a, const uint64_t *a_end, const uint64_t *b, const uint64_t *b_end, uint64_t *out
) {
    while (a < a_end && b < b_end) {
        uint64_t first = *a, second = *b;
        uint64_t left = first < second;
        *out++ = second ^ ((first ^ second) & -left);
        a += left;
        b += !left;
    }
    while (a < a_end) *out++ = *a++;
    while (b < b_end) *out++ = *b++;
}

/* Neighbours in pairs, until one is left: in which of the two rooms, from and to. */
static uint64_t *merge_all(uint64_t *from, uint64_t *to, Py_ssize_t *ends, Py_ssize_t count) {
    while (count > 1) {
        Py_ssize_t begin = 0, made = 0;
        for (Py_ssize_t i = 0; i < count; i += 2) {
            Py_ssize_t middle = ends[i], end = i + 1 < count ? ends[i + 1] : middle;
            merge_two(from + begin, from + middle, from + middle, from + end, to + begin);
            ends[made++] = begin = end;
        }
        count = made;
        uint64_t *other = from;
        from = to;
        to = other;
    }
    return from;
}

/* Hash and place of all, one run after the other. */
static int load_runs(PyObject *list, Py_ssize_t count, uint64_t *out, Py_ssize_t room, Py_ssize_t *ends) {
    Py_ssize_t done = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_buffer one;
        PyObject *hashes = PySequence_GetItem(list, i);
        int failed = !hashes || PyObject_GetBuffer(hashes, &one, PyBUF_SIMPLE);
        Py_XDECREF(hashes);
        if (failed) return -1;
        const uint32_t *hash = one.buf;
        Py_ssize_t length = one.len / 4;
        for (Py_ssize_t j = 0; j < length && done < room; j++, done++)
            out[done] = (uint64_t)hash[j] << 32 | (uint64_t)done;
        ends[i] = done;
        PyBuffer_Release(&one);
    }
    if (done == room) return 0;
    PyErr_SetString(PyExc_ValueError, "columns of different lengths");
    return -1;
}

/* merged(runs, hashes, order)
 *
 * Fills `hashes` with those of all runs in order, and `order` with their places, as if one run
 * followed the other: of equal ones the first comes first.
 */
static PyObject *merged(PyObject *self, PyObject *args) {
    PyObject *list, *result = NULL;
    Py_buffer hashes, order;
    if (!PyArg_ParseTuple(args, "Ow*w*", &list, &hashes, &order)) return NULL;
    Py_ssize_t length = hashes.len / 4, count = PySequence_Size(list);
    uint64_t *room = NULL;
    Py_ssize_t *ends = NULL;
    if (count < 1 || order.len < length * 8 || length > INT32_MAX) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "no runs, or too little room");
        goto end;
    }
    room = PyMem_Malloc(2 * (size_t)length * sizeof *room + 1);
    ends = PyMem_Malloc((size_t)count * sizeof *ends);
    if (!room || !ends) {
        PyErr_NoMemory();
        goto end;
    }
    if (load_runs(list, count, room, length, ends)) goto end;
    const uint64_t *all = merge_all(room, room + length, ends, count);
    for (Py_ssize_t i = 0; i < length; i++) {
        ((uint32_t *)hashes.buf)[i] = (uint32_t)(all[i] >> 32);
        ((int64_t *)order.buf)[i] = (int64_t)(all[i] & UINT32_MAX);
    }
    result = Py_NewRef(Py_None);
end:
    PyMem_Free(room);
    PyMem_Free(ends);
    PyBuffer_Release(&hashes);
    PyBuffer_Release(&order);
    return result;
}

static PyMethodDef METHODS[] = {
    {"candidates", candidates, METH_VARARGS, "Who has the hash of whom."},
    {"meeting", meeting, METH_VARARGS, "Pairs with equal keys that overlap."},
    {"merged", merged, METH_VARARGS, "The order of all runs."},
    {"run", run_from, METH_VARARGS, "A run, as others take it."},
    {"segments", segments, METH_VARARGS, "Where hashes begin."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_pairs", "Pairs of a run and a batch.", -1, METHODS,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__pairs(void) { return PyModule_Create(&MODULE); }
