/*
 * The terminator of a run (network/terminator.h), if its rules terminate the TLS of hosts: its own,
 * or that of its session, whose programs trust one authority as long as their container lives.
 * Environment variables name the file with its certificates (request/proxy_variables.h), which
 * run/extra_files.h adds.
 */
#ifndef RUN_RUN_TERMINATOR_H
#define RUN_RUN_TERMINATOR_H

#include "run/run_state.h"

/*
 * Before the first program: starts the terminator unless the session has one. Does nothing if the
 * rules terminate no TLS. The errors of terminator_new().
 */
int run_terminator_begin(struct run *run, struct error *error);

/* Ends the terminator, unless it is that of a session. */
void run_terminator_end(struct run *run);

#endif
