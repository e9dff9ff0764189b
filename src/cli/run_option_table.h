/*
 * The options of `isolator run`, `isolator test` and `isolator session`: their table, and what each
 * does with its value. For cli/run_options.c, which parses the command line and prints --help.
 */
#ifndef CLI_RUN_OPTION_TABLE_H
#define CLI_RUN_OPTION_TABLE_H

#include <stddef.h>

#include "cli/run_options.h"

typedef int run_option_apply_function(struct run_options *, const char *, struct error *);

struct run_option {
    unsigned commands; /* bits: 1 << enum run_options_command */
    int letter;        /* 0: none */
    const char *name;
    const char *argument; /* NULL: none; in brackets: optional */
    const char *help;
    enum { SETS_STRING, RAISES_FLAG, SETS_NUMBER, CALLS } kind;
    size_t place; /* the offset in struct run_options, or an enum limit_number */
    run_option_apply_function *apply; /* for CALLS */
};

enum { RUN_OPTIONS = 41 };
extern const struct run_option run_option_table[RUN_OPTIONS];

/* Applies an option with its value, NULL if it has none. ERROR_USAGE. */
int run_option_apply(struct run_options *options, const struct run_option *option,
                     const char *value, struct error *error);

#endif
