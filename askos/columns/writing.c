/* From ids to texts, and from numbers to both.  See `ids.texts_of`, `Dictionary.texts` and
 * askos/columns/numerals.py. */
#include "terms.h"

/* ---- decode --------------------------------------------------------------------------------- */

/* Digits of a number, the last ones first, from `end` backwards; where they begin. */
static char *digits_before(char *end, uint64_t value, int least) {
    char *at = end;
    for (; value > 99 || least > 1; value /= 100, least -= 2) { /* two at a time */
        unsigned two = (unsigned)(value % 100);
        *--at = (char)('0' + two % 10);
        *--at = (char)('0' + two / 10);
    }
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

/* The first 18 digits of rest / by, which is below 1, and what is left; nine at a time where these
 * fit into 64 bits, which are divided much quicker than 128. */
static inline uint64_t fraction_of(uint64_t rest, uint64_t by, uint64_t *left) {
    const uint64_t half = (uint64_t)TENS[9];
    if (by < UINT64_MAX / half) {
        uint64_t first = rest * half / by, middle = rest * half % by;
        *left = middle * half % by;
        return first * half + middle * half / by;
    }
    unsigned __int128 scaled = (unsigned __int128)rest * half * half;
    *left = (uint64_t)(scaled % by);
    return (uint64_t)(scaled / by);
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
        uint64_t by = (uint64_t)unit * (uint64_t)divisor[row], whole = size / by, left;
        uint64_t part = fraction_of(size % by, by, &left);
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
    {"decode", decode, METH_VARARGS, "The texts of ids."},
    {"divide", divide, METH_VARARGS, "Quotients as ids."},
    {"quotients", quotients, METH_VARARGS, "Decimals of 18 fraction digits, written."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {
    PyModuleDef_HEAD_INIT, "_writing", "From ids to texts.", -1, METHODS, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__writing(void) { return PyModule_Create(&MODULE); }
