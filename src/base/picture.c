#include "base/picture.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static const char TOO_LARGE[] = "it has more than 8000 pixels on a side";
static const char NO_PIXELS[] = "it has no pixels";

/* What has not been read yet. */
struct reader {
    const unsigned char *at;
    size_t left;
};

/* Takes bytes; NULL if there are not so many. */
static const unsigned char *take(struct reader *reader, size_t length)
{
    const unsigned char *bytes = reader->at;

    if (length > reader->left)
        return NULL;
    reader->at += length;
    reader->left -= length;
    return bytes;
}

static uint32_t big(const unsigned char *bytes, int count)
{
    uint32_t number = 0;

    for (int i = 0; i < count; i++)
        number = number << 8 | bytes[i];
    return number;
}

static uint32_t little(const unsigned char *bytes, int count)
{
    uint32_t number = 0;

    for (int i = count - 1; i >= 0; i--)
        number = number << 8 | bytes[i];
    return number;
}

static const char *check_sides(uint32_t width, uint32_t height)
{
    if (width == 0 || height == 0)
        return NO_PIXELS;
    return width > PICTURE_SIDE_MAX || height > PICTURE_SIDE_MAX ? TOO_LARGE : NULL;
}

/* ---- PNG (ISO/IEC 15948): chunks with a checksum, from IHDR to IEND */

static uint32_t checksum(const unsigned char *bytes, size_t length)
{
    static const uint32_t of_four_bits[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                              0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                              0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                              0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    uint32_t sum = 0xffffffff;

    for (size_t i = 0; i < length; i++) {
        sum = of_four_bits[(sum ^ bytes[i]) & 15] ^ sum >> 4;
        sum = of_four_bits[(sum ^ bytes[i] >> 4) & 15] ^ sum >> 4;
    }
    return ~sum;
}

static const char *check_png(struct reader reader)
{
    static const char incomplete[] = "the PNG is not complete";
    const char *problem = incomplete;
    bool has_data = false, first = true;

    if (!take(&reader, 8))
        return incomplete;
    for (;; first = false) {
        const unsigned char *head = take(&reader, 8);
        const size_t length = head ? big(head, 4) : 0;
        const unsigned char *body = head ? take(&reader, length) : NULL;
        const unsigned char *sum = body ? take(&reader, 4) : NULL;

        if (!sum)
            return incomplete;
        if (big(sum, 4) != checksum(head + 4, length + 4))
            return "a checksum of the PNG is wrong";
        if (first != (memcmp(head + 4, "IHDR", 4) == 0) || (first && length != 13))
            return "the PNG has no header, or two";
        if (first)
            problem = check_sides(big(body, 4), big(body + 4, 4));
        if (problem)
            return problem;
        has_data |= memcmp(head + 4, "IDAT", 4) == 0 && length > 0;
        if (memcmp(head + 4, "IEND", 4) == 0)
            return has_data ? NULL : NO_PIXELS;
    }
}

/* ---- JPEG (ITU-T T.81, annex B): segments, and data between them, to EOI */

/* Skips the data after a scan's header: 0xff in it is followed by 0, or is a restart marker. */
static void skip_scan(struct reader *reader)
{
    while (reader->left > 1 && !(reader->at[0] == 0xff && reader->at[1] != 0 &&
                                 reader->at[1] != 0xff && (reader->at[1] & 0xf8) != 0xd0))
        take(reader, 1);
}

static const char *check_jpeg(struct reader reader)
{
    static const char incomplete[] = "the JPEG is not complete";
    bool has_sides = false, has_scan = false;
    const unsigned char *marker, *size, *body;
    const char *problem = NULL;

    take(&reader, 2);
    while (!problem && (marker = take(&reader, 2)) && marker[0] == 0xff) {
        const int code = marker[1];

        if (code == 0xff) { /* any number of these may come before a marker */
            reader.at--;
            reader.left++;
            continue;
        }
        if (code == 0xd9)
            return has_sides && has_scan ? NULL : NO_PIXELS;
        size = take(&reader, 2);
        if (!size || big(size, 2) < 2 || !(body = take(&reader, big(size, 2) - 2)))
            return incomplete;
        if (code >= 0xc0 && code <= 0xcf && code != 0xc4 && code != 0xc8 && code != 0xcc) {
            if (big(size, 2) < 8)
                return incomplete;
            problem = check_sides(big(body + 3, 2), big(body + 1, 2));
            has_sides = true;
        }
        if (code == 0xda) {
            has_scan = true;
            skip_scan(&reader);
        }
    }
    return problem ? problem : incomplete;
}

/* ---- GIF (GIF89a specification): blocks, to the trailer */

/* Skips a table of colours, if the flags say that there is one. */
static bool skip_colours(struct reader *reader, int flags)
{
    return !(flags & 0x80) || take(reader, (size_t)3 << ((flags & 7) + 1));
}

/* Skips sub-blocks, to the empty one. */
static bool skip_blocks(struct reader *reader)
{
    const unsigned char *size;

    while ((size = take(reader, 1)))
        if (*size == 0 || !take(reader, *size))
            return *size == 0;
    return false;
}

static const char *check_gif(struct reader reader)
{
    static const char incomplete[] = "the GIF is not complete";
    const unsigned char *head = take(&reader, 13), *kind;
    const char *problem = head ? check_sides(little(head + 6, 2), little(head + 8, 2)) : incomplete;
    bool has_image = false;

    if (!problem && !skip_colours(&reader, head[10]))
        return incomplete;
    while (!problem && (kind = take(&reader, 1))) {
        if (*kind == 0x3b)
            return has_image ? NULL : NO_PIXELS;
        if (*kind == 0x2c && (head = take(&reader, 9))) {
            problem = check_sides(little(head + 4, 2), little(head + 6, 2));
            has_image = skip_colours(&reader, head[8]) && take(&reader, 1);
        } else if (*kind != 0x21 || !take(&reader, 1)) {
            return incomplete;
        }
        if (!problem && !skip_blocks(&reader))
            return incomplete;
    }
    return problem ? problem : incomplete;
}

/* ---- WebP (RFC 9649): chunks in a RIFF file of the size that it says */

/* The dimensions of a chunk; false if it is too short or none that has any. */
static bool read_webp_sides(const unsigned char *name, const unsigned char *body, size_t length,
                            uint32_t *width, uint32_t *height)
{
    if (memcmp(name, "VP8X", 4) == 0 && length >= 10) {
        *width = little(body + 4, 3) + 1;
        *height = little(body + 7, 3) + 1;
        return true;
    }
    if (memcmp(name, "VP8L", 4) == 0 && length > 5 && body[0] == 0x2f) {
        *width = (little(body + 1, 4) & 0x3fff) + 1;
        *height = (little(body + 1, 4) >> 14 & 0x3fff) + 1;
        return true;
    }
    if (memcmp(name, "VP8 ", 4) == 0 && length > 10 && memcmp(body + 3, "\x9d\x01\x2a", 3) == 0) {
        *width = little(body + 6, 2) & 0x3fff;
        *height = little(body + 8, 2) & 0x3fff;
        return true;
    }
    return false;
}

static const char *check_webp(struct reader reader)
{
    static const char incomplete[] = "the WebP is not complete";
    const unsigned char *head = take(&reader, 12), *body;
    const size_t size = head ? little(head + 4, 4) : 0;
    bool first = true, has_image = false;

    if (size < 4 || size - 4 > reader.left)
        return incomplete;
    for (reader.left = size - 4; reader.left > 0; first = false) {
        uint32_t width = 0, height = 0;
        const char *problem;
        size_t length;

        head = take(&reader, 8);
        length = head ? little(head + 4, 4) : 0;
        body = head ? take(&reader, length) : NULL;
        if (!body || (length % 2 == 1 && !take(&reader, 1)))
            return incomplete;
        has_image |= memcmp(head, "VP8", 3) == 0 && head[3] != 'X';
        has_image |= memcmp(head, "ANMF", 4) == 0 && length > 24;
        if (read_webp_sides(head, body, length, &width, &height)) {
            if ((problem = check_sides(width, height)))
                return problem;
        } else if (first || memcmp(head, "VP8", 3) == 0) {
            return incomplete;
        }
    }
    return has_image ? NULL : NO_PIXELS;
}

const char *picture_problem(const char *type, const void *data, size_t length)
{
    const struct reader reader = {data, length};

    if (strcmp(type, "image/png") == 0)
        return check_png(reader);
    if (strcmp(type, "image/jpeg") == 0)
        return check_jpeg(reader);
    if (strcmp(type, "image/gif") == 0)
        return check_gif(reader);
    return strcmp(type, "image/webp") == 0 ? check_webp(reader) : NULL;
}
