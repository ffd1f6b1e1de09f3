/* What of a batch nothing covers yet: what DISTINCT tells.  See `uncovered` in
 * askos/sweeparea/area.py.
 */
#include "runs.h"

#define RUNS 64
#define SHORT 16 /* pieces that are sorted by moving them */

typedef struct {
    int64_t ts, te;
} Piece;

/* Pieces that grow as they are needed. */
typedef struct {
    Piece *all;
    Py_ssize_t count, room;
} Pieces;

/* Makes room for so many more. */
static int reserve(Pieces *pieces, Py_ssize_t more) {
    Py_ssize_t room = pieces->room ? pieces->room : 64;
    while (room < pieces->count + more) room *= 2;
    if (room == pieces->room) return 0;
    Piece *all = PyMem_Realloc(pieces->all, (size_t)room * sizeof *all);
    if (!all) return -1;
    pieces->all = all;
    pieces->room = room;
    return 0;
}

static int by_start(const void *a, const void *b) {
    int64_t x = ((const Piece *)a)->ts, y = ((const Piece *)b)->ts;
    return (x > y) - (x < y);
}

/* In the order of start.  Pieces of one run follow those of another, mostly as time goes on. */
static void sort(Pieces *pieces) {
    Piece *all = pieces->all;
    if (pieces->count > SHORT) {
        qsort(all, (size_t)pieces->count, sizeof *all, by_start);
        return;
    }
    for (Py_ssize_t i = 1; i < pieces->count; i++) {
        Piece one = all[i];
        Py_ssize_t at = i;
        for (; at > 0 && all[at - 1].ts > one.ts; at--) all[at] = all[at - 1];
        all[at] = one;
    }
}

/* What is asked of each run for every hash, side by side. */
typedef struct {
    const uint64_t *signs;
    int shift;
} Sight;

typedef struct {
    const Run *all[RUNS];
    Sight sights[RUNS];
    Py_ssize_t count;
} Runs;

/* Those that may have a hash; of those that have not, about one in a hundred may.  Which they are is
 * computed, not guessed. */
static Py_ssize_t may_have(const Runs *runs, uint32_t hash, int *which) {
    Py_ssize_t found = 0;
    uint64_t sign = sign_of(hash);
    for (Py_ssize_t i = 0; i < runs->count; i++) {
        which[found] = (int)i;
        found += (runs->sights[i].signs[(uint64_t)hash >> runs->sights[i].shift] & sign) == sign;
    }
    return found;
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
    Batch *batch, const Keys *keys, const Runs *runs, Pieces *covers, int64_t row, uint32_t hash,
    int64_t from, int64_t to
) {
    int which[RUNS];
    Py_ssize_t some = may_have(runs, hash, which);
    covers->count = 0;
    for (Py_ssize_t i = 0; i < some; i++) {
        const Run *run = runs->all[which[i]];
        const int64_t *ts = run->ts, *te = run->te;
        Py_ssize_t many, first = look(run, hash, &many);
        if ((batch->patience -= many) < 0) return -1;
        if (reserve(covers, many)) return -2;
        for (int64_t at = first; at < first + many; at++) {
            covers->all[covers->count] = (Piece){ts[at], te[at]}; /* kept if it covers anything */
            covers->count += (from < te[at]) & (ts[at] < to) & equal(keys, &run->keys, row, at);
        }
    }
    sort(covers);
    for (Py_ssize_t i = 0; i < covers->count && from < to; i++) {
        Piece cover = covers->all[i];
        if (from < cover.ts && emit(batch, row, hash, from, cover.ts)) return -1;
        if (from < cover.te) from = cover.te;
    }
    return from < to ? emit(batch, row, hash, from, to) : 0;
}

/* Rows of one hash, as pieces of (start, row), in the order of start: each key by itself, and of
 * each what overlaps or touches as one piece. */
static int emit_group(
    Batch *batch, const Keys *keys, const Runs *runs, Pieces *covers, Pieces *group, uint32_t hash
) {
    int failed = 0;
    for (Py_ssize_t first = 0; first < group->count && !failed; first++) {
        int64_t begun = group->all[first].te; /* the row with which a piece begins */
        if (begun < 0) continue;              /* its key is done */
        int64_t from = batch->ts[begun], to = batch->te[begun];
        for (Py_ssize_t i = first + 1; i < group->count && !failed; i++) {
            int64_t row = group->all[i].te;
            if (row < 0 || !equal(keys, keys, begun, row)) continue;
            group->all[i].te = -1;
            if (batch->ts[row] > to) {
                failed = emit_gaps(batch, keys, runs, covers, begun, hash, from, to);
                begun = row, from = batch->ts[row], to = batch->te[row];
            } else if (batch->te[row] > to) {
                to = batch->te[row];
            }
        }
        if (!failed) failed = emit_gaps(batch, keys, runs, covers, begun, hash, from, to);
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
    Runs runs = {.count = 0};
    Keys keys;
    Pieces covers = {0}, group = {0};
    long long patience;
    if (!PyArg_ParseTuple(
            args, "y*y*Oy*y*OLw*w*w*w*", &b[0], &b[1], &own, &b[2], &b[3], &list, &patience, &b[4],
            &b[5], &b[6], &b[7]))
        return NULL;
    Py_ssize_t length = b[0].len / 4, count = PySequence_Size(list);
    Batch batch = {b[0].buf, b[1].buf, b[2].buf, b[3].buf, b[4].buf,
                   b[5].buf, b[6].buf, b[7].buf, 0,        b[4].len / 8, patience};
    int failed = 0;
    if (count < 0 || keys_from(own, length, &keys)) goto end;
    if (count > RUNS || b[1].len < length * 8 || b[5].len < b[4].len || b[6].len < b[4].len ||
        b[7].len < batch.room * 4) {
        PyErr_SetString(PyExc_ValueError, "too many runs, or too little room");
        goto end_keys;
    }
    for (; runs.count < count; runs.count++) {
        const Run *run = run_of(list, runs.count, &keys);
        if (!run) goto end_keys;
        runs.all[runs.count] = run;
        runs.sights[runs.count] = (Sight){run->signs, run->shift};
    }
    for (Py_ssize_t i = 0; i < length && !failed;) {
        uint32_t hash = batch.hashes[i];
        Py_ssize_t end = i + 1;
        while (end < length && batch.hashes[end] == hash) end++;
        if (end == i + 1) {
            int64_t row = batch.order[i];
            failed = emit_gaps(
                &batch, &keys, &runs, &covers, row, hash, batch.ts[row], batch.te[row]);
        } else {
            group.count = 0;
            if (reserve(&group, end - i)) failed = -2;
            for (Py_ssize_t j = i; j < end && !failed; j++)
                group.all[group.count++] = (Piece){batch.ts[batch.order[j]], batch.order[j]};
            sort(&group);
            if (!failed) failed = emit_group(&batch, &keys, &runs, &covers, &group, hash);
        }
        i = end;
    }
    if (failed == -2) PyErr_NoMemory();
    else result = PyLong_FromSsize_t(failed ? -1 : batch.count);
end_keys:
    done_with(&keys);
end:
    PyMem_Free(covers.all);
    PyMem_Free(group.all);
    for (int i = 0; i < 8; i++) PyBuffer_Release(&b[i]);
    return result;
}

static PyMethodDef METHODS[] = {
    {"uncovered", uncovered, METH_VARARGS, "What nothing covers yet."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_uncovered", "What nothing covers yet.", -1, METHODS,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__uncovered(void) { return PyModule_Create(&MODULE); }
