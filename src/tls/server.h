/*
 * The loop of isolator-tls: takes connections from isolator, and serves them all in one thread.
 */
#ifndef TLS_SERVER_H
#define TLS_SERVER_H

#include "tls/contexts.h"

/* Connections at a time; fewer, if the system does not allow two descriptors for each. */
enum { TLS_SERVER_CONNECTIONS_MAX = 512 };

/*
 * Serves until isolator closes its end of the socket. Returns NULL then, or else why it cannot go
 * on: a static text. The process has to end then: connections stay open.
 */
const char *tls_server_run(struct contexts *contexts, int link);

#endif
