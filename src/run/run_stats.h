/*
 * How others take part in a run while it goes on: its figures, copies of its output, and who is
 * asked about calls of tools.
 */
#ifndef RUN_RUN_STATS_H
#define RUN_RUN_STATS_H

#include <stdatomic.h>
#include <stddef.h>

#include "tools/tool_consent.h"

struct case_result;

/* Figures that any thread may read at any time. */
struct run_stats {
    atomic_bool running;        /* the program has begun */
    atomic_ullong output_bytes; /* bytes that it has written so far to both streams */
};

/* Where the progress of a run goes, and its questions. All is borrowed until the run has ended. */
struct run_observer {
    int live[2]; /* descriptors to which stdout and stderr are copied as they arrive; -1: none */
    struct run_stats *stats; /* kept up to date; NULL: none */
    /* Called when the program has begun. The service sets it. NULL: none. */
    void (*begun)(void *context);
    void *context; /* the argument of begun() */
    /*
     * Called after each test that ran, with its place among the tests of the request, by the thread
     * of the run, which waits meanwhile. NULL: none.
     */
    void (*test_ended)(void *context, size_t place, const struct case_result *result);
    void *test_context; /* its first argument */
    /* Asks a person about calls of tools. NULL: there is no one to ask. */
    const struct tool_asker *asker;
};

#define RUN_OBSERVER_INIT                                                                          \
    {                                                                                              \
        .live = { -1, -1 }                                                                         \
    }

#endif
