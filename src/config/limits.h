/*
 * What a sandbox may use: the one table of limits that the configuration, the command line and the
 * checks against the configured maximums are driven by.
 *
 * A `struct limits` is partial: whatever is not given stays at its "not given" value, and
 * limits_overlay() lays one over another: built-in defaults < configuration < language < request.
 */
#ifndef CONFIG_LIMITS_H
#define CONFIG_LIMITS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strvec.h"

enum limit_number {
    LIMIT_TIMEOUT, /* seconds */
    LIMIT_MEMORY,  /* MB (2^20 bytes), swap is off */
    LIMIT_CPUS,    /* cores */
    LIMIT_PIDS,    /* processes and threads */
    LIMIT_WORKDIR, /* MB of the working directory */
    LIMIT_TMP,     /* MB of /tmp */
    LIMIT_OUTPUT,  /* bytes kept of each output stream */
    LIMIT_NUMBERS
};

struct limit_rule {
    const char *key;    /* in the configuration */
    const char *option; /* on the command line */
    const char *unit;   /* for messages; "" where the number stands alone */
    double minimum, maximum;
    bool whole; /* fractions are refused */
};

extern const struct limit_rule limit_rules[LIMIT_NUMBERS];

struct limits {
    double number[LIMIT_NUMBERS]; /* NAN: not given */
    char *network;                /* owned; NULL: not given */
    int read_only;                /* 0, 1; -1: not given */
    struct strvec cap_drop;       /* owned; empty: not given */
    bool has_user;
    unsigned uid, gid;
};

/* Everything not given. */
void limits_init(struct limits *limits);
void limits_release(struct limits *limits);

/* Lays what `over` gives over `base`. */
void limits_overlay(struct limits *base, const struct limits *over);

/* Sets one number after checking its rule. ERROR_USAGE naming `shown` (an option or key). */
int limits_set_number(struct limits *limits, enum limit_number which, double value,
                      const char *shown, struct error *error);

/* "UID" or "UID:GID", numeric; a group not given is that of the same number. ERROR_USAGE. */
int limits_set_user(struct limits *limits, const char *text, struct error *error);

/*
 * "none", "bridge" or the name of a network of the engine. "host" and "container:..." would lift
 * the isolation and are refused. ERROR_USAGE.
 */
int limits_set_network(struct limits *limits, const char *name, struct error *error);

/*
 * Adds capability names ("ALL", "NET_RAW", "CAP_NET_RAW") of a comma list, without "CAP_" and in upper
 * case. ERROR_USAGE.
 */
int limits_add_cap_drop(struct limits *limits, const char *list, struct error *error);

/*
 * Lowers full limits to the maximums, so that defaults which nobody asked for are never refused by
 * limits_check().
 */
void limits_clamp(struct limits *limits, const struct limits *maximums);

/*
 * Whether full limits stay within the maximums: numbers are at most theirs; with a maximum network
 * only that one or none; with readOnly true a read-only root; with capDrop at least these dropped;
 * with a user exactly that user. ERROR_USAGE naming the first that does not.
 */
int limits_check(const struct limits *limits, const struct limits *maximums, struct error *error);

/* The timeout in milliseconds, rounded up. */
long long limits_timeout_ms(const struct limits *limits);

/* Bytes of a limit that is given in MB. */
long long limits_bytes(const struct limits *limits, enum limit_number which);

#endif
