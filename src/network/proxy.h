/*
 * The proxy of one program: makes the connections that its relay carries (base/mux_link.h) to hosts
 * that the rules allow (network/connection.h). It has no thread. Knows no containers and no frames.
 */
#ifndef NETWORK_PROXY_H
#define NETWORK_PROXY_H

#include "base/error.h"
#include "base/mux_link.h"
#include "config/network_rules.h"
#include "docker/docker.h"
#include "network/network_log.h"
#include "network/terminator.h"

struct proxy;

/*
 * Serves the first `max_connections` slots of the link. Borrows everything; the trace of `docker`
 * shows connections. The terminator is NULL if the rules terminate no TLS
 * (network_rules_terminate()). NULL: ERROR_SYSTEM, and the link is of no use.
 */
struct proxy *proxy_new(const struct network_rules *rules, struct terminator *terminator,
                        struct network_log *log, const struct docker *docker, struct mux_link *link,
                        struct error *error);

/* Ends all connections at once; the link is of no use then but to be freed. NULL is ignored. */
void proxy_free(struct proxy *proxy);

#endif
