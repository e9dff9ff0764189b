/*
 * Tests that may use more CPU time than is allowed, so that one sees by how much a program is too
 * slow (request/case_request.h, cpu_seconds_allowed). Knows nothing of where the margin comes from.
 */
#ifndef JUDGE_CPU_MARGIN_H
#define JUDGE_CPU_MARGIN_H

#include "request/plan.h"
#include "run/result.h"

/*
 * Takes the margin away from the limits of a test if one before it has used all of it: that has
 * shown that the program is too slow, and the others need not show it again.
 */
void cpu_margin_drop(const struct plan *plan, const struct case_request *test,
                     const struct case_results *results, struct limits *limits);

/* Says that the program was too slow if it has used more CPU time than is allowed. */
void cpu_margin_judge(const struct case_requests *requests, const struct case_request *test,
                      struct result *program);

/* Whether a test was too slow, but has not used all of the margin: another one may be slower. */
bool cpu_margin_is_left(const struct plan *plan, const struct case_request *test,
                        const struct case_result *result);

#endif
