/* What digest.c has. */
#ifndef URINORM_DIGEST_H
#define URINORM_DIGEST_H

#include "native.h"

enum { DIGEST = 20 };

/* Whether put_digest() may be called on this processor; to be asked once, since a virtual machine is slow to answer. */
int can_digest(void);
/* Write the SHA-1 of a text, DIGEST octets. */
void put_digest(const octet *text, size_t length, octet *out);

#endif
