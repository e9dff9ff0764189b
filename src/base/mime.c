#include "base/mime.h"

#include <string.h>
#include <strings.h>

#include "base/text.h"

/* The first bytes of each type, and for some types also later bytes, as in file(1). */
struct magic {
    const char *type;
    const char *bytes;
    size_t length;
    const char *more; /* at offset 8; NULL: any */
};

#define MAGIC(type, bytes, more)                                                                   \
    {                                                                                              \
        type, bytes, sizeof(bytes) - 1, more                                                       \
    }

static const struct magic magics[] = {
    MAGIC("image/png", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", NULL),
    MAGIC("image/jpeg", "\xff\xd8\xff", NULL),
    MAGIC("image/gif", "GIF87a", NULL),
    MAGIC("image/gif", "GIF89a", NULL),
    MAGIC("image/webp", "RIFF", "WEBP"),
    MAGIC("audio/wav", "RIFF", "WAVE"),
    MAGIC("audio/mpeg", "ID3\2", NULL),
    MAGIC("audio/mpeg", "ID3\3", NULL),
    MAGIC("audio/mpeg", "ID3\4", NULL),
    MAGIC("audio/mpeg", "\xff\xfb", NULL),
    MAGIC("audio/ogg", "OggS", NULL),
    MAGIC("audio/flac", "fLaC", NULL),
    MAGIC("application/pdf", "%PDF-", NULL),
    MAGIC("application/zip", "PK\3\4", NULL),
    MAGIC("application/gzip", "\x1f\x8b", NULL),
    MAGIC("application/vnd.sqlite3", "SQLite format 3", NULL),
};

static const struct {
    const char *extension, *type;
} extensions[] = {
    {".css", "text/css"},        {".csv", "text/csv"},          {".htm", "text/html"},
    {".html", "text/html"},      {".js", "text/javascript"},    {".json", "application/json"},
    {".md", "text/markdown"},    {".mjs", "text/javascript"},   {".svg", "image/svg+xml"},
    {".xml", "application/xml"}, {".yaml", "application/yaml"}, {".yml", "application/yaml"},
};

static bool fits(const struct magic *magic, const char *data, size_t length)
{
    const size_t more = magic->more ? strlen(magic->more) : 0;

    return length >= magic->length && memcmp(data, magic->bytes, magic->length) == 0 &&
           (more == 0 || (length >= 8 + more && memcmp(data + 8, magic->more, more) == 0));
}

bool mime_is_text(const char *data, size_t length)
{
    const unsigned char *at = (const unsigned char *)data;
    size_t sequence;

    for (; length > 0; at += sequence, length -= sequence) {
        sequence = utf8_sequence(at, length);
        if (sequence == 0 || *at == '\0')
            return false;
    }
    return true;
}

/* A text is none of these types, even if it begins with a word like "GIF89a" or "OggS". */
static bool is_media(const char *type)
{
    return mime_is_picture(type) || mime_is_audio(type);
}

const char *mime_type(const char *name, const char *data, size_t length)
{
    const char *extension = strrchr(name, '.');
    const bool text = mime_is_text(data, length);

    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (fits(&magics[i], data, length) && !(text && is_media(magics[i].type)))
            return magics[i].type;
    if (!text)
        return "application/octet-stream";
    for (size_t i = 0; extension && i < sizeof extensions / sizeof *extensions; i++)
        if (strcasecmp(extension, extensions[i].extension) == 0)
            return extensions[i].type;
    return "text/plain";
}

bool mime_is_picture(const char *type)
{
    return strncmp(type, "image/", 6) == 0 && strcmp(type, "image/svg+xml") != 0;
}

bool mime_is_audio(const char *type)
{
    return strncmp(type, "audio/", 6) == 0;
}
