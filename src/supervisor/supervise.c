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

/* How long is waited until processes are killed again. */
enum { KILL_AGAIN_MS = 50 };

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

enum {
    WAIT_IN,
    WAIT_OUT,
    WAIT_SIGNAL,
    WAIT_TIMER,
    WAIT_CPU,
    WAIT_REPORT,
    WAIT_STDIN,
    WAIT_STDOUT,
    WAIT_STDERR,
    WAIT_ORDER,
    WAIT_ANSWER,
    WAIT_OTHERS, /* see settling_poll() */
    WAITS = WAIT_OTHERS + SETTLING_POLLS
};

static void prepare(struct supervisor *supervisor, struct pollfd *polled)
{
    const struct frame_link *link = &supervisor->link;
    const struct program *program = &supervisor->program;

    polled[WAIT_IN] = (struct pollfd){link->in, POLLIN, 0};
    polled[WAIT_OUT] = (struct pollfd){frame_link_pending(link) ? link->out : -1, POLLOUT, 0};
    polled[WAIT_SIGNAL] = (struct pollfd){supervisor->signals, POLLIN, 0};
    polled[WAIT_TIMER] = (struct pollfd){supervisor->timer, POLLIN, 0};
    polled[WAIT_CPU] = (struct pollfd){supervisor->cpu_timer, POLLIN, 0};
    polled[WAIT_REPORT] =
        (struct pollfd){supervisor->state == STATE_STARTING ? program->report : -1, POLLIN, 0};
    polled[WAIT_STDIN] =
        (struct pollfd){supervisor->stdin_filled > 0 ? program->in : -1, POLLOUT, 0};
    for (int i = 0; i < 2; i++)
        polled[WAIT_STDOUT + i] =
            (struct pollfd){streams_may_pass(supervisor, i) ? program->out[i] : -1, POLLIN, 0};
    polled[WAIT_ORDER] =
        (struct pollfd){cell_is_ordering(supervisor) ? program->begin : -1, POLLOUT, 0};
    polled[WAIT_ANSWER] =
        (struct pollfd){cell_may_report(supervisor) ? program->answer : -1, POLLIN, 0};
    settling_poll(supervisor, polled + WAIT_OTHERS);
}

static void serve_program(struct supervisor *supervisor, const struct pollfd *polled)
{
    struct program *program = &supervisor->program;

    if (polled[WAIT_SIGNAL].revents != 0) {
        struct signalfd_siginfo ignored;

        supervisor->reap_more = read(supervisor->signals, &ignored, sizeof ignored) > 0;
    }
    if (polled[WAIT_CPU].revents != 0)
        cpu_limit_check(supervisor);
    if (supervisor->state == STATE_STARTING)
        requests_take_report(supervisor);
    if (supervisor->reap_more)
        ending_reap(supervisor);
    if (polled[WAIT_STDIN].revents != 0 && program->in >= 0 && supervisor->stdin_filled > 0)
        streams_feed_stdin(supervisor);
    if (supervisor->stdin_ended && supervisor->stdin_filled == 0 && program->pid > 0)
        streams_close(&program->in);
    for (int i = 0; i < 2; i++)
        if (polled[WAIT_STDOUT + i].revents != 0 && streams_may_pass(supervisor, i))
            streams_pass(supervisor, i);
    if (polled[WAIT_ORDER].revents != 0)
        cell_order(supervisor);
    if (polled[WAIT_ANSWER].revents != 0 && cell_may_report(supervisor))
        cell_pass_report(supervisor);
    settling_discard(supervisor, polled + WAIT_OTHERS);
    if (supervisor->state == STATE_SETTLING)
        settling_finish(supervisor);
    if (supervisor->state == STATE_ENDING)
        ending_finish(supervisor);
}

static int running_wait_ms(const struct supervisor *supervisor)
{
    const int streams = streams_wait_ms(supervisor), memory = memory_use_wait_ms(supervisor);

    return streams < 0 ? memory : memory < 0 || streams < memory ? streams : memory;
}

/* Waits for something to happen, and handles it. */
void supervisor_serve(struct supervisor *supervisor)
{
    struct pollfd polled[WAITS];
    const int timeout = supervisor->reap_more                 ? 0
                        : supervisor->state == STATE_ENDING   ? KILL_AGAIN_MS
                        : supervisor->state == STATE_SETTLING ? settling_wait_ms(supervisor)
                                                              : running_wait_ms(supervisor);

    prepare(supervisor, polled);
    if (poll(polled, WAITS, timeout) < 0 && errno != EINTR && errno != ENOMEM)
        supervisor_leave(supervisor, 1);
    if (polled[WAIT_IN].revents != 0 && !frame_link_read(&supervisor->link))
        supervisor_leave(supervisor, 0);
    if (polled[WAIT_TIMER].revents != 0)
        supervisor_leave(supervisor, 0);
    if (polled[WAIT_OUT].revents != 0 && !frame_link_write(&supervisor->link))
        supervisor_leave(supervisor, 0);
    requests_take(supervisor);
    memory_use_sample(supervisor);
    serve_program(supervisor, polled);
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
    for (int i = 0; i <= CREDIT_REPORT; i++)
        supervisor->credit[i] = FRAME_WINDOW;
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
