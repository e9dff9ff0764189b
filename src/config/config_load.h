/*
 * Finds and reads the configuration: the built-in one, which is the repository's
 * isolator_config.json; over it one file; and last what `isolator prepare` has recorded
 * (config/prepare_notes.h).
 *
 * The file is the one that is asked for, else $ISOLATOR_CONFIG, else
 * $XDG_CONFIG_HOME/isolator/config.json (~/.config if that variable is not set), else
 * /etc/isolator/config.json, else the installed default. A file in the current directory is never
 * read unless it is named, since it may have come with the code that is to be run.
 */
#ifndef CONFIG_CONFIG_LOAD_H
#define CONFIG_CONFIG_LOAD_H

#include "base/error.h"
#include "base/strvec.h"
#include "config/config.h"
#include "config/limits.h"

/*
 * Loads the configuration into an initialised struct. `file` is the one asked for or NULL. `own`
 * holds default limits of the front end, or is NULL: they replace those of the built-in and the
 * installed configuration, and any other file replaces them. ERROR_CONFIG.
 */
int config_load(struct config *config, const char *file, const struct limits *own,
                struct error *error);

/*
 * Adds the paths of the files of which the first that exists is read if no other is asked for: that
 * of the user, of the system, and the installed default.
 */
void config_default_files(struct strvec *files);

/* Loads the built-in configuration alone. */
int config_load_built_in(struct config *config, struct error *error);

#endif
