#include "cli/progress.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/duration.h"

enum { EVERY_MS = 200 };

void progress_begin(struct progress *progress, int in)
{
    struct stat status;

    *progress = (struct progress){
        .shown = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO),
        .begin = clock_now_ms(),
        .size = fstat(in, &status) == 0 && S_ISREG(status.st_mode) ? (long long)status.st_size : -1,
    };
}

void progress_tell(struct progress *progress, long long done, long long failed, long long lines,
                   long long bytes)
{
    const long long now = clock_now_ms();
    const double seconds = (double)(now - progress->begin + 1) / 1000;

    if (!progress->shown || now - progress->told < EVERY_MS)
        return;
    progress->told = now;
    fprintf(stderr, "\r\033[K%lld done, %lld failed, %.1f a second", done, failed,
            (double)done / seconds);
    if (progress->size >= 0 && bytes > 0) /* the lines to come are as long as those before */
        fprintf(stderr, ", about %.0f remain",
                (double)lines * (double)progress->size / (double)bytes - (double)done);
    fflush(stderr);
}

void progress_end(struct progress *progress)
{
    if (progress->shown && progress->told > 0)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}
