/* The words of a text in C: what features.c has for markup.c. */
#ifndef URINORM_FEATURES_H
#define URINORM_FEATURES_H

#include "../engine/native.h"

enum { BINS = 32, SHINGLE = 4, MOST_COUNTED = 255, LINE_HASH = 8, TEXT_DIGEST = 16, BLOCK = 128 };

/* What an octet of UTF-8 is to str.split(): the high ones begin a character that may be a space. */
enum { LETTER = 0, SPACE = 1, HIGH = 2 };
extern octet octet_class[256];

/* The octets of the space that begins with a high octet, 0 where it is another character; Unicode White_Space. */
int wide_space(const octet *s, const octet *end);

/* The digest, of at most 64 octets, of some octets: BLAKE2b of RFC 7693, without a key. */
void blake2b(const octet *s, size_t length, octet *digest, int size);

typedef struct {
    uint64_t last[SHINGLE];
    size_t words;
    uint32_t bins[BINS];
} Sketch;

/* Octets that grow in memory of their own. */
typedef struct {
    octet *start;
    size_t used, size;
} Room;

/* Makes room for so many more; 0 with an error set. */
int reserve(Room *room, size_t more);

/* One text: its hash, the number of its words, and, where it is seen, its line in the room. Returns -1 with an error set. */
int add_octets(Sketch *sketch, Room *room, const octet *octets, size_t length, int seen, octet *hash, octet *count);

/* A text shorter than a shingle counts as one, filled up with zeros. */
void finish(Sketch *sketch);

/* The digest of the lines in a room, and the minima of their sketch, four octets a bin. */
void text_digests(const Sketch *sketch, const Room *room, octet *digest, octet *minima);

#endif
