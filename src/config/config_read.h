/*
 * The strict reader of one configuration text, driven by the table of keys (config/config_keys.h).
 */
#ifndef CONFIG_CONFIG_READ_H
#define CONFIG_CONFIG_READ_H

#include <stddef.h>

#include "base/error.h"
#include "config/config.h"
#include "config/json_reader.h"

/*
 * Lays a JSON text over the configuration and keeps it as a layer (config/config_layers.h). `name`
 * stands for the text in messages; a relative directory in it starts at the directory of
 * config->file. ERROR_CONFIG names the key and what would be right.
 */
int config_overlay(struct config *config, const char *json, size_t length, const char *name,
                   struct error *error);

/*
 * Reads the object of a network, which names hosts, for steps. It changes older hosts as an object
 * of the configuration does, and replaces a name. ERROR_CONFIG.
 */
int config_read_steps_hosts(struct json_reader *reader, const json_t *value,
                            struct prepare_network *network);

#endif
