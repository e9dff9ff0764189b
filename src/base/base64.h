/*
 * Base64 (RFC 4648, section 4).
 */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/* Room for the bytes of a text that is so long. */
#define BASE64_BYTES(text_length) ((text_length) / 4 * 3 + 3)

/*
 * Decodes a text to `bytes`, which has room for BASE64_BYTES() of it. False if it is not base64.
 * White space is skipped, and the padding at the end may be missing.
 */
bool base64_read(const char *text, size_t text_length, unsigned char *bytes, size_t *length);

/*
 * The same. Returns the bytes, owned by the caller and followed by a NUL that is not counted; NULL
 * if the text is not base64.
 */
char *base64_decode(const char *text, size_t text_length, size_t *length);

/* How long the text of so many bytes is. */
#define BASE64_LENGTH(bytes) (((bytes) + 2) / 3 * 4)

/*
 * Writes the text of these bytes, with padding and without line breaks: BASE64_LENGTH() characters,
 * and no NUL.
 */
void base64_write(const void *data, size_t length, char *text);

/* Returns the encoded text, with padding and without line breaks; owned by the caller. */
char *base64_encode(const char *data, size_t length);

#endif
