/*
 * The file submissions/submissions.yaml of a problem package: patterns of submissions, each with
 * what their verdicts must be and how they are run (format 2025-09, "Example submissions"). Knows
 * nothing of directories that say something by their names.
 */
#ifndef CLI_SUBMISSION_RULES_H
#define CLI_SUBMISSION_RULES_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/strvec.h"

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

/*
 * What the first pattern of the submission that has the key says: "language" or "entrypoint"
 * (format 2025-09, "Example submissions"). Borrowed; NULL: none has it. The rules are checked.
 */
const char *submission_rules_text(const struct submission_rules *rules, const char *path,
                                  const char *key);

/* Whether a rule has one of the keys permitted, required and score, or use_for_time_limit that is
 * more than false. */
bool submission_rule_says_something(const json_t *rule);

/* Puts what the keys of a rule say over the requirement. ERROR_INPUT. */
int submission_rule_read(struct requirement *requirement, const json_t *rule, struct error *error);

/* Whether a pattern, which is checked, is that of the submission or of its directory. */
bool submission_rule_matches(const char *pattern, const char *path, const char *directory);

/*
 * The language that the package gives a submission: by its rules, or by the ending and the first
 * line of its program, which may be NULL. Borrowed; NULL: the configuration says it.
 */
const char *submission_rules_language(const struct submission_rules *rules, const char *path,
                                      const char *program);

#endif
