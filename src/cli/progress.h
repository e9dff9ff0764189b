/*
 * The progress line of a batch, or of tests, on a terminal. It has no colours.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

struct progress {
    bool enabled;        /* stderr is a terminal that can erase a line, and stdout is none */
    long long begin;     /* clock_now_ms() */
    long long last_sent; /* clock_now_ms() of the last update; 0: no line is displayed */
    long long size;      /* bytes of the input, or requests that are counted; -1: unknown */
};

/* `in` is the input; its size is known if it is a file. `quiet` disables the progress line. */
void progress_begin(struct progress *progress, int in, bool quiet);

/* For `total` requests that are known from the start; then call progress_count() for each. */
void progress_begin_counted(struct progress *progress, long long total);
void progress_count(struct progress *progress, long long done, long long failed);

/*
 * The line at `now` (clock_now_ms()) with `done` results, of which `failed` failed. `requests`
 * requests were read, from `bytes` bytes of input; the estimate assumes that the rest have the
 * same length. Owned by the caller.
 */
char *progress_line(const struct progress *progress, long long now, long long done,
                    long long failed, long long requests, long long bytes);

/* Updates the line on the terminal, at most five times a second. */
void progress_show(struct progress *progress, long long done, long long failed, long long requests,
                   long long bytes);

/* Erases the line so that something else can be written. */
void progress_clear(struct progress *progress);

#endif
