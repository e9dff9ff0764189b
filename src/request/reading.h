/*
 * The state of reading the arguments of execute_code or of a line of a batch, which the files share
 * that do it: tool_arguments.c and those that it calls.
 */
#ifndef REQUEST_READING_H
#define REQUEST_READING_H

#include <stdbool.h>

#include "base/error.h"
#include "config/config.h"
#include "request/argument_values.h"
#include "request/request.h"
#include "request/tool_arguments.h"

struct reading {
    const struct config *config;
    enum tool_caller caller;
    struct request *request;
    const bool *offered;        /* languages; NULL: all */
    bool has_checker;           /* of the tests */
    bool offers_hosts;          /* models have the argument for hosts */
    const struct strvec *tools; /* servers whose tools programs may call; borrowed */
    const char *programs;       /* directory for entrypoint_file; borrowed; NULL: none */
    struct argument_reader values;
    struct error *error;
};

#endif
