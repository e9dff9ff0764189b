/*
 * The groups of tests that give scores, by what the files test_group.yaml say: max_score,
 * score_aggregation and require_pass (format 2025-09, "Result aggregation"). If none of them says
 * such a thing, those of the files testdata.yaml (cli/grade/legacy_scores.h). If these say nothing
 * either, the tests give no scores, or in a scoring problem those of the defaults.
 */
#ifndef CLI_CASE_SCORES_H
#define CLI_CASE_SCORES_H

#include "base/error.h"
#include "cli/grade/case_groups.h"
#include "request/case_request.h"

/*
 * Adds the groups that have tests, in the order of the tests, and puts each test into the nearest
 * one: directories with a file test_group.yaml, "sample" and "secret". They are not complete.
 * ERROR_INPUT that names the file.
 */
int case_scores_read(const struct case_groups *groups, struct case_requests *tests,
                     struct error *error);

#endif
