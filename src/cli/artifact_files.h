/*
 * Artifacts written to this host's disk. Their names were checked (run/artifacts.h), what is in the
 * directory was not: no link in it is followed, so that nothing is written outside it.
 */
#ifndef CLI_ARTIFACT_FILES_H
#define CLI_ARTIFACT_FILES_H

#include <stdbool.h>

#include "base/error.h"
#include "run/result.h"

/* Opens the directory, which is made where there is none, but not those above it. -1: ERROR_INPUT. */
int artifact_files_open(const char *directory, struct error *error);

/*
 * Writes the artifacts of the result below the directory, or below one in it of the name `below` (or NULL). A file that is there is replaced with `force` only,
 * and then as a whole or not at all. What cannot be written is named in a warning of the result, and makes it one
 * of a failure unless it is that already.
 */
void artifact_files_write(int directory, const char *below, bool force, struct result *result);

#endif
