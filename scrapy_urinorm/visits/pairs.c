/* Names of parameters in many addresses: visits/redaction.py (`plain_names`) is the reference, tests/visits compares. */
#include "features.h"

enum { MOST_NAMES = 64 };

static int
ends_pair(octet one)
{
    return octet_class[one] == SPACE || one == '&' || one == ';' || one == '#' || one == '/' || one == '?';
}

const char names_doc[] = "names(text, longest) -> the different names before an equals sign in some addresses, a line each; None where "
                         "what follows one has another, or so many characters, and of other letters and many names.";

PyObject *
native_names(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    const octet *found[MOST_NAMES], *s, *end, *begin;
    size_t lengths[MOST_NAMES], number = 0, longest;
    Py_ssize_t length;
    PyObject *result;

    if (count != 2 || !PyUnicode_Check(args[0]) || !PyLong_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "expected (str, int)");
        return NULL;
    }
    longest = PyLong_AsSize_t(args[1]);
    if (longest == (size_t)-1 && PyErr_Occurred())
        return NULL;
    s = (const octet *)PyUnicode_AsUTF8AndSize(args[0], &length);
    if (s == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
            return NULL;
        PyErr_Clear();
        return Py_NewRef(Py_None);
    }
    begin = s;
    for (end = s + length; s < end; s++) {
        const octet *value = s + 1;
        size_t n = 0, size = (size_t)(s - begin);
        if (*s >= 0x80)
            return Py_NewRef(Py_None);
        if (ends_pair(*s))
            begin = s + 1;
        if (*s != '=')
            continue;
        while (value < end && !ends_pair(*value) && *value != '=' && *value < 0x80)
            value++;
        if ((size_t)(value - s) > longest || (value < end && (*value == '=' || *value >= 0x80)))
            return Py_NewRef(Py_None);
        while (n < number && !(lengths[n] == size && memcmp(found[n], begin, size) == 0))
            n++;
        if (n == MOST_NAMES)
            return Py_NewRef(Py_None);
        found[n] = begin;
        lengths[n] = size;
        number += n == number;
        /* what ends it is looked at next */
        begin = value;
        s = value - 1;
    }
    result = PyTuple_New((Py_ssize_t)number);
    for (size_t n = 0; result != NULL && n < number; n++) {
        PyObject *name = PyUnicode_FromStringAndSize((const char *)found[n], (Py_ssize_t)lengths[n]);
        if (name == NULL || PyTuple_SetItem(result, (Py_ssize_t)n, name) < 0) {
            Py_DECREF(result);
            return NULL;
        }
    }
    return result;
}
