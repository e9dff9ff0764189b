/*
 * The attacks of `isolator selftest`: programs that try to get through what a sandbox promises, and say
 * themselves whether they did. Each is a file test/abuse/NAME.py, built in. It begins with comment lines:
 *
 *   # TITLE
 *   # holds: WHAT MUST HOLD
 *   # ends: REASON...     by one of which the run has to end; without it: exit
 *   # timeout: SECONDS    20
 *   # memory: MB          128
 *   # copies: N           that run at the same time; 1
 *   # gap: WHY            what gets through is known, and stands among the known gaps in SECURITY.md
 *
 * On stdout it writes a line "got through: ..." for each thing that must not be possible and was, and if it comes
 * so far, as its last line, "held: ..." with what it saw. Anything else that is not as it should be makes it end
 * with another status than 0. Its environment tells the limits that were asked for: LIMIT_MEMORY_BYTES,
 * LIMIT_CPUS, LIMIT_PIDS, LIMIT_WORKDIR_BYTES, LIMIT_TMP_BYTES, LIMIT_UID and LIMIT_GID, and in COPY which of the
 * copies it is.
 */
#ifndef CLI_ATTACK_H
#define CLI_ATTACK_H

#include "base/error.h"
#include "base/strbuf.h"
#include "config/config.h"
#include "config/request.h"
#include "run/result.h"

struct attack {
    const char *name; /* literals */
    const char *text; /* the program */
    char title[48];
    char holds[112];
    char gap[112];
    char ends[64]; /* names of reasons, with a blank in front of each and behind the last */
    long timeout;  /* seconds */
    long memory;   /* MB */
    long copies;
};

enum { ATTACK_COPIES_MAX = 8 };

/* How many there are; attack_get() gives that at a place, in the order of their names. */
size_t attack_count(void);
struct attack attack_get(size_t place);

/* Fills in all but name and text from the text. ERROR_CONFIG where that does not begin as it has to. */
int attack_read(struct attack *attack, struct error *error);

/* Makes the (empty) request for that copy of the attack, under the configuration's limits. */
int attack_request(const struct attack *attack, long copy, const struct config *config,
                   struct request *request, struct error *error);

enum attack_verdict {
    ATTACK_HELD,
    ATTACK_GAP,     /* it got through, where that is known */
    ATTACK_ODD,     /* it cannot be said, since something else went wrong */
    ATTACK_THROUGH, /* it got through */
    ATTACK_VERDICTS
};

/* What came of it. `seen` (empty) gets the words for it in one line that is safe to print. */
enum attack_verdict attack_judge(const struct attack *attack, const struct result *result,
                                 struct strbuf *seen);

#endif
