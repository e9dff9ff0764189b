/*
 * What `isolator doctor` finds: a line for each check as it is made, or all of them as JSON in the end.
 */
#ifndef CLI_FINDINGS_H
#define CLI_FINDINGS_H

#include <jansson.h>
#include <stdbool.h>

enum finding {
    FINDING_OK,
    FINDING_WARN, /* runs work, but something is missing or could be better */
    FINDING_FAIL, /* runs do not work, or some of them */
    FINDING_STATUSES
};

struct findings {
    json_t *list; /* for the end; NULL: lines */
    bool colour;
    bool failed; /* one of them is FINDING_FAIL */
};

/* Colour only on a terminal, and without NO_COLOR (https://no-color.org) and TERM=dumb. */
void findings_init(struct findings *findings, bool json);

/*
 * `check` is a word or two; `detail` what was seen; `advice` the command that mends it, or what to change; NULL:
 * none. All of it may come from anywhere: it is escaped here.
 */
void findings_add(struct findings *findings, enum finding status, const char *check,
                  const char *detail, const char *advice);

/* Prints the JSON, where that was asked for, and frees everything. */
void findings_finish(struct findings *findings);

#endif
