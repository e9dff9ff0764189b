#include "sandbox/janitor.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/lines.h"
#include "base/linux.h"
#include "base/signals.h"
#include "base/strvec.h"
#include "docker/container.h"
#include "sandbox/box.h"
#include "sandbox/owner.h"
#include "sandbox/sweep.h"

/*
 * How long behind a failure it tries again, twice as long after each further one; and how often it does once
 * the program has ended.
 */
enum { RETRY_LEAST_MS = 5000, RETRY_MOST_MS = 600000, LAST_RETRIES = 5 };

/* What a removal gets of the engine's time. */
enum { REMOVE_PERCENT = 80 };

/* What goes through the pipe: the name of a container that was given up, or nothing for goodbye. */
enum { LINE_MAX_BYTES = BOX_NAME_SIZE };

/* The process itself. */
struct work {
    struct docker docker; /* tells nobody anything */
    struct strvec labels; /* of the program */
    struct lines lines;
    struct strvec given_up; /* names */
    bool dismissed;
};

static void ignore(void *context, const struct leftover *leftover)
{
    (void)context, (void)leftover;
}

/* Tries those that were given up. */
static void retry(struct work *work)
{
    CLEANUP(strvec_release) struct strvec tried = work->given_up;

    work->given_up = (struct strvec)STRVEC_INIT;
    for (size_t i = 0; i < tried.count; i++) {
        CLEANUP(error_release) struct error ignored = ERROR_INIT; /* told when it was given up */
        const long long deadline = clock_now_ms() + docker_share(&work->docker, REMOVE_PERCENT);

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

/* While the program lives. */
static void stand_by(struct work *work, int fd)
{
    struct pollfd polled = {fd, POLLIN, 0};
    int pause = RETRY_LEAST_MS;

    for (;;) {
        const bool busy = work->given_up.count > 0;
        const int ready = poll(&polled, 1, busy ? pause : -1);

        if (ready > 0 && !hear(work, fd))
            return;
        if (ready == 0) {
            retry(work);
            pause = pause < RETRY_MOST_MS / 2 ? pause * 2 : RETRY_MOST_MS;
        }
        if (!busy)
            pause = RETRY_LEAST_MS;
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

    sweep_leftovers(&work->docker, false, ignore, NULL, NULL, &ignored);
    stand_by(work, fd);
    if (work->dismissed)
        finish(work);
    else
        sweep_until_quiet(&work->docker, &work->labels);
}

/*
 * Nothing of the program's may stay open: not its standard streams, whose end its parent waits for, nor the
 * other end of the pipe. The pipe becomes descriptor 3.
 */
static void keep_only(int fd)
{
    dup2(fd, STDERR_FILENO + 1);
    linux_close_from(STDERR_FILENO + 2);
    for (fd = 0; fd <= STDERR_FILENO; fd++)
        close(fd);
    for (fd = 0; fd <= STDERR_FILENO; fd++)
        if (open("/dev/null", O_RDWR) < 0)
            return;
}

/* Forks twice, so that the process has no parent that would have to wait for it. */
static void start(struct work *work, int fd)
{
    const pid_t child = fork();

    if (child > 0)
        waitpid(child, NULL, 0);
    if (child != 0)
        return;
    setsid();
    if (fork() != 0)
        _exit(0);
    signals_release();
    keep_only(fd);
    work_on(work, STDERR_FILENO + 1);
    _exit(0);
}

/* From any thread. What fits no more into the pipe, or finds no janitor, is lost. */
static void say(void *context, const char *name)
{
    const struct janitor *janitor = context;
    char line[LINE_MAX_BYTES + 1];
    const int length = snprintf(line, sizeof line, "%s\n", name);

    if (write(janitor->fd, line, (size_t)length) != length)
        return;
}

void janitor_start(struct janitor *janitor, struct docker *docker)
{
    struct work work = {
        .docker = *docker, .labels = STRVEC_INIT, .lines = LINES_INIT(LINE_MAX_BYTES)};
    int fds[2];

    janitor->fd = -1;
    if (linux_pipe(fds) != 0)
        return;
    fcntl(fds[1], F_SETFL, O_NONBLOCK);
    work.docker.trace = NULL;
    owner_own_labels(&work.labels); /* of this process, not of the other */
    start(&work, fds[0]);
    strvec_release(&work.labels);
    close(fds[0]);
    janitor->fd = fds[1];
    docker->given_up = say;
    docker->given_up_context = janitor;
}

void janitor_dismiss(struct janitor *janitor)
{
    if (janitor->fd < 0)
        return;
    say(janitor, "");
    close(janitor->fd);
    janitor->fd = -1;
}
