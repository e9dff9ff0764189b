#include "base/sealed_reader.h"

#include <string.h>

void sealed_reader_init(struct sealed_reader *reader, const char *key)
{
    *reader = (struct sealed_reader){.line = STRBUF_INIT};
    sealed_lines_init(&reader->lines, key);
}

void sealed_reader_release(struct sealed_reader *reader)
{
    strbuf_release(&reader->line);
}

/* Takes a line that has ended. */
static void take_line(struct sealed_reader *reader, struct strbuf *out)
{
    reader->broken =
        !sealed_lines_read(&reader->lines, strbuf_string(&reader->line), reader->line.length, out);
    strbuf_release(&reader->line);
}

void sealed_reader_add(struct sealed_reader *reader, const char *data, size_t length,
                       struct strbuf *out)
{
    while (length > 0 && !reader->broken) {
        const char *end = memchr(data, '\n', length);
        const size_t part = end ? (size_t)(end - data) : length;

        if (reader->line.length + part >= SEALED_LINE_MAX) {
            reader->broken = true;
            return;
        }
        strbuf_add(&reader->line, data, part);
        if (end)
            take_line(reader, out);
        data += part + (end ? 1 : 0);
        length -= part + (end ? 1 : 0);
    }
}
