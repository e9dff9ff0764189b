/*
 * The JSON Schema of configuration files, generated from the table of keys (config/config_keys.h)
 * and the built-in configuration, whose values are the defaults. Editors use it to complete keys
 * and to mark mistakes.
 */
#ifndef CONFIG_CONFIG_SCHEMA_H
#define CONFIG_CONFIG_SCHEMA_H

#include <jansson.h>

#include "config/config.h"

/* Returns the schema (draft 2020-12), a new reference. */
json_t *config_schema(const struct config *built_in);

#endif
