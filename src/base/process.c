#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/linux.h"

extern char **environ;

enum { CHUNK = 65536 };

/* Opens a close-on-exec pipe; our end of it does not block. */
static int make_pipe(int pipe_fds[2], int ours)
{
    if (linux_pipe(pipe_fds) != 0)
        return -1;
    fcntl(pipe_fds[ours], F_SETFL, O_NONBLOCK);
    return 0;
}

static int spawn(struct process *process, char *const *argv, const int child[3])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int result;

    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawn_file_actions_init(&actions);
    for (int fd = 0; fd < 3; fd++) {
        if (child[fd] < 0)
            posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
        else
            posix_spawn_file_actions_adddup2(&actions, child[fd], fd);
    }
    result = posix_spawnp(&process->pid, argv[0], &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (result != 0)
        process->pid = 0;
    errno = result;
    return result == 0 ? 0 : -1;
}

/* Opens an output stream. *child is the end of the child, owned by the caller. */
static int open_output(struct process *process, bool show, enum process_stream stream, int *child,
                       struct error *error)
{
    int ends[2];

    if (show) {
        *child = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
        return *child >= 0 ? 0
                           : error_set_errno(error, ERROR_SYSTEM, "cannot duplicate a descriptor");
    }
    if (make_pipe(ends, 0) != 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot make a pipe");
    process->out[stream] = ends[0];
    *child = ends[1];
    return 0;
}

static int start(struct process *process, const struct process_options *options,
                 struct error *error)
{
    CLEANUP_FD int child_in = -1;
    CLEANUP_FD int child_out = -1;
    CLEANUP_FD int child_err = -1;
    int in[2];

    if (open_output(process, options->show_stdout, PROCESS_STDOUT, &child_out, error) != 0 ||
        open_output(process, false, PROCESS_STDERR, &child_err, error) != 0)
        return -1;
    if (options->stdin_kind == PROCESS_STDIN_PIPE) {
        if (make_pipe(in, 1) != 0)
            return error_set_errno(error, ERROR_SYSTEM, "cannot make a pipe");
        child_in = in[0];
        process->in = in[1];
    } else if (options->stdin_kind == PROCESS_STDIN_FILE) {
        lseek(options->stdin_file, 0, SEEK_SET);
    }

    const int stdin_file =
        options->stdin_kind == PROCESS_STDIN_FILE ? options->stdin_file : child_in;
    if (spawn(process, options->arguments->items, (int[3]){stdin_file, child_out, child_err}) !=
        0) {
        const bool absent = errno == ENOENT || errno == EACCES || errno == ENOTDIR;

        error_set_errno(error, absent ? ERROR_ENGINE : ERROR_SYSTEM, "cannot run '%s'",
                        options->arguments->items[0]);
        return -1;
    }
    process->pidfd = linux_pidfd(process->pid);
    if (process->pidfd < 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot watch a child process");
    return 0;
}

int process_start(struct process *process, const struct process_options *options,
                  struct error *error)
{
    if (start(process, options, error) == 0)
        return 0;
    process_release(process);
    return -1;
}

void process_write(struct process *process, const char *data, size_t length)
{
    if (process->in >= 0)
        strbuf_add(&process->queue, data, length);
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void process_close_stdin(struct process *process)
{
    close_fd(&process->in);
    strbuf_release(&process->queue);
    process->source = NULL;
}

/* Whether there are bytes for stdin; asks the source if none are queued. */
static bool has_input(struct process *process)
{
    if (process->queue.length == 0 && process->source && process->in >= 0)
        process->source(process->source_context, &process->queue);
    return process->queue.length > 0;
}

static void feed_stdin(struct process *process)
{
    ssize_t written;

    if (process->queue.length == 0)
        return;
    written = write(process->in, process->queue.data, process->queue.length);
    if (written > 0 && (size_t)written == process->queue.length)
        strbuf_release(&process->queue); /* it may have been large, and the child lives on */
    else if (written > 0)
        strbuf_drop(&process->queue, (size_t)written);
    else if (written < 0 && errno != EAGAIN && errno != EINTR)
        process_close_stdin(process); /* EPIPE: the caller will see why the child has ended */
}

/* Reads once from one stream. False if the sink wants a pause. */
static bool read_stream(struct process *process, int stream, process_sink *sink, void *context)
{
    char chunk[CHUNK];
    const ssize_t length = read(process->out[stream], chunk, sizeof chunk);

    if (length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR))
        close_fd(&process->out[stream]);
    if (length <= 0 || !sink)
        return true;
    return sink(context, (enum process_stream)stream, chunk, (size_t)length);
}

static void reap(struct process *process)
{
    int status = 0;
    pid_t reaped;

    do
        reaped = waitpid(process->pid, &status, 0);
    while (reaped < 0 && errno == EINTR);
    process->exited = true;
    process->status = reaped < 0 ? 255 /* another caller of wait() has taken its status */
                      : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                            : WEXITSTATUS(status);
}

enum {
    POLL_STDOUT, /* the first two are indexed by enum process_stream */
    POLL_STDERR,
    POLL_STDIN,
    POLL_END,
    POLL_CANCEL,
    POLL_DRAIN,                        /* two */
    POLL_DESTINATION = POLL_DRAIN + 2, /* two */
    POLL_WANTED = POLL_DESTINATION + 2,
    POLL_COUNT
};

static void prepare_poll(struct process *process, const struct process_pump *pump,
                         struct pollfd *polled)
{
    for (int i = 0; i < 2; i++) {
        polled[i] = (struct pollfd){process->out[i], POLLIN, 0};
        polled[POLL_DRAIN + i] =
            (struct pollfd){pump->drain ? pump->drain->process->out[i] : -1, POLLIN, 0};
        polled[POLL_DESTINATION + i] =
            (struct pollfd){pump->destinations ? pump->destinations[i] : -1, POLLOUT, 0};
    }
    polled[POLL_STDIN] = (struct pollfd){has_input(process) ? process->in : -1, POLLOUT, 0};
    polled[POLL_END] = (struct pollfd){process->exited ? -1 : process->pidfd, POLLIN, 0};
    polled[POLL_CANCEL] = (struct pollfd){pump->cancel, POLLIN, 0};
    polled[POLL_WANTED] =
        (struct pollfd){pump->wanted ? pump->wanted(pump->context) : -1, POLLIN, 0};
}

/* Returns how many milliseconds poll() may wait; -1: no limit. */
static int poll_timeout(long long deadline)
{
    long long left;

    if (deadline == 0)
        return -1;
    left = deadline - clock_now_ms();
    return left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

/* Handles the streams after a poll. False if the sink wants a pause. */
static bool serve_streams(struct process *process, const struct process_pump *pump,
                          const struct pollfd *polled)
{
    bool go_on = true;

    if (polled[POLL_STDIN].fd >= 0 && polled[POLL_STDIN].revents != 0)
        feed_stdin(process);
    for (int i = 0; i < 2; i++) {
        const struct pollfd *drained = &polled[POLL_DRAIN + i];
        const struct pollfd *destination = &polled[POLL_DESTINATION + i];

        if (drained->fd >= 0 && drained->revents != 0)
            read_stream(pump->drain->process, i, pump->drain->sink, pump->drain->context);
        if (destination->fd >= 0 && destination->revents != 0)
            pump->writable(pump->context, i);
        if (polled[i].fd >= 0 && polled[i].revents != 0)
            go_on = read_stream(process, i, pump->sink, pump->context) && go_on;
    }
    return go_on;
}

/* Lets the caller read, unless what has just arrived was the reason not to. */
static void serve_wanted(const struct process_pump *pump, const struct pollfd *polled)
{
    const struct pollfd *wanted = &polled[POLL_WANTED];

    if (wanted->fd >= 0 && wanted->revents != 0 && pump->wanted(pump->context) == wanted->fd)
        pump->readable(pump->context);
}

/*
 * After the end of the child its output is in the pipes. Its own children may keep the pipes open
 * (an ssh connection does), so this does not wait for their end.
 */
static bool streams_empty(const struct process *process, const struct pollfd *polled)
{
    for (int i = 0; i < 2; i++)
        if (process->out[i] >= 0 && polled[i].revents != 0)
            return false;
    return true;
}

enum process_event process_pump(struct process *process, const struct process_pump *pump)
{
    struct pollfd polled[POLL_COUNT];

    for (;;) {
        int ready;

        prepare_poll(process, pump, polled);
        ready = io_poll(polled, POLL_COUNT, process->exited ? 0 : poll_timeout(pump->deadline));
        if (polled[POLL_CANCEL].revents != 0)
            return PROCESS_CANCELLED;
        if (pump->deadline != 0 && clock_now_ms() >= pump->deadline)
            return PROCESS_DEADLINE;
        if (ready < 0)
            continue;
        if (!serve_streams(process, pump, polled))
            return PROCESS_PAUSED;
        serve_wanted(pump, polled);
        if (process->exited && streams_empty(process, polled))
            return PROCESS_EXITED;
        if (polled[POLL_END].fd >= 0 && polled[POLL_END].revents != 0)
            reap(process);
    }
}

void process_release(struct process *process)
{
    if (process->pid > 0 && !process->exited) {
        kill(process->pid, SIGKILL);
        reap(process);
    }
    process_close_stdin(process);
    close_fd(&process->out[PROCESS_STDOUT]);
    close_fd(&process->out[PROCESS_STDERR]);
    close_fd(&process->pidfd);
    process->pid = 0;
}
