/*
 * How many runs may be active at a time while it is not known how many the engine can take.
 *
 * An engine that is asked for 64 containers at once answers none of them in time. So a ramp begins
 * with CONCURRENCY_RAMP_START. Each run whose program has begun allows one more at a time. After a
 * failure of the engine half as many are allowed, and from there each further one has to be earned
 * by as many successes as there are runs (additive increase, multiplicative decrease, as in TCP,
 * RFC 5681).
 *
 * Knows only numbers; not thread-safe.
 */
#ifndef SERVICE_CONCURRENCY_RAMP_H
#define SERVICE_CONCURRENCY_RAMP_H

#include <stdbool.h>

enum { CONCURRENCY_RAMP_START = 2 };

struct concurrency_ramp {
    bool gradual;   /* see concurrency_ramp_init() */
    int max;        /* never more at a time */
    int allowed;    /* so many at a time now; at least 1 */
    int threshold;  /* below it, each success allows one more */
    int successes;  /* at or above it: those that have not allowed one more yet */
    unsigned round; /* how often it was lowered */
};

/* If it is not `gradual`, `max` runs are allowed from the start, whatever happens. */
void concurrency_ramp_init(struct concurrency_ramp *ramp, int max, bool gradual);

/* A program has begun. Returns whether one more is allowed. */
bool concurrency_ramp_add_success(struct concurrency_ramp *ramp);

/*
 * The engine failed a run that was started when ramp.round had this value. Runs of one round that
 * fail together lower the number only once.
 */
void concurrency_ramp_add_failure(struct concurrency_ramp *ramp, unsigned round);

#endif
