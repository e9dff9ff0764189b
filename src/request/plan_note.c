#include "request/plan_note.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"

/* ---- lists, limits and bytes */

static json_t *make_list(const struct strvec *list)
{
    json_t *array = json_array();

    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(array, json_string(list->items[i]));
    return array;
}

static void read_list(const json_t *array, struct strvec *list)
{
    size_t i;
    json_t *item;

    json_array_foreach(array, i, item)
    {
        if (json_is_string(item))
            strvec_push(list, json_string_value(item));
    }
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

        if (!value && i != LIMIT_CPU_TIME)
            return error_set(error, ERROR_INPUT, "%s is missing", limit_rules[i].key.name);
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

static char *read_bytes(const json_t *value, size_t *length)
{
    *length = 0;
    return json_is_string(value)
               ? base64_decode(json_string_value(value), json_string_length(value), length)
               : NULL;
}

/* ---- tests */

static json_t *make_tests(const struct test_requests *tests)
{
    json_t *array = json_array();

    for (size_t i = 0; i < tests->count; i++) {
        const struct test_request *test = &tests->items[i];

        json_array_append_new(
            array, json_pack("{s:s, s:o, s:b, s:s, s:f, s:f, s:f}", "name", test->name, "expected",
                             make_bytes(test->expected, test->expected_length), "noExpected",
                             test->no_expected, "compare", comparison_mode_name(test->compare),
                             "tolerance", test->tolerance, "timeoutSeconds", test->timeout_seconds,
                             "cpuSeconds", test->cpu_seconds));
    }
    return array;
}

static int read_test(const json_t *value, struct test_request *test, struct error *error)
{
    const char *name = json_string_value(json_object_get(value, "name"));
    const char *compare = json_string_value(json_object_get(value, "compare"));

    if (!name || !compare)
        return error_set(error, ERROR_INPUT, "a test has no name");
    test->name = string_copy(name);
    test->expected = read_bytes(json_object_get(value, "expected"), &test->expected_length);
    test->no_expected = json_is_true(json_object_get(value, "noExpected"));
    test->tolerance = json_number_value(json_object_get(value, "tolerance"));
    test->timeout_seconds = json_number_value(json_object_get(value, "timeoutSeconds"));
    test->cpu_seconds = json_number_value(json_object_get(value, "cpuSeconds"));
    return comparison_mode_parse(compare, &test->compare, error);
}

static int read_tests(const json_t *array, struct test_requests *tests, struct error *error)
{
    size_t i;
    json_t *value;

    json_array_foreach(array, i, value)
    {
        if (i >= TESTS_MAX || read_test(value, test_requests_add(tests), error) != 0)
            return -1;
    }
    return 0;
}

/* ---- the plan */

json_t *plan_note_make(const struct plan *plan)
{
    json_t *note =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:b}", "language", plan->language, "image",
                  plan->image, "workdir", plan->workdir, "entrypoint", plan->entrypoint, "network",
                  plan->policy.network, "readOnly", plan->policy.read_only == 1);

    json_object_set_new(note, "command", make_list(&plan->command));
    json_object_set_new(note, "build", make_list(&plan->build));
    json_object_set_new(note, "limits", make_limits(&plan->policy.limits));
    if (plan->build.count > 0)
        json_object_set_new(note, "buildLimits", make_limits(&plan->build_limits));
    json_object_set_new(note, "artifacts", make_list(&plan->artifacts));
    json_object_set_new(note, "maxArtifacts", json_integer(plan->max_artifacts));
    json_object_set_new(note, "maxArtifactBytes", json_integer(plan->max_artifact_bytes));
    json_object_set_new(note, "tests", make_tests(&plan->tests));
    json_object_set_new(note, "stopOnFailure", json_boolean(plan->tests.stop_on_failure));
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
        const char *text = json_string_value(json_object_get(note, texts[i].key));

        if (!text)
            return error_set(error, ERROR_INPUT, "%s is missing", texts[i].key);
        *texts[i].text = string_copy(text);
    }
    return 0;
}

/* A whole number from 0 to INT_MAX; else 0. */
static int read_count(const json_t *note, const char *key)
{
    const json_int_t value = json_integer_value(json_object_get(note, key));

    return value > 0 && value <= 0x7fffffff ? (int)value : 0;
}

int plan_note_read(const json_t *note, struct plan *plan, struct error *error)
{
    sandbox_policy_init(&plan->policy);
    limits_init(&plan->build_limits);
    if (read_texts(note, plan, error) != 0 ||
        read_limits(json_object_get(note, "limits"), &plan->policy.limits, error) != 0 ||
        read_tests(json_object_get(note, "tests"), &plan->tests, error) != 0)
        return -1;
    read_list(json_object_get(note, "command"), &plan->command);
    read_list(json_object_get(note, "build"), &plan->build);
    read_list(json_object_get(note, "artifacts"), &plan->artifacts);
    if (plan->command.count == 0)
        return error_set(error, ERROR_INPUT, "command is missing");
    if (plan->build.count > 0 &&
        read_limits(json_object_get(note, "buildLimits"), &plan->build_limits, error) != 0)
        return -1;
    plan->policy.read_only = json_is_true(json_object_get(note, "readOnly"));
    plan->max_artifacts = read_count(note, "maxArtifacts");
    plan->max_artifact_bytes = read_count(note, "maxArtifactBytes");
    plan->test_output_bytes = read_count(note, "testOutputBytes");
    plan->tests.stop_on_failure = json_is_true(json_object_get(note, "stopOnFailure"));
    return 0;
}
