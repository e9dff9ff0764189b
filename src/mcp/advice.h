/*
 * Warnings for a model that name the cure of what it ran into: files that were written and not
 * returned, a program that shows nothing, a timeout, or a package that is not in the image. What a
 * program prints is untrusted: of it, only the name of a package gets into a warning, and only if
 * it is short and harmless. The names of files are escaped.
 */
#ifndef MCP_ADVICE_H
#define MCP_ADVICE_H

#include <stdbool.h>

#include "config/config.h"
#include "run/result.h"

/* Bytes of the name of a package. */
enum { ADVICE_PACKAGE_MAX = 60 };

/* What the caller could have done. */
struct advice_offers {
    bool sessions; /* open a session */
    bool job;      /* start the program as a job, which may run for longer */
};

/*
 * Adds warnings to the result of a program in this language; NULL: none. Call it while the result
 * still has its output.
 */
void advice_add(struct result *result, const struct language *language,
                const struct advice_offers *offers);

#endif
