/* Which of some texts are in the octets of a page: visits/marks.py (`plain_texts_in`) is the reference, tests/visits compares.
 *
 * One pass for all of them, of few looks: of a text of seven octets four that stand together begin at every fourth place, so
 * that a look at these places alone finds it.
 */
#include "../engine/native.h"

enum { WINDOW = 4, MOST_TEXTS = 256, BUCKETS = 1 << 12, LONGEST_STEP = 8 };

/* Where four octets belong, in letters of any case: other octets that become the same are told apart when they are compared. */
static uint32_t
bucket(const octet *s)
{
    uint32_t window;
    memcpy(&window, s, WINDOW);
    return ((window | 0x20202020u) * 0x9E3779B1u) >> 20; /* Knuth 6.4; the twelve highest bits */
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
    int16_t first[BUCKETS], next[MOST_TEXTS * LONGEST_STEP];
    Py_ssize_t step = LONGEST_STEP;
    PyObject *result;

    if (count != 2 || !PyTuple_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "expected (bytes, tuple)");
        return NULL;
    }
    number = PyTuple_Size(args[1]);
    if (PyBytes_AsStringAndSize(args[0], &octets, &length) < 0)
        return NULL;
    for (Py_ssize_t n = 0; n < number; n++) {
        if (n == MOST_TEXTS || PyBytes_AsStringAndSize(PyTuple_GetItem(args[1], n), &texts[n], &lengths[n]) < 0 ||
            lengths[n] < WINDOW) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "expected at most 256 texts of four octets and more");
            return NULL;
        }
        if (lengths[n] - WINDOW + 1 < step)
            step = lengths[n] - WINDOW + 1;
    }
    memset(first, 0xFF, sizeof first);
    for (int16_t n = 0; n < number; n++)
        for (int16_t at = 0; at < step; at++) {
            uint32_t where = bucket((const octet *)texts[n] + at);
            next[LONGEST_STEP * n + at] = first[where];
            first[where] = (int16_t)(LONGEST_STEP * n + at);
        }
    result = PyBytes_FromStringAndSize(NULL, number);
    if (result == NULL)
        return NULL;
    flags = PyBytes_AsString(result);
    memset(flags, 0, (size_t)number);
    for (Py_ssize_t at = 0; at <= length - WINDOW; at += step) {
        const octet *s = (const octet *)octets, *end = s + length;
        for (int16_t one = first[bucket(s + at)]; one >= 0; one = next[one]) {
            int n = one / LONGEST_STEP, before = one % LONGEST_STEP;
            if (!flags[n] && before <= at && begins(s + at - before, end, (const octet *)texts[n], lengths[n]))
                flags[n] = 1;
        }
    }
    return result;
}
