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
#include "config/plan.h"
#include "run/result.h"
#include "run/run_stats.h"

struct output_sink {
    struct capture capture[2]; /* stdout, stderr */
    int live[2];               /* descriptors to copy the streams to; borrowed; -1: none */
    struct output to[2];       /* the same, opened when the first byte is copied */
    bool is_open[2];
    long long deadline;            /* of output_sink_wait() */
    const struct notifier *cancel; /* likewise; borrowed */
    struct run_stats *stats;       /* borrowed; NULL: none */
    bool flooded;                  /* a stream has passed OUTPUT_HARD_MAX; the rest is dropped */
    int live_error;                /* errno of a copy that failed and ended copying; 0: none */
};

/* Borrows what the observer points to. output_sink_finish() releases the sink. */
void output_sink_init(struct output_sink *output, const struct plan *plan,
                      const struct run_observer *observer);

/* Tells the sink that the program begins, for the statistics of the observer. */
void output_sink_begin(struct output_sink *output);

/*
 * Sets how long output_sink_add() may wait if the destination of a copy is full, such as a terminal
 * that was stopped with Ctrl-S: until the deadline (clock_now_ms(); 0: none), or until `cancel`
 * (may be NULL) is raised. Bytes that do not fit by then are not copied.
 */
void output_sink_wait(struct output_sink *output, long long deadline,
                      const struct notifier *cancel);

/* Takes bytes of a stream (0 stdout, 1 stderr). */
void output_sink_add(struct output_sink *output, int stream, const char *data, size_t length);

/* Whether the run must end: the output is too large, or copying it has failed. */
bool output_sink_must_end(const struct output_sink *output);

/* Forgets the output so far, which did not come from the program. */
void output_sink_forget(struct output_sink *output);

/* Moves texts, counts and flags to the result, and releases the sink. */
void output_sink_finish(struct output_sink *output, struct result *result);

#endif
