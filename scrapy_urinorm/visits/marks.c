/* Which of some texts are in the octets of a page: visits/marks.py (`plain_texts_in`) is the reference, tests/visits compares.
 *
 * One pass for all of them: a text is looked at where its first four octets are.
 */
#include "../engine/native.h"

enum { PREFIX = 4, MOST_TEXTS = 256, BUCKETS = 1 << 12 };

static uint32_t
bucket(uint32_t prefix)
{
    return (prefix * 0x9E3779B1u) >> 20; /* Knuth 6.4; the twelve highest bits */
}

static octet
lower(octet one)
{
    return one >= 'A' && one <= 'Z' ? one | 0x20 : one;
}

static int
begins(const octet *s, const octet *end, const octet *text, Py_ssize_t length)
{
    if (end - s < length)
        return 0;
    for (Py_ssize_t n = 0; n < length; n++)
        if (lower(s[n]) != text[n])
            return 0;
    return 1;
}

const char found_doc[] = "found(octets, texts) -> a flag for each text, of four octets and more in small letters, that says whether "
                         "it is in the octets, in letters of any case.";

PyObject *
native_found(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    char *octets, *texts[MOST_TEXTS], *flags;
    Py_ssize_t length, lengths[MOST_TEXTS], number;
    int16_t first[BUCKETS], next[MOST_TEXTS];
    const octet *s, *end;
    uint32_t window = 0;
    PyObject *result;

    if (count != 2 || !PyTuple_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "expected (bytes, tuple)");
        return NULL;
    }
    number = PyTuple_Size(args[1]);
    if (PyBytes_AsStringAndSize(args[0], &octets, &length) < 0)
        return NULL;
    memset(first, 0xFF, sizeof first);
    for (Py_ssize_t n = 0; n < number; n++) {
        uint32_t at = 0;
        if (n == MOST_TEXTS || PyBytes_AsStringAndSize(PyTuple_GetItem(args[1], n), &texts[n], &lengths[n]) < 0 ||
            lengths[n] < PREFIX) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "expected at most 256 texts of four octets and more");
            return NULL;
        }
        for (int m = 0; m < PREFIX; m++)
            at = at << 8 | (octet)texts[n][m];
        next[n] = first[bucket(at)];
        first[bucket(at)] = (int16_t)n;
    }
    result = PyBytes_FromStringAndSize(NULL, number);
    if (result == NULL)
        return NULL;
    flags = PyBytes_AsString(result);
    memset(flags, 0, (size_t)number);
    s = (const octet *)octets;
    end = s + length;
    for (const octet *at = s; at < end; at++) {
        window = window << 8 | lower(*at);
        if (at - s < PREFIX - 1)
            continue;
        for (int16_t n = first[bucket(window)]; n >= 0; n = next[n])
            if (!flags[n] && begins(at - (PREFIX - 1), end, (const octet *)texts[n], lengths[n]))
                flags[n] = 1;
    }
    return result;
}
