/*
 * Warnings for a model that name the cure of what it ran into: files that were written and not
 * returned, a program that shows nothing, a timeout, what only the user can repair, and what
 * run/hints.h names for people too. The names of files are escaped.
 */
#ifndef MCP_ADVICE_H
#define MCP_ADVICE_H

#include <stdbool.h>

#include "config/config.h"
#include "run/result.h"

/* What the caller could have done. */
struct advice_offers {
    bool sessions; /* open a session */
    bool job;      /* start the program as a job, which may run for longer */
    bool memory;   /* ask for more memory */
    bool network;  /* reach a network or hosts */
};

/* Those of a configuration, of a program in this language; NULL: it is not known. Without a job. */
struct advice_offers advice_offers_of(const struct config *config, const struct language *language);

/*
 * Adds warnings to the result of a program in this language; NULL: none. Call it while the result
 * still has its output.
 */
void advice_add(struct result *result, const struct language *language,
                const struct advice_offers *offers);

#endif
