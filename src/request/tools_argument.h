/*
 * The argument `tools` of models and of lines of a batch: the servers whose tools a program may
 * call, of those that its owner permits. Also the arguments with which a model looks for tools.
 */
#ifndef REQUEST_TOOLS_ARGUMENT_H
#define REQUEST_TOOLS_ARGUMENT_H

#include <jansson.h>

#include "base/strvec.h"
#include "config/config.h"
#include "request/argument_values.h"

/*
 * Reads an array of names, of those that are permitted. ERROR_USAGE, as in
 * request/argument_values.h.
 */
int tools_argument_read(struct argument_reader *reader, const char *name, const json_t *value,
                        const struct strvec *permitted, struct strvec *tools);

/*
 * Adds the servers that a request names to those of its plan, each once. ERROR_USAGE if the
 * configuration does not have one.
 */
int tools_argument_resolve(const struct strvec *names, const struct config *config,
                           struct strvec *tools, struct error *error);

/* ---- search_tools */

/* What is said of each tool. */
enum tool_detail { TOOL_DETAIL_NAME, TOOL_DETAIL_DESCRIPTION, TOOL_DETAIL_SCHEMA };

/* Bytes of `query`. */
enum { TOOL_QUERY_MAX = 1000 };

struct tool_search_arguments {
    struct strvec words; /* of `query`; owned */
    enum tool_detail detail;
    struct strvec warnings; /* owned */
};

/*
 * Reads the arguments of the tool search_tools, an object or NULL. The caller releases the words
 * and warnings, after an error too.
 */
int tool_search_arguments_read(const json_t *arguments, struct tool_search_arguments *search,
                               struct error *error);

#endif
