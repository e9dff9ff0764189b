/*
 * Setters for the values of the configuration that must be more than of the right type. The table
 * in config/config_keys.c names them. Those of a language are in config/config_language_values.c,
 * those of hosts in config/config_network_values.c.
 */
#ifndef CONFIG_CONFIG_VALUES_H
#define CONFIG_CONFIG_VALUES_H

#include <jansson.h>

#include "config/json_reader.h"
#include "config/key_rule.h"
#include "config/network_credential.h"

/*
 * Checks a value, for which reader->rule is the rule, and puts it into the object, in the place of
 * an older value: what the row of the key has as `offset`, or the struct of the level if it has
 * none. Returns 0, or -1 with an ERROR_CONFIG that names the place in the file.
 */
typedef int config_setter(struct json_reader *reader, const json_t *value, void *object);

/* Makes a path absolute, a char *, which may be relative to the file. */
config_setter config_value_path;

/* For keys of the file itself. */
config_setter config_value_ignored, config_value_workdir, config_value_users, config_value_images;

/* A number of a struct limits. */
config_setter config_value_limit;

/* For keys of limits; `object` is a struct sandbox_policy. The network is a string. */
config_setter config_value_network, config_value_read_only, config_value_cap_drop,
    config_value_user, config_value_oci_runtime;

/* For keys of a language. */
config_setter config_value_image, config_value_build, config_value_session_command,
    config_value_extensions, config_value_default_filename, config_value_filename_pattern,
    config_value_environment, config_value_preload, config_value_aliases,
    config_value_image_versions, config_value_standard;

/* For keys of a network that is an object. */
config_setter config_value_max_bytes;

/* For keys of a host; `object` is a struct network_host, or for TLS its flag. */
config_setter config_value_host, config_value_ports, config_value_addresses, config_value_tls;

/* What an object of "credentials" says, until the list of hosts has it. */
struct config_credential {
    char *host; /* owned; NULL: not given */
    struct network_credential credential;
};

/* For keys of a credential; `object` is a struct config_credential. */
config_setter config_value_header, config_value_from, config_value_prefix;

/* For keys of a preparation; the others are in config/prepare_values.h. */
config_setter config_value_steps_files;

#endif
