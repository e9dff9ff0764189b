#include "cli/grade/case_scores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "base/yaml_text.h"
#include "cli/grade/legacy_scores.h"

/* That of "secret", if its file has no other. */
#define SECRET_MAX_SCORE 100

static int must_be(struct error *error, const char *key, const char *what)
{
    return error_set(error, ERROR_INPUT, "%s: must be %s", key, what);
}

/* ---- what a file says */

static int read_max_score(struct score_group *group, const json_t *value, struct error *error)
{
    const char *text = json_string_value(value);
    double *max = &group->max_score;

    if (text && strcmp(text, "unbounded") == 0)
        *max = INFINITY;
    else if (!yaml_text_number(value, 0, SCORE_MAX, max))
        return must_be(error, "max_score", "a number from 0 to 1e9, or unbounded");
    return 0;
}

static int read_aggregation(struct score_group *group, const json_t *value, struct error *error)
{
    const char *text = json_string_value(value);

    return text && score_aggregation_parse(text, &group->aggregation) &&
                   group->aggregation <= SCORE_PASS_FAIL
               ? 0
               : must_be(error, "score_aggregation", "sum, min or pass-fail");
}

/* A name, or a sequence of names. */
static int read_require_pass(struct score_group *group, const json_t *value, struct error *error)
{
    size_t i;
    json_t *item;

    if (json_is_string(value))
        strvec_push(&group->require_pass, json_string_value(value));
    else if (!json_is_array(value) || json_array_size(value) > SCORE_LEVELS_MAX)
        return must_be(error, "require_pass", "a name or a sequence of at most 100 names");
    json_array_foreach(value, i, item) {
        if (!json_is_string(item))
            return must_be(error, "require_pass", "a name or a sequence of at most 100 names");
        strvec_push(&group->require_pass, json_string_value(item));
    }
    return 0;
}

static bool gives_scores(const json_t *document)
{
    return json_object_get(document, "max_score") ||
           json_object_get(document, "score_aggregation") ||
           json_object_get(document, "require_pass");
}

static int read_document(struct score_group *group, const json_t *document, struct error *error)
{
    const json_t *max_score = json_object_get(document, "max_score");
    const json_t *aggregation = json_object_get(document, "score_aggregation");
    const json_t *require_pass = json_object_get(document, "require_pass");

    return (!max_score || read_max_score(group, max_score, error) == 0) &&
                   (!aggregation || read_aggregation(group, aggregation, error) == 0) &&
                   (!require_pass || read_require_pass(group, require_pass, error) == 0)
               ? 0
               : -1;
}

/* ---- groups */

/* What a group is whose file says nothing of scores. */
static void set_defaults(struct score_group *group)
{
    const bool is_sample = strcmp(group->name, "sample") == 0;
    const bool is_secret = strcmp(group->name, "secret") == 0;

    group->aggregation = is_secret ? SCORE_SUM : SCORE_PASS_FAIL;
    group->max_score = is_sample ? 0 : is_secret ? SECRET_MAX_SCORE : INFINITY;
}

static const struct test_group *find_file(const struct case_groups *groups, const char *name)
{
    CLEANUP_FREE char *directory = string_format("%s%s", name, *name ? "/" : "");
    const struct test_group *file = case_groups_find(groups, directory);

    return file && file->kind == TEST_SETTINGS_GROUP ? file : NULL;
}

static int read_file(const struct case_groups *groups, const struct test_group *file,
                     struct score_group *group, struct error *error)
{
    CLEANUP_FREE char *shown = NULL;
    int result;

    if (strcmp(group->name, "sample") == 0 && gives_scores(file->document))
        result = error_set(error, ERROR_INPUT,
                           "sample cannot have max_score, score_aggregation or require_pass");
    else
        result = read_document(group, file->document, error);
    if (result == 0)
        return 0;
    shown = case_groups_shown(groups, file);
    return error_prefix(error, "'%s'", shown);
}

/*
 * The directory of all tests is "secret", or a group, if its file speaks of scores. Which one, only
 * the key says.
 */
static int read_root(const struct case_groups *groups, struct score_group *root,
                     struct error *error)
{
    const struct test_group *file = find_file(groups, "");
    CLEANUP_FREE char *shown = NULL;

    if (!file || !gives_scores(file->document))
        return 0;
    if (json_object_get(file->document, "max_score") &&
        json_object_get(file->document, "score_aggregation"))
        return read_file(groups, file, root, error);
    shown = case_groups_shown(groups, file);
    return error_set(
        error, ERROR_INPUT,
        "'%s' needs both max_score and score_aggregation, since it is not known whether "
        "it is the file of secret; or give the directory in which secret is",
        shown);
}

/* Adds a group unless it is there. */
static int add_group(const struct case_groups *groups, const char *name,
                     struct case_requests *tests, struct error *error)
{
    struct score_groups *made = tests->groups;
    const struct test_group *file = find_file(groups, name);
    struct score_group *group;

    for (size_t i = 0; i < made->count; i++)
        if (strcmp(made->items[i].name, name) == 0)
            return 0;
    if (made->count == SCORE_GROUPS_MAX)
        return error_set(error, ERROR_INPUT, "'%s' has more than %d groups", groups->root->shown,
                         SCORE_GROUPS_MAX - 1);
    group = score_groups_add(made, name);
    set_defaults(group);
    return file ? read_file(groups, file, group, error) : 0;
}

/* Adds the groups on the way to a test, and puts it into the last of them. */
static int enter_groups(const struct case_groups *groups, struct case_request *test,
                        struct case_requests *tests, struct error *error)
{
    CLEANUP_FREE char *nearest = NULL;

    for (const char *slash = test->name; (slash = strchr(slash, '/')); slash++) {
        CLEANUP_FREE char *name = string_format("%.*s", (int)(slash - test->name), test->name);

        if (!find_file(groups, name) && strcmp(name, "sample") != 0 && strcmp(name, "secret") != 0)
            continue;
        if (add_group(groups, name, tests, error) != 0)
            return -1;
        free(nearest);
        nearest = steal_pointer(&name);
    }
    test->group = steal_pointer(&nearest);
    return 0;
}

int case_scores_read(const struct case_groups *groups, struct case_requests *tests,
                     struct error *error)
{
    bool wanted = false;

    for (size_t i = 0; i < groups->count; i++)
        wanted |=
            groups->items[i].kind == TEST_SETTINGS_GROUP && gives_scores(groups->items[i].document);
    if (!wanted && legacy_scores_wanted(groups))
        return legacy_scores_read(groups, tests, error);
    if (!wanted && !groups->is_scoring)
        return 0;
    if (read_root(groups, &case_requests_groups(tests)->items[0], error) != 0)
        return -1;
    for (size_t i = 0; i < tests->count; i++)
        if (enter_groups(groups, &tests->items[i], tests, error) != 0)
            return -1;
    return 0;
}
