/* Terms, between their N-Triples texts and their ids: what reading.c and writing.c have in common.
 *
 * askos.columns.ids, coder and dictionary say what ids are, in arrays of numpy and Arrow.  Those are
 * quick with columns of numbers and slow with characters, for which C needs one pass.  Whatever is
 * compiled is there too, gives the same, and is what runs where this was not compiled.
 *
 * Columns come as the buffers they have: offsets of int32, bytes, ids of int64.
 */
#ifndef ASKOS_TERMS_H
#define ASKOS_TERMS_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <string.h>

/* ---- ids: see askos/columns/ids.py ---------------------------------------------------------- */

enum { INTEGER = 1, DECIMAL, DOUBLE, FLOAT, BOOLEAN, MOMENT, LOCAL_MOMENT };

#define INLINE_BIT ((int64_t)1 << 62)
#define BIAS ((int64_t)1 << 50)
#define KIND 58
#define DIGITS 54
#define XSD "http://www.w3.org/2001/XMLSchema#"

typedef struct {
    const char *name;
    int size, kind;
} Datatype;

#define TYPE(name, kind) {XSD name, sizeof(XSD name) - 1, kind}
static const Datatype DATATYPES[] = {
    TYPE("integer", INTEGER), TYPE("decimal", DECIMAL), TYPE("double", DOUBLE),
    TYPE("float", FLOAT),     TYPE("boolean", BOOLEAN), TYPE("dateTime", MOMENT),
};

static inline int64_t packed(int kind, int digits, int64_t value) {
    return INLINE_BIT + ((int64_t)kind << KIND) + ((int64_t)digits << DIGITS) + BIAS + value;
}

static inline int is_digit(unsigned char c) { return c >= '0' && c <= '9'; }

/* ---- days, by the proleptic Gregorian calendar ---------------------------------------------- */

/* Days from 1970-01-01; years are counted from March on, so that leap days come last. */
static inline int64_t days_of(int64_t year, int month, int day) {
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static inline void date_of(int64_t days, int *year, int *month, int *day) {
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097, of_era = days - era * 146097;
    int64_t years = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * years + years / 4 - years / 100);
    int64_t from_march = (5 * of_year + 2) / 153;
    *day = (int)(of_year - (153 * from_march + 2) / 5 + 1);
    *month = (int)(from_march < 10 ? from_march + 3 : from_march - 9);
    *year = (int)(years + era * 400 + (*month <= 2));
}

/* ---- hashes: SipHash-2-4, then mixed as pandas.util.hash_array does -------------------------- */

#define ROTATED(x, b) (((x) << (b)) | ((x) >> (64 - (b))))
#define ROUND                                                                                      \
    v0 += v1, v1 = ROTATED(v1, 13) ^ v0, v0 = ROTATED(v0, 32);                                     \
    v2 += v3, v3 = ROTATED(v3, 16) ^ v2;                                                           \
    v0 += v3, v3 = ROTATED(v3, 21) ^ v0;                                                           \
    v2 += v1, v1 = ROTATED(v1, 17) ^ v2, v2 = ROTATED(v2, 32);

/* The first bytes as a number, the first of them the lowest, whatever the machine's own order. */
static inline uint64_t low_bytes(const unsigned char *at, int count) {
    uint64_t value = 0;
    for (int i = 0; i < count; i++) value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static inline uint64_t word(const unsigned char *at) { /* one load, where the order is the machine's own */
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
           (uint64_t)at[7] << 56;
}

static inline int64_t hashed(const unsigned char *at, int64_t size, const uint64_t key[2], int64_t mask) {
    uint64_t v0 = key[0] ^ 0x736f6d6570736575ULL, v1 = key[1] ^ 0x646f72616e646f6dULL;
    uint64_t v2 = key[0] ^ 0x6c7967656e657261ULL, v3 = key[1] ^ 0x7465646279746573ULL;
    uint64_t last = (uint64_t)size << 56;
    for (; size >= 8; at += 8, size -= 8) {
        uint64_t m = word(at);
        v3 ^= m;
        ROUND ROUND v0 ^= m;
    }
    last |= low_bytes(at, (int)size);
    v3 ^= last;
    ROUND ROUND v0 ^= last;
    v2 ^= 0xff;
    ROUND ROUND ROUND ROUND uint64_t h = v0 ^ v1 ^ v2 ^ v3;
    h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ULL;
    h = (h ^ (h >> 27)) * 0x94D049BB133111EBULL;
    int64_t id = (int64_t)(h ^ (h >> 31)) & mask;
    return id > 1 ? id : 1;
}

/* ---- columns -------------------------------------------------------------------------------- */

typedef struct {
    Py_buffer offsets, bytes;
    const int32_t *at;
    const unsigned char *data;
    Py_ssize_t count;
} Texts;

static inline void done_with(Texts *texts) {
    PyBuffer_Release(&texts->offsets);
    PyBuffer_Release(&texts->bytes);
}

/* From (offsets, bytes, first, count): the buffers of a pyarrow.StringArray. */
static inline int texts_from(PyObject *given, Texts *texts) {
    PyObject *offsets, *bytes;
    Py_ssize_t first;
    if (!PyArg_ParseTuple(given, "OOnn", &offsets, &bytes, &first, &texts->count)) return -1;
    if (PyObject_GetBuffer(offsets, &texts->offsets, PyBUF_SIMPLE)) return -1;
    if (PyObject_GetBuffer(bytes, &texts->bytes, PyBUF_SIMPLE)) {
        PyBuffer_Release(&texts->offsets);
        return -1;
    }
    texts->data = texts->bytes.buf;
    texts->at = (const int32_t *)texts->offsets.buf + first;
    Py_ssize_t needed = (first + texts->count + 1) * (Py_ssize_t)sizeof(int32_t);
    if (texts->offsets.len < needed || texts->at[texts->count] > texts->bytes.len) {
        done_with(texts);
        PyErr_SetString(PyExc_ValueError, "texts that go beyond their buffers");
        return -1;
    }
    return 0;
}

/* Ids, ascending, and the text of each: a part of a dictionary. */
typedef struct {
    Py_buffer buffer;
    const int64_t *ids;
    Texts texts;
} Part;

static inline int part_from(PyObject *given, Part *part) {
    PyObject *ids, *texts;
    if (!PyArg_ParseTuple(given, "OO", &ids, &texts)) return -1;
    if (PyObject_GetBuffer(ids, &part->buffer, PyBUF_SIMPLE)) return -1;
    part->ids = part->buffer.buf;
    if (texts_from(texts, &part->texts)) {
        PyBuffer_Release(&part->buffer);
        return -1;
    }
    if (part->buffer.len < part->texts.count * (Py_ssize_t)sizeof(int64_t)) {
        PyErr_SetString(PyExc_ValueError, "fewer ids than texts");
        PyBuffer_Release(&part->buffer);
        done_with(&part->texts);
        return -1;
    }
    return 0;
}

static inline void done_with_part(Part *part) {
    PyBuffer_Release(&part->buffer);
    done_with(&part->texts);
}

/* Where an id is, or -1. */
static inline Py_ssize_t place_of(const Part *part, int64_t id) {
    Py_ssize_t low = 0, size = part->texts.count;
    const int64_t *ids = part->ids;
    if (!size) return -1;
    while (size > 1) {  /* without a branch to be guessed */
        Py_ssize_t half = size / 2;
        low = ids[low + half] <= id ? low + half : low;
        size -= half;
    }
    return ids[low] == id ? low : -1;
}

static inline int same_text(const Texts *a, Py_ssize_t i, const Texts *b, Py_ssize_t j) {
    int32_t size = a->at[i + 1] - a->at[i];
    return size == b->at[j + 1] - b->at[j] &&
           !memcmp(a->data + a->at[i], b->data + b->at[j], (size_t)size);
}

#endif
