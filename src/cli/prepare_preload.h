/*
 * `isolator prepare --preload`: tries the modules that the interpreters of warm containers import
 * in advance ("preload" of a language), and measures what they cost and save.
 */
#ifndef CLI_PREPARE_PRELOAD_H
#define CLI_PREPARE_PRELOAD_H

#include "base/error.h"
#include "config/config.h"
#include "service/service.h"

/*
 * Tries those of a language, in a new container and in a warm one, of a service with the pool
 * POOL_ONE_SHOT, and prints a line. Returns an exit status, that of the program if a module cannot
 * be imported; or -1 with the error: ERROR_USAGE if the language imports none, or not in advance.
 */
int prepare_try_preload(struct service *service, const struct config *config,
                        const struct language *language, struct error *error);

#endif
