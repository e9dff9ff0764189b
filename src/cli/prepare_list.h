/*
 * The lists of `isolator prepare`, and the removal of images that no configuration names any more.
 * The operands are names of languages that the configuration has, ended by NULL; without one, all
 * are meant. Returns an exit status, or -1 with the error.
 */
#ifndef CLI_PREPARE_LIST_H
#define CLI_PREPARE_LIST_H

#include <stdbool.h>

#include "base/error.h"
#include "config/config.h"
#include "docker/docker.h"

/* Prints a line for each language that has steps. */
int prepare_list_languages(const struct docker *docker, char *const *operands,
                           const struct config *config, struct error *error);

/*
 * Prints a line for each prepared image of the engine; if `unused` is true, only for those that no
 * configuration names any more and that this user has made. If `remove` is true, it then removes
 * those, except images of which there are containers, and prints what it does.
 */
int prepare_list_images(const struct docker *docker, char *const *operands,
                        const struct config *config, bool unused, bool remove, struct error *error);

#endif
