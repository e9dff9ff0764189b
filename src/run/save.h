/*
 * Saves a run as an image on the engine or as a Dockerfile.
 *
 * Both contain the files, the working directory, the user, the environment of the language and the
 * command, so that `docker run --rm TAG` repeats the run. The environment and stdin of the request
 * are not saved: they may contain secrets, and everyone who has the image can read them.
 */
#ifndef RUN_SAVE_H
#define RUN_SAVE_H

#include "base/error.h"
#include "run/run_state.h"

/*
 * Saves what the plan asks for of a run that has succeeded:
 *
 * - the Dockerfile, to the path of the plan, where it replaces a file. It starts with FROM and the
 *   image of the run. Its build context is the directory of the plan, or the directory of the file
 *   that was run;
 * - the image, with the tag of the plan, from the archive that was sent to the program.
 */
int save_run(struct run *run, struct error *error);

#endif
