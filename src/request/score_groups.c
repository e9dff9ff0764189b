#include "request/score_groups.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "request/case_request.h"

/* What the sums of parts may be larger than a maximum by rounding. */
#define ROUNDING (1 + 1e-9)

static const char *const aggregation_names[] = {[SCORE_SUM] = "sum",
                                                [SCORE_MIN] = "min",
                                                [SCORE_PASS_FAIL] = "pass-fail",
                                                [SCORE_AVERAGE] = "avg",
                                                [SCORE_LARGEST] = "max"};

struct score_groups *score_groups_new(void)
{
    struct score_groups *groups = memory_allocate(sizeof *groups);

    *groups = (struct score_groups){0};
    score_groups_add(groups, "");
    return groups;
}

struct score_group *score_groups_add(struct score_groups *groups, const char *name)
{
    struct score_group *group;

    groups->items = memory_resize(groups->items, (groups->count + 1) * sizeof *groups->items);
    group = &groups->items[groups->count++];
    *group = (struct score_group){.name = string_copy(name), .max_score = NAN};
    return group;
}

bool score_aggregation_parse(const char *text, enum score_aggregation *aggregation)
{
    for (size_t i = 0; i < sizeof aggregation_names / sizeof *aggregation_names; i++)
        if (strcmp(text, aggregation_names[i]) == 0) {
            *aggregation = (enum score_aggregation)i;
            return true;
        }
    return false;
}

const char *score_aggregation_name(enum score_aggregation aggregation)
{
    return aggregation_names[aggregation];
}

/* ---- which is where */

/* The place of a group; the number of groups if there is none of this name. */
static size_t find(const struct score_groups *groups, const char *name, size_t length)
{
    size_t i = 0;

    while (i < groups->count && (strncmp(groups->items[i].name, name, length) != 0 ||
                                 groups->items[i].name[length] != '\0'))
        i++;
    return i;
}

static size_t parent_of(const struct score_groups *groups, const char *name)
{
    for (size_t length = strlen(name); length-- > 0;) {
        const size_t place = name[length] == '/' ? find(groups, name, length) : groups->count;

        if (place < groups->count)
            return place;
    }
    return 0;
}

/* Sets an error about a group. Returns -1. */
static int refuse(struct error *error, const char *name, const char *problem)
{
    CLEANUP_FREE char *shown = text_escape_short(name, TEXT_SHOWN_MAX);

    return error_set(error, ERROR_USAGE, "the group '%s' %s", shown, problem);
}

static int refuse_missing(struct error *error, const char *name)
{
    CLEANUP_FREE char *shown = text_escape_short(name, TEXT_SHOWN_MAX);

    return error_set(error, ERROR_USAGE, "there is no group '%s'", shown);
}

static int link_group(struct score_groups *groups, size_t place, struct error *error)
{
    struct score_group *group = &groups->items[place];
    const size_t required = group->require_pass.count;

    if (find(groups, group->name, strlen(group->name)) < place)
        return refuse(error, group->name, "is there twice");
    group->parent = parent_of(groups, group->name);
    groups->items[group->parent].groups += place > 0;
    group->required = required > 0 ? memory_allocate(required * sizeof *group->required) : NULL;
    for (size_t i = 0; i < required; i++) {
        const char *name = group->require_pass.items[i];

        group->required[i] = find(groups, name, strlen(name));
        if (group->required[i] == groups->count)
            return refuse_missing(error, name);
    }
    return 0;
}

static int link_tests(struct case_requests *tests, struct error *error)
{
    struct score_groups *groups = tests->groups;
    size_t place = 0; /* of the last test: those of a group mostly follow each other */

    for (size_t i = 0; i < tests->count; i++) {
        struct case_request *test = &tests->items[i];
        const char *name = test->group ? test->group : "";

        if (strcmp(groups->items[place].name, name) != 0)
            place = find(groups, name, strlen(name));
        if (place == groups->count)
            return refuse_missing(error, name);
        test->group_place = place;
        groups->items[place].tests++;
    }
    return 0;
}

/* ---- their order */

enum visit { VISIT_NONE, VISIT_BEGUN, VISIT_ENDED };

struct ordering {
    struct score_groups *groups;
    enum visit *visits; /* of each group */
    size_t count;       /* groups that have their place in the order */
    struct error *error;
};

static int visit(struct ordering *ordering, size_t place, int level)
{
    const struct score_groups *groups = ordering->groups;
    const struct score_group *group = &groups->items[place];

    if (ordering->visits[place] == VISIT_ENDED)
        return 0;
    if (ordering->visits[place] == VISIT_BEGUN)
        return refuse(ordering->error, group->name, "requires itself, perhaps by other groups");
    if (level == SCORE_LEVELS_MAX)
        return refuse(ordering->error, group->name, "comes after too many others");
    ordering->visits[place] = VISIT_BEGUN;
    for (size_t i = 1; i < groups->count; i++)
        if (groups->items[i].parent == place && visit(ordering, i, level + 1) != 0)
            return -1;
    for (size_t i = 0; i < group->require_pass.count; i++)
        if (visit(ordering, group->required[i], level + 1) != 0)
            return -1;
    ordering->visits[place] = VISIT_ENDED;
    groups->order[ordering->count++] = place;
    return 0;
}

static int set_order(struct score_groups *groups, struct error *error)
{
    CLEANUP_FREE enum visit *visits = memory_allocate(groups->count * sizeof *visits);
    struct ordering ordering = {groups, visits, 0, error};

    for (size_t i = 0; i < groups->count; i++)
        visits[i] = VISIT_NONE;
    groups->order = memory_allocate(groups->count * sizeof *groups->order);
    return visit(&ordering, 0, 0);
}

/* ---- points */

/* The points that a test can have, if it does not say that itself; NAN: it gives none. */
static int share_of_test(const struct score_groups *groups, const struct case_request *test,
                         bool has_checker, double *points, struct error *error)
{
    const struct score_group *group = &groups->items[test->group_place];
    const bool given = !isnan(group->max_score);

    *points = NAN;
    if (group->aggregation == SCORE_PASS_FAIL || (!given && test->group_place == 0))
        return 0;
    *points = given ? group->max_score : INFINITY;
    if (isinf(*points) && !has_checker)
        return refuse(error, group->name, "needs a max_score, or each of its tests points");
    if (group->aggregation == SCORE_MIN || isinf(*points))
        return 0;
    if (group->groups > 0)
        return refuse(error, group->name,
                      "has groups in it, so each of its own tests needs points");
    *points /= (double)group->tests;
    return 0;
}

/* Adds the most that a part of a group can give to `sum`, that of its parts so far. */
static void add_part(const struct score_group *group, double points, double *sum)
{
    if (group->aggregation == SCORE_MIN)
        *sum = fmin(*sum, points);
    else if (group->aggregation == SCORE_LARGEST)
        *sum = fmax(*sum, points);
    else if (!isnan(points))
        *sum = (isnan(*sum) ? 0 : *sum) + points;
}

/* `sum`: of what is in it. */
static int complete_group(struct score_group *group, double sum, struct error *error)
{
    if (group->tests + group->groups == 0)
        return refuse(error, group->name, "has no tests");
    if (group->grading == GRADE_CUSTOM)
        return 0;
    if (group->aggregation == SCORE_PASS_FAIL)
        return isfinite(group->max_score) ? 0 : refuse(error, group->name, "needs a max_score");
    if (group->aggregation == SCORE_AVERAGE)
        sum /= (double)(group->tests + group->groups);
    if (isnan(group->max_score))
        group->max_score = isnan(sum) ? 0 : sum;
    if (isfinite(group->max_score) && sum > group->max_score * ROUNDING)
        return refuse(error, group->name, "has more points in it than its max_score");
    return isfinite(group->max_score) && group->max_score > SCORE_MAX
               ? refuse(error, group->name, "has more than 1e9 points")
               : 0;
}

static int set_points(struct case_requests *tests, bool has_checker, struct error *error)
{
    struct score_groups *groups = tests->groups;
    CLEANUP_FREE double *sums = memory_allocate(groups->count * sizeof *sums);

    for (size_t i = 0; i < groups->count; i++)
        sums[i] = NAN;
    for (size_t i = 0; i < tests->count; i++) {
        struct case_request *test = &tests->items[i];
        const struct score_group *group = &groups->items[test->group_place];

        if (!isnan(test->points) && group->aggregation == SCORE_PASS_FAIL)
            return refuse(error, group->name, "is pass-fail, so its tests cannot have points");
        if (isnan(test->points) &&
            share_of_test(groups, test, has_checker, &test->points, error) != 0)
            return -1;
        add_part(group, test->points, &sums[test->group_place]);
    }
    for (size_t i = 0; i < groups->count; i++) {
        const size_t place = groups->order[i];
        const size_t parent = groups->items[place].parent;

        if (complete_group(&groups->items[place], sums[place], error) != 0)
            return -1;
        if (place > 0)
            add_part(&groups->items[parent], groups->items[place].max_score, &sums[parent]);
    }
    return 0;
}

int score_groups_complete(struct case_requests *tests, bool has_checker, struct error *error)
{
    if (!tests->groups || tests->groups->order)
        return 0;
    for (size_t i = 0; i < tests->groups->count; i++)
        if (link_group(tests->groups, i, error) != 0)
            return -1;
    return link_tests(tests, error) == 0 && set_order(tests->groups, error) == 0
               ? set_points(tests, has_checker, error)
               : -1;
}

void score_groups_free(struct score_groups *groups)
{
    for (size_t i = 0; groups && i < groups->count; i++) {
        free(groups->items[i].name);
        strvec_release(&groups->items[i].require_pass);
        strvec_release(&groups->items[i].grader_flags);
        free(groups->items[i].required);
    }
    if (groups) {
        free(groups->items);
        free(groups->order);
    }
    free(groups);
}
