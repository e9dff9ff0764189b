/*
 * Options that people try because docker or a similar program has them, each with what to do here
 * instead. They belong to the commands that run a program.
 */
#ifndef CLI_OTHER_OPTIONS_H
#define CLI_OTHER_OPTIONS_H

#include "config/options.h"

/* The last one has no name. The first ones are options of isolator run that a job cannot have. */
enum { OTHER_OPTIONS_OF_RUN = 7 };
extern const struct option_other start_other_options[];
#define other_options (start_other_options + OTHER_OPTIONS_OF_RUN)

#endif
