/*
 * What isolator remembers on this host of engines that were shown to enforce limits: a file for
 * each, in the user's directory of state (config/config_files.h). Its name is the digest of the
 * engine's identity (docker/oci_runtime.h), and its content that identity, for people.
 */
#ifndef CONFIG_ENFORCEMENT_FILE_H
#define CONFIG_ENFORCEMENT_FILE_H

#include <stdbool.h>

#include "base/error.h"

bool enforcement_file_exists(const char *identity);

/* ERROR_SYSTEM. */
int enforcement_file_write(const char *identity, struct error *error);

/* Forgets it, if it was remembered. */
void enforcement_file_remove(const char *identity);

#endif
