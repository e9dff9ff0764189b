/*
 * The arguments of the tool execute_code: turns JSON that a model wrote into a request. Lines of
 * `isolator batch` have the same form.
 */
#ifndef CONFIG_TOOL_ARGUMENTS_H
#define CONFIG_TOOL_ARGUMENTS_H

#include <jansson.h>

#include "base/error.h"
#include "config/config.h"
#include "config/request.h"

/*
 * Fills in an initialised request. null stands for an argument that is not given. A timeout above
 * the configuration's maximum is lowered to it.
 *
 * ERROR_USAGE names the argument and what would be right, so that a model can correct itself.
 * ERROR_INPUT if the snippet cannot be read or a file name is not allowed, ERROR_SYSTEM if the host
 * refuses something.
 */
int tool_arguments_read(const json_t *arguments, const struct config *config,
                        struct request *request, struct error *error);

/* The argument for the subject of an error, like "timeout_seconds"; an error_namer. */
const char *tool_arguments_namer(const char *subject);

#endif
