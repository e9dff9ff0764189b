/*
 * The cells of an `isolator session` that come from a file or a pipe, with separators between them
 * (cli/session/session_cells.h).
 */
#ifndef CLI_SESSION_STREAM_H
#define CLI_SESSION_STREAM_H

#include "base/error.h"
#include "base/strvec.h"
#include "cli/session/session_runner.h"

/*
 * Reads cells from the descriptor, which stays open, to its end and runs each one as soon as it is
 * complete. Returns the exit status, or -1: ERROR_INPUT for what cannot be read or has more than
 * 16 MiB. `numbered`: they are from the file of the options, whose lines tracebacks name.
 */
int session_stream_run(struct session_runner *runner, int fd, bool numbered, struct error *error);

/* Runs cells that have been read. Returns the exit status. */
int session_stream_run_cells(struct session_runner *runner, const struct strvec *cells);

#endif
