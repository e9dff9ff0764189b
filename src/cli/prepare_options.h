/*
 * The options of `isolator prepare`: the table that cli/command_line.h takes, and its checks.
 */
#ifndef CLI_PREPARE_OPTIONS_H
#define CLI_PREPARE_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/strvec.h"

struct prepare_options {
    struct strvec steps; /* --run */
    struct strvec files; /* --file and --dir: absolute paths */
    const char *network; /* borrowed from argv; NULL */
    const char *tag;     /* borrowed from argv; NULL */
    bool list, all, remove, unused;
};

/* What --help prints. */
extern const char prepare_options_help[];

extern const struct option prepare_known_options[];

/* Takes one option into the struct prepare_options that `context` is. ERROR_USAGE for a wrong
 * value. */
int prepare_options_take(void *context, int option, char *value, struct error *error);

/*
 * Checks which options need or exclude each other, or the operands, which end with NULL:
 * ERROR_USAGE.
 */
int prepare_options_check(const struct prepare_options *options, char *const *operands,
                          struct error *error);

#endif
