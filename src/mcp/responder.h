/*
 * Sends the response to one request: on its own, or in the array of a batch.
 *
 * Each request has one responder. The thread that owns it uses it exactly once: for a result, for
 * an error, or for nothing if the client has cancelled the request.
 */
#ifndef MCP_RESPONDER_H
#define MCP_RESPONDER_H

#include <jansson.h>
#include <stdbool.h>

#include "mcp/known_clients.h"
#include "mcp/revision.h"
#include "mcp/writer.h"

/* Bytes of a message: hosts refuse messages of 1 MiB and more. */
enum {
    MESSAGE_MAX = 1000000,
    RESULT_MAX = MESSAGE_MAX - 40000 /* the rest is for the id, serverInfo and links */
};

/*
 * Collects the responses to a batch and sends them as one array when the last is ready, or as
 * several arrays if one would be too large. Reference-counted by its responders.
 */
struct batch;

/* The caller has one reference, and drops it when all messages of the batch were dispatched. */
struct batch *batch_new(struct writer *writer);
void batch_drop(struct batch *batch);

struct responder {
    struct writer *writer;             /* borrowed */
    const struct revision *revision;   /* borrowed */
    const struct known_client *client; /* of the table; NULL: not known */
    json_t *id;                        /* owned; NULL: it could not be read */
    struct batch *batch;               /* a reference; NULL: the request is in no batch */
    bool details; /* its _meta has "isolator/details": true, so the result has all members */
};

/* The id is borrowed. The client is not known yet. */
void responder_init(struct responder *responder, struct writer *writer,
                    const struct revision *revision, json_t *id, struct batch *batch);

/*
 * These use the responder, and take ownership of `result` and `data` (NULL: none). The result gets
 * the members that each result of a modern revision has (serverInfo; resultType "complete" if it
 * has none).
 */
void responder_result(struct responder *responder, json_t *result);
void responder_error(struct responder *responder, int code, json_t *data, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void responder_nothing(struct responder *responder);

/* A string member of an object, borrowed; NULL, with the error sent, if it is not a string. */
const char *responder_need_string(struct responder *responder, const json_t *object,
                                  const char *name);

/* Sends a notification. Takes ownership of the params. */
void responder_notify(struct writer *writer, const char *method, json_t *params);

/* The revision of the request, without what its client does not hand on to its model. */
struct revision responder_reads(const struct responder *responder);

/* The serverInfo of this server as the revision defines it; a new reference. */
json_t *responder_server_info(const struct revision *revision);

#endif
