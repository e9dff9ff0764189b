/*
 * The line on a person's terminal that tells how far a batch is. It has no colours.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

struct progress {
    bool shown;      /* stderr is a terminal, and stdout is none */
    bool erases;     /* the terminal can take a line back; a dumb one gets the last line alone */
    long long begin; /* clock_now_ms() */
    long long told;  /* likewise; when the line was last written; 0: it is not there */
    long long size;  /* bytes of the input; -1: not known */
};

/* `in` is the input: what remains is known where it is a file. `quiet`: nothing is ever shown. */
void progress_begin(struct progress *progress, int in, bool quiet);

/*
 * The line at `now` (clock_now_ms()): so many results, of which some failed. So many requests were read,
 * which with what is between them were so many bytes; those to come are taken to be as long. Owned by the
 * caller.
 */
char *progress_line(const struct progress *progress, long long now, long long done,
                    long long failed, long long requests, long long bytes);

/* Writes that line, but only some times a second. */
void progress_tell(struct progress *progress, long long done, long long failed, long long requests,
                   long long bytes);

/* Takes the line away, for something else to be written. */
void progress_clear(struct progress *progress);

/* Leaves the line behind as it is in the end. */
void progress_end(struct progress *progress, long long done, long long failed);

#endif
