/*
 * Writing to a standard stream without ever blocking in write(2).
 *
 * A standard stream may be a pipe whose reader has stopped reading, or a terminal that was stopped
 * with Ctrl-S. A program that waits in write(2) then notices neither a signal nor a deadline.
 * Setting O_NONBLOCK on the stream is no solution: the flag belongs to the open file description
 * (fcntl(2)), which is shared with the shell that started the program. So this module opens the
 * same pipe or terminal once more, through /proc/self/fd, and sets the flag there. A socket cannot
 * be opened like this, but send(2) has MSG_DONTWAIT. Files never block.
 *
 * If the second open is refused (another user owns the terminal, /proc is not mounted), each write
 * is preceded by poll(2) and so small that it fits whenever poll says that there is room. Only
 * another process that fills the same stream in between can then still make it block.
 */
#ifndef BASE_OUTPUT_H
#define BASE_OUTPUT_H

#include <stddef.h>

#include "base/notifier.h"

struct output {
    int stream;   /* the descriptor that we were given; borrowed */
    int reopened; /* the same pipe or terminal with O_NONBLOCK; owned; -1: none */
    enum { OUTPUT_FILE, OUTPUT_PIPE, OUTPUT_TERMINAL, OUTPUT_SOCKET } kind;
};

/* Cannot fail; no child inherits what it opens. `stream` stays open longer than the output. */
void output_open(struct output *output, int stream);
void output_release(struct output *output);

/*
 * Writes the data, until the deadline (clock_now_ms(); 0: none) or until `cancel` is raised (NULL:
 * never). It makes at least one attempt, even if the deadline has passed. Returns how many bytes
 * were written; if that is less than `length`, errno says why: ETIMEDOUT, ECANCELED, or the error
 * of write(2). Thread-safe, but the texts of two threads may mix.
 */
size_t output_write(const struct output *output, const char *data, size_t length,
                    long long deadline, const struct notifier *cancel);

#endif
