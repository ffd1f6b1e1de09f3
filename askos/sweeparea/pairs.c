/* Which elements of runs meet those of a batch.  See askos/sweeparea/runs.py: each function here
 * stands for one there.
 *
 * Both sides are in the order of the hashes of their keys; where the hashes of a run begin that are
 * alike in their first bits is written in its directory, so to look for one is two looks into
 * memory, however long the run.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>

#define COLUMNS 32
#define AHEAD 24 /* elements: what is fetched now is looked at so much later */

#define CELL 8   /* elements of a cell that are looked at one by one */

#if defined(__GNUC__)
#define SOON(place) __builtin_prefetch(place)
#else
#define SOON(place) ((void)0)
#endif

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

/* ---- runs ----------------------------------------------------------------------------------- */

/* Elements in the order of hashes; cell c of the directory says where those begin whose hash begins
 * with the bits of c. */
typedef struct {
    Py_buffer b[4];
    const uint32_t *hashes;
    const int32_t *directory;
    const int64_t *ts, *te;
    Keys keys;
    Py_ssize_t length, at; /* where the search for hashes has come to */
    int shift, pure;       /* pure: elements with equal hashes have equal keys */
} Run;

static void done_with_run(Run *run) {
    for (int i = 0; i < 4; i++) PyBuffer_Release(&run->b[i]);
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
            given, "y*y*Oy*y*p", &run->b[0], &run->b[1], &keys, &run->b[2], &run->b[3], &run->pure))
        return -1;
    run->hashes = run->b[0].buf;
    run->directory = run->b[1].buf;
    run->ts = run->b[2].buf;
    run->te = run->b[3].buf;
    run->length = run->b[0].len / 4;
    run->at = 0;
    run->shift = shift_of(run->b[1].len / 4 - 1);
    run->keys.held = 0;
    if (run->shift < 0 || run->b[2].len < run->length * 8 || run->b[3].len < run->length * 8)
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

/* ---- pairs ---------------------------------------------------------------------------------- */

/* An element of the batch, and where its candidates are. */
typedef struct {
    int64_t *low, *counts, *mine;
} Found;

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
static Py_ssize_t with_key(const Keys *keys, Py_ssize_t count, Found out) {
    Py_ssize_t kept = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            for (Py_ssize_t k = 0; k < keys->count; k++) SOON(&keys->stored[k][out.low[i + AHEAD]]);
        int same = equal(keys, out.mine[i], out.low[i]);
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
    for (Py_ssize_t i = 0; i < count; i++) {
        Run run;
        if (run_of(list, i, own, &run)) goto end;
        Found out = {(int64_t *)b[4].buf + done, (int64_t *)b[5].buf + done, (int64_t *)b[6].buf + done};
        Py_ssize_t found = find(&run, b[0].buf, b[1].buf, probes, out);
        if (run.pure) found = with_key(&run.keys, found, out);
        totals[i] = 0;
        for (Py_ssize_t j = 0; j < found; j++) totals[i] += out.counts[j];
        ends[i] = done += found;
        done_with_run(&run);
    }
    result = Py_NewRef(Py_None);
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
    const Run *run, const int64_t *begins, const int64_t *ends, Found from,
    Py_ssize_t first, Py_ssize_t last, Pairs out, Py_ssize_t found
) {
    int compared = !run->pure && run->keys.count;
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
            found += ts < te && (!compared || equal(&run->keys, row, at));
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
    for (Py_ssize_t i = 0; i < count; i++) {
        Run run;
        if (run_of(list, i, own, &run)) goto end;
        Py_ssize_t last = ends[i];
        found = meet(&run, b[4].buf, b[5].buf, from, first, last, out, found);
        ends[i] = found;
        first = last;
        done_with_run(&run);
    }
    result = Py_NewRef(Py_None);
end:
    for (int i = 0; i < 10; i++) PyBuffer_Release(&b[i]);
    return result;
}

/* segments(hashes, keys, directory) -> whether elements with equal hashes have equal keys.
 *
 * Fills `directory`, of a power of two of cells: where the hashes of each begin, and the end.
 */
static PyObject *segments(PyObject *self, PyObject *args) {
    Py_buffer hashes, directory;
    PyObject *own, *result = NULL;
    Keys keys;
    if (!PyArg_ParseTuple(args, "y*Ow*", &hashes, &own, &directory)) return NULL;
    Py_ssize_t length = hashes.len / 4, cells = directory.len / 4 - 1, cell = 0;
    int shift = shift_of(cells);
    if (shift < 0 || length > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError, "too many elements, or no directory");
        goto end;
    }
    if (keys_from(own, own, &keys)) goto end;
    const uint32_t *run = hashes.buf;
    int32_t *begins = directory.buf;
    int pure = 1;
    for (cell = 0; cell < cells; cell++) begins[cell] = -1;
    begins[cells] = (int32_t)length;
    for (Py_ssize_t i = length; i-- > 0;) begins[(uint64_t)run[i] >> shift] = (int32_t)i;
    for (cell = cells; cell-- > 0;) begins[cell] = begins[cell] < 0 ? begins[cell + 1] : begins[cell];
    for (Py_ssize_t i = 1; i < length && pure; i++)
        pure = (run[i] != run[i - 1]) | equal(&keys, i, i - 1);
    result = PyBool_FromLong(pure);
    done_with(&keys);
end:
    PyBuffer_Release(&hashes);
    PyBuffer_Release(&directory);
    return result;
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

/* ---- what is not covered yet ---------------------------------------------------------------- */

#define RUNS 64

typedef struct {
    int64_t ts, te;
} Piece;

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
        if (run->at >= run->length || run->hashes[run->at] != hash) continue;
        const int64_t *ts = run->ts, *te = run->te;
        int64_t stop = end_of(run->hashes, run->at, run->length);
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
    for (; taken < count; taken++)
        if (run_of(list, taken, own, &runs[taken])) goto end_keys;
    for (Py_ssize_t i = 0; i < length && !failed;) {
        uint32_t hash = batch.hashes[i];
        for (Py_ssize_t r = 0; r < count; r++)
            runs[r].at = first_of(runs[r].hashes, runs[r].at, runs[r].length, hash);
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
    {"merged", merged, METH_VARARGS, "The order of all runs."},
    {"segments", segments, METH_VARARGS, "Where hashes begin."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_pairs", "Pairs of a run and a batch.", -1, METHODS,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__pairs(void) { return PyModule_Create(&MODULE); }
