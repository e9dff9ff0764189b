/*
 * Compares the result of a submission of a problem package with what is expected of it.
 */
#ifndef CLI_SUBMISSION_RESULT_H
#define CLI_SUBMISSION_RESULT_H

#include <jansson.h>

#include "cli/problem/submissions.h"
#include "run/result.h"

/* What the result of a submission says. */
enum submission_outcome {
    SUBMISSION_AS_EXPECTED,
    SUBMISSION_DIFFERS,      /* or it cannot be read, whatever is expected */
    SUBMISSION_NOT_EXPECTED, /* nothing is expected of it */
    SUBMISSION_NOT_TESTED    /* no language is known for it, or the engine or a judge failed */
};

enum { SUBMISSION_OUTCOMES = SUBMISSION_NOT_TESTED + 1 };

enum submission_outcome submission_outcome(const struct submission *submission,
                                           const struct result *result);

/*
 * Adds the members submission, expected, verdict and asExpected to the JSON object, and those of
 * the time limit.
 */
void submission_result_add_json(json_t *object, const struct submission *submission,
                                const struct time_limit *limit, const struct result *result);

#endif
