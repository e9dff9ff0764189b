/*
 * The keys of the configuration file, in one table: name, type, range, description, and where the
 * value goes. The reader (config/config_read.h) walks this table, and the JSON Schema
 * (config/config_schema.h) is generated from it. The manual page is checked against the schema.
 *
 * To add a key, add a row and the member that it sets.
 */
#ifndef CONFIG_CONFIG_KEYS_H
#define CONFIG_CONFIG_KEYS_H

#include <stddef.h>

#include "config/config_values.h"
#include "config/key_rule.h"

/* The objects of a configuration file and the structs that they fill in. */
enum config_level {
    CONFIG_LEVEL_TOP,         /* the file itself: struct config */
    CONFIG_LEVEL_LIMITS,      /* "defaults", "maximums": struct sandbox_policy */
    CONFIG_LEVEL_LANGUAGE,    /* one of "languages": struct language; has the keys of limits too */
    CONFIG_LEVEL_BUILD,       /* "buildLimits" of a language: struct limits */
    CONFIG_LEVEL_PREPARE,     /* "prepare" of a language: struct preparation */
    CONFIG_LEVEL_SESSIONS,    /* "sessions": struct session_settings */
    CONFIG_LEVEL_JOBS,        /* "jobs": struct job_settings */
    CONFIG_LEVEL_WORKSPACES,  /* "workspaces": struct workspace_settings */
    CONFIG_LEVEL_NETWORK,     /* "network" as an object: struct network_rules of a policy */
    CONFIG_LEVEL_HOST,        /* an object in "allow" of that: struct network_host */
    CONFIG_LEVEL_CREDENTIAL,  /* one in "credentials": struct config_credential */
    CONFIG_LEVEL_TOOL_SERVER, /* one of "tools" and "mcpServers": struct tool_server */
    CONFIG_LEVEL_TOOL_LIMITS, /* "toolLimits": struct tool_limits */
};

struct config_key {
    enum config_level level;
    const struct key_rule *rule;
    size_t offset;             /* of the member in the struct of the level */
    config_setter *set;        /* NULL: the type says everything, and the value goes to `offset` */
    enum config_level members; /* of an object: the level of its keys */
    const char *schema;        /* more members of its JSON Schema, as a JSON object; or NULL */
};

/* As config_keys_next(), in one of the tables of which the whole consists. */
static inline const struct config_key *config_keys_in(const struct config_key *table, size_t count,
                                                      enum config_level level,
                                                      const struct config_key *key)
{
    for (key = key ? key + 1 : table; key < table + count; key++)
        if (key->level == level)
            return key;
    return NULL;
}

/* Returns the key, borrowed; NULL if the level has none of that name. */
const struct config_key *config_keys_find(enum config_level level, const char *name);

/*
 * Returns the key of the level after `key`, in the order of the table, borrowed. NULL stands for
 * the place before the first key, and after the last one.
 */
const struct config_key *config_keys_next(enum config_level level, const struct config_key *key);

#endif
