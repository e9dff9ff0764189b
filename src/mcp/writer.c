#include "mcp/writer.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/io.h"
#include "base/thread.h"

/* Four of the largest messages (MESSAGE_MAX in mcp/responder.h). */
enum { WAITING_MAX = 4 << 20 };

static void write_all(struct writer *writer, const char *data, size_t length)
{
    struct pollfd writable = {writer->fd, POLLOUT, 0};

    while (length > 0) {
        const ssize_t written = write(writer->fd, data, length);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 && errno == EAGAIN) { /* another process has set O_NONBLOCK on it */
            io_poll(&writable, 1, -1);
            continue;
        }
        if (written < 0) {
            const int reason = errno;

            pthread_mutex_lock(&writer->lock);
            writer->broken = reason;
            pthread_mutex_unlock(&writer->lock);
            return;
        }
        data += written;
        length -= (size_t)written;
    }
}

/* Writes the lines that wait now. The caller has the lock, which is released while it writes. */
static void write_waiting(struct writer *writer)
{
    struct strbuf taken = writer->waiting;
    bool was_full;

    writer->waiting = (struct strbuf)STRBUF_INIT;
    pthread_mutex_unlock(&writer->lock);
    write_all(writer, taken.data, taken.length);
    pthread_mutex_lock(&writer->lock);
    was_full = writer->unwritten > WAITING_MAX;
    writer->unwritten -= taken.length;
    writer->written += taken.length;
    strbuf_release(&taken);
    pthread_cond_broadcast(&writer->changed);
    if (was_full || writer->broken)
        notifier_raise(writer->wake);
}

/* The thread. It ends after writer_finish() or a failed write. */
static void *write_lines(void *context)
{
    struct writer *writer = context;

    THREAD_LOCK(&writer->lock);
    while (!writer->broken && !(writer->finished && writer->unwritten == 0)) {
        if (writer->unwritten > 0)
            write_waiting(writer);
        else
            pthread_cond_wait(&writer->changed, &writer->lock);
    }
    return NULL;
}

int writer_start(struct writer *writer, int fd, const struct notifier *wake, struct error *error)
{
    pthread_condattr_t attributes;

    *writer = (struct writer){.fd = fd, .wake = wake};
    pthread_mutex_init(&writer->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&writer->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (thread_start(&writer->thread, write_lines, writer) != 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot start a thread");
    return 0;
}

void writer_put(struct writer *writer, char *line, size_t length)
{
    pthread_mutex_lock(&writer->lock);
    if (!writer->broken) {
        strbuf_add(&writer->waiting, line, length);
        writer->unwritten += length;
        writer->put += length;
        pthread_cond_broadcast(&writer->changed);
    }
    pthread_mutex_unlock(&writer->lock);
    free(line);
}

bool writer_full(struct writer *writer)
{
    THREAD_LOCK(&writer->lock);
    return writer->unwritten > WAITING_MAX && !writer->broken;
}

void writer_wait(struct writer *writer)
{
    THREAD_LOCK(&writer->lock);
    while (writer->unwritten > WAITING_MAX && !writer->broken && !writer->ending)
        pthread_cond_wait(&writer->changed, &writer->lock);
}

bool writer_flush(struct writer *writer)
{
    unsigned long long all;
    bool written;

    THREAD_LOCK(&writer->lock);
    all = writer->put;
    while (writer->written < all && !writer->broken && !writer->ending)
        pthread_cond_wait(&writer->changed, &writer->lock);
    written = writer->written >= all && !writer->broken;
    return written;
}

int writer_broken(struct writer *writer)
{
    THREAD_LOCK(&writer->lock);
    return writer->broken;
}

void writer_stop_waiting(struct writer *writer)
{
    THREAD_LOCK(&writer->lock);
    writer->ending = true;
    pthread_cond_broadcast(&writer->changed);
}

int writer_finish(struct writer *writer, long long deadline)
{
    const struct timespec until = {deadline / 1000, deadline % 1000 * 1000000};
    int late = 0;

    pthread_mutex_lock(&writer->lock);
    writer->finished = true;
    pthread_cond_broadcast(&writer->changed);
    while (writer->unwritten > 0 && !writer->broken && late == 0)
        late = pthread_cond_timedwait(&writer->changed, &writer->lock, &until);
    pthread_mutex_unlock(&writer->lock);
    if (late != 0)
        return -1;
    pthread_join(writer->thread, NULL);
    strbuf_release(&writer->waiting);
    pthread_cond_destroy(&writer->changed);
    pthread_mutex_destroy(&writer->lock);
    return 0;
}
