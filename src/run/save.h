/*
 * Keeping what was run: as an image on the engine, or as a Dockerfile.
 *
 * Both hold the files at the workdir, the working directory, the user, the language's environment
 * and the command, so that `docker run --rm TAG` repeats the run. The request's own environment and
 * its stdin are not kept: values may be secrets, and an image shows them to everybody.
 */
#ifndef RUN_SAVE_H
#define RUN_SAVE_H

#include "base/archive.h"
#include "base/error.h"
#include "docker/docker.h"
#include "run/run_state.h"

/* Makes the image under the request's tag from the archive that the program was run from. */
int save_image(struct run *run, struct error *error);

/*
 * Writes the Dockerfile to the request's path, replacing a file there. It begins from the image. Its build context is the
 * request's directory, or the directory of the file that was run.
 */
int save_dockerfile(const struct plan *plan, const char *image, struct error *error);

#endif
