/*
 * Options that people try because docker or a similar program has them, each with what to do here
 * instead. They belong to the commands that run a program.
 */
#ifndef CLI_OTHER_OPTIONS_H
#define CLI_OTHER_OPTIONS_H

#include "config/options.h"

/* The last one has no name. */
extern const struct option_other other_options[];

#endif
