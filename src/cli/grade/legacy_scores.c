#include "cli/grade/legacy_scores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/decimal.h"
#include "base/text.h"
#include "base/yaml_text.h"

/* Points of a test if no file has an accept_score. */
#define ACCEPT_SCORE 1

/* What the files say of a directory. */
struct grading {
    enum score_aggregation aggregation;
    enum group_grading kind;
    bool ignores_sample;
    bool goes_on;        /* after a test that is not accepted */
    double accept_score; /* of each test; NAN: not given */
};

bool legacy_scores_wanted(const struct case_groups *groups)
{
    if (groups->is_scoring && groups->is_legacy)
        return true;
    for (size_t i = 0; i < groups->count; i++) {
        const json_t *document = groups->items[i].document;

        if (groups->items[i].kind == TEST_SETTINGS_LEGACY_GROUP &&
            (json_object_get(document, "accept_score") ||
             json_object_get(document, "reject_score") || json_object_get(document, "range")))
            return true;
    }
    return false;
}

/* ---- keys */

/* The path of the file of a directory, for messages; owned. */
static char *shown_file(const struct case_groups *groups, const char *name)
{
    CLEANUP_FREE char *path = string_format("%s%stestdata.yaml", name, *name ? "/" : "");

    return case_file_shown(groups->root, path);
}

static int refuse(const struct case_groups *groups, const char *name, const char *problem,
                  struct error *error)
{
    CLEANUP_FREE char *shown = shown_file(groups, name);

    return error_set(error, ERROR_INPUT, "'%s': %s", shown, problem);
}

bool legacy_scores_go_up(char *name)
{
    char *slash = strrchr(name, '/');
    const bool is_below = *name != '\0';

    *(slash ? slash : name) = '\0';
    return is_below;
}

/* The value of a key for a directory; NULL: no file has it. */
static const json_t *find_value(const struct case_groups *groups, const char *name, const char *key)
{
    CLEANUP_FREE char *at = string_copy(name);

    do {
        CLEANUP_FREE char *directory = string_format("%s%s", at, *at ? "/" : "");
        const struct test_group *group = case_groups_find(groups, directory);
        const json_t *value = group ? json_object_get(group->document, key) : NULL;

        if (value)
            return value;
    } while (legacy_scores_go_up(at));
    return NULL;
}

const char *legacy_scores_text(const struct case_groups *groups, const char *name, const char *key)
{
    const char *text = json_string_value(find_value(groups, name, key));

    return text ? text : "";
}

static bool set_flag(struct grading *grading, const char *mode)
{
    static const char *const words[] = {"worst_error", "first_error", "always_accept",
                                        "accept_if_any_accepted", "ignore_sample"};
    size_t i = 0;

    if (strcmp(mode, "pass-fail") != 0 && score_aggregation_parse(mode, &grading->aggregation))
        return true;
    while (i < sizeof words / sizeof *words && strcmp(words[i], mode) != 0)
        i++;
    if (i == 2 || (i == 3 && grading->kind != GRADE_ALWAYS))
        grading->kind = i == 2 ? GRADE_ALWAYS : GRADE_ANY;
    else if (i < 2 && grading->kind <= GRADE_FIRST)
        grading->kind = i == 1 ? GRADE_FIRST : GRADE_WORST;
    grading->ignores_sample |= i == 4;
    return i < sizeof words / sizeof *words;
}

void legacy_scores_flags(const struct case_groups *groups, const char *name, struct strvec *flags)
{
    const char *text = legacy_scores_text(groups, name, "grader_flags");

    for (size_t length; *text; text += length) {
        text += strspn(text, " \t\n");
        length = strcspn(text, " \t\n");
        if (length > 0)
            strvec_pushf(flags, "%.*s", (int)length, text);
    }
}

/* Reads the flags of the default grader. */
static int read_flags(const struct case_groups *groups, const char *name, struct grading *grading,
                      struct error *error)
{
    CLEANUP(strvec_release) struct strvec flags = STRVEC_INIT;

    legacy_scores_flags(groups, name, &flags);
    for (size_t i = 0; i < flags.count; i++)
        if (!set_flag(grading, flags.items[i]))
            return refuse(groups, name,
                          "grader_flags: isolator grades with sum, min, avg and max, "
                          "worst_error, first_error, always_accept, accept_if_any_accepted and "
                          "ignore_sample",
                          error);
    return grading->ignores_sample && *name
               ? refuse(groups, name,
                        "grader_flags: only the directory above sample and secret "
                        "can have ignore_sample; set the flags here, too",
                        error)
               : 0;
}

/* Reads a number of points from 0; NAN if no file has it. */
static int read_score(const struct case_groups *groups, const char *name, const char *key,
                      double *score, struct error *error)
{
    const json_t *value = find_value(groups, name, key);
    CLEANUP_FREE char *problem = string_format("%s: must be a number from 0 to 1e9", key);

    *score = NAN;
    if (!value || yaml_text_number(value, 0, SCORE_MAX, score))
        return 0;
    return refuse(groups, name, problem, error);
}

static int read_grading(const struct case_groups *groups, const char *name, struct grading *grading,
                        struct error *error)
{
    const char *on_reject = legacy_scores_text(groups, name, "on_reject");
    double reject_score;

    *grading = (struct grading){.aggregation = SCORE_SUM};
    grading->goes_on = strcmp(on_reject, "continue") == 0;
    if (strcmp(legacy_scores_text(groups, name, "grading"), "custom") == 0)
        grading->kind = GRADE_CUSTOM;
    else if (read_flags(groups, name, grading, error) != 0)
        return -1;
    if (read_score(groups, name, "accept_score", &grading->accept_score, error) != 0 ||
        read_score(groups, name, "reject_score", &reject_score, error) != 0)
        return -1;
    return reject_score > 0 ? refuse(groups, name,
                                     "reject_score: isolator gives no points to a "
                                     "test that is not accepted",
                                     error)
                            : 0;
}

/* ---- groups */

bool legacy_scores_ignore(const struct case_groups *groups, const char *name)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct grading grading;

    return strncmp(name, "sample", 6) == 0 && (name[6] == '\0' || name[6] == '/') &&
           read_grading(groups, "", &grading, &error) == 0 && grading.ignores_sample;
}

/* The directory of a test or group, owned; "" is above all. */
static char *directory_of(const char *name)
{
    char *directory = string_copy(name);

    legacy_scores_go_up(directory);
    return directory;
}

/* How many tests and groups are in a group, of which those that are ignored do not count. */
static size_t count_parts(const struct case_groups *directories, const struct case_requests *tests,
                          const char *name)
{
    const struct score_groups *groups = tests->groups;
    size_t count = 0;

    for (size_t i = 0; i < tests->count; i++)
        count += strcmp(tests->items[i].group, name) == 0;
    for (size_t i = 1; i < groups->count; i++) {
        CLEANUP_FREE char *above = directory_of(groups->items[i].name);

        count +=
            strcmp(above, name) == 0 && !legacy_scores_ignore(directories, groups->items[i].name);
    }
    return count;
}

/* Whether a directory above is always accepted, so that the verdict of this one does not count. */
static int is_below_accepted(const struct case_groups *groups, const char *name,
                             struct error *error)
{
    CLEANUP_FREE char *above = string_copy(name);
    struct grading grading;

    while (legacy_scores_go_up(above)) {
        if (read_grading(groups, above, &grading, error) != 0)
            return -1;
        if (grading.kind == GRADE_ALWAYS)
            return 1;
    }
    return 0;
}

/*
 * Checks that the sum of a group, or another score than its minimum, is what the default grader
 * computes. A warning if it does not count by the format.
 */
static int check_sum(const struct case_groups *groups, const char *name,
                     const struct grading *grading, const struct case_requests *tests,
                     bool *is_warned, struct error *error)
{
    const char *const score = grading->aggregation == SCORE_AVERAGE   ? "an average"
                              : grading->aggregation == SCORE_LARGEST ? "a maximum"
                                                                      : "a sum";
    CLEANUP_FREE char *shown = NULL;
    CLEANUP_FREE char *problem = NULL;
    int is_accepted;

    if (grading->kind == GRADE_CUSTOM || grading->aggregation == SCORE_MIN ||
        count_parts(groups, tests, name) < 2)
        return 0;
    problem = string_format("%s%s%s 'on_reject: continue', since isolator counts all tests",
                            *name ? "" : "grader_flags needs ignore_sample, or ", score,
                            *name ? " needs" : "");
    if (!grading->goes_on)
        return refuse(groups, name, problem, error);
    is_accepted = grading->kind <= GRADE_FIRST ? is_below_accepted(groups, name, error) : 1;
    if (is_accepted != 0 || *is_warned)
        return is_accepted < 0 ? -1 : 0;
    *is_warned = true;
    shown = shown_file(groups, name);
    strvec_pushf(groups->warnings,
                 "'%s': the %s counts in any case, as with problemtools and DOMjudge; by the "
                 "format it needs the flag accept_if_any_accepted or always_accept",
                 shown, strchr(score, ' ') + 1);
    return 0;
}

/* Adds the groups of a directory and those above, unless they are there. */
static int add_groups(const struct case_groups *groups, const char *name,
                      struct case_requests *tests, struct error *error)
{
    struct score_groups *made = tests->groups;
    CLEANUP_FREE char *above = directory_of(name);
    struct score_group *group;
    struct grading grading = {.aggregation = SCORE_PASS_FAIL};

    for (size_t i = 0; i < made->count; i++)
        if (strcmp(made->items[i].name, name) == 0)
            return 0;
    if (add_groups(groups, above, tests, error) != 0 ||
        (!legacy_scores_ignore(groups, name) && read_grading(groups, name, &grading, error) != 0))
        return -1;
    if (made->count == SCORE_GROUPS_MAX)
        return refuse(groups, "", "there are too many groups", error);
    group = score_groups_add(made, name);
    group->aggregation = grading.aggregation;
    group->is_ignored = legacy_scores_ignore(groups, name);
    group->max_score = group->is_ignored ? 0 : NAN;
    return 0;
}

static int enter_group(const struct case_groups *groups, struct case_request *test,
                       struct case_requests *tests, struct error *error)
{
    struct grading grading;

    test->group = directory_of(test->name);
    if (add_groups(groups, test->group, tests, error) != 0)
        return -1;
    if (legacy_scores_ignore(groups, test->name))
        return 0;
    if (read_grading(groups, test->group, &grading, error) != 0)
        return -1;
    if (!isnan(grading.accept_score))
        test->points = grading.accept_score;
    else
        test->points = groups->has_validator && !groups->gives_no_score ? INFINITY : ACCEPT_SCORE;
    return 0;
}

/* The most that the grader of a group can give, by the range "0 100"; INFINITY: no bound. */
static double find_most(const struct case_groups *groups, const char *name)
{
    const char *range = legacy_scores_text(groups, name, "range");
    const char *most = strrchr(range, ' ');
    double number;

    return most && decimal_read(most + 1, strlen(most + 1), &number) && number <= SCORE_MAX
               ? number
               : INFINITY;
}

/* Notes how a group is graded. */
static void set_grading(const struct case_groups *groups, const struct grading *grading,
                        struct score_group *group)
{
    group->aggregation = grading->aggregation; /* the first is there already */
    group->grading = grading->kind;
    group->breaks = !grading->goes_on;
    if (grading->kind != GRADE_CUSTOM)
        return;
    legacy_scores_flags(groups, group->name, &group->grader_flags);
    group->max_score = find_most(groups, group->name);
}

int legacy_scores_read(const struct case_groups *groups, struct case_requests *tests,
                       struct error *error)
{
    struct score_groups *made = case_requests_groups(tests);
    struct grading grading;
    bool is_warned = false;

    for (size_t i = 0; i < tests->count; i++)
        if (enter_group(groups, &tests->items[i], tests, error) != 0)
            return -1;
    for (size_t i = 0; i < made->count; i++) {
        const char *name = made->items[i].name;

        if (legacy_scores_ignore(groups, name))
            continue;
        if (read_grading(groups, name, &grading, error) != 0)
            return -1;
        if (grading.ignores_sample) /* else the samples would be the minimum */
            grading.aggregation = SCORE_SUM;
        if (check_sum(groups, name, &grading, tests, &is_warned, error) != 0)
            return -1;
        set_grading(groups, &grading, &made->items[i]);
    }
    return 0;
}
