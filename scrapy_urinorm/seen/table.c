/* An exact set of 20-octet records: seen/buckets.py is the reference.
 *
 * The records lie in SEGMENTS parts by the first bits of a hash, and in a part in the order of the next 32, each at the
 * place that these name or behind the records that have it: linear probing in order (O. Amble, D. E. Knuth, 1974), so
 * that a look-up ends at the first record that is greater. A part grows by itself, by a quarter, so that no insert waits
 * for more than the SEGMENTS-th part of all records to move. Octets of zero are an empty place; the record of zeros is a
 * flag.
 */
#include "../engine/native.h"
#ifdef __linux__
#include <sys/mman.h>
#endif

enum { RECORD = 20, SEGMENT_BITS = 10, SEGMENTS = 1 << SEGMENT_BITS };
enum {
    PHASES = 5,            /* sizes from which segments start; PHASES + 20 is 5 / 4 of 20 */
    TAIL = 124,            /* places behind those that a hash may name: runs that reach further are rare at any size */
    AHEAD = 20,            /* places that are fetched before they are looked at */
    PAGES_FROM = 1 << 13,  /* octets from which a segment is pages of its own: half of the last one is wasted, 2 MB in all */
};

#ifdef __GNUC__
#define FETCH(address) __builtin_prefetch(address)
#else
#define FETCH(address) ((void)(address))
#endif

typedef struct {
    octet *records;
    size_t size, room, used; /* places that a hash may name, places, records */
} Segment;

typedef struct {
    PyObject_HEAD
    Segment *segments;
    Py_ssize_t count;
    int has_zero;
    PyObject *as_record, *hook; /* makes a record of octets of another length; is told of a new one, or NULL */
} Table;

/* A record as words of the machine. */
typedef struct {
    uint64_t one, two;
    uint32_t three;
} Words;

static inline Words
words_of(const octet *record)
{
    Words words;
    memcpy(&words.one, record, 8);
    memcpy(&words.two, record + 8, 8);
    memcpy(&words.three, record + 16, 4);
    return words;
}

static inline int
is_empty(Words words)
{
    return (words.one | words.two | words.three) == 0;
}

static inline int
are_equal(Words some, Words other)
{
    return some.one == other.one && some.two == other.two && some.three == other.three;
}

/* Fingerprints need not be digests: those that differ in few bits are spread, too (the odd constants are those of
 * MurmurHash3, A. Appleby). */
static inline uint64_t
hash_of(Words words)
{
    uint64_t mixed = words.one * 0xFF51AFD7ED558CCDu + (words.two ^ words.three);
    return (mixed ^ mixed >> 32) * 0xC4CEB9FE1A85EC53u;
}

static uint64_t
rank_of(uint64_t hash)
{
    return hash << SEGMENT_BITS >> 32;
}

static size_t
home_of(const Segment *segment, uint64_t rank)
{
    return (size_t)(rank * segment->size >> 32);
}

/* Whether a record is there; *at becomes its place, or the one that it is to have. */
static int
find(const Segment *segment, Words record, uint64_t rank, size_t *at)
{
    size_t n = segment->room ? home_of(segment, rank) : 0;
    for (; n < segment->room; n++) {
        Words other = words_of(segment->records + n * RECORD);
        if (are_equal(other, record)) {
            *at = n;
            return 1;
        }
        if (is_empty(other) || rank_of(hash_of(other)) > rank)
            break;
    }
    *at = n;
    return 0;
}

/* Place the records of a segment anew in a larger one; false where there is not room for them. */
static int
place_all(const Segment *segment, Segment *made)
{
    size_t end = 0;
    for (size_t n = 0; n < segment->room; n++) {
        const octet *record = segment->records + n * RECORD;
        Words words = words_of(record);
        size_t home;
        if (is_empty(words))
            continue;
        home = home_of(made, rank_of(hash_of(words)));
        end = home > end ? home : end;
        if (end == made->room)
            return 0;
        memcpy(made->records + end++ * RECORD, record, RECORD);
    }
    return end < made->room;
}

/* Large segments are pages of their own: in the heap each leaves a hole, as it grows, that fits none of the others (a
 * sixth of all memory at 20 million records), and of new pages only those that it grows by are to be had. */
static int
has_pages(const Segment *segment)
{
#ifdef __linux__
    return segment->room * RECORD >= PAGES_FROM;
#else
    (void)segment;
    return 0;
#endif
}

static void
give_back(Segment *segment)
{
#ifdef __linux__
    if (has_pages(segment)) {
        munmap(segment->records, segment->room * RECORD);
        return;
    }
#endif
    PyMem_Free(segment->records);
}

/* Put `made`, whose records are in the heap, in the place of a segment; false where there is no memory, all being as
 * before. */
static int
replace(Segment *segment, Segment *made)
{
#ifdef __linux__
    if (has_pages(made)) {
        size_t before = segment->room * RECORD, octets = made->room * RECORD;
        void *pages = has_pages(segment)
                          ? mremap(segment->records, before, octets, MREMAP_MAYMOVE)
                          : mmap(NULL, octets, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED)
            return 0;
        if (!has_pages(segment))
            PyMem_Free(segment->records);
        memcpy(pages, made->records, octets);
        PyMem_Free(made->records);
        made->records = pages;
        *segment = *made;
        return 1;
    }
#endif
    PyMem_Free(segment->records);
    *segment = *made;
    return 1;
}

/* Give a segment more room; false where there is no memory, all being as before. */
static int
grow(Table *table, Segment *segment)
{
    Segment made = *segment;
    if (segment->used >= segment->size / 2) /* else many hashes are alike, and a longer tail is all that helps */
        made.size = segment->size + segment->size / 4 + 4;
    if (segment->size == 0) /* not all at the same number of records: time and memory rise evenly */
        made.size += (size_t)(segment - table->segments) % PHASES;
    made.room = made.size + 4 + (made.size / 32 < TAIL ? made.size / 32 : TAIL);
    for (;;) {
        if (made.room > segment->room) {
            made.records = PyMem_Calloc(made.room, RECORD);
            if (made.records == NULL)
                return 0;
            if (place_all(segment, &made))
                break;
            PyMem_Free(made.records);
        }
        made.room += made.room / 8 + 4;
    }
    if (replace(segment, &made))
        return 1;
    PyMem_Free(made.records);
    return 0;
}

/* The records behind a place, which an insert moves, are asked for at once rather than one line of the cache after the
 * other. */
static void
fetch_ahead(const Segment *segment, uint64_t rank)
{
    size_t at = home_of(segment, rank);
    for (size_t end = at + AHEAD; at < end && at < segment->room; at += 3)
        FETCH(segment->records + at * RECORD);
}

/* Insert a record: 1, or 0 where it is there, or -1 without memory. */
static int
insert(Table *table, const octet *record)
{
    Words words = words_of(record);
    uint64_t hash = hash_of(words), rank = rank_of(hash);
    Segment *segment = table->segments + (hash >> (64 - SEGMENT_BITS));
    size_t at, end;
    if (is_empty(words)) {
        if (table->has_zero)
            return 0;
        table->has_zero = 1;
        table->count++;
        return 1;
    }
    fetch_ahead(segment, rank);
    if (find(segment, words, rank, &at))
        return 0;
    for (;;) {
        end = at;
        while (end < segment->room && !is_empty(words_of(segment->records + end * RECORD)))
            end++;
        if (end < segment->room && segment->used < segment->size - segment->size / 7)
            break;
        if (!grow(table, segment))
            return -1;
        find(segment, words, rank, &at);
    }
    memmove(segment->records + (at + 1) * RECORD, segment->records + at * RECORD, (end - at) * RECORD);
    memcpy(segment->records + at * RECORD, record, RECORD);
    segment->used++;
    table->count++;
    return 1;
}

static int
is_known(const Table *table, const octet *record)
{
    Words words = words_of(record);
    uint64_t hash = hash_of(words);
    size_t at;
    if (is_empty(words))
        return table->has_zero;
    return find(table->segments + (hash >> (64 - SEGMENT_BITS)), words, rank_of(hash), &at);
}

/* A new reference to octets of RECORD length for a fingerprint of any; *record becomes where they are. */
static PyObject *
record_of(const Table *table, PyObject *fp, const octet **record)
{
    char *octets;
    Py_ssize_t length;
    PyObject *made = Py_NewRef(fp);
    if (PyBytes_AsStringAndSize(fp, &octets, &length) < 0)
        goto fault;
    if (length != RECORD) {
        Py_DECREF(made);
        made = PyObject_CallFunctionObjArgs(table->as_record, fp, NULL);
        if (made == NULL)
            return NULL;
        if (PyBytes_AsStringAndSize(made, &octets, &length) < 0)
            goto fault;
        if (length != RECORD) {
            PyErr_SetString(PyExc_ValueError, "a record has 20 octets");
            goto fault;
        }
    }
    *record = (const octet *)octets;
    return made;
fault:
    Py_DECREF(made);
    return NULL;
}

static PyObject *
table_add(PyObject *self, PyObject *fp)
{
    Table *table = (Table *)self;
    const octet *record;
    int done = 0;
    PyObject *held = record_of(table, fp, &record);
    if (held == NULL)
        return NULL;
    if (table->hook == NULL)
        done = insert(table, record);
    else if (!is_known(table, record)) {
        PyObject *hook = Py_NewRef(table->hook), *answer = PyObject_CallFunctionObjArgs(hook, held, NULL);
        Py_DECREF(hook);
        if (answer == NULL) {
            Py_DECREF(held);
            return NULL;
        }
        Py_DECREF(answer);
        done = insert(table, record);
    }
    Py_DECREF(held);
    return done < 0 ? PyErr_NoMemory() : PyBool_FromLong(done);
}

static PyObject *
table_fill(PyObject *self, PyObject *block)
{
    char *octets;
    Py_ssize_t length, made = 0;
    if (PyBytes_AsStringAndSize(block, &octets, &length) < 0)
        return NULL;
    if (length % RECORD) {
        PyErr_SetString(PyExc_ValueError, "a block has records of 20 octets");
        return NULL;
    }
    for (Py_ssize_t at = 0; at < length; at += RECORD) {
        int done = insert((Table *)self, (const octet *)octets + at);
        if (done < 0)
            return PyErr_NoMemory();
        made += done;
    }
    return PyLong_FromSsize_t(made);
}

static PyObject *
table_on_new(PyObject *self, PyObject *hook)
{
    Table *table = (Table *)self;
    PyObject *before = table->hook;
    table->hook = hook == Py_None ? NULL : Py_NewRef(hook);
    Py_XDECREF(before);
    return Py_NewRef(Py_None);
}

static PyObject *
table_block(PyObject *self, PyObject *number)
{
    Table *table = (Table *)self;
    size_t n = PyLong_AsSize_t(number);
    int zero;
    octet *out;
    PyObject *block;
    if (n == (size_t)-1 && PyErr_Occurred())
        return NULL;
    if (n >= SEGMENTS) {
        PyErr_SetString(PyExc_IndexError, "there is no such segment");
        return NULL;
    }
    zero = n == 0 && table->has_zero;
    block = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)((table->segments[n].used + (size_t)zero) * RECORD));
    if (block == NULL)
        return NULL;
    out = (octet *)PyBytes_AsString(block);
    if (zero) {
        memset(out, 0, RECORD);
        out += RECORD;
    }
    for (size_t at = 0; at < table->segments[n].room; at++) {
        const octet *place = table->segments[n].records + at * RECORD;
        if (!is_empty(words_of(place))) {
            memcpy(out, place, RECORD);
            out += RECORD;
        }
    }
    return block;
}

static PyObject *
table_memory_bytes(PyObject *self, PyObject *unused)
{
    size_t octets = sizeof(Table) + SEGMENTS * sizeof(Segment);
    for (size_t n = 0; n < SEGMENTS; n++)
        octets += ((Table *)self)->segments[n].room * RECORD;
    return PyLong_FromSize_t(octets);
}

static int
table_contains(PyObject *self, PyObject *fp)
{
    const octet *record;
    int known;
    PyObject *held = record_of((Table *)self, fp, &record);
    if (held == NULL)
        return -1;
    known = is_known((Table *)self, record);
    Py_DECREF(held);
    return known;
}

static Py_ssize_t
table_length(PyObject *self)
{
    return ((Table *)self)->count;
}

static PyObject *
table_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    PyObject *as_record;
    Table *table;
    if (!PyArg_ParseTuple(args, "O", &as_record))
        return NULL;
    table = (Table *)allocate(type, 0);
    if (table == NULL)
        return NULL;
    table->as_record = Py_NewRef(as_record);
    table->segments = PyMem_Calloc(SEGMENTS, sizeof(Segment));
    if (table->segments == NULL) {
        Py_DECREF(table);
        return PyErr_NoMemory();
    }
    return (PyObject *)table;
}

static void
table_free(PyObject *self)
{
    Table *table = (Table *)self;
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    if (table->segments != NULL)
        for (size_t n = 0; n < SEGMENTS; n++)
            give_back(table->segments + n);
    PyMem_Free(table->segments);
    Py_XDECREF(table->as_record);
    Py_XDECREF(table->hook);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef table_methods[] = {
    {"add", table_add, METH_O, "add(fp) -> bool: insert a fingerprint; True when it was new."},
    {"fill", table_fill, METH_O, "fill(block) -> int: insert records back to back, without the hook; how many were new."},
    {"on_new", table_on_new, METH_O, "on_new(act): have act(record) called before a new record is inserted; None for nothing."},
    {"block", table_block, METH_O, "block(n) -> bytes: the records of one segment back to back."},
    {"memory_bytes", table_memory_bytes, METH_NOARGS, "memory_bytes() -> int: the octets of the table."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot table_slots[] = {
    {Py_tp_new, table_new},
    {Py_tp_dealloc, table_free},
    {Py_tp_methods, table_methods},
    {Py_sq_contains, table_contains},
    {Py_sq_length, table_length},
    {Py_tp_doc, "Table(as_record): an exact set of 20-octet records."},
    {0, NULL},
};

/* No part in garbage collection: what it holds, two functions, holds no table. */
static PyType_Spec table_spec = {"_native.Table", sizeof(Table), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, table_slots};

int
add_table(PyObject *module)
{
    int done;
    PyObject *type = PyType_FromSpec(&table_spec);
    if (type == NULL)
        return -1;
    done = PyModule_AddObjectRef(module, "Table", type);
    Py_DECREF(type);
    return done < 0 ? -1 : PyModule_AddIntConstant(module, "SEGMENTS", SEGMENTS);
}
