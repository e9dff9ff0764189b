/*
 * What the URIs of files stand for: isolator://runs/ID/files/PATH and isolator://inputs/PATH, and
 * isolator://runs/ID/stdout and stderr. resources/read shows them, and additional_files of a call
 * may name them.
 */
#ifndef MCP_FILE_URIS_H
#define MCP_FILE_URIS_H

#include <stdbool.h>

#include "base/error.h"
#include "config/config.h"
#include "mcp/result_store.h"
#include "request/argument_values.h"

#define RUNS_URI   "isolator://runs/"
#define INPUTS_URI "isolator://inputs/"

/* Where the files are. Both are borrowed. */
struct file_uris {
    const struct config *config;
    struct result_store *store;
};

/*
 * Opens the file; the caller owns part->range. ERROR_INPUT if there is none. The URI begins with
 * RUNS_URI or INPUTS_URI and ends before a '?'.
 */
int file_uris_open(const struct file_uris *uris, const char *uri, struct stored_part *part,
                   struct error *error);

/* The opener for the arguments of a call. It borrows `uris`. Other URIs are an ERROR_INPUT. */
struct file_opener file_uris_opener(struct file_uris *uris);

/*
 * Splits a URI with a query, like "?offset=1000&length=500", into the URI before it, which the
 * caller owns, and the two numbers, -1 if it does not have them. NULL with ERROR_INPUT if the query
 * is another one.
 */
char *file_uris_split(const char *uri, long long *offset, long long *length, struct error *error);

#endif
