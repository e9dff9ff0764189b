/*
 * The program's stdin, or what goes to the relay: bytes that have arrived and are not written to
 * its pipe yet, and the credit that isolator gets for those that were. Knows nothing of requests.
 */
#ifndef SUPERVISOR_INPUT_STREAM_H
#define SUPERVISOR_INPUT_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/loop.h"
#include "supervisor/connection.h"

struct input_stream {
    struct connection *connection;  /* borrowed */
    enum frame_type type;           /* FRAME_STDIN or FRAME_NETWORK */
    int *fd;                        /* our end of the pipe; borrowed */
    char bytes[FRAME_STDIN_WINDOW]; /* a ring */
    size_t first, filled;
    size_t taken; /* not granted again yet; 0 in a script, which needs no credit */
    bool ended;   /* no more bytes follow */
    bool closed;  /* the program takes no more: the rest is discarded */
};

/* Writes to all its memory. */
void input_stream_init(struct input_stream *stream, struct connection *connection,
                       enum frame_type type, int *fd);

/* Begins again, for another program. */
void input_stream_reset(struct input_stream *stream);

/* Whether so many bytes can be kept now. */
bool input_stream_has_room(const struct input_stream *stream, size_t length);

/* Keeps bytes for the program. False: more than was granted. */
bool input_stream_add(struct input_stream *stream, const char *bytes, size_t length);

/* Points to bytes that are kept, and returns how many follow there; 0: there are none. */
size_t input_stream_peek(const struct input_stream *stream, const char **bytes);

/* So many of them were taken: grants as many again, once they are many; nothing in a script. */
void input_stream_consume(struct input_stream *stream, size_t length);

/* Writes bytes to the pipe, if it has room. If the program has closed its stdin, sends
 * STDIN_CLOSED. */
void input_stream_write(struct input_stream *stream);

/* Writes bytes when the pipe has room. */
void input_stream_watch(struct input_stream *stream, struct loop *loop);

/* Closes the pipe if the program has got all that there is. */
void input_stream_finish(struct input_stream *stream);

/* Closes the pipe. */
void input_stream_close(struct input_stream *stream);

#endif
