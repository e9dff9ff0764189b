/*
 * Where the program's output goes: its head and tail are kept, its bytes counted and, where asked
 * for, passed on as they come.
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
    int live[2];               /* descriptors to pass it on to; -1: do not. Borrowed */
    struct output to[2];       /* the same, opened when the first byte is passed on */
    bool is_open[2];
    long long deadline;            /* of output_sink_wait() */
    const struct notifier *cancel; /* likewise; borrowed */
    struct run_stats *stats;       /* borrowed; NULL: nobody looks */
    bool flooded;                  /* a stream has passed OUTPUT_HARD_MAX; the rest is dropped */
    int live_error;                /* errno: why nothing more is passed on; 0: it is */
};

void output_sink_init(struct output_sink *output, const struct plan *plan,
                      const struct run_observer *observer);

/* The program begins; what comes from now on is its. */
void output_sink_begin(struct output_sink *output);

/*
 * Until when output_sink_add() may wait for room where it passes bytes on, which a terminal may
 * need that somebody stops: until the deadline (clock_now_ms(); 0: none), or until `cancel` (may be
 * NULL) is raised. What does not fit by then is not passed on.
 */
void output_sink_wait(struct output_sink *output, long long deadline,
                      const struct notifier *cancel);

/* Takes bytes of a stream (0 stdout, 1 stderr). */
void output_sink_add(struct output_sink *output, int stream, const char *data, size_t length);

/* Whether the run must end because of its output. */
bool output_sink_must_end(const struct output_sink *output);

/* Forgets what was taken so far. */
void output_sink_forget(struct output_sink *output);

/* Moves texts, counts and flags to the result; nothing is left to be released. */
void output_sink_finish(struct output_sink *output, struct result *result);

#endif
