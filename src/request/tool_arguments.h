/*
 * The arguments of the tool execute_code: turns JSON that a model wrote into a request. Lines of
 * `isolator batch` have the same form.
 */
#ifndef REQUEST_TOOL_ARGUMENTS_H
#define REQUEST_TOOL_ARGUMENTS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "config/config.h"
#include "request/argument_values.h"
#include "request/request.h"

/*
 * Who wrote the arguments. A line of a batch may ask for limits as a person may. A model may ask
 * for one only if the configuration has a maximum for it; otherwise there is no such argument.
 */
enum tool_caller { TOOL_CALLER_MODEL, TOOL_CALLER_BATCH };

/* What a server offers a model, and the owner of a batch allows to its lines. */
struct tool_client {
    struct file_opener opener;  /* opens the files that arguments name by a URI; NULL: none */
    const bool *offered;        /* the languages, by their index; borrowed; NULL: all */
    const struct strvec *tools; /* servers whose tools programs may call; borrowed; NULL: none */
    const char *programs;       /* directory for entrypoint_file of a batch; borrowed; NULL: none */
};

/*
 * Fills in an initialised request. `client` may be NULL: then arguments can name no file. null
 * stands for an argument that is not given. A timeout above the configuration's maximum is lowered
 * to it: models tend to ask for a long one without a reason. plan_resolve() refuses other limits
 * that are above. With the id of a session, request->language may be NULL: then it is that of the
 * session.
 *
 * ERROR_USAGE names the argument and what would be right, so that a model can correct itself.
 * ERROR_INPUT if a snippet or file cannot be read or a file name is not allowed, ERROR_SYSTEM if
 * the host refuses something.
 */
int tool_arguments_read(const json_t *arguments, enum tool_caller caller,
                        const struct config *config, const struct tool_client *client,
                        struct request *request, struct error *error);

/* Whether a model can ask for the limit: the timeout, and those with a maximum. */
bool tool_arguments_offers(const struct config *config, enum limit_number which);

/* The argument for the subject of an error, like "timeout_seconds"; an error_namer. */
const char *tool_arguments_namer(const char *subject);

#endif
