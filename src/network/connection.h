/*
 * A connection of a program to its proxy, from the request to the end: judges the request by the
 * rules, looks the host up, connects, and passes bytes on in both directions. Everything that comes
 * from the program is bounded by the credit that it gets (base/mux.h). No function waits.
 */
#ifndef NETWORK_CONNECTION_H
#define NETWORK_CONNECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mux_link.h"
#include "config/network_rules.h"
#include "docker/docker.h"
#include "network/network_log.h"
#include "network/terminator.h"

/* What all connections of a proxy share; borrowed. */
struct connection_context {
    const struct network_rules *rules;
    struct network_log *log;
    const struct docker *docker; /* whose trace shows connections */
    int epoll; /* tells, by the slot, which connection connection_serve() is to be called of */
    struct mux_link *link; /* to the relay */
    struct lookups *lookups;
    struct terminator *terminator; /* of hosts whose rule says so; NULL: there are none */
};

struct connection;

/* A program has connected. */
struct connection *connection_new(const struct connection_context *context, unsigned slot);

/* Ends it at once, without a word to the relay. NULL is ignored. */
void connection_free(struct connection *connection);

/* Take what the relay says. False: it must not. After CLOSE the connection is over. */
bool connection_take_data(struct connection *connection, const char *bytes, size_t length);
bool connection_take_credit(struct connection *connection, uint32_t bytes);
bool connection_take_end(struct connection *connection);

/* Tells the relay that the connection is over, if it was not told yet. */
void connection_close(struct connection *connection);

/*
 * Does what can be done now. `writable`: the host may take bytes again, of which there were too
 * many.
 */
void connection_serve(struct connection *connection, bool writable);

/* Waits again for what it has to wait for, after there was no room for messages. */
void connection_rearm(struct connection *connection);

/*
 * Notes in the log and in the trace what has become of a connection that was begun at `start`
 * (clock_now_ms()). "": no host was named. The reason is printable; NULL: it is connected. Returns
 * the number of the entry of the log, or -1.
 */
int connection_log(const struct connection_context *context, const char *host, unsigned port,
                   enum network_outcome outcome, const char *reason, long long start);

/* When connection_serve() is to be called at the latest: clock_now_ms(); 0: no such time, or NULL.
 */
long long connection_deadline(const struct connection *connection);

#endif
