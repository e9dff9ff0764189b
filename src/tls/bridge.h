/*
 * A connection between a program and a host: TLS with each of them, and one request of HTTP, to
 * which the fields of isolator are added in between. Knows nothing of isolator's socket but that
 * messages go there.
 */
#ifndef TLS_BRIDGE_H
#define TLS_BRIDGE_H

#include <stdbool.h>

#include "tls/contexts.h"
#include "tls/isolator_link.h"

/* What all connections share; borrowed. */
struct bridge_context {
    struct contexts *contexts;
    int epoll; /* the program's socket of slot N has the number 2 * N there, the host's 2 * N + 1 */
    int link;  /* to isolator */
    /*
     * How long the program has for its handshake and its head, the host for its handshake, and the
     * program to end after the response.
     */
    int program_ms, host_ms, end_ms;
};

struct bridge;

/* Takes `order` over. `slot` is its number among the connections. */
struct bridge *bridge_new(const struct bridge_context *context, unsigned slot,
                          struct link_order *order) __attribute__((returns_nonnull));

/* Closes what is open, wipes the fields and frees it. NULL is ignored. */
void bridge_free(struct bridge *bridge);

/* Does what can be done now. `has_gone`: the program has closed its socket. */
void bridge_serve(struct bridge *bridge, bool has_gone);

/* When to call bridge_serve() at the latest, by clock_now_ms(); 0: when epoll says so. */
long long bridge_deadline(const struct bridge *bridge);

/* Whether it is over, so that it can be freed. */
bool bridge_is_closed(const struct bridge *bridge);

#endif
