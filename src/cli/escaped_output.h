/*
 * Output of a container, written as it arrives. It cannot control a terminal: line feeds and tabs
 * stay, other control characters are written as \xNN. If colours are allowed, so stay the escape
 * sequences that set colours and styles (SGR, ECMA-48 section 8.3.117).
 */
#ifndef CLI_ESCAPED_OUTPUT_H
#define CLI_ESCAPED_OUTPUT_H

#include <stdbool.h>

#include "base/process.h"
#include "base/strbuf.h"

struct escaped_output {
    struct strbuf rest[2]; /* by stream: the start of an incomplete character */
    char last;             /* the last byte written; '\0': none yet */
    bool colours;          /* they are allowed */
    bool coloured[2];      /* by stream: some are set */
};

#define ESCAPED_OUTPUT_INIT                                                                        \
    {                                                                                              \
        .last = '\0'                                                                               \
    }

/* Escapes the bytes after those kept of the stream. The text is owned by the caller. */
char *escaped_output_text(struct escaped_output *output, enum process_stream stream,
                          const char *data, size_t length);

/*
 * The escaped form of what was kept of the stream, and the sequence that resets its colours. The
 * text is owned by the caller. Call it at the end of a stream.
 */
char *escaped_output_rest(struct escaped_output *output, enum process_stream stream);

/*
 * A process_sink whose context is the struct. Writes to stderr with diagnostics_copy(): waits for a
 * slow reader, but not for one that has stopped reading.
 */
process_sink escaped_output_take;

/* Ends the current line if it is incomplete. */
void escaped_output_end(struct escaped_output *output);

void escaped_output_release(struct escaped_output *output);

#endif
