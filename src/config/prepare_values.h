/*
 * Values of a preparation that a configuration and the notes (config/prepare_notes.h) have alike.
 * Each replaces an older one. ERROR_CONFIG.
 */
#ifndef CONFIG_PREPARE_VALUES_H
#define CONFIG_PREPARE_VALUES_H

#include <jansson.h>

#include "base/strvec.h"
#include "config/json_reader.h"
#include "config/prepare_network.h"

int prepare_read_steps(struct json_reader *reader, const json_t *value, struct strvec *steps);
int prepare_read_packages(struct json_reader *reader, const json_t *value, struct strvec *packages);

/* A string; config_read_steps_hosts() reads an object. */
int prepare_read_network(struct json_reader *reader, const json_t *value,
                         struct prepare_network *network);

#endif
