/*
 * What a sandbox has that is not a number, and that both the configuration and an option can set. A
 * row of one table says what is the same for both: its key, its option, and their texts. Numbers
 * have a table of their own (config/limits.h); what the values mean is in config/sandbox_policy.h
 * and config/workdir.h.
 */
#ifndef CONFIG_SETTINGS_H
#define CONFIG_SETTINGS_H

#include "config/key_rule.h"
#include "config/option_text.h"

enum setting {
    SETTING_NETWORK,
    SETTING_READ_ONLY,
    SETTING_CAP_DROP,
    SETTING_USER,
    SETTING_OCI_RUNTIME,
    SETTING_WORKDIR,
    SETTINGS
};

struct setting_rule {
    struct key_rule key; /* of the configuration, and the subject of errors */
    struct option_text option;
};

/* By enum setting. */
extern const struct setting_rule setting_rules[SETTINGS];

/* The pattern of a network, for other keys that name one. */
#define SETTING_NETWORK_PATTERN "^(?!host$)[A-Za-z0-9][A-Za-z0-9_.-]*$"

#define SETTING_OCI_RUNTIME_PATTERN "^[A-Za-z0-9/][A-Za-z0-9/._+-]*$"

/* The pattern of a number from 0 to 2097151. */
#define SETTING_ID_PATTERN                                                                         \
    "0*([0-9]{1,6}|1[0-9]{6}|20[0-8][0-9]{4}|209[0-6][0-9]{3}|20970[0-9]{2}|20971[0-4][0-9]|"      \
    "209715[01])"

#endif
