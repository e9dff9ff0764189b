#include "judge/checker_trial.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/linux.h"
#include "base/text.h"
#include "judge/checker.h"

void checker_trial_hide(const struct judgement *judgement, struct error *error)
{
    if (!judgement->judge || error->kind != ERROR_JUDGE || !judgement->run.plan->tests.outcome_only)
        return;
    error_release(error);
    *error = (struct error)ERROR_INIT;
    error_set(error, ERROR_JUDGE, "%s failed", judgement->judge->role);
}

void checker_trial_name(const struct run *run, const char *test, struct error *error)
{
    CLEANUP_FREE char *shown = text_escape(test);

    if (error->kind == ERROR_JUDGE && !run->plan->tests.outcome_only)
        error_prefix(error, "test '%s'", shown);
}

/* The first test with an expected output; NULL: there is none. */
static const struct case_request *find_expected(const struct case_requests *requests)
{
    for (size_t i = 0; i < requests->count; i++)
        if (!requests->items[i].no_expected)
            return &requests->items[i];
    return NULL;
}

/* 0 with the verdict of the checker about the expected output of the test. */
static int decide(struct judgement *judgement, const struct case_request *test,
                  struct checker_verdict *verdict, struct error *error)
{
    CLEANUP_FD const int output = linux_unnamed_file_of(test->expected, test->expected_length);
    CLEANUP_FD const int input = linux_unnamed_file_of(test->stdin_data, test->stdin_length);
    const struct checked_output checked = {.input =
                                               test->stdin_file >= 0 ? test->stdin_file : input,
                                           .output = output,
                                           .answer = test->expected ? test->expected : "",
                                           .answer_length = test->expected_length,
                                           .arguments = &test->checker_arguments};

    if (output < 0 || input < 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot create an unnamed file");
    return checker_decide(judgement->judge, judgement->run.plan->checker_convention, &checked,
                          verdict, error);
}

int checker_trial(struct judgement *judgement, struct error *error)
{
    struct run *run = &judgement->run;
    const struct case_requests *tests = &run->plan->tests;
    const struct case_request *test = tests->tries_checker ? find_expected(tests) : NULL;
    CLEANUP_FREE char *shown = NULL, *said = NULL;
    struct checker_verdict verdict = {.message = NULL};

    if (!test)
        return 0;
    if (decide(judgement, test, &verdict, error) != 0) {
        checker_trial_hide(judgement, error);
        checker_trial_name(run, test->name, error);
        return -1;
    }
    if (verdict.outcome != CHECKER_RIGHT) {
        shown = text_escape(test->name);
        said = checker_explain(&verdict, tests->outcome_only);
        strvec_pushf(&run->result->warnings,
                     "the checker does not accept the expected output of test '%s': %s", shown,
                     said);
    }
    free(verdict.message);
    return 0;
}
