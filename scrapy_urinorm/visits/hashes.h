/* Digests of texts: BLAKE2b of RFC 7693, without a key. */
#ifndef URINORM_HASHES_H
#define URINORM_HASHES_H

#include "../engine/native.h"

/* Octets that grow in memory of their own. */
typedef struct {
    octet *start;
    size_t used, size;
} Room;

/* A text in a room, of which a digest of so many octets, eight or sixteen, is wanted: its numbers are added to the values. */
typedef struct {
    const Room *room;
    size_t at, length;
    uint64_t *values;
    int size;
} Message;

/* The first number of a digest: the whole of it where it has eight octets. */
uint64_t hash_of(const octet *s, size_t length);

/* All of them, side by side where the processor has vectors for that: the longest is best the first. */
void hash_all(const Message *messages, size_t count);

#endif
