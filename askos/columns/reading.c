/* From texts to ids.  See `ids.inline`, `Coder.hashed` and PLAIN in askos/physical/ingest.py. */
#include "terms.h"

/* ---- literals that say their term by themselves --------------------------------------------- */

static const char STRING[] = XSD "string";

/* [-]digits[.digits] that is written as we would write it; 0 for others. */
static int64_t number(const unsigned char *at, const unsigned char *end, int kind) {
    int negative = at < end && *at == '-';
    at += negative;
    if (at >= end || end - at > 18 || !is_digit(*at)) return 0;
    if (*at == '0' && end - at > 1 && at[1] != '.') return 0;
    int64_t value = 0;
    int fraction = 0, point = 0;
    for (; at < end; at++) {
        if (*at == '.' && !point && kind != INTEGER) {
            point = 1;
        } else if (is_digit(*at)) {
            value = value * 10 + (*at - '0');
            fraction += point;
        } else {
            return 0;
        }
    }
    if (point != (fraction > 0) || fraction > 15 || value >= BIAS || (negative && !value)) return 0;
    return packed(kind, fraction, negative ? -value : value);
}

static int digits_at(const unsigned char *at, int count) {
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (!is_digit(at[i])) return -1;
        value = value * 10 + (at[i] - '0');
    }
    return value;
}

/* YYYY-MM-DDThh:mm:ss[.f[f[f]]][Z] that is in the calendar, from the year 1 on; 0 for others. */
static int64_t moment(const unsigned char *at, const unsigned char *end) {
    int zoned = end > at && end[-1] == 'Z';
    int64_t size = end - at - zoned;
    if (size != 19 && (size < 21 || size > 23)) return 0;
    if (at[4] != '-' || at[7] != '-' || at[10] != 'T' || at[13] != ':' || at[16] != ':') return 0;
    int year = digits_at(at, 4), month = digits_at(at + 5, 2), day = digits_at(at + 8, 2);
    int hour = digits_at(at + 11, 2), minute = digits_at(at + 14, 2), second = digits_at(at + 17, 2);
    if (year < 1 || month < 1 || month > 12 || day < 1) return 0;
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return 0;
    int y, m, d, digits = size > 19 ? (int)(size - 20) : 0, fraction = 0;
    int64_t days = days_of(year, month, day);
    date_of(days, &y, &m, &d);
    if (m != month || d != day) return 0;
    if (digits) {
        if (at[19] != '.' || (fraction = digits_at(at + 20, digits)) < 0) return 0;
        for (int i = digits; i < 3; i++) fraction *= 10;
    }
    int64_t seconds = days * 86400 + hour * 3600 + minute * 60 + second;
    return packed(zoned ? MOMENT : LOCAL_MOMENT, digits, seconds * 1000 + fraction);
}

/* The id of a literal that says its term by itself; 0 for others. */
static int64_t inlined(const unsigned char *at, const unsigned char *end, const Datatype *type) {
    switch (type->kind) {
    case BOOLEAN:
        if (end - at == 4 && !memcmp(at, "true", 4)) return packed(BOOLEAN, 0, 1);
        if (end - at == 5 && !memcmp(at, "false", 5)) return packed(BOOLEAN, 0, 0);
        return 0;
    case MOMENT:
        return moment(at, end);
    default:
        return number(at, end, type->kind);
    }
}

/* ---- texts that are canonical at sight: see PLAIN in askos/physical/ingest.py ---------------- */

enum { IN_IRI = 1, IN_LITERAL = 2, IN_LABEL = 4 };
static unsigned char CLASSES[256];

static void make_classes(void) {
    for (int c = 0; c < 128; c++) {
        int letter = (c | 32) >= 'a' && (c | 32) <= 'z';
        CLASSES[c] = (c > 32 && !strchr("<>\"{}|^`\\", c) ? IN_IRI : 0) |
                     (c && strchr("\"\\\t\n\r\b\f", c) ? 0 : IN_LITERAL) |
                     (letter || is_digit((unsigned char)c) || c == '_' ? IN_LABEL : 0);
    }
}

static int all(const unsigned char *at, const unsigned char *end, unsigned char kind) {
    while (at < end && CLASSES[*at] & kind) at++;
    return at >= end;
}

static int is_iri(const unsigned char *at, const unsigned char *end) {
    return end - at >= 2 && *at == '<' && end[-1] == '>' && all(at + 1, end - 1, IN_IRI);
}

/* A literal: inlined, hashed, or 0 where it wants a closer look. */
static int64_t literal(
    const unsigned char *at, const unsigned char *end, const uint64_t key[2], int64_t mask
) {
    const unsigned char *close = at + 1;
    while (close < end && CLASSES[*close] & IN_LITERAL) close++;
    if (close >= end || *close != '"') return 0;
    if (close + 1 < end) {
        if (end - close < 5 || close[1] != '^' || close[2] != '^' || !is_iri(close + 3, end)) return 0;
        const unsigned char *type = close + 4;
        int64_t size = end - 1 - type;
        if (size == sizeof STRING - 1 && !memcmp(type, STRING, (size_t)size)) return 0;
        for (size_t i = 0; i < sizeof DATATYPES / sizeof *DATATYPES; i++) {
            if (size == DATATYPES[i].size && !memcmp(type, DATATYPES[i].name, (size_t)size)) {
                int64_t id = inlined(at + 1, close, &DATATYPES[i]);
                if (id) return id;
                break;
            }
        }
    }
    return hashed(at, end - at, key, mask);
}

static int64_t term(
    const unsigned char *at, const unsigned char *end, const char *kinds, const uint64_t key[2],
    int64_t mask
) {
    if (at >= end || !*at || !strchr(kinds, *at)) return 0;
    if (*at == '"') return literal(at, end, key, mask);
    int plain = *at == '<' ? is_iri(at, end)
                           : end - at > 2 && at[1] == ':' && all(at + 2, end, IN_LABEL);
    return plain ? hashed(at, end - at, key, mask) : 0;
}

/* ---- rows that were met a moment ago -------------------------------------------------------- */

#define LATELY 512

/* Where a text would be remembered: by its length and its last bytes, in which names differ. */
static int lately(const unsigned char *at, const unsigned char *end) {
    int64_t size = end - at;
    uint64_t last = size >= 8 ? word(end - 8) : low_bytes(at, (int)size);
    return (int)((last + (uint64_t)size) * 0x9E3779B97F4A7C15ULL >> 55);
}

/* ---- encode --------------------------------------------------------------------------------- */

/* encode(texts, kinds, key, mask, part, ids, new) -> (how many want a closer look, how many are
 * new, the first row whose id has another text in `part`, or -1).
 *
 * Fills `ids`, with 0 for what wants a closer look, and `new`: 1 where a hashed id is not in `part`.
 */
static PyObject *encode(PyObject *self, PyObject *args) {
    PyObject *given, *known;
    const char *kinds;
    Py_buffer key, out, news;
    long long mask;
    Texts texts;
    Part part;
    if (!PyArg_ParseTuple(
            args, "Osy*LOw*w*", &given, &kinds, &key, &mask, &known, &out, &news))
        return NULL;
    PyObject *result = NULL;
    if (texts_from(given, &texts)) goto end;
    if (part_from(known, &part)) goto end_texts;
    if (key.len != 16 || out.len < texts.count * 8 || news.len < texts.count) {
        PyErr_SetString(PyExc_ValueError, "a key of 16 bytes, and room for every text");
        goto end_part;
    }
    const unsigned char *k = key.buf;
    uint64_t keys[2] = {word(k), word(k + 8)};
    int64_t *ids = out.buf;
    unsigned char *new = news.buf;
    Py_ssize_t unread = 0, fresh = 0, clash = -1, met[LATELY] = {0}; /* rows, counted from 1 on */
    Py_BEGIN_ALLOW_THREADS;
    for (Py_ssize_t row = 0; row < texts.count; row++) {
        const unsigned char *begin = texts.data + texts.at[row], *end = texts.data + texts.at[row + 1];
        Py_ssize_t *other = begin < end && *begin != '"' ? &met[lately(begin, end)] : NULL;
        if (other && *other && same_text(&texts, row, &texts, *other - 1)) {
            ids[row] = ids[*other - 1];
            unread += !ids[row];
            fresh += new[row] = new[*other - 1];
            continue;
        }
        if (other) *other = row + 1;
        int64_t id = ids[row] = term(begin, end, kinds, keys, mask);
        unread += !id;
        new[row] = 0;
        if (!id || id & INLINE_BIT) continue;
        Py_ssize_t at = place_of(&part, id);
        fresh += new[row] = at < 0;
        if (at >= 0 && clash < 0 && !same_text(&texts, row, &part.texts, at)) clash = row;
    }
    Py_END_ALLOW_THREADS;
    result = Py_BuildValue("nnn", unread, fresh, clash);
end_part:
    done_with_part(&part);
end_texts:
    done_with(&texts);
end:
    PyBuffer_Release(&key);
    PyBuffer_Release(&out);
    PyBuffer_Release(&news);
    return result;
}

/* hashes(texts, key, mask, ids): the keyed hash of every text. */
static PyObject *hashes(PyObject *self, PyObject *args) {
    PyObject *given;
    Py_buffer key, out;
    long long mask;
    Texts texts;
    if (!PyArg_ParseTuple(args, "Oy*Lw*", &given, &key, &mask, &out)) return NULL;
    PyObject *result = NULL;
    if (texts_from(given, &texts)) goto end;
    if (key.len != 16 || out.len < texts.count * 8) {
        PyErr_SetString(PyExc_ValueError, "a key of 16 bytes, and room for every text");
        goto end_texts;
    }
    const unsigned char *k = key.buf;
    uint64_t keys[2] = {word(k), word(k + 8)};
    int64_t *ids = out.buf;
    for (Py_ssize_t row = 0; row < texts.count; row++) {
        int32_t begin = texts.at[row];
        ids[row] = hashed(texts.data + begin, texts.at[row + 1] - begin, keys, mask);
    }
    result = Py_NewRef(Py_None);
end_texts:
    done_with(&texts);
end:
    PyBuffer_Release(&key);
    PyBuffer_Release(&out);
    return result;
}

/* ---- the module ----------------------------------------------------------------------------- */

static PyMethodDef METHODS[] = {
    {"encode", encode, METH_VARARGS, "The ids of texts, and which of them are new."},
    {"hashes", hashes, METH_VARARGS, "The keyed hashes of texts."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_reading", "From texts to ids.", -1, METHODS, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__reading(void) {
    make_classes();
    return PyModule_Create(&MODULE);
}
