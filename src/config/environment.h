/*
 * Sets of environment variables: a strvec of "NAME=VALUE" in which each name occurs once.
 */
#ifndef CONFIG_ENVIRONMENT_H
#define CONFIG_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strvec.h"

/* Whether the first `length` bytes are a name in every shell: [A-Za-z_][A-Za-z0-9_]*. */
bool environment_is_name(const char *name, size_t length);

/*
 * Whether shells reserve the variable: they refuse to set it, or fail if they inherit it. A program
 * that a shell starts cannot get it.
 */
bool environment_is_reserved(const char *name, size_t length);

/* Sets a variable ("NAME=VALUE", copied); it replaces an older value of that name. */
void environment_set(struct strvec *environment, const char *assignment);

#endif
