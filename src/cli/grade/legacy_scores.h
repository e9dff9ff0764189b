/*
 * The groups of tests that give scores, by what the files testdata.yaml say, as the default grader
 * computes them (legacy format, "Test data groups" and "Graders"): accept_score, grader_flags with
 * sum, min, avg or max, and on_reject. A file that sets accept_score, reject_score or range makes
 * the tests give scores. Every directory is a group; a key that its file does not have is that of
 * the nearest directory above. Ranges are not checked.
 *
 * With "grading: custom", a program of the package grades the group (judge/grader.h), and a range
 * says how much it can give.
 *
 * What would give another score than the default grader's is refused: a reject_score that is not
 * 0, and a sum, average or maximum that ends at the first test that is not accepted. Such a score
 * counts also if not all of it is accepted. So it is with problemtools 1.20260620
 * (support/default_grader) and DOMjudge; by the format it counts only with accept_if_any_accepted
 * or always_accept, so there is a warning. "sample" gives points unless ignore_sample is set.
 */
#ifndef CLI_LEGACY_SCORES_H
#define CLI_LEGACY_SCORES_H

#include "base/error.h"
#include "cli/grade/case_groups.h"
#include "request/case_request.h"

/* Whether a file testdata.yaml, or the type of a legacy problem, makes the tests give scores. */
bool legacy_scores_wanted(const struct case_groups *groups);

/*
 * Adds the groups and puts each test into that of its directory, with its points. If the tests have
 * a validator that gives scores and no accept_score, it must give one. They are not complete.
 * ERROR_INPUT that names the file.
 */
int legacy_scores_read(const struct case_groups *groups, struct case_requests *tests,
                       struct error *error);

/*
 * What the files say of a directory, "" or "secret/1": a text, borrowed, "" if none has the key;
 * the words of grader_flags, which are added; whether it is one of the samples, which are left out.
 */
const char *legacy_scores_text(const struct case_groups *groups, const char *name, const char *key);
void legacy_scores_flags(const struct case_groups *groups, const char *name, struct strvec *flags);
bool legacy_scores_ignore(const struct case_groups *groups, const char *name);

/* Makes the name that of the directory above; false: it was the first. */
bool legacy_scores_go_up(char *name);

#endif
