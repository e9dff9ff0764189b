/*
 * What images are called. The grammar is that of github.com/distribution/reference.
 */
#ifndef DOCKER_IMAGE_H
#define DOCKER_IMAGE_H

#include "base/error.h"

/*
 * Whether this can name an image: no blanks, control characters or leading dash. The engine checks
 * the rest. ERROR_USAGE.
 */
int image_check_reference(const char *reference, struct error *error);

/*
 * Whether an image can be saved under this: "[HOST[:PORT]/]NAME[/NAME...][:TAG]" with names in lower
 * case. Checked in full, since the engine would refuse it only after the run. ERROR_USAGE.
 */
int image_check_tag(const char *reference, struct error *error);

#endif
