#include "cli/session_output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "cli/escaped_output.h"
#include "cli/print.h"
#include "cli/run_request.h"

enum { CHUNK = 4096 };

/* Passes on what a stream has. Returns false at its end. */
static bool pass(struct escaped_output *escaped, int fd, enum process_stream stream, char *last)
{
    char data[CHUNK];
    const ssize_t length = read(fd, data, sizeof data);

    if (length < 0)
        return errno == EINTR || errno == EAGAIN;
    if (length > 0) {
        CLEANUP_FREE char *text = escaped_output_text(escaped, stream, data, (size_t)length);

        print_text(text);
        if (*text)
            *last = text[strlen(text) - 1];
    }
    return length > 0;
}

/* The thread. Both streams go to the terminal, so that they come in one order. */
static void *show(void *context)
{
    struct session_output *output = context;
    CLEANUP(escaped_output_release) struct escaped_output escaped = ESCAPED_OUTPUT_INIT;
    struct pollfd polled[2] = {{output->pipes[0][0], POLLIN, 0}, {output->pipes[1][0], POLLIN, 0}};
    char last = '\n';

    while (polled[0].fd >= 0 || polled[1].fd >= 0) {
        if (io_poll(polled, 2, -1) < 0)
            continue;
        for (int i = 0; i < 2; i++)
            if (polled[i].fd >= 0 && polled[i].revents != 0 &&
                !pass(&escaped, polled[i].fd, i == 0 ? PROCESS_STDOUT : PROCESS_STDERR, &last))
                polled[i].fd = -1;
    }
    if (last != '\n')
        print_text("\n");
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
    return result->reason == REASON_EXCEPTION || result->reason == REASON_BUILD ||
           result->reason == REASON_EXIT;
}

void session_output_result(const struct result *result, const char *label)
{
    const struct session_result *session = result->session;

    if (session && session->has_value) {
        CLEANUP(escaped_output_release) struct escaped_output escaped = ESCAPED_OUTPUT_INIT;
        CLEANUP_FREE char *value = escaped_output_text(
            &escaped, PROCESS_STDOUT, strbuf_string(&session->value), session->value.length);

        print_format("%s%s%s\n", label, value, session->value_cut ? "..." : "");
    }
    run_request_print_messages(result, !says_why(result));
}
