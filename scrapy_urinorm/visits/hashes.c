/* BLAKE2b, of many texts side by side: each in a lane of vectors, the next one where one ends. */
#include "hashes.h"

enum { BLOCK = 128, LANES = 8 };

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

/* Macros, for indices that are known to the compiler, and for numbers and vectors of them: v stays in registers. */
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
#define ROUNDS                                                                                                                   \
    ROUND(0) ROUND(1) ROUND(2) ROUND(3) ROUND(4) ROUND(5) ROUND(6) ROUND(7) ROUND(8) ROUND(9) ROUND(10) ROUND(11)

static void
start(uint64_t *h, int size)
{
    memcpy(h, blake2b_start, sizeof blake2b_start);
    h[0] ^= 0x01010000u ^ (uint64_t)size;
}

static uint64_t
number_at(const octet *s)
{
    return (uint64_t)s[0] | (uint64_t)s[1] << 8 | (uint64_t)s[2] << 16 | (uint64_t)s[3] << 24 | (uint64_t)s[4] << 32 |
           (uint64_t)s[5] << 40 | (uint64_t)s[6] << 48 | (uint64_t)s[7] << 56;
}

static void
take_block(uint64_t *h, const octet *block, uint64_t read, int last)
{
    uint64_t v[16], m[16];
    for (int n = 0; n < 16; n++)
        m[n] = number_at(block + 8 * n);
    memcpy(v, h, 8 * sizeof *h);
    memcpy(v + 8, blake2b_start, sizeof blake2b_start);
    v[12] ^= read;
    if (last)
        v[14] = ~v[14];
    ROUNDS
    for (int n = 0; n < 8; n++)
        h[n] ^= v[n] ^ v[n + 8];
}

/* A text from where it was read to. */
static void
take_rest(uint64_t *h, const octet *s, size_t length, size_t read)
{
    octet block[BLOCK] = {0};
    for (; length - read > BLOCK; read += BLOCK)
        take_block(h, s + read, read + BLOCK, 0);
    if (length > read)
        memcpy(block, s + read, length - read);
    take_block(h, block, length, 1);
}

uint64_t
hash_of(const octet *s, size_t length)
{
    uint64_t h[8];
    start(h, sizeof *h);
    take_rest(h, s, length, 0);
    return h[0];
}

static void
add_digest(const Message *message, const uint64_t *h)
{
    for (int n = 0; n < message->size / 8; n++)
        message->values[n] += h[n];
}

static void
hash_each(const Message *messages, size_t count)
{
    for (const Message *one = messages; one < messages + count; one++) {
        uint64_t h[8];
        start(h, one->size);
        take_rest(h, one->room->start + one->at, one->length, 0);
        add_digest(one, h);
    }
}

/* Not on Windows: there gcc keeps no stack that is aligned for vectors. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32)

typedef uint64_t Vector __attribute__((vector_size(8 * LANES)));

/* What each lane is at: one without a message takes some block to no end. `last` is all ones for the last block. */
typedef struct {
    uint64_t h[8][LANES], read[LANES], last[LANES];
    const Message *messages[LANES];
    const octet *blocks[LANES];
    octet ends[LANES][BLOCK];
} Lanes;

/* take_block() of all lanes. A macro, for the compiler makes of a vector what the processor of its function has, not that of
 * a function which takes it in. */
#define OF_LANE(n, lane) number_at(lanes->blocks[lane] + 8 * (n))
#define TAKE_BLOCKS(name, processor)                                                                                             \
    __attribute__((target(processor))) static void                                                                               \
    name(Lanes *lanes)                                                                                                           \
    {                                                                                                                            \
        Vector v[16], m[16], h[8], read, last;                                                                                   \
        for (int n = 0; n < 16; n++)                                                                                             \
            m[n] = (Vector){OF_LANE(n, 0), OF_LANE(n, 1), OF_LANE(n, 2), OF_LANE(n, 3),                                          \
                            OF_LANE(n, 4), OF_LANE(n, 5), OF_LANE(n, 6), OF_LANE(n, 7)};                                         \
        memcpy(h, lanes->h, sizeof h);                                                                                           \
        memcpy(&read, lanes->read, sizeof read);                                                                                 \
        memcpy(&last, lanes->last, sizeof last);                                                                                 \
        for (int n = 0; n < 8; n++) {                                                                                            \
            v[n] = h[n];                                                                                                         \
            v[n + 8] = (Vector){0} + blake2b_start[n];                                                                           \
        }                                                                                                                        \
        v[12] ^= read;                                                                                                           \
        v[14] ^= last;                                                                                                           \
        ROUNDS                                                                                                                   \
        for (int n = 0; n < 8; n++)                                                                                              \
            h[n] ^= v[n] ^ v[n + 8];                                                                                             \
        memcpy(lanes->h, h, sizeof h);                                                                                           \
    }
TAKE_BLOCKS(take_by_halves, "avx2")
TAKE_BLOCKS(take_by_wholes, "avx512f")

/* How lanes take their blocks, and from how many messages on that costs less than one by one. */
typedef struct {
    void (*take)(Lanes *);
    int worth;
} Way;

static const Way ways[] = {{NULL, 0}, {take_by_halves, 6}, {take_by_wholes, 3}};
static int way;

int
hash_by(int most)
{
    __builtin_cpu_init();
    /* the first processors with vectors of 512 bits slow down over them, those that have AVX-512VBMI do not */
    way = __builtin_cpu_supports("avx512vbmi") ? 2 : __builtin_cpu_supports("avx2") ? 1 : 0;
    return way < most ? way : (way = most);
}

static void
begin_lane(Lanes *lanes, int lane, const Message *message)
{
    uint64_t h[8];
    start(h, message->size);
    for (int n = 0; n < 8; n++)
        lanes->h[n][lane] = h[n];
    lanes->read[lane] = lanes->last[lane] = 0;
    lanes->messages[lane] = message;
}

/* Its next block, filled up with zeros where it is the last one. */
static void
next_block(Lanes *lanes, int lane)
{
    const Message *message = lanes->messages[lane];
    const octet *s = message->room->start + message->at + lanes->read[lane];
    size_t left = message->length - lanes->read[lane];
    lanes->blocks[lane] = s;
    if (left < BLOCK) {
        if (left > 0)
            memcpy(lanes->ends[lane], s, left);
        memset(lanes->ends[lane] + left, 0, BLOCK - left);
        lanes->blocks[lane] = lanes->ends[lane];
    }
    lanes->last[lane] = left <= BLOCK ? UINT64_MAX : 0;
    lanes->read[lane] += left < BLOCK ? left : BLOCK;
}

/* Its digest, after the blocks that no lane has taken. */
static void
end_lane(Lanes *lanes, int lane)
{
    const Message *message = lanes->messages[lane];
    uint64_t h[8];
    for (int n = 0; n < 8; n++)
        h[n] = lanes->h[n][lane];
    if (!lanes->last[lane])
        take_rest(h, message->room->start + message->at, message->length, lanes->read[lane]);
    add_digest(message, h);
    lanes->messages[lane] = NULL;
}

/* Gives each free lane a message; returns how many have one. */
static int
fill_lanes(Lanes *lanes, const Message **next, const Message *end)
{
    int busy = 0;
    for (int lane = 0; lane < LANES; lane++) {
        if (lanes->messages[lane] == NULL && *next < end)
            begin_lane(lanes, lane, (*next)++);
        busy += lanes->messages[lane] != NULL;
    }
    return busy;
}

void
hash_all(const Message *messages, size_t count)
{
    const Way *by = &ways[way];
    const Message *end = messages + count;
    Lanes lanes = {0};
    for (int lane = 0; lane < LANES; lane++)
        lanes.blocks[lane] = lanes.ends[lane];
    while (by->take != NULL && fill_lanes(&lanes, &messages, end) >= by->worth) {
        for (int lane = 0; lane < LANES; lane++)
            if (lanes.messages[lane] != NULL)
                next_block(&lanes, lane);
        by->take(&lanes);
        for (int lane = 0; lane < LANES; lane++)
            if (lanes.messages[lane] != NULL && lanes.last[lane])
                end_lane(&lanes, lane);
    }
    for (int lane = 0; lane < LANES; lane++)
        if (lanes.messages[lane] != NULL)
            end_lane(&lanes, lane);
    hash_each(messages, (size_t)(end - messages));
}

#else

int
hash_by(int most)
{
    return 0;
}

void
hash_all(const Message *messages, size_t count)
{
    hash_each(messages, count);
}

#endif

const char hash_by_doc[] = "hash_by(most) -> how texts are hashed from now on: one by one (0), eight at once by AVX2 (1) or AVX-512 "
                           "(2); the best way of the processor that is not above `most`. For tests: no hash depends on it.";

PyObject *
native_hash_by(PyObject *module, PyObject *most)
{
    long given = PyLong_AsLong(most);
    if (given == -1 && PyErr_Occurred())
        return NULL;
    return PyLong_FromLong(hash_by(given < 0 ? 0 : given < BEST_WAY ? (int)given : BEST_WAY));
}
