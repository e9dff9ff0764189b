/*
 * What others may follow while a run is under way.
 */
#ifndef RUN_RUN_STATS_H
#define RUN_RUN_STATS_H

#include <stdatomic.h>
#include <stdbool.h>

/* Figures that any thread may read at any time. */
struct run_stats {
    atomic_bool running;        /* the program has begun */
    atomic_ullong output_bytes; /* what it has written so far, both streams */
};

/* Who follows a run. All are borrowed until the run has ended. */
struct run_observer {
    int live[2];             /* descriptors that take stdout and stderr as they come; -1: none */
    struct run_stats *stats; /* kept up to date; NULL: nobody looks */
};

#define RUN_OBSERVER_INIT                                                                          \
    {                                                                                              \
        .live = { -1, -1 }                                                                         \
    }

#endif
