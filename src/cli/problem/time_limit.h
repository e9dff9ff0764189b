/*
 * The time limit of a problem, one of CPU time for each test: the package or the caller gives it,
 * or it is computed from the submissions. Knows nothing of how these are run.
 *
 * By the texts of Kattis/problem-package-format (b03c6a2 of December 2025):
 * - spec/2025-09.md, "Problem timing" and "Timelimit inference": the smallest multiple of
 *   limits.time_resolution (1.0) that is at least limits.time_multipliers.ac_to_time_limit (2.0)
 *   times the slowest test of a submission that bounds it from below, which is one that must not
 *   be too slow; one that must be too slow must be by limits.time_multipliers.time_limit_to_tle
 *   (1.5). use_for_time_limit of submissions.yaml changes that.
 * - spec/legacy.md, "Limits", which names limits.time_multiplier (5) and limits.time_safety_margin
 *   (2), and no rule. problemtools has it (1.20260620 and later, verifyproblem.py,
 *   _compute_time_limit): whole seconds, at least 1, by the submissions in accepted/; the margin
 *   is for those in time_limit_exceeded/.
 */
#ifndef CLI_TIME_LIMIT_H
#define CLI_TIME_LIMIT_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/problem/expectation.h"
#include "config/limits.h"
#include "request/request.h"
#include "run/result.h"

/* Seconds of CPU time that a test may use while the limit is not known. */
#define TIME_LIMIT_PRELIMINARY 60

struct time_limit {
    /* Of the package: from the slowest test to the limit, what that is a multiple of, and from the
     * limit to the tests that must be too slow. */
    double multiplier, resolution, margin;
    bool is_measured; /* neither the package nor the caller gives it */
    double seconds;   /* NAN: none, or not yet */
    char *source;     /* owned; where it comes from, for a person; NULL: there is none */
};

enum time_limit_role { TIME_LIMIT_NONE, TIME_LIMIT_LOWER, TIME_LIMIT_UPPER };

/* What a submission is for the limit, "accepted/x.cpp". */
enum time_limit_role time_limit_role(const struct expectation *expectation, bool is_legacy,
                                     const char *name);

/*
 * Applies use_for_time_limit of a rule of submissions.yaml to what the rule requires: "lower" and
 * "upper" are as good as a requirement. -1: the value is none of them, and no boolean.
 */
int time_limit_read_use(const json_t *rule, struct requirement *requirement);

/* Whether the rule has one of these two. */
bool time_limit_requires(const json_t *rule);

/* Notes what a requirement makes of its submission, unless its rule says not to use that. */
void time_limit_note_use(struct expectation *expectation, const struct requirement *requirement,
                         const json_t *rule);

/* The CPU time of the slowest test in seconds; that by the clock if it is not known. */
double time_limit_slowest(const struct case_results *results);

/*
 * Sets the limit by the slowest test of a submission; `maximums` are those of the configuration,
 * here as below. The source says so.
 */
void time_limit_compute(struct time_limit *limit, const struct limits *maximums, const char *name,
                        double slowest);

/* Whether the limit is the same if the slowest test takes twice as long, on a busy machine. */
bool time_limit_is_steady(const struct time_limit *limit, double slowest);

/*
 * Sets the limits of a request whose submission has this role, without an effect if there is no
 * time limit: one that must be too slow may use more CPU time, by the margin, and its tests are not
 * passed then. A test ends after TIMEOUT_FACTOR times its CPU time, and a second more, if its
 * program waits, or does not have a processor to itself.
 */
void time_limit_apply(const struct time_limit *limit, const struct limits *maximums,
                      enum time_limit_role role, struct request *request);

enum { TIMEOUT_FACTOR = 3, TIMEOUT_MORE = 1 };

/* Whether all tests would have ended in time, also by the clock, if they had had this limit. */
bool time_limit_is_kept(const struct time_limit *limit, const struct limits *maximums,
                        const struct case_results *results);

/*
 * A warning if a submission that must be too slow is that by less than the margin; owned by the
 * caller; NULL: it is not.
 */
char *time_limit_warning(const struct time_limit *limit, enum time_limit_role role,
                         const struct case_results *results);

/* "time limit 3 s: " and the source, a line; owned by the caller; NULL: there is none. */
char *time_limit_line(const struct time_limit *limit);

/* Adds the members timeLimitMs and timeLimitSource, null if there is none, to the JSON object. */
void time_limit_add_json(json_t *object, const struct time_limit *limit);

void time_limit_release(struct time_limit *limit);

#endif
