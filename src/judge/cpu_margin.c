#include "judge/cpu_margin.h"

#include <stdlib.h>

#include "base/text.h"

/* Whether a test has a margin: it has no limit of its own. */
static bool has_margin(const struct case_requests *requests, const struct case_request *test)
{
    return requests->cpu_seconds_allowed > 0 && test->cpu_seconds == 0;
}

void cpu_margin_drop(const struct plan *plan, const struct case_request *test,
                     const struct case_results *results, struct limits *limits)
{
    const double most = plan->policy.limits.number[LIMIT_CPU_TIME];

    for (size_t i = 0; i < results->count && has_margin(&plan->tests, test); i++)
        if (results->items[i].status == TEST_CPU_TIME &&
            (double)results->items[i].cpu_us >= most * 1e6)
            limits->number[LIMIT_CPU_TIME] = plan->tests.cpu_seconds_allowed;
}

bool cpu_margin_is_left(const struct plan *plan, const struct case_request *test,
                        const struct case_result *result)
{
    return has_margin(&plan->tests, test) && result->status == TEST_CPU_TIME &&
           (double)result->cpu_us < plan->policy.limits.number[LIMIT_CPU_TIME] * 1e6;
}

void cpu_margin_judge(const struct case_requests *requests, const struct case_request *test,
                      struct result *program)
{
    const double allowed = requests->cpu_seconds_allowed;

    if (!has_margin(requests, test) || (double)program->cpu_us <= allowed * 1e6 ||
        program->reason == REASON_TIMEOUT || program->reason == REASON_CANCELLED ||
        program->reason == REASON_ENGINE)
        return;
    program->reason = REASON_CPU_TIME;
    free(program->error);
    program->error = string_format("program used more than %.10g s of CPU time", allowed);
}
