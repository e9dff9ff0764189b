#include "base/sealed_lines.h"

#include <string.h>

#include "base/sha256.h"

enum { NUMBER_BYTES = 4, SEAL_BYTES = SEALED_HEADER - NUMBER_BYTES };

/* Continues the chain of digests with these bytes. */
static void chain(const unsigned char before[SHA256_SIZE], const void *data, size_t length,
                  unsigned char after[SHA256_SIZE])
{
    struct sha256 hash;

    sha256_init(&hash);
    sha256_update(&hash, before, SHA256_SIZE);
    sha256_update(&hash, data, length);
    sha256_bytes(&hash, after);
}

/* The header of the line with this number. */
static void write_header(uint32_t number, const unsigned char digest[SHA256_SIZE],
                         unsigned char header[SEALED_HEADER])
{
    for (int i = 0; i < NUMBER_BYTES; i++)
        header[i] = (unsigned char)(number >> 8 * i);
    memcpy(header + NUMBER_BYTES, digest, SEAL_BYTES);
}

void sealed_lines_init(struct sealed_lines *lines, const char *key)
{
    struct sha256 hash;

    sha256_init(&hash);
    sha256_update(&hash, key, strlen(key));
    sha256_bytes(&hash, lines->digest);
    lines->number = 0;
}

size_t sealed_lines_write(struct sealed_lines *lines, const void *data, size_t length,
                          char line[SEALED_LINE_MAX])
{
    unsigned char bytes[SEALED_HEADER + SEALED_DATA_MAX];
    const size_t text_length = BASE64_LENGTH(SEALED_HEADER + length);

    chain(lines->digest, data, length, lines->digest);
    write_header(lines->number++, lines->digest, bytes);
    memcpy(bytes + SEALED_HEADER, data, length);
    base64_write(bytes, SEALED_HEADER + length, line);
    line[text_length] = '\n';
    return text_length + 1;
}

/* Whether the line is exactly the text of these bytes: the decoder also takes other forms. */
static bool is_text_of(const char *line, size_t length, const void *bytes, size_t count)
{
    char text[SEALED_LINE_MAX];

    if (length != BASE64_LENGTH(count))
        return false;
    base64_write(bytes, count, text);
    return memcmp(line, text, length) == 0;
}

size_t sealed_lines_open(struct sealed_lines *lines, const char *line, size_t length,
                         unsigned char bytes[SEALED_BYTES_MAX])
{
    unsigned char digest[SHA256_SIZE], header[SEALED_HEADER];
    size_t count;

    if (length >= SEALED_LINE_MAX) /* which counts the line feed */
        return 0;
    if (!base64_read(line, length, bytes, &count) || count <= SEALED_HEADER ||
        count > SEALED_HEADER + SEALED_DATA_MAX || !is_text_of(line, length, bytes, count))
        return 0;
    chain(lines->digest, bytes + SEALED_HEADER, count - SEALED_HEADER, digest);
    write_header(lines->number, digest, header);
    if (memcmp(bytes, header, SEALED_HEADER) != 0)
        return 0;
    memcpy(lines->digest, digest, sizeof digest);
    lines->number++;
    return count - SEALED_HEADER;
}

bool sealed_lines_read(struct sealed_lines *lines, const char *line, size_t length,
                       struct strbuf *out)
{
    unsigned char bytes[SEALED_BYTES_MAX];
    const size_t count = sealed_lines_open(lines, line, length, bytes);

    strbuf_add(out, bytes + SEALED_HEADER, count);
    return count > 0;
}
