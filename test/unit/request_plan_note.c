/* What is kept of a plan, and read later (request/plan_note.h). */
#include "json.h"

#include <math.h>

#include "request/plan_note.h"

#define LIMITS_OF_NOTE                                                                             \
    "{\"timeoutSeconds\":1.5,\"memoryMB\":256.0,\"cpus\":0.5,\"pidsLimit\":64.0,"                  \
    "\"workdirMB\":32.0,\"tmpMB\":16.0,\"outputBytes\":1024.0}"
#define BUILD_LIMITS_OF_NOTE                                                                       \
    "{\"timeoutSeconds\":9.0,\"memoryMB\":512.0,\"cpus\":2.0,\"cpuSeconds\":3.0,"                  \
    "\"pidsLimit\":64.0,\"workdirMB\":32.0,\"tmpMB\":16.0,\"outputBytes\":2048.0}"

/* A plan with a build, tests and artifacts; CPU time of the program has no limit. */
static const char FULL[] =
    "{\"readOnly\":true,\"language\":\"c\",\"image\":\"gcc:1\",\"workdir\":\"/w\","
    "\"entrypoint\":\"a.c\",\"network\":\"none\",\"command\":[\"./a\",\"\"],"
    "\"build\":[\"cc\",\"a.c\"],\"limits\":" LIMITS_OF_NOTE ",\"buildLimits\":" BUILD_LIMITS_OF_NOTE
    ",\"artifacts\":[\"*.txt\",\"out/"
    "**\"],\"artifactsOptional\":true,\"maxArtifacts\":5,\"maxArtifactBytes\":1000,"
    "\"tests\":[{\"name\":\"one\",\"expected\":\"AGEK/w==\",\"noExpected\":false,"
    "\"comparison\":{\"mode\":\"float\",\"ignoreCase\":true,"
    "\"exactSpace\":true,\"absolute\":0.25,\"relative\":0.5},"
    "\"timeoutSeconds\":2.0,\"cpuSeconds\":0.5,\"maxOutputBytes\":99},"
    "{\"name\":\"two\",\"expected\":null,\"noExpected\":true,"
    "\"comparison\":{\"mode\":\"trim\",\"ignoreCase\":false,"
    "\"exactSpace\":false,\"absolute\":0.0,\"relative\":0.0},"
    "\"timeoutSeconds\":0.0,\"cpuSeconds\":0.0,\"maxOutputBytes\":0},"
    "{\"name\":\"three\",\"expected\":\"\",\"noExpected\":false,"
    "\"comparison\":{\"mode\":\"exact\",\"ignoreCase\":false,"
    "\"exactSpace\":false,\"absolute\":0.0,\"relative\":0.0},"
    "\"timeoutSeconds\":0.0,\"cpuSeconds\":0.0,\"maxOutputBytes\":0}],"
    "\"stopOnFailure\":true,\"outcomeOnly\":true,\"testOutputBytes\":4096}";

static void set_limits(struct limits *limits, double timeout, double memory, double cpus)
{
    limits->number[LIMIT_TIMEOUT] = timeout;
    limits->number[LIMIT_MEMORY] = memory;
    limits->number[LIMIT_CPUS] = cpus;
    limits->number[LIMIT_CPU_TIME] = INFINITY;
    limits->number[LIMIT_PIDS] = 64;
    limits->number[LIMIT_WORKDIR] = 32;
    limits->number[LIMIT_TMP] = 16;
    limits->number[LIMIT_OUTPUT] = 1024;
}

static struct case_request *add_test(struct plan *plan, const char *name)
{
    struct case_request *test = case_requests_add(&plan->tests);

    test->name = string_copy(name);
    test->comparison.absolute = test->comparison.relative = 0;
    return test;
}

/* The plan of FULL. */
static struct plan full_plan(void)
{
    struct plan plan = PLAN_INIT;
    struct case_request *test;

    sandbox_policy_init(&plan.policy);
    plan.language = string_copy("c");
    plan.image = string_copy("gcc:1");
    plan.workdir = string_copy("/w");
    plan.entrypoint = string_copy("a.c");
    plan.policy.network = string_copy("none");
    plan.policy.read_only = 1;
    set_limits(&plan.policy.limits, 1.5, 256, 0.5);
    set_limits(&plan.build_limits, 9, 512, 2);
    plan.build_limits.number[LIMIT_CPU_TIME] = 3;
    plan.build_limits.number[LIMIT_OUTPUT] = 2048;
    strvec_push_each(&plan.command, "./a", "", NULL);
    strvec_push_each(&plan.build, "cc", "a.c", NULL);
    strvec_push_each(&plan.artifacts, "*.txt", "out/**", NULL);
    plan.artifacts_optional = true;
    plan.max_artifacts = 5;
    plan.max_artifact_bytes = 1000;
    plan.test_output_bytes = 4096;
    plan.tests.stop_on_failure = plan.tests.outcome_only = true;
    test = add_test(&plan, "one");
    test->expected = string_format("%ca\n\xff", '\0');
    test->expected_length = 4;
    test->comparison = (struct comparison_rule){COMPARE_FLOAT, true, true, 0, 0.25, 0.5};
    test->max_output_bytes = 99;
    test->timeout_seconds = 2;
    test->cpu_seconds = 0.5;
    add_test(&plan, "two")->no_expected = true;
    test = add_test(&plan, "three");
    test->expected = string_copy("");
    test->comparison.mode = COMPARE_EXACT;
    return plan;
}

static void check_note(json_t *note, const char *expected)
{
    CLEANUP_FREE char *text = json_dumps(note, JSON_COMPACT | JSON_REAL_PRECISION(17));

    assert_string_equal(text, expected);
    json_decref(note);
}

CASE(plan_note__make)
{
    struct plan plan = full_plan();

    check_note(plan_note_make(&plan), FULL);
    plan_release(&plan);
}

static struct plan read_plan(const char *text)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    json_auto_t *note = json_of(text);
    struct plan plan = PLAN_INIT;
    const int result = plan_note_read(note, &plan, &error);

    assert_no_error(&error);
    assert_int_equal(result, 0);
    return plan;
}

CASE(plan_note__read)
{
    struct plan plan = read_plan(FULL);
    const struct case_request *test = plan.tests.items;

    assert_int_equal(plan.policy.read_only, 1);
    assert_true(isinf(plan.policy.limits.number[LIMIT_CPU_TIME]));
    assert_true(plan.build_limits.number[LIMIT_CPU_TIME] == 3);
    assert_int_equal(plan.tests.count, 3);
    assert_int_equal(test[0].expected_length, 4);
    assert_memory_equal(test[0].expected, "\0a\n\xff", 4);
    assert_null(test[1].expected);
    assert_non_null(test[2].expected); /* no output is expected, which is not the same */
    assert_int_equal(test[2].expected_length, 0);
    check_note(plan_note_make(&plan), FULL);
    plan_release(&plan);
}

/* Groups, a test with points and one without; a group without a maximum has that of its tests. */
CASE(plan_note__groups)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct plan plan = full_plan(), again;
    struct score_groups *groups = case_requests_groups(&plan.tests);
    struct score_group *group = score_groups_add(groups, "a");
    json_t *note;
    CLEANUP_FREE char *text = NULL;

    group->aggregation = SCORE_MIN;
    strvec_push(&group->require_pass, "b");
    group = score_groups_add(groups, "b");
    group->aggregation = SCORE_PASS_FAIL;
    group->max_score = 2.5;
    plan.tests.items[0].group = string_copy("a");
    plan.tests.items[0].points = 7;
    plan.tests.items[1].group = string_copy("b");
    score_groups_complete(&plan.tests, false, &error);
    assert_no_error(&error);
    note = plan_note_make(&plan);
    text = json_dumps(json_object_get(note, "groups"), JSON_COMPACT);
    assert_string_equal(text, "[{\"name\":\"a\",\"aggregation\":\"min\",\"requirePass\":[\"b\"],"
                              "\"maxScore\":7.0},{\"name\":\"b\",\"aggregation\":\"pass-fail\","
                              "\"requirePass\":[],\"maxScore\":2.5}]");
    free(text);
    text = json_dumps(note, JSON_COMPACT | JSON_REAL_PRECISION(17));
    again = read_plan(text);
    assert_true(again.tests.items[0].points == 7 && isnan(again.tests.items[1].points) &&
                isnan(again.tests.items[2].points));
    assert_int_equal(again.tests.items[1].group_place, 2);
    assert_true(again.tests.groups->items[0].max_score == 9.5);
    json_decref(note);
    check_note(plan_note_make(&again), text);
    json_auto_t *damaged = json_of(text);
    json_object_set_new(json_array_get(json_object_get(damaged, "tests"), 0), "group",
                        json_string("c"));
    plan_release(&plan);
    plan = (struct plan)PLAN_INIT;
    assert_int_equal(plan_note_read(damaged, &plan, &error), -1);
    assert_error(&error, ERROR_INPUT, "there is no group 'c'");
    plan_release(&plan);
    plan_release(&again);
}

/* Neither a build, nor tests, nor artifacts: limits of a build are not read then. */
CASE(plan_note__least_plan)
{
    static const char least[] =
        "{\"readOnly\":false,\"language\":\"c\",\"image\":\"gcc:1\",\"workdir\":\"/w\","
        "\"entrypoint\":\"a.c\",\"network\":\"none\",\"command\":[\"./a\"],\"build\":[],"
        "\"limits\":" LIMITS_OF_NOTE
        ",\"artifacts\":[],\"artifactsOptional\":false,\"maxArtifacts\":0,"
        "\"maxArtifactBytes\":0,\"tests\":[],\"stopOnFailure\":false,\"outcomeOnly\":false,"
        "\"testOutputBytes\":0}";
    struct plan plan = read_plan(least);

    assert_int_equal(plan.policy.read_only, 0);
    assert_int_equal(plan_kind(&plan), PLAN_PROGRAM);
    check_note(plan_note_make(&plan), least);
    plan_release(&plan);
}

/* File names, arguments and patterns can have any bytes. */
CASE(plan_note__texts_that_are_no_utf8)
{
    struct plan plan = full_plan(), again;
    CLEANUP_FREE char *text = NULL;
    json_t *note;

    free(plan.entrypoint);
    plan.entrypoint = string_copy("\xff.c");
    strvec_push(&plan.command, "\xe9");
    strvec_push(&plan.artifacts, "\xe9*");
    free(plan.tests.items[1].name);
    plan.tests.items[1].name = string_copy("t\xe9");
    note = plan_note_make(&plan);
    assert_non_null(note);
    text = json_dumps(note, 0);
    json_decref(note);
    again = read_plan(text);
    assert_string_equal(again.entrypoint, "\xff.c");
    assert_int_equal(again.command.count, 3);
    assert_string_equal(again.command.items[2], "\xe9");
    assert_string_equal(again.artifacts.items[2], "\xe9*");
    assert_string_equal(again.tests.items[1].name, "t\xe9");
    plan_release(&again);
    plan_release(&plan);
}

/* ---- what is damaged */

/* Reads FULL with this member (of a test if `test` is set) replaced, or removed with NULL. */
static void check_damaged(bool test, const char *key, const char *value, const char *message)
{
    struct error error = ERROR_INIT;
    json_auto_t *note = json_of(FULL);
    json_t *of = test ? json_array_get(json_object_get(note, "tests"), 1) : note;
    struct plan plan = PLAN_INIT;

    assert_non_null(json_object_get(of, key));
    if (value)
        json_object_set_new(of, key, json_of(value));
    else
        json_object_del(of, key);
    if (plan_note_read(note, &plan, &error) == 0)
        fail_msg("'%s': %s is taken", key, value ? value : "nothing");
    assert_error(&error, ERROR_INPUT, message);
    plan_release(&plan);
}

CASE(plan_note__member_that_is_missing)
{
    static const char *const keys[] = {
        "language", "image",         "workdir",         "entrypoint",       "network",
        "readOnly", "command",       "build",           "artifacts",        "maxArtifacts",
        "tests",    "stopOnFailure", "testOutputBytes", "maxArtifactBytes", "outcomeOnly"};
    static const char *const of_test[] = {"expected", "noExpected", "timeoutSeconds", "cpuSeconds",
                                          "maxOutputBytes"};

    for (size_t i = 0; i < COUNT(keys); i++) {
        CLEANUP_FREE char *message = string_format("%s is missing", keys[i]);

        check_damaged(false, keys[i], NULL, message);
        check_damaged(false, keys[i], "null", message);
        check_damaged(false, keys[i], "{\"a\": 1}", message);
    }
    for (size_t i = 0; i < COUNT(of_test); i++) {
        CLEANUP_FREE char *message = string_format("%s is missing", of_test[i]);

        check_damaged(true, of_test[i], NULL, message);
        check_damaged(true, of_test[i], "[]", message);
    }
    check_damaged(true, "name", NULL, "a test has no name");
    check_damaged(true, "name", "7", "a test has no name");
    check_damaged(true, "comparison", NULL, "mode is missing");
    check_damaged(false, "limits", NULL, "timeoutSeconds is missing");
    check_damaged(false, "limits", "7", "timeoutSeconds is missing");
    check_damaged(false, "buildLimits", NULL, "timeoutSeconds is missing");
}

#define COMPARISON(mode, ignore_case, exact_space, absolute, relative)                             \
    "{\"mode\": \"" mode "\", \"ignoreCase\": " ignore_case ", \"exactSpace\": " exact_space       \
    ", \"absolute\": " absolute ", \"relative\": " relative "}"

CASE(plan_note__values_that_cannot_be)
{
    check_damaged(false, "command", "[]", "command is missing");
    check_damaged(false, "command", "[\"a\", 7]", "command is missing");
    check_damaged(false, "command", "[\"a\\u0000b\"]", "command is missing");
    check_damaged(false, "command", "[{\"base64\": \"AAA=\"}]", "command is missing");
    check_damaged(false, "command", "[{\"base64\": \"*\"}]", "command is missing");
    check_damaged(false, "build", "\"cc\"", "build is missing");
    check_damaged(false, "tests", "[7]", "a test has no name");
    check_damaged(false, "maxArtifacts", "-1", "maxArtifacts is missing");
    check_damaged(false, "maxArtifacts", "2147483648", "maxArtifacts is missing");
    check_damaged(false, "maxArtifacts", "1.0", "maxArtifacts is missing");
    check_damaged(true, "expected", "\"*\"", "expected is missing");
    check_damaged(true, "comparison", COMPARISON("diff", "true", "true", "0", "0"),
                  "'diff' is not a way to compare; use trim, exact, tokens, float or lines");
    check_damaged(true, "comparison", COMPARISON("trim", "1", "true", "0", "0"),
                  "ignoreCase is missing");
    check_damaged(true, "comparison", COMPARISON("trim", "true", "1", "0", "0"),
                  "exactSpace is missing");
    check_damaged(true, "comparison", COMPARISON("trim", "true", "true", "-1", "0"),
                  "absolute is missing");
    check_damaged(true, "comparison", COMPARISON("trim", "true", "true", "0", "-1"),
                  "relative is missing");
}

/* A number that is a string would be 0, which is no limit of CPU time. */
CASE(plan_note__damaged_limits)
{
    static const struct {
        const char *key, *value, *message;
    } cases[] = {
        {"timeoutSeconds", NULL, "timeoutSeconds is missing"},
        {"memoryMB", "\"256\"", "memoryMB is missing"},
        {"outputBytes", "null", "outputBytes is missing"},
        {"cpuSeconds", "\"3\"", "cpuSeconds is missing"},
        {"cpuSeconds", "null", "cpuSeconds is missing"},
        {"pidsLimit", "64.5", "pidsLimit must be a whole number"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        json_auto_t *limits = json_of(LIMITS_OF_NOTE);
        CLEANUP_FREE char *text = NULL;

        if (cases[i].value)
            json_object_set_new(limits, cases[i].key, json_of(cases[i].value));
        else
            json_object_del(limits, cases[i].key);
        text = json_dumps(limits, 0);
        check_damaged(false, "limits", text, cases[i].message);
        check_damaged(false, "buildLimits", text, cases[i].message);
    }
}
