/*
 * The attacks of `isolator selftest`: programs that try to break out of the container or to exceed
 * its limits, and report whether they succeeded. Each is a file test/abuse/NAME.py that is built
 * into the program. It begins with comment lines:
 *
 *   # TITLE
 *   # holds: WHAT MUST HOLD
 *   # ends: REASON...     the reasons with which the run may end (default: exit)
 *   # silent: REASON...   more of them, if the engine does not say why a container has ended
 *   # status: N           it ends with this exit status, and must be reported with it (default: 0)
 *   # timeout: SECONDS    default: 20
 *   # memory: MB          default: 128
 *   # cpu: SECONDS        of CPU time (default: no limit)
 *   # copies: N           how many copies run at the same time (default: 1)
 *   # tests: N            the program runs so often, one after the other in one container, as the
 *                         tests of a submission (default: once, without tests)
 *   # tools: 1            it has the tools of cli/selftest_tools.h
 *   # calls: OK FAILED    so many calls of tools must be in its result
 *   # gvisor: WHY         with gVisor it may succeed, or not tell
 *   # gap: WHY            the attack is known to succeed; SECURITY.md lists it among the known gaps
 *
 * The attack writes to stdout a line "got through: ..." for each thing that should have been
 * refused and was not. If it reaches its end, its last line is "held: ..." with what it observed.
 * On any other problem it ends with another exit status.
 *
 * Its environment has the limits that were requested: LIMIT_MEMORY_BYTES, LIMIT_CPUS, LIMIT_PIDS,
 * LIMIT_WORKDIR_BYTES, LIMIT_TMP_BYTES, and LIMIT_USERS: "UID:GID", or "FIRST-LAST" if each
 * container has a user of its own. LIMIT_NETLINK is 1 if the configuration allows netlink, else 0.
 * COPY is the number of the copy, and TEST that of the test, both from 0.
 */
#ifndef CLI_ATTACK_H
#define CLI_ATTACK_H

#include "base/error.h"
#include "base/strbuf.h"
#include "config/config.h"
#include "request/request.h"
#include "run/result.h"

struct attack {
    const char *name; /* a literal, as the text */
    const char *text; /* the program */
    char title[48];
    char holds[112];
    char gap[112]; /* empty: no known gap */
    char gvisor[112];
    char ends[64];       /* names of reasons, each with a blank before and after it */
    char silent[64];     /* more of them, if the engine does not say why a container ended */
    bool may_be_unclear; /* no verdict is a known gap, too */
    long status;
    long timeout; /* seconds */
    long memory;  /* MB */
    long cpu;     /* seconds of CPU time; 0: no limit */
    long copies;
    long tests;                 /* 0: none */
    long tools;                 /* 0: it has none */
    int calls_ok, calls_failed; /* calls_ok is -1: they are not checked */
};

enum { ATTACK_COPIES_MAX = 8, ATTACK_TESTS_MAX = 100 };

/* The number of attacks. */
size_t attack_count(void);

/* The attack at this index, in the order of their names, with name and text only. */
struct attack attack_get(size_t index);

/* Fills in the other members from the header of the text. ERROR_CONFIG if the header is invalid. */
int attack_read(struct attack *attack, struct error *error);

/*
 * Fills in the (empty) request for a copy of the attack, under the limits of the configuration.
 * ERROR_CONFIG if the configuration has no language python.
 */
int attack_request(const struct attack *attack, long copy, const struct config *config,
                   struct request *request, struct error *error);

/* The engine does not say why a container has ended (engine_has_events()). */
void attack_set_silent_engine(struct attack *attack);

/* The kernel is gVisor's: what the header says of that is a known gap. */
void attack_set_gvisor(struct attack *attack);

/* From best to worst. */
enum attack_verdict {
    ATTACK_HELD,
    ATTACK_GAP,     /* it got through a known gap */
    ATTACK_UNCLEAR, /* no verdict: something else went wrong */
    ATTACK_BREACH,  /* it got through */
    ATTACK_VERDICTS
};

/*
 * Judges a result. `seen` (empty) gets one line of text that is safe to print: what was observed.
 * A timeout is only held if process 1 reported the figures, which shows that the program did not
 * keep it from running.
 */
enum attack_verdict attack_judge(const struct attack *attack, const struct result *result,
                                 struct strbuf *seen);

#endif
