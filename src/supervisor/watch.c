#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "supervisor/supervisor_state.h"

/*
 * How this works. The loop reads pipes that a program writes to. The kernel locks a pipe for each
 * read and each write, also while it copies the bytes from the writer's memory, and a writer can
 * see to it that this takes seconds: with page faults that wait for its other threads. Meanwhile
 * the loop waits for the lock, sees neither the end of isolator nor its own timers, and could not
 * even end: the end of a process closes its pipes, which takes the same lock.
 *
 * So a second thread of this process waits for those few events, and reads no pipe. It kills all
 * processes, and so every writer that has a lock. It needs no memory that it does not have from
 * the beginning, and calls nothing that may wait.
 */

/* More than PTHREAD_STACK_MIN of any C library. */
enum { WATCH_STACK_BYTES = 32768 };

static _Alignas(4096) char stack[WATCH_STACK_BYTES];

/* What the new thread needs to start, and what the first one waits for. */
struct start {
    struct supervisor *supervisor;
    sem_t ready;
};

static void kill_late_program(struct supervisor *supervisor)
{
    uint64_t ignored;

    if (read(supervisor->late_timer, &ignored, sizeof ignored) != sizeof ignored)
        return; /* it was set again meanwhile */
    atomic_store(&supervisor->is_late, true);
    ending_kill(supervisor);
}

static void *watch(void *context)
{
    struct start *start = context;
    struct supervisor *supervisor = start->supervisor;
    struct pollfd polled[] = {
        {supervisor->link.in, 0, 0}, /* its end is told without being asked for */
        {supervisor->timer, POLLIN, 0},
        {supervisor->late_timer, POLLIN, 0}};

    supervisor->watch = (pid_t)syscall(SYS_gettid);
    sem_post(&start->ready);
    for (;;) {
        if (poll(polled, 3, -1) < 0)
            continue; /* EINTR, ENOMEM */
        if (polled[0].revents != 0 || polled[1].revents != 0)
            supervisor_leave(supervisor, 0);
        if (polled[2].revents != 0)
            kill_late_program(supervisor);
    }
    return NULL;
}

bool watch_start(struct supervisor *supervisor)
{
    struct start start = {.supervisor = supervisor};
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
              pthread_create(&thread, &attributes, watch, &start) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    while (started && sem_wait(&start.ready) != 0)
        continue; /* EINTR */
    return started;
}
