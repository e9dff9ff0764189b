#include "cli/problem/expectation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "cli/problem/time_limit.h"

/* What scores may differ by rounding. */
#define ROUNDING 1e-6

/* From the worst on. */
static const struct {
    unsigned verdict;
    const char *name;
} verdicts[] = {{VERDICT_RUNTIME_ERROR, "runtime-error"},
                {VERDICT_TIMEOUT, "timeout"},
                {VERDICT_WRONG_ANSWER, "wrong-answer"},
                {VERDICT_PASSED, "passed"}};

enum { VERDICTS = sizeof verdicts / sizeof *verdicts };

/* What the directories say; those that differ in the legacy format first. */
static const struct {
    const char *name;
    bool legacy_only;
    struct requirement requirement;
} directories[] = {
    {"partially_accepted", false, {VERDICT_ANY, VERDICT_ANY, true, NAN, NAN}},
    {"time_limit_exceeded",
     true,
     {VERDICT_PASSED | VERDICT_WRONG_ANSWER | VERDICT_TIMEOUT, VERDICT_TIMEOUT, false, NAN, NAN}},
    {"run_time_error", true, {VERDICT_ANY, VERDICT_RUNTIME_ERROR, false, NAN, NAN}},
    {"accepted", false, {VERDICT_PASSED, VERDICT_ANY, false, NAN, NAN}},
    {"rejected", false, {VERDICT_ANY, VERDICT_ANY & ~(unsigned)VERDICT_PASSED, false, NAN, NAN}},
    {"wrong_answer",
     false,
     {VERDICT_PASSED | VERDICT_WRONG_ANSWER, VERDICT_WRONG_ANSWER, false, NAN, NAN}},
    {"time_limit_exceeded",
     false,
     {VERDICT_PASSED | VERDICT_TIMEOUT, VERDICT_TIMEOUT, false, NAN, NAN}},
    {"run_time_error",
     false,
     {VERDICT_PASSED | VERDICT_RUNTIME_ERROR, VERDICT_RUNTIME_ERROR, false, NAN, NAN}},
    {"brute_force",
     false,
     {VERDICT_PASSED | VERDICT_TIMEOUT | VERDICT_RUNTIME_ERROR,
      VERDICT_TIMEOUT | VERDICT_RUNTIME_ERROR, false, NAN, NAN}},
};

static const struct requirement anything = {VERDICT_ANY, VERDICT_ANY, false, NAN, NAN};

/* ---- the expectation of a submission */

static void add(struct expectation *expectation, const struct requirement *requirement,
                const json_t *rule)
{
    expectation->items =
        memory_resize(expectation->items, (expectation->count + 1) * sizeof *expectation->items);
    expectation->items[expectation->count++] = *requirement;
    time_limit_note_use(expectation, requirement, rule);
}

/* Adds what the directory says, over which is the rule of its name. */
static void add_directory(struct expectation *expectation, const struct submission_rules *rules,
                          const char *directory)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const json_t *rule = json_object_get(rules->document, directory);
    struct requirement requirement = anything;
    size_t i = 0;

    while (i < sizeof directories / sizeof *directories &&
           (strcmp(directories[i].name, directory) != 0 ||
            (directories[i].legacy_only && !rules->is_legacy)))
        i++;
    if (i < sizeof directories / sizeof *directories)
        requirement = directories[i].requirement;
    else if (!submission_rule_says_something(rule))
        return;
    if (rule)
        submission_rule_read(&requirement, rule, &error);
    add(expectation, &requirement, rule);
}

void expectation_find(struct expectation *expectation, const struct submission_rules *rules,
                      const char *path)
{
    CLEANUP_FREE char *directory = string_format("%.*s", (int)strcspn(path, "/"), path);
    const char *pattern;
    json_t *rule;

    add_directory(expectation, rules, directory);
    json_object_foreach((json_t *)rules->document, pattern, rule) {
        CLEANUP(error_release) struct error error = ERROR_INIT;
        struct requirement requirement = anything;

        if (submission_rule_says_something(rule) && strcmp(pattern, directory) != 0 &&
            submission_rule_matches(pattern, path, directory) &&
            submission_rule_read(&requirement, rule, &error) == 0)
            add(expectation, &requirement, rule);
    }
}

static void add_score(struct strbuf *text, const struct requirement *requirement)
{
    const char *comma = text->length > 0 ? ", " : "";

    if (requirement->is_partial)
        strbuf_addf(text, "%sa part of the score", comma);
    else if (requirement->least == requirement->most)
        strbuf_addf(text, "%sscore %g", comma, requirement->least);
    else if (!isnan(requirement->least))
        strbuf_addf(text, "%sscore %g to %g", comma, requirement->least, requirement->most);
}

/* Of which verdicts a test must have one by the requirement, if all are fulfilled. */
static unsigned needed(const struct expectation *expectation, size_t which)
{
    unsigned set = expectation->items[which].required;

    for (size_t i = 0; i < expectation->count; i++)
        set &= expectation->items[i].permitted;
    return set;
}

/* Whether what a requirement needs is there if what another one needs is. */
static bool is_implied(const struct expectation *expectation, size_t which)
{
    const unsigned set = needed(expectation, which);

    for (size_t i = 0; i < expectation->count; i++) {
        const unsigned other = needed(expectation, i);

        if ((other & ~set) == 0 && (other != set || i < which))
            return true;
    }
    return false;
}

static void add_verdicts(struct strbuf *text, unsigned set)
{
    const char *separator = text->length > 0 ? " and " : "";

    if (set == 0)
        strbuf_addf(text, "%snone", separator);
    for (int i = VERDICTS - 1; i >= 0 && set != VERDICT_ANY; i--)
        if (set & verdicts[i].verdict) {
            strbuf_addf(text, "%s%s", separator, verdicts[i].name);
            separator = " or ";
        }
}

char *expectation_text(const struct expectation *expectation)
{
    struct strbuf text = STRBUF_INIT;

    if (expectation->count == 0)
        return NULL;
    for (size_t i = 0; i < expectation->count; i++)
        if (!is_implied(expectation, i))
            add_verdicts(&text, needed(expectation, i));
    for (size_t i = 0; i < expectation->count; i++)
        add_score(&text, &expectation->items[i]);
    if (text.length == 0)
        strbuf_addstr(&text, "any");
    return strbuf_steal(&text);
}

/* ---- results */

static unsigned verdict_of(enum case_status status)
{
    switch (status) {
    case TEST_PASSED:
    case TEST_PARTLY_RIGHT:
        return VERDICT_PASSED;
    case TEST_WRONG_ANSWER:
        return VERDICT_WRONG_ANSWER;
    case TEST_TIMEOUT:
    case TEST_CPU_TIME:
        return VERDICT_TIMEOUT;
    case TEST_OOM:
    case TEST_OUTPUT_LIMIT:
    case TEST_RUNTIME_ERROR:
        return VERDICT_RUNTIME_ERROR;
    case TEST_NOT_RUN:
    case TEST_ENGINE:
    case TEST_JUDGE_ERROR:
        break;
    }
    return 0;
}

/*
 * All verdicts, or that of the grader of the package; 0 if the program was not built, the engine,
 * the validator or the grader failed, or a test has no verdict, since it did not run and was not
 * skipped.
 */
static unsigned verdicts_of(const struct result *result)
{
    const bool is_judged = result->reason == REASON_EXIT || result->reason == REASON_TESTS;
    unsigned set = 0;

    if (is_judged && result->tests.grades)
        return verdict_of(result->tests.grades[0].verdict);
    for (size_t i = 0; i < result->tests.count && is_judged; i++) {
        const unsigned verdict = verdict_of(result->tests.items[i].status);

        if (verdict == 0 && !result->tests.items[i].is_skipped)
            return 0;
        set |= verdict;
    }
    return set;
}

const char *expectation_verdict(const struct result *result)
{
    const unsigned set = verdicts_of(result);

    for (int i = 0; i < VERDICTS; i++)
        if (set & verdicts[i].verdict)
            return verdicts[i].name;
    return result->reason == REASON_TESTS ? case_status_name(TEST_NOT_RUN) : result_reason(result);
}

static bool has_score(const struct requirement *requirement, const struct case_results *tests)
{
    const struct group_result *all = tests->groups; /* the first is that of all tests */

    if (!requirement->is_partial && isnan(requirement->least))
        return true;
    if (!all || (requirement->is_partial && !(all->score > 0 && all->score < all->max_score)))
        return false;
    return isnan(requirement->least) || (all->score >= requirement->least - ROUNDING &&
                                         all->score <= requirement->most + ROUNDING);
}

bool expectation_is_met(const struct expectation *expectation, const struct result *result)
{
    const unsigned set = verdicts_of(result);
    bool met = set != 0;

    for (size_t i = 0; i < expectation->count && met; i++) {
        const struct requirement *requirement = &expectation->items[i];

        met = (set & ~requirement->permitted) == 0 && (set & requirement->required) != 0 &&
              has_score(requirement, &result->tests);
    }
    return met;
}

bool expectation_is_resolved(const struct expectation *expectation, enum case_status status)
{
    const unsigned verdict = verdict_of(status);
    bool is_permitted = true, is_enough = true;

    for (size_t i = 0; i < expectation->count; i++) {
        is_permitted = is_permitted && (verdict & expectation->items[i].permitted);
        is_enough = is_enough && (verdict & expectation->items[i].required);
    }
    return is_enough || !is_permitted;
}

void expectation_release(struct expectation *expectation)
{
    free(expectation->items);
    *expectation = (struct expectation){.items = NULL};
}
