/*
 * Sets of environment variables: a strvec of "NAME=VALUE" in which each name stands once.
 */
#ifndef CONFIG_ENVIRONMENT_H
#define CONFIG_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strvec.h"

/* Whether every shell takes the first `length` bytes for a variable: [A-Za-z_][A-Za-z0-9_]*. */
bool environment_is_name(const char *name, size_t length);

/*
 * Whether shells keep the variable for themselves, so that no program behind one can be given it: they
 * refuse to set it, or fail when they inherit it.
 */
bool environment_is_reserved(const char *name, size_t length);

/* Sets a variable ("NAME=VALUE", copied), in the place of an older value of that name. */
void environment_set(struct strvec *environment, const char *assignment);

#endif
