/* Groups side by side: their slots, what they hold in them, and the least of it.  See
 * askos/columns/slots.py, least.py and top.py: each function here stands for one there.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define MOST 10
#define DIGIT 11  /* bits that are sorted by at a time */
#define LEVELS 63 /* of lengths */

/* Columns of 64 bits, as many as a function takes. */
typedef struct {
    Py_buffer buffers[MOST];
    int64_t *of[MOST];
    Py_ssize_t lengths[MOST];
    Py_ssize_t count;
} Columns;

static void done_with(Columns *columns) {
    while (columns->count > 0) PyBuffer_Release(&columns->buffers[--columns->count]);
}

/* The last ones, from `written` on, are to be filled. */
static int columns_from(PyObject *given, Py_ssize_t total, Py_ssize_t written, Columns *columns) {
    columns->count = 0;
    if (PyTuple_Size(given) != total) {
        PyErr_SetString(PyExc_TypeError, "not as many columns as it takes");
        return -1;
    }
    for (Py_ssize_t i = 0; i < total; i++) {
        int flags = i < written ? PyBUF_SIMPLE : PyBUF_WRITABLE;
        Py_buffer *buffer = &columns->buffers[i];
        if (PyObject_GetBuffer(PyTuple_GetItem(given, i), buffer, flags)) {
            done_with(columns);
            return -1;
        }
        columns->of[i] = buffer->buf;
        columns->lengths[i] = buffer->len / 8;
        columns->count++;
    }
    return 0;
}

static PyObject *refused(Columns *columns) {
    PyErr_SetString(PyExc_ValueError, "columns of different lengths, or too little room");
    done_with(columns);
    return NULL;
}

static int64_t largest(const int64_t *values, Py_ssize_t count) {
    int64_t most = -1;
    for (Py_ssize_t i = 0; i < count; i++)
        if (values[i] > most) most = values[i];
    return most;
}

/* Whether all are numbers from 0 to below `end`. */
static int within(const int64_t *values, Py_ssize_t count, int64_t end) {
    for (Py_ssize_t i = 0; i < count; i++)
        if (values[i] < 0 || values[i] >= end) return 0;
    return 1;
}

/* ---- the order of time ----------------------------------------------------------------------- */

typedef struct {
    uint64_t time; /* from the first on */
    int64_t row;
} Instant;

/* Sorts by one digit of the time after the other; gives the one of two rooms in which they are then. */
static Instant *sorted(Instant *from, Instant *to, Py_ssize_t count, uint64_t last) {
    for (int shift = 0; shift < 64 && last >> shift; shift += DIGIT) {
        Py_ssize_t next[1 << DIGIT] = {0}, before = 0;
        for (Py_ssize_t i = 0; i < count; i++) next[from[i].time >> shift & ((1 << DIGIT) - 1)]++;
        for (int digit = 0; digit < 1 << DIGIT; digit++) {
            Py_ssize_t here = next[digit];
            next[digit] = before;
            before += here;
        }
        for (Py_ssize_t i = 0; i < count; i++)
            to[next[from[i].time >> shift & ((1 << DIGIT) - 1)]++] = from[i];
        Instant *other = from;
        from = to;
        to = other;
    }
    return from;
}

/* by_time((times, order)) -> whether they come in another order; fills `order` then. */
static PyObject *by_time(PyObject *self, PyObject *args) {
    PyObject *given;
    Columns c;
    if (!PyArg_ParseTuple(args, "O!", &PyTuple_Type, &given)) return NULL;
    if (columns_from(given, 2, 1, &c)) return NULL;
    Py_ssize_t count = c.lengths[0], i = 1;
    const int64_t *times = c.of[0];
    if (c.lengths[1] < count) return refused(&c);
    while (i < count && times[i] >= times[i - 1]) i++;
    if (i >= count) {
        done_with(&c);
        return Py_NewRef(Py_False);
    }
    int64_t first = times[0], last = times[0];
    for (i = 1; i < count; i++) {
        first = times[i] < first ? times[i] : first;
        last = times[i] > last ? times[i] : last;
    }
    Instant *rooms = PyMem_Malloc(2 * (size_t)count * sizeof *rooms);
    if (!rooms) {
        done_with(&c);
        return PyErr_NoMemory();
    }
    for (i = 0; i < count; i++) rooms[i] = (Instant){(uint64_t)times[i] - (uint64_t)first, i};
    const Instant *found = sorted(rooms, rooms + count, count, (uint64_t)last - (uint64_t)first);
    for (i = 0; i < count; i++) c.of[1][i] = found[i].row;
    PyMem_Free(rooms);
    done_with(&c);
    return Py_NewRef(Py_True);
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* slots(cut, (group, times, order, own, ts, te, event, first, last)) -> how many slots there are,
 * and how many groups.
 *
 * `order` is that of the times, or empty where they come so.  Fills the other columns as `Slots`
 * has them, which have room for a slot for each event.  Events are put by group as they come, each
 * behind those before it: so they are in order of group and time.
 */
static PyObject *slots(PyObject *self, PyObject *args) {
    long long cut;
    PyObject *given, *result = NULL;
    Columns c;
    if (!PyArg_ParseTuple(args, "LO!", &cut, &PyTuple_Type, &given)) return NULL;
    if (columns_from(given, 9, 3, &c)) return NULL;
    Py_ssize_t count = c.lengths[0], found = 0;
    for (Py_ssize_t i = 1; i < 9; i++)
        if (c.lengths[i] < count && !(i == 2 && c.lengths[2] == 0)) return refused(&c);
    const int64_t *group = c.of[0], *times = c.of[1], *order = c.lengths[2] ? c.of[2] : NULL;
    int64_t *own = c.of[3], *ts = c.of[4], *te = c.of[5], *event = c.of[6];
    int64_t *first = c.of[7], *last = c.of[8], groups = largest(group, count) + 1;
    if (!within(group, count, count) || (order && !within(order, count, count)))
        return refused(&c);
    int64_t *next = PyMem_Calloc((size_t)groups + 1, 8), *rows = PyMem_Malloc((size_t)count * 8 + 8);
    if (!next || !rows) {
        PyErr_NoMemory();
        goto end;
    }
    for (Py_ssize_t i = 0; i < count; i++) next[group[i] + 1]++;
    for (int64_t g = 0; g < groups; g++) next[g + 1] += next[g];
    for (Py_ssize_t i = 0; i < count; i++) {
        int64_t row = order ? order[i] : i;
        rows[next[group[row]]++] = row;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        int64_t row = rows[i], g = group[row];
        int same = found && own[found - 1] == g;
        if (!same || ts[found - 1] != times[row]) {
            if (same) te[found - 1] = times[row];
            else first[g] = found;
            own[found] = g;
            ts[found] = times[row];
            te[found] = cut;
            last[g] = found++;
        }
        event[row] = found - 1;
    }
    result = Py_BuildValue("nL", found, (long long)groups);
end:
    PyMem_Free(next);
    PyMem_Free(rows);
    done_with(&c);
    return result;
}

/* summed((group, slot, gains, first, held, sums)): what groups hold in every slot.
 *
 * Numbers wrap around as numpy's do.
 */
static PyObject *summed(PyObject *self, PyObject *args) {
    PyObject *given;
    Columns c;
    if (!PyArg_ParseTuple(args, "O!", &PyTuple_Type, &given)) return NULL;
    if (columns_from(given, 6, 5, &c)) return NULL;
    Py_ssize_t count = c.lengths[0], gained = c.lengths[1], known = c.lengths[4];
    const int64_t *group = c.of[0], *slot = c.of[1], *gains = c.of[2], *first = c.of[3];
    const int64_t *held = c.of[4];
    uint64_t *sums = (uint64_t *)c.of[5];
    if (c.lengths[2] < gained || c.lengths[3] < known || c.lengths[5] < count ||
        !within(slot, gained, count) || !within(first, known, count))
        return refused(&c);
    memset(sums, 0, (size_t)count * 8);
    for (Py_ssize_t i = 0; i < known; i++) sums[first[i]] = (uint64_t)held[i];
    for (Py_ssize_t i = 0; i < gained; i++) sums[slot[i]] += (uint64_t)gains[i];
    for (Py_ssize_t i = 1; i < count; i++)
        if (group[i] == group[i - 1]) sums[i] += sums[i - 1];
    done_with(&c);
    return Py_NewRef(Py_None);
}

/* Where the first slot of a group begins at a time or later; behind its last one, if none does. */
static int64_t slot_at(const int64_t *ts, int64_t first, int64_t last, int64_t time) {
    int64_t low = first, high = last + 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (ts[middle] < time) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* ranges(cut, (first, last, ts, group, te, slot, left, right)): the slots in which elements are valid.
 *
 * `slot` is in which the last ones of them start; the others were there before.
 */
static PyObject *ranges(PyObject *self, PyObject *args) {
    long long cut;
    PyObject *given;
    Columns c;
    if (!PyArg_ParseTuple(args, "LO!", &cut, &PyTuple_Type, &given)) return NULL;
    if (columns_from(given, 8, 6, &c)) return NULL;
    Py_ssize_t groups = c.lengths[0], slots = c.lengths[2], count = c.lengths[3];
    const int64_t *first = c.of[0], *last = c.of[1], *ts = c.of[2], *group = c.of[3], *te = c.of[4];
    const int64_t *slot = c.of[5];
    int64_t *left = c.of[6], *right = c.of[7];
    Py_ssize_t before = count - c.lengths[5];
    if (before < 0 || c.lengths[1] < groups || c.lengths[4] < count || c.lengths[6] < count ||
        c.lengths[7] < count || !within(group, count, groups) || !within(first, groups, slots) ||
        !within(last, groups, slots))
        return refused(&c);
    for (Py_ssize_t i = 0; i < count; i++) {
        int64_t g = group[i];
        left[i] = i < before ? first[g] : slot[i - before];
        right[i] = te[i] < cut ? slot_at(ts, first[g], last[g], te[i]) : last[g] + 1;
    }
    done_with(&c);
    return Py_NewRef(Py_None);
}

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

/* The greatest k with 2^k <= length; lengths are positive. */
static int level_of(uint64_t length) {
#if defined(__GNUC__)
    return 63 - __builtin_clzll(length);
#else
    int level = 0;
    while (length >>= 1) level++;
    return level;
#endif
}

/* Ranges by the level of their length, the shortest first: up to where those of each level are in
 * `ends`.  Empty ones are left out. */
static void by_level(
    const int64_t *left, const int64_t *right, Py_ssize_t count, Py_ssize_t *rows, Py_ssize_t *ends
) {
    memset(ends, 0, LEVELS * sizeof *ends);
    for (Py_ssize_t i = 0; i < count; i++)
        if (left[i] < right[i]) ends[level_of((uint64_t)(right[i] - left[i]))]++;
    Py_ssize_t before = 0;
    for (int k = 0; k < LEVELS; k++) {
        Py_ssize_t here = ends[k];
        ends[k] = before;
        before += here;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        if (left[i] < right[i]) rows[ends[level_of((uint64_t)(right[i] - left[i]))]++] = i;
}

/* least(none, (left, right, value, cells)): of each cell the least value of the ranges that hold
 * it, `none` where no range does.
 *
 * By levels, as it is done in numpy.
 */
static PyObject *least(PyObject *self, PyObject *args) {
    long long none;
    PyObject *given;
    Columns c;
    if (!PyArg_ParseTuple(args, "LO!", &none, &PyTuple_Type, &given)) return NULL;
    if (columns_from(given, 4, 3, &c)) return NULL;
    Py_ssize_t count = c.lengths[0], slots = c.lengths[3], ends[LEVELS];
    const int64_t *left = c.of[0], *right = c.of[1], *value = c.of[2];
    int64_t *cells = c.of[3];
    if (c.lengths[1] < count || c.lengths[2] < count || !within(left, count, slots + 1) ||
        !within(right, count, slots + 1))
        return refused(&c);
    Py_ssize_t *rows = PyMem_Malloc((size_t)count * sizeof *rows + 1);
    if (!rows) {
        done_with(&c);
        return PyErr_NoMemory();
    }
    by_level(left, right, count, rows, ends);
    for (Py_ssize_t i = 0; i < slots; i++) cells[i] = none;
    int level = LEVELS - 1;
    while (level > 0 && ends[level] == ends[level - 1]) level--;
    for (; level >= 0; level--) { /* a cell stands for as many from it on */
        Py_ssize_t size = (Py_ssize_t)1 << level, half = size / 2;
        for (Py_ssize_t j = level ? ends[level - 1] : 0; j < ends[level]; j++) {
            Py_ssize_t row = rows[j], begin = left[row], end = right[row] - size;
            cells[begin] = lesser(cells[begin], value[row]);
            cells[end] = lesser(cells[end], value[row]);
        }
        for (Py_ssize_t i = slots - 1; half && i >= half; i--)
            cells[i] = lesser(cells[i], cells[i - half]);
    }
    PyMem_Free(rows);
    done_with(&c);
    return Py_NewRef(Py_None);
}

/* can_be_least(cut, (group, te, value, order, kept)): which elements may become the least of their
 * group after the cut.
 *
 * `order` is that of their ends, or empty where they come so.  Whoever ends last is looked at first,
 * and stays if it is less than all that end later; of those that end together, only the least does,
 * and of equal ones the first.
 */
static PyObject *can_be_least(PyObject *self, PyObject *args) {
    long long cut;
    PyObject *given;
    Columns c;
    if (!PyArg_ParseTuple(args, "LO!", &cut, &PyTuple_Type, &given)) return NULL;
    if (columns_from(given, 5, 4, &c)) return NULL;
    Py_ssize_t count = c.lengths[0];
    const int64_t *group = c.of[0], *te = c.of[1], *value = c.of[2];
    const int64_t *order = c.lengths[3] ? c.of[3] : NULL;
    uint8_t *kept = c.buffers[4].buf;
    if (c.lengths[1] < count || c.lengths[2] < count || (order && c.lengths[3] < count) ||
        c.buffers[4].len < count || (order && !within(order, count, count)))
        return refused(&c);
    int64_t groups = largest(group, count) + 1;
    if (!within(group, count, groups)) return refused(&c);
    int64_t *best = PyMem_Malloc((size_t)groups * 8 + 8); /* who stays of a group, the last so far */
    if (!best) {
        done_with(&c);
        return PyErr_NoMemory();
    }
    for (int64_t g = 0; g < groups; g++) best[g] = -1;
    memset(kept, 0, (size_t)count);
    for (Py_ssize_t i = count; i-- > 0;) {
        int64_t row = order ? order[i] : i, before = best[group[row]];
        if (te[row] <= cut) break; /* as all have that end earlier */
        if (before >= 0) {
            int together = te[before] == te[row];
            if (value[row] > value[before] || (!together && value[row] == value[before])) continue;
            if (together) kept[before] = 0;
        }
        kept[row] = 1;
        best[group[row]] = row;
    }
    PyMem_Free(best);
    done_with(&c);
    return Py_NewRef(Py_None);
}

/* Fenwick's tree: how many of the first ranks are valid. */
static void count_in(int64_t *tree, int64_t size, int64_t rank, int64_t sign) {
    for (int64_t i = rank + 1; i <= size; i += i & -i) tree[i] += sign;
}

/* The rank in place `wanted`, from 1 on; there are so many. */
static int64_t in_place(const int64_t *tree, int64_t size, int64_t wanted) {
    int64_t at = 0;
    for (int64_t step = size; step; step /= 2)
        if (at + step <= size && tree[at + step] < wanted) {
            at += step;
            wanted -= tree[at];
        }
    return at;
}

/* kth_valid(places, none, (rank, sign, first, found)): after each event the rank in that place among
 * the valid ones of its group, `none` if they are fewer.
 *
 * A walk up a tree and one down for each event; what a group leaves in the tree, its end takes out.
 */
static PyObject *kth_valid(PyObject *self, PyObject *args) {
    long long places, none;
    PyObject *given;
    Columns c;
    if (!PyArg_ParseTuple(args, "LLO!", &places, &none, &PyTuple_Type, &given)) return NULL;
    if (columns_from(given, 4, 3, &c)) return NULL;
    Py_ssize_t count = c.lengths[0], begin = 0;
    const int64_t *rank = c.of[0], *sign = c.of[1];
    const uint8_t *first = c.buffers[2].buf;
    int64_t *found = c.of[3], size = 1, valid = 0, most = largest(rank, count);
    if (c.lengths[1] < count || c.buffers[2].len < count || c.lengths[3] < count ||
        most >= PY_SSIZE_T_MAX / 32 || !within(rank, count, most + 1))
        return refused(&c);
    while (size < most + 1) size *= 2;
    int64_t *tree = PyMem_Calloc((size_t)size + 1, 8);
    if (!tree) {
        done_with(&c);
        return PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        for (; first[i] && begin < i; begin++) count_in(tree, size, rank[begin], -sign[begin]);
        valid = first[i] ? sign[i] : valid + sign[i];
        count_in(tree, size, rank[i], sign[i]);
        found[i] = valid >= places ? in_place(tree, size, places) : none;
    }
    PyMem_Free(tree);
    done_with(&c);
    return Py_NewRef(Py_None);
}

static PyMethodDef METHODS[] = {
    {"by_time", by_time, METH_VARARGS, "The order of time."},
    {"slots", slots, METH_VARARGS, "The stretches of time on which groups stay as they are."},
    {"summed", summed, METH_VARARGS, "What groups hold in every slot."},
    {"ranges", ranges, METH_VARARGS, "The slots in which elements are valid."},
    {"least", least, METH_VARARGS, "The least value of every slot."},
    {"can_be_least", can_be_least, METH_VARARGS, "Who may still become the least."},
    {"kth_valid", kth_valid, METH_VARARGS, "The rank in a place, after each event."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_groups", "Groups side by side.", -1, METHODS, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__groups(void) { return PyModule_Create(&MODULE); }
