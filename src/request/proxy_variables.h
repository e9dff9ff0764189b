/*
 * The environment variables by which programs and their tools find the proxy of the container
 * (config/network_rules.h): http_proxy and https_proxy, in both spellings that are in use.
 */
#ifndef REQUEST_PROXY_VARIABLES_H
#define REQUEST_PROXY_VARIABLES_H

#include "base/strvec.h"
#include "config/network_rules.h"

/*
 * Sets the variables. no_proxy has the names of the container itself, except those that are in the
 * list: these are hosts outside it. Node.js heeds the variables if NODE_USE_ENV_PROXY is 1.
 */
void proxy_variables_set(struct strvec *environment, const struct network_rules *rules);

#endif
