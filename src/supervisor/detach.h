/*
 * DETACH: whether the container has the limits of the program, which isolator sets after a build.
 * Knows nothing of requests, and does not wait: the loop looks again and again.
 */
#ifndef SUPERVISOR_DETACH_H
#define SUPERVISOR_DETACH_H

#include <stdint.h>

#include "supervisor/figures.h"
#include "supervisor/protocol.h"

/* How long is waited until the limits are read again. */
enum { DETACH_WAIT_MS = 20 };

struct detach {
    uint64_t deadline_us; /* figures_clock_us(); 0: none is waited for */
};

enum detach_state { DETACH_WAITS, DETACH_DONE, DETACH_LATE, DETACH_UNKNOWN };

/*
 * Looks at the limits. The copy that KEEP has made has `kept_bytes`. DETACH_LATE: they are still
 * others, `max_ms` after the first look; DETACH_UNKNOWN: the kernel does not say what one of them
 * is. Both, and DETACH_DONE, end the wait.
 */
enum detach_state detach_check(struct detach *detach, const struct frame_detach *frame,
                               const struct figures *figures, uint64_t kept_bytes);

#endif
