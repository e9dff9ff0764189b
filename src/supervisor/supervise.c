#define _GNU_SOURCE
#include "supervisor/supervise.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/collect.h"
#include "supervisor/figures.h"
#include "supervisor/frame_link.h"
#include "supervisor/program.h"
#include "supervisor/unpack.h"

/*
 * How this works. One loop waits for everything that can happen: frames, bytes of the program, room
 * in a pipe, the end of a child (signalfd), the timer (timerfd). Nothing in it blocks, and the
 * input of the connection comes first each time, so that its end ends the container whatever the
 * program does.
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

enum { SPARE_BYTES = 256 * 1024, STACK_BYTES = 64 * 1024 };

/* Orphans that are reaped at a time, and how long is waited until processes are killed again. */
enum { REAP_MAX = 64, KILL_AGAIN_MS = 50 };

enum state {
    STATE_WAITING, /* for a request */
    STATE_RUNNING,
    STATE_ENDING,    /* the program has ended, or is to: its processes are killed */
    STATE_ENDED,     /* END or FAILED was sent */
    STATE_COLLECTING /* the files of the working directory are sent */
};

struct supervisor {
    struct frame_link link;
    struct program program;
    struct unpack unpack;
    struct figures figures;
    int workdir, signals, timer; /* descriptors; owned */
    enum state state;
    bool is_init;   /* this is process 1 */
    bool reap_more; /* there may be ended children that are not reaped yet */
    /* Bytes for the program's stdin: a ring. */
    char stdin_bytes[FRAME_STDIN_WINDOW];
    size_t stdin_first, stdin_filled;
    size_t stdin_taken; /* not granted again yet */
    bool stdin_ended;
    /* Bytes that may be sent: of STDOUT, STDERR, FILES. */
    uint64_t credit[3];
    uint64_t output_max, linger_ms; /* of struct frame_run */
    /* What END will say. */
    bool reaped;
    struct frame_end end;
    uint64_t oom_before, own_cpu_before;
};

enum { CREDIT_FILES = 2 };

static _Noreturn void leave(struct supervisor *supervisor, int status)
{
    if (!supervisor->is_init && supervisor->program.pid > 0)
        kill(-supervisor->program.pid, SIGKILL);
    _exit(status);
}

/* ---- frames to isolator; control frames always fit into the reserve unless nobody reads them */

static void send_frame(struct supervisor *supervisor, enum frame_type type, const void *fixed,
                       size_t length, const char *text)
{
    if (!frame_link_send(&supervisor->link, type, fixed, length, text, text ? strlen(text) : 0))
        leave(supervisor, 1); /* it grants credit and does not read */
}

static void send_hello(struct supervisor *supervisor)
{
    static char payload[FRAME_HELLO_SIZE];
    const struct frame_hello hello = {FRAME_HELLO_MAGIC, FRAME_VERSION};

    memcpy(payload, &hello, sizeof hello);
    send_frame(supervisor, FRAME_HELLO, payload, sizeof payload, NULL);
}

static void send_failed(struct supervisor *supervisor, enum frame_step step, int error,
                        const char *path)
{
    const struct frame_failed failed = {step, (uint32_t)error};

    send_frame(supervisor, FRAME_FAILED, &failed, sizeof failed, path);
    supervisor->state = STATE_ENDED;
}

/* ---- the end of the program */

/* 0: the timer is off. */
static void set_timer(const struct supervisor *supervisor, uint64_t ms)
{
    const struct itimerspec once = {.it_value = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000}};

    timerfd_settime(supervisor->timer, 0, &once, NULL);
}

static void kill_all(const struct supervisor *supervisor)
{
    if (supervisor->is_init)
        kill(-1, SIGKILL);
    else if (supervisor->program.pid > 0)
        kill(-supervisor->program.pid, SIGKILL);
}

static void begin_end(struct supervisor *supervisor, enum frame_cause cause)
{
    if (supervisor->state != STATE_RUNNING)
        return;
    supervisor->end.cause = cause;
    supervisor->state = STATE_ENDING;
    supervisor->reap_more = true;
    kill_all(supervisor);
}

static void take_status(struct supervisor *supervisor, int status)
{
    struct frame_end *end = &supervisor->end;

    supervisor->reaped = true;
    end->wall_us = figures_clock_us() - supervisor->program.start_us;
    if (WIFSIGNALED(status))
        end->signal = (uint32_t)WTERMSIG(status);
    else
        end->status = (uint32_t)WEXITSTATUS(status);
    begin_end(supervisor, FRAME_CAUSE_ITSELF);
}

/* Reaps children, but not for ever: the program may end them as fast as they are reaped. */
static void reap(struct supervisor *supervisor)
{
    for (int i = 0; i < REAP_MAX; i++) {
        int status;
        const pid_t pid = waitpid(-1, &status, WNOHANG | __WALL);

        if (pid <= 0) {
            supervisor->reap_more = false;
            return;
        }
        /* A program that makes this process its tracer (PTRACE_TRACEME) is also said to stop. */
        if (pid == supervisor->program.pid && !supervisor->reaped && !WIFSTOPPED(status))
            take_status(supervisor, status);
    }
}

/* Whether no child is left. Those that are not reaped yet are killed once more. */
static bool all_gone(struct supervisor *supervisor)
{
    siginfo_t ignored;

    if (waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT | __WALL) < 0 && errno == ECHILD)
        return true;
    kill_all(supervisor);
    return false;
}

static uint64_t difference(uint64_t now, uint64_t before)
{
    if (now == FRAME_UNKNOWN || before == FRAME_UNKNOWN)
        return FRAME_UNKNOWN;
    return now > before ? now - before : 0;
}

static void take_figures(struct supervisor *supervisor)
{
    const uint64_t own = figures_own_cpu_us() - supervisor->own_cpu_before;
    struct frame_end *end = &supervisor->end;

    end->cpu_us =
        difference(figures_cpu_us(&supervisor->figures), supervisor->program.start_cpu_us);
    if (end->cpu_us != FRAME_UNKNOWN)
        end->cpu_us = difference(end->cpu_us, own);
    end->peak_bytes = figures_peak_bytes(&supervisor->figures);
    end->oom_kills = difference(figures_oom_kills(&supervisor->figures), supervisor->oom_before);
}

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/*
 * Memory that the program cannot take. It is given back without unmapping it, for which the kernel
 * may need memory.
 */
static _Alignas(4096) char spare[SPARE_BYTES];

static void take_spare(void)
{
    memset(spare, 1, sizeof spare);
}

static void give_back_spare(void)
{
    madvise(spare, sizeof spare, MADV_DONTNEED);
}

/* Whether a pipe that no process can write to any more is empty. */
static bool is_drained(int fd)
{
    struct pollfd polled = {fd, POLLIN, 0};

    return poll(&polled, 1, 0) == 0;
}

/* Sends END once no process is left and its output has been sent. */
static void finish(struct supervisor *supervisor)
{
    struct program *program = &supervisor->program;

    if (!supervisor->reaped || !all_gone(supervisor))
        return;
    give_back_spare();
    close_end(&program->in);
    if (supervisor->end.cause != FRAME_CAUSE_ITSELF)
        /* What isolator has no credit for is dropped. */
        for (int i = 0; i < 2; i++)
            if (supervisor->credit[i] == 0 || supervisor->end.cause == FRAME_CAUSE_OUTPUT)
                close_end(&program->out[i]);
    /* A descriptor that was sent over a UNIX socket may keep a pipe open for ever. */
    for (int i = 0; i < 2; i++)
        if (program->out[i] >= 0 && is_drained(program->out[i]))
            close_end(&program->out[i]);
    if (program->out[0] >= 0 || program->out[1] >= 0)
        return;
    take_figures(supervisor);
    set_timer(supervisor, supervisor->linger_ms);
    send_frame(supervisor, FRAME_END, &supervisor->end, sizeof supervisor->end, NULL);
    supervisor->state = STATE_ENDED;
}

/* ---- the program's streams */

/* Sends on what the program has written to a stream, as far as there is credit and room. */
static void pass_output(struct supervisor *supervisor, int stream)
{
    int *fd = &supervisor->program.out[stream];
    uint64_t *written = &supervisor->end.written[stream];
    unsigned char *bytes = frame_link_prepare(&supervisor->link);
    size_t size = FRAME_CHUNK;
    ssize_t length;

    if (!bytes)
        return;
    if (size > supervisor->credit[stream])
        size = (size_t)supervisor->credit[stream];
    length = read(*fd, bytes, size);
    if (length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR))
        close_end(fd);
    if (length <= 0)
        return;
    *written += (uint64_t)length;
    supervisor->credit[stream] -= (uint64_t)length;
    frame_link_commit(&supervisor->link, stream == 0 ? FRAME_STDOUT : FRAME_STDERR, (size_t)length);
    if (*written > supervisor->output_max) {
        begin_end(supervisor, FRAME_CAUSE_OUTPUT);
        supervisor->end.cause = FRAME_CAUSE_OUTPUT;
    }
}

static bool stdin_open(const struct supervisor *supervisor)
{
    return supervisor->program.in >= 0;
}

/* Grants as many bytes of stdin as the program, or nobody, has taken. */
static void grant_stdin(struct supervisor *supervisor)
{
    const struct frame_credit credit = {FRAME_STDIN, (uint32_t)supervisor->stdin_taken};

    if (supervisor->stdin_taken < FRAME_STDIN_WINDOW / 2)
        return;
    send_frame(supervisor, FRAME_CREDIT, &credit, sizeof credit, NULL);
    supervisor->stdin_taken = 0;
}

static void close_stdin(struct supervisor *supervisor)
{
    close_end(&supervisor->program.in);
    supervisor->stdin_filled = 0;
}

static void feed_stdin(struct supervisor *supervisor)
{
    const size_t first = supervisor->stdin_first;
    const size_t until_end = FRAME_STDIN_WINDOW - first;
    const size_t filled = supervisor->stdin_filled;
    const ssize_t written = write(supervisor->program.in, supervisor->stdin_bytes + first,
                                  filled < until_end ? filled : until_end);

    if (written < 0 && errno != EAGAIN && errno != EINTR) {
        close_stdin(supervisor);
        send_frame(supervisor, FRAME_STDIN_CLOSED, NULL, 0, NULL);
    }
    if (written <= 0)
        return;
    supervisor->stdin_first = (first + (size_t)written) % FRAME_STDIN_WINDOW;
    supervisor->stdin_filled -= (size_t)written;
    supervisor->stdin_taken += (size_t)written;
    grant_stdin(supervisor);
}

/* Keeps bytes for the program. False: more than was granted. */
static bool take_stdin(struct supervisor *supervisor, const char *bytes, size_t length)
{
    if (length > FRAME_STDIN_WINDOW - supervisor->stdin_filled - supervisor->stdin_taken)
        return false;
    if (supervisor->state != STATE_WAITING && !stdin_open(supervisor)) {
        supervisor->stdin_taken += length;
        return true;
    }
    for (size_t done = 0; done < length;) {
        const size_t at = (supervisor->stdin_first + supervisor->stdin_filled) % FRAME_STDIN_WINDOW;
        const size_t room = FRAME_STDIN_WINDOW - at;
        const size_t part = length - done < room ? length - done : room;

        memcpy(supervisor->stdin_bytes + at, bytes + done, part);
        supervisor->stdin_filled += part;
        done += part;
    }
    return true;
}

/* ---- frames from isolator */

static void run_program(struct supervisor *supervisor, const struct frame_run *frame)
{
    struct program_failure failure;

    if (!unpack_good(&supervisor->unpack)) {
        send_failed(supervisor, FRAME_STEP_UNPACK, supervisor->unpack.failure,
                    supervisor->unpack.failed);
        return;
    }
    unpack_release(&supervisor->unpack);
    unpack_init(&supervisor->unpack);
    supervisor->output_max = frame->output_max;
    supervisor->linger_ms = frame->linger_ms;
    supervisor->oom_before = figures_oom_kills(&supervisor->figures);
    supervisor->own_cpu_before = figures_own_cpu_us();
    set_timer(supervisor, frame->timer_ms);
    send_frame(supervisor, FRAME_BEGUN, NULL, 0, NULL);
    if (!frame_link_write(&supervisor->link))
        leave(supervisor, 0);
    if (!program_start(&supervisor->program, &supervisor->figures, &failure)) {
        send_failed(supervisor, failure.executing ? FRAME_STEP_EXEC : FRAME_STEP_START,
                    failure.error, supervisor->program.arguments.items[0]);
        return;
    }
    supervisor->state = STATE_RUNNING;
}

/* The loop that collect waits in until bytes of the archive may be sent. */
static void serve(struct supervisor *supervisor);

static bool send_files(void *context, const void *data, size_t length)
{
    struct supervisor *supervisor = context;
    const char *bytes = data;

    while (length > 0) {
        uint64_t *credit = &supervisor->credit[CREDIT_FILES];
        unsigned char *to = *credit > 0 ? frame_link_prepare(&supervisor->link) : NULL;
        size_t part = length < FRAME_CHUNK ? length : FRAME_CHUNK;

        if (!to) {
            serve(supervisor);
            continue;
        }
        if (part > *credit)
            part = (size_t)*credit;
        memcpy(to, bytes, part);
        frame_link_commit(&supervisor->link, FRAME_FILES, part);
        *credit -= part;
        bytes += part;
        length -= part;
    }
    return true;
}

static bool send_too_large(void *context, const char *path)
{
    struct supervisor *supervisor = context;

    while (!frame_link_prepare(&supervisor->link))
        serve(supervisor);
    send_frame(supervisor, FRAME_TOO_LARGE, NULL, 0, path);
    return true;
}

static void collect_files(struct supervisor *supervisor, const struct frame_collect *frame)
{
    struct collect job = {.write = send_files,
                          .too_large = send_too_large,
                          .context = supervisor,
                          .file_max = frame->file_max,
                          .left = frame->max};

    supervisor->state = STATE_COLLECTING;
    collect_directory(&job, supervisor->workdir);
    supervisor->state = STATE_ENDED;
    send_frame(supervisor, FRAME_FILES_END, NULL, 0, NULL);
}

/* Forgets the request, after its end, for another one. */
static void reset(struct supervisor *supervisor)
{
    set_timer(supervisor, 0);
    program_release(&supervisor->program);
    program_init(&supervisor->program);
    unpack_release(&supervisor->unpack);
    unpack_init(&supervisor->unpack);
    supervisor->stdin_first = supervisor->stdin_filled = supervisor->stdin_taken = 0;
    supervisor->stdin_ended = supervisor->reaped = false;
    supervisor->end = (struct frame_end){0};
    take_spare();
    supervisor->state = STATE_WAITING;
}

static bool take_credit(struct supervisor *supervisor, const struct frame_credit *credit)
{
    const int stream = credit->stream == FRAME_STDOUT   ? 0
                       : credit->stream == FRAME_STDERR ? 1
                       : credit->stream == FRAME_FILES  ? CREDIT_FILES
                                                        : -1;

    if (stream < 0)
        return false;
    supervisor->credit[stream] += credit->bytes;
    return true;
}

/*
 * Copies a struct out of a frame that has to be exactly as long. False: it is not.
 */
static bool read_struct(const struct frame *frame, void *to, size_t size)
{
    if (frame->length != size)
        return false;
    memcpy(to, frame->payload, size);
    return true;
}

/* Handles a frame that belongs to the request. False: it cannot come now. */
static bool take_request(struct supervisor *supervisor, const struct frame *frame)
{
    struct program *program = &supervisor->program;
    struct frame_run order;

    if (supervisor->state != STATE_WAITING)
        return false;
    switch (frame->type) {
    case FRAME_ARGUMENT:
        return program_add_argument(program, frame->payload, frame->length);
    case FRAME_ENVIRONMENT:
        return program_set_variable(program, frame->payload, frame->length);
    case FRAME_FILES:
        unpack_feed(&supervisor->unpack, frame->payload, frame->length);
        return true;
    case FRAME_RUN:
        if (!read_struct(frame, &order, sizeof order) || program->arguments.count == 0)
            return false;
        run_program(supervisor, &order);
        return true;
    default:
        return false;
    }
}

/* Handles a frame. False if it is none that isolator sends now. */
static bool take_frame(struct supervisor *supervisor, const struct frame *frame)
{
    struct frame_credit credit;
    struct frame_collect order;

    switch (frame->type) {
    case FRAME_STDIN:
        return take_stdin(supervisor, frame->payload, frame->length);
    case FRAME_STDIN_END:
        supervisor->stdin_ended = true;
        return true;
    case FRAME_CREDIT:
        return read_struct(frame, &credit, sizeof credit) && take_credit(supervisor, &credit);
    case FRAME_STOP:
        if (supervisor->state == STATE_ENDING && supervisor->end.cause == FRAME_CAUSE_ITSELF)
            supervisor->end.cause = FRAME_CAUSE_STOP;
        begin_end(supervisor, FRAME_CAUSE_STOP);
        return true;
    case FRAME_COLLECT:
        if (supervisor->state != STATE_ENDED || !read_struct(frame, &order, sizeof order))
            return false;
        collect_files(supervisor, &order);
        return true;
    case FRAME_RESET:
        if (supervisor->state != STATE_ENDED)
            return false;
        reset(supervisor);
        return true;
    default:
        return take_request(supervisor, frame);
    }
}

static void take_frames(struct supervisor *supervisor)
{
    struct frame frame;
    int found;

    while ((found = frame_link_next(&supervisor->link, &frame)) > 0)
        if (!take_frame(supervisor, &frame))
            leave(supervisor, 1);
    if (found < 0)
        leave(supervisor, 1);
}

/* ---- the loop */

enum { WAIT_IN, WAIT_OUT, WAIT_SIGNAL, WAIT_TIMER, WAIT_STDIN, WAIT_STDOUT, WAIT_STDERR, WAITS };

static bool may_pass(const struct supervisor *supervisor, int stream)
{
    return supervisor->program.out[stream] >= 0 && supervisor->credit[stream] > 0 &&
           sizeof supervisor->link.output - supervisor->link.out_filled +
                   supervisor->link.out_first >=
               FRAME_HEADER + FRAME_CHUNK + FRAME_LINK_RESERVE;
}

static void prepare(struct supervisor *supervisor, struct pollfd *polled)
{
    const struct frame_link *link = &supervisor->link;
    const struct program *program = &supervisor->program;

    polled[WAIT_IN] = (struct pollfd){link->in, POLLIN, 0};
    polled[WAIT_OUT] = (struct pollfd){frame_link_pending(link) ? link->out : -1, POLLOUT, 0};
    polled[WAIT_SIGNAL] = (struct pollfd){supervisor->signals, POLLIN, 0};
    polled[WAIT_TIMER] = (struct pollfd){supervisor->timer, POLLIN, 0};
    polled[WAIT_STDIN] =
        (struct pollfd){supervisor->stdin_filled > 0 ? program->in : -1, POLLOUT, 0};
    for (int i = 0; i < 2; i++)
        polled[WAIT_STDOUT + i] =
            (struct pollfd){may_pass(supervisor, i) ? program->out[i] : -1, POLLIN, 0};
}

static void serve_program(struct supervisor *supervisor, const struct pollfd *polled)
{
    struct program *program = &supervisor->program;

    if (polled[WAIT_SIGNAL].revents != 0) {
        struct signalfd_siginfo ignored;

        supervisor->reap_more = read(supervisor->signals, &ignored, sizeof ignored) > 0;
    }
    if (supervisor->reap_more)
        reap(supervisor);
    if (polled[WAIT_STDIN].revents != 0 && program->in >= 0 && supervisor->stdin_filled > 0)
        feed_stdin(supervisor);
    if (supervisor->stdin_ended && supervisor->stdin_filled == 0 && program->pid > 0)
        close_end(&program->in);
    for (int i = 0; i < 2; i++)
        if (polled[WAIT_STDOUT + i].revents != 0 && program->out[i] >= 0)
            pass_output(supervisor, i);
    if (supervisor->state == STATE_ENDING)
        finish(supervisor);
}

/* Waits for something to happen, and handles it. */
static void serve(struct supervisor *supervisor)
{
    struct pollfd polled[WAITS];
    const int timeout = supervisor->reap_more               ? 0
                        : supervisor->state == STATE_ENDING ? KILL_AGAIN_MS
                                                            : -1;

    prepare(supervisor, polled);
    if (poll(polled, WAITS, timeout) < 0 && errno != EINTR && errno != ENOMEM)
        leave(supervisor, 1);
    if (polled[WAIT_IN].revents != 0 && !frame_link_read(&supervisor->link))
        leave(supervisor, 0);
    if (polled[WAIT_TIMER].revents != 0)
        leave(supervisor, 0);
    if (polled[WAIT_OUT].revents != 0 && !frame_link_write(&supervisor->link))
        leave(supervisor, 0);
    take_frames(supervisor);
    if (supervisor->state != STATE_COLLECTING)
        serve_program(supervisor, polled);
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
    supervisor->is_init = getpid() == 1;
    supervisor->credit[0] = supervisor->credit[1] = supervisor->credit[CREDIT_FILES] = FRAME_WINDOW;
    take_spare();
    touch_stack();
    supervisor->signals = open_signals();
    supervisor->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0 ||
        supervisor->signals < 0 || supervisor->timer < 0)
        leave(supervisor, 1);
    supervisor->workdir = open(options->workdir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (supervisor->workdir < 0 || fchdir(supervisor->workdir) != 0)
        send_failed(supervisor, FRAME_STEP_WORKDIR, errno, options->workdir);
    else
        send_hello(supervisor);
}

int supervise(const struct supervise_options *options)
{
    static struct supervisor supervisor;

    open_supervisor(&supervisor, options);
    for (;;)
        serve(&supervisor);
}
