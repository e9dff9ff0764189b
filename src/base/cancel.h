/*
 * A handle by which somebody else (a signal handler, another thread) asks a piece of work to end.
 */
#ifndef BASE_CANCEL_H
#define BASE_CANCEL_H

#include <stdbool.h>

#include "base/error.h"

struct cancel {
    int fds[2]; /* a pipe: once raised it holds a byte that nobody takes out */
};

#define CANCEL_INIT                                                                                \
    {                                                                                              \
        {                                                                                          \
            -1, -1                                                                                 \
        }                                                                                          \
    }

int cancel_open(struct cancel *cancel, struct error *error);

/* May be called from a signal handler and from any thread, and more than once. */
void cancel_raise(const struct cancel *cancel);

bool cancel_raised(const struct cancel *cancel);

/* The descriptor that is readable once raised, for poll; -1 for a NULL handle. */
int cancel_fd(const struct cancel *cancel);

void cancel_release(struct cancel *cancel);

#endif
