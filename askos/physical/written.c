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
    Py_buffer all[3 * COLUMNS + 2];
    Py_ssize_t count;
} Held;

static void done_with(Held *held) {
    while (held->count > 0) PyBuffer_Release(&held->all[--held->count]);
}

static int refuse(void) {
    PyErr_SetString(PyExc_ValueError, "columns of different lengths");
    return -1;
}

/* The numbers of item `i` of a sequence; NULL where it is None, or, with an error, where they are
 * fewer than `least`. */
static int64_t *numbers(Held *held, PyObject *list, Py_ssize_t i, Py_ssize_t least, int flags) {
    PyObject *one = PySequence_GetItem(list, i);
    if (!one) return NULL;
    Py_buffer *buffer = &held->all[held->count];
    int found = one != Py_None && !PyObject_GetBuffer(one, buffer, flags);
    Py_DECREF(one);
    if (!found) return NULL;
    held->count++;
    if (buffer->len < least * 8) return refuse(), NULL;
    return buffer->buf;
}

/* Both sides of pairs: their intervals, and which row each pair has. */
typedef struct {
    Held held;
    const int64_t *ts[2], *te[2], *rows[2];
    Py_ssize_t count, length[2];
} Pairs;

/* From (rows, ts, te, partners, their ts, their te); row numbers are taken as they are. */
static int pairs_from(PyObject *given, Pairs *pairs) {
    Held *held = &pairs->held;
    for (int side = 0; side < 2; side++) {
        Py_ssize_t at = 3 * side;
        pairs->rows[side] = numbers(held, given, at, side ? pairs->count : 0, PyBUF_SIMPLE);
        if (pairs->rows[side] && !side) pairs->count = held->all[held->count - 1].len / 8;
        if (PyErr_Occurred()) return -1;
        pairs->ts[side] = numbers(held, given, at + 1, 0, PyBUF_SIMPLE);
        if (pairs->ts[side]) pairs->length[side] = held->all[held->count - 1].len / 8;
        if (PyErr_Occurred()) return -1;
        pairs->te[side] = numbers(held, given, at + 2, pairs->length[side], PyBUF_SIMPLE);
        if (PyErr_Occurred()) return -1;
        if (!pairs->rows[side] || !pairs->ts[side] || !pairs->te[side]) return refuse();
    }
    return 0;
}

static inline int64_t start_of(const Pairs *pairs, Py_ssize_t i) {
    int64_t a = pairs->ts[0][pairs->rows[0][i]], b = pairs->ts[1][pairs->rows[1][i]];
    return a > b ? a : b;
}

static inline int64_t end_of(const Pairs *pairs, Py_ssize_t i) {
    int64_t a = pairs->te[0][pairs->rows[0][i]], b = pairs->te[1][pairs->rows[1][i]];
    return a < b ? a : b;
}

/* starts(pairs, starts) -> the first and the last of them; fills `starts`. */
static PyObject *starts(PyObject *self, PyObject *args) {
    PyObject *given, *result = NULL;
    Py_buffer made;
    Pairs pairs = {0};
    if (!PyArg_ParseTuple(args, "Ow*", &given, &made)) return NULL;
    if (pairs_from(given, &pairs) || (made.len < pairs.count * 8 && refuse())) goto end;
    int64_t *found = made.buf, first = INT64_MAX, last = INT64_MIN;
    for (Py_ssize_t i = 0; i < pairs.count; i++) {
        int64_t start = found[i] = start_of(&pairs, i);
        first = start < first ? start : first;
        last = start > last ? start : last;
    }
    result = Py_BuildValue("LL", (long long)first, (long long)last);
end:
    done_with(&pairs.held);
    PyBuffer_Release(&made);
    return result;
}

/* reached(pairs, marks, decided, until, whole): moves `until` of each left row to the last end of its
 * pairs, and sets `whole` where one pair lasts from the row's mark to what is decided of it. */
static PyObject *reached(PyObject *self, PyObject *args) {
    PyObject *given, *result = NULL;
    Py_buffer b[4];
    Pairs pairs = {0};
    if (!PyArg_ParseTuple(args, "Oy*y*w*w*", &given, &b[0], &b[1], &b[2], &b[3])) return NULL;
    if (pairs_from(given, &pairs)) goto end;
    if (b[0].len < pairs.length[0] * 8 || b[1].len < b[0].len || b[2].len < b[0].len ||
        b[3].len < b[0].len / 8) {
        refuse();
        goto end;
    }
    const int64_t *mark = b[0].buf, *decided = b[1].buf;
    int64_t *until = b[2].buf;
    char *whole = b[3].buf;
    for (Py_ssize_t i = 0; i < pairs.count; i++) {
        int64_t row = pairs.rows[0][i], start = start_of(&pairs, i), end = end_of(&pairs, i);
        if (until[row] < end) until[row] = end; /* seldom: most of a row's pairs need not wait */
        if (!whole[row] && start <= mark[row] && end >= decided[row]) whole[row] = 1;
    }
    result = Py_NewRef(Py_None);
end:
    done_with(&pairs.held);
    for (int i = 0; i < 4; i++) PyBuffer_Release(&b[i]);
    return result;
}

/* count(times, first, counts): adds to `counts` how many times there are of each instant, the instant
 * `first` being the first one. */
static PyObject *count_times(PyObject *self, PyObject *args) {
    PyObject *result = NULL;
    Py_buffer times, counts;
    long long first;
    if (!PyArg_ParseTuple(args, "y*Lw*", &times, &first, &counts)) return NULL;
    const int64_t *time = times.buf;
    int64_t *found = counts.buf;
    Py_ssize_t length = times.len / 8, instants = counts.len / 8;
    for (Py_ssize_t i = 0; i < length; i++) {
        int64_t instant = time[i] - first;
        if (instant < 0 || instant >= instants) {
            PyErr_SetString(PyExc_ValueError, "a time for which there is no room");
            goto end;
        }
        found[instant]++;
    }
    result = Py_NewRef(Py_None);
end:
    PyBuffer_Release(&times);
    PyBuffer_Release(&counts);
    return result;
}

/* The columns that are made, and for each the one of the left side and the one of the right. */
typedef struct {
    const int64_t *left[COLUMNS], *right[COLUMNS];
    int64_t *made[COLUMNS];
    Py_ssize_t count;
} Columns;

static int columns_from(PyObject *lefts, PyObject *rights, PyObject *targets, Py_ssize_t room,
                        Held *held, Columns *columns) {
    columns->count = PySequence_Size(targets);
    if (columns->count < 0) return -1;
    if (columns->count > COLUMNS || PySequence_Size(lefts) != columns->count ||
        PySequence_Size(rights) != columns->count)
        return refuse();
    for (Py_ssize_t i = 0; i < columns->count; i++) {
        columns->left[i] = numbers(held, lefts, i, 0, PyBUF_SIMPLE);
        columns->right[i] = numbers(held, rights, i, 0, PyBUF_SIMPLE);
        columns->made[i] = numbers(held, targets, i, room, PyBUF_WRITABLE);
        if (PyErr_Occurred()) return -1;
    }
    return 0;
}

/* Some pairs of one column: the left value, and where that is 0 or there is none the right one. */
static void write_column(int64_t *made, const int64_t *left, const int64_t *right, const int64_t *mine,
                         const int64_t *theirs, const int64_t *place, Py_ssize_t count) {
    if (left && right)
        for (Py_ssize_t i = 0; i < count; i++)
            made[place[i]] = left[mine[i]] ? left[mine[i]] : right[theirs[i]];
    else if (left)
        for (Py_ssize_t i = 0; i < count; i++) made[place[i]] = left[mine[i]];
    else if (right)
        for (Py_ssize_t i = 0; i < count; i++) made[place[i]] = right[theirs[i]];
    else
        for (Py_ssize_t i = 0; i < count; i++) made[place[i]] = 0;
}

/* write(pairs, starts, times, first, next, lefts, rights, ts, te, made): puts each pair at the next
 * place of its time, `next[time - first]`, which moves on.
 *
 * `lefts` and `rights` are the columns of both sides, None where one has none.  Times are the starts,
 * or any numbers that order like them; places are taken as they are.
 */
static PyObject *write_pairs(PyObject *self, PyObject *args) {
    PyObject *given, *lefts, *rights, *targets, *result = NULL;
    Py_buffer b[5];
    Held held = {.count = 0};
    Columns columns;
    Pairs pairs = {0};
    long long first;
    if (!PyArg_ParseTuple(
            args, "Oy*y*Lw*OOw*w*O", &given, &b[0], &b[1], &first, &b[2], &lefts, &rights, &b[3],
            &b[4], &targets))
        return NULL;
    if (pairs_from(given, &pairs)) goto end;
    if (b[0].len < pairs.count * 8 || b[1].len < pairs.count * 8 || b[4].len < b[3].len) refuse();
    if (PyErr_Occurred() || columns_from(lefts, rights, targets, b[3].len / 8, &held, &columns))
        goto end;
    const int64_t *start = b[0].buf, *time = b[1].buf;
    int64_t place[CHUNK], *next = b[2].buf, *from = b[3].buf, *to = b[4].buf;
    for (Py_ssize_t begin = 0; begin < pairs.count; begin += CHUNK) {
        Py_ssize_t some = pairs.count - begin < CHUNK ? pairs.count - begin : CHUNK;
        const int64_t *mine = pairs.rows[0] + begin, *theirs = pairs.rows[1] + begin;
        for (Py_ssize_t i = 0; i < some; i++) place[i] = next[time[begin + i] - first]++;
        for (Py_ssize_t i = 0; i < some; i++) from[place[i]] = start[begin + i];
        for (Py_ssize_t i = 0; i < some; i++) to[place[i]] = end_of(&pairs, begin + i);
        for (Py_ssize_t i = 0; i < columns.count; i++)
            write_column(columns.made[i], columns.left[i], columns.right[i], mine, theirs, place, some);
    }
    result = Py_NewRef(Py_None);
end:
    done_with(&held);
    done_with(&pairs.held);
    for (int i = 0; i < 5; i++) PyBuffer_Release(&b[i]);
    return result;
}

static PyMethodDef METHODS[] = {
    {"starts", starts, METH_VARARGS, "When pairs begin."},
    {"reached", reached, METH_VARARGS, "Up to when left rows have pairs."},
    {"count", count_times, METH_VARARGS, "How many times there are of each instant."},
    {"write", write_pairs, METH_VARARGS, "Pairs as columns."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_written", "Pairs of rows, as columns.", -1, METHODS,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__written(void) { return PyModule_Create(&MODULE); }
