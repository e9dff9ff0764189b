#include "mcp/outbox.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/duration.h"

/* A handful of the largest messages. */
enum { FULL = 4 << 20 };

static void write_all(struct outbox *outbox, const char *data, size_t length)
{
    struct pollfd writable = {outbox->fd, POLLOUT, 0};

    while (length > 0) {
        const ssize_t written = write(outbox->fd, data, length);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 && errno == EAGAIN) { /* whoever has the same end open made it so */
            poll(&writable, 1, -1);
            continue;
        }
        if (written < 0) {
            const int reason = errno;

            pthread_mutex_lock(&outbox->lock);
            outbox->broken = reason;
            pthread_mutex_unlock(&outbox->lock);
            return;
        }
        data += written;
        length -= (size_t)written;
    }
}

/* Writes what waits now, without the lock. */
static void write_waiting(struct outbox *outbox)
{
    struct strbuf taken = outbox->waiting;
    bool was_full;

    outbox->waiting = (struct strbuf)STRBUF_INIT;
    pthread_mutex_unlock(&outbox->lock);
    write_all(outbox, taken.data, taken.length);
    pthread_mutex_lock(&outbox->lock);
    was_full = outbox->unwritten > FULL;
    outbox->unwritten -= taken.length;
    strbuf_release(&taken);
    pthread_cond_broadcast(&outbox->changed);
    if (was_full || outbox->broken)
        wake_up(outbox->wake);
}

/* The thread, until the end. */
static void *write_lines(void *context)
{
    struct outbox *outbox = context;

    pthread_mutex_lock(&outbox->lock);
    while (!outbox->broken && !(outbox->ended && outbox->unwritten == 0)) {
        if (outbox->unwritten > 0)
            write_waiting(outbox);
        else
            pthread_cond_wait(&outbox->changed, &outbox->lock);
    }
    pthread_mutex_unlock(&outbox->lock);
    return NULL;
}

int outbox_start(struct outbox *outbox, int fd, const struct wake *wake, struct error *error)
{
    pthread_condattr_t attributes;

    *outbox = (struct outbox){.fd = fd, .wake = wake};
    pthread_mutex_init(&outbox->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&outbox->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    errno = pthread_create(&outbox->thread, NULL, write_lines, outbox);
    return errno == 0 ? 0 : error_set_errno(error, ERROR_SYSTEM, "cannot start a thread");
}

void outbox_put(struct outbox *outbox, char *line, size_t length)
{
    pthread_mutex_lock(&outbox->lock);
    if (!outbox->broken) {
        strbuf_add(&outbox->waiting, line, length);
        outbox->unwritten += length;
        pthread_cond_broadcast(&outbox->changed);
    }
    pthread_mutex_unlock(&outbox->lock);
    free(line);
}

bool outbox_full(struct outbox *outbox)
{
    bool full;

    pthread_mutex_lock(&outbox->lock);
    full = outbox->unwritten > FULL && !outbox->broken;
    pthread_mutex_unlock(&outbox->lock);
    return full;
}

void outbox_wait(struct outbox *outbox)
{
    pthread_mutex_lock(&outbox->lock);
    while (outbox->unwritten > FULL && !outbox->broken && !outbox->hurrying)
        pthread_cond_wait(&outbox->changed, &outbox->lock);
    pthread_mutex_unlock(&outbox->lock);
}

int outbox_broken(struct outbox *outbox)
{
    int broken;

    pthread_mutex_lock(&outbox->lock);
    broken = outbox->broken;
    pthread_mutex_unlock(&outbox->lock);
    return broken;
}

void outbox_hurry(struct outbox *outbox)
{
    pthread_mutex_lock(&outbox->lock);
    outbox->hurrying = true;
    pthread_cond_broadcast(&outbox->changed);
    pthread_mutex_unlock(&outbox->lock);
}

int outbox_finish(struct outbox *outbox, long long deadline)
{
    const struct timespec until = {deadline / 1000, deadline % 1000 * 1000000};
    int late = 0;

    pthread_mutex_lock(&outbox->lock);
    outbox->ended = true;
    pthread_cond_broadcast(&outbox->changed);
    while (outbox->unwritten > 0 && !outbox->broken && late == 0)
        late = pthread_cond_timedwait(&outbox->changed, &outbox->lock, &until);
    pthread_mutex_unlock(&outbox->lock);
    if (late != 0)
        return -1;
    pthread_join(outbox->thread, NULL);
    strbuf_release(&outbox->waiting);
    pthread_cond_destroy(&outbox->changed);
    pthread_mutex_destroy(&outbox->lock);
    return 0;
}
