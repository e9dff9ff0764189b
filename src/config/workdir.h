/*
 * The rules for the working directory in a container.
 */
#ifndef CONFIG_WORKDIR_H
#define CONFIG_WORKDIR_H

#include "base/error.h"

/* Checks that a path is absolute and that a file system can be mounted on it. ERROR_USAGE. */
int workdir_check(const char *path, struct error *error);

#endif
