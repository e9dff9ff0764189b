/*
 * What `isolator session` shows of a cell besides its output (cli/live_output.h).
 */
#ifndef CLI_SESSION_OUTPUT_H
#define CLI_SESSION_OUTPUT_H

#include "run/result.h"

/*
 * Prints what a cell has besides its output: its value, after `label` ("Out[1]: ") if it has one,
 * why it failed unless its traceback says so, and the warnings.
 */
void session_output_result(const struct result *result, const char *label);

#endif
