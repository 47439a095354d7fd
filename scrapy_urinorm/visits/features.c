/* The text of a page in C: visits/texts.py (`plain_text`) is the reference, tests/visits compares the two. */
#include "features.h"

/* BLAKE2b of RFC 7693, without a key. */

static const uint64_t blake2b_start[8] = {
    0x6A09E667F3BCC908u, 0xBB67AE8584CAA73Bu, 0x3C6EF372FE94F82Bu, 0xA54FF53A5F1D36F1u,
    0x510E527FADE682D1u, 0x9B05688C2B3E6C1Fu, 0x1F83D9ABFB41BD6Bu, 0x5BE0CD19137E2179u,
};

static const octet blake2b_order[12][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
};

/* Macros, for indices that are known to the compiler: v stays in registers. */
#define ROTATED(value, bits) ((value) >> (bits) | (value) << (64 - (bits)))
#define MIX(round, n, a, b, c, d)                                                                                                \
    v[a] += v[b] + m[blake2b_order[round][2 * n]];                                                                               \
    v[d] = ROTATED(v[d] ^ v[a], 32);                                                                                             \
    v[c] += v[d];                                                                                                                \
    v[b] = ROTATED(v[b] ^ v[c], 24);                                                                                             \
    v[a] += v[b] + m[blake2b_order[round][2 * n + 1]];                                                                           \
    v[d] = ROTATED(v[d] ^ v[a], 16);                                                                                             \
    v[c] += v[d];                                                                                                                \
    v[b] = ROTATED(v[b] ^ v[c], 63);
#define ROUND(round)                                                                                                             \
    MIX(round, 0, 0, 4, 8, 12) MIX(round, 1, 1, 5, 9, 13) MIX(round, 2, 2, 6, 10, 14) MIX(round, 3, 3, 7, 11, 15)                \
    MIX(round, 4, 0, 5, 10, 15) MIX(round, 5, 1, 6, 11, 12) MIX(round, 6, 2, 7, 8, 13) MIX(round, 7, 3, 4, 9, 14)

static void
blake2b_block(uint64_t *h, const octet *block, uint64_t read, int last)
{
    uint64_t v[16], m[16];
    for (int n = 0; n < 16; n++) {
        const octet *s = block + 8 * n;
        m[n] = (uint64_t)s[0] | (uint64_t)s[1] << 8 | (uint64_t)s[2] << 16 | (uint64_t)s[3] << 24 | (uint64_t)s[4] << 32 |
               (uint64_t)s[5] << 40 | (uint64_t)s[6] << 48 | (uint64_t)s[7] << 56;
    }
    memcpy(v, h, 8 * sizeof *h);
    memcpy(v + 8, blake2b_start, sizeof blake2b_start);
    v[12] ^= read;
    if (last)
        v[14] = ~v[14];
    ROUND(0) ROUND(1) ROUND(2) ROUND(3) ROUND(4) ROUND(5) ROUND(6) ROUND(7) ROUND(8) ROUND(9) ROUND(10) ROUND(11)
    for (int n = 0; n < 8; n++)
        h[n] ^= v[n] ^ v[n + 8];
}

void
blake2b(const octet *s, size_t length, octet *digest, int size)
{
    octet block[BLOCK] = {0};
    uint64_t h[8], read = 0;
    memcpy(h, blake2b_start, sizeof h);
    h[0] ^= 0x01010000u ^ (uint64_t)size;
    for (; length - read > BLOCK; read += BLOCK)
        blake2b_block(h, s + read, read + BLOCK, 0);
    if (length > read)
        memcpy(block, s + read, (size_t)(length - read));
    blake2b_block(h, block, length, 1);
    for (int n = 0; n < size; n++)
        digest[n] = (octet)(h[n / 8] >> 8 * (n % 8));
}

/* Words. */

/* crc_table[n]: of an octet that n others of zero follow; what the two beginnings of a hash come to after so many octets. */
enum { EIGHT = 8 };
static const uint32_t beginnings[2] = {UINT32_MAX, 0x9E3779B9u ^ UINT32_MAX};
static uint32_t crc_table[EIGHT][256], begun[EIGHT + 1][2];

octet octet_class[256];

void
fill_text_tables(void)
{
    static const octet high[] = {0xC2, 0xE1, 0xE2, 0xE3}; /* of U+0085, U+1680, U+2000 to U+205F, U+3000 */
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

static const uint64_t second_prime = 14029467366897019727u;

/* The hash that CPython has for a tuple of the four integers (Objects/tupleobject.c; xxHash), into its bin. Each comes
 * multiplied by the second prime, as four shingles have it. */
static void
add_shingle(Sketch *sketch, const uint64_t *words)
{
    const uint64_t first = 11400714785074694791u, fifth = 2870177450012600261u;
    uint64_t hash = fifth;
    uint32_t value;
    for (int n = 0; n < SHINGLE; n++) {
        hash += words[n];
        hash = hash << 31 | hash >> 33;
        hash *= first;
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
    memmove(sketch->last, sketch->last + 1, (SHINGLE - 1) * sizeof *sketch->last);
    sketch->last[SHINGLE - 1] = word * second_prime;
    if (++sketch->words >= SHINGLE)
        add_shingle(sketch, sketch->last);
}

void
finish(Sketch *sketch)
{
    size_t words = sketch->words;
    if (words == 0 || words >= SHINGLE)
        return;
    memmove(sketch->last, sketch->last + SHINGLE - words, words * sizeof *sketch->last);
    memset(sketch->last + words, 0, (SHINGLE - words) * sizeof *sketch->last);
    add_shingle(sketch, sketch->last);
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

/* The words of a text, written at `out` with one space between, where they never need more room; returns their end. */
static octet *
put_words(Sketch *sketch, const octet *s, const octet *end, octet *out)
{
    octet *start = out;
    while (s < end) {
        uint32_t crc = beginnings[0], other = beginnings[1];
        const octet *word;
        int kind, wide;
        while (s < end && (kind = octet_class[*s]) != LETTER) {
            if (kind == SPACE)
                s++;
            else if ((wide = wide_space(s, end)) > 0)
                s += wide;
            else
                break;
        }
        word = s;
        if (end - s > EIGHT) {
            uint64_t eight = eight_at(s);
            size_t length = letters_of(eight);
            if (length && octet_class[s[length]] == SPACE) {
                if (out > start)
                    *out++ = ' ';
                /* more than the word, but no more than the text has from here */
                memcpy(out, s, EIGHT);
                add_word(sketch, short_word(eight, length));
                out += length;
                s += length + 1;
                continue;
            }
        }
        while (s < end && ((kind = octet_class[*s]) == LETTER || (kind == HIGH && !wide_space(s, end)))) {
            crc = crc_table[0][(crc ^ *s) & 0xFF] ^ (crc >> 8);
            other = crc_table[0][(other ^ *s) & 0xFF] ^ (other >> 8);
            s++;
        }
        if (s == word)
            break;
        if (out > start)
            *out++ = ' ';
        memcpy(out, word, (size_t)(s - word));
        out += s - word;
        add_word(sketch, (uint64_t)~crc << 28 ^ (uint32_t)~other);
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

int
add_octets(Sketch *sketch, Room *room, const octet *octets, size_t length, int seen, octet *hash, octet *count)
{
    size_t before = sketch->words, line;
    octet *end;
    *count = 0;
    if (!seen) {
        blake2b(octets, length, hash, LINE_HASH);
        return 0;
    }
    if (!reserve(room, length + 1))
        return -1;
    line = room->used;
    end = put_words(sketch, octets, octets + length, room->start + line);
    blake2b(room->start + line, (size_t)(end - room->start) - line, hash, LINE_HASH);
    *end++ = '\n';
    room->used = (size_t)(end - room->start);
    before = sketch->words - before;
    *count = (octet)(before < MOST_COUNTED ? before : MOST_COUNTED);
    return 0;
}

void
text_digests(const Sketch *sketch, const Room *room, octet *digest, octet *minima)
{
    /* between the lines, not after them */
    blake2b(room->start, room->used > 0 ? room->used - 1 : 0, digest, TEXT_DIGEST);
    for (int n = 0; n < BINS; n++)
        for (int part = 0; part < 4; part++)
            minima[4 * n + part] = (octet)(sketch->bins[n] >> 8 * part);
}

PyObject *
native_text(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    PyObject *hashes = NULL, *counts = NULL, *result = NULL;
    char *seen, *hashed, *counted;
    Py_ssize_t seen_length, length;
    Room room = {NULL, 0, 0};
    Sketch sketch = {{0}, 0, {0}};
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
    memset(sketch.bins, 0xFF, sizeof sketch.bins);
    hashes = PyBytes_FromStringAndSize(NULL, LINE_HASH * length);
    counts = PyBytes_FromStringAndSize(NULL, length);
    if (hashes == NULL || counts == NULL)
        goto done;
    hashed = PyBytes_AsString(hashes);
    counted = PyBytes_AsString(counts);
    for (Py_ssize_t n = 0; n < length; n++) {
        PyObject *text = PyList_GetItem(args[0], n);
        Py_ssize_t octets;
        const char *start = text == NULL ? NULL : PyUnicode_AsUTF8AndSize(text, &octets);
        if (start == NULL || add_octets(&sketch, &room, (const octet *)start, (size_t)octets, seen[n],
                                        (octet *)hashed + LINE_HASH * n, (octet *)counted + n) < 0) {
            if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
                PyErr_Clear();
                result = Py_NewRef(Py_None);
            }
            goto done;
        }
    }
    finish(&sketch);
    text_digests(&sketch, &room, digest, packed);
    result = Py_BuildValue("OOnNN", hashes, counts, (Py_ssize_t)sketch.words,
                           PyBytes_FromStringAndSize((const char *)digest, TEXT_DIGEST),
                           PyBytes_FromStringAndSize((const char *)packed, (Py_ssize_t)sizeof packed));
done:
    PyMem_Free(room.start);
    Py_XDECREF(hashes);
    Py_XDECREF(counts);
    return result;
}
