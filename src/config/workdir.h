/*
 * The working directory in a container: which paths it can have, and their one spelling.
 */
#ifndef CONFIG_WORKDIR_H
#define CONFIG_WORKDIR_H

#include "base/error.h"

/*
 * Returns the path without doubled and trailing slashes, owned by the caller. NULL with ERROR_USAGE
 * unless it is absolute, has at most 255 bytes, is outside the system's directories, and consists
 * of characters that every option of the container command takes: blanks are among them, except at
 * the end, and ':' and ',' are not.
 */
char *workdir_parse(const char *path, struct error *error);

#endif
