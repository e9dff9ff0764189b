/*
 * Writes artifacts to the disk of this host. Their names were checked before (run/artifacts.h); the
 * contents of the directory were not. So no link inside the directory is followed, and nothing is
 * written outside it.
 */
#ifndef CLI_ARTIFACT_FILES_H
#define CLI_ARTIFACT_FILES_H

#include <stdbool.h>

#include "base/error.h"
#include "run/result.h"

/*
 * Opens the directory, and creates it and those above it if they do not exist. Returns a
 * descriptor that the caller closes, or -1 with ERROR_INPUT.
 */
int artifact_files_open(const char *directory, struct error *error);

/* The advice of commands that have the option. */
#define ARTIFACT_FILES_FORCE "use --force to replace it"

/*
 * Writes the artifacts of the result into the directory, or into its subdirectory `below` if that
 * is not NULL. An existing file is replaced if `replace` is true, completely or not at all;
 * otherwise the warning about it ends with the advice what to do, like ARTIFACT_FILES_FORCE. A file
 * that cannot be written is named in a warning of the result and makes the result a failure.
 */
void artifact_files_write(int directory, const char *below, bool replace, const char *advice,
                          struct result *result);

#endif
