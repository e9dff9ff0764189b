/*
 * Which tests of a package in the legacy format do not run after one that is not accepted, by the
 * text of Kattis/problem-package-format (b03c6a2 of December 2025), spec/legacy.md, "Test data
 * groups": with "on_reject: break", the default, "judging proceeds immediately to grading", in each
 * directory. Whether a directory is accepted is known before its end only by the rules worst_error
 * and first_error; one that is not leaves the rest of the one above if that breaks, too.
 */
#ifndef CLI_LEGACY_BREAKS_H
#define CLI_LEGACY_BREAKS_H

#include "cli/grade/case_groups.h"
#include "request/case_request.h"

/* Sets skip_from and skip_to of the tests, which are in the order of the format. */
void legacy_breaks_set(const struct case_groups *groups, struct case_requests *tests);

#endif
