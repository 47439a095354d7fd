/* SHA-1 (FIPS 180-4) where the processor has instructions for it: the call of a library costs more than such a digest.
 * Elsewhere hashlib does it. */
#include "digest.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>

enum { BLOCK = 64 };
#define WITH_SHA __attribute__((target("sha,sse4.1")))

int
can_digest(void)
{
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSE4_1))
        return 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b >> 29 & 1; /* SHA */
}

/* Four rounds each, of which the last argument of sha1rnds4 chooses function and constant. */
#define ROUNDS(from, to, function)                                                                                     \
    for (int n = from; n < to; n++) {                                                                                  \
        __m128i e = n ? _mm_sha1nexte_epu32(before, words[n]) : _mm_add_epi32(rest, words[n]);                         \
        before = state;                                                                                                \
        state = _mm_sha1rnds4_epu32(state, e, function);                                                               \
    }

WITH_SHA static void
take_block(__m128i *abcd, __m128i *last, const octet *block)
{
    const __m128i big_endian = _mm_set_epi64x(0x0001020304050607, 0x08090A0B0C0D0E0F);
    __m128i words[20], state = *abcd, rest = *last, before = state;
    for (int n = 0; n < 4; n++)
        words[n] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(block + 16 * n)), big_endian);
    for (int n = 4; n < 20; n++) {
        __m128i mixed = _mm_xor_si128(_mm_sha1msg1_epu32(words[n - 4], words[n - 3]), words[n - 2]);
        words[n] = _mm_sha1msg2_epu32(mixed, words[n - 1]);
    }
    ROUNDS(0, 5, 0)
    ROUNDS(5, 10, 1)
    ROUNDS(10, 15, 2)
    ROUNDS(15, 20, 3)
    *last = _mm_sha1nexte_epu32(before, rest);
    *abcd = _mm_add_epi32(state, *abcd);
}

WITH_SHA void
put_digest(const octet *text, size_t length, octet *out)
{
    const __m128i big_endian = _mm_set_epi64x(0x0001020304050607, 0x08090A0B0C0D0E0F);
    octet tail[2 * BLOCK] = {0};
    size_t left = length % BLOCK, size = left < BLOCK - 8 ? BLOCK : 2 * BLOCK;
    __m128i abcd = _mm_set_epi32(0x67452301, (int)0xEFCDAB89, (int)0x98BADCFE, 0x10325476);
    __m128i last = _mm_set_epi32((int)0xC3D2E1F0, 0, 0, 0);
    const octet *end = text + length - left;
    for (; text < end; text += BLOCK)
        take_block(&abcd, &last, text);
    memcpy(tail, text, left);
    tail[left] = 0x80;
    for (int n = 0; n < 8; n++)
        tail[size - 1 - (size_t)n] = (octet)((uint64_t)length * 8 >> 8 * n);
    for (size_t at = 0; at < size; at += BLOCK)
        take_block(&abcd, &last, tail + at);
    _mm_storeu_si128((__m128i *)out, _mm_shuffle_epi8(abcd, big_endian));
    for (int n = 0; n < 4; n++)
        out[16 + n] = (octet)((uint32_t)_mm_extract_epi32(last, 3) >> (24 - 8 * n));
}

#else

int
can_digest(void)
{
    return 0;
}

void
put_digest(const octet *text, size_t length, octet *out)
{
}

#endif
