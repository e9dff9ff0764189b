/*
 * What a sandbox may do and use: its limits (config/limits.h), its network or the hosts that it
 * reaches over a proxy (config/network_rules.h), the user of the program, whether the root file
 * system is read-only, which capabilities are dropped, and the OCI runtime that keeps all this.
 *
 * A `struct sandbox_policy` is partial: each member can be not given. sandbox_policy_overlay() lays
 * one over another, in this order: built-in defaults, configuration, language, request.
 */
#ifndef CONFIG_SANDBOX_POLICY_H
#define CONFIG_SANDBOX_POLICY_H

#include <stdbool.h>

#include "base/error.h"
#include "base/strvec.h"
#include "config/limits.h"
#include "config/network_rules.h"
#include "docker/docker.h"

struct sandbox_policy {
    struct limits limits;
    char *network; /* owned; NULL: not given */
    /* Owned. With hosts, the network is "none". Given and not given together with the network. */
    struct network_rules network_rules;
    char *oci_runtime;      /* owned; NULL: not given, the engine's own choice */
    int read_only;          /* 0, 1; -1: not given */
    struct strvec cap_drop; /* owned; empty: not given */
    bool has_user;          /* false: not given; each container gets a user of its own */
    unsigned uid, gid;      /* not given: 65534, for images that are saved */
};

/* The smallest number of users to draw from: few could be found in use by other containers. */
enum { SANDBOX_USERS_MIN = 256 };

/* Makes a policy in which nothing is given. */
void sandbox_policy_init(struct sandbox_policy *policy);
void sandbox_policy_release(struct sandbox_policy *policy);

/* Whether programs reach a network of the engine, or hosts over a proxy; of a complete policy. */
bool sandbox_policy_reaches_network(const struct sandbox_policy *policy);

/*
 * Replaces in `base` what `over` gives. A network replaces the network and the hosts of `base`; of
 * its numbers only those that are given.
 */
void sandbox_policy_overlay(struct sandbox_policy *base, const struct sandbox_policy *over);

/* Reads "UID" or "UID:GID", both numeric; without a GID it is the same number. ERROR_USAGE. */
int sandbox_policy_set_user(struct sandbox_policy *policy, const char *text, struct error *error);

/*
 * Reads "FIRST-LAST", the users that containers without a given user get: numbers from 1, and at
 * least SANDBOX_USERS_MIN of them. ERROR_USAGE.
 */
int sandbox_users_parse(struct user_range *users, const char *text, struct error *error);

/*
 * Sets the network: "none", "bridge" or the name of a network of the engine. "host" and
 * "container:..." are refused because they would lift the isolation. ERROR_USAGE.
 */
int sandbox_policy_set_network(struct sandbox_policy *policy, const char *name,
                               struct error *error);

/*
 * Adds a host that programs may reach over a proxy, "HOST[:PORT]"; see network_rules_add(). Without
 * a network, sets it to "none". ERROR_USAGE.
 */
int sandbox_policy_allow_host(struct sandbox_policy *policy, const char *text, struct error *error);

/* Sets the OCI runtime, by its name on the engine or, for podman, its path. ERROR_USAGE. */
int sandbox_policy_set_oci_runtime(struct sandbox_policy *policy, const char *name,
                                   struct error *error);

/*
 * Adds the capabilities of a comma-separated list ("ALL", "NET_RAW,mknod", "CAP_NET_RAW"). They are
 * stored in upper case and without "CAP_". ERROR_USAGE.
 */
int sandbox_policy_add_cap_drop(struct sandbox_policy *policy, const char *list,
                                struct error *error);

/*
 * Lowers a complete policy to the maximums, so that sandbox_policy_check() never refuses defaults
 * that the caller did not ask for. Hosts that the maximums do not cover are removed. A user and an
 * OCI runtime of the maximums become the policy's.
 */
void sandbox_policy_clamp(struct sandbox_policy *policy, const struct sandbox_policy *maximums);

/*
 * Checks a policy, complete but perhaps without a user, against the maximums. ERROR_USAGE about the
 * key of the first member that violates them:
 * - a number must not be larger than its maximum,
 * - the network must be the maximum's or "none",
 * - the hosts must be covered by those of the maximum, which has none if it is a network,
 * - the root must be read-only if the maximums say so,
 * - the capabilities of the maximums must be dropped, and
 * - the user and the OCI runtime must be exactly the maximum's.
 */
int sandbox_policy_check(const struct sandbox_policy *policy, const struct sandbox_policy *maximums,
                         struct error *error);

/*
 * Narrows the network of a complete policy to the hosts that a request asks for, if they are given;
 * see network_rules_narrow(). If they are none, the network is "none" too. ERROR_USAGE about the
 * key "hosts" if they are not allowed, or if the policy has a network of the engine.
 */
int sandbox_policy_narrow(struct sandbox_policy *policy, const struct network_selection *hosts,
                          struct error *error);

/* The subject of the errors of sandbox_policy_narrow(). The configuration has no such key. */
#define POLICY_HOSTS "hosts"

#endif
