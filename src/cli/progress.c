#include "cli/progress.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/io.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/thread.h"
#include "cli/terminal.h"

/* Nothing is shown before. */
enum { DELAY_MS = 2000 };

/* The pause between two updates. */
enum { INTERVAL_MS = 200 };

/* ---- the text */

static void add_bar(struct strbuf *line, double done, double total)
{
    static const char full[] = "####################";
    const int width = sizeof full - 1;
    const int length = done < total ? (int)(done * width / total) : width;

    strbuf_addf(line, "[%.*s%*s] ", length, full, width - length, "");
}

static void add_step(struct strbuf *line, const struct progress *progress, double seconds)
{
    if (progress->steps > 0) {
        add_bar(line, (double)progress->number - 1, (double)progress->steps);
        strbuf_addf(line, "%lld of %lld: ", progress->number, progress->steps);
    }
    strbuf_addf(line, "%s, %.0f s", progress->step, seconds);
}

static void add_results(struct strbuf *line, const struct progress *progress, double seconds)
{
    const bool estimated = progress->size >= progress->bytes && progress->bytes > 0;
    const double done = (double)progress->done;
    const double total =
        estimated ? (double)progress->requests * (double)progress->size / (double)progress->bytes
                  : 0;

    if (estimated)
        add_bar(line, done, total);
    strbuf_addf(line, "%lld done, %lld failed, %.1f per second", progress->done, progress->failed,
                done / seconds);
    if (estimated)
        strbuf_addf(line, ", about %.0f remain", total - done);
}

char *progress_line(const struct progress *progress, long long now)
{
    const double seconds = (double)(now - progress->begin) / 1000;
    struct strbuf line = STRBUF_INIT;

    if (now - progress->begin < DELAY_MS || progress->shows == PROGRESS_HIDDEN)
        return NULL;
    if (progress->shows == PROGRESS_STEP)
        add_step(&line, progress, seconds);
    else
        add_results(&line, progress, seconds);
    return strbuf_steal(&line);
}

/* ---- drawing; the callers have the lock, so that nothing is drawn after progress_clear() */

/* Whether another job has the terminal. */
static bool is_in_background(void)
{
    const pid_t group = tcgetpgrp(STDERR_FILENO);

    return group > 0 && group != getpgrp();
}

static void draw(const struct progress *progress)
{
    CLEANUP_FREE char *line = progress_line(progress, clock_now_ms());

    if (line && !is_in_background())
        diagnostics_draw(line);
}

/* Shows what has changed: at once if nothing is shown, else with the next update. */
static void show(struct progress *progress, enum progress_content shows)
{
    const bool hidden = progress->shows == PROGRESS_HIDDEN;

    progress->shows = shows;
    if (hidden)
        draw(progress);
}

/* The thread. */
static void *keep_drawing(void *context)
{
    struct progress *progress = context;
    struct pollfd polled = {notifier_fd(&progress->ended), POLLIN, 0};

    while (!notifier_raised(&progress->ended)) {
        io_poll(&polled, 1, INTERVAL_MS);
        THREAD_LOCK(&progress->lock);
        draw(progress);
    }
    return NULL;
}

/* ---- */

/* Without a thread there is no status line, and the command works as well. */
static void start(struct progress *progress)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (!terminal_can_erase(STDERR_FILENO) || notifier_open(&progress->ended, &error) != 0)
        return;
    pthread_mutex_init(&progress->lock, NULL);
    progress->enabled = thread_start(&progress->thread, keep_drawing, progress) == 0;
    if (progress->enabled)
        return;
    pthread_mutex_destroy(&progress->lock);
    notifier_release(&progress->ended);
}

void progress_begin(struct progress *progress)
{
    *progress = (struct progress){.begin = clock_now_ms(), .shows = PROGRESS_HIDDEN};
    start(progress);
}

void progress_begin_counted(struct progress *progress, long long total)
{
    /* Each request is one byte of an input that was read, so what remains is known exactly. */
    *progress = (struct progress){.begin = clock_now_ms(),
                                  .shows = PROGRESS_RESULTS,
                                  .size = total,
                                  .requests = total,
                                  .bytes = total};
    start(progress);
}

void progress_begin_input(struct progress *progress, int in, bool quiet)
{
    struct stat status;

    *progress = (struct progress){
        .begin = clock_now_ms(),
        .shows = PROGRESS_RESULTS,
        .size = fstat(in, &status) == 0 && S_ISREG(status.st_mode) ? (long long)status.st_size : -1,
    };
    if (!quiet && !isatty(in))
        start(progress);
}

void progress_step(struct progress *progress, long long number, long long steps, const char *text)
{
    if (!progress->enabled)
        return;
    THREAD_LOCK(&progress->lock);
    free(progress->step);
    progress->step = text_escape(text);
    progress->number = number;
    progress->steps = steps;
    show(progress, PROGRESS_STEP);
}

void progress_show(struct progress *progress, long long done, long long failed, long long requests,
                   long long bytes)
{
    if (!progress->enabled)
        return;
    THREAD_LOCK(&progress->lock);
    progress->done = done;
    progress->failed = failed;
    progress->requests = requests;
    progress->bytes = bytes;
    show(progress, PROGRESS_RESULTS);
}

void progress_count(struct progress *progress, long long done, long long failed)
{
    progress_show(progress, done, failed, progress->size, progress->size);
}

void progress_skip(struct progress *progress, long long bytes)
{
    if (!progress->enabled)
        return;
    THREAD_LOCK(&progress->lock);
    if (progress->size >= bytes)
        progress->size -= bytes;
}

void progress_clear(struct progress *progress)
{
    if (!progress->enabled)
        return;
    THREAD_LOCK(&progress->lock);
    progress->shows = PROGRESS_HIDDEN;
    diagnostics_draw("");
}

void progress_end(struct progress *progress)
{
    if (!progress->enabled)
        return;
    progress_clear(progress);
    notifier_raise(&progress->ended);
    pthread_join(progress->thread, NULL);
    notifier_release(&progress->ended);
    pthread_mutex_destroy(&progress->lock);
    free(progress->step);
    *progress = (struct progress){.begin = progress->begin};
}

void progress_resume(struct progress *progress)
{
    *progress = (struct progress){.begin = progress->begin, .shows = PROGRESS_HIDDEN};
    start(progress);
}
