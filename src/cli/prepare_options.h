/*
 * The options of `isolator prepare`: their table and their checks.
 */
#ifndef CLI_PREPARE_OPTIONS_H
#define CLI_PREPARE_OPTIONS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/strvec.h"
#include "cli/command_line.h"
#include "config/prepare_network.h"

struct prepare_options {
    struct common_options common;
    struct strvec steps;            /* --run */
    struct strvec files;            /* --file and --dir: absolute paths */
    struct prepare_network network; /* --network or --allow-host */
    const char *tag;                /* borrowed from argv; NULL */
    bool list, all, remove, unused, preload;
};

extern const struct option_table prepare_table;

/*
 * Checks which options need or exclude each other, or the operands, which end with NULL:
 * ERROR_USAGE.
 */
int prepare_options_check(const struct prepare_options *options, char *const *operands,
                          struct error *error);

#endif
