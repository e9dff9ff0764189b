/*
 * The environment variables by which programs and their tools find the proxy of the container
 * (config/network_rules.h): http_proxy and https_proxy, in both spellings that are in use. If
 * isolator terminates the TLS of a host, there are also those by which they find its certificates.
 */
#ifndef REQUEST_PROXY_VARIABLES_H
#define REQUEST_PROXY_VARIABLES_H

#include "base/strvec.h"
#include "config/network_rules.h"

/* The file of the certificates, in the working directory; that of steps is in another one. */
#define PROXY_BUNDLE_NAME ".isolator-ca.pem"

/*
 * Sets the variables. no_proxy has the names of the container itself, except those that are in the
 * list: these are hosts outside it. Node.js heeds the variables if NODE_USE_ENV_PROXY is 1.
 *
 * `bundle` is the path of the certificates in the container, or NULL if no TLS is terminated.
 * OpenSSL, Go, Ruby, and Python's ssl read SSL_CERT_FILE, Python's requests, curl, pip and git,
 * which have certificates of their own, a variable each; Node.js adds NODE_EXTRA_CA_CERTS to its
 * own.
 */
void proxy_variables_set(struct strvec *environment, const struct network_rules *rules,
                         const char *bundle);

/*
 * If `command`, which starts programs, begins with node: sets NODE_OPTIONS, by which Node.js loads
 * the module that makes fetch() use the proxy (driver_node_proxy()). A Node.js before 18.18 does
 * not know this option and refuses to start.
 */
void proxy_variables_set_node(struct strvec *environment, const struct strvec *command);

#endif
