/*
 * The resources of the server: snippets, isolator://snippets/NAME, input files,
 * isolator://inputs/PATH, and output and files of runs: isolator://runs/ID/stdout,
 * isolator://runs/ID/stderr and isolator://runs/ID/files/PATH. The results are new references.
 */
#ifndef MCP_RESOURCES_H
#define MCP_RESOURCES_H

#include <jansson.h>

#include "base/error.h"
#include "config/config.h"
#include "mcp/responder.h"
#include "mcp/result_store.h"

/* Bytes of a file that fit into one message in base64. */
enum { RESOURCE_BYTES_MAX = RESULT_MAX / 4 * 3 - 20000 };

/*
 * The result of resources/list: at most 100 snippets and input files, and "nextCursor" if there are
 * more. `cursor` is that of the previous page, or NULL for the first page. NULL if the cursor is
 * invalid.
 */
json_t *resources_list(const struct config *config, const char *cursor);

/*
 * The result of resources/read. "?offset=N&length=N" after the URI of a file or of output asks for
 * a part of it. NULL with ERROR_INPUT if there is no such resource or if it does not fit into one
 * message.
 */
json_t *resources_read(const struct config *config, struct result_store *store, const char *uri,
                       struct error *error);

#endif
