/*
 * Setters for the values of the configuration that must be more than of the right type. The table
 * in config/config_keys.c names them.
 */
#ifndef CONFIG_CONFIG_VALUES_H
#define CONFIG_CONFIG_VALUES_H

#include "config/config_keys.h"

/* Of the file itself; `object` is a struct config. */
config_setter config_value_ignored, config_value_workdir, config_value_prompts_dir;

/* Of limits; `object` is a struct sandbox_policy. */
config_setter config_value_limit, config_value_network, config_value_read_only,
    config_value_cap_drop, config_value_user;

/* Of a language; `object` is a struct language. */
config_setter config_value_image, config_value_command, config_value_extensions,
    config_value_default_filename, config_value_environment, config_value_packages;

/* Of a preparation; `object` is a struct preparation. */
config_setter config_value_steps, config_value_steps_network;

#endif
