/*
 * isolator's end of a channel of the supervisor (supervisor/protocol.h): what takes the bytes that
 * arrive in it and, if it has both directions, gives those that leave. The instance passes them on,
 * and lets the supervisor send as many more as were dealt with. What they mean is known to the
 * functions alone: a new channel is a row in the protocol, a file of the supervisor that fills it,
 * and a struct channel.
 */
#ifndef CONTAINER_CHANNEL_H
#define CONTAINER_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>

/* `number`: which channel it is, if a context has several. */
struct channel {
    void *context; /* borrowed */
    int number;
    /* Takes bytes. NULL: they are dropped. */
    void (*take)(void *context, int number, const char *data, size_t length);
    /* How many bytes were dealt with since the last call. NULL: all that were taken. */
    size_t (*dealt)(void *context, int number);
    /* The descriptor that has to have room for the rest; -1: there is no rest. NULL: never. */
    int (*destination)(const void *context, int number);
    /* Called when it has room. */
    void (*flush)(void *context, int number);
    /* Whether the program has to be ended because of what came. NULL: never. */
    bool (*must_end)(const void *context);
    /* So many bytes are left out here. NULL: they are not counted. */
    void (*omitted)(void *context, int number, unsigned long long bytes);
    /* Of a channel in both directions; NULL: it has one. Fills in the next bytes for the
     * supervisor, at most `size`, and returns how many. */
    size_t (*give)(void *context, char *bytes, size_t size);
    /* The descriptor that becomes readable when there is something to do, and what does it. */
    int (*source)(const void *context);
    void (*serve)(void *context);
    /* Takes the path of a file that the supervisor has left out because of its size. NULL: no. */
    void (*too_large)(void *context, const char *path);
};

#endif
