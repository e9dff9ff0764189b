/*
 * isolator's end of the connection to the supervisor of a container (supervisor/protocol.h): builds
 * the frames of a request, and parses what comes back. Knows no processes and no files but
 * those that it sends.
 *
 * What arrives is parsed as hostile input: an image brings the shell that receives the supervisor,
 * and gVisor lets a program write to the connection.
 */
#ifndef CONTAINER_SUPERVISOR_LINK_H
#define CONTAINER_SUPERVISOR_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/sealed_reader.h"
#include "base/strbuf.h"
#include "container/program_request.h"
#include "supervisor/protocol.h"

enum supervisor_link_state {
    LINK_STARTING,
    LINK_READY,    /* it waits for a request, or has one and no program runs yet */
    LINK_RUNNING,  /* the program may have begun */
    LINK_ENDED,    /* the program has ended, or KEEP is done; or either has failed */
    LINK_COLLECTED /* the program's files have arrived */
};

struct supervisor_link {
    enum supervisor_link_state state;
    bool is_script; /* the requests are part of a script, or were */
    bool detached;  /* and the supervisor needs no isolator any more */
    bool is_gvisor; /* HELLO has said that the kernel is gVisor's */
    bool broken;    /* what arrived were no frames; nothing more is taken */
    bool is_other_version; /* it is, since HELLO was that of another version */
    bool seals;     /* what follows HELLO is sealed: "Seals" in supervisor/protocol.h */
    bool sent_keys; /* and SEAL was sent */
    struct frame_seal keys;
    struct sealed_lines sealed;  /* what is sent */
    struct sealed_reader reader; /* what arrives */
    struct strbuf pending;       /* the start of a frame */
    /* FAILED; the step is 0 if nothing failed. */
    struct frame_failed failure;
    struct strbuf failed; /* the path concerned */
    struct frame_end end; /* valid if has_end; a figure that cannot be is FRAME_UNKNOWN */
    struct frame_wait_state wait_state; /* WAIT_STATE, or zeros */
    bool has_end;                       /* the program has ended by itself or at an order */
    uint64_t kept_bytes; /* of the copy that KEEP made, at most as many as were ordered */
    uint64_t keep_max;
    /* What is still to be sent of the request; the files are borrowed, -1: none. */
    struct strbuf head;        /* frames in front of the archive */
    struct strbuf last;        /* RUN or KEEP, which follows it */
    const struct strbuf *cell; /* borrowed; NULL: none */
    size_t cell_at;
    bool has_value;        /* of the last program: it may write one */
    bool makes_ready;      /* MAKE_READY is sent, and was not answered */
    bool ready_is_late;    /* another request was sent before the answer */
    bool was_resized;      /* the limits of the container were changed since then */
    long long ready_bytes; /* memory that the container used when its program was ready */
    int archive, input;
    off_t archive_at, input_at;
    bool requested, last_sent, keeps, input_ended;
    bool collects;        /* COLLECT was sent with this request or after it */
    bool keeps_processes; /* as in struct program_request */
    size_t input_credit;
    bool has_relay; /* the request has ordered one */
    size_t network_credit;
    bool input_is_live;
    bool loads_input; /* it is taken before the program begins: that of a cell, or a file */
    int input_error;  /* why reading live input failed, which ended it; errno, 0: it did not */
};

/* Receives what the frames carry. */
struct supervisor_handler {
    void (*take)(void *context, enum frame_channel channel, const char *data, size_t length);
    void (*too_large)(void *context, const char *path); /* a file that is not in the archive */
    /* Bytes of a stream that are left out. Only of a script. */
    void (*omitted)(void *context, enum frame_channel channel, unsigned long long bytes);
};

void supervisor_link_init(struct supervisor_link *link);
void supervisor_link_release(struct supervisor_link *link);

/* Prepares the request for a program, the first one or after the end of another one. */
void supervisor_link_request(struct supervisor_link *link, const struct program_request *request);

/*
 * Prepares KEEP, before the first program or after its end: unpack the archive (-1: there is none),
 * which is borrowed until KEEP is done, and keep a copy of the working directory; after RESTORE,
 * unless `restore` is NULL.
 */
void supervisor_link_keep(struct supervisor_link *link, int archive, const struct frame_keep *order,
                          const struct frame_restore *restore);

/* Prepares STORE: unpack the archive, which is borrowed until that is done, and run nothing. */
void supervisor_link_store(struct supervisor_link *link, int archive);

/* Adds ATTACH to `queue`, before anything else. */
void supervisor_link_attach(struct strbuf *queue);

/* A process_source: adds the next frames of the request. */
void supervisor_link_send(void *link, struct strbuf *queue);

/* The request is in a script, whose log is read: nothing of it is sent. */
void supervisor_link_assume_sent(struct supervisor_link *link);

/*
 * The request is in a script, and is taken to succeed: the program to end with status 0, the copy
 * of KEEP to be made, and the files to arrive. Each call is one step of that.
 */
void supervisor_link_assume_success(struct supervisor_link *link);

/* Adds DETACH to `queue`. */
void supervisor_link_detach(const struct frame_detach *order, struct strbuf *queue);

/*
 * The descriptor of live input if its next bytes can be sent now: the program runs, has not closed
 * its stdin, and there is credit. -1: none.
 */
int supervisor_link_wanted_input(const struct supervisor_link *link);

/*
 * Reads from that descriptor, which polls readable, and adds a frame with its bytes or its end to
 * `queue`. What was read is lost if the program does not take it: FRAME_STDIN_WINDOW bytes at most,
 * and what fits the pipe of the program.
 */
void supervisor_link_read_input(struct supervisor_link *link, struct strbuf *queue);

/*
 * Whether the request has a relay that may be there: the order to start it was sent, and its
 * program has not ended. The relay is there before the program is.
 */
bool supervisor_link_has_relay(const struct supervisor_link *link);

/* How many bytes the relay of the program takes now; and send it no more than these. */
size_t supervisor_link_network_room(const struct supervisor_link *link);
void supervisor_link_send_network(struct supervisor_link *link, const char *bytes, size_t length,
                                  struct strbuf *queue);

/*
 * Add a frame to `queue`: STOP; LET_GO; INTERRUPT; EXTEND by so many ms; COLLECT, where a file of
 * up to `file_max` bytes is sent, if the archive has up to `max`; CREDIT for a channel.
 */
void supervisor_link_stop(struct supervisor_link *link, struct strbuf *queue);
void supervisor_link_let_go(struct supervisor_link *link, struct strbuf *queue);
void supervisor_link_interrupt(struct supervisor_link *link, struct strbuf *queue);
void supervisor_link_extend(struct supervisor_link *link, long long ms, struct strbuf *queue);
void supervisor_link_collect(struct supervisor_link *link, long long file_max, long long max,
                             struct strbuf *queue);
void supervisor_link_grant(struct supervisor_link *link, enum frame_channel channel, size_t bytes,
                           struct strbuf *queue);

/* Whether the supervisor can take a request: it has none, or has reported the end of the last one.
 */
bool supervisor_link_is_idle(const struct supervisor_link *link);

/* Parses what has arrived. The handler gets no empty data. */
void supervisor_link_feed(struct supervisor_link *link, const char *data, size_t length,
                          const struct supervisor_handler *handler, void *context);

#endif
