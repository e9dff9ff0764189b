/*
 * A wait for several descriptors. It is filled again for each wait: the owner of a descriptor adds
 * it if there is something to do with it now, with the function to call then, and limits how long
 * to wait. So what is waited for follows from the state of that moment, and nothing has to be taken
 * out again.
 *
 *     struct loop loop = LOOP_INIT;
 *
 *     link_watch(&link, &loop);
 *     streams_watch(&streams, &loop);
 *     loop_wait(&loop);
 *
 * It needs nothing but the C library: the supervisor compiles it too.
 */
#ifndef BASE_LOOP_H
#define BASE_LOOP_H

#include <poll.h>
#include <stddef.h>

/*
 * Called when something has happened on a descriptor. `number` is of the owner's own, such as that
 * of a stream. Functions that are called before it may have changed the state: so it checks again
 * whether there is anything to do, and its descriptor does not block.
 */
typedef void loop_ready(void *context, int number);

enum { LOOP_MAX = 40 };

struct loop {
    struct pollfd polled[LOOP_MAX];
    struct {
        loop_ready *call;
        void *context;
        int number;
    } ready[LOOP_MAX];
    size_t count;
    int wait_ms; /* -1: without end */
};

#define LOOP_INIT                                                                                  \
    {                                                                                              \
        .count = 0, .wait_ms = -1                                                                  \
    }

/*
 * Waits for POLLIN or POLLOUT, and for the end or failure of the descriptor. The one that is added
 * first is served first. Does nothing for -1. More than LOOP_MAX abort the program.
 */
void loop_add(struct loop *loop, int fd, short events, loop_ready *call, void *context, int number);

/* Waits no longer than this, in milliseconds; -1: without a limit. */
void loop_limit(struct loop *loop, int wait_ms);

/*
 * Waits until something happens or the time is over, and calls the functions of all descriptors on
 * which something has happened. Returns 0. -1 with errno: it has called none, because of a signal
 * (EINTR), or because the system refuses to wait; then some milliseconds pass first, so that a
 * caller who tries again, as lack of memory passes (ENOMEM), does not use up a processor.
 */
int loop_wait(struct loop *loop);

#endif
