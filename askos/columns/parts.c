/* Parts of dictionaries: ids in order, and the text of each.  See askos/columns/dictionary.py. */
#include "terms.h"

#define DIGIT 11 /* bits that are sorted by at a time */
#define PASSES 6 /* so many times: an id has at most 63 bits, and the first bit of a hash is 0 */

typedef struct {
    int64_t id;
    Py_ssize_t row;
} Entry;

static inline size_t digit_of(int64_t id, int pass) {
    return (size_t)((uint64_t)id >> (DIGIT * pass)) & ((1 << DIGIT) - 1);
}

/* Sorts entries by id, equal ones in the order of their rows; gives the one of two rooms in which
 * they are then.  A digit that all have in common costs nothing. */
static Entry *sorted(Entry *from, Entry *to, Py_ssize_t count, Py_ssize_t (*counts)[1 << DIGIT]) {
    for (Py_ssize_t i = 0; i < count; i++)
        for (int pass = 0; pass < PASSES; pass++) counts[pass][digit_of(from[i].id, pass)]++;
    for (int pass = 0; pass < PASSES; pass++) {
        Py_ssize_t *next = counts[pass], before = 0;
        if (next[digit_of(from[0].id, pass)] == count) continue;
        for (int i = 0; i < 1 << DIGIT; i++) {
            Py_ssize_t here = next[i];
            next[i] = before;
            before += here;
        }
        for (Py_ssize_t i = 0; i < count; i++) to[next[digit_of(from[i].id, pass)]++] = from[i];
        Entry *other = from;
        from = to;
        to = other;
    }
    return from;
}

/* part(ids, texts, ascending, offsets) -> (bytes of the texts, how many they are); or None, where one
 * id has two texts.
 *
 * Fills `ascending`, the ids in order, each once, and `offsets`.  Ids are above 0.
 */
static PyObject *part(PyObject *self, PyObject *args) {
    Py_buffer given, out, borders;
    PyObject *list, *result = NULL, *bytes = NULL;
    Texts texts;
    if (!PyArg_ParseTuple(args, "y*Ow*w*", &given, &list, &out, &borders)) return NULL;
    Py_ssize_t count = given.len / 8, found = 0;
    Entry *rooms = NULL;
    Py_ssize_t(*counts)[1 << DIGIT] = NULL;
    if (texts_from(list, &texts)) goto end;
    if (!count || texts.count < count || out.len < count * 8 || borders.len < (count + 1) * 4) {
        PyErr_SetString(PyExc_ValueError, "columns of different lengths, or too little room");
        goto end_texts;
    }
    rooms = PyMem_Malloc(2 * (size_t)count * sizeof *rooms);
    counts = PyMem_Calloc(PASSES, sizeof *counts);
    bytes = PyBytes_FromStringAndSize(NULL, texts.at[count] - texts.at[0]);
    if (!rooms || !counts || !bytes) {
        PyErr_NoMemory();
        goto end_texts;
    }
    const int64_t *ids = given.buf;
    int64_t *ascending = out.buf;
    int32_t *offsets = borders.buf, used = 0;
    char *data = PyBytes_AsString(bytes);
    for (Py_ssize_t i = 0; i < count; i++) rooms[i] = (Entry){ids[i], i};
    const Entry *in_order = sorted(rooms, rooms + count, count, counts);
    for (Py_ssize_t i = 0; i < count; i++) {
        Entry each = in_order[i];
        if (i && in_order[i - 1].id == each.id) {
            if (same_text(&texts, in_order[i - 1].row, &texts, each.row)) continue;
            result = Py_NewRef(Py_None);
            goto end_texts;
        }
        int32_t size = texts.at[each.row + 1] - texts.at[each.row];
        memcpy(data + used, texts.data + texts.at[each.row], (size_t)size);
        ascending[found] = each.id;
        offsets[found++] = used;
        used += size;
    }
    offsets[found] = used;
    if (used < PyBytes_Size(bytes) && _PyBytes_Resize(&bytes, used)) goto end_texts;
    result = Py_BuildValue("On", bytes, found);
end_texts:
    done_with(&texts);
end:
    Py_XDECREF(bytes);
    PyMem_Free(rooms);
    PyMem_Free(counts);
    PyBuffer_Release(&given);
    PyBuffer_Release(&out);
    PyBuffer_Release(&borders);
    return result;
}

static PyMethodDef METHODS[] = {
    {"part", part, METH_VARARGS, "Ids in order, and their texts."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_parts", "Parts of dictionaries.", -1, METHODS, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__parts(void) { return PyModule_Create(&MODULE); }
