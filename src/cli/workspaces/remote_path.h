/*
 * What isolator cp and isolator ls share: words that name a path in a workspace, NAME:PATH, and the
 * visit of that workspace.
 */
#ifndef CLI_WORKSPACES_REMOTE_PATH_H
#define CLI_WORKSPACES_REMOTE_PATH_H

#include <stdbool.h>

#include "base/error.h"
#include "config/config.h"
#include "service/workspace_files.h"

/*
 * The PATH of NAME:PATH, borrowed, "." if it is empty. NULL: the word is a path of this host, as is
 * each with a slash before its first colon.
 */
const char *remote_path_of(const char *word);

/* Does the work; false: the result says what failed. */
typedef bool remote_path_work(void *context, const struct workspace_files *files,
                              char *const *operands, struct result *result);

/*
 * Visits the workspace that the word names, with or without a path: prints the messages of the
 * result. Returns the exit status of the process, 1 if not all could be copied, or -1 with the
 * error.
 */
int remote_path_visit(const char *word, const struct config *config, remote_path_work *work,
                      void *context, char *const *operands, struct error *error);

#endif
