/*
 * The server: reads messages, has them answered, ends in time.
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
    int in, out;  /* where the client writes to and reads from; borrowed */
    bool verbose; /* traces each step on stderr */
};

/*
 * Serves the client until it has closed one of its ends or a signal came (signals_catch() before).
 * Then no container is left. If the engine takes longer than the two seconds after which hosts kill
 * their servers, this does not return but ends the process with status 0, and the reaper
 * (service/reaper.h) does the rest. ERROR_SYSTEM if this host refuses something, the room for the
 * answers, say.
 */
int server_run(const struct config *config, const struct server_options *options,
               struct error *error);

#endif
