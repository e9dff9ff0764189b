/*
 * Names of images. The grammar is that of github.com/distribution/reference.
 */
#ifndef DOCKER_IMAGE_H
#define DOCKER_IMAGE_H

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

#endif
