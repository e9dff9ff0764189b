/*
 * What a request has done with its network: its connections, by host, port and how they ended. It
 * is bounded, since a program chooses the names.
 */
#ifndef NETWORK_NETWORK_LOG_H
#define NETWORK_NETWORK_LOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/strvec.h"

/*
 * Entries of connections, and as many of others, so that no number of refusals hides a connection;
 * and those that become warnings.
 */
enum { NETWORK_LOG_MAX = 100, NETWORK_WARNINGS_MAX = 10 };

enum network_outcome {
    NETWORK_CONNECTED,
    NETWORK_REFUSED, /* by the rules or their limits */
    NETWORK_FAILED   /* the host could not be reached, or the request was no good */
};

struct network_entry {
    char *host; /* owned; printable; "" if no host was named */
    unsigned port;
    enum network_outcome outcome;
    char *reason;                      /* owned; printable; NULL if connected */
    unsigned long long connections;    /* how many */
    unsigned long long sent, received; /* bytes between isolator and the host; sent to it */
};

struct network_log {
    struct network_entry *entries; /* owned */
    size_t count;
    size_t connected;           /* of them */
    unsigned long long omitted; /* connections of which there is no entry */
    unsigned long long bytes;   /* of all connections, in both directions */
};

#define NETWORK_LOG_INIT                                                                           \
    {                                                                                              \
        .entries = NULL, .count = 0                                                                \
    }

void network_log_release(struct network_log *log);

/*
 * Notes a connection. `reason` is escaped; NULL: it is connected. Returns the number of its entry,
 * for network_log_count(); -1: there is none.
 */
int network_log_add(struct network_log *log, const char *host, unsigned port,
                    enum network_outcome outcome, const char *reason);

/* Counts bytes of a connection. */
void network_log_count(struct network_log *log, int entry, size_t sent, size_t received);

/*
 * Adds a warning for each of the first entries that are refusals or name no host, and one for the
 * others.
 */
void network_log_warn(const struct network_log *log, struct strvec *warnings);

/*
 * {"connections": [{"host", "port", "status": "connected" | "refused" | "failed", "count",
 * "bytesSent", "bytesReceived", "reason"}, ...], "omitted", "bytes"}: a new reference.
 */
json_t *network_log_to_json(const struct network_log *log);

#endif
