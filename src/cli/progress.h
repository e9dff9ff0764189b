/*
 * The status line of a command on a terminal: what it is doing while a person waits. It is the last
 * line of the screen, on stderr, and appears after two seconds of work. It has no colours.
 *
 * There is none if stderr is no terminal or one that cannot erase a line; then all functions do
 * nothing. Lines of base/diagnostics.h take its place, and it is drawn again below them; call
 * progress_clear() before anything is written to stdout, which may be the same terminal. All
 * functions but those that begin and end it may be called by any thread.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>

#include "base/notifier.h"

enum progress_content { PROGRESS_HIDDEN, PROGRESS_STEP, PROGRESS_RESULTS };

struct progress {
    bool enabled;    /* a thread draws the line; false: the other members mean nothing */
    long long begin; /* clock_now_ms() */
    pthread_t thread;
    struct notifier ended;
    pthread_mutex_t lock; /* protects the rest */
    enum progress_content shows;
    char *step;                /* what is being done, escaped; owned; NULL: no step began */
    long long number, steps;   /* of the step, from 1, and how many there are; 0: unknown */
    long long size;            /* bytes of the input, or requests that are counted; -1: unknown */
    long long done, failed;    /* results */
    long long requests, bytes; /* that were read of the input */
};

/* For steps: nothing is shown before the first. */
void progress_begin(struct progress *progress);

/* For results of requests, of which there are `total`. */
void progress_begin_counted(struct progress *progress, long long total);

/*
 * For results of requests that are read from `in`; the size is known if it is a file. There is no
 * status line if it is a terminal, at which a person types, or if it is not wanted (`quiet`).
 */
void progress_begin_input(struct progress *progress, int in, bool quiet);

/*
 * Shows what is being done, "running python", and that it is the step with this number, of so many;
 * 0 if that is unknown. The text is escaped here.
 */
void progress_step(struct progress *progress, long long number, long long steps, const char *text);

/* Shows `done` results, of which `failed` failed, of requests that were counted. */
void progress_count(struct progress *progress, long long done, long long failed);

/* The same after `requests` requests were read, from `bytes` bytes of input. */
void progress_show(struct progress *progress, long long done, long long failed, long long requests,
                   long long bytes);

/* So many bytes of the input need no results. */
void progress_skip(struct progress *progress, long long bytes);

/* Erases the line. It stays away until the next step or result. */
void progress_clear(struct progress *progress);

/* Erases the line and ends the thread. Also for an empty struct, and more than once. */
void progress_end(struct progress *progress);

/* Begins it again after progress_end(), for instance after service_open(), which forks. */
void progress_resume(struct progress *progress);

/*
 * The line at `now` (clock_now_ms()); owned by the caller. NULL: none. What remains of an input is
 * an estimate: the rest has requests of the same length.
 */
char *progress_line(const struct progress *progress, long long now);

#endif
