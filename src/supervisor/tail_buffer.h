/*
 * The last bytes of a stream: a ring, whose memory is taken before the program starts. Knows
 * nothing of frames.
 */
#ifndef SUPERVISOR_TAIL_BUFFER_H
#define SUPERVISOR_TAIL_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tail_buffer {
    char *bytes;          /* owned */
    size_t allocated;     /* bytes */
    size_t max;           /* of them are used */
    size_t first, length; /* of the bytes that are kept */
};

/*
 * Keeps nothing, and the last `max` bytes from now on. Takes memory if it has less, and writes to
 * it. False: there is none, and nothing can be kept.
 */
bool tail_buffer_begin(struct tail_buffer *tail, uint64_t max);

/* Keeps bytes, in place of the oldest ones if there are too many. */
void tail_buffer_add(struct tail_buffer *tail, const char *bytes, size_t length);

/* Points to the oldest bytes, and returns how many follow there; 0: there are none. */
size_t tail_buffer_peek(const struct tail_buffer *tail, const char **bytes);

/* Forgets so many of them. */
void tail_buffer_drop(struct tail_buffer *tail, size_t length);

#endif
