#include "base/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

enum { PAUSE_MS = 20 };

void loop_add(struct loop *loop, int fd, short events, loop_ready *call, void *context, int number)
{
    if (fd < 0)
        return;
    if (loop->count == LOOP_MAX)
        abort();
    loop->polled[loop->count] = (struct pollfd){fd, events, 0};
    loop->ready[loop->count].call = call;
    loop->ready[loop->count].context = context;
    loop->ready[loop->count].number = number;
    loop->count++;
}

void loop_limit(struct loop *loop, int wait_ms)
{
    if (wait_ms >= 0 && (loop->wait_ms < 0 || wait_ms < loop->wait_ms))
        loop->wait_ms = wait_ms;
}

int loop_wait(struct loop *loop)
{
    if (poll(loop->polled, loop->count, loop->wait_ms) < 0) {
        const int number = errno;

        if (number != EINTR)
            nanosleep(&(struct timespec){0, PAUSE_MS * 1000000L}, NULL);
        errno = number;
        return -1;
    }
    for (size_t i = 0; i < loop->count; i++)
        if (loop->polled[i].revents != 0)
            loop->ready[i].call(loop->ready[i].context, loop->ready[i].number);
    return 0;
}
