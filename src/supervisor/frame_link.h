/*
 * The two ends of the supervisor's connection to isolator: complete frames come in, frames go out,
 * those of channels as far as isolator has granted. They can be sealed, or come from a script and
 * go out as lines of a log: see "Seals" and "Scripts" in supervisor/protocol.h. Knows nothing of
 * what they mean. Neither direction ever blocks, and all memory is in the struct.
 */
#ifndef SUPERVISOR_FRAME_LINK_H
#define SUPERVISOR_FRAME_LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sealed_lines.h"
#include "supervisor/protocol.h"

enum {
    FRAME_LINK_INPUT = FRAME_HEADER + FRAME_PAYLOAD_MAX + SEALED_LINE_MAX,
    FRAME_LINK_OUTPUT = 3 * FRAME_CHUNK,
    /* Room that only control frames use, so that one can always be sent. */
    FRAME_LINK_RESERVE = FRAME_CHUNK / 2
};

struct frame_link {
    int in, out; /* borrowed; non-blocking */
    unsigned char input[FRAME_LINK_INPUT];
    size_t first, filled; /* of the bytes that are not handled yet */
    size_t undecoded;     /* bytes after them that are the start of a sealed line */
    unsigned char output[FRAME_LINK_OUTPUT];
    size_t out_first, out_filled; /* of the bytes that are not written yet */
    uint64_t credit[CHANNELS];    /* bytes that may be sent */
    bool is_script;
    bool dropped;             /* the other side is gone, see frame_link_drop() */
    bool in_ended;            /* nothing more is in its file */
    bool seals_in, seals_out; /* the bytes are carried by lines; of a script those that go out */
    struct sealed_lines in_lines, out_lines;
    char line[SEALED_LINE_MAX];
    size_t line_first, line_filled; /* of what is not written of it yet */
};

struct frame {
    enum frame_type type;
    const char *payload; /* in the link; valid until the next frame_link_read() */
    size_t length;
};

/*
 * Writes to all its memory, so that the kernel has to give none later. `key`: `in` is the file of a
 * script, and what is sent is sealed with this; NULL: there is no script.
 */
void frame_link_init(struct frame_link *link, int in, int out, const char *key);

/*
 * Everything that follows is sealed in both directions. False if it is sealed already or is a
 * script, if bytes wait to be written, if a key is empty or does not end with a NUL, or if bytes
 * that have arrived are not the next line.
 */
bool frame_link_seal(struct frame_link *link, const struct frame_seal *keys);

/*
 * The other side is gone: what has arrived is dropped, and nothing more does. Everything can be
 * sent, and is dropped, too. frame_link_init() begins with another one.
 */
void frame_link_drop(struct frame_link *link);

/* Whether frame_link_read() can take more bytes; else a complete frame waits. */
bool frame_link_has_room(const struct frame_link *link);

/*
 * Reads once, if there is room. False at the end of the input, or if it cannot be read or is not
 * sealed as it has to be. The end of a script is none, and sets `in_ended`.
 */
bool frame_link_read(struct frame_link *link);

/* Looks at the next complete frame. 1; 0: there is none; -1: what arrived is no frame. */
int frame_link_peek(const struct frame_link *link, struct frame *frame);

/* Takes it; returns the same. */
int frame_link_next(struct frame_link *link, struct frame *frame);

/* Of a script: whether there are bytes that are not taken. */
bool frame_link_has_rest(const struct frame_link *link);

/*
 * Sends a frame: a fixed part and a variable one, either of which may be empty. False if there is
 * no room for it.
 */
bool frame_link_send(struct frame_link *link, enum frame_type type, const void *fixed,
                     size_t fixed_length, const void *text, size_t text_length);

/* Adds credit. False: there is no channel for frames of this type. */
bool frame_link_grant(struct frame_link *link, uint32_t type, uint32_t bytes);

/* Whether there is room for a frame of a channel; how many bytes it may have now. */
bool frame_link_has_space(const struct frame_link *link);
size_t frame_link_may_send(const struct frame_link *link, enum frame_channel channel);

/*
 * Where to put up to FRAME_CHUNK bytes; NULL if there is no room now. Then sends as many of them as
 * frame_link_may_send() allows.
 */
unsigned char *frame_link_prepare(struct frame_link *link);
void frame_link_commit(struct frame_link *link, enum frame_channel channel, size_t length);

/* Whether there are bytes to write. */
bool frame_link_pending(const struct frame_link *link);

/* Writes once; if it is sealed, a part of a line. False if the reader is gone. */
bool frame_link_write(struct frame_link *link);

#endif
