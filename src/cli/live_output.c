#include "cli/live_output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/io.h"
#include "base/signals.h"
#include "base/thread.h"
#include "cli/escaped_output.h"
#include "cli/print.h"
#include "cli/terminal.h"

enum { CHUNK = 4096 };

/* The thread's state of a stream. */
struct shown {
    int *fd; /* the end of the pipe to read; -1: closed */
    enum process_stream stream;
    bool terminal;                  /* where it goes */
    struct escaped_output *escaped; /* of both streams */
    char last;                      /* the last byte that was written */
};

static void write_stream(struct shown *shown, const char *data, size_t length)
{
    if (length == 0)
        return;
    if (shown->stream == PROCESS_STDOUT)
        print_bytes(data, length);
    else
        diagnostics_copy(data, length, signals_cancel());
    shown->last = data[length - 1];
}

static void close_end(int *fd)
{
    cleanup_fd(fd);
    *fd = -1;
}

/* Passes on what a stream has. If stdout takes no more, the run gets EPIPE, and ends. */
static void pass(struct shown *shown)
{
    CLEANUP_FREE char *text = NULL;
    char data[CHUNK];
    const ssize_t length = read(*shown->fd, data, sizeof data);

    if (length > 0 && shown->terminal)
        text = escaped_output_text(shown->escaped, shown->stream, data, (size_t)length);
    if (length > 0)
        write_stream(shown, text ? text : data, text ? strlen(text) : (size_t)length);
    if (length == 0 || (length < 0 && errno != EINTR && errno != EAGAIN) ||
        (shown->stream == PROCESS_STDOUT && print_failure() != 0))
        close_end(shown->fd);
}

/* What is left of an escape sequence; the colours of before; and the end of the line. */
static void end_stream(struct shown *shown)
{
    CLEANUP_FREE char *text = NULL;
    const char last = shown->last;

    if (!shown->terminal)
        return;
    text = escaped_output_rest(shown->escaped, shown->stream);
    write_stream(shown, text, strlen(text));
    if (last != '\n')
        write_stream(shown, "\n", 1);
}

/* The thread. There is one for both streams, so that a terminal shows them in one order. */
static void *show(void *context)
{
    struct live_output *output = context;
    CLEANUP(escaped_output_release) struct escaped_output escaped = ESCAPED_OUTPUT_INIT;
    struct shown shown[2] = {
        {&output->pipes[0][0], PROCESS_STDOUT, isatty(STDOUT_FILENO) == 1, &escaped, '\n'},
        {&output->pipes[1][0], PROCESS_STDERR, isatty(STDERR_FILENO) == 1, &escaped, '\n'},
    };

    /* Colours that one stream leaves on would colour the other. */
    escaped.colours = terminal_has_colours(STDOUT_FILENO) && terminal_has_colours(STDERR_FILENO);
    while (*shown[0].fd >= 0 || *shown[1].fd >= 0) {
        struct pollfd polled[2] = {{*shown[0].fd, POLLIN, 0}, {*shown[1].fd, POLLIN, 0}};

        if (io_poll(polled, 2, -1) < 0)
            continue;
        for (int i = 0; i < 2; i++)
            if (polled[i].revents != 0)
                pass(&shown[i]);
    }
    for (int i = 0; i < 2; i++)
        end_stream(&shown[i]);
    return NULL;
}

static void close_pipes(struct live_output *output)
{
    for (int i = 0; i < 2; i++)
        for (int end = 0; end < 2; end++)
            close_end(&output->pipes[i][end]);
}

int live_output_begin(struct live_output *output, struct error *error)
{
    *output = (struct live_output){.pipes = {{-1, -1}, {-1, -1}}};
    for (int i = 0; i < 2; i++) {
        if (pipe(output->pipes[i]) != 0) {
            error_set_errno(error, ERROR_SYSTEM, "cannot make a pipe");
            close_pipes(output);
            return -1;
        }
        fcntl(output->pipes[i][0], F_SETFD, FD_CLOEXEC);
        fcntl(output->pipes[i][1], F_SETFD, FD_CLOEXEC);
        output->observer.live[i] = output->pipes[i][1];
    }
    if (thread_start(&output->thread, show, output) == 0)
        return 0;
    error_set_errno(error, ERROR_SYSTEM, "cannot start a thread");
    close_pipes(output);
    return -1;
}

void live_output_end(struct live_output *output)
{
    close_end(&output->pipes[0][1]);
    close_end(&output->pipes[1][1]);
    pthread_join(output->thread, NULL);
    close_pipes(output);
}
