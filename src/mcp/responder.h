/*
 * The place that an answer goes to: which request of which revision it answers, alone or in a batch.
 *
 * Each request is answered exactly once, by whichever thread has the reply: with a result, an error or,
 * where the client has cancelled it, with nothing.
 */
#ifndef MCP_RESPONDER_H
#define MCP_RESPONDER_H

#include <jansson.h>

#include "mcp/revision.h"
#include "mcp/writer.h"

/*
 * No message gets larger than this: hosts refuse results past 1 MB (1048576 bytes, all that belongs to
 * a message included).
 */
enum {
    MESSAGE_MAX = 1000000,
    RESULT_MAX = MESSAGE_MAX - 40000 /* the rest is for the id, serverInfo, links */
};

/* Collects the answers to a batch, so that they go out as one array. Counted by its replies. */
struct batch;

/* One count is the caller's: batch_drop() gives it back when all requests of the batch were read. */
struct batch *batch_new(struct writer *writer);
void batch_drop(struct batch *batch);

struct responder {
    struct writer *writer;           /* borrowed */
    const struct revision *revision; /* borrowed */
    json_t *id;                      /* owned; NULL: it could not be read */
    struct batch *batch;             /* counted; NULL: the answer goes out alone */
};

/* The id is borrowed. */
void responder_init(struct responder *responder, struct writer *writer,
                    const struct revision *revision, json_t *id, struct batch *batch);

/*
 * These end the reply. The result, which is taken over, gets what a modern revision wants in each
 * (resultType, serverInfo). `data` is taken over too; NULL for none.
 */
void responder_result(struct responder *responder, json_t *result);
void responder_error(struct responder *responder, int code, json_t *data, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void responder_nothing(struct responder *responder);

/* Sends a notification, which answers nobody. The params are taken over. */
void responder_notify(struct writer *writer, const char *method, json_t *params);

/* {"name", "version"} and what else the revision knows of a server; a new reference. */
json_t *responder_server_info(const struct revision *revision);

#endif
