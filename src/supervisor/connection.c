#define _GNU_SOURCE
#include "supervisor/connection.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/timer.h"
#include "supervisor/own_memory.h"

/* The longest path that a frame carries; the rest is cut off. */
enum { TEXT_MAX = 4096 };

_Noreturn void connection_leave(const struct connection *connection, int status)
{
    /* The kernel would end them only after it has closed our pipes, whose locks they may hold. */
    processes_kill(connection->processes);
    _exit(status);
}

/* What is waited for: not the file of a script, which can always be read. */
static int polled_input(const struct connection *connection)
{
    return connection->link.is_script ? -1 : connection->link.in;
}

/* ---- the second thread */

/* More than PTHREAD_STACK_MIN of any C library. */
enum { THREAD_STACK_BYTES = 32768 };

static _Alignas(4096) char stack[THREAD_STACK_BYTES];

/* What the new thread needs to start, and what the first one waits for. */
struct start {
    struct connection *connection;
    sem_t ready;
};

static void kill_late_program(struct connection *connection)
{
    uint64_t ignored;

    if (read(connection->late_timer, &ignored, sizeof ignored) != sizeof ignored)
        return; /* it was set again meanwhile */
    atomic_store(&connection->is_late, true);
    processes_kill(connection->processes);
}

static void *wait_for_ends(void *context)
{
    struct start *start = context;
    struct connection *connection = start->connection;
    struct pollfd polled[] = {
        {polled_input(connection), 0, 0}, /* its end is told without being asked for */
        {connection->timer, POLLIN, 0},
        {connection->late_timer, POLLIN, 0}};

    connection->thread = (pid_t)syscall(SYS_gettid);
    sem_post(&start->ready);
    for (;;) {
        if (poll(polled, 3, -1) < 0)
            continue; /* EINTR, ENOMEM */
        if (polled[0].revents != 0 || polled[1].revents != 0)
            connection_leave(connection, 0);
        if (polled[2].revents != 0)
            kill_late_program(connection);
    }
    return NULL;
}

static bool start_thread(struct connection *connection)
{
    struct start start = {.connection = connection};
    sigset_t all, before;
    pthread_attr_t attributes;
    pthread_t thread;
    bool started;

    memset(stack, 1, sizeof stack);
    sigfillset(&all);
    if (sem_init(&start.ready, 0, 0) != 0 || pthread_attr_init(&attributes) != 0)
        return false;
    pthread_sigmask(SIG_SETMASK, &all, &before);
    started = pthread_attr_setstack(&attributes, stack, sizeof stack) == 0 &&
              pthread_create(&thread, &attributes, wait_for_ends, &start) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    while (started && sem_wait(&start.ready) != 0)
        continue; /* EINTR */
    return started;
}

void connection_touch_memory(void)
{
    own_memory_touch(stack, sizeof stack);
}

/* ---- the beginning */

static void set_up_descriptor(int fd)
{
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

bool connection_open(struct connection *connection, int in, int out, const char *key,
                     const struct processes *processes)
{
    set_up_descriptor(in);
    set_up_descriptor(out);
    frame_link_init(&connection->link, in, out, key);
    connection->processes = processes;
    connection->thread = 0;
    atomic_store(&connection->is_late, false);
    connection->timer = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    connection->late_timer = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    return connection->timer >= 0 && connection->late_timer >= 0 &&
           (!processes->is_init || start_thread(connection));
}

/* ---- frames */

void connection_send(struct connection *connection, enum frame_type type, const void *fixed,
                     size_t length, const char *text)
{
    const size_t text_length = text ? strnlen(text, TEXT_MAX) : 0;

    if (!frame_link_send(&connection->link, type, fixed, length, text, text_length))
        connection_leave(connection, 1); /* it grants credit and does not read */
}

void connection_write(struct connection *connection)
{
    if (!frame_link_write(&connection->link))
        connection_leave(connection, 0);
}

/* ---- timers */

void connection_set_timer(const struct connection *connection, uint64_t ms)
{
    timer_set_ms(connection->timer, ms);
}

void connection_set_late(struct connection *connection, uint64_t ms)
{
    if (ms > 0)
        atomic_store(&connection->is_late, false);
    timer_set_ms(connection->late_timer, ms);
}

static void extend_timer(int timer, uint64_t ms)
{
    struct itimerspec left;

    if (timerfd_gettime(timer, &left) != 0 ||
        (left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0))
        return;
    timer_set_ms(timer, ms + (uint64_t)left.it_value.tv_sec * 1000 +
                            (uint64_t)left.it_value.tv_nsec / 1000000 + 1);
}

void connection_extend(const struct connection *connection, uint64_t ms)
{
    extend_timer(connection->timer, ms);
    extend_timer(connection->late_timer, ms);
}

/* ---- waiting */

static void take_input(void *context, int number)
{
    struct connection *connection = context;

    (void)number;
    if (!frame_link_read(&connection->link))
        connection_leave(connection, 0);
}

static void write_output(void *context, int number)
{
    (void)number;
    connection_write(context);
}

static void end_in_time(void *context, int number)
{
    (void)number;
    connection_leave(context, 0);
}

/* The second thread does the same if there is one. */
static void take_late(void *context, int number)
{
    (void)number;
    kill_late_program(context);
}

void connection_watch(struct connection *connection, struct loop *loop)
{
    const struct frame_link *link = &connection->link;

    loop_add(loop, polled_input(connection), POLLIN, take_input, connection, 0);
    if (frame_link_pending(link))
        loop_add(loop, link->out, POLLOUT, write_output, connection, 0);
    loop_add(loop, connection->timer, POLLIN, end_in_time, connection, 0);
    if (connection->thread == 0)
        loop_add(loop, connection->late_timer, POLLIN, take_late, connection, 0);
}

_Noreturn void connection_finish(struct connection *connection, int status)
{
    processes_kill(connection->processes);
    while (frame_link_pending(&connection->link)) {
        struct loop loop = LOOP_INIT;

        connection_watch(connection, &loop);
        loop_wait(&loop);
    }
    connection_leave(connection, status);
}

void connection_poll(struct connection *connection, int wait_ms)
{
    struct frame_link *link = &connection->link;
    struct pollfd polled[2] = {
        {polled_input(connection), frame_link_has_room(link) ? POLLIN : 0, 0},
        {connection->timer, POLLIN, 0}};

    if (poll(polled, 2, wait_ms) <= 0)
        return;
    if ((polled[0].revents & POLLIN) && !frame_link_read(link))
        connection_leave(connection, 0);
    if ((polled[0].revents & (POLLHUP | POLLERR)) || polled[1].revents != 0)
        connection_leave(connection, 0);
}
