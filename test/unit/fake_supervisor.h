/*
 * For a docker command that is a shell script: the frames of a supervisor as files in its
 * directory, and shell functions that read a request.
 */
#ifndef FAKE_SUPERVISOR_H
#define FAKE_SUPERVISOR_H

#include "test.h"

#include "container/delivery.h"
#include "supervisor/protocol.h"

/*
 * greet: takes the supervisor from stdin and sends HELLO. take_frame: reads a frame, whose type is
 * then in $type; false at the end of stdin. take_request: reads frames until STDIN_END; ten of
 * FILES in a second if there is a file "slow".
 */
#define FAKE_SUPERVISOR_FUNCTIONS                                                                  \
    "greet() { read -r size <size; head -c $size >/dev/null; cat hello; }\n"                       \
    "take_frame() { '" TEST_PROGRAMS "/take_frame'; type=$?; [ $type != 255 ]; }\n"                \
    "take_request() { '" TEST_PROGRAMS "/take_frame' request; }\n"

static inline void write_frame(const char *directory, const char *name, int type,
                               const void *payload, size_t length)
{
    const char header[FRAME_HEADER] = {(char)length, (char)(length >> 8), 0, 0, (char)type};
    CLEANUP_FREE char *path = path_in(directory, name);
    CLEANUP(strbuf_release) struct strbuf frame = STRBUF_INIT;

    strbuf_add(&frame, header, sizeof header);
    strbuf_add(&frame, payload, length);
    write_bytes(path, frame.data, frame.length, 0600);
}

/* Appends everything that the shell of an image is sent. */
static inline void add_delivery(struct strbuf *all)
{
    size_t at = 0, before;

    do {
        before = all->length;
        delivery_send(&at, all);
    } while (all->length > before);
}

/* Writes the files "hello", "begun" and "end", and what the functions need. */
static inline void write_fake_supervisor(const char *directory, const struct frame_end *end)
{
    static char hello[FRAME_HELLO_SIZE];
    const struct frame_hello head = {FRAME_HELLO_MAGIC, FRAME_VERSION, 0};
    CLEANUP(strbuf_release) struct strbuf supervisor = STRBUF_INIT;
    CLEANUP_FREE char *size = NULL;

    memcpy(hello, &head, sizeof head);
    write_frame(directory, "hello", FRAME_HELLO, hello, sizeof hello);
    write_frame(directory, "begun", FRAME_BEGUN, NULL, 0);
    write_frame(directory, "end", FRAME_END, end, sizeof *end);
    add_delivery(&supervisor);
    size = string_format("%zu\n", supervisor.length);
    write_in(directory, "size", size);
}

#endif
