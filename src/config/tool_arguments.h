/*
 * The arguments of execute_code: JSON that a model wrote becomes a request.
 */
#ifndef CONFIG_TOOL_ARGUMENTS_H
#define CONFIG_TOOL_ARGUMENTS_H

#include <jansson.h>

#include "base/error.h"
#include "config/config.h"
#include "config/request.h"

/*
 * Fills in the request (request_init() before). Whatever is wrong is an ERROR_USAGE that names the
 * argument and what would be right, so that a model can correct itself. null stands for an argument
 * that is not given. A timeout past the configuration's maximum is lowered to it. ERROR_INPUT where the
 * snippet cannot be read or the name of a file cannot be one, ERROR_SYSTEM where the host refuses
 * something.
 */
int tool_arguments_read(const json_t *arguments, const struct config *config,
                        struct request *request, struct error *error);

/* The argument for the subject of an error, like "timeout_seconds"; an error_namer (base/error.h). */
const char *tool_arguments_namer(const char *subject);

#endif
