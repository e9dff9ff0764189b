/*
 * Takes the output of a program: keeps the head and the tail of each stream, counts its bytes and,
 * if a run_observer asks for it, copies them to a descriptor as they arrive.
 */
#ifndef RUN_OUTPUT_SINK_H
#define RUN_OUTPUT_SINK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/capture.h"
#include "base/output.h"
#include "base/strbuf.h"
#include "compare/comparison.h"
#include "container/channel.h"
#include "run/result.h"
#include "run/run_stats.h"
#include "run/transcript.h"

struct output_sink {
    struct capture capture[2]; /* stdout, stderr */
    int live[2];               /* descriptors to copy the streams to; borrowed; -1: none */
    struct output to[2];       /* `live`, opened when the first byte is copied */
    bool is_open[2];
    struct strbuf waiting[2];      /* what is to be passed on and did not fit yet */
    int destinations[2];           /* where room is waited for; -1: nowhere */
    size_t taken[2];               /* bytes that are dealt with; see output_sink_take() */
    struct comparison *comparison; /* gets stdout too; borrowed; NULL: none */
    /* Of an interaction: gets stdout too; borrowed; NULL: none. The reader of a pipe may have
     * ended: what follows is dropped. */
    struct transcript *transcript;
    enum transcript_side side;
    bool is_piped;
    struct run_stats *stats;      /* borrowed; NULL: no figures are wanted */
    void (*begun)(void *context); /* called when the program has begun; NULL: not wanted */
    void *context;
    bool has_gap;   /* bytes were left out: the supervisor alone counts against OUTPUT_HARD_MAX */
    bool flooded;   /* a stream has passed OUTPUT_HARD_MAX; the rest is dropped */
    int live_error; /* errno: why nothing more is passed on; 0: it is */
};

/*
 * Keeps up to `limit` bytes of each stream. Borrows what the observer points to.
 * output_sink_finish() releases the sink.
 */
void output_sink_init(struct output_sink *output, size_t limit,
                      const struct run_observer *observer);

/* Tells the sink, and with it the observer, that the program has begun. */
void output_sink_begin(struct output_sink *output);

/*
 * Takes bytes of a stream (0 stdout, 1 stderr), and passes them on as far as there is room. Does
 * not wait for room: the rest follows with output_sink_flush().
 */
void output_sink_add(struct output_sink *output, int stream, const char *data, size_t length);

/* So many bytes of a stream are left out here, see capture_skip(). */
void output_sink_skip(struct output_sink *output, int stream, unsigned long long length);

/* Passes on what waits, as far as there is room. */
void output_sink_flush(struct output_sink *output, int stream);

/* Whether everything was passed on, or cannot be. */
bool output_sink_is_flushed(const struct output_sink *output);

/*
 * Returns how many bytes of the stream were dealt with since the last call, so that the program may
 * write as many more. While no one reads them where they are passed on, there are none.
 */
size_t output_sink_take(struct output_sink *output, int stream);

/* Whether the run must end because of its output. */
bool output_sink_must_end(const struct output_sink *output);

/*
 * Passes nothing on any more, so that nothing waits for room and no descriptor is left that was
 * opened for that; bytes are still kept and counted.
 */
void output_sink_detach(struct output_sink *output);

/* What takes a stream of a program for the sink. */
struct channel output_sink_channel(struct output_sink *output, int stream);

/* Moves texts and flags to the result, adds the counts to it, and releases the sink. */
void output_sink_finish(struct output_sink *output, struct result *result);

#endif
