/*
 * The result of a run for a person, after its output (cli/live_output.h): the warnings, why the
 * program failed, and a line that sums the run up.
 */
#ifndef CLI_RUN_TEXT_H
#define CLI_RUN_TEXT_H

#include <jansson.h>

#include "cli/run_options.h"
#include "run/result.h"

/* Writes it to stderr. */
void run_text_print(const struct result *result);

/*
 * The last line, "success, exit 0, 14 ms, 4.1 MB", with the option that raises the limit that has
 * ended the program; owned by the caller. NULL: no program has run.
 */
char *run_text_summary(const struct result *result);

/*
 * Prints the result as the options say: nothing more after --stream, as text, or as JSON after the
 * members, which are taken over. `status` is the exit status of the process for it. Returns the
 * exit status of the process.
 */
int run_text_report(json_t *members, const struct run_options *options, struct result *result,
                    int status);

#endif
