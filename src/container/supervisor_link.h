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
#include "request/plan.h"
#include "supervisor/protocol.h"

enum supervisor_link_state {
    LINK_STARTING,
    LINK_READY,    /* it waits for a request, or has one and no program runs yet */
    LINK_RUNNING,  /* the program may have begun */
    LINK_ENDED,    /* the program has ended, or KEEP is done; or either has failed */
    LINK_COLLECTED /* the program's files have arrived */
};

/* What a program of an interaction is, see "Interaction" in supervisor/protocol.h. */
enum program_side {
    SIDE_NONE,
    SIDE_RELAYED, /* isolator itself passes on what it says */
    SIDE_JOINED,
    SIDE_INTERACTOR
};

/*
 * A program, and what it gets. All is borrowed until the program has ended. In a session it may be
 * a cell of an interpreter that stays, whose command and environment are only used to start it.
 */
struct program_request {
    const struct strvec *command;     /* argv */
    const struct strvec *environment; /* "NAME=VALUE" */
    bool without_proxies;             /* the proxies that the engine has set are removed */
    const struct strvec *proxies;     /* and these set, before the others; NULL: none */
    bool netlink;                     /* it may open sockets of netlink */
    enum program_side side;           /* with another program, if it talks to one */
    long long look_ms;   /* after its start it is looked at, to know what it waits for; 0: never */
    bool samples_memory; /* FRAME_RUN_SAMPLE_MEMORY */
    /* What its relay carries at once: connections of the proxy and of the tools. Both 0: it has no
     * relay. */
    int connections, tools;
    const struct limits *limits; /* complete */
    int stack_mb;                /* of its stack, at most its memory; 0: as much as its memory */
    /* In a script (supervisor/protocol.h): bytes of each stream that the result keeps, half of them
     * from its end, and bytes of stdout that are compared. */
    size_t output_kept, output_compared;
    bool must_succeed;    /* FRAME_RUN_MUST_SUCCEED, in a script */
    int archive;          /* files for its working directory; -1: none */
    int input;            /* its stdin; -1: empty */
    bool input_is_live;   /* see struct input; no cell has it */
    long long restore_ms; /* RESTORE comes first, which may take so long; 0: no */
    bool reset;           /* RESET comes first: the program finds what the one before it has left */
    uint64_t output_max;  /* bytes of one stream that it may write; 0: OUTPUT_HARD_MAX */
    uint32_t value_max;   /* bytes of the value that it may write to descriptor 3; 0: it has none */
    /* Only in a session; 0 elsewhere. */
    const struct strbuf *cell; /* the cell for the interpreter; NULL: a program of its own */
    bool interpreter_waits;    /* an earlier cell has started it */
    bool keep_processes;       /* those that it has started stay when it ends */
    long long linger_ms;       /* how long the container waits for the next request */
    double seconds_left; /* limits that the session sets in addition to those of the program */
    uint64_t cpu_left_us;
    uint64_t output_left;
};

/* The timeout of the program, in seconds and in ms. */
double program_request_timeout(const struct program_request *request);
long long program_request_timeout_ms(const struct program_request *request);

/* Bytes of the report of a cell: a value and figures, in JSON and base64. */
enum { SUPERVISOR_REPORT_MAX = 12 << 20 };

/* A program is ended if it writes more bytes to one stream. */
enum { OUTPUT_HARD_MAX = 64 << 20 };

/* How long a cell that is interrupted has to end before its interpreter is ended. */
enum { PROGRAM_INTERRUPT_MS = 1000 };

struct supervisor_link {
    enum supervisor_link_state state;
    bool is_script; /* the requests are part of a script, or were */
    bool detached;  /* and the supervisor needs no isolator any more */
    bool is_gvisor; /* HELLO has said that the kernel is gVisor's */
    bool broken;    /* what arrived were no frames; nothing more is taken */
    bool seals;     /* what follows HELLO is sealed: "Seals" in supervisor/protocol.h */
    bool sent_keys; /* and SEAL was sent */
    struct frame_seal keys;
    struct sealed_lines sealed;  /* what is sent */
    struct sealed_reader reader; /* what arrives */
    struct strbuf pending;       /* the start of a frame */
    /* FAILED; the step is 0 if nothing failed. */
    struct frame_failed failure;
    struct strbuf failed;       /* the path concerned */
    struct frame_end end;       /* valid if has_end; a figure that cannot be is FRAME_UNKNOWN */
    struct frame_looked looked; /* LOOKED, or zeros */
    bool has_end;               /* the program has ended by itself or at an order */
    uint64_t kept_bytes;        /* of the copy that KEEP made, at most as many as were ordered */
    uint64_t keep_max;
    /* What is still to be sent of the request; the files are borrowed, -1: none. */
    struct strbuf head;        /* frames in front of the archive */
    struct strbuf last;        /* RUN or KEEP, which follows it */
    const struct strbuf *cell; /* borrowed; NULL: none */
    size_t cell_at;
    bool has_value; /* of the last program: it may write one */
    int archive, input;
    off_t archive_at, input_at;
    bool requested, last_sent, keeps, input_ended;
    bool collects;        /* COLLECT was sent after this request */
    bool keeps_processes; /* as in struct program_request */
    size_t input_credit;
    bool has_relay; /* the request has ordered one */
    size_t network_credit;
    bool input_is_live;
    int input_error; /* why reading live input failed, which ended it; errno, 0: it did not */
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

/* How much CPU time the program may use, in microseconds; 0: no limit. */
uint64_t supervisor_link_cpu_max_us(const struct program_request *request);

/* Whether the session has less CPU time left than the limits of the program allow. */
bool supervisor_link_limits_cpu(const struct program_request *request);

/*
 * Prepares KEEP, before the first program or after its end: unpack the archive (-1: there is none),
 * which is borrowed until KEEP is done, and keep a copy of the working directory.
 */
void supervisor_link_keep(struct supervisor_link *link, int archive,
                          const struct frame_keep *order);

/* A process_source: adds the next frames of the request. */
void supervisor_link_send(void *link, struct strbuf *queue);

/* The request is in a script, whose log is read: nothing of it is sent. */
void supervisor_link_assume_sent(struct supervisor_link *link);

/*
 * The request is in a script, and is taken to succeed: the program to end with status 0, the copy
 * of KEEP to be made, and the files to arrive. Each call is one step of that.
 */
void supervisor_link_assume_success(struct supervisor_link *link);

/* How many first and last bytes of each stream the supervisor sends of a program of a script. */
size_t supervisor_link_head_max(const struct program_request *request);
size_t supervisor_link_tail_max(const struct program_request *request);

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
