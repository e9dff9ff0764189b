/*
 * The names are those of FIPS 180-4, sections 4.1.2 and 6.2.2, so that the two can be compared.
 */
#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 64, LENGTH_BYTES = 8 };

/* Section 4.2.2. */
static const uint32_t K[ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotr(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

/* The message schedule of a block. */
static void schedule(const unsigned char *block, uint32_t w[ROUNDS])
{
    for (int t = 0; t < 16; t++, block += 4)
        w[t] = (uint32_t)block[0] << 24 | (uint32_t)block[1] << 16 | (uint32_t)block[2] << 8 |
               (uint32_t)block[3];
    for (int t = 16; t < ROUNDS; t++) {
        const uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ w[t - 15] >> 3;
        const uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ w[t - 2] >> 10;

        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
}

/* memmove() of the words would be slow: musl's copies backwards with rep movsq. */
static void compress(uint32_t state[8], const unsigned char *block)
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    uint32_t w[ROUNDS];

    schedule(block, w);
    for (int t = 0; t < ROUNDS; t++) {
        const uint32_t S1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
        const uint32_t S0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
        const uint32_t ch = (e & f) ^ (~e & g);
        const uint32_t maj = (a & b) ^ (a & c) ^ (b & c);
        const uint32_t t1 = h + S1 + ch + K[t] + w[t];

        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + S0 + maj;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

void sha256_init(struct sha256 *hash)
{
    /* Section 5.3.3. */
    *hash = (struct sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                      0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void sha256_update(struct sha256 *hash, const void *data, size_t length)
{
    const unsigned char *bytes = data;

    for (size_t i = 0; i < length; i++) {
        hash->block[hash->length++ % SHA256_BLOCK] = bytes[i];
        if (hash->length % SHA256_BLOCK == 0)
            compress(hash->state, hash->block);
    }
}

void sha256_bytes(struct sha256 *hash, unsigned char out[SHA256_SIZE])
{
    static const unsigned char one = 0x80, zero = 0;
    const uint64_t bits = hash->length * 8;
    unsigned char size[LENGTH_BYTES];

    for (int i = 0; i < LENGTH_BYTES; i++)
        size[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_update(hash, &one, 1);
    while (hash->length % SHA256_BLOCK != SHA256_BLOCK - LENGTH_BYTES)
        sha256_update(hash, &zero, 1);
    sha256_update(hash, size, sizeof size);
    for (int i = 0; i < SHA256_SIZE; i++)
        out[i] = (unsigned char)(hash->state[i / 4] >> (24 - i % 4 * 8));
}

void sha256_hex(struct sha256 *hash, char out[SHA256_HEX_SIZE])
{
    unsigned char bytes[SHA256_SIZE];

    sha256_bytes(hash, bytes);
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

void sha256_of(const void *data, size_t length, char out[SHA256_HEX_SIZE])
{
    struct sha256 hash;

    sha256_init(&hash);
    sha256_update(&hash, data, length);
    sha256_hex(&hash, out);
}
