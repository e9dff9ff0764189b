/*
 * Files in the configuration directory of the user.
 */
#ifndef CONFIG_CONFIG_FILES_H
#define CONFIG_CONFIG_FILES_H

#include "base/error.h"
#include "base/strbuf.h"

/*
 * Returns the path of a file in $XDG_CONFIG_HOME/isolator, or in ~/.config/isolator unless that
 * variable is an absolute path; owned by the caller.
 */
char *config_home(const char *name);

/* Adds the content of a file of at most 1 MiB to `text`. ERROR_CONFIG. */
int config_read_file(const char *path, struct strbuf *text, struct error *error);

#endif
