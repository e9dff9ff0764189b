/*
 * Names of images. The grammar is that of github.com/distribution/reference.
 */
#ifndef DOCKER_IMAGE_H
#define DOCKER_IMAGE_H

#include <stdbool.h>

#include "base/error.h"

/*
 * Checks that this can be an image reference: no blanks, no control characters, no leading dash.
 * The engine checks the rest. ERROR_USAGE.
 */
int image_check_reference(const char *reference, struct error *error);

/*
 * Checks that an image can be saved under this tag: "[HOST[:PORT]/]NAME[/NAME...][:TAG]" with names
 * in lower case. The check is complete, because the engine would refuse the tag only after the run.
 * ERROR_USAGE.
 */
int image_check_tag(const char *reference, struct error *error);

/*
 * Returns the reference in full, as the docker command understands it:
 * "HOST[:PORT]/NAME[/NAME...]:TAG", or "@sha256:..." in place of the tag. "python" is
 * "docker.io/library/python:latest". A tag next to a digest is left out, since the engine ignores
 * it. Ids of images are no references here, and the engine takes nothing in this form for one.
 * Owned by the caller; NULL with ERROR_USAGE.
 */
char *image_normalize(const char *reference, struct error *error);

/*
 * Returns a pattern for references in full, for image_matches(): a reference with any number of
 * "*", each of which matches any characters but "/". Without a tag or digest it matches any. Owned
 * by the caller; NULL with ERROR_USAGE.
 */
char *image_pattern_normalize(const char *pattern, struct error *error);

/* Whether the pattern matches the reference. Both are in full. */
bool image_matches(const char *pattern, const char *reference);

#endif
