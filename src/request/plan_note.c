#include "request/plan_note.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/json_make.h"

/* ---- lists, limits and bytes */

static int set_missing(struct error *error, const char *key)
{
    return error_set(error, ERROR_INPUT, "%s is missing", key);
}

static int read_list(const json_t *note, const char *key, struct strvec *list, struct error *error)
{
    return json_read_list(json_object_get(note, key), list) ? 0 : set_missing(error, key);
}

static int read_bool(const json_t *note, const char *key, bool *value, struct error *error)
{
    const json_t *member = json_object_get(note, key);

    *value = json_is_true(member);
    return json_is_boolean(member) ? 0 : set_missing(error, key);
}

/* A whole number from 0 to INT_MAX. */
static int read_count(const json_t *note, const char *key, int *count, struct error *error)
{
    const json_t *member = json_object_get(note, key);
    const json_int_t value = json_is_integer(member) ? json_integer_value(member) : -1;

    if (value < 0 || value > INT_MAX)
        return set_missing(error, key);
    *count = (int)value;
    return 0;
}

/* A number from 0. */
static int read_number(const json_t *note, const char *key, double *value, struct error *error)
{
    const json_t *member = json_object_get(note, key);

    *value = json_number_value(member);
    return json_is_number(member) && *value >= 0 ? 0 : set_missing(error, key);
}

/* A limit that is not there is none: JSON has no number for it. */
static json_t *make_limits(const struct limits *limits)
{
    json_t *object = json_object();

    for (int i = 0; i < LIMIT_NUMBERS; i++)
        if (isfinite(limits->number[i]))
            json_object_set_new(object, limit_rules[i].key.name, json_real(limits->number[i]));
    return object;
}

static int read_limits(const json_t *object, struct limits *limits, struct error *error)
{
    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        const json_t *value = json_object_get(object, limit_rules[i].key.name);

        if (value ? !json_is_number(value) : i != LIMIT_CPU_TIME)
            return set_missing(error, limit_rules[i].key.name);
        if (limits_set_number(limits, (enum limit_number)i, value ? json_number_value(value) : 0,
                              error) != 0)
            return -1;
    }
    return 0;
}

/* Output has any bytes, and JSON only characters. */
static json_t *make_bytes(const char *data, size_t length)
{
    CLEANUP_FREE char *text = data ? base64_encode(data, length) : NULL;

    return text ? json_string(text) : json_null();
}

/* NULL: there are none. */
static int read_bytes(const json_t *note, const char *key, char **data, size_t *length,
                      struct error *error)
{
    const json_t *member = json_object_get(note, key);

    if (json_is_string(member))
        *data = base64_decode(json_string_value(member), json_string_length(member), length);
    return *data || json_is_null(member) ? 0 : set_missing(error, key);
}

/* ---- tests */

static json_t *make_comparison(const struct comparison_rule *rule)
{
    return json_pack("{s:s, s:b, s:b, s:f, s:f}", "mode", comparison_mode_name(rule->mode),
                     "ignoreCase", rule->ignore_case, "exactSpace", rule->exact_space, "absolute",
                     rule->absolute, "relative", rule->relative);
}

static int read_comparison(const json_t *value, struct comparison_rule *rule, struct error *error)
{
    const char *mode = json_string_value(json_object_get(value, "mode"));

    if (!mode)
        return set_missing(error, "mode");
    if (read_bool(value, "ignoreCase", &rule->ignore_case, error) != 0 ||
        read_bool(value, "exactSpace", &rule->exact_space, error) != 0 ||
        read_number(value, "absolute", &rule->absolute, error) != 0 ||
        read_number(value, "relative", &rule->relative, error) != 0)
        return -1;
    return comparison_mode_parse(mode, &rule->mode, error);
}

/* The points of tests and the maximums of groups are complete; one that is not there is none. */
static void add_points(json_t *object, const char *key, double points)
{
    if (isfinite(points))
        json_object_set_new(object, key, json_real(points));
}

static int read_points(const json_t *object, const char *key, double *points, struct error *error)
{
    return json_object_get(object, key) ? read_number(object, key, points, error) : 0;
}

/* Without the group of all tests, whose score is always the sum. NULL: there are none. */
static json_t *make_groups(const struct score_groups *groups)
{
    json_t *array = groups ? json_array() : NULL;

    for (size_t i = 1; groups && i < groups->count; i++) {
        const struct score_group *group = &groups->items[i];
        json_t *object = json_pack("{s:o, s:s, s:o}", "name", json_make_any_text(group->name),
                                   "aggregation", score_aggregation_name(group->aggregation),
                                   "requirePass", json_make_list(&group->require_pass));

        add_points(object, "maxScore", group->max_score);
        json_array_append_new(array, object);
    }
    return array;
}

static int read_group(const json_t *value, struct score_groups *groups, struct error *error)
{
    CLEANUP_FREE char *name = json_read_any_text(json_object_get(value, "name"));
    const char *aggregation = json_string_value(json_object_get(value, "aggregation"));
    struct score_group *group;

    if (!name || !aggregation)
        return error_set(error, ERROR_INPUT, "a group has no name or no aggregation");
    group = score_groups_add(groups, name);
    if (!score_aggregation_parse(aggregation, &group->aggregation))
        return set_missing(error, "aggregation");
    return read_points(value, "maxScore", &group->max_score, error) == 0
               ? read_list(value, "requirePass", &group->require_pass, error)
               : -1;
}

static int read_groups(const json_t *array, struct case_requests *tests, struct error *error)
{
    size_t i;
    json_t *value;

    if (!array)
        return 0;
    if (!json_is_array(array) || json_array_size(array) >= SCORE_GROUPS_MAX)
        return set_missing(error, "groups");
    case_requests_groups(tests);
    json_array_foreach((json_t *)array, i, value)
        if (read_group(value, tests->groups, error) != 0)
            return -1;
    return score_groups_complete(tests, false, error);
}

static json_t *make_tests(const struct case_requests *tests)
{
    json_t *array = json_array();

    for (size_t i = 0; i < tests->count; i++) {
        const struct case_request *test = &tests->items[i];
        json_t *object =
            json_pack("{s:o, s:o, s:b, s:o, s:f, s:f, s:i}", "name", json_make_any_text(test->name),
                      "expected", make_bytes(test->expected, test->expected_length), "noExpected",
                      test->no_expected, "comparison", make_comparison(&test->comparison),
                      "timeoutSeconds", test->timeout_seconds, "cpuSeconds", test->cpu_seconds,
                      "maxOutputBytes", test->max_output_bytes);

        if (test->group)
            json_object_set_new(object, "group", json_make_any_text(test->group));
        if (tests->groups)
            add_points(object, "points", test->points);
        json_array_append_new(array, object);
    }
    return array;
}

static int read_test(const json_t *value, struct case_request *test, struct error *error)
{
    test->name = json_read_any_text(json_object_get(value, "name"));
    if (!test->name)
        return error_set(error, ERROR_INPUT, "a test has no name");
    test->group = json_read_any_text(json_object_get(value, "group"));
    if (read_bytes(value, "expected", &test->expected, &test->expected_length, error) != 0 ||
        read_bool(value, "noExpected", &test->no_expected, error) != 0 ||
        read_number(value, "timeoutSeconds", &test->timeout_seconds, error) != 0 ||
        read_number(value, "cpuSeconds", &test->cpu_seconds, error) != 0 ||
        read_count(value, "maxOutputBytes", &test->max_output_bytes, error) != 0 ||
        read_points(value, "points", &test->points, error) != 0)
        return -1;
    return read_comparison(json_object_get(value, "comparison"), &test->comparison, error);
}

static int read_tests(const json_t *array, struct case_requests *tests, struct error *error)
{
    size_t i;
    json_t *value;

    if (!json_is_array(array) || json_array_size(array) > TESTS_MAX)
        return set_missing(error, "tests");
    json_array_foreach(array, i, value)
        if (read_test(value, case_requests_add(tests), error) != 0)
            return -1;
    return 0;
}

/* ---- the plan */

json_t *plan_note_make(const struct plan *plan)
{
    json_t *note = json_pack("{s:b}", "readOnly", plan->policy.read_only == 1);

    json_object_set_new(note, "language", json_make_any_text(plan->language));
    json_object_set_new(note, "image", json_make_any_text(plan->image));
    json_object_set_new(note, "workdir", json_make_any_text(plan->workdir));
    json_object_set_new(note, "entrypoint", json_make_any_text(plan->entrypoint));
    json_object_set_new(note, "network", json_make_any_text(plan->policy.network));
    json_object_set_new(note, "command", json_make_list(&plan->command));
    json_object_set_new(note, "build", json_make_list(&plan->build));
    json_object_set_new(note, "limits", make_limits(&plan->policy.limits));
    if (plan->build.count > 0)
        json_object_set_new(note, "buildLimits", make_limits(&plan->build_limits));
    json_object_set_new(note, "artifacts", json_make_list(&plan->artifacts));
    json_object_set_new(note, "artifactsOptional", json_boolean(plan->artifacts_optional));
    json_object_set_new(note, "maxArtifacts", json_integer(plan->max_artifacts));
    json_object_set_new(note, "maxArtifactBytes", json_integer(plan->max_artifact_bytes));
    json_object_set_new(note, "tests", make_tests(&plan->tests));
    if (plan->tests.groups)
        json_object_set_new(note, "groups", make_groups(plan->tests.groups));
    json_object_set_new(note, "stopOnFailure", json_boolean(plan->tests.stop_on_failure));
    json_object_set_new(note, "outcomeOnly", json_boolean(plan->tests.outcome_only));
    json_object_set_new(note, "testOutputBytes", json_integer(plan->test_output_bytes));
    return note;
}

static int read_texts(const json_t *note, struct plan *plan, struct error *error)
{
    const struct {
        const char *key;
        char **text;
    } texts[] = {{"language", &plan->language},
                 {"image", &plan->image},
                 {"workdir", &plan->workdir},
                 {"entrypoint", &plan->entrypoint},
                 {"network", &plan->policy.network}};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        *texts[i].text = json_read_any_text(json_object_get(note, texts[i].key));
        if (!*texts[i].text)
            return set_missing(error, texts[i].key);
    }
    return 0;
}

static int read_members(const json_t *note, struct plan *plan, struct error *error)
{
    bool read_only = false;

    if (read_texts(note, plan, error) != 0 ||
        read_limits(json_object_get(note, "limits"), &plan->policy.limits, error) != 0 ||
        read_tests(json_object_get(note, "tests"), &plan->tests, error) != 0 ||
        read_groups(json_object_get(note, "groups"), &plan->tests, error) != 0 ||
        read_list(note, "command", &plan->command, error) != 0 ||
        read_list(note, "build", &plan->build, error) != 0 ||
        read_list(note, "artifacts", &plan->artifacts, error) != 0 ||
        read_bool(note, "readOnly", &read_only, error) != 0 ||
        read_bool(note, "stopOnFailure", &plan->tests.stop_on_failure, error) != 0 ||
        read_bool(note, "outcomeOnly", &plan->tests.outcome_only, error) != 0 ||
        read_count(note, "maxArtifacts", &plan->max_artifacts, error) != 0 ||
        read_count(note, "maxArtifactBytes", &plan->max_artifact_bytes, error) != 0 ||
        read_count(note, "testOutputBytes", &plan->test_output_bytes, error) != 0)
        return -1;
    plan->policy.read_only = read_only;
    plan->artifacts_optional = json_is_true(json_object_get(note, "artifactsOptional"));
    if (plan->command.count == 0)
        return set_missing(error, "command");
    return plan->build.count == 0
               ? 0
               : read_limits(json_object_get(note, "buildLimits"), &plan->build_limits, error);
}

int plan_note_read(const json_t *note, struct plan *plan, struct error *error)
{
    sandbox_policy_init(&plan->policy);
    limits_init(&plan->build_limits);
    if (read_members(note, plan, error) == 0)
        return 0;
    error->kind = ERROR_INPUT; /* no request names what is wrong */
    return -1;
}
