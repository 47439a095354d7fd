/* Data in the attributes of a page: visits/values.py (`plain_values`) is the reference, tests/visits compares. */
#include "../engine/native.h"

enum { LONGEST_NAME = 60, LONG_VALUE = 40 };

/* Whether the name that ends here is that of an attribute for scripts. */
static int
is_data_name(const octet *start, const octet *end)
{
    const octet *s = end;
    while (s > start && end - s <= LONGEST_NAME) {
        octet one = s[-1], lower = one | 0x20;
        if (!((lower >= 'a' && lower <= 'z') || (one >= '0' && one <= '9') || one == '_' || one == '-'))
            break;
        s--;
    }
    return end - s >= 5 && end - s <= LONGEST_NAME && memcmp(s, "data-", 5) == 0;
}

const char values_doc[] = "values(markup, most) -> the values of attributes that are JSON, or long and named data-*, as they stand there: "
                          "the first `most` octets of them.";

PyObject *
native_values(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    const octet *start, *s, *end;
    char *octets;
    Py_ssize_t length, room;
    PyObject *result;

    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "expected (bytes, most)");
        return NULL;
    }
    room = PyLong_AsSsize_t(args[1]);
    if ((room == -1 && PyErr_Occurred()) || PyBytes_AsStringAndSize(args[0], &octets, &length) < 0)
        return NULL;
    result = PyList_New(0);
    start = s = (const octet *)octets;
    end = s + length;
    while (result != NULL && room > 0 && (s = memchr(s, '=', (size_t)(end - s))) != NULL) {
        const octet *value = s + 2, *stop;
        if (end - s < 3 || (s[1] != '"' && s[1] != '\'')) {
            s++;
            continue;
        }
        stop = memchr(value, s[1], (size_t)(end - value));
        if (stop != NULL && (*value == '{' || *value == '[' || (stop - value >= LONG_VALUE && is_data_name(start, s)))) {
            Py_ssize_t taken = stop - value < room ? stop - value : room;
            PyObject *one = PyBytes_FromStringAndSize((const char *)value, taken);
            if (one == NULL || PyList_Append(result, one) < 0)
                Py_CLEAR(result);
            Py_XDECREF(one);
            room -= taken;
            s = stop;
        }
        else
            s = value;
    }
    return result;
}
