/* Groups side by side: their slots, what they hold in them, and the least of it.  See
 * askos/columns/slots.py, least.py and top.py: each function here stands for one there.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <string.h>

#define MOST 10

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

static void lower(int64_t *cell, int64_t value) {
    if (value < *cell) *cell = value;
}

/* least(none, (left, right, value, cells)): of each cell the least value of the ranges that hold
 * it, `none` where no range does.
 *
 * By levels, as it is done in numpy; ranges are looked through for each level that there is.
 */
static PyObject *least(PyObject *self, PyObject *args) {
    long long none;
    PyObject *given;
    Columns c;
    if (!PyArg_ParseTuple(args, "LO!", &none, &PyTuple_Type, &given)) return NULL;
    if (columns_from(given, 4, 3, &c)) return NULL;
    Py_ssize_t count = c.lengths[0], slots = c.lengths[3];
    const int64_t *left = c.of[0], *right = c.of[1], *value = c.of[2];
    int64_t *cells = c.of[3], longest = 0;
    if (c.lengths[1] < count || c.lengths[2] < count || !within(left, count, slots + 1) ||
        !within(right, count, slots + 1))
        return refused(&c);
    for (Py_ssize_t i = 0; i < slots; i++) cells[i] = none;
    for (Py_ssize_t i = 0; i < count; i++)
        if (right[i] - left[i] > longest) longest = right[i] - left[i];
    int64_t size = 1;
    while (size * 2 <= longest) size *= 2;
    for (; size && longest; size /= 2) { /* a cell stands for as many from it on */
        for (Py_ssize_t i = 0; i < count; i++) {
            int64_t length = right[i] - left[i];
            if (length < size || length >= 2 * size) continue;
            lower(&cells[left[i]], value[i]);
            lower(&cells[right[i] - size], value[i]);
        }
        for (Py_ssize_t i = slots - 1, half = size / 2; half && i >= half; i--)
            lower(&cells[i], cells[i - half]);
    }
    done_with(&c);
    return Py_NewRef(Py_None);
}

/* can_be_least((group, te, value, order, kept)): which elements may become the least of their group.
 *
 * `order` is that of their ends, or empty where they come so.  Whoever ends last is looked at first,
 * and stays if it is less than all that end later; of those that end together, only the least does,
 * and of equal ones the first.
 */
static PyObject *can_be_least(PyObject *self, PyObject *args) {
    PyObject *given;
    Columns c;
    if (!PyArg_ParseTuple(args, "O!", &PyTuple_Type, &given)) return NULL;
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
    {"slots", slots, METH_VARARGS, "The stretches of time on which groups stay as they are."},
    {"summed", summed, METH_VARARGS, "What groups hold in every slot."},
    {"least", least, METH_VARARGS, "The least value of every slot."},
    {"can_be_least", can_be_least, METH_VARARGS, "Who may still become the least."},
    {"kth_valid", kth_valid, METH_VARARGS, "The rank in a place, after each event."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_groups", "Groups side by side.", -1, METHODS, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__groups(void) { return PyModule_Create(&MODULE); }
