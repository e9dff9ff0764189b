/*
 * The server: reads messages, dispatches them, and shuts down in time.
 */
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include <stdbool.h>

#include "base/error.h"
#include "config/config.h"

/*
 * How long calls that were received before the end of stdin get to finish. Hosts send SIGTERM 2 s
 * after they have closed stdin, and SIGKILL 2 s later.
 */
enum { SERVER_GRACE_MS = 1500 };

struct server_options {
    int in, out;  /* the descriptors of the messages and of the responses; borrowed */
    bool verbose; /* traces each step on stderr */
};

/*
 * Serves the client until it closes a stream or a signal arrives (call signals_catch() first), then
 * removes all containers. If the engine is too slow for that, this does not return: it ends the
 * process with status 0 within the two seconds after which hosts kill their servers, and the reaper
 * (service/reaper.h) removes the containers. ERROR_SYSTEM if this host refuses a resource, for
 * example disk space for the responses.
 */
int server_run(const struct config *config, const struct server_options *options,
               struct error *error);

#endif
