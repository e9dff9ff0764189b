/*
 * The line on a person's terminal that tells how far a batch is.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

struct progress {
    bool shown;      /* stderr is a terminal, and stdout is none */
    long long begin; /* clock_now_ms() */
    long long told;  /* likewise; when the line was last written */
    long long size;  /* bytes of the input; -1: not known */
};

/* `in` is the input: what remains is known where it is a file. */
void progress_begin(struct progress *progress, int in);

/*
 * Tells so many done, of which some failed, by the lines and bytes of the input that were read; but
 * only some times a second.
 */
void progress_tell(struct progress *progress, long long done, long long failed, long long lines,
                   long long bytes);

/* Takes the line away. */
void progress_end(struct progress *progress);

#endif
