/*
 * Warnings for a model that name the cure of what it ran into: files that were written and not
 * returned, a program that shows nothing, or a package that is not in the image. What a program
 * prints is untrusted: of it, only the name of a package gets into a warning, and only if it is
 * short and harmless. The names of files are escaped.
 */
#ifndef MCP_ADVICE_H
#define MCP_ADVICE_H

#include <stdbool.h>

#include "config/config.h"
#include "run/result.h"

/* Bytes of the name of a package. */
enum { ADVICE_PACKAGE_MAX = 60 };

/*
 * Adds warnings to the result of a program in this language; NULL: none. Call it while the result
 * still has its output. `sessions`: whether the caller could open one.
 */
void advice_add(struct result *result, const struct language *language, bool sessions);

#endif
