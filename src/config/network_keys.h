/*
 * The part of the table of keys (config/config_keys.h) for the hosts that programs reach.
 */
#ifndef CONFIG_NETWORK_KEYS_H
#define CONFIG_NETWORK_KEYS_H

#include "config/config_keys.h"

/* As config_keys_next(), for CONFIG_LEVEL_NETWORK, _HOST and _CREDENTIAL. */
const struct config_key *network_keys_next(enum config_level level, const struct config_key *key);

#endif
