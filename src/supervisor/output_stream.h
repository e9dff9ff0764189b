/*
 * One of the program's output streams: passes on what is written to its pipe, as far as isolator
 * has granted, and counts it. In a script it passes on the head, and keeps the tail until the end.
 * Knows nothing of requests.
 */
#ifndef SUPERVISOR_OUTPUT_STREAM_H
#define SUPERVISOR_OUTPUT_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "base/loop.h"
#include "supervisor/frame_link.h"
#include "supervisor/tail_buffer.h"

struct output_stream {
    struct frame_link *link; /* borrowed */
    enum frame_channel channel;
    int *fd;          /* our end of the pipe, in struct program; borrowed */
    uint64_t written; /* bytes that were read */
    uint64_t max;     /* of them */
    uint64_t left;    /* bytes that are still passed on */
    bool exceeded;    /* event: it has written more than `max`, and nothing more is passed on */
    uint64_t (*clock_us)(void); /* figures_clock_us(), but in tests */
    /* Reads of only a few bytes: how many in a row, and the time of the last one. */
    unsigned reads;
    uint64_t last_us;
    /* In a script. */
    uint64_t head_max, head_left; /* bytes that are passed on as they come; UINT64_MAX elsewhere */
    uint64_t beyond;              /* bytes that came after them */
    struct tail_buffer tail;      /* the last of these */
    unsigned small;               /* pieces of few bytes that were passed on */
};

/* Opens no stream: `max` is 0. */
void output_stream_init(struct output_stream *stream, struct frame_link *link,
                        enum frame_channel channel, int *fd);

/*
 * Takes the memory for the next program of a script, of whose output so many first and last bytes
 * are sent. False: there is none.
 */
bool output_stream_limit(struct output_stream *stream, uint64_t head_max, uint64_t tail_max);

/* Begins to pass on the output of a program, up to so many bytes. */
void output_stream_begin(struct output_stream *stream, uint64_t max);

/* Passes on what is in the pipe now, and nothing that is written later; or all of it again. */
void output_stream_pass_pending(struct output_stream *stream);
void output_stream_pass_all(struct output_stream *stream);

/* Whether bytes are still to be passed on. */
bool output_stream_is_writing(const struct output_stream *stream);

/*
 * Sends OMITTED and the tail, if there are any, as far as there is room. False: more is left. Call
 * it when nothing more is written.
 */
bool output_stream_finish(struct output_stream *stream);

/*
 * Passes on output when there is some, as far as there is credit and room. `gathers`: bytes that
 * come one by one may wait a little, so that they are sent together.
 */
void output_stream_watch(struct output_stream *stream, struct loop *loop, bool gathers);

#endif
