/*
 * The numbers that limit a sandbox. One table of rules drives the configuration, the command line
 * and the checks against the configured maximums.
 *
 * A `struct limits` is partial: a number that is not given is NAN. Network, user and capabilities
 * belong to config/sandbox_policy.h.
 */
#ifndef CONFIG_LIMITS_H
#define CONFIG_LIMITS_H

#include <stdint.h>

#include "base/error.h"
#include "config/key_rule.h"

enum limit_number {
    LIMIT_TIMEOUT,  /* seconds */
    LIMIT_MEMORY,   /* MB (2^20 bytes), swap is off */
    LIMIT_CPUS,     /* cores */
    LIMIT_PIDS,     /* processes and threads */
    LIMIT_WORKDIR,  /* MB of the working directory */
    LIMIT_TMP,      /* MB of /tmp */
    LIMIT_OUTPUT,   /* bytes kept of each output stream */
    LIMIT_CPU_TIME, /* seconds of CPU time, of all processes together; INFINITY: no limit */
    LIMIT_NUMBERS
};

/* By enum limit_number. The names are keys of the configuration and subjects of errors. */
extern const struct key_rule limit_rules[LIMIT_NUMBERS];

struct limits {
    double number[LIMIT_NUMBERS]; /* NAN: not given */
};

/* Makes limits of which none is given. */
void limits_init(struct limits *limits);

/* Replaces in `base` the numbers that `over` gives. */
void limits_overlay(struct limits *base, const struct limits *over);

/* Sets one number after checking its rule. 0 s of CPU time stand for no limit. ERROR_USAGE about
 * it.
 */
int limits_set_number(struct limits *limits, enum limit_number which, double value,
                      struct error *error);

/* Lowers complete limits to the maximums that are given. */
void limits_clamp(struct limits *limits, const struct limits *maximums);

/* Checks that no number is larger than its maximum. ERROR_USAGE about the first that is. */
int limits_check(const struct limits *limits, const struct limits *maximums, struct error *error);

/* Returns the timeout in milliseconds, rounded up. */
long long limits_timeout_ms(const struct limits *limits);

/* Returns the CPU time in microseconds; 0: no limit. */
uint64_t limits_cpu_us(const struct limits *limits);

/* Returns the bytes of a limit that is given in MB. */
long long limits_bytes(const struct limits *limits, enum limit_number which);

#endif
