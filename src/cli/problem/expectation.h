/*
 * What the verdicts of a submission of a problem package must be, by its directory in submissions/
 * and by what submissions/submissions.yaml says (format 2025-09, "Example submissions"; legacy, the
 * same). Knows how tests ended, and nothing of how submissions are run.
 */
#ifndef CLI_EXPECTATION_H
#define CLI_EXPECTATION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strvec.h"
#include "run/result.h"

/* A set of verdicts: AC, WA, TLE and RTE. */
enum verdict_set {
    VERDICT_PASSED = 1,
    VERDICT_WRONG_ANSWER = 2,
    VERDICT_TIMEOUT = 4,
    VERDICT_RUNTIME_ERROR = 8,
    VERDICT_ANY = 15
};

struct requirement {
    unsigned permitted; /* all tests have one of these verdicts */
    unsigned required;  /* and one test at least has one of these */
    bool is_partial;    /* the score is between 0 and the maximum */
    double least, most; /* and between these; NAN: any is */
};

/* All that a submission must fulfil; none: nothing is expected. */
struct expectation {
    struct requirement *items; /* owned */
    size_t count;
    bool bounds_below, bounds_above; /* the time limit (cli/problem/time_limit.h), in 2025-09 */
};

/* More patterns in submissions.yaml are an error. */
enum { SUBMISSION_RULES_MAX = 200 };

/* Names of what is ignored. */
enum { SUBMISSION_IGNORED_MAX = 10 };

/* What submissions.yaml says. */
struct submission_rules {
    const json_t *document; /* borrowed; NULL: there is no such file */
    bool is_legacy;
};

/*
 * Checks the document, and adds to `ignored`, which is empty, what of it is not supported, each
 * once; if there is more, that ends with "and others". ERROR_INPUT that names the key.
 */
int submission_rules_check(const struct submission_rules *rules, struct strvec *ignored,
                           struct error *error);

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

/* The worst verdict of the tests, or, if there is none, the reason of the result. */
const char *expectation_verdict(const struct result *result);

void expectation_release(struct expectation *expectation);

#endif
