/*
 * Values of a preparation that a configuration and the notes (config/prepare_notes.h) have alike.
 * Each replaces an older one. ERROR_CONFIG.
 */
#ifndef CONFIG_PREPARE_VALUES_H
#define CONFIG_PREPARE_VALUES_H

#include "base/strvec.h"
#include "config/config_values.h"
#include "config/prepare_network.h"

/* The object is a struct strvec. */
config_setter prepare_read_steps, prepare_read_packages;

/* Reads a string into a struct prepare_network; config_read_steps_hosts() reads an object. */
config_setter prepare_read_network;

#endif
