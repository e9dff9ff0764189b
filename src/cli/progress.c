#include "cli/progress.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/strbuf.h"

enum { INTERVAL_MS = 200 };

/* Without TERM the abilities of the terminal are unknown. */
static bool can_erase(void)
{
    const char *kind = getenv("TERM");

    return kind && *kind && strcmp(kind, "dumb") != 0;
}

static bool is_wanted(void)
{
    return isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO) && can_erase();
}

void progress_begin_counted(struct progress *progress, long long total)
{
    *progress = (struct progress){.enabled = is_wanted(), .begin = clock_now_ms(), .size = total};
}

void progress_begin(struct progress *progress, int in, bool quiet)
{
    struct stat status;

    *progress = (struct progress){
        .enabled = !quiet && is_wanted(),
        .begin = clock_now_ms(),
        .size = fstat(in, &status) == 0 && S_ISREG(status.st_mode) ? (long long)status.st_size : -1,
    };
}

char *progress_line(const struct progress *progress, long long now, long long done,
                    long long failed, long long requests, long long bytes)
{
    const double seconds = (double)(now - progress->begin + 1) / 1000;
    struct strbuf line = STRBUF_INIT;

    strbuf_addf(&line, "%lld done, %lld failed, %.1f per second", done, failed,
                (double)done / seconds);
    if (progress->size >= bytes && bytes > 0)
        strbuf_addf(&line, ", about %.0f remain",
                    (double)requests * (double)progress->size / (double)bytes - (double)done);
    return strbuf_steal(&line);
}

static void draw_line(const struct progress *progress, const char *line)
{
    CLEANUP_FREE char *text = string_format("\r\033[K%s", line);

    if (progress->enabled)
        diagnostics_draw(text);
}

void progress_show(struct progress *progress, long long done, long long failed, long long requests,
                   long long bytes)
{
    const long long now = clock_now_ms();
    CLEANUP_FREE char *line = NULL;

    if (!progress->enabled || now - progress->last_sent < INTERVAL_MS)
        return;
    progress->last_sent = now;
    line = progress_line(progress, now, done, failed, requests, bytes);
    draw_line(progress, line);
}

/* The rest is known exactly if each request is one byte of the input, and all of it was read. */
void progress_count(struct progress *progress, long long done, long long failed)
{
    progress_show(progress, done, failed, progress->size, progress->size);
}

void progress_clear(struct progress *progress)
{
    if (progress->last_sent > 0)
        draw_line(progress, "");
    progress->last_sent = 0;
}
