#define _GNU_SOURCE
#include "supervisor/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "supervisor/supervisor_state.h"

/*
 * How this works. One loop waits for everything that can happen: frames, bytes of the program, room
 * in a pipe, the end of a child (signalfd), the timers (timerfd). The input of the connection comes
 * first each time, so that its end ends the container whatever the program does. Nothing blocks but
 * for the lock of a pipe, and a second thread does not wait for that (watch.c).
 *
 * The program cannot reach this process: it is not dumpable, which closes /proc/1/fd, /proc/1/mem
 * and ptrace to the same user; the engine delivers no signal from inside the container to process 1
 * that has no handler; and a filter refuses the calls that could slow it down (filter.c). SIGCHLD
 * is the only signal that is blocked, since only one of each kind can wait.
 *
 * The end of a program is the end of all its processes: they are killed with kill(-1), which in a
 * container means all but process 1, and reaped until none is left. Orphans become children of
 * process 1, so none can escape. What they had written until then is in the pipes and is sent on.
 *
 * Memory. Everything that this process needs while a program runs is allocated and written to
 * before it starts, and `spare` is given back to the kernel when it has ended: so a program that
 * fills the container's memory, even with files that stay, does not keep its result from being
 * reported.
 */

enum { STACK_BYTES = 64 * 1024 };

/* The longest path that a frame carries; the rest is cut off. */
enum { TEXT_MAX = 4096 };

_Noreturn void supervisor_leave(struct supervisor *supervisor, int status)
{
    /* The kernel would end them only after it has closed our pipes, whose locks they may hold. */
    ending_kill(supervisor);
    _exit(status);
}

/* ---- frames to isolator; control frames always fit into the reserve unless no one reads them */

void supervisor_send(struct supervisor *supervisor, enum frame_type type, const void *fixed,
                     size_t length, const char *text)
{
    const size_t text_length = text ? strnlen(text, TEXT_MAX) : 0;

    if (!frame_link_send(&supervisor->link, type, fixed, length, text, text_length))
        supervisor_leave(supervisor, 1); /* it grants credit and does not read */
}

static void send_hello(struct supervisor *supervisor)
{
    static char payload[FRAME_HELLO_SIZE];
    const struct frame_hello hello = {FRAME_HELLO_MAGIC, FRAME_VERSION};

    memcpy(payload, &hello, sizeof hello);
    supervisor_send(supervisor, FRAME_HELLO, payload, sizeof payload, NULL);
}

void supervisor_send_failed(struct supervisor *supervisor, enum frame_step step, int error,
                            const char *path)
{
    const struct frame_failed failed = {step, (uint32_t)error};

    supervisor_set_late(supervisor, 0);
    supervisor_send(supervisor, FRAME_FAILED, &failed, sizeof failed, path);
    supervisor->state = STATE_ENDED;
}

static void set_timer(int timer, uint64_t ms)
{
    const struct itimerspec once = {.it_value = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000}};

    timerfd_settime(timer, 0, &once, NULL);
}

void supervisor_set_timer(const struct supervisor *supervisor, uint64_t ms)
{
    set_timer(supervisor->timer, ms);
}

void supervisor_set_late(struct supervisor *supervisor, uint64_t ms)
{
    if (ms > 0)
        atomic_store(&supervisor->is_late, false);
    set_timer(supervisor->late_timer, ms);
}

/* ---- the loop */

static void take_input(void *context, int number)
{
    struct supervisor *supervisor = context;

    (void)number;
    if (!frame_link_read(&supervisor->link))
        supervisor_leave(supervisor, 0);
}

static void write_output(void *context, int number)
{
    struct supervisor *supervisor = context;

    (void)number;
    if (!frame_link_write(&supervisor->link))
        supervisor_leave(supervisor, 0);
}

static void end_in_time(void *context, int number)
{
    (void)number;
    supervisor_leave(context, 0);
}

static void take_signal(void *context, int number)
{
    struct supervisor *supervisor = context;
    struct signalfd_siginfo ignored;

    (void)number;
    if (read(supervisor->signals, &ignored, sizeof ignored) > 0)
        supervisor->reap_more = true;
}

static void watch_connection(struct supervisor *supervisor, struct loop *loop)
{
    const struct frame_link *link = &supervisor->link;

    loop_add(loop, link->in, POLLIN, take_input, supervisor, 0);
    if (frame_link_pending(link))
        loop_add(loop, link->out, POLLOUT, write_output, supervisor, 0);
    loop_add(loop, supervisor->timer, POLLIN, end_in_time, supervisor, 0);
    loop_add(loop, supervisor->signals, POLLIN, take_signal, supervisor, 0);
    if (supervisor->reap_more)
        loop_limit(loop, 0);
}

void supervisor_serve(struct supervisor *supervisor)
{
    struct loop loop = LOOP_INIT;

    watch_connection(supervisor, &loop);
    cpu_limit_watch(supervisor, &loop);
    requests_watch(supervisor, &loop);
    streams_watch(supervisor, &loop);
    cell_watch(supervisor, &loop);
    settling_watch(supervisor, &loop);
    ending_watch(supervisor, &loop);
    memory_use_watch(supervisor, &loop);
    if (loop_wait(&loop) != 0 && errno != EINTR && errno != ENOMEM)
        supervisor_leave(supervisor, 1);
    requests_take(supervisor);
    memory_use_sample(supervisor);
    requests_take_report(supervisor); /* that of a program that has ended is there */
    if (supervisor->reap_more)
        ending_reap(supervisor);
    streams_end_stdin(supervisor);
    if (supervisor->state == STATE_SETTLING)
        settling_finish(supervisor);
    if (supervisor->state == STATE_ENDING)
        ending_finish(supervisor);
}

void supervisor_look(struct supervisor *supervisor, int wait_ms)
{
    struct frame_link *link = &supervisor->link;
    struct pollfd polled[2] = {{link->in, frame_link_has_room(link) ? POLLIN : 0, 0},
                               {supervisor->timer, POLLIN, 0}};

    if (poll(polled, 2, wait_ms) <= 0)
        return;
    if ((polled[0].revents & POLLIN) && !frame_link_read(link))
        supervisor_leave(supervisor, 0);
    if ((polled[0].revents & (POLLHUP | POLLERR)) || polled[1].revents != 0)
        supervisor_leave(supervisor, 0);
}

/* ---- the beginning */

/* Writes to the stack that will be needed, so that the kernel has to give none later. */
static void touch_stack(void)
{
    volatile char stack[STACK_BYTES];

    for (size_t i = 0; i < sizeof stack; i += 1024)
        stack[i] = 0;
}

static int open_signals(void)
{
    sigset_t child;

    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &child, SFD_NONBLOCK | SFD_CLOEXEC);
}

static void set_connection(int fd)
{
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

static void open_supervisor(struct supervisor *supervisor, const struct supervise_options *options)
{
    set_connection(options->in);
    set_connection(options->out);
    frame_link_init(&supervisor->link, options->in, options->out);
    memset(supervisor->stdin_bytes, 0, sizeof supervisor->stdin_bytes);
    program_init(&supervisor->program);
    unpack_init(&supervisor->unpack);
    figures_open(&supervisor->figures, options->cgroup_dir);
    places_open(&supervisor->places, options->mountinfo);
    supervisor->sysvipc = options->sysvipc;
    supervisor->sockets = options->sockets;
    supervisor->copy = -1;
    cell_init(supervisor);
    memset(supervisor->sinks, -1, sizeof supervisor->sinks);
    supervisor->is_init = getpid() == 1;
    ending_take_spare();
    touch_stack();
    supervisor->signals = open_signals();
    supervisor->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    supervisor->late_timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 ||
        supervisor->signals < 0 || supervisor->timer < 0 || supervisor->late_timer < 0 ||
        !cpu_limit_open(supervisor) || (supervisor->is_init && !watch_start(supervisor)))
        supervisor_leave(supervisor, 1);
    supervisor->proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    supervisor->workdir = open(options->workdir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (supervisor->workdir < 0 || fchdir(supervisor->workdir) != 0)
        supervisor_send_failed(supervisor, FRAME_STEP_WORKDIR, errno, options->workdir);
    else
        send_hello(supervisor);
}

int supervise(const struct supervise_options *options)
{
    static struct supervisor supervisor;

    open_supervisor(&supervisor, options);
    for (;;)
        supervisor_serve(&supervisor);
}
