#include "service/reaper.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/lines.h"
#include "base/strbuf.h"
#include "base/strvec.h"
#include "container/owned_container.h"
#include "container/owner.h"
#include "docker/budget.h"
#include "docker/container.h"
#include "docker/explain.h"
#include "service/gc.h"

/*
 * How long after a failure the reaper retries, doubled after each further failure, and how often it
 * retries after the program has ended.
 */
enum { MIN_BACKOFF_MS = 5000, MAX_BACKOFF_MS = 600000, LAST_RETRIES = 5 };

/* How long a program that ends waits for its reaper. MCP hosts give a server two seconds. */
enum { WAIT_MS = 500 };

/*
 * A line in the pipe is the name of a container that was not removed, after DOUBT if the program
 * has never reached the engine. An empty line dismisses the reaper.
 */
#define DOUBT "?"
enum { LINE_MAX_BYTES = OWNED_CONTAINER_NAME_SIZE + 1 };

/* The state of the process. */
struct reaper_process {
    struct docker docker; /* without callbacks */
    struct strvec labels; /* of the program */
    struct lines lines;
    struct strvec not_removed; /* names of containers */
    bool dismissed;
};

/* One question for all of them, so that an engine that does not answer costs little time. */
static void retry_removals(struct reaper_process *work)
{
    CLEANUP(strvec_release) struct strvec tried = STRVEC_INIT;

    if (docker_engine_answers(&work->docker, budget_deadline(&work->docker, BUDGET_QUERY), NULL) !=
        DOCKER_YES)
        return;
    tried = work->not_removed;
    work->not_removed = (struct strvec)STRVEC_INIT;
    for (size_t i = 0; i < tried.count; i++) {
        CLEANUP(error_release)
        struct error ignored = ERROR_INIT; /* reported when the first attempt failed */
        const long long deadline = budget_deadline(&work->docker, BUDGET_REMOVE);

        if (container_remove(&work->docker, tried.items[i], NULL, deadline, NULL, &ignored) != 0)
            strvec_push(&work->not_removed, tried.items[i]);
    }
}

static void take_line(struct reaper_process *work, const char *line, size_t length)
{
    const size_t doubt = length > 0 && line[0] == DOUBT[0] ? strlen(DOUBT) : 0;

    if (length == 0)
        work->dismissed = true;
    else if (doubt == 0 || !docker_never_reached(&work->docker))
        strvec_push_owned(&work->not_removed,
                          string_format("%.*s", (int)(length - doubt), line + doubt));
}

/* Reads from the pipe. Returns false if the program has ended. */
static bool read_pipe(struct reaper_process *work, int fd)
{
    char chunk[4096];
    const ssize_t count = read(fd, chunk, sizeof chunk);
    const char *line;
    size_t length;

    if (count <= 0)
        return false;
    lines_feed(&work->lines, chunk, (size_t)count);
    while (lines_next(&work->lines, &line, &length) == LINES_LINE)
        take_line(work, line, length);
    return true;
}

/*
 * Retries removals until the program ends, with a back-off that starts again for each new
 * container.
 */
static void serve_program(struct reaper_process *work, int fd)
{
    struct pollfd polled = {fd, POLLIN, 0};
    long long pause = MIN_BACKOFF_MS, next = 0;

    for (;;) {
        const bool waiting = work->not_removed.count > 0;
        const size_t known = work->not_removed.count;
        const long long left = next - clock_now_ms();
        const int timeout = !waiting ? -1 : left > 0 ? (int)left : 0;

        if (io_poll(&polled, 1, timeout) > 0 && !read_pipe(work, fd))
            return;
        if (work->not_removed.count > known) {
            const long long soon = clock_now_ms() + MIN_BACKOFF_MS;

            pause = MIN_BACKOFF_MS;
            next = waiting && next < soon ? next : soon;
        } else if (waiting && clock_now_ms() >= next) {
            retry_removals(work);
            pause = pause < MAX_BACKOFF_MS / 2 ? pause * 2 : MAX_BACKOFF_MS;
            next = clock_now_ms() + pause;
        }
    }
}

/* The last retries, after the program has dismissed the reaper. */
static void finish_removals(struct reaper_process *work)
{
    int seconds = MIN_BACKOFF_MS / 1000;

    for (int i = 0; i < LAST_RETRIES && work->not_removed.count > 0; i++, seconds *= 2) {
        sleep((unsigned)seconds);
        retry_removals(work);
    }
}

static void run_reaper(void *context, int fd)
{
    struct reaper_process *work = context;
    CLEANUP(error_release) struct error ignored = ERROR_INIT; /* every run reports the same */

    gc_collect(&work->docker, GC_ONE_PASS, NULL, NULL, NULL, &ignored);
    serve_program(work, fd);
    if (work->dismissed)
        finish_removals(work);
    else
        gc_until_quiet(&work->docker, &work->labels);
}

/* From any thread. If the pipe is full or the process has ended, the line is lost. */
static void send_line(const struct reaper *reaper, const char *start, const char *name)
{
    char line[LINE_MAX_BYTES + 1];

    if (snprintf(line, sizeof line, "%s%s\n", start, name) < (int)sizeof line)
        background_send(&reaper->process, line);
}

static void report_not_removed(void *context, const char *name)
{
    struct reaper *reaper = context;
    const bool doubt = docker_never_reached(reaper->docker);

    if (!doubt)
        atomic_store(&reaper->needed, true);
    send_line(reaper, doubt ? DOUBT : "", name);
}

void reaper_start(struct reaper *reaper, struct docker *docker)
{
    struct reaper_process work = {
        .docker = *docker, .labels = STRVEC_INIT, .lines = LINES_INIT(LINE_MAX_BYTES)};

    atomic_init(&reaper->needed, false);
    reaper->docker = docker;
    work.docker.trace = NULL;
    owner_own_labels(&work.labels); /* of the program, not of the new process */
    if (background_start(&reaper->process, run_reaper, &work)) {
        docker->not_removed = report_not_removed;
        docker->not_removed_context = reaper;
    }
    strvec_release(&work.labels);
}

/* This takes no time unless a slow engine keeps the process busy. */
void reaper_dismiss(struct reaper *reaper, struct docker *docker)
{
    docker->not_removed = NULL;
    docker->not_removed_context = NULL;
    send_line(reaper, "", "");
    background_end(&reaper->process, atomic_load(&reaper->needed) ? 0 : WAIT_MS);
}
