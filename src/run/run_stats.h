/*
 * What another thread may look at while a request runs.
 */
#ifndef RUN_RUN_STATS_H
#define RUN_RUN_STATS_H

#include <stdatomic.h>
#include <stdbool.h>

struct run_stats {
    atomic_bool running;        /* the program has begun */
    atomic_ullong output_bytes; /* what it has written so far, both streams */
};

#endif
