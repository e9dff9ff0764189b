#include "cli/problem/submission_result.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/grade/grade_table.h"

/* Whether the result says something about the program: neither it nor its judge failed to run. */
static bool says_something(const struct result *result)
{
    return grade_of(result) != GRADE_NONE || result->reason == REASON_INPUT;
}

enum submission_outcome submission_outcome(const struct submission *submission,
                                           const struct result *result)
{
    if (!submission->has_language || !says_something(result))
        return SUBMISSION_NOT_TESTED;
    if (submission->expectation.count == 0 && result->reason != REASON_INPUT)
        return SUBMISSION_NOT_EXPECTED;
    return expectation_is_met(&submission->expectation, result) ? SUBMISSION_AS_EXPECTED
                                                                : SUBMISSION_DIFFERS;
}

void submission_result_add_json(json_t *object, const struct submission *submission,
                                const struct time_limit *limit, const struct result *result)
{
    const enum submission_outcome outcome = submission_outcome(submission, result);
    CLEANUP_FREE char *expected = expectation_text(&submission->expectation);
    CLEANUP(strbuf_release) struct strbuf name = STRBUF_INIT;

    text_add_utf8(&name, submission->name, strlen(submission->name));
    json_object_set_new(object, "submission", json_string(strbuf_string(&name)));
    json_object_set_new(object, "expected", expected ? json_string(expected) : json_null());
    json_object_set_new(object, "verdict",
                        submission->has_language ? json_string(expectation_verdict(result))
                                                 : json_null());
    json_object_set_new(object, "asExpected",
                        outcome == SUBMISSION_AS_EXPECTED || outcome == SUBMISSION_DIFFERS
                            ? json_boolean(outcome == SUBMISSION_AS_EXPECTED)
                            : json_null());
    time_limit_add_json(object, limit);
}
