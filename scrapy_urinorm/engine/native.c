/* The way of nearly every link in C; the loop of pipeline.py is the reference, tests/speed compares the two.
 *
 * Every function takes any text and returns None wherever it is not certain to give what the loop gives: an unusual
 * character, a rule that only the loop knows, more than MAX_URL octets or MAX_FIELDS parameters. Only the limited API of
 * Python 3.11 is used, so one build serves every later version. Memory: buffers of fixed size on the stack, whose bounds
 * follow from MAX_URL (an octet in becomes at most three out, and a field one more for its '='), and one growing buffer
 * in lines() and column().
 */
#include "digest.h"
#include "rules.h"

static Verdict
ask(PyObject *callable, Span text)
{
    return says(callable, PyUnicode_DecodeUTF8((const char *)text.start, text.end - text.start, "replace"));
}

typedef struct {
    PyObject *known;         /* dict: origin as it stands in URLs -> Site */
    PyObject *learn;         /* origin -> Site or None, where it is not known */
    PyObject *unsubscribes;  /* text -> bool */
    const octet *stems;      /* of STEM octets each: without any of them, ASCII text does not speak of unsubscribing */
    Py_ssize_t stems_length;
} Rules;

enum { RULES = 4, STEM = 4 };

/* Whether text of a URL speaks of unsubscribing. */
static Verdict
speaks(const Rules *rules, Span text)
{
    octet folded[MAX_URL], first[256] = {0}, *end = put_folded(text, folded);
    if (end == NULL)
        return ask(rules->unsubscribes, text);
    for (Py_ssize_t at = 0; at + STEM <= rules->stems_length; at += STEM)
        first[rules->stems[at]] = 1;
    for (const octet *c = folded; c + STEM <= end; c++) {
        if (!first[*c])
            continue;
        for (Py_ssize_t at = 0; at + STEM <= rules->stems_length; at += STEM)
            if (memcmp(c, rules->stems + at, STEM) == 0)
                return ask(rules->unsubscribes, text);
    }
    return NO;
}

static octet *
put_text(Span text, octet *out)
{
    memcpy(out, text.start, length_of(text));
    return out + length_of(text);
}

/* The query after the rules, '?' included. */
static octet *
put_query(Url *url, const Parts *parts, long flags, octet *out)
{
    octet mark = '?';
    if (url->form == CANONICAL && !(flags & (SORTS | TIDIES)) && !url->dropped) {
        if (!parts->has_query)
            return out;
        *out++ = '?';
        return put_text((Span){url->safe_text, url->safe_end}, out);
    }
    if (url->form == KEY || flags & SORTS)
        sort_fields(url);
    for (int n = 0; n < url->count; n++) {
        *out++ = mark;
        mark = '&';
        out = put_text(url->fields[n].shown, out);
    }
    return out;
}

/* The result for a URL whose rules are settled, written at *result. */
static Verdict
put_settled(Url *url, const Parts *parts, long flags, octet **result)
{
    octet *out = *result;
    if (url->form == CANONICAL && flags & KEY_ONLY)
        return NO;
    if (url->form == KEY)
        out = put_text(url->path, out);
    else if (url->moved)
        out = put_changed_path(url->path, out);
    else if ((out = put_path(parts->path, CANONICAL, out)) == NULL || is_special_path(*result, out))
        return NO;
    out = put_query(url, parts, flags, out);
    if (url->form == CANONICAL && parts->has_fragment && !(flags & DROPS_FRAGMENT)) {
        *out++ = '#';
        out = put_fragment(parts->fragment, out);
        if (out == NULL)
            return NO;
    }
    *result = out;
    return YES;
}

/* Whether the rules of a plan look at the path. */
static Verdict
asks_for_path(PyObject *plan)
{
    PyObject *wheres = PyTuple_GetItem(plan, PLAN_WHERES), *base = PyTuple_GetItem(plan, PLAN_BASE), *steps;
    Py_ssize_t count = wheres == NULL || base == NULL ? -1 : PyTuple_Size(wheres);
    if (count != 0 || base == Py_None)
        return count < 0 ? FAULT : YES;
    steps = PyTuple_GetItem(base, FAST_PATHS);
    count = steps == NULL ? -1 : PyTuple_Size(steps);
    return count < 0 ? FAULT : count ? YES : NO;
}

/* A site, and the origin of a URL there with the bits of the rules that made it. */
typedef struct {
    PyObject *site;
    Span origin;
    uint64_t moved;
    octet text[MAX_ORIGIN];
} Place;

/* The origin of a site; where that stands for every usual origin, what its rules make of the one that is written. */
static Verdict
read_origin(Place *place, Span written)
{
    Py_ssize_t length;
    const char *text;
    octet *end = place->text;
    PyObject *own, *moved, *usual;
    if (!PyTuple_Check(place->site) || PyTuple_Size(place->site) < SITE_LENGTH)
        return NO;
    own = PyTuple_GetItem(place->site, SITE_ORIGIN);
    usual = PyTuple_GetItem(place->site, SITE_USUAL);
    moved = PyTuple_GetItem(place->site, SITE_MOVED);
    if (!PyUnicode_Check(own))
        return NO;
    text = PyUnicode_AsUTF8AndSize(own, &length);
    if (text == NULL)
        return FAULT;
    place->origin = length ? (Span){(const octet *)text, (const octet *)text + length} : written;
    place->moved = PyLong_AsUnsignedLongLong(moved);
    if (PyErr_Occurred())
        return FAULT;
    if (!length && usual != Py_None) {
        Verdict verdict = move_usual(usual, written, &end, &place->moved);
        if (verdict != YES)
            return verdict;
        place->origin = (Span){place->text, end};
    }
    return length_of(place->origin) > MAX_ORIGIN ? NO : YES;
}

/* The result for a URL whose site is known, written at *result (room for MAX_RESULT octets). */
static Verdict
put_url(const Rules *rules, const Place *place, Form form, const Parts *parts, octet **result, uint64_t *touched)
{
    PyObject *plan, *program = NULL;
    Url url;
    Verdict verdict;
    octet *end;

    plan = PyTuple_GetItem(place->site, SITE_FAST);
    if (plan == NULL || !PyTuple_Check(plan) || PyTuple_Size(plan) < PLAN_LENGTH)
        return PyErr_Occurred() ? FAULT : NO;
    verdict = form == KEY ? YES : asks_for_path(plan);
    if (verdict == FAULT)
        return FAULT;
    verdict = read_url(&url, parts->path, parts->query, form, verdict == YES);
    if (verdict == YES)
        verdict = settle(plan, &url, &program);
    if (verdict == YES && url.touched) {
        /* path and query stand side by side in the URL */
        verdict = speaks(rules, (Span){parts->path.start, parts->has_query ? parts->query.end : parts->path.end});
        verdict = verdict == FAULT ? FAULT : verdict == YES ? NO : YES;
    }
    if (verdict == YES) {
        end = put_text(place->origin, *result);
        verdict = put_settled(&url, parts, flags_of(program), &end);
        if (verdict == YES) {
            *result = end;
            *touched = url.touched | place->moved;
        }
    }
    Py_XDECREF(program);
    forget_fields(&url);
    return verdict;
}

/* A new reference to the site of an origin, Py_None where it has none, NULL with an error set. */
static PyObject *
site_of(const Rules *rules, Span origin)
{
    PyObject *site = NULL, *key;
    if (is_usual_origin(origin)) {
        key = PyUnicode_FromStringAndSize("", 0);
        if (key == NULL)
            return NULL;
        site = PyDict_GetItemWithError(rules->known, key);
        Py_XINCREF(site);
        Py_DECREF(key);
        if (site != NULL || PyErr_Occurred())
            return site;
    }
    key = python_text(origin);
    if (key == NULL)
        return NULL;
    site = PyDict_GetItemWithError(rules->known, key);
    if (site != NULL)
        Py_INCREF(site);
    else if (!PyErr_Occurred())
        site = PyObject_CallFunctionObjArgs(rules->learn, key, NULL);
    Py_DECREF(key);
    return site;
}

/* Where a URL is; with FAULT, and only then, place->site is no reference of ours. */
static Verdict
find_place(const Rules *rules, Span origin, Place *place)
{
    Verdict verdict;
    place->site = site_of(rules, origin);
    if (place->site == NULL)
        return FAULT;
    verdict = read_origin(place, origin);
    if (verdict == FAULT)
        Py_CLEAR(place->site);
    return verdict;
}

static int
take_rules(PyObject *const *args, Rules *rules)
{
    char *stems;
    if (!PyDict_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "the known sites must be a dict");
        return 0;
    }
    *rules = (Rules){args[0], args[1], args[2], NULL, 0};
    if (PyBytes_AsStringAndSize(args[3], &stems, &rules->stems_length) < 0)
        return 0;
    rules->stems = (const octet *)stems;
    return 1;
}

/* The key of a URL or its canonical URL, written at *end (room for MAX_RESULT octets). */
static Verdict
put_one(PyObject *const *args, PyObject *url, Form form, octet **end, uint64_t *touched)
{
    const char *text;
    Py_ssize_t length;
    Parts parts;
    Rules rules;
    Place place;
    Verdict verdict;

    if (!take_rules(args, &rules))
        return FAULT;
    if (!PyUnicode_Check(url))
        return NO;
    text = PyUnicode_AsUTF8AndSize(url, &length);
    if (text == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeError))
            return FAULT;
        PyErr_Clear(); /* a lone surrogate */
        return NO;
    }
    if (!split((const octet *)text, (const octet *)text + length, &parts))
        return NO;
    verdict = find_place(&rules, parts.origin, &place);
    if (verdict == FAULT)
        return FAULT;
    if (verdict == YES)
        verdict = put_url(&rules, &place, form, &parts, end, touched);
    Py_DECREF(place.site);
    return verdict;
}

static PyObject *
one_url(PyObject *const *args, Py_ssize_t count, Form form)
{
    octet result[MAX_RESULT], *end = result;
    uint64_t touched;
    Verdict verdict;

    if (count != RULES + 1) {
        PyErr_SetString(PyExc_TypeError, "expected (known, learn, unsubscribes, stems, url)");
        return NULL;
    }
    verdict = put_one(args, args[RULES], form, &end, &touched);
    if (verdict == FAULT)
        return NULL;
    return verdict == NO ? Py_NewRef(Py_None) : python_text((Span){result, end});
}

/* Whether JSON has a text as it is, between quotes. */
static int
is_plain(Span text)
{
    for (const octet *c = text.start; c < text.end; c++)
        if (*c < ' ' || *c > '~' || *c == '"' || *c == '\\')
            return 0;
    return 1;
}

static octet *
put_literal(const char *text, octet *out)
{
    size_t length = strlen(text);
    memcpy(out, text, length);
    return out + length;
}

static const char BEFORE_BODY[] = "{\"body\": \"", BEFORE_METHOD[] = "\", \"headers\": {}, \"method\": \"",
                  BEFORE_URL[] = "\", \"url\": \"", AFTER_URL[] = "\"}";
enum { AROUND = sizeof BEFORE_BODY + sizeof BEFORE_METHOD + sizeof BEFORE_URL + sizeof AFTER_URL - 4, MAX_SHORT = MAX_RESULT + 2048 };

/* The JSON of a request without headers, whose digest is its fingerprint; recipe.py is the reference. */
static octet *
put_request(Span key, Span method, Span body, octet *out)
{
    static const char hex[] = "0123456789abcdef";
    out = put_literal(BEFORE_BODY, out);
    for (const octet *c = body.start; c < body.end; c++) {
        *out++ = (octet)hex[*c >> 4];
        *out++ = (octet)hex[*c & 15];
    }
    out = put_text(method, put_literal(BEFORE_METHOD, out));
    out = put_text(key, put_literal(BEFORE_URL, out));
    return put_literal(AFTER_URL, out);
}

static int digests; /* whether this processor makes digests itself */

/* The fingerprint of a request: made here where that can be, else by `digest`, which gets the text. */
static PyObject *
fingerprint_of(Span key, Span method, Span body, PyObject *digest)
{
    size_t length = AROUND + 2 * length_of(body) + length_of(method) + length_of(key);
    PyObject *text, *made;
    if (length <= MAX_SHORT && digests) {
        octet written[MAX_SHORT], found[DIGEST];
        put_request(key, method, body, written);
        put_digest(written, length, found);
        return PyBytes_FromStringAndSize((const char *)found, DIGEST);
    }
    text = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)length);
    if (text == NULL)
        return NULL;
    put_request(key, method, body, (octet *)PyBytes_AsString(text));
    made = PyObject_CallFunctionObjArgs(digest, text, NULL);
    Py_DECREF(text);
    return made;
}

PyDoc_STRVAR(request_doc, "request(known, learn, unsubscribes, stems, digest, url, method, body) -> tuple[bytes, int] | None: the "
                          "fingerprint of a request, and the bits of the rules that changed its URL.");

static PyObject *
native_request(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    octet result[MAX_RESULT], *end = result;
    char *body;
    const char *method;
    Py_ssize_t body_length, method_length;
    uint64_t touched;
    Verdict verdict;
    Span key, name;
    PyObject *found, *bits, *pair;

    if (count != RULES + 4) {
        PyErr_SetString(PyExc_TypeError, "expected (known, learn, unsubscribes, stems, digest, url, method, body)");
        return NULL;
    }
    if (!PyUnicode_Check(args[RULES + 2]) || !PyBytes_Check(args[RULES + 3]))
        return Py_NewRef(Py_None);
    method = PyUnicode_AsUTF8AndSize(args[RULES + 2], &method_length);
    if (method == NULL) {
        PyErr_Clear(); /* a lone surrogate */
        return Py_NewRef(Py_None);
    }
    if (PyBytes_AsStringAndSize(args[RULES + 3], &body, &body_length) < 0)
        return NULL;
    verdict = put_one(args, args[RULES + 1], KEY, &end, &touched);
    if (verdict == FAULT)
        return NULL;
    key = (Span){result, end};
    name = (Span){(const octet *)method, (const octet *)method + method_length};
    if (verdict == NO || !is_plain(key) || !is_plain(name))
        return Py_NewRef(Py_None);
    found = fingerprint_of(key, name, (Span){(const octet *)body, (const octet *)body + body_length}, args[RULES]);
    bits = PyLong_FromUnsignedLongLong(touched);
    pair = found == NULL || bits == NULL ? NULL : PyTuple_Pack(2, found, bits);
    Py_XDECREF(found);
    Py_XDECREF(bits);
    return pair;
}

PyDoc_STRVAR(key_doc, "key(known, learn, unsubscribes, stems, url) -> str | None: the key of a URL.");

static PyObject *
native_key(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    return one_url(args, count, KEY);
}

PyDoc_STRVAR(canonical_doc, "canonical(known, learn, unsubscribes, stems, url) -> str | None: the canonical URL, as key().");

static PyObject *
native_canonical(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    return one_url(args, count, CANONICAL);
}

typedef struct {
    octet *start, *at;
    size_t size;
} Growing;

static int
reserve(Growing *out, size_t more)
{
    size_t used = (size_t)(out->at - out->start);
    if (out->size - used < more) {
        size_t size = out->size + out->size / 2 + more;
        octet *moved = PyMem_Realloc(out->start, size);
        if (moved == NULL) {
            PyErr_NoMemory();
            return 0;
        }
        *out = (Growing){moved, moved + used, size};
    }
    return 1;
}

/* A line by the loop: `other` gets its text and gives text. */
static int
put_other(PyObject *other, const octet *start, const octet *end, Growing *out)
{
    char *octets;
    Py_ssize_t length;
    int good = 0;
    PyObject *encoded = NULL, *answer = NULL;
    PyObject *text = PyUnicode_DecodeUTF8((const char *)start, end - start, "surrogateescape");
    if (text == NULL)
        return 0;
    answer = PyObject_CallFunctionObjArgs(other, text, NULL);
    Py_DECREF(text);
    if (answer == NULL)
        return 0;
    encoded = PyUnicode_AsEncodedString(answer, "utf-8", "surrogatepass");
    Py_DECREF(answer);
    if (encoded == NULL)
        return 0;
    if (PyBytes_AsStringAndSize(encoded, &octets, &length) == 0 && reserve(out, (size_t)length + 1)) {
        memcpy(out->at, octets, (size_t)length);
        out->at += length;
        good = 1;
    }
    Py_DECREF(encoded);
    return good;
}

/* Many URLs, most of which are where the one before them is. */
typedef struct {
    PyObject *other; /* text -> text, for what needs the loop */
    Rules rules;
    Form form;
    Place place;
    Verdict placed;
    Span origin; /* that of `place`; empty before the first */
    Growing out;
} Batch;

enum { BATCH = RULES + 1 };

/* An empty batch, from (known, learn, unsubscribes, stems, other), with room for texts of so many octets. */
static int
begin(Batch *batch, PyObject *const *args, PyObject *keys, size_t length)
{
    int as_keys = PyObject_IsTrue(keys);
    memset(batch, 0, sizeof *batch);
    if (as_keys < 0 || !take_rules(args, &batch->rules))
        return 0;
    batch->other = args[RULES];
    batch->form = as_keys ? KEY : CANONICAL;
    return reserve(&batch->out, length + length / 8 + MAX_RESULT + 1);
}

/* What was written, or NULL where `good` is false: an error is set. */
static PyObject *
finish(Batch *batch, int good)
{
    const Growing *out = &batch->out;
    PyObject *result = good ? PyBytes_FromStringAndSize((const char *)out->start, out->at - out->start) : NULL;
    Py_XDECREF(batch->place.site);
    PyMem_Free(out->start);
    return result;
}

/* One text of a batch; room for an octet more stays behind it. */
static int
put_next(Batch *batch, const octet *s, const octet *stop)
{
    Parts parts;
    Verdict verdict = NO;
    uint64_t touched;
    if (!reserve(&batch->out, MAX_RESULT + 1))
        return 0;
    if (split(s, stop, &parts)) {
        if (batch->place.site == NULL || length_of(parts.origin) != length_of(batch->origin) ||
            memcmp(parts.origin.start, batch->origin.start, length_of(batch->origin)) != 0) {
            Py_CLEAR(batch->place.site);
            batch->placed = find_place(&batch->rules, parts.origin, &batch->place);
            if (batch->placed == FAULT)
                return 0;
            batch->origin = parts.origin;
        }
        if (batch->placed == YES)
            verdict = put_url(&batch->rules, &batch->place, batch->form, &parts, &batch->out.at, &touched);
    }
    return verdict == NO ? put_other(batch->other, s, stop, &batch->out) : verdict == YES;
}

PyDoc_STRVAR(lines_doc, "lines(known, learn, unsubscribes, stems, other, block, keys) -> bytes: canonical URLs, or keys, of "
                        "the lines of UTF-8 octets; other(line) has those that need the loop.");

static PyObject *
native_lines(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    char *octets;
    Py_ssize_t length;
    const octet *s, *end;
    Batch batch;
    int good;

    if (count != BATCH + 2) {
        PyErr_SetString(PyExc_TypeError, "expected (known, learn, unsubscribes, stems, other, block, keys)");
        return NULL;
    }
    if (PyBytes_AsStringAndSize(args[BATCH], &octets, &length) < 0)
        return NULL;
    good = begin(&batch, args, args[BATCH + 1], (size_t)length);
    s = (const octet *)octets;
    end = s + length;
    while (good && s < end) {
        const octet *newline = memchr(s, '\n', (size_t)(end - s)), *stop = newline == NULL ? end : newline;
        good = put_next(&batch, s, stop > s && stop[-1] == '\r' ? stop - 1 : stop);
        if (good && newline != NULL)
            *batch.out.at++ = '\n';
        s = newline == NULL ? end : newline + 1;
    }
    return finish(&batch, good);
}

/* The texts of a column: octets side by side, and places of 64 bits, one more than there are texts. */
static int
put_column(Batch *batch, const Py_buffer *octets, const Py_buffer *starts, const Py_buffer *ends)
{
    int64_t start, stop, base, done;
    memcpy(&base, ends->buf, sizeof base);
    memcpy(&start, starts->buf, sizeof start);
    for (Py_ssize_t at = sizeof start; at < starts->len; at += (Py_ssize_t)sizeof start, start = stop) {
        memcpy(&stop, (const octet *)starts->buf + at, sizeof stop);
        if (start < 0 || stop < start || stop > octets->len) {
            PyErr_SetString(PyExc_ValueError, "a text outside of the octets");
            return 0;
        }
        if (start < stop && !put_next(batch, (const octet *)octets->buf + start, (const octet *)octets->buf + stop))
            return 0;
        done = base + (batch->out.at - batch->out.start);
        memcpy((octet *)ends->buf + at, &done, sizeof done);
    }
    return 1;
}

PyDoc_STRVAR(column_doc, "column(known, learn, unsubscribes, stems, other, octets, starts, ends, keys) -> bytes: as lines(), of "
                         "texts that stand side by side, each from one of `starts` (64 bits each) to the next; where each ends is "
                         "written to `ends`, of the same size, counted from its first number. An empty text stays empty.");

static PyObject *
native_column(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    Py_buffer octets = {NULL}, starts = {NULL}, ends = {NULL};
    Batch batch;
    PyObject *result = NULL;
    int good;

    if (count != BATCH + 4) {
        PyErr_SetString(PyExc_TypeError, "expected (known, learn, unsubscribes, stems, other, octets, starts, ends, keys)");
        return NULL;
    }
    if (PyObject_GetBuffer(args[BATCH], &octets, PyBUF_SIMPLE) == 0 &&
        PyObject_GetBuffer(args[BATCH + 1], &starts, PyBUF_SIMPLE) == 0 &&
        PyObject_GetBuffer(args[BATCH + 2], &ends, PyBUF_WRITABLE) == 0) {
        if (starts.len != ends.len || starts.len < (Py_ssize_t)sizeof(int64_t) || starts.len % (Py_ssize_t)sizeof(int64_t))
            PyErr_SetString(PyExc_ValueError, "starts and ends are of one size, of numbers of 64 bits");
        else {
            good = begin(&batch, args, args[BATCH + 3], 0);
            result = finish(&batch, good && put_column(&batch, &octets, &starts, &ends));
        }
    }
    PyBuffer_Release(&octets);
    PyBuffer_Release(&starts);
    PyBuffer_Release(&ends);
    return result;
}

/* The cast that METH_FASTCALL asks for; by way of void (*)(void), so that no compiler warns of it. */
#define FUNCTION(name) ((PyCFunction)(void (*)(void))(name))

static PyMethodDef methods[] = {
    {"key", FUNCTION(native_key), METH_FASTCALL, key_doc},
    {"request", FUNCTION(native_request), METH_FASTCALL, request_doc},
    {"canonical", FUNCTION(native_canonical), METH_FASTCALL, canonical_doc},
    {"lines", FUNCTION(native_lines), METH_FASTCALL, lines_doc},
    {"column", FUNCTION(native_column), METH_FASTCALL, column_doc},
    {"hash_by", native_hash_by, METH_O, hash_by_doc},
    {"text", FUNCTION(native_text), METH_FASTCALL, text_doc},
    {"page", FUNCTION(native_page), METH_FASTCALL, page_doc},
    {"written", FUNCTION(native_written), METH_FASTCALL, written_doc},
    {"names", FUNCTION(native_names), METH_FASTCALL, names_doc},
    {"found", FUNCTION(native_found), METH_FASTCALL, found_doc},
    {"values", FUNCTION(native_values), METH_FASTCALL, values_doc},
    {NULL, NULL, 0, NULL},
};

static int
execute(PyObject *module)
{
    fill_spelling_tables();
    fill_text_tables();
    hash_by(BEST_WAY);
    fill_markup_tables();
    digests = can_digest();
    return add_table(module) < 0 ? -1 : PyModule_AddIntConstant(module, "LAYOUT", LAYOUT);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)execute},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "_native",
    .m_doc = "The hot paths of scrapy_urinorm.engine.pipeline, scrapy_urinorm.visits and scrapy_urinorm.seen.table.",
    .m_size = 0,
    .m_methods = methods,
    .m_slots = slots,
};

PyMODINIT_FUNC
PyInit__native(void)
{
    return PyModuleDef_Init(&definition);
}
