/*
 * The proxy of one program: takes what the relay of its container says (base/mux.h), and makes its
 * connections to hosts that the rules allow (network/connection.h). It has no thread and no
 * descriptor that the caller's loop has to know but one. Knows no containers and no frames.
 */
#ifndef NETWORK_PROXY_H
#define NETWORK_PROXY_H

#include <stddef.h>

#include "base/error.h"
#include "config/network_rules.h"
#include "docker/docker.h"
#include "network/network_log.h"
#include "network/terminator.h"

struct proxy;

/*
 * Borrows them; the trace of `docker` shows connections. The terminator is NULL if the rules
 * terminate no TLS (network_rules_terminate()). NULL: ERROR_SYSTEM.
 */
struct proxy *proxy_new(const struct network_rules *rules, struct terminator *terminator,
                        struct network_log *log, const struct docker *docker, struct error *error);

/* Ends all connections at once. NULL is ignored. */
void proxy_free(struct proxy *proxy);

/* The descriptor that is readable when proxy_serve() has something to do. */
int proxy_fd(const struct proxy *proxy);
void proxy_serve(struct proxy *proxy);

/*
 * Takes bytes of the relay. After some that it must not send, or more than can be of use, all
 * connections are over, and nothing more is taken.
 */
void proxy_take(struct proxy *proxy, const char *bytes, size_t length);

/* How many bytes were taken since the last call, which the relay may send again. */
size_t proxy_taken(struct proxy *proxy);

/* Fills in the next bytes for the relay, at most `size`. Returns how many. */
size_t proxy_give(struct proxy *proxy, char *bytes, size_t size);

#endif
