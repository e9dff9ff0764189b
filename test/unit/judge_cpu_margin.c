#include "test.h"

#include "judge/cpu_margin.h"

/* The CPU time of a test after one with this status that has used so much, of 4 s. */
static double limit_after(enum case_status status, long long cpu_us, double allowed, double own)
{
    struct case_result items[] = {CASE_RESULT_INIT, CASE_RESULT_INIT};
    const struct case_results results = {.items = items, .count = 2};
    struct plan plan = PLAN_INIT;
    const struct case_request test = {.cpu_seconds = own};
    struct limits limits = {.number[LIMIT_CPU_TIME] = 4};

    plan.policy.limits = limits;
    plan.tests.cpu_seconds_allowed = allowed;
    items[0].status = status;
    items[0].cpu_us = cpu_us;
    cpu_margin_drop(&plan, &test, &results, &limits);
    return limits.number[LIMIT_CPU_TIME];
}

CASE(cpu_margin__is_dropped_once_it_is_used_up)
{
    assert_true(limit_after(TEST_CPU_TIME, 4000000, 1, 0) == 1);
    assert_true(limit_after(TEST_CPU_TIME, 3999999, 1, 0) == 4); /* it was in the margin */
    assert_true(limit_after(TEST_RUNTIME_ERROR, 4000000, 1, 0) == 4);
    assert_true(limit_after(TEST_CPU_TIME, 4000000, 0, 0) == 4); /* there is none */
    assert_true(limit_after(TEST_CPU_TIME, 4000000, 1, 4) == 4); /* the test has its own limit */
}
