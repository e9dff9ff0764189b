/*
 * The findings of `isolator doctor`: one line per check as it is made, or all of them as JSON at
 * the end; and on a terminal, what is being checked.
 */
#ifndef CLI_FINDINGS_H
#define CLI_FINDINGS_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/progress.h"

enum finding {
    FINDING_OK,
    FINDING_WARN, /* runs work, but something is missing or could be better */
    FINDING_FAIL, /* runs do not work, or some of them */
    FINDING_STATUSES
};

struct findings {
    json_t *list; /* printed at the end, owned; NULL: print lines */
    bool colour;
    bool failed; /* there is a FINDING_FAIL */
    struct progress progress;
};

/* Colours are used only on a terminal, without NO_COLOR (https://no-color.org) and TERM=dumb. */
void findings_init(struct findings *findings, bool json);

/*
 * Adds a finding. `check` is one word or two, `detail` is what was found. `advice` is the command
 * that fixes it, or what to change; it may be NULL. All texts may be untrusted: they are escaped
 * here.
 */
void findings_add(struct findings *findings, enum finding status, const char *check,
                  const char *detail, const char *advice);

/*
 * Adds what programs may read, and people paste into a report, to the last finding, as its member
 * "values": only in JSON. Takes ownership of `values`, whose strings are escaped by the caller.
 */
void findings_add_values(struct findings *findings, json_t *values);

/* Prints the JSON if requested, and frees everything. */
void findings_finish(struct findings *findings);

#endif
