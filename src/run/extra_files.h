/*
 * Files of isolator's own that a program gets with those of its request: the certificates of its
 * terminator (run/run_terminator.h), and a module for its tools. They come first, so a file of the
 * request that has the same name replaces one.
 */
#ifndef RUN_EXTRA_FILES_H
#define RUN_EXTRA_FILES_H

#include "run/run_state.h"

/*
 * Before the first program, after run_terminator_begin(): packs them in run->with_extra_files,
 * unless there are none. In a session the certificates are those of its first request.
 */
int extra_files_begin(struct run *run, struct error *error);

#endif
