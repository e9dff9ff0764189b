/*
 * isolator's end of the connection to the supervisor of a container (supervisor/protocol.h): builds
 * the frames of a request, and takes apart what comes back. Knows no processes and no files but
 * those that it sends.
 *
 * What arrives is parsed as hostile input: although no program can write to the connection, an
 * image brings the shell that receives the supervisor.
 */
#ifndef RUN_SUPERVISOR_LINK_H
#define RUN_SUPERVISOR_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/strbuf.h"
#include "config/plan.h"
#include "supervisor/protocol.h"

enum supervisor_state {
    SUPERVISOR_STARTING,
    SUPERVISOR_READY,    /* it waits for a request */
    SUPERVISOR_RUNNING,  /* the program may have begun */
    SUPERVISOR_ENDED,    /* the program has ended */
    SUPERVISOR_COLLECTED /* its files have arrived */
};

struct supervisor_link {
    enum supervisor_state state;
    bool broken;           /* what arrived were no frames; nothing more is taken */
    struct strbuf pending; /* the start of a frame */
    /* FAILED; the step is 0 if nothing failed. */
    struct frame_failed failure;
    struct strbuf failed; /* the path concerned */
    struct frame_end end; /* valid from SUPERVISOR_ENDED, if nothing failed */
    /* What is still to be sent of the request; the files are borrowed, -1: none. */
    struct strbuf head; /* frames in front of the archive */
    int archive, input;
    off_t archive_at, input_at;
    bool requested, run_sent, input_ended;
    struct frame_run run;
    size_t input_credit;
};

/* Receives what the frames carry. */
struct supervisor_handler {
    void (*output)(void *context, int stream, const char *data, size_t length); /* of the program */
    void (*files)(void *context, const char *data, size_t length);              /* of the archive */
    void (*too_large)(void *context, const char *path); /* a file that is not in the archive */
};

void supervisor_link_init(struct supervisor_link *link);
void supervisor_link_release(struct supervisor_link *link);

/*
 * Prepares the request: the plan's command and environment, an archive of its files, and its stdin.
 * `archive` is borrowed until the program runs, and the plan's stdin until it has ended.
 */
void supervisor_link_request(struct supervisor_link *link, const struct plan *plan, int archive);

/* A process_source: adds the next frames of the request. */
void supervisor_link_send(void *link, struct strbuf *queue);

/*
 * Add a frame to `queue`: STOP; COLLECT with a plan's limits, where a file of up to `file_max`
 * bytes is sent; CREDIT for a stream (enum frame_type).
 */
void supervisor_link_stop(struct strbuf *queue);
void supervisor_link_collect(const struct plan *plan, long long file_max, struct strbuf *queue);
void supervisor_link_grant(enum frame_type stream, size_t bytes, struct strbuf *queue);

/* Takes apart what has arrived. The handler gets no empty data. */
void supervisor_link_feed(struct supervisor_link *link, const char *data, size_t length,
                          const struct supervisor_handler *handler, void *context);

/* Whether the program has ended by itself or at an order, and `end` is valid. */
bool supervisor_link_has_end(const struct supervisor_link *link);

#endif
