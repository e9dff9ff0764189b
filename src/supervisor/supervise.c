#define _GNU_SOURCE
#include "supervisor/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/collect.h"
#include "supervisor/own_memory.h"
#include "supervisor/supervisor_state.h"

/*
 * How this works. One loop waits for everything that can happen: frames, bytes of the program, room
 * in a pipe, the end of a child (signalfd), the timers (timerfd). The input of the connection comes
 * first each time, so that its end ends the container whatever the program does. Nothing blocks but
 * for the lock of a pipe, and a second thread does not wait for that (connection.h).
 *
 * The program cannot reach this process: it is not dumpable, which closes /proc/1/fd, /proc/1/mem
 * and ptrace to the same user; the engine delivers no signal from inside the container to process 1
 * that has no handler; and a filter refuses the calls that could slow it down (filter.c). SIGCHLD
 * is the only signal that is blocked, since only one of each kind can wait.
 *
 * The end of a program is the end of all its processes: they are killed with kill(-1), which in a
 * container means all but process 1, and reaped until none is left. Orphans become children of
 * process 1, so none can escape. What they had written until then is in the pipes and is sent on. A
 * program that is a fork of a template may end without that (ready_template.h), and so does one
 * that has ended alone, and is the last one (exit_watch.h).
 *
 * Memory. Everything that this process needs while a program runs is allocated and written to
 * before it starts, and `spare` is given back to the kernel when it has ended: so a program that
 * fills the container's memory, even with files that stay, does not keep its result from being
 * reported.
 */

/* Orphans that are reaped at a time: the program may end them as fast as they are reaped. */
enum { REAP_MAX = 64 };

static void reap(struct supervisor *supervisor)
{
    for (int i = 0; i < REAP_MAX; i++) {
        struct frame_end *end = &supervisor->end;
        struct rusage usage = {.ru_maxrss = 0};
        int status;
        const pid_t pid = wait4(-1, &status, WNOHANG | __WALL, &usage);
        const uint64_t rss_bytes = (uint64_t)usage.ru_maxrss * 1024; /* in KiB: getrusage(2) */

        if (pid <= 0) {
            supervisor->reap_more = false;
            return;
        }
        if (pid == supervisor->relay.pid) {
            supervisor->relay.pid = 0;
            continue;
        }
        if (workspace_take_end(&supervisor->workspace, pid))
            continue;
        if (starting_take_ready(supervisor, pid, status))
            continue;
        if (rss_bytes > end->used_bytes)
            end->used_bytes = rss_bytes;
        /* A program that makes this process its tracer (PTRACE_TRACEME) is also said to stop. */
        if (pid == supervisor->program.pid && !supervisor->program.reaped && !WIFSTOPPED(status)) {
            starting_take_report(supervisor); /* it is there */
            ending_take_status(supervisor, status);
        }
    }
}

/* ---- the loop */

static void take_signal(void *context, int number)
{
    struct supervisor *supervisor = context;
    struct signalfd_siginfo ignored;

    (void)number;
    if (read(supervisor->signals, &ignored, sizeof ignored) > 0)
        supervisor->reap_more = true;
}

static void take_report(void *context, int number)
{
    (void)number;
    starting_take_report(context);
}

static void take_cpu_timer(void *context, int number)
{
    (void)number;
    ending_check_cpu(context);
}

static void take_exit_timer(void *context, int number)
{
    (void)number;
    ending_check_exit(context);
}

/* Each state lets other parts do their work. */
static void watch(struct supervisor *supervisor, struct loop *loop)
{
    const enum supervisor_state state = supervisor->state;
    const bool runs = supervisor_runs(supervisor);
    const bool gathers = state == STATE_RUNNING && (supervisor->run.flags & FRAME_RUN_AT_ONCE) == 0;
    struct program *program = &supervisor->program;

    connection_watch(&supervisor->connection, loop);
    loop_add(loop, supervisor->signals, POLLIN, take_signal, supervisor, 0);
    if (supervisor->reap_more)
        loop_limit(loop, 0);
    if (supervisor_has_script(supervisor))
        scripts_watch(supervisor, loop);
    if (supervisor_has_workspace(supervisor))
        workspace_watch(&supervisor->workspace, loop);
    stop_file_watch(&supervisor->stop, loop);
    sinks_watch(&supervisor->sinks, loop);
    input_stream_watch(&supervisor->input, loop);
    for (int i = 0; i < 2; i++)
        if (runs || state == STATE_ENDING)
            output_stream_watch(&supervisor->outputs[i], loop, gathers);
        else if (supervisor->has_interpreter) /* it writes between two cells */
            descriptor_discard_watch(&program->out[i], loop);
    if (program_has(program, FRAME_RUN_VALUE) && (runs || state == STATE_ENDING))
        output_stream_watch(&supervisor->value, loop, false);
    relay_watch(&supervisor->relay, loop);
    if (state == STATE_STARTING || state == STATE_RUNNING)
        driver_link_watch_cell(&supervisor->driver, loop);
    if (state == STATE_RUNNING && !program_has(program, FRAME_RUN_VALUE))
        driver_link_watch_report(&supervisor->driver, loop);
    if (runs)
        memory_use_watch(&supervisor->memory, loop);
    peer_watch(&supervisor->peer, loop, state == STATE_RUNNING);
    ending_watch(supervisor, loop);
    /* These change the state, so they come last. */
    if (state == STATE_STARTING)
        loop_add(loop, program->report, POLLIN, take_report, supervisor, 0);
    loop_add(loop, supervisor->exit_watch.timer, POLLIN, take_exit_timer, supervisor, 0);
    loop_add(loop, supervisor->cpu_limit.timer, POLLIN, take_cpu_timer, supervisor, 0);
}

/* Waits for something to happen, and handles it. */
static void serve(struct supervisor *supervisor)
{
    struct loop loop = LOOP_INIT;

    watch(supervisor, &loop);
    if (loop_wait(&loop) != 0 && errno != EINTR && errno != ENOMEM)
        connection_leave(&supervisor->connection, 1);
    ending_take_events(supervisor);
    stop_file_check(&supervisor->stop);
    if (supervisor_has_script(supervisor))
        scripts_take(supervisor);
    else if (supervisor_has_workspace(supervisor))
        clients_take(supervisor);
    else
        requests_take(supervisor);
    if (supervisor_runs(supervisor))
        memory_use_sample(&supervisor->memory);
    ending_send_wait_state(supervisor);
    starting_load(supervisor);
    starting_take_report(supervisor);
    if (supervisor->reap_more)
        reap(supervisor);
    input_stream_finish(&supervisor->input);
    ending_finish(supervisor);
}

/* ---- the files of the working directory */

static bool send_files(void *context, const void *data, size_t length)
{
    struct supervisor *supervisor = context;
    struct frame_link *link = &supervisor->connection.link;
    const char *bytes = data;

    while (length > 0 && !link->dropped) {
        const size_t most = frame_link_may_send(link, CHANNEL_FILES);
        const size_t part = length < most ? length : most;

        if (part == 0) {
            serve(supervisor);
            continue;
        }
        memcpy(frame_link_prepare(link), bytes, part);
        frame_link_commit(link, CHANNEL_FILES, part);
        bytes += part;
        length -= part;
    }
    return !link->dropped;
}

static bool send_too_large(void *context, const char *path)
{
    struct supervisor *supervisor = context;

    while (!frame_link_has_space(&supervisor->connection.link))
        serve(supervisor);
    connection_send(&supervisor->connection, FRAME_TOO_LARGE, NULL, 0, path);
    return !supervisor->connection.link.dropped;
}

/* Handles COLLECT, and serves the loop while it waits for credit. */
static void collect_files(struct supervisor *supervisor)
{
    struct collect job = {.write = send_files,
                          .too_large = send_too_large,
                          .context = supervisor,
                          .exact = supervisor->collect.file_max == FRAME_COLLECT_EXACT,
                          .file_max = supervisor->collect.file_max,
                          .left = supervisor->collect.max};

    connection_write(&supervisor->connection); /* END, if it waits: this may take long */
    collect_directory(&job, supervisor->workdir);
    connection_send(&supervisor->connection, FRAME_FILES_END, NULL, 0, NULL);
    supervisor->state = STATE_ENDED;
}

/* ---- the beginning */

static int open_signals(void)
{
    sigset_t child;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
}

static void open_parts(struct supervisor *supervisor, const struct supervise_options *options)
{
    static const enum frame_channel channels[] = {CHANNEL_STDOUT, CHANNEL_STDERR};
    struct connection *connection = &supervisor->connection;
    struct program *program = &supervisor->program;

    program_init(program);
    ready_init(&supervisor->ready, options->workdir);
    unpack_init(&supervisor->unpack);
    figures_open(&supervisor->figures, options->cgroup_dir);
    keep_open(&supervisor->keep, connection, options->mountinfo, options->sysvipc,
              options->sockets);
    input_stream_init(&supervisor->input, connection, FRAME_STDIN, &program->in);
    for (int i = 0; i < 2; i++)
        output_stream_init(&supervisor->outputs[i], &connection->link, channels[i],
                           &program->out[i]);
    output_stream_init(&supervisor->value, &connection->link, CHANNEL_REPORT, &program->answer);
    driver_link_init(&supervisor->driver, &connection->link, program);
    sinks_init(&supervisor->sinks);
    exit_watch_open(&supervisor->exit_watch);
    peer_init(&supervisor->peer, options->fifos);
    relay_init(&supervisor->relay, connection, supervisor, sizeof *supervisor);
}

static bool open_connection(struct supervisor *supervisor, const struct supervise_options *options)
{
    struct connection *connection = &supervisor->connection;

    if (!options->workspace)
        return connection_open(connection, options->in, options->out, options->key,
                               &supervisor->processes);
    return connection_open_workspace(connection, &supervisor->processes) &&
           workspace_open(&supervisor->workspace, options->workspace, connection, supervisor,
                          sizeof *supervisor);
}

static void open_supervisor(struct supervisor *supervisor, const struct supervise_options *options)
{
    processes_open(&supervisor->processes, &supervisor->program);
    open_parts(supervisor, options);
    ending_take_spare();
    own_memory_touch_stack();
    supervisor->signals = open_signals();
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 ||
        supervisor->signals < 0 || !cpu_limit_open(&supervisor->cpu_limit) ||
        !open_connection(supervisor, options))
        _exit(1);
    stop_file_open(&supervisor->stop, options->stop);
    supervisor->must_succeed = true; /* FAILED in place of HELLO ends a script, too */
    supervisor->workdir = open(options->workdir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    supervisor->keep.workdir = supervisor->workdir;
    if (supervisor->workdir < 0 || fchdir(supervisor->workdir) != 0)
        ending_fail(supervisor, FRAME_STEP_WORKDIR, errno, options->workdir);
    else if (!options->workspace)
        requests_say_hello(supervisor);
    if (supervisor->state != STATE_WAITING && options->workspace)
        _exit(1);
}

int supervise(const struct supervise_options *options)
{
    static struct supervisor supervisor;

    open_supervisor(&supervisor, options);
    for (;;) {
        serve(&supervisor);
        if (supervisor.state == STATE_COLLECTING)
            collect_files(&supervisor);
    }
}
