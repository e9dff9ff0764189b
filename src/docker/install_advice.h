/*
 * How to install the docker command on this system: the command line of its package manager, by
 * os-release(5).
 */
#ifndef DOCKER_INSTALL_ADVICE_H
#define DOCKER_INSTALL_ADVICE_H

/* "sudo apt-get install docker.io"; static. NULL: the distribution is not known. */
const char *install_advice(void);

/* The same for the text of an os-release file. */
const char *install_advice_for(const char *os_release);

#endif
