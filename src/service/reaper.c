#include "service/reaper.h"

#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/lines.h"
#include "base/linux.h"
#include "base/signals.h"
#include "base/strvec.h"
#include "docker/budget.h"
#include "docker/container.h"
#include "run/owned_container.h"
#include "run/owner.h"
#include "service/gc.h"

/*
 * How long behind a failure it tries again, twice as long after each further one; and how often it does once
 * the program has ended.
 */
enum { RETRY_LEAST_MS = 5000, RETRY_MOST_MS = 600000, LAST_RETRIES = 5 };

/* How long a program waits for it in the end: hosts give a server two seconds. */
enum { WAIT_MS = 100 };

/* What goes through the pipe: the name of a container that was given up, or nothing for goodbye. */
enum { LINE_MAX_BYTES = OWNED_CONTAINER_NAME_SIZE };

/* The process itself. */
struct work {
    struct docker docker; /* tells nobody anything */
    struct strvec labels; /* of the program */
    struct lines lines;
    struct strvec given_up; /* names */
    bool dismissed;
};

/* Tries those that were given up. */
static void retry(struct work *work)
{
    CLEANUP(strvec_release) struct strvec tried = work->given_up;

    work->given_up = (struct strvec)STRVEC_INIT;
    for (size_t i = 0; i < tried.count; i++) {
        CLEANUP(error_release) struct error ignored = ERROR_INIT; /* told when it was given up */
        const long long deadline = budget_deadline(&work->docker, BUDGET_REMOVE);

        if (container_remove(&work->docker, tried.items[i], NULL, deadline, NULL, &ignored) != 0)
            strvec_push(&work->given_up, tried.items[i]);
    }
}

/* Takes what the program says. False where that has ended. */
static bool hear(struct work *work, int fd)
{
    char chunk[4096];
    const ssize_t count = read(fd, chunk, sizeof chunk);
    const char *line;
    size_t length;

    if (count <= 0)
        return false;
    lines_feed(&work->lines, chunk, (size_t)count);
    while (lines_next(&work->lines, &line, &length) == LINES_LINE) {
        if (length == 0)
            work->dismissed = true;
        else
            strvec_push(&work->given_up, line);
    }
    return true;
}

/* While the program lives. Whatever it gives up meanwhile is tried as soon as the first was. */
static void stand_by(struct work *work, int fd)
{
    struct pollfd polled = {fd, POLLIN, 0};
    long long pause = RETRY_LEAST_MS, next = 0;

    for (;;) {
        const bool waiting = work->given_up.count > 0;
        const size_t before = work->given_up.count;
        const long long left = next - clock_now_ms();

        if (poll(&polled, 1, !waiting ? -1 : left > 0 ? (int)left : 0) > 0 && !hear(work, fd))
            return;
        if (work->given_up.count > before) {
            const long long soon = clock_now_ms() + RETRY_LEAST_MS;

            pause = RETRY_LEAST_MS;
            next = waiting && next < soon ? next : soon;
        } else if (waiting && clock_now_ms() >= next) {
            retry(work);
            pause = pause < RETRY_MOST_MS / 2 ? pause * 2 : RETRY_MOST_MS;
            next = clock_now_ms() + pause;
        }
    }
}

/* The program has ended, and has said so: what it gave up is all there is. */
static void finish(struct work *work)
{
    int seconds = RETRY_LEAST_MS / 1000;

    for (int i = 0; i < LAST_RETRIES && work->given_up.count > 0; i++, seconds *= 2) {
        sleep((unsigned)seconds);
        retry(work);
    }
}

static void work_on(struct work *work, int fd)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT; /* who uses the engine is told */

    gc_collect(&work->docker, GC_ONE_PASS, NULL, NULL, NULL, &ignored);
    stand_by(work, fd);
    if (work->dismissed)
        finish(work);
    else
        gc_until_quiet(&work->docker, &work->labels);
}

/*
 * Nothing of the program's may stay open: not its standard streams, whose end its parent waits for, nor the
 * other end of the pipe. The pipe becomes descriptor 3.
 */
static void keep_only(int fd)
{
    dup2(fd, STDERR_FILENO + 1);
    fcntl(STDERR_FILENO + 1, F_SETFD, FD_CLOEXEC);
    for (fd = 0; fd <= STDERR_FILENO; fd++)
        close(fd);
    for (fd = 0; fd <= STDERR_FILENO; fd++)
        if (open("/dev/null", O_RDWR) < 0)
            return;
    linux_close_from(STDERR_FILENO + 2);
}

/* From any thread. What fits no more into the pipe, or finds no janitor, is lost. */
static void say(struct reaper *reaper, const char *name)
{
    char line[LINE_MAX_BYTES + 1];
    const int length = snprintf(line, sizeof line, "%s\n", name);

    if (length >= (int)sizeof line || write(reaper->fd, line, (size_t)length) != length)
        return;
}

static void take_given_up(void *context, const char *name)
{
    struct reaper *reaper = context;

    atomic_store(&reaper->needed, true);
    say(reaper, name);
}

void reaper_start(struct reaper *reaper, struct docker *docker)
{
    struct work work = {
        .docker = *docker, .labels = STRVEC_INIT, .lines = LINES_INIT(LINE_MAX_BYTES)};
    int fds[2];

    *reaper = (struct reaper){.fd = -1, .pid = -1};
    if (linux_pipe(fds) != 0)
        return;
    fcntl(fds[1], F_SETFL, O_NONBLOCK);
    work.docker.trace = NULL;
    owner_own_labels(&work.labels); /* of this process, not of the other */
    reaper->pid = fork();
    if (reaper->pid == 0) {
        setsid(); /* linux_kill_children() spares those with a session of their own */
        signals_release();
        keep_only(fds[0]);
        work_on(&work, STDERR_FILENO + 1);
        _exit(0);
    }
    strvec_release(&work.labels);
    close(fds[0]);
    reaper->fd = fds[1];
    docker->not_removed = take_given_up;
    docker->not_removed_context = reaper;
}

/*
 * It is waited for, since there are hosts on which nobody else does: in a container whose first process does not.
 * That takes no time unless it is still sweeping for an engine that is slow.
 */
void reaper_dismiss(struct reaper *reaper, struct docker *docker)
{
    struct pollfd polled = {-1, POLLIN, 0};

    docker->not_removed = NULL;
    docker->not_removed_context = NULL;
    if (reaper->fd < 0)
        return;
    say(reaper, "");
    close(reaper->fd);
    reaper->fd = -1;
    if (reaper->pid < 0 || atomic_load(&reaper->needed))
        return;
    polled.fd = linux_pidfd(reaper->pid);
    if (polled.fd >= 0 && poll(&polled, 1, WAIT_MS) > 0)
        waitpid(reaper->pid, NULL, 0);
    if (polled.fd >= 0)
        close(polled.fd);
}
