/* The look-up and the split of a bucket of a table of fingerprints: seen/table.py is the reference and does the rest. */
#include "../engine/native.h"

enum { RECORD = 20 };

/* CRC-32 as zlib has it (IEEE 802.3), four octets at a time (M. E. Kounavis, F. L. Berry, 2005). */
static uint32_t crc_table[4][256];

void
fill_seen_tables(void)
{
    for (uint32_t n = 0; n < 256; n++) {
        uint32_t crc = n;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
        crc_table[0][n] = crc;
    }
    for (uint32_t n = 0; n < 256; n++)
        for (int slice = 1; slice < 4; slice++)
            crc_table[slice][n] = crc_table[slice - 1][n] >> 8 ^ crc_table[0][crc_table[slice - 1][n] & 255];
}

static uint32_t
crc32_of(const octet *record)
{
    uint32_t crc = 0xFFFFFFFFu;
    for (int at = 0; at < RECORD; at += 4) {
        crc ^= record[at] | (uint32_t)record[at + 1] << 8 | (uint32_t)record[at + 2] << 16 | (uint32_t)record[at + 3] << 24;
        crc = crc_table[3][crc & 255] ^ crc_table[2][crc >> 8 & 255] ^ crc_table[1][crc >> 16 & 255] ^ crc_table[0][crc >> 24];
    }
    return crc ^ 0xFFFFFFFFu;
}

const char place_doc[] = "place(buckets, mask, low, record) -> int: the bucket that a record is to be put into, -1 where it is "
                         "there.";

PyObject *
native_place(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    char *record, *bucket;
    Py_ssize_t length, size, buckets;
    unsigned long long mask, low, at;
    PyObject *held;

    if (count != 4) {
        PyErr_SetString(PyExc_TypeError, "expected (buckets, mask, low, record)");
        return NULL;
    }
    if (!PyList_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "the buckets must be a list");
        return NULL;
    }
    mask = PyLong_AsUnsignedLongLong(args[1]);
    low = PyErr_Occurred() ? 0 : PyLong_AsUnsignedLongLong(args[2]);
    if (PyErr_Occurred() || PyBytes_AsStringAndSize(args[3], &record, &size) < 0)
        return NULL;
    if (size != RECORD) {
        PyErr_SetString(PyExc_ValueError, "a record has 20 octets");
        return NULL;
    }
    at = crc32_of((const octet *)record) & mask;
    buckets = PyList_Size(args[0]);
    if (at >= (unsigned long long)buckets)
        at &= low;
    held = PyList_GetItem(args[0], at < (unsigned long long)buckets ? (Py_ssize_t)at : buckets); /* IndexError beyond */
    if (held == NULL || PyBytes_AsStringAndSize(held, &bucket, &length) < 0)
        return NULL;
    for (Py_ssize_t n = 0; n + RECORD <= length; n += RECORD)
        if (memcmp(bucket + n, record, RECORD) == 0)
            return PyLong_FromLong(-1);
    return PyLong_FromUnsignedLongLong(at);
}

const char parted_doc[] = "parted(bucket, bit) -> tuple[bytes, bytes]: the records without and with a bit in their CRC-32.";

PyObject *
native_parted(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    char *bucket, *parts[2];
    Py_ssize_t length, sizes[2] = {0, 0};
    unsigned long long bit;
    PyObject *made[2], *pair;

    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "expected (bucket, bit)");
        return NULL;
    }
    if (PyBytes_AsStringAndSize(args[0], &bucket, &length) < 0)
        return NULL;
    bit = PyLong_AsUnsignedLongLong(args[1]);
    if (PyErr_Occurred())
        return NULL;
    if (length % RECORD) {
        PyErr_SetString(PyExc_ValueError, "a bucket has records of 20 octets");
        return NULL;
    }
    for (Py_ssize_t at = 0; at < length; at += RECORD)
        sizes[(crc32_of((octet *)bucket + at) & bit) != 0] += RECORD;
    made[0] = PyBytes_FromStringAndSize(NULL, sizes[0]);
    made[1] = PyBytes_FromStringAndSize(NULL, sizes[1]);
    if (made[0] != NULL && made[1] != NULL) {
        parts[0] = PyBytes_AsString(made[0]);
        parts[1] = PyBytes_AsString(made[1]);
        for (Py_ssize_t at = 0; at < length; at += RECORD) {
            int side = (crc32_of((octet *)bucket + at) & bit) != 0;
            memcpy(parts[side], bucket + at, RECORD);
            parts[side] += RECORD;
        }
    }
    pair = made[0] == NULL || made[1] == NULL ? NULL : PyTuple_Pack(2, made[0], made[1]);
    Py_XDECREF(made[0]);
    Py_XDECREF(made[1]);
    return pair;
}
