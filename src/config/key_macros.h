/*
 * How a row of a table of keys (config/config_keys.h) writes its rule.
 */
#ifndef CONFIG_KEY_MACROS_H
#define CONFIG_KEY_MACROS_H

#include "config/key_rule.h"

/* The description follows `text`, then perhaps other members of the rule. */
#define RANGE(key, key_type, min, max, text, ...)                                                  \
    .rule = &(const struct key_rule)                                                               \
    {                                                                                              \
        .name = (key), .type = (key_type), .minimum = (min), .maximum = (max), .title = (text),    \
        .description = __VA_ARGS__                                                                 \
    }
#define RULE(key, key_type, text, ...) RANGE(key, key_type, 0, 0, text, __VA_ARGS__)

#endif
