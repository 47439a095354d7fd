/* The text of a page in C: visits/texts.py (`plain_text`) is the reference, tests/visits compares the two. */
#include "features.h"

/* crc_table[n]: of an octet that n others of zero follow; what the two beginnings of a hash come to after so many octets. */
enum { EIGHT = 8 };
static const uint32_t beginnings[2] = {UINT32_MAX, 0x9E3779B9u ^ UINT32_MAX};
static uint32_t crc_table[EIGHT][256], begun[EIGHT + 1][2];

octet octet_class[256];

void
fill_text_tables(void)
{
    /* of U+0085, U+1680, U+2000 to U+205F, U+3000, and of the letters of joined words */
    static const octet high[] = {0xC2, 0xE0, 0xE1, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEF, 0xF0};
    for (uint32_t n = 0; n < 256; n++) {
        uint32_t value = n;
        for (int bit = 0; bit < 8; bit++)
            value = value & 1 ? 0xEDB88320u ^ (value >> 1) : value >> 1;
        crc_table[0][n] = value;
    }
    for (uint32_t n = 0; n < 256; n++)
        for (int after = 1; after < EIGHT; after++)
            crc_table[after][n] = crc_table[0][crc_table[after - 1][n] & 0xFF] ^ (crc_table[after - 1][n] >> 8);
    for (int one = 0; one < 2; one++)
        for (int length = 0; length <= EIGHT; length++)
            begun[length][one] = length == 0 ? beginnings[one]
                                             : crc_table[0][begun[length - 1][one] & 0xFF] ^ (begun[length - 1][one] >> 8);
    memset(octet_class + 0x09, SPACE, 5);
    memset(octet_class + 0x1C, SPACE, 5);
    for (size_t n = 0; n < sizeof high; n++)
        octet_class[high[n]] = HIGH;
}

int
wide_space(const octet *s, const octet *end)
{
    if (end - s >= 2 && s[0] == 0xC2)
        return s[1] == 0x85 || s[1] == 0xA0 ? 2 : 0;
    if (end - s < 3)
        return 0;
    switch (s[0]) {
    case 0xE1:
        return s[1] == 0x9A && s[2] == 0x80 ? 3 : 0;
    case 0xE2:
        if (s[1] == 0x80)
            return s[2] <= 0x8A || s[2] == 0xA8 || s[2] == 0xA9 || s[2] == 0xAF ? 3 : 0;
        return s[1] == 0x81 && s[2] == 0x9F ? 3 : 0;
    case 0xE3:
        return s[1] == 0x80 && s[2] == 0x80 ? 3 : 0;
    }
    return 0;
}

/* How many letters in a row are a word, of the script whose letter begins here: it has no spaces between words. 0: any other
 * character. texts.py: _IN_TWOS, _IN_FOURS. */
static int
joined(const octet *s, const octet *end)
{
    enum { HAN = 2, ALPHABET = 4 };
    if (end - s < 3)
        return 0;
    switch (s[0]) {
    case 0xE0: /* U+0E00 and more */
        return s[1] >= 0xB8 ? ALPHABET : 0;
    case 0xE1: /* up to U+109F, U+1780 to U+17FF */
        return s[1] <= 0x81 || (s[1] == 0x82 && s[2] <= 0x9F) || s[1] == 0x9E || s[1] == 0x9F ? ALPHABET : 0;
    case 0xE3: /* U+3040 to U+30FF, U+3400 and more */
        return (s[1] >= 0x81 && s[1] <= 0x83) || s[1] >= 0x90 ? HAN : 0;
    case 0xE4: case 0xE5: case 0xE6: case 0xE7: case 0xE8: case 0xE9:
        return HAN;
    case 0xEF: /* U+F900 to U+FAFF, U+FF65 to U+FF9F */
        return (s[1] >= 0xA4 && s[1] <= 0xAB) || (s[1] == 0xBD && s[2] >= 0xA5) || (s[1] == 0xBE && s[2] <= 0x9F) ? HAN : 0;
    case 0xF0: /* U+20000 and more */
        return end - s >= 4 && s[1] >= 0xA0 ? HAN : 0;
    }
    return 0;
}

static const uint64_t second_prime = 14029467366897019727u;

/* The hash that CPython has for a tuple of the four integers (Objects/tupleobject.c; xxHash), into its bin. Each comes
 * multiplied by the second prime, as four shingles have it; `first` is where the first one is in the ring. */
static void
add_shingle(Sketch *sketch, size_t first)
{
    const uint64_t first_prime = 11400714785074694791u, fifth = 2870177450012600261u;
    uint64_t hash = fifth;
    uint32_t value;
    for (size_t n = 0; n < SHINGLE; n++) {
        hash += sketch->last[(first + n) % SHINGLE];
        hash = hash << 31 | hash >> 33;
        hash *= first_prime;
    }
    hash += SHINGLE ^ (fifth ^ 3527539u);
    if (hash == UINT64_MAX)
        hash = 1546275796u;
    /* the order of signed integers */
    value = (uint32_t)(hash >> 32) ^ 0x80000000u;
    if (value < sketch->bins[hash % BINS])
        sketch->bins[hash % BINS] = value;
}

static void
add_word(Sketch *sketch, uint64_t word)
{
    sketch->last[sketch->words++ % SHINGLE] = word * second_prime;
    if (sketch->words >= SHINGLE)
        add_shingle(sketch, sketch->words);
}

static uint64_t
eight_at(const octet *s)
{
    return (uint64_t)s[0] | (uint64_t)s[1] << 8 | (uint64_t)s[2] << 16 | (uint64_t)s[3] << 24 | (uint64_t)s[4] << 32 |
           (uint64_t)s[5] << 40 | (uint64_t)s[6] << 48 | (uint64_t)s[7] << 56;
}

/* How many octets of eight are letters before the first one that may be none: eight where all are. */
static size_t
letters_of(uint64_t eight)
{
    const uint64_t each = 0x0101010101010101u, high = 0x80 * each;
    /* below 0x21 a subtraction borrows, and what it does to the octets behind is not looked at */
    uint64_t other = ((eight - 0x21 * each) | eight) & high;
    return other == 0 ? EIGHT : (size_t)((((other - 1) & ~other & each) * each) >> 56) - 1;
}

/* The hash of a word of one to eight octets. Zeros in front change no CRC that begins with zero, and what the two beginnings
 * come to depends on the length alone. */
static uint64_t
short_word(uint64_t eight, size_t length)
{
    uint32_t crc = 0;
    eight <<= 8 * (EIGHT - length);
    for (int n = 0; n < EIGHT; n++)
        crc ^= crc_table[EIGHT - 1 - n][eight >> 8 * n & 0xFF];
    return (uint64_t) ~(crc ^ begun[length][0]) << 28 ^ (uint32_t) ~(crc ^ begun[length][1]);
}

/* What a word comes to that is read octet by octet. */
typedef struct {
    uint32_t crc, other;
} Reading;

static void
read_octet(Reading *word, octet one)
{
    word->crc = crc_table[0][(word->crc ^ one) & 0xFF] ^ (word->crc >> 8);
    word->other = crc_table[0][(word->other ^ one) & 0xFF] ^ (word->other >> 8);
}

static uint64_t
word_read(const Reading *word)
{
    return (uint64_t)~word->crc << 28 ^ (uint32_t)~word->other;
}

/* The words of what no space parts, from the first letter of one that is joined on, behind what was read of it; returns its
 * end. texts.py: _PARTS. */
static const octet *
add_joined(Sketch *sketch, const octet *s, const octet *end, Reading word)
{
    int script = 0, room = 0, kind;
    while (s < end && (kind = octet_class[*s]) != SPACE) {
        int size = 0, length = 1;
        if (kind == HIGH) {
            if (wide_space(s, end))
                break;
            size = joined(s, end);
        }
        if (size) {
            length = *s == 0xF0 ? 4 : 3;
            if (size == script && room > 0)
                room--;
            else {
                if (script) {
                    add_word(sketch, word_read(&word));
                    word = (Reading){beginnings[0], beginnings[1]};
                }
                script = size;
                room = size - 1;
            }
        }
        else
            room = 0;
        for (; length > 0; length--)
            read_octet(&word, *s++);
    }
    add_word(sketch, word_read(&word));
    return s;
}

/* The words of a text, written at `out` with one space between; returns their end. They never need more room, but some octets
 * behind them are written: eight at the most. */
static octet *
put_words(Sketch *sketch, const octet *s, const octet *end, octet *out)
{
    octet *start = out, tail[2 * EIGHT];
    int copied = 0;
    while (s < end) {
        Reading reading = {beginnings[0], beginnings[1]};
        const octet *word;
        uint64_t eight;
        size_t length;
        int kind, wide;
        while (s < end && (kind = octet_class[*s]) != LETTER) {
            if (kind == SPACE)
                s++;
            else if ((wide = wide_space(s, end)) > 0)
                s += wide;
            else
                break;
        }
        if (!copied && end - s <= EIGHT) {
            /* with spaces behind it, so that the last word of a text, too, is one that a space ends */
            size_t left = (size_t)(end - s);
            memset(tail, ' ', sizeof tail);
            memcpy(tail, s, left);
            s = tail;
            end = tail + left;
            copied = 1;
        }
        word = s;
        eight = eight_at(s);
        length = letters_of(eight);
        if (length && octet_class[s[length]] == SPACE) {
            if (out > start)
                *out++ = ' ';
            memcpy(out, s, EIGHT);
            add_word(sketch, short_word(eight, length));
            out += length;
            s += length + 1;
            continue;
        }
        while (s < end && ((kind = octet_class[*s]) == LETTER || (kind == HIGH && !wide_space(s, end) && !joined(s, end))))
            read_octet(&reading, *s++);
        if (s < end && octet_class[*s] == HIGH && joined(s, end))
            s = add_joined(sketch, s, end, reading);
        else if (s > word)
            add_word(sketch, word_read(&reading));
        else
            break;
        if (out > start)
            *out++ = ' ';
        memcpy(out, word, (size_t)(s - word));
        out += s - word;
    }
    return out;
}

const char text_doc[] = "text(texts, seen) -> (hashes, counts, words, digest, minhash) of the texts of a page; None where "
                        "one of them is not Unicode.";

int
reserve(Room *room, size_t more)
{
    size_t size = 2 * (room->used + more);
    octet *moved;
    if (room->size - room->used >= more)
        return 1;
    moved = PyMem_Realloc(room->start, size);
    if (moved == NULL) {
        PyErr_NoMemory();
        return 0;
    }
    room->start = moved;
    room->size = size;
    return 1;
}

void
begin_text(Text *text)
{
    memset(text->sketch.bins, 0xFF, sizeof text->sketch.bins);
    text->waits = 1;
}

void
end_text(Text *text)
{
    PyMem_Free(text->shown.start);
    PyMem_Free(text->unseen.start);
}

int
add_octets(Text *text, const octet *octets, size_t length, int seen, uint64_t *hash, octet *count)
{
    Room *room = seen ? &text->shown : &text->unseen;
    size_t before = text->sketch.words, at;
    if (text->waits == WAITING) {
        hash_all(text->waiting + 1, WAITING - 1);
        text->waits = 1;
        text->unseen.used = 0;
    }
    at = room->used;
    if (!reserve(room, length + EIGHT + 1))
        return -1;
    if (seen)
        length = (size_t)(put_words(&text->sketch, octets, octets + length, room->start + at) - room->start) - at;
    else
        memcpy(room->start + at, octets, length);
    text->waiting[text->waits++] = (Message){room, at, length, hash, LINE_HASH};
    room->used = at + length;
    if (seen)
        room->start[room->used++] = '\n';
    before = text->sketch.words - before;
    *count = (octet)(before < MOST_COUNTED ? before : MOST_COUNTED);
    return 0;
}

void
put_numbers(const uint64_t *numbers, size_t count, octet *out)
{
    for (size_t n = 0; n < count; n++)
        for (int part = 0; part < 8; part++)
            *out++ = (octet)(numbers[n] >> 8 * part);
}

void
finish_text(Text *text, octet *digest, octet *minima)
{
    const Sketch *sketch = &text->sketch;
    uint64_t numbers[TEXT_DIGEST / 8] = {0};
    /* of the lines with what is between them, not what is after them */
    text->waiting[0] = (Message){&text->shown, 0, text->shown.used - (text->shown.used > 0), numbers, TEXT_DIGEST};
    hash_all(text->waiting, text->waits);
    put_numbers(numbers, TEXT_DIGEST / 8, digest);
    /* a text shorter than a shingle counts as one, filled up with the zeros that the ring begins with */
    if (sketch->words > 0 && sketch->words < SHINGLE)
        add_shingle(&text->sketch, 0);
    for (int n = 0; n < BINS; n++)
        for (int part = 0; part < 4; part++)
            minima[4 * n + part] = (octet)(sketch->bins[n] >> 8 * part);
}

PyObject *
native_text(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    PyObject *hashed = NULL, *counts = NULL, *result = NULL;
    char *seen, *counted;
    Py_ssize_t seen_length, length;
    uint64_t *hashes;
    Text *text;
    octet digest[TEXT_DIGEST], packed[4 * BINS];

    if (count != 2 || !PyList_Check(args[0]) || !PyBytes_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "expected (list, bytes)");
        return NULL;
    }
    if (PyBytes_AsStringAndSize(args[1], &seen, &seen_length) < 0)
        return NULL;
    length = PyList_Size(args[0]);
    if (length != seen_length) {
        PyErr_SetString(PyExc_ValueError, "as many flags as texts are expected");
        return NULL;
    }
    text = PyMem_Calloc(1, sizeof *text);
    hashes = PyMem_Calloc((size_t)length + 1, sizeof *hashes);
    if (text == NULL || hashes == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    begin_text(text);
    hashed = PyBytes_FromStringAndSize(NULL, LINE_HASH * length);
    counts = PyBytes_FromStringAndSize(NULL, length);
    if (hashed == NULL || counts == NULL)
        goto done;
    counted = PyBytes_AsString(counts);
    for (Py_ssize_t n = 0; n < length; n++) {
        PyObject *line = PyList_GetItem(args[0], n);
        Py_ssize_t octets;
        const char *start = line == NULL ? NULL : PyUnicode_AsUTF8AndSize(line, &octets);
        if (start == NULL ||
            add_octets(text, (const octet *)start, (size_t)octets, seen[n], hashes + n, (octet *)counted + n) < 0) {
            if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
                PyErr_Clear();
                result = Py_NewRef(Py_None);
            }
            goto done;
        }
    }
    finish_text(text, digest, packed);
    put_numbers(hashes, (size_t)length, (octet *)PyBytes_AsString(hashed));
    result = Py_BuildValue("OOnNN", hashed, counts, (Py_ssize_t)text->sketch.words,
                           PyBytes_FromStringAndSize((const char *)digest, TEXT_DIGEST),
                           PyBytes_FromStringAndSize((const char *)packed, (Py_ssize_t)sizeof packed));
done:
    if (text != NULL)
        end_text(text);
    PyMem_Free(text);
    PyMem_Free(hashes);
    Py_XDECREF(hashed);
    Py_XDECREF(counts);
    return result;
}
