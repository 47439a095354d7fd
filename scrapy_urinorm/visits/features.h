/* The words of a text in C: what features.c has for markup.c. */
#ifndef URINORM_FEATURES_H
#define URINORM_FEATURES_H

#include "hashes.h"

enum { BINS = 32, SHINGLE = 4, MOST_COUNTED = 255, LINE_HASH = 8, TEXT_DIGEST = 16, WAITING = 256 };

/* What an octet of UTF-8 is to str.split(): the high ones begin a character that may be a space, or end a word itself. */
enum { LETTER = 0, SPACE = 1, HIGH = 2 };
extern octet octet_class[256];

/* The octets of the space that begins with a high octet, 0 where it is another character; Unicode White_Space. */
int wide_space(const octet *s, const octet *end);

/* The last words are a ring. */
typedef struct {
    uint64_t last[SHINGLE];
    size_t words;
    uint32_t bins[BINS];
} Sketch;

/* A text that is read line by line; the place of the first message that waits is for the whole of it. */
typedef struct {
    Sketch sketch;
    Room shown, unseen;
    Message waiting[WAITING];
    size_t waits;
} Text;

/* Makes room for so many more; 0 with an error set. */
int reserve(Room *room, size_t more);

/* Of one that is zeroed. */
void begin_text(Text *text);
void end_text(Text *text);

/* One line: the number of its words and, where it is seen, its place in the text. Returns -1 with an error set. Its hash is
 * added to what is at `hash` until the text is finished. */
int add_octets(Text *text, const octet *octets, size_t length, int seen, uint64_t *hash, octet *count);

/* The digest of the lines that are seen, and the minima of their sketch, four octets a bin. */
void finish_text(Text *text, octet *digest, octet *minima);

/* Numbers as Python packs them: the lowest octet first. */
void put_numbers(const uint64_t *numbers, size_t count, octet *out);

#endif
