/*
 * Any bytes as lines of text, which a log keeps or a connection carries: numbered, and each with a
 * digest of all bytes so far. So what is read back is what was written, from the start on: a line
 * that is missing, changed, repeated or from elsewhere is found. Each direction of a connection has
 * a state of its own. Allocates nothing but in `out`.
 *
 * A line is the base64 (RFC 4648) of
 *
 *     offset  0   4 bytes  number of the line, from 0, little-endian
 *             4  16 bytes  the start of the chained digest after these bytes
 *            20            1 to SEALED_DATA_MAX bytes
 *
 * The digest after a line is SHA-256 of the digest before it, 32 bytes, and the bytes of the line.
 * The first one is SHA-256 of the key, a text: only those who know it can write such lines.
 */
#ifndef BASE_SEALED_LINES_H
#define BASE_SEALED_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/base64.h"
#include "base/strbuf.h"

enum {
    SEALED_HEADER = 20,
    SEALED_DATA_MAX = 9000,
    /* Bytes of the longest line with its line feed: below 12 KiB, since engines cut at 16. */
    SEALED_LINE_MAX = (SEALED_HEADER + SEALED_DATA_MAX + 2) / 3 * 4 + 1,
    /* Room for what is decoded of a line. */
    SEALED_BYTES_MAX = BASE64_BYTES(SEALED_LINE_MAX)
};

/* The state of a writer or of a reader. */
struct sealed_lines {
    unsigned char digest[32];
    uint32_t number; /* of the next line */
};

void sealed_lines_init(struct sealed_lines *lines, const char *key);

/*
 * Writes a line with these bytes, and a line feed at its end. Returns its length.
 */
size_t sealed_lines_write(struct sealed_lines *lines, const void *data, size_t length,
                          char line[SEALED_LINE_MAX]);

/*
 * Decodes a line, which comes without its line feed. The bytes that it carries follow SEALED_HEADER
 * bytes in `bytes`. Returns how many; 0 if it is not the next line: then nothing that follows can
 * be trusted.
 */
size_t sealed_lines_open(struct sealed_lines *lines, const char *line, size_t length,
                         unsigned char bytes[SEALED_BYTES_MAX]);

/* The same, and appends the bytes to `out`. False, and nothing is appended: not the next line. */
bool sealed_lines_read(struct sealed_lines *lines, const char *line, size_t length,
                       struct strbuf *out);

#endif
