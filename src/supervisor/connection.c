#define _GNU_SOURCE
#include "supervisor/connection.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/timer.h"
#include "supervisor/descriptors.h"
#include "supervisor/own_memory.h"

/* The longest path that a frame carries; the rest is cut off. */
enum { TEXT_MAX = 4096 };

_Noreturn void connection_leave(const struct connection *connection, int status)
{
    /* The kernel would end them only after it has closed our pipes, whose locks they may hold. */
    processes_kill(connection->processes);
    _exit(status);
}

void connection_end(struct connection *connection, int status)
{
    if (!connection->stays)
        connection_leave(connection, status);
    descriptor_close(&connection->link.in);
    descriptor_close(&connection->link.out);
    frame_link_drop(&connection->link);
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

/* Whether there is something to be read from a timer or `over`; of a timer that was set again
 * meanwhile there is not. */
static bool take_event(int fd)
{
    uint64_t ignored;

    return read(fd, &ignored, sizeof ignored) == sizeof ignored;
}

static void kill_late_program(struct connection *connection)
{
    if (!take_event(connection->late_timer))
        return;
    atomic_store(&connection->is_late, true);
    processes_kill(connection->processes);
}

/* The loop ends the connection, once it has the lock that it may wait for. */
static void kill_in_time(struct connection *connection)
{
    if (!connection->stays)
        connection_leave(connection, 0);
    if (!take_event(connection->timer))
        return;
    processes_kill(connection->processes);
    eventfd_write(connection->over, 1);
}

static void end_life(struct connection *connection)
{
    if (take_event(connection->life_timer))
        connection_leave(connection, atomic_load(&connection->life_status));
}

static void *wait_for_ends(void *context)
{
    struct start *start = context;
    struct connection *connection = start->connection;
    struct pollfd polled[] = {
        {polled_input(connection), 0, 0}, /* its end is told without being asked for */
        {connection->timer, POLLIN, 0},
        {connection->late_timer, POLLIN, 0},
        {connection->life_timer, POLLIN, 0}};

    connection->thread = (pid_t)syscall(SYS_gettid);
    sem_post(&start->ready);
    for (;;) {
        if (poll(polled, 4, -1) < 0)
            continue; /* EINTR, ENOMEM */
        if (polled[0].revents != 0)
            connection_leave(connection, 0);
        if (polled[1].revents != 0)
            kill_in_time(connection);
        if (polled[2].revents != 0)
            kill_late_program(connection);
        if (polled[3].revents != 0)
            end_life(connection);
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

static int open_timer(void)
{
    return timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
}

static bool open_timers(struct connection *connection, const struct processes *processes)
{
    connection->processes = processes;
    connection->thread = 0;
    atomic_store(&connection->is_late, false);
    connection->timer = open_timer();
    connection->late_timer = open_timer();
    return connection->timer >= 0 && connection->late_timer >= 0 &&
           (!processes->is_init || start_thread(connection));
}

bool connection_open(struct connection *connection, int in, int out, const char *key,
                     const struct processes *processes)
{
    set_up_descriptor(in);
    set_up_descriptor(out);
    frame_link_init(&connection->link, in, out, key);
    connection->stays = false;
    connection->life_timer = connection->over = -1;
    return open_timers(connection, processes);
}

bool connection_open_workspace(struct connection *connection, const struct processes *processes)
{
    frame_link_init(&connection->link, -1, -1, NULL);
    frame_link_drop(&connection->link);
    connection->stays = true;
    connection->life_timer = open_timer();
    connection->over = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return connection->life_timer >= 0 && connection->over >= 0 &&
           open_timers(connection, processes);
}

void connection_begin(struct connection *connection, int in, int out)
{
    frame_link_init(&connection->link, in, out, NULL);
    take_event(connection->over); /* of the one before */
}

/* ---- frames */

void connection_send(struct connection *connection, enum frame_type type, const void *fixed,
                     size_t length, const char *text)
{
    const size_t text_length = text ? strnlen(text, TEXT_MAX) : 0;

    if (!frame_link_send(&connection->link, type, fixed, length, text, text_length))
        connection_end(connection, 1); /* it grants credit and does not read */
}

void connection_write(struct connection *connection)
{
    if (!frame_link_write(&connection->link))
        connection_end(connection, 0);
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

void connection_set_life(struct connection *connection, uint64_t ms, int status)
{
    atomic_store(&connection->life_status, status);
    timer_set_ms(connection->life_timer, ms);
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
        connection_end(connection, 0);
}

static void write_output(void *context, int number)
{
    (void)number;
    connection_write(context);
}

static void end_in_time(void *context, int number)
{
    struct connection *connection = context;

    (void)number;
    if (connection->stays && !take_event(connection->timer))
        return;
    processes_kill(connection->processes);
    connection_end(connection, 0);
}

/* The second thread has taken the end of the timer. */
static void take_over(void *context, int number)
{
    struct connection *connection = context;

    (void)number;
    if (take_event(connection->over))
        connection_end(connection, 0);
}

/* The second thread does the same if there is one, as for the next one. */
static void take_late(void *context, int number)
{
    (void)number;
    kill_late_program(context);
}

static void take_life(void *context, int number)
{
    (void)number;
    end_life(context);
}

void connection_watch(struct connection *connection, struct loop *loop)
{
    const struct frame_link *link = &connection->link;

    loop_add(loop, polled_input(connection), POLLIN, take_input, connection, 0);
    if (frame_link_pending(link))
        loop_add(loop, link->out, POLLOUT, write_output, connection, 0);
    loop_add(loop, connection->timer, POLLIN, end_in_time, connection, 0);
    loop_add(loop, connection->over, POLLIN, take_over, connection, 0);
    if (connection->thread > 0)
        return;
    loop_add(loop, connection->late_timer, POLLIN, take_late, connection, 0);
    loop_add(loop, connection->life_timer, POLLIN, take_life, connection, 0);
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
