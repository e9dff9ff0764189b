/*
 * The servers of tools that `isolator selftest` has for its attacks, in addition to those of the
 * configuration, which no attack can use. Each is a few words of /bin/sh.
 */
#ifndef CLI_SELFTEST_TOOLS_H
#define CLI_SELFTEST_TOOLS_H

#include "base/error.h"
#include "config/config.h"

/*
 * The server whose tools attacks may call. It has "open", which is allowed, and "closed", which is
 * not; another server, which attacks may not use, has both and allows both. In the environment of
 * both is a secret, a random text after SELFTEST_SECRET.
 */
#define SELFTEST_TOOLS  "isolator-selftest"
#define SELFTEST_SECRET "isolator-selftest-secret-"

/* Adds them. ERROR_CONFIG if the configuration has as many servers as it may have. */
int selftest_tools_add(struct config *config, struct error *error);

#endif
