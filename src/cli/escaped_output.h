/*
 * What a container writes, shown on stderr as it comes, so that it can do nothing to a terminal: only line breaks and
 * tabs keep their meaning, other control characters are written as \xNN.
 */
#ifndef CLI_SHOWN_OUTPUT_H
#define CLI_SHOWN_OUTPUT_H

#include "base/process.h"
#include "base/strbuf.h"

struct escaped_output {
    struct strbuf rest[2]; /* by stream: the start of a character whose end has not come yet */
    char last;             /* what was written last; '\0' before there was anything */
};

#define ESCAPED_OUTPUT_INIT                                                                        \
    {                                                                                              \
        .last = '\0'                                                                               \
    }

/* The bytes as they are shown, behind those that are kept of the stream; owned by the caller. */
char *escaped_output_text(struct escaped_output *output, enum process_stream stream,
                          const char *data, size_t length);

/*
 * A process_sink; the context is the struct. Writes to stderr, and waits for it until a signal comes
 * (signals_cancel()).
 */
process_sink escaped_output_take;

/* Ends the line, if it is not ended. */
void escaped_output_end(struct escaped_output *output);

void escaped_output_release(struct escaped_output *output);

#endif
