#include "cli/escaped_output.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/signals.h"
#include "base/text.h"

/*
 * Adds the text up to and including the next line feed or tab. Returns the length that was read.
 */
static size_t add_piece(struct strbuf *escaped, const char *text, size_t length)
{
    size_t end = 0;

    while (end < length && text[end] != '\n' && text[end] != '\t')
        end++;
    text_add_escaped(escaped, text, end);
    if (end == length)
        return end;
    strbuf_addch(escaped, text[end]);
    return end + 1;
}

char *escaped_output_text(struct escaped_output *output, enum process_stream stream,
                          const char *data, size_t length)
{
    struct strbuf *bytes = &output->rest[stream];
    struct strbuf escaped = STRBUF_INIT;
    size_t whole, at = 0;

    strbuf_add(bytes, data, length);
    whole = bytes->length - utf8_cut_tail(bytes->data, bytes->length);
    while (at < whole)
        at += add_piece(&escaped, bytes->data + at, whole - at);
    strbuf_drop(bytes, whole);
    return strbuf_steal(&escaped);
}

bool escaped_output_take(void *context, enum process_stream stream, const char *data, size_t length)
{
    struct escaped_output *output = context;
    CLEANUP_FREE char *text = escaped_output_text(output, stream, data, length);

    diagnostics_copy(text, strlen(text), signals_cancel());
    if (*text)
        output->last = text[strlen(text) - 1];
    return true;
}

void escaped_output_end(struct escaped_output *output)
{
    if (output->last != '\0' && output->last != '\n')
        diagnostics_copy("\n", 1, signals_cancel());
    output->last = '\0';
}

void escaped_output_release(struct escaped_output *output)
{
    strbuf_release(&output->rest[PROCESS_STDOUT]);
    strbuf_release(&output->rest[PROCESS_STDERR]);
}
