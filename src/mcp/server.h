/*
 * The server: reads messages, has them answered, ends in time.
 */
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include "base/error.h"
#include "base/lines.h"
#include "base/notifier.h"
#include "config/config.h"
#include "mcp/calls.h"
#include "mcp/result_store.h"
#include "mcp/revision.h"
#include "mcp/subscriptions.h"
#include "mcp/writer.h"
#include "service/service.h"

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
    struct service service;
    struct calls calls;
    struct lines lines;
    struct pending_batch pending;
    const struct revision *legacy; /* what initialize agreed on; before it the newest */
    struct subscriptions subscriptions;
    enum server_phase phase;
    bool input_ended;   /* all that the client has sent was read */
    long long deadline; /* clock_now_ms(); of the phase, if it is not READING */
    bool lines_left;    /* not all was answered, since the writer was full */
};

struct server_options {
    int in, out;  /* where the client writes to and reads from; borrowed */
    bool verbose; /* traces each step on stderr */
};

/*
 * Serves the client until it has closed one of its ends or a signal came (signals_catch() before). Then no
 * container is left. If the engine takes longer than the two seconds after which hosts kill their servers,
 * this does not return but ends the process with status 0, and the reaper (service/reaper.h) does the rest.
 * ERROR_SYSTEM if this host refuses something, the room for the answers, say.
 */
int server_run(const struct config *config, const struct server_options *options,
               struct error *error);

#endif
