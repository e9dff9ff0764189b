/*
 * The part of the table of keys (config/config_keys.h) for servers of tools.
 */
#ifndef CONFIG_TOOL_KEYS_H
#define CONFIG_TOOL_KEYS_H

#include "config/config_keys.h"

/* As config_keys_next(), for CONFIG_LEVEL_TOOL_SERVER and CONFIG_LEVEL_TOOL_LIMITS. */
const struct config_key *tool_keys_next(enum config_level level, const struct config_key *key);

/* For the keys of the file itself that have servers; `object` is a struct config. */
config_setter config_value_tools, config_value_mcp_servers;

#endif
