/*
 * What another thread may look at while a request runs.
 */
#ifndef SANDBOX_WATCH_H
#define SANDBOX_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>

struct watch {
    atomic_bool running;        /* the program has begun */
    atomic_ullong output_bytes; /* what it has written so far, both streams */
};

#endif
