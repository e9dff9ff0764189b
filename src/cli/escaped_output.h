/*
 * Output of a container, written to stderr as it arrives. It cannot control a terminal: line feeds
 * and tabs stay, other control characters are written as \xNN.
 */
#ifndef CLI_ESCAPED_OUTPUT_H
#define CLI_ESCAPED_OUTPUT_H

#include "base/process.h"
#include "base/strbuf.h"

struct escaped_output {
    struct strbuf rest[2]; /* by stream: the start of an incomplete character */
    char last;             /* the last byte written; '\0': none yet */
};

#define ESCAPED_OUTPUT_INIT                                                                        \
    {                                                                                              \
        .last = '\0'                                                                               \
    }

/* Escapes the bytes after those kept of the stream. The text is owned by the caller. */
char *escaped_output_text(struct escaped_output *output, enum process_stream stream,
                          const char *data, size_t length);

/*
 * A process_sink whose context is the struct. Writes to stderr with diagnostics_copy(): waits for a
 * slow reader, but not for one that has stopped reading.
 */
process_sink escaped_output_take;

/* Ends the current line if it is incomplete. */
void escaped_output_end(struct escaped_output *output);

void escaped_output_release(struct escaped_output *output);

#endif
