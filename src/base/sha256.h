/*
 * SHA-256 (FIPS 180-4).
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BLOCK = 64, SHA256_SIZE = 32, SHA256_HEX_SIZE = 65 };

struct sha256 {
    uint32_t state[8];
    unsigned char block[SHA256_BLOCK]; /* bytes that are not hashed yet */
    uint64_t length;                   /* bytes added in all; below 2^61 */
};

void sha256_init(struct sha256 *hash);

/* Adds bytes; `data` may be NULL if there are none. */
void sha256_update(struct sha256 *hash, const void *data, size_t length);

/*
 * Write the digest of all bytes: as 32 bytes; as 64 digits in lower case and a NUL. Afterwards only
 * sha256_init() is legal.
 */
void sha256_bytes(struct sha256 *hash, unsigned char out[SHA256_SIZE]);
void sha256_hex(struct sha256 *hash, char out[SHA256_HEX_SIZE]);

/* Writes the digest of these bytes. */
void sha256_of(const void *data, size_t length, char out[SHA256_HEX_SIZE]);

#endif
