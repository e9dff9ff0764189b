#include "base/output.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/linux.h"

/* A terminal that polls writable may have little room; a pipe has room for PIPE_BUF bytes. */
enum { TERMINAL_ROOM = 64 };

/* The pause if poll() reports room, but write() fails with EAGAIN. */
enum { PAUSE_MS = 10 };

void output_open(struct output *output, int stream)
{
    struct stat status;

    *output = (struct output){.stream = stream, .reopened = -1, .kind = OUTPUT_FILE};
    if (fstat(stream, &status) != 0)
        return;
    if (S_ISSOCK(status.st_mode))
        output->kind = OUTPUT_SOCKET;
    else if (S_ISFIFO(status.st_mode))
        output->kind = OUTPUT_PIPE;
    else if (isatty(stream))
        output->kind = OUTPUT_TERMINAL;
    if (output->kind == OUTPUT_PIPE || output->kind == OUTPUT_TERMINAL)
        output->reopened = linux_reopen_nonblocking(stream);
}

void output_release(struct output *output)
{
    if (output->reopened >= 0)
        close(output->reopened);
    output->reopened = -1;
}

static ssize_t write_if_writable(int fd, const char *data, size_t length, size_t room)
{
    struct pollfd polled = {fd, POLLOUT, 0};
    const int ready = poll(&polled, 1, 0);

    if (ready < 0)
        return -1;
    if (ready == 0) {
        errno = EAGAIN;
        return -1;
    }
    return write(fd, data, length < room ? length : room);
}

/* Like write(2) with O_NONBLOCK. */
static ssize_t write_some(const struct output *output, const char *data, size_t length)
{
    if (output->reopened >= 0)
        return write(output->reopened, data, length);
    switch (output->kind) {
    case OUTPUT_SOCKET:
        return send(output->stream, data, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    case OUTPUT_PIPE:
        return write_if_writable(output->stream, data, length, PIPE_BUF);
    case OUTPUT_TERMINAL:
        return write_if_writable(output->stream, data, length, TERMINAL_ROOM);
    case OUTPUT_FILE:
        break;
    }
    return write(output->stream, data, length);
}

/*
 * Waits for room until the deadline, or until `cancel` is raised. Returns 0, or -1 with errno. A
 * terminal may report room for one character and not take a newline, which it writes as two
 * characters. *had_room is true if the last wait ended with room; since that was too little, this
 * wait is a short pause.
 */
static int wait_for_room(const struct output *output, long long deadline,
                         const struct notifier *cancel, bool *had_room)
{
    const long long left = deadline == 0 ? INT_MAX : deadline - clock_now_ms();
    const int longest = *had_room ? PAUSE_MS : left < INT_MAX ? (int)left : INT_MAX;
    struct pollfd polled[] = {
        {notifier_fd(cancel), POLLIN, 0},
        {*had_room ? -1 : output->stream, POLLOUT, 0},
    };

    if (left <= 0) {
        errno = ETIMEDOUT;
        return -1;
    }
    if (poll(polled, 2, longest) < 0)
        return errno == EINTR ? 0 : -1;
    if (polled[0].revents != 0) {
        errno = ECANCELED;
        return -1;
    }
    *had_room = polled[1].revents != 0;
    return 0;
}

size_t output_write(const struct output *output, const char *data, size_t length,
                    long long deadline, const struct notifier *cancel)
{
    size_t done = 0;
    bool had_room = false;

    while (done < length) {
        const ssize_t written = write_some(output, data + done, length - done);

        if (written > 0) {
            done += (size_t)written;
            had_room = false;
        } else if (written == 0 || (errno != EAGAIN && errno != EINTR) ||
                   wait_for_room(output, deadline, cancel, &had_room) != 0) {
            break;
        }
    }
    return done;
}
