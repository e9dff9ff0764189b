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

/* Bytes of a sequence that sets colours; longer ones are no such. */
enum { SEQUENCE_MAX = 32 };
#define SEQUENCE_START "\033["

/*
 * The length of the sequence that sets colours at the start of the text; 0: there is none; -1: the
 * text ends before that is known.
 */
static int sequence_length(const char *text, size_t length)
{
    size_t at = 0;

    for (; at < length && at < strlen(SEQUENCE_START); at++)
        if (text[at] != SEQUENCE_START[at])
            return 0;
    while (at < length && at < SEQUENCE_MAX && text[at] && strchr("0123456789;:", text[at]))
        at++;
    if (at == SEQUENCE_MAX)
        return 0;
    if (at == length)
        return -1;
    return text[at] == 'm' ? (int)at + 1 : 0;
}

/* The bytes up to the next sequence that sets colours, or may become one. */
static size_t before_sequence(const char *text, size_t length)
{
    size_t at = 0;

    while (at < length &&
           (text[at] != SEQUENCE_START[0] || sequence_length(text + at, length - at) == 0))
        at++;
    return at;
}

/* Adds what is escaped of the text. Returns the length that was read, and is not kept. */
static size_t add_with_colours(struct escaped_output *output, enum process_stream stream,
                               struct strbuf *escaped, const char *text, size_t length)
{
    size_t at = 0;

    while (at < length) {
        const size_t end = at + before_sequence(text + at, length - at);
        int sequence;

        while (at < end)
            at += add_piece(escaped, text + at, end - at);
        sequence = at < length ? sequence_length(text + at, length - at) : 0;
        if (sequence < 0)
            break;
        strbuf_add(escaped, text + at, (size_t)sequence);
        at += (size_t)sequence;
        output->coloured[stream] |= sequence > 0;
    }
    return at;
}

char *escaped_output_text(struct escaped_output *output, enum process_stream stream,
                          const char *data, size_t length)
{
    struct strbuf *bytes = &output->rest[stream];
    struct strbuf escaped = STRBUF_INIT;
    size_t whole, at = 0;

    strbuf_add(bytes, data, length);
    whole = bytes->length - utf8_cut_tail(bytes->data, bytes->length);
    if (output->colours)
        at = add_with_colours(output, stream, &escaped, bytes->data, whole);
    while (!output->colours && at < whole)
        at += add_piece(&escaped, bytes->data + at, whole - at);
    strbuf_drop(bytes, at);
    strbuf_addstr(&escaped, "");
    return strbuf_steal(&escaped);
}

char *escaped_output_rest(struct escaped_output *output, enum process_stream stream)
{
    struct strbuf *bytes = &output->rest[stream];
    struct strbuf escaped = STRBUF_INIT;

    text_add_escaped(&escaped, strbuf_string(bytes), bytes->length);
    strbuf_drop(bytes, bytes->length);
    strbuf_addstr(&escaped, output->coloured[stream] ? "\033[0m" : "");
    output->coloured[stream] = false;
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
