/*
 * Files in the configuration directory of the user, and the directory of what isolator remembers.
 */
#ifndef CONFIG_CONFIG_FILES_H
#define CONFIG_CONFIG_FILES_H

#include <stdbool.h>

#include "base/error.h"
#include "base/strbuf.h"

/*
 * Returns the path of a file in $XDG_CONFIG_HOME/isolator, or in ~/.config/isolator unless that
 * variable is an absolute path; owned by the caller.
 */
char *config_home(const char *name);

/*
 * The same for what isolator remembers: in $XDG_STATE_HOME/isolator, or in
 * ~/.local/state/isolator.
 */
char *config_state(const char *name);

/* The largest file that is read: 1 MiB. */
enum { CONFIG_FILE_MAX = 1 << 20 };

/* Adds the content of a file to `text`, whose maximum is CONFIG_FILE_MAX. ERROR_CONFIG. */
int config_read_file(const char *path, struct strbuf *text, struct error *error);

/* Whether there is no file at this path. False also if that cannot be found out. */
bool config_file_is_gone(const char *path);

#endif
