/* Terms between their N-Triples texts and their ids, character by character.
 *
 * askos.columns.ids, coder and dictionary say what ids are, in arrays of numpy and Arrow.  Those are
 * quick with columns of numbers and slow with characters, for which this is one pass.  Whatever is
 * here is there too, gives the same, and is what runs where this was not compiled.
 *
 * Columns come as the buffers they have: offsets of int32, bytes, ids of int64.
 */
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
static const char STRING[] = XSD "string";

static int64_t packed(int kind, int digits, int64_t value) {
    return INLINE_BIT + ((int64_t)kind << KIND) + ((int64_t)digits << DIGITS) + BIAS + value;
}

static int is_digit(unsigned char c) { return c >= '0' && c <= '9'; }

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

/* ---- days, by the proleptic Gregorian calendar ---------------------------------------------- */

/* Days from 1970-01-01; years are counted from March on, so that leap days come last. */
static int64_t days_of(int64_t year, int month, int day) {
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static void date_of(int64_t days, int *year, int *month, int *day) {
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097, of_era = days - era * 146097;
    int64_t years = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * years + years / 4 - years / 100);
    int64_t from_march = (5 * of_year + 2) / 153;
    *day = (int)(of_year - (153 * from_march + 2) / 5 + 1);
    *month = (int)(from_march < 10 ? from_march + 3 : from_march - 9);
    *year = (int)(years + era * 400 + (*month <= 2));
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

/* ---- hashes: SipHash-2-4, then mixed as pandas.util.hash_array does -------------------------- */

#define ROTATED(x, b) (((x) << (b)) | ((x) >> (64 - (b))))
#define ROUND                                                                                      \
    v0 += v1, v1 = ROTATED(v1, 13) ^ v0, v0 = ROTATED(v0, 32);                                     \
    v2 += v3, v3 = ROTATED(v3, 16) ^ v2;                                                           \
    v0 += v3, v3 = ROTATED(v3, 21) ^ v0;                                                           \
    v2 += v1, v1 = ROTATED(v1, 17) ^ v2, v2 = ROTATED(v2, 32);

/* The first bytes as a number, the first of them the lowest, whatever the machine's own order. */
static uint64_t low_bytes(const unsigned char *at, int count) {
    uint64_t value = 0;
    for (int i = 0; i < count; i++) value |= (uint64_t)at[i] << (8 * i);
    return value;
}

static uint64_t word(const unsigned char *at) { /* one load, where the order is the machine's own */
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 |
           (uint64_t)at[7] << 56;
}

static int64_t hashed(const unsigned char *at, int64_t size, const uint64_t key[2], int64_t mask) {
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

/* ---- columns -------------------------------------------------------------------------------- */

typedef struct {
    Py_buffer offsets, bytes;
    const int32_t *at;
    const unsigned char *data;
    Py_ssize_t count;
} Texts;

static void done_with(Texts *texts) {
    PyBuffer_Release(&texts->offsets);
    PyBuffer_Release(&texts->bytes);
}

/* From (offsets, bytes, first, count): the buffers of a pyarrow.StringArray. */
static int texts_from(PyObject *given, Texts *texts) {
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

static int part_from(PyObject *given, Part *part) {
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

static void done_with_part(Part *part) {
    PyBuffer_Release(&part->buffer);
    done_with(&part->texts);
}

/* Where an id is, or -1. */
static Py_ssize_t place_of(const Part *part, int64_t id) {
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

static int same_text(const Texts *a, Py_ssize_t i, const Texts *b, Py_ssize_t j) {
    int32_t size = a->at[i + 1] - a->at[i];
    return size == b->at[j + 1] - b->at[j] &&
           !memcmp(a->data + a->at[i], b->data + b->at[j], (size_t)size);
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

/* ---- decode --------------------------------------------------------------------------------- */

/* Digits of a number, the last ones first, from `end` backwards; where they begin. */
static char *digits_before(char *end, uint64_t value, int least) {
    char *at = end;
    for (; value || least > 0; value /= 10, least--) *--at = (char)('0' + value % 10);
    return at;
}

static char *put(char *at, const char *text, size_t size) {
    memcpy(at, text, size);
    return at + size;
}

static char *put_digits(char *at, uint64_t value, int least) {
    char room[24], *begin = digits_before(room + sizeof room, value, least);
    return put(at, begin, (size_t)(room + sizeof room - begin));
}

static const int64_t TENS[] = {
    1LL, 10LL, 100LL, 1000LL, 10000LL, 100000LL, 1000000LL, 10000000LL, 100000000LL, 1000000000LL,
    10000000000LL, 100000000000LL, 1000000000000LL, 10000000000000LL, 100000000000000LL,
    1000000000000000LL,
};

static char *put_moment(char *at, int64_t value, int digits, int zoned) {
    int64_t seconds = value >= 0 ? value / 1000 : -((999 - value) / 1000);
    int64_t days = seconds >= 0 ? seconds / 86400 : -((86399 - seconds) / 86400);
    int64_t rest = seconds - days * 86400, thousandths = value - seconds * 1000;
    int year, month, day;
    date_of(days, &year, &month, &day);
    at = put_digits(at, (uint64_t)year, 4), *at++ = '-';
    at = put_digits(at, (uint64_t)month, 2), *at++ = '-';
    at = put_digits(at, (uint64_t)day, 2), *at++ = 'T';
    at = put_digits(at, (uint64_t)(rest / 3600), 2), *at++ = ':';
    at = put_digits(at, (uint64_t)(rest / 60 % 60), 2), *at++ = ':';
    at = put_digits(at, (uint64_t)(rest % 60), 2);
    if (digits > 0 && digits <= 3) {
        *at++ = '.';
        at = put_digits(at, (uint64_t)(thousandths / TENS[3 - digits]), digits);
    }
    if (zoned) *at++ = 'Z';
    return at;
}

#define LONGEST 96 /* of an inlined literal: two quotes, 25 characters, a datatype */

/* The literal of an inlined id; where it ends. */
static char *put_inlined(char *at, int64_t id) {
    int kind = (int)(id >> KIND & 15), digits = (int)(id >> DIGITS & 15);
    int64_t value = (id & (((int64_t)1 << DIGITS) - 1)) - BIAS;
    const Datatype *type = &DATATYPES[kind == LOCAL_MOMENT ? MOMENT - 1 : kind - 1];
    *at++ = '"';
    if (kind >= MOMENT) {
        at = put_moment(at, value, digits, kind == MOMENT);
    } else if (kind == BOOLEAN) {
        at = value ? put(at, "true", 4) : put(at, "false", 5);
    } else {
        uint64_t size = (uint64_t)(value < 0 ? -value : value);
        if (value < 0) *at++ = '-';
        at = put_digits(at, size / (uint64_t)TENS[digits], 1);
        if (digits) *at++ = '.', at = put_digits(at, size % (uint64_t)TENS[digits], digits);
    }
    at = put(at, "\"^^<", 4);
    at = put(at, type->name, (size_t)type->size);
    *at++ = '>';
    return at;
}

static int is_kind(int64_t id) {
    int kind = (int)(id >> KIND & 15);
    return kind >= INTEGER && kind <= LOCAL_MOMENT;
}

/* The text of a hashed id in the parts of a dictionary: -1 if none has it, -2 if two differ. */
static int find(const Part *parts, Py_ssize_t count, int64_t id, const Texts **texts, Py_ssize_t *at) {
    *texts = NULL;
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_ssize_t here = place_of(&parts[i], id);
        if (here < 0) continue;
        if (*texts && !same_text(*texts, *at, &parts[i].texts, here)) return -2;
        *texts = &parts[i].texts;
        *at = here;
    }
    return *texts ? 0 : -1;
}

#define PARTS 4

/* decode(ids, parts, offsets, valid) -> (bytes of all texts, how many ids are unbound, 0; or the
 * first row whose id has no text, and -1, or two of them, and -2).
 *
 * Fills `offsets`, one more than ids, and `valid`: 1 where an id is bound.
 */
static PyObject *decode(PyObject *self, PyObject *args) {
    Py_buffer given, out, valid;
    PyObject *list;
    Part parts[PARTS];
    if (!PyArg_ParseTuple(args, "y*Ow*w*", &given, &list, &out, &valid)) return NULL;
    Py_ssize_t count = given.len / 8, taken = 0, total = PySequence_Size(list);
    PyObject *result = NULL, *bytes = NULL;
    char *room = NULL;
    if (total < 0) goto end;
    if (total > PARTS || out.len < (count + 1) * 4 || valid.len < count) {
        PyErr_SetString(PyExc_ValueError, "too many parts, or too little room");
        goto end;
    }
    for (; taken < total; taken++) {
        PyObject *one = PySequence_GetItem(list, taken);
        int failed = !one || part_from(one, &parts[taken]);
        Py_XDECREF(one);
        if (failed) goto end;
    }
    const int64_t *ids = given.buf;
    int32_t *offsets = out.buf;
    unsigned char *bound = valid.buf;
    size_t size = (size_t)count * 48 + LONGEST, used = 0;
    Py_ssize_t nulls = 0, row = 0, at = 0;
    const Texts *texts = NULL;
    int wrong = 0;
    if (!(room = PyMem_Malloc(size))) {
        PyErr_NoMemory();
        goto end;
    }
    for (; row < count; row++) {
        int64_t id = ids[row];
        offsets[row] = (int32_t)used;
        bound[row] = id != 0;
        nulls += !id;
        size_t needed = LONGEST;
        if (id > 0 && id < INLINE_BIT) {
            if (row && ids[row - 1] == id) {
                /* the same text once more */
            } else if ((wrong = find(parts, total, id, &texts, &at))) {
                break;
            }
            needed = (size_t)(texts->at[at + 1] - texts->at[at]);
        } else if (id && !is_kind(id)) {
            wrong = -1;
            break;
        }
        if (used + needed > INT32_MAX) {
            PyErr_SetString(PyExc_OverflowError, "texts of more than 2 GiB");
            goto end;
        }
        if (used + needed > size) {
            size = 2 * size + needed;
            char *more = PyMem_Realloc(room, size);
            if (!more) {
                PyErr_NoMemory();
                goto end;
            }
            room = more;
        }
        if (id > 0 && id < INLINE_BIT) {
            memcpy(room + used, texts->data + texts->at[at], needed);
            used += needed;
        } else if (id) {
            used = (size_t)(put_inlined(room + used, id) - room);
        }
    }
    if (wrong) {
        result = Py_BuildValue("Oni", Py_None, row, wrong);
        goto end;
    }
    offsets[count] = (int32_t)used;
    bytes = PyBytes_FromStringAndSize(room, (Py_ssize_t)used);
    if (bytes) result = Py_BuildValue("Oni", bytes, nulls, 0);
end:
    Py_XDECREF(bytes);
    PyMem_Free(room);
    while (taken > 0) done_with_part(&parts[--taken]);
    PyBuffer_Release(&given);
    PyBuffer_Release(&out);
    PyBuffer_Release(&valid);
    return result;
}

/* ---- quotients ------------------------------------------------------------------------------ */

#define FRACTION 18
#define WIDEST 96 /* a quote, a sign, 19 digits, a point, 18 digits, and a datatype */

static char *put_decimal(char *at, int negative, uint64_t unit, uint64_t part) {
    *at++ = '"';
    if (negative) *at++ = '-';
    at = put_digits(at, unit, 1);
    *at++ = '.';
    at = put_digits(at, part, FRACTION);
    for (int zeros = 1; zeros < FRACTION && at[-1] == '0'; zeros++) at--;
    at = put(at, "\"^^<", 4);
    at = put(at, DATATYPES[DECIMAL - 1].name, (size_t)DATATYPES[DECIMAL - 1].size);
    *at++ = '>';
    return at;
}

/* quotients(whole, fraction, offsets) -> the bytes of canonical xsd:decimal literals: no needless
 * zeros, but one fraction digit at least.  See askos/columns/numerals.py, Quotient. */
static PyObject *quotients(PyObject *self, PyObject *args) {
    Py_buffer whole, fraction, out;
    if (!PyArg_ParseTuple(args, "y*y*w*", &whole, &fraction, &out)) return NULL;
    PyObject *result = NULL;
    char *room = NULL, *at;
    Py_ssize_t count = whole.len / 8;
    if (fraction.len < count * 8 || out.len < (count + 1) * 4 || count > INT32_MAX / WIDEST) {
        PyErr_SetString(PyExc_ValueError, "too little room");
        goto end;
    }
    if (!(room = at = PyMem_Malloc((size_t)count * WIDEST + 1))) {
        PyErr_NoMemory();
        goto end;
    }
    const int64_t *units = whole.buf, *parts = fraction.buf;
    int32_t *offsets = out.buf;
    for (Py_ssize_t row = 0; row < count; row++) {
        int64_t unit = units[row], part = parts[row];
        offsets[row] = (int32_t)(at - room);
        uint64_t whole = unit < 0 ? 0 - (uint64_t)unit : (uint64_t)unit;
        at = put_decimal(at, unit < 0 || part < 0, whole, (uint64_t)(part < 0 ? -part : part));
    }
    offsets[count] = (int32_t)(at - room);
    result = PyBytes_FromStringAndSize(room, at - room);
end:
    PyMem_Free(room);
    PyBuffer_Release(&whole);
    PyBuffer_Release(&fraction);
    PyBuffer_Release(&out);
    return result;
}

/* The id of a decimal that is short enough to be inlined; 0 for others. */
static int64_t short_decimal(int negative, uint64_t unit, uint64_t part) {
    int digits = FRACTION;
    for (; digits > 1 && part % 10 == 0; digits--) part /= 10;
    if (digits > 15 || unit >= (uint64_t)(BIAS / TENS[digits])) return 0;
    int64_t value = (int64_t)(unit * (uint64_t)TENS[digits] + part);
    return packed(DECIMAL, digits, negative ? -value : value);
}

/* divide(values, divisors, unit, key, mask, ids, offsets) -> the bytes of the texts of hashed ids,
 * and how many these are.
 *
 * Fills `ids`: values / unit / divisors, rounded once to 18 fraction digits, half to even; and
 * `offsets`, of the texts.
 */
static PyObject *divide(PyObject *self, PyObject *args) {
    Py_buffer values, divisors, key, out, borders;
    long long unit, mask;
    if (!PyArg_ParseTuple(
            args, "y*y*Ly*Lw*w*", &values, &divisors, &unit, &key, &mask, &out, &borders))
        return NULL;
    PyObject *result = NULL, *bytes = NULL;
    char *room = NULL, *at;
    Py_ssize_t count = values.len / 8, texts = 0;
    if (divisors.len < count * 8 || out.len < count * 8 || borders.len < (count + 1) * 4 ||
        key.len != 16 || count > INT32_MAX / WIDEST) {
        PyErr_SetString(PyExc_ValueError, "too little room");
        goto end;
    }
    if (!(room = at = PyMem_Malloc((size_t)count * WIDEST + 1))) {
        PyErr_NoMemory();
        goto end;
    }
    const int64_t *value = values.buf, *divisor = divisors.buf;
    const unsigned char *k = key.buf;
    uint64_t keys[2] = {word(k), word(k + 8)};
    int64_t *ids = out.buf;
    int32_t *offsets = borders.buf;
    offsets[0] = 0;
    for (Py_ssize_t row = 0; row < count; row++) {
        uint64_t size = value[row] < 0 ? 0 - (uint64_t)value[row] : (uint64_t)value[row];
        uint64_t by = (uint64_t)unit * (uint64_t)divisor[row], whole = size / by, rest = size % by;
        unsigned __int128 scaled = (unsigned __int128)rest * (uint64_t)(TENS[15] * 1000);
        uint64_t part = (uint64_t)(scaled / by), left = (uint64_t)(scaled % by);
        part += left > by - left || (left == by - left && part % 2);
        if (part == (uint64_t)(TENS[15] * 1000)) part = 0, whole++;
        int negative = value[row] < 0 && (whole || part);
        ids[row] = short_decimal(negative, whole, part);
        if (ids[row]) continue;
        char *begin = at;
        at = put_decimal(at, negative, whole, part);
        ids[row] = hashed((const unsigned char *)begin, at - begin, keys, mask);
        offsets[++texts] = (int32_t)(at - room);
    }
    bytes = PyBytes_FromStringAndSize(room, at - room);
    if (bytes) result = Py_BuildValue("On", bytes, texts);
end:
    Py_XDECREF(bytes);
    PyMem_Free(room);
    PyBuffer_Release(&values);
    PyBuffer_Release(&divisors);
    PyBuffer_Release(&key);
    PyBuffer_Release(&out);
    PyBuffer_Release(&borders);
    return result;
}

/* ---- the module ----------------------------------------------------------------------------- */

static PyMethodDef METHODS[] = {
    {"encode", encode, METH_VARARGS, "The ids of texts, and which of them are new."},
    {"hashes", hashes, METH_VARARGS, "The keyed hashes of texts."},
    {"decode", decode, METH_VARARGS, "The texts of ids."},
    {"divide", divide, METH_VARARGS, "Quotients as ids."},
    {"quotients", quotients, METH_VARARGS, "Decimals of 18 fraction digits, written."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_characters", "Terms between texts and ids.", -1, METHODS,
    NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__characters(void) {
    make_classes();
    return PyModule_Create(&MODULE);
}
