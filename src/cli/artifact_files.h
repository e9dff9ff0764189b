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
 * Opens the directory and creates it if it does not exist; its parent must exist. Returns a
 * descriptor that the caller closes, or -1 with ERROR_INPUT.
 */
int artifact_files_open(const char *directory, struct error *error);

/*
 * Writes the artifacts of the result into the directory, or into its subdirectory `below` if that
 * is not NULL. An existing file is replaced only with `force`, and then completely or not at all.
 * A file that cannot be written is named in a warning of the result and makes the result a
 * failure.
 */
void artifact_files_write(int directory, const char *below, bool force, struct result *result);

#endif
