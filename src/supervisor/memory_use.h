/*
 * The memory of one program among several in a container. The kernel keeps a maximum only for the
 * whole life of the container, and a resident set only of processes that are waited for: a program
 * can ignore SIGCHLD, and then no one learns what its children had. So the use of the container is
 * looked at repeatedly. What it was before the program does not count.
 */
#ifndef SUPERVISOR_MEMORY_USE_H
#define SUPERVISOR_MEMORY_USE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/loop.h"
#include "supervisor/figures.h"

struct memory_use {
    const struct figures *figures;            /* borrowed; NULL: it does not look */
    uint64_t before_bytes, peak_before_bytes; /* of the container; FRAME_UNKNOWN: not known */
    uint64_t max_bytes;
    uint64_t last_us; /* figures_clock_us() of the last look */
};

/* A program is about to start. NULL: its memory is not looked at. */
void memory_use_begin(struct memory_use *memory, const struct figures *figures);

/* Looks at the memory; or only if that was long enough ago. */
void memory_use_update(struct memory_use *memory);
void memory_use_sample(struct memory_use *memory);

/* Sees to it that there is a sample in time. */
void memory_use_watch(const struct memory_use *memory, struct loop *loop);

/* The most that the program was seen to use; 0: not known. Call it at the end. */
uint64_t memory_use_bytes(struct memory_use *memory);

#endif
