/*
 * The server: reads messages, has them answered, ends in time.
 */
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include "base/error.h"
#include "base/lines.h"
#include "base/notifier.h"
#include "config/config.h"
#include "docker/docker.h"
#include "mcp/calls.h"
#include "mcp/result_store.h"
#include "mcp/revision.h"
#include "mcp/subscriptions.h"
#include "mcp/writer.h"
#include "service/pool.h"

enum server_phase {
    SERVER_READING,  /* the client talks */
    SERVER_DRAINING, /* it has closed its end; calls that were read may finish until the deadline */
    SERVER_ENDING    /* what runs is cancelled; the process ends at the deadline at latest */
};

/* A batch of which not all messages were dispatched. */
struct pending_batch {
    json_t *messages;        /* owned; NULL: there is no such batch */
    size_t next;             /* the first that was not */
    size_t size;             /* bytes of the line it came in */
    struct batch *responses; /* owned */
};

/*
 * How long calls that were received before the end of stdin get to finish. Hosts send SIGTERM 2 s
 * after they have closed stdin, and SIGKILL 2 s later.
 */
enum { SERVER_GRACE_MS = 1500 };

struct server {
    const struct config *config; /* borrowed */
    int in;
    struct notifier wake;
    struct writer writer;
    struct result_store store;
    struct pool *warm; /* owned */
    struct calls calls;
    struct lines lines;
    struct pending_batch pending;
    const struct revision *legacy; /* what initialize agreed on; before it the newest */
    struct subscriptions subscriptions;
    enum server_phase phase;
    bool input_ended;   /* all that the client has sent was read */
    long long deadline; /* clock_now_ms(); of the phase, if it is not READING */
    bool lines_left;    /* not all was answered, since the outbox was full */
};

/*
 * Looks, between two messages, whether a signal came or the client has gone, since answering what was
 * read may take long. True where no further message is to be answered.
 */
bool server_ends(struct server *server);

/*
 * Serves the client that writes to `in` and reads from `out` until it has closed one of them or a
 * signal came (signals_catch() before). Then no container is left. Where the engine takes longer than
 * the two seconds after which hosts kill their servers, this does not return but ends the process, with
 * status 0; the rest is the janitor's (service/reaper.h). ERROR_SYSTEM where this host refuses something, the
 * room for the answers, say.
 */
int server_run(const struct config *config, const struct docker *docker, int in, int out,
               struct error *error);

#endif
