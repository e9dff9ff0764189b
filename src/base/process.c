#define _GNU_SOURCE
#include "base/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/linux.h"
#include "base/thread.h"

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

/* The names of variables that no child gets. Our environment is one, too. */
static struct strvec withheld = STRVEC_INIT;
static pthread_mutex_t withheld_lock = PTHREAD_MUTEX_INITIALIZER;

void process_withhold(const char *variable)
{
    THREAD_LOCK(&withheld_lock);
    strvec_push_once(&withheld, variable);
}

/* Whether an entry "NAME=VALUE" of the environment is withheld. */
static bool is_withheld(const char *entry)
{
    for (size_t i = 0; i < withheld.count; i++) {
        const size_t length = strlen(withheld.items[i]);

        if (strncmp(entry, withheld.items[i], length) == 0 && entry[length] == '=')
            return true;
    }
    return false;
}

/*
 * Our environment without what is withheld, and the variable, which may be NULL. Not setenv(3):
 * another thread may read the environment.
 */
static void copy_environment(struct strvec *copy, const char *variable)
{
    pthread_mutex_lock(&withheld_lock);
    for (char **each = environ; *each; each++)
        if (!is_withheld(*each))
            strvec_push(copy, *each);
    pthread_mutex_unlock(&withheld_lock);
    if (variable)
        strvec_push(copy, variable);
}

static int spawn(struct process *process, const struct process_options *options, const int child[3])
{
    char *const *argv = options->arguments->items;
    CLEANUP(strvec_release) struct strvec environment = STRVEC_INIT;
    char *const nothing[] = {NULL};

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    int result;

    if (options->environment)
        strvec_push_all(&environment, options->environment);
    else
        copy_environment(&environment, options->variable);
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
    if (options->extra_file > 0)
        posix_spawn_file_actions_adddup2(&actions, options->extra_file, PROCESS_EXTRA_FILE);
    if (options->directory)
        posix_spawn_file_actions_addchdir_np(&actions, options->directory);
    result = posix_spawnp(&process->pid, argv[0], &actions, &attributes, argv,
                          environment.count > 0 ? environment.items : nothing);
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
    if (spawn(process, options, (int[3]){stdin_file, child_out, child_err}) != 0) {
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

/* ---- the loop */

/* One turn of it: what has happened. */
struct turn {
    struct process *process;
    const struct process_pump *pump;
    bool cancelled, paused, ended;
    bool has_read; /* from one of the streams */
};

static void note_cancel(void *context, int number)
{
    struct turn *turn = context;

    (void)number;
    turn->cancelled = true;
}

static void note_end(void *context, int number)
{
    struct turn *turn = context;

    (void)number;
    turn->ended = true;
}

static void feed_child(void *context, int number)
{
    struct turn *turn = context;

    (void)number;
    feed_stdin(turn->process);
}

static void take_drained(void *context, int stream)
{
    const struct process_drain *drain = ((struct turn *)context)->pump->drain;

    read_stream(drain->process, stream, drain->sink, drain->context);
}

static void take_output(void *context, int stream)
{
    struct turn *turn = context;

    turn->has_read = true;
    if (!read_stream(turn->process, stream, turn->pump->sink, turn->pump->context))
        turn->paused = true;
}

/* Returns how many milliseconds may be waited; -1: no limit. */
static int wait_ms(long long deadline)
{
    long long left;

    if (deadline == 0)
        return -1;
    left = deadline - clock_now_ms();
    return left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

static void watch_child(struct turn *turn, struct loop *loop)
{
    struct process *process = turn->process;
    const struct process_pump *pump = turn->pump;

    loop_add(loop, pump->cancel, POLLIN, note_cancel, turn, 0);
    if (!process->exited)
        loop_add(loop, process->pidfd, POLLIN, note_end, turn, 0);
    if (has_input(process))
        loop_add(loop, process->in, POLLOUT, feed_child, turn, 0);
    for (int i = 0; i < 2; i++) {
        if (pump->drain)
            loop_add(loop, pump->drain->process->out[i], POLLIN, take_drained, turn, i);
        loop_add(loop, process->out[i], POLLIN, take_output, turn, i);
    }
    if (pump->watch)
        pump->watch(pump->context, loop);
    loop_limit(loop, process->exited ? 0 : wait_ms(pump->deadline));
}

static bool has_lost_pipe(const struct process *process)
{
    return process->in < 0 || process->out[PROCESS_STDOUT] < 0;
}

/*
 * After the end of the child its output is in the pipes. Its own children may keep the pipes open
 * (an ssh connection does), so this does not wait for their end.
 */
enum process_event process_pump(struct process *process, const struct process_pump *pump)
{
    for (;;) {
        struct turn turn = {.process = process, .pump = pump};
        struct loop loop = LOOP_INIT;
        bool waited;

        watch_child(&turn, &loop);
        waited = loop_wait(&loop) == 0;
        if (turn.cancelled)
            return PROCESS_CANCELLED;
        if (turn.paused || (pump->is_done && pump->is_done(pump->context)))
            return PROCESS_PAUSED;
        if (pump->deadline != 0 && clock_now_ms() >= pump->deadline)
            return PROCESS_DEADLINE;
        if (waited && process->exited && !turn.has_read)
            return PROCESS_EXITED;
        if (turn.ended)
            reap(process);
        if (pump->needs_pipes && !process->exited && has_lost_pipe(process))
            return PROCESS_PAUSED;
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
