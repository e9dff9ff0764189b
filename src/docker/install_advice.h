/*
 * The container command on this system: where it is, and how to install it, by os-release(5).
 */
#ifndef DOCKER_INSTALL_ADVICE_H
#define DOCKER_INSTALL_ADVICE_H

#include <stdbool.h>

#include "docker/docker.h"

/* The file that posix_spawnp(3) would run for the command, owned; NULL if there is none. */
char *install_find_command(const char *command);

/* Whether podman is installed, and the command is the one that people have not chosen: "docker". */
bool install_podman_instead(const struct docker *docker);

/* "sudo apt-get install docker.io"; static. NULL: the distribution, or its package, is not known.
 */
const char *install_advice(enum engine_kind kind);

/* The same for the text of an os-release file. */
const char *install_advice_for(enum engine_kind kind, const char *os_release);

#endif
