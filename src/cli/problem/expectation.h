/*
 * What the verdicts of a submission of a problem package must be, by its directory in submissions/
 * and by what submissions/submissions.yaml says (format 2025-09, "Example submissions"; legacy, the
 * same). Knows how tests ended, and nothing of how submissions are run.
 */
#ifndef CLI_EXPECTATION_H
#define CLI_EXPECTATION_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/problem/submission_rules.h"
#include "run/result.h"

/* All that a submission must fulfil; none: nothing is expected. */
struct expectation {
    struct requirement *items; /* owned */
    size_t count;
    bool bounds_below, bounds_above; /* the time limit (cli/problem/time_limit.h), in 2025-09 */
};

/* Fills in an empty expectation of a submission, "accepted/x.cpp". The rules are checked. */
void expectation_find(struct expectation *expectation, const struct submission_rules *rules,
                      const char *path);

/*
 * "wrong-answer or timeout", owned by the caller; "wrong-answer and timeout" if both are needed,
 * "none" if no verdicts fulfil it, NULL if nothing is expected.
 */
char *expectation_text(const struct expectation *expectation);

/* Whether the result is what is expected, which is something. */
bool expectation_is_met(const struct expectation *expectation, const struct result *result);

/* Whether what is expected cannot become met by other tests, in a problem without scores. */
bool expectation_is_resolved(const struct expectation *expectation, enum case_status status);

/*
 * The worst verdict of the tests, or that of the grader of the package, or, if there is none, the
 * reason of the result.
 */
const char *expectation_verdict(const struct result *result);

void expectation_release(struct expectation *expectation);

#endif
