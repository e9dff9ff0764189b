/*
 * The numbers that limit a sandbox. A row of one table says all about a limit: its key in the
 * configuration, its option, its argument for models, its range and unit, and who applies it.
 *
 * A `struct limits` is partial: a number that is not given is NAN. Network, user and capabilities
 * belong to config/sandbox_policy.h.
 */
#ifndef CONFIG_LIMITS_H
#define CONFIG_LIMITS_H

#include <stdint.h>

#include "base/error.h"
#include "config/key_rule.h"
#include "config/option_text.h"

/* X(NAME) for each LIMIT_NAME, in the order of --help and of the manual pages. */
#define LIMITS(X)                                                                                  \
    X(TIMEOUT),      /* seconds */                                                                 \
        X(MEMORY),   /* MB (2^20 bytes), swap is off */                                            \
        X(CPUS),     /* cores */                                                                   \
        X(CPU_TIME), /* seconds of CPU time, of all processes together; INFINITY: no limit */      \
        X(PIDS),     /* processes and threads */                                                   \
        X(WORKDIR),  /* MB of the working directory */                                             \
        X(TMP),      /* MB of /tmp */                                                              \
        X(OUTPUT)    /* bytes kept of each output stream */

#define LIMIT_NUMBER(name) LIMIT_##name
enum limit_number { LIMITS(LIMIT_NUMBER), LIMIT_NUMBERS };

struct limit_rule {
    struct key_rule key; /* of the configuration, and the subject of errors; the first member */
    struct option_text option; /* without `manual` that is the description of the key */
    enum {
        LIMIT_OF_CONTAINER, /* the engine applies it to the container, for its life */
        LIMIT_OF_PROGRAM    /* isolator and its supervisor apply it to each program */
    } applied;
    const char *argument;   /* of execute_code; NULL: only people can set the limit */
    const char *for_models; /* the description of the argument */
};

/* By enum limit_number. */
extern const struct limit_rule limit_rules[LIMIT_NUMBERS];

/* The limit whose key this is, a member of limit_rules. */
enum limit_number limits_of_key(const struct key_rule *key);

struct limits {
    double number[LIMIT_NUMBERS]; /* NAN: not given */
};

/* Makes limits of which none is given. */
void limits_init(struct limits *limits);

/* Replaces in `base` the numbers that `over` gives. */
void limits_overlay(struct limits *base, const struct limits *over);

/*
 * Sets one number after checking its rule. 0 s of CPU time stand for no limit. ERROR_USAGE about
 * it.
 */
int limits_set_number(struct limits *limits, enum limit_number which, double value,
                      struct error *error);

/* The same for a text that a person has written: "512", "512MB"; a timeout is "1m30s". */
int limits_parse_number(struct limits *limits, enum limit_number which, const char *text,
                        struct error *error);

/* The items of the keys for the manual page, in the form of man/options.awk; owned. */
char *limits_manual(const struct limits *defaults);

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
