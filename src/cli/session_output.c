#include "cli/session_output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/io.h"
#include "base/signals.h"
#include "cli/escaped_output.h"
#include "cli/print.h"
#include "cli/run_request.h"

enum { CHUNK = 4096 };

/* The thread's state of a stream. */
struct shown {
    int fd; /* the pipe */
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

/* Passes on what a stream has. */
static void pass(struct shown *shown)
{
    CLEANUP_FREE char *text = NULL;
    char data[CHUNK];
    const ssize_t length = read(shown->fd, data, sizeof data);

    if (length == 0 || (length < 0 && errno != EINTR && errno != EAGAIN))
        shown->fd = -1;
    if (length <= 0)
        return;
    if (shown->terminal)
        text = escaped_output_text(shown->escaped, shown->stream, data, (size_t)length);
    write_stream(shown, text ? text : data, text ? strlen(text) : (size_t)length);
}

/* The thread. There is one for both streams, so that a terminal shows them in one order. */
static void *show(void *context)
{
    const struct session_output *output = context;
    CLEANUP(escaped_output_release) struct escaped_output escaped = ESCAPED_OUTPUT_INIT;
    struct shown shown[2] = {
        {output->pipes[0][0], PROCESS_STDOUT, isatty(STDOUT_FILENO) == 1, &escaped, '\n'},
        {output->pipes[1][0], PROCESS_STDERR, isatty(STDERR_FILENO) == 1, &escaped, '\n'},
    };

    while (shown[0].fd >= 0 || shown[1].fd >= 0) {
        struct pollfd polled[2] = {{shown[0].fd, POLLIN, 0}, {shown[1].fd, POLLIN, 0}};

        if (io_poll(polled, 2, -1) < 0)
            continue;
        for (int i = 0; i < 2; i++)
            if (polled[i].revents != 0)
                pass(&shown[i]);
    }
    for (int i = 0; i < 2; i++)
        if (shown[i].terminal && shown[i].last != '\n')
            write_stream(&shown[i], "\n", 1);
    return NULL;
}

static void close_pipes(struct session_output *output)
{
    for (int i = 0; i < 2; i++)
        for (int end = 0; end < 2; end++)
            cleanup_fd(&output->pipes[i][end]);
}

int session_output_begin(struct session_output *output, struct error *error)
{
    *output = (struct session_output){.pipes = {{-1, -1}, {-1, -1}}};
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
    errno = pthread_create(&output->thread, NULL, show, output);
    if (errno == 0)
        return 0;
    error_set_errno(error, ERROR_SYSTEM, "cannot start a thread");
    close_pipes(output);
    return -1;
}

void session_output_end(struct session_output *output)
{
    cleanup_fd(&output->pipes[0][1]);
    cleanup_fd(&output->pipes[1][1]);
    pthread_join(output->thread, NULL);
    close_pipes(output);
}

/* Whether the program has said itself why it failed. */
static bool says_why(const struct result *result)
{
    return result->reason == REASON_EXCEPTION || result->reason == REASON_EXIT;
}

static void print_value(const struct session_result *session, const char *label)
{
    CLEANUP(escaped_output_release) struct escaped_output escaped = ESCAPED_OUTPUT_INIT;
    CLEANUP_FREE char *text = NULL;

    if (isatty(STDOUT_FILENO))
        text = escaped_output_text(&escaped, PROCESS_STDOUT, session->value.data,
                                   session->value.length);
    print_text(label);
    print_bytes(text ? text : session->value.data, text ? strlen(text) : session->value.length);
    print_text(session->value_cut ? "...\n" : "\n");
}

void session_output_result(const struct result *result, const char *label)
{
    if (result->session && result->session->has_value)
        print_value(result->session, label);
    run_request_print_messages(result, !says_why(result));
}
