/*
 * The progress notifications of one call. Their numbers are the seconds of the call, and grow with
 * each, as the protocol demands. The caller has a lock under which it also responds, so that none
 * follows the response.
 */
#ifndef MCP_PROGRESS_H
#define MCP_PROGRESS_H

#include <jansson.h>

#include "mcp/responder.h"

/*
 * How often progress is sent: every PROGRESS_QUIET_MS if there is nothing new. PROGRESS_POLL_MS is
 * how often the server checks for that.
 */
enum { PROGRESS_QUIET_MS = 3000, PROGRESS_POLL_MS = 250 };

struct progress {
    json_t *token;       /* the progressToken, owned; NULL: the client wants no progress */
    long long begin;     /* clock_now_ms() of the call */
    long long last_sent; /* of the last notification; at first the same as `begin` */
    long long value;     /* in that notification, in ms */
};

/* Starts the clock; `params` of the request may be NULL. */
void progress_init(struct progress *progress, const json_t *params);

/* Sends a notification; the revision of the responder may have no message. */
void progress_send(struct progress *progress, const struct responder *responder,
                   const char *message);

void progress_release(struct progress *progress);

#endif
