/*
 * By which threads wake another one that waits in poll(): a main loop, most often.
 */
#ifndef BASE_WAKE_H
#define BASE_WAKE_H

#include "base/error.h"

struct wake {
    int fds[2]; /* a pipe; what is in it does not count */
};

/* ERROR_SYSTEM. */
int wake_open(struct wake *wake, struct error *error);

/* From any thread. */
void wake_up(const struct wake *wake);

/* The descriptor that is readable once somebody woke it; wake_clear() makes it wait again. */
int wake_fd(const struct wake *wake);
void wake_clear(const struct wake *wake);

void wake_release(struct wake *wake);

#endif
