/* Pairs of rows, written as columns.  See askos/physical/written.py: each function here stands for
 * one there.
 *
 * A pair is a row of a left batch and a row of a right one, told by two columns of row numbers.  It
 * is valid while both are.  Partners of one row lie side by side, so what looks like jumping about is
 * mostly going on; and each value is written once, where it belongs.
 */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>

#define COLUMNS 64
#define CHUNK 512 /* pairs, whose row numbers stay at hand while column after column is written */

/* Buffers that were asked for, and are given back together. */
typedef struct {
    Py_buffer all[2 * COLUMNS + 16];
    Py_ssize_t count;
} Held;

static void done_with(Held *held) {
    while (held->count > 0) PyBuffer_Release(&held->all[--held->count]);
}

/* The numbers in item `i` of a sequence, NULL where it is None or, with an error, where there are
 * fewer than `least`; `made`: they are to be written. */
static int64_t *numbers(Held *held, PyObject *list, Py_ssize_t i, Py_ssize_t least, int made) {
    PyObject *one = PySequence_GetItem(list, i);
    if (!one) return NULL;
    Py_buffer *buffer = &held->all[held->count];
    int none = one == Py_None;
    int failed = !none && PyObject_GetBuffer(one, buffer, made ? PyBUF_WRITABLE : PyBUF_SIMPLE);
    Py_DECREF(one);
    if (none || failed) return NULL;
    held->count++;
    if (buffer->len >= least * 8) return buffer->buf;
    PyErr_SetString(PyExc_ValueError, "columns of different lengths");
    return NULL;
}

/* Both sides of pairs: intervals, and which row each pair has. */
typedef struct {
    const int64_t *ts[2], *te[2], *rows[2];
    Py_ssize_t count, length[2];
} Pairs;

/* pairs: (ts, te, rows, ts, te, rows), left and right; every row number must be one. */
static int pairs_from(Held *held, PyObject *given, Pairs *pairs) {
    for (int side = 0; side < 2; side++) {
        Py_ssize_t at = 3 * side;
        if (!(pairs->ts[side] = numbers(held, given, at, 0, 0))) goto wrong;
        pairs->length[side] = held->all[held->count - 1].len / 8;
        if (!(pairs->te[side] = numbers(held, given, at + 1, pairs->length[side], 0))) goto wrong;
        if (!(pairs->rows[side] = numbers(held, given, at + 2, side ? pairs->count : 0, 0))) goto wrong;
        if (!side) pairs->count = held->all[held->count - 1].len / 8;
    }
    return 0;
wrong:
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "columns of different lengths");
    return -1;
}

static inline int64_t start_of(const Pairs *pairs, Py_ssize_t i) {
    int64_t a = pairs->ts[0][pairs->rows[0][i]], b = pairs->ts[1][pairs->rows[1][i]];
    return a > b ? a : b;
}

static inline int64_t end_of(const Pairs *pairs, Py_ssize_t i) {
    int64_t a = pairs->te[0][pairs->rows[0][i]], b = pairs->te[1][pairs->rows[1][i]];
    return a < b ? a : b;
}

/* starts(pairs, starts) -> the first and the last; fills `starts`. */
static PyObject *starts(PyObject *self, PyObject *args) {
    PyObject *given, *result = NULL;
    Py_buffer made;
    Held held = {.count = 0};
    Pairs pairs;
    if (!PyArg_ParseTuple(args, "Ow*", &given, &made)) return NULL;
    if (pairs_from(&held, given, &pairs)) goto end;
    if (made.len < pairs.count * 8) {
        PyErr_SetString(PyExc_ValueError, "columns of different lengths");
        goto end;
    }
    int64_t *found = made.buf, first = INT64_MAX, last = INT64_MIN;
    for (Py_ssize_t i = 0; i < pairs.count; i++) {
        int64_t start = found[i] = start_of(&pairs, i);
        if (start < first) first = start;
        if (start > last) last = start;
    }
    result = Py_BuildValue("LL", (long long)first, (long long)last);
end:
    done_with(&held);
    PyBuffer_Release(&made);
    return result;
}

/* places(times, first, room): where each belongs in the stable order of time, written over it.
 *
 * `room` are zeros, one more than there are instants from `first` to the last: it is counted how many
 * there are of each.
 */
static PyObject *places(PyObject *self, PyObject *args) {
    PyObject *result = NULL;
    Py_buffer made, room;
    long long first;
    if (!PyArg_ParseTuple(args, "w*Lw*", &made, &first, &room)) return NULL;
    int64_t *time = made.buf, *next = room.buf;
    Py_ssize_t count = made.len / 8, instants = room.len / 8 - 1;
    for (Py_ssize_t i = 0; i < count; i++) {
        int64_t instant = time[i] - first;
        if (instant < 0 || instant >= instants) {
            PyErr_SetString(PyExc_ValueError, "a time for which there is no room");
            goto end;
        }
        next[instant + 1]++;
    }
    for (Py_ssize_t i = 0; i < instants; i++) next[i + 1] += next[i];
    for (Py_ssize_t i = 0; i < count; i++) time[i] = next[time[i] - first]++;
    result = Py_NewRef(Py_None);
end:
    PyBuffer_Release(&made);
    PyBuffer_Release(&room);
    return result;
}

/* write(pairs, columns, places, made): puts every pair where `places` says.
 *
 * `columns` are two for each one that is made: that of the left side and that of the right one.
 * Where there are both, the left one's value goes first, unless it is 0; where there is none, all are
 * 0.  `made` are ts, te and columns.
 */
static PyObject *write_pairs(PyObject *self, PyObject *args) {
    PyObject *given, *sources, *targets, *result = NULL;
    Py_buffer where;
    Held held = {.count = 0}, out = {.count = 0};
    Pairs pairs;
    const int64_t *from[2 * COLUMNS];
    int64_t *to[COLUMNS + 2];
    if (!PyArg_ParseTuple(args, "OOy*O", &given, &sources, &where, &targets)) return NULL;
    Py_ssize_t count = PySequence_Size(targets) - 2;
    if (PyErr_Occurred() || pairs_from(&held, given, &pairs)) goto end;
    if (count < 0 || count > COLUMNS || PySequence_Size(sources) != 2 * count ||
        where.len < pairs.count * 8) {
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "columns of different lengths");
        goto end;
    }
    for (Py_ssize_t i = 0; i < 2 * count; i++) {
        from[i] = numbers(&held, sources, i, pairs.length[i % 2], 0);
        if (PyErr_Occurred()) goto end;
    }
    for (Py_ssize_t i = 0; i < count + 2; i++) {
        to[i] = numbers(&out, targets, i, i ? out.all[0].len / 8 : 0, 1);
        if (PyErr_Occurred()) goto end;
    }
    for (Py_ssize_t begin = 0; begin < pairs.count; begin += CHUNK) {
        Py_ssize_t end = begin + CHUNK < pairs.count ? begin + CHUNK : pairs.count;
        const int64_t *place = where.buf, *mine = pairs.rows[0], *theirs = pairs.rows[1];
        for (Py_ssize_t i = begin; i < end; i++) to[0][place[i]] = start_of(&pairs, i);
        for (Py_ssize_t i = begin; i < end; i++) to[1][place[i]] = end_of(&pairs, i);
        for (Py_ssize_t column = 0; column < count; column++) {
            const int64_t *left = from[2 * column], *right = from[2 * column + 1];
            int64_t *made = to[column + 2];
            if (left && right)
                for (Py_ssize_t i = begin; i < end; i++)
                    made[place[i]] = left[mine[i]] ? left[mine[i]] : right[theirs[i]];
            else if (left)
                for (Py_ssize_t i = begin; i < end; i++) made[place[i]] = left[mine[i]];
            else if (right)
                for (Py_ssize_t i = begin; i < end; i++) made[place[i]] = right[theirs[i]];
            else
                for (Py_ssize_t i = begin; i < end; i++) made[place[i]] = 0;
        }
    }
    result = Py_NewRef(Py_None);
end:
    done_with(&held);
    done_with(&out);
    PyBuffer_Release(&where);
    return result;
}

/* reached(pairs, marks, decided, until, whole): moves `until` of each left row to the last end of its
 * pairs, and sets `whole` where one pair lasts from the row's mark to what is decided of it.
 */
static PyObject *reached(PyObject *self, PyObject *args) {
    PyObject *given, *result = NULL;
    Py_buffer b[4];
    Held held = {.count = 0};
    Pairs pairs;
    if (!PyArg_ParseTuple(args, "Oy*y*w*w*", &given, &b[0], &b[1], &b[2], &b[3])) return NULL;
    if (pairs_from(&held, given, &pairs)) goto end;
    if (b[0].len < pairs.length[0] * 8 || b[1].len < b[0].len || b[2].len < b[0].len ||
        b[3].len < b[0].len / 8) {
        PyErr_SetString(PyExc_ValueError, "columns of different lengths");
        goto end;
    }
    const int64_t *mark = b[0].buf, *decided = b[1].buf;
    int64_t *until = b[2].buf;
    char *whole = b[3].buf;
    for (Py_ssize_t i = 0; i < pairs.count; i++) {
        int64_t row = pairs.rows[0][i], start = start_of(&pairs, i), end = end_of(&pairs, i);
        if (until[row] < end) until[row] = end;
        whole[row] |= start <= mark[row] && end >= decided[row];
    }
    result = Py_NewRef(Py_None);
end:
    done_with(&held);
    for (int i = 0; i < 4; i++) PyBuffer_Release(&b[i]);
    return result;
}

static PyMethodDef METHODS[] = {
    {"starts", starts, METH_VARARGS, "When pairs begin."},
    {"places", places, METH_VARARGS, "Where times belong in their order."},
    {"write", write_pairs, METH_VARARGS, "Pairs as columns."},
    {"reached", reached, METH_VARARGS, "Up to when left rows have pairs."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_written", "Pairs of rows, as columns.", -1, METHODS,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__written(void) { return PyModule_Create(&MODULE); }
