/*
 * Where the program's output goes: its head and tail are kept, its bytes counted and, where asked
 * for, passed on as they come.
 */
#ifndef SANDBOX_OUTPUT_H
#define SANDBOX_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/capture.h"
#include "sandbox/request.h"
#include "sandbox/result.h"

struct output {
    struct capture capture[2]; /* stdout, stderr */
    int live[2];               /* descriptors to pass it on to; -1: do not. Borrowed */
    struct watch *watch;       /* borrowed; NULL: nobody looks */
    bool flooded;              /* a stream has passed OUTPUT_HARD_MAX; the rest is dropped */
    int live_error;            /* errno: why nothing more is passed on; 0: it is */
};

void output_init(struct output *output, const struct plan *plan);

/* The program begins; what comes from now on is its. */
void output_begin(struct output *output);

/* Takes bytes of a stream (0 stdout, 1 stderr). */
void output_add(struct output *output, int stream, const char *data, size_t length);

/* Whether the run must end because of its output. */
bool output_must_end(const struct output *output);

/* Forgets what was taken so far. */
void output_forget(struct output *output);

/* Moves texts, counts and flags to the result; nothing is left to be released. */
void output_finish(struct output *output, struct result *result);

#endif
