/*
 * The proxy of the steps of a preparation, which reach named hosts from a container without a
 * network (src/network). The relay (supervisor/relay/relay_server.h) is a process of their
 * container, and its script starts it first. Standard input and output of the container are the
 * relay's link, and the output of the steps comes from its standard error.
 */
#ifndef PREPARE_PREPARE_PROXY_H
#define PREPARE_PREPARE_PROXY_H

#include "base/error.h"
#include "base/mux.h"
#include "base/process.h"
#include "config/network_rules.h"
#include "network/network_log.h"
#include "network/proxy.h"
#include "prepare/prepare_options.h"

/*
 * A line of the script of the container: starts the relay, whose file and number of connections are
 * the first two parameters, and drops these. It goes on when programs can connect. The relay has
 * the standard input and output, and what follows has none and writes to standard error.
 */
#define PREPARE_PROXY_SCRIPT                                                                       \
    "\"$1\" " MUX_RELAY_OPTION " \"$2\" || exit; shift 2; exec </dev/null >&2\n"

struct prepare_proxy {
    const struct prepare *prepare; /* borrowed */
    struct terminator *terminator; /* owned; NULL: the rules terminate no TLS */
    struct mux_link *link;         /* owned, as is the proxy */
    struct proxy *proxy;
    struct network_log log;
};

#define PREPARE_PROXY_INIT                                                                         \
    {                                                                                              \
        .log = NETWORK_LOG_INIT                                                                    \
    }

/* Makes a proxy with these rules, which it borrows. The errors of terminator_new(). */
int prepare_proxy_open(struct prepare_proxy *proxy, const struct prepare *prepare,
                       const struct network_rules *rules, struct error *error);

/*
 * Puts the certificates that the steps are to trust, as the file PROXY_BUNDLE_NAME, into a
 * directory of a container that has not started. Does nothing if the rules terminate no TLS.
 */
int prepare_proxy_copy_certificates(const struct prepare_proxy *proxy, const char *container,
                                    const char *directory, struct error *error);

/*
 * Makes the proxy serve the relay of a container: `client` is the attached docker command, which
 * has a pipe for stdin, and `pump` is how it will be pumped. The output of the steps goes to
 * prepare->output.
 */
void prepare_proxy_attach(struct prepare_proxy *proxy, struct process *client,
                          struct process_pump *pump);

/* Adds a warning for each connection that was refused. */
void prepare_proxy_warn(const struct prepare_proxy *proxy);

void prepare_proxy_release(struct prepare_proxy *proxy);

#endif
