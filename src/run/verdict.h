/*
 * The verdict: how a program ended, by what its supervisor reported (END), by what isolator did,
 * and by its limits. It fills in the members of the result that say so. Knows no container, no pipe
 * and no clock, so a result that is read from a log later is computed by the same lines.
 */
#ifndef RUN_VERDICT_H
#define RUN_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "container/supervisor_link.h"
#include "run/result.h"

/* What isolator did to the program. */
enum verdict_stop {
    STOP_NONE,      /* nothing: it ended by itself, or its container did */
    STOP_TIMEOUT,   /* ended it at its timeout */
    STOP_CANCELLED, /* ended it for the caller, or since its output could not be passed on */
    STOP_OUTPUT     /* ended it for writing more than OUTPUT_HARD_MAX */
};

/* The end of a program. All is borrowed. */
struct verdict {
    const struct program_request *request; /* its limits, and whether it is a cell */
    const char *name;                      /* stands for it in messages: "program", "build" */
    const struct frame_end *end;           /* NULL: its container ended without a report */
    enum verdict_stop stop;
    int live_error;        /* errno: why its output could not be passed on; 0: it was */
    int input_error;       /* errno: why its live input ended early; 0: it did not */
    long long measured_ms; /* from BEGUN to here, if there is no report */
};

/*
 * Fills in the result. False: it is not known how the program ended, since its container ended
 * without a report and isolator did nothing; then only the duration is set.
 */
bool verdict_reach(const struct verdict *verdict, struct result *result);

/* In that case, if the kernel has ended the container because memory ran out. */
void verdict_out_of_memory(const struct verdict *verdict, struct result *result);

/* Whether it was a cell, has ended, and its interpreter waits for the next one. */
bool verdict_interpreter_stays(const struct frame_end *end);

/* A figure of struct frame_end; -1: not known. */
long long verdict_figure(uint64_t figure);

#endif
