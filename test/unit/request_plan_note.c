#include "test.h"

#include <math.h>

#include "request/plan_note.h"

/* The note of a plan with a build, tests and artifacts. */
static const char NOTE[] =
    "{\"language\": \"c\", \"image\": \"gcc\", \"workdir\": \"/w\", \"entrypoint\": \"a.c\","
    "\"network\": \"none\", \"readOnly\": true, \"command\": [\"./a\"], \"build\": [\"cc\", "
    "\"a.c\"],"
    "\"limits\": {\"timeoutSeconds\": 1.5, \"memoryMB\": 256, \"cpus\": 0.5, \"pidsLimit\": 64,"
    "\"workdirMB\": 64, \"tmpMB\": 64, \"outputBytes\": 1024},"
    "\"buildLimits\": {\"timeoutSeconds\": 9, \"memoryMB\": 512, \"cpus\": 2, \"cpuSeconds\": 3,"
    "\"pidsLimit\": 64, \"workdirMB\": 64, \"tmpMB\": 64, \"outputBytes\": 1024},"
    "\"artifacts\": [\"*.txt\"], \"maxArtifacts\": 5, \"maxArtifactBytes\": 1000,"
    "\"tests\": [{\"name\": \"1\", \"expected\": \"AGEK\", \"noExpected\": false,"
    "\"compare\": \"exact\", \"tolerance\": 0.5, \"timeoutSeconds\": 2, \"cpuSeconds\": 0},"
    "{\"name\": \"2\", \"expected\": null, \"noExpected\": true, \"compare\": \"trim\","
    "\"tolerance\": 0, \"timeoutSeconds\": 0, \"cpuSeconds\": 4}],"
    "\"stopOnFailure\": true, \"testOutputBytes\": 4096}";

static void check(const struct plan *plan)
{
    assert_string_equal(plan->language, "c");
    assert_string_equal(plan->build.items[1], "a.c");
    assert_string_equal(plan->command.items[0], "./a");
    assert_string_equal(plan->artifacts.items[0], "*.txt");
    assert_int_equal(plan->policy.read_only, 1);
    assert_float_equal(plan->policy.limits.number[LIMIT_TIMEOUT], 1.5, 0);
    assert_true(isinf(plan->policy.limits.number[LIMIT_CPU_TIME]));
    assert_float_equal(plan->build_limits.number[LIMIT_CPU_TIME], 3, 0);
    assert_int_equal(plan->max_artifacts, 5);
    assert_int_equal(plan->max_artifact_bytes, 1000);
    assert_int_equal(plan->test_output_bytes, 4096);
    assert_true(plan->tests.stop_on_failure);
    assert_int_equal(plan->tests.count, 2);
    assert_int_equal(plan->tests.items[0].expected_length, 3);
    assert_memory_equal(plan->tests.items[0].expected, "\0a\n", 3);
    assert_int_equal(plan->tests.items[0].compare, COMPARE_EXACT);
    assert_float_equal(plan->tests.items[0].tolerance, 0.5, 0);
    assert_float_equal(plan->tests.items[0].timeout_seconds, 2, 0);
    assert_null(plan->tests.items[1].expected);
    assert_true(plan->tests.items[1].no_expected);
    assert_float_equal(plan->tests.items[1].cpu_seconds, 4, 0);
    assert_int_equal(plan_kind(plan), PLAN_SUBMISSION);
}

static void plan_note__round_trip(void **state)
{
    json_auto_t *note = json_loads(NOTE, 0, NULL);
    json_auto_t *again = NULL;
    struct plan plan = PLAN_INIT, second = PLAN_INIT;
    struct error error = ERROR_INIT;

    (void)state;
    assert_int_equal(plan_note_read(note, &plan, &error), 0);
    check(&plan);
    again = plan_note_make(&plan);
    assert_int_equal(plan_note_read(again, &second, &error), 0);
    check(&second);
    plan_release(&plan);
    plan_release(&second);
}

/* Without one of these, or with another type in its place, there is no plan. */
static void plan_note__what_is_needed(void **state)
{
    static const char *const needed[] = {"language", "image",  "workdir", "entrypoint",
                                         "network",  "limits", "command", "buildLimits"};

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(needed); i++) {
        json_auto_t *note = json_loads(NOTE, 0, NULL);
        CLEANUP(error_release) struct error error = ERROR_INIT;
        struct plan plan = PLAN_INIT;

        if (i % 2 == 0)
            json_object_del(note, needed[i / 2]);
        else
            json_object_set_new(note, needed[i / 2], json_integer(7));
        if (plan_note_read(note, &plan, &error) == 0)
            fail_msg("a plan without %s", needed[i / 2]);
        assert_int_equal(error.kind, ERROR_INPUT);
        plan_release(&plan);
    }
}

static void plan_note__values_that_cannot_be(void **state)
{
    static const char *const changes[] = {"{\"limits\": {\"timeoutSeconds\": -1}}",
                                          "{\"limits\": {\"memoryMB\": \"256\"}}",
                                          "{\"tests\": [{\"name\": \"1\"}]}",
                                          "{\"tests\": [{\"name\": 1, \"compare\": \"trim\"}]}",
                                          "{\"tests\": [{\"name\": \"1\", \"compare\": \"none\"}]}",
                                          "{\"tests\": [7]}"};

    (void)state;
    for (size_t i = 0; i < COUNT(changes); i++) {
        json_auto_t *note = json_loads(NOTE, 0, NULL);
        json_auto_t *change = json_loads(changes[i], 0, NULL);
        CLEANUP(error_release) struct error error = ERROR_INIT;
        struct plan plan = PLAN_INIT;

        json_object_update(note, change);
        if (plan_note_read(note, &plan, &error) == 0)
            fail_msg("%s is taken", changes[i]);
        plan_release(&plan);
    }
}
